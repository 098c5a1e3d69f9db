/**
 * The parts of the answer desk by which it changes: outcomes of answers that people report, proposals that people
 * decide on, triggers that users define, and what agents have noticed.
 */
import { CUSTOM_TRIGGERS_MAX, PROPOSALS_KEPT_MAX } from '../limits.ts';
import { numberKey } from '../rules/table-keys.ts';
import { type Asked, type OrderReply, refused, TAKEN } from '../rules/turn.ts';
import { queryBundle } from './bundle.ts';
import { type CustomTrigger, fires } from './custom-trigger.ts';
import { ask } from './desk-asking.ts';
import { type AnswerTurn } from './desk-log.ts';
import { pin } from './desk-precedents.ts';
import { type AnswerDeskContext, type AnswerOrder } from './desk-state.ts';
import { flawOfDecision, isPaused, type Proposal, proposalsFor, settingsWith } from './evolution.ts';
import { precedentWithout } from './precedents.ts';

type Event<Type extends 'answers.decide' | 'answers.measure' | 'answers.observe'> = AnswerOrder<Type> & Asked;

/** The name of the records of what agents have noticed. */
export const OBSERVATIONS = 'observations';

/** Looks for patterns of the last day and proposes changes. */
export function review(turn: AnswerTurn): { readonly proposals: readonly Proposal[]; readonly isPaused: boolean } {
  const { nowMs } = turn;
  const { profile, recent, proposals: before } = turn.context;
  const known = [...before.values()];
  for (const found of proposalsFor([...recent.values()], { profile, known, nowMs })) {
    const proposalCount = turn.context.proposalCount + 1;
    const id = `UV-${numberKey(proposalCount)}`;
    const open = { status: 'proposed', decidedBy: null, decidedAtMs: null, rewards: { count: 0, total: 0 } } as const;
    let proposals = turn.context.proposals.set(id, { id, ...found, proposedAtMs: nowMs, ...open });
    if (proposals.size > PROPOSALS_KEPT_MAX) proposals = proposals.delete(proposals.first()![0]);
    turn.assign({ proposals, proposalCount });
  }
  return { proposals: [...turn.context.proposals.values()], isPaused: isPaused(known, nowMs) };
}

/** Applies or refuses a proposal, or takes back an applied one. No proposal takes effect otherwise. */
export function decide(turn: AnswerTurn, { proposal: id, by, approve, reason }: Event<'answers.decide'>): OrderReply {
  const { proposals, profile } = turn.context;
  const proposal = proposals.get(id);
  if (proposal === undefined) return refused(`no proposal "${id}"`);
  const known = [...proposals.values()];
  const flaw = flawOfDecision(proposal, { approve, reason, known, nowMs: turn.nowMs });
  if (flaw !== undefined) return refused(flaw);
  const isTakenBack = !approve && proposal.status === 'applied';
  const status = approve ? 'applied' : isTakenBack ? 'taken back' : 'refused';
  const decided = { ...proposal, status, decidedBy: by, decidedAtMs: turn.nowMs } as const;
  turn.assign({ proposals: proposals.set(id, decided) });
  if (approve || isTakenBack) turn.assign({ profile: settingsWith(profile, proposal.change, isTakenBack) });
  if (isTakenBack && proposal.change.kind === 'precedent') unpin(turn, proposal);
  if (approve && proposal.change.kind === 'precedent') pin(turn, { question: proposal.change.question, by });
  return TAKEN;
}

/** Keeps the answer no longer that a proposal had made to be kept, unless somebody has said something since. */
function unpin(turn: AnswerTurn, { change, decidedAtMs }: Proposal): void {
  if (change.kind !== 'precedent') return;
  const { question } = change;
  if (turn.context.precedents.get(question)?.atMs === decidedAtMs)
    turn.assign(precedentWithout(turn.context, question));
}

/** Defines a trigger, or replaces the one of that name. */
export function define(turn: AnswerTurn, _: object, trigger: CustomTrigger): OrderReply {
  const others = turn.context.triggers.filter(({ name }) => name !== trigger.name);
  if (others.length >= CUSTOM_TRIGGERS_MAX) return refused(`there are ${CUSTOM_TRIGGERS_MAX} triggers already`);
  turn.assign({ triggers: [...others, trigger] });
  return TAKEN;
}

/** The triggers of users: those of the settings, and those defined at run time, which replace others of their name. */
export function triggersOf({ profile, triggers }: AnswerDeskContext): readonly CustomTrigger[] {
  return [...new Map([...profile.custom_triggers, ...triggers].map((one) => [one.name, one])).values()];
}

/** Evaluates the triggers for a reading. One that fires asks; an equal reading within a day asks nothing new. */
export function measure(
  turn: AnswerTurn,
  event: Pick<Event<'answers.measure'>, 'measure' | 'value' | 'asker'>,
): { readonly fired: readonly string[] } {
  const fired = triggersOf(turn.context).filter((one) => fires(one, event));
  for (const { name, question, priority_level } of fired) {
    const context_summary = `${event.measure} is ${event.value}.`;
    const bundle = queryBundle.parse({ question, context_summary, priority_level, confidence_level: 0 });
    const key = `${name} ${event.value}`.slice(0, 200);
    const asked = { ...{ bundle, asker: event.asker, trigger: 'custom' as const }, key, scope: null };
    const whole = { ...asked, taskPriority: null, thread: null, maxWaitMs: 0 };
    ask(turn, { type: 'answers.ask', ...whole }, whole);
  }
  return { fired: fired.map(({ name }) => name) };
}

/** Records what an agent has noticed. */
export function observe(
  turn: AnswerTurn,
  { observation, task, measure: what, value, asker }: Event<'answers.observe'>,
): OrderReply & { readonly fired: readonly string[] } {
  if ((what === null) !== (value === null))
    return { ...refused('a measure has a value, and a value a measure'), fired: [] };
  turn.record(OBSERVATIONS, { observation, task, asker, measure: what, value });
  return { ...TAKEN, ...(what === null ? { fired: [] } : measure(turn, { measure: what, value: value!, asker })) };
}
