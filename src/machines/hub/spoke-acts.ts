/**
 * The acts of a spoke within a turn: it begins and ends tries, notes what its work came to, hands off, and completes.
 * The states in which it does so are in spoke.ts.
 */
import { failureOf, withAttempt } from '../work/failure-tiers.ts';
import { inTurn } from '../rules/turn.ts';
import { plus } from './budget.ts';
import { closesAlone } from './handoff-rules.ts';
import { type OrderEvent, type SpokeTurn, takeCompletion, takeOrder } from './spoke-orders.ts';
import { missingInput, type Trouble, troubleHandoff, verdictOn } from './spoke-rules.ts';
import {
  applied,
  looked,
  released,
  type SessionClosed,
  type SpokeContext,
  type SpokeEvent,
  type WorkOutcome,
  workOutcome,
} from './spoke-state.ts';
import { strongerStop } from './stop-levels.ts';
import { type PlanEvent } from './work-plan.ts';
import { clipped } from './words.ts';

type EventOf<Type extends SpokeEvent['type']> = Extract<SpokeEvent, { readonly type: Type }>;

/** An action of the spoke's machine. */
function act<Params extends Trouble | undefined = undefined>(
  does: (turn: SpokeTurn, event: SpokeEvent, params: Params) => void,
) {
  return inTurn<SpokeContext, SpokeEvent, Params>(does);
}

/** The actions of the machine by name. */
export const spokeActs = {
  announce: act((turn) => {
    const { hub, session } = turn.context;
    turn.send(hub, { type: 'session.opened', session: session.session, spoke: turn.self });
  }),
  beginTry: act((turn) => {
    const { round, spec } = turn.context;
    turn.assign({ round: round + 1, startedAtMs: turn.nowMs, work: null });
    if (spec.timeoutMs !== null) turn.raise({ type: 'work.overdue' }, { id: 'overdue', delay: spec.timeoutMs });
    listen(turn);
  }),
  endTry: act((turn) => {
    turn.cancel('overdue');
    turn.cancel('silence');
    const { usage, startedAtMs } = turn.context;
    turn.assign({ usage: { ...usage, ms: usage.ms + turn.nowMs - startedAtMs } });
  }),
  hear: act((turn) => {
    turn.cancel('silence');
    listen(turn);
  }),
  countStep: act((turn) => {
    const { usage } = turn.context;
    turn.assign({ usage: { ...usage, steps: usage.steps + 1 } });
  }),
  countUsage: act((turn, event) => turn.assign({ usage: plus(turn.context.usage, event as EventOf<'session.usage'>) })),
  takeOrder: act((turn, event) => takeOrder(turn, event as OrderEvent)),
  noteFailure: act((turn, event) => {
    const failure = turn.context.reported ?? failureOf('error' in event ? event.error : undefined);
    const failed = withAttempt(turn.context.failed, failure);
    turn.assign({ failed, reported: null, summary: failure.message.slice(0, 2_000) });
  }),
  noteOutcome: act((turn, event) => {
    const read = workOutcome.safeParse('output' in event ? event.output : undefined);
    if (read.success) turn.assign({ usage: plus(turn.context.usage, read.data.usage) });
    // It has handed off by an order: its result adds nothing else to what is on record.
    if (turn.context.handoff !== null) return;
    if (!read.success) return turn.assign({ problems: ['the work gave no result that can be read'], said: null });
    const work = read.data;
    const { held = null } = turn.context;
    judge(turn, { ...work, handoff: work.handoff ?? held });
  }),
  /** Judges a session that has completed by an order, whose hand-off was held until somebody could look. */
  noteLooked: act((turn, event) => {
    const { held = null, summary, work } = turn.context;
    const found = looked.parse('output' in event ? event.output : undefined);
    judge(turn, { ...workOutcome.parse({ ...work, summary }), ...found, handoff: held });
  }),
  takeCompletion: act((turn, event) => takeCompletion(turn, event as OrderEvent)),
  notePatch: act((turn, event) => {
    const read = released.safeParse('output' in event ? event.output : undefined);
    if (read.success && read.data.patch !== null) turn.assign({ patch: read.data.patch });
  }),
  /** Keeps what the work says of its failure, which has more details than the error that the store keeps. */
  keepReport: act((turn, event) => turn.assign({ reported: (event as EventOf<'session.failed'>).failure })),
  keepOutput: act((turn, event) => turn.assign({ output: (event as EventOf<'session.output'>).output })),
  countCorrection: act((turn) => turn.assign({ corrections: turn.context.corrections + 1 })),
  noteProblems: act((turn, event) => {
    const { problems } = event as Extract<SpokeEvent, { readonly problems: unknown }>;
    turn.assign({ problems, said: null, held: null });
  }),
  giveUp: act<Trouble>((turn, _, trouble) => {
    const { summary, problems } = turn.context;
    const blockers =
      trouble.blockers.length > 0 ? trouble.blockers : [...problems, summary].filter((one) => one !== '');
    // An interrupted, refused or failed session has not handed off: nothing is said in its name but what happened.
    const isSaid = trouble.outcome === 'blocked' || trouble.outcome === 'budgetExceeded';
    turn.assign({
      outcome: trouble.outcome,
      // By an order it may have handed off before: that is on record.
      said: turn.context.said ?? (isSaid ? troubleHandoff(turn.context, { ...trouble, blockers }) : null),
      summary: (blockers[0] ?? trouble.outcome).slice(0, 2_000),
    });
  }),
  noteMissing: act((turn) => {
    const blockers = missingInput(turn.context);
    turn.assign({ outcome: 'blocked', said: troubleHandoff(turn.context, { outcome: 'blocked', blockers }) });
  }),
  noteStale: act((turn) => turn.assign({ isStale: true })),
  noteStop: act((turn, event) =>
    turn.assign({ stop: strongerStop(turn.context.stop, (event as EventOf<'session.stop'>).level) }),
  ),
  noteConflict: act((turn, event) => {
    const read = applied.safeParse('output' in event ? event.output : undefined);
    const failure = 'error' in event ? `: ${failureOf(event.error).message}` : '';
    const conflict = read.success ? read.data.conflict : `the changes could not be applied${failure}`;
    if (conflict === null) return;
    const summary = clipped(conflict.trim().split('\n', 1)[0]!);
    const blocked: Trouble = { outcome: 'blocked', blockers: [summary] };
    turn.assign({ outcome: 'blocked', summary, said: troubleHandoff(turn.context, blocked) });
  }),
  handOff: act((turn) => {
    const { plan, session, said, verified } = turn.context;
    // A session in trouble may have nothing to say: then it completes by order of its hub's rules.
    if (said === null) return;
    tell(turn, plan, { type: 'session.handoff', session: session.session, said, verified, from: turn.self });
  }),
  keepHandoff: act((turn, event) => turn.assign({ handoff: (event as EventOf<'handoff.recorded'>).seq })),
  archive: act((turn) =>
    tell(turn, turn.context.plan, {
      type: 'session.archive',
      session: turn.context.session.session,
      from: turn.self,
    }),
  ),
  complete: act((turn) => {
    const { plan, session, outcome, summary, usage, work, handoff, output, patch } = turn.context;
    tell(turn, plan, {
      ...{ type: 'session.complete', session: session.session, outcome, summary, usage, from: turn.self },
      ...{
        artifacts: [...(work?.artifacts ?? []), ...(patch === undefined ? [] : [patch])],
        isForced: handoff === null && !mayCloseAlone(turn.context),
      },
      ...(output !== undefined && { output }),
    });
  }),
  report: act((turn) => {
    const { hub, session, outcome, usage, isStale, said, work, summary, handoff: seq } = turn.context;
    turn.send(hub, {
      ...{ type: 'session.closed', session: session.session, outcome, usage, isStale, summary },
      handoff: said === null || seq === null ? null : { ...returnedOf(said), seq },
      ...{ said: said?.outcome ?? null, testsPass: said?.testsPass ?? passOf(work?.build?.exitCode) },
    } satisfies SessionClosed);
  }),
};

/** Judges what the work came to, by what was said and by what was found. */
function judge(turn: SpokeTurn, work: WorkOutcome): void {
  turn.assign({ work, summary: work.summary });
  const verdict = verdictOn(turn.context, work);
  if (verdict.kind === 'alone') turn.assign({ problems: [], said: null, outcome: 'done' });
  else if (verdict.kind === 'misfit')
    turn.assign({ problems: verdict.problems, said: null, held: null, verified: verdict.verified });
  else turn.assign({ problems: [], said: verdict.said, verified: verdict.verified, outcome: verdict.outcome });
}

/** Sends the work plan an event that it knows. */
function tell(turn: SpokeTurn, plan: SpokeContext['plan'], event: PlanEvent): void {
  turn.send(plan, event);
}

/** Whether it closes without a hand-off, and without being forced to. */
function mayCloseAlone({ session: { role }, outcome }: SpokeContext): boolean {
  return closesAlone(role) && outcome === 'done';
}

function listen(turn: SpokeTurn): void {
  turn.raise({ type: 'session.silent' }, { id: 'silence', delay: turn.context.spec.silenceMs });
}

function returnedOf({ outcome, recommended, reason, data }: NonNullable<SpokeContext['said']>) {
  return { outcome, recommended, reason, data };
}

function passOf(exitCode: number | undefined): boolean | null {
  return exitCode === undefined ? null : exitCode === 0;
}
