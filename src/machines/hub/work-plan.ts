/**
 * The work plan (HS-062): what a run remembers. It keeps steps, goals and notes, the open sessions, and what the last
 * hand-off recommended; lineage and closed sessions are records, appended once and never changed. It is the one place
 * that decides whether a hand-off fits the table and whether a session may complete. It transfers control to nobody.
 */
import { type AnyActorRef } from 'xstate';
import { z } from 'zod';
import { speaker } from '../../actors/model/person.ts';
import { rowsOf, table, type Table, type WholeTable } from '../../table.ts';
import { PLAN_DOCUMENTS_MAX, PLAN_NOTES_MAX } from '../limits.ts';
import { nameKey, numberKey } from '../rules/table-keys.ts';
import {
  type Asked,
  order,
  type OrderReply,
  refused,
  ruledAgent,
  type Rules,
  TAKEN,
  type Turn,
} from '../rules/turn.ts';
import { name, text } from '../work/message-schema.ts';
import { type HandoffSaid, type LineageEntry, type SessionOutcome, type Verified } from './handoff.ts';
import { completionProblem, handoffProblems, recommendationAfter } from './handoff-rules.ts';
import { type Usage } from './budget.ts';
import { type PlanLogEntry } from './plan-log.ts';
import { PLAN_RECORDS, planRecords } from './plan-records.ts';
import { type PlanReading, type PlanStatus } from './plan-reading.ts';
import { type PlanStep, planStep, stepOrders, type StepOrder, stepsAfter } from './plan-steps.ts';
import { policyOf, type Role } from './roles.ts';
import { type Scope } from './scope.ts';
import { promptRecord, type SessionOutput } from './session-records.ts';
import {
  planDocument,
  type PlanDocument,
  planFacts,
  type ReadChange,
  type SessionOrder,
  sessionChanges,
} from './plan-changes.ts';

/** A session that is open, as its work plan knows it. */
export interface OpenSession {
  readonly session: string;
  readonly run: string;
  readonly role: Role;
  /** The role of the hub that gets control back. */
  readonly hub: Role;
  readonly parent: string;
  readonly depth: number;
  readonly step: string | null;
  readonly isBuildCheck: boolean;
  readonly startedAtMs: number;
  /** The number of its hand-off; null before it has handed off. */
  readonly handoff: number | null;
}

/** The context of a work plan. */
export interface WorkPlanContext extends z.output<typeof planFacts> {
  readonly id: string;
  readonly desk: AnyActorRef;
  /** Steps by index. */
  readonly steps: Table<PlanStep>;
  readonly nextStep: number;
  readonly status: PlanStatus;
  /** The number of the last hand-off. */
  readonly seq: number;
  readonly recommended: Role | null;
  /** The role that is at work; null before the first, and once the plan is archived. */
  readonly currentAgent: Role | null;
  readonly lastHandoff: LineageEntry | null;
  /** Open sessions by id. */
  readonly sessions: Table<OpenSession>;
  readonly notes: Table<{ readonly text: string; readonly by: string; readonly atMs: number }>;
  readonly noteCount: number;
  /** Documents that its sessions share, by name. */
  readonly documents: Table<PlanDocument & { readonly by: string; readonly atMs: number }>;
}

/** The input of a work plan. */
export interface WorkPlanInput extends z.output<typeof planFacts> {
  readonly id: string;
  readonly desk: AnyActorRef;
  readonly steps: readonly z.input<(typeof stepOrders)['step.add']>['steps'][number][];
}

export type WorkPlanEmitted =
  | { readonly type: 'handoff.recorded'; readonly plan: string; readonly entry: LineageEntry }
  | { readonly type: 'plan.archived'; readonly plan: string; readonly by: string };

type PlanTurn = Turn<WorkPlanContext, WorkPlanEmitted>;

/** Events between hubs, spokes and their work plan. `from` is the actor that speaks, and hears the reply. */
export type PlanEvent =
  | { readonly type: 'plan.read'; readonly from: AnyActorRef }
  | {
      readonly type: 'session.open';
      readonly session: OpenSession;
      /** Its prompt and its scope. Absent in an event that an earlier build has left in the mailbox. */
      readonly told?: { readonly prompt: string; readonly scope: Scope | null };
    }
  | {
      readonly type: 'session.handoff';
      readonly session: string;
      readonly said: HandoffSaid;
      readonly verified: Verified;
      readonly from: AnyActorRef;
      readonly replyTo?: Asked['replyTo'];
    }
  | ({ readonly type: 'session.complete'; readonly from: AnyActorRef } & Completion & Pick<Asked, 'replyTo'>)
  | ({ readonly type: 'session.change'; readonly session: string; readonly order: SessionOrder } & Pick<
      Asked,
      'replyTo'
    >)
  | { readonly type: 'session.archive'; readonly session: string; readonly from: AnyActorRef }
  | { readonly type: 'plan.reset'; readonly run: string; readonly order: StepOrder }
  | { readonly type: 'plan.close'; readonly status: 'completed' | 'failed' | 'stopped' }
  | { readonly type: 'plan.log'; readonly entry: PlanLogEntry };
type EventOf<Type extends PlanEvent['type']> = Extract<PlanEvent, { readonly type: Type }>;

/** The report of a session when it completes. */
export interface Completion {
  readonly session: string;
  readonly outcome: SessionOutcome;
  readonly summary: string;
  readonly usage: Usage;
  readonly artifacts: readonly string[];
  /** The output of its command; absent for other work. */
  readonly output?: SessionOutput;
  /** Whether its hub closes it, hand-off or not. */
  readonly isForced: boolean;
}

const noteAdd = z.object({ text: text.min(1), by: speaker(z.string().min(1).max(200)) });

const STEP_RULES = Object.fromEntries(
  Object.entries(stepOrders).map(([type, schema]) => [
    type,
    order(schema, (turn: PlanTurn, _, fields) => orderSteps(turn, { ...fields, type } as StepOrder)),
  ]),
) as unknown as Readonly<Record<keyof typeof stepOrders, ReturnType<typeof order<z.ZodObject, PlanTurn, OrderReply>>>>;

const RULES = {
  ...STEP_RULES,
  'plan.get': order(z.object({ session: name.optional() }), ({ context }: PlanTurn, { session }) =>
    session === undefined || context.sessions.has(session) ? glanceOf(context) : refused(`${session} has closed`),
  ),
  'plan.session': order(z.object({ session: name }), ({ context }: PlanTurn, { session: id }) => ({
    session: context.sessions.get(id) ?? null,
  })),
  'plan.document': order(planDocument.pick({ name: true }), ({ context }: PlanTurn, { name: key }) => ({
    document: context.documents.get(nameKey(key)) ?? null,
  })),
  'note.add': order(noteAdd, (turn: PlanTurn, { text: said, by }): OrderReply => addNote(turn, said, by)),
  'goals.set': order(
    planFacts.pick({ goals: true, success_criteria: true }),
    (turn: PlanTurn, { goals, success_criteria }): OrderReply => {
      turn.assign({ goals, success_criteria });
      return TAKEN;
    },
  ),
  'plan.read': (turn: PlanTurn, { from }: EventOf<'plan.read'>) =>
    void turn.send(from, { type: 'plan.stands', read: readingOf(turn.context) }),
  'session.open': openSession,
  'session.handoff': handOff,
  'session.complete': complete,
  'session.change': change,
  'session.archive': archive,
  'plan.reset': (turn: PlanTurn, { order: given }: EventOf<'plan.reset'>) => void orderSteps(turn, given),
  'plan.close': (turn: PlanTurn) => turn.assign({ currentAgent: null }),
  'plan.log': (turn: PlanTurn, { entry }: EventOf<'plan.log'>) => void turn.record(PLAN_RECORDS.log, entry),
  'plan.begin': (turn: PlanTurn) =>
    void turn.send(turn.context.desk, { type: 'plan.opened', id: turn.context.id, plan: turn.self }),
} satisfies Rules<WorkPlanContext, WorkPlanEmitted>;

/** The agent of work plans. */
export const workPlan = ruledAgent({
  name: 'work-plan',
  version: 2,
  migrate: { 2: (old: WorkPlanContext): WorkPlanContext => ({ ...old, documents: table() }) },
  rules: RULES,
  context: ({ id, desk, steps, ...facts }: WorkPlanInput): WorkPlanContext => {
    const added = stepsAfter([], { type: 'step.add', steps: [...steps] as never }, 1);
    const first = 'problem' in added ? { steps: [], next: 1 } : added;
    return {
      ...{ id, desk, ...facts, steps: tableOf(first.steps), nextStep: first.next },
      ...{ status: 'active', seq: 0, recommended: null, currentAgent: null, lastHandoff: null },
      ...{ sessions: table(), notes: table(), noteCount: 0, documents: table() },
    };
  },
  entry: { type: 'plan.begin' },
  records: planRecords,
});

/** The steps of a work plan in their order. */
export function stepsIn({ steps }: { readonly steps: WholeTable<PlanStep> }): PlanStep[] {
  return [...rowsOf(steps)];
}

function tableOf(steps: readonly PlanStep[]): Table<PlanStep> {
  return steps.reduce((rows, step) => rows.set(numberKey(step.index), step), table<PlanStep>());
}

function readingOf(context: WorkPlanContext): PlanReading {
  const { id: plan, title, goals, status, seq, recommended, lastHandoff } = context;
  return { plan, title, goals, status, seq, recommended, lastHandoff, steps: stepsIn(context) };
}

/** The work plan for people and programs, without its actors. */
function glanceOf(context: WorkPlanContext) {
  const { desk: _, steps: __, sessions, notes, documents, nextStep: ___, noteCount: ____, ...facts } = context;
  const named = [...documents.values()].map(({ text: __text, ...one }) => one);
  return {
    ...{ ...facts, steps: stepsIn(context), sessions: [...sessions.values()], notes: [...notes.values()] },
    documents: named,
  };
}

function orderSteps(turn: PlanTurn, given: StepOrder): OrderReply {
  const before = stepsIn(turn.context);
  const after = stepsAfter(before, given, turn.context.nextStep);
  if ('problem' in after) return refused(after.problem);
  let { steps } = turn.context;
  for (const step of after.steps)
    if (JSON.stringify(steps.get(numberKey(step.index))) !== JSON.stringify(step))
      steps = steps.set(numberKey(step.index), planStep.parse(step));
  for (const { index } of before.slice(after.steps.length)) steps = steps.delete(numberKey(index));
  turn.assign({ steps, nextStep: after.next });
  return TAKEN;
}

function addNote(turn: PlanTurn, said: string, by: string): OrderReply {
  const { notes, noteCount } = turn.context;
  if (notes.size >= PLAN_NOTES_MAX) return refused(`a work plan has at most ${PLAN_NOTES_MAX} notes`);
  const note = { text: said, by, atMs: turn.nowMs };
  turn.assign({ notes: notes.set(numberKey(noteCount + 1), note), noteCount: noteCount + 1 });
  return TAKEN;
}

/** Opens a session: its role is at work, and a recommendation of that role has been followed. */
function openSession(turn: PlanTurn, { session, told }: EventOf<'session.open'>): void {
  const { sessions, recommended } = turn.context;
  turn.assign({ sessions: sessions.set(session.session, session), currentAgent: session.role });
  if (told !== undefined) turn.record(PLAN_RECORDS.prompts, promptRecord({ ...session, atMs: turn.nowMs }, told));
  if (recommended === session.role) turn.assign({ recommended: null });
  if (session.step !== null) setStatus(turn, session.step, 'active');
}

function setStatus(turn: PlanTurn, id: string, status: PlanStep['status']): void {
  if (!stepsIn(turn.context).some((step) => step.id === id)) return;
  orderSteps(turn, { type: 'step.update', id, set: { status }, note: null });
}

/** Appends to the lineage, and sets what is recommended. Nobody is spawned here. */
function handOff(turn: PlanTurn, { session: id, said, verified, from, replyTo }: EventOf<'session.handoff'>): void {
  const session = turn.context.sessions.get(id);
  const refuse = (...problems: string[]) => {
    turn.reply(replyTo, refused(...problems));
    turn.send(from, { type: 'handoff.refused', problems });
  };
  const accept = (seq: number) => {
    turn.reply(replyTo, { ...TAKEN, seq, recommended: turn.context.recommended });
    turn.send(from, { type: 'handoff.recorded', seq });
  };
  if (session === undefined) return refuse(`${id} is no open session`);
  // The same hand-off again, of a session that has not heard the reply.
  if (session.handoff !== null) return accept(session.handoff);
  const problems = handoffProblems(session, said);
  if (problems.length > 0) return refuse(...problems);
  const seq = turn.context.seq + 1;
  const { to, recommended, outcome, reason, data } = said;
  const entry: LineageEntry = {
    ...{ seq, atMs: turn.nowMs, plan: turn.context.id, run: session.run, session: id, from: session.role },
    ...{ to, recommended, outcome, reason, data, verified },
  };
  turn.record(PLAN_RECORDS.lineage, entry);
  turn.assign({
    seq,
    recommended: recommendationAfter(said),
    lastHandoff: entry,
    sessions: turn.context.sessions.set(id, { ...session, handoff: seq }),
  });
  turn.emit({ type: 'handoff.recorded', plan: turn.context.id, entry });
  accept(seq);
}

/** Closes a session, behind a hand-off or by order of its hub. */
function complete(turn: PlanTurn, { session: id, from, replyTo, ...said }: EventOf<'session.complete'>): void {
  const session = turn.context.sessions.get(id);
  // It has been closed before: whoever asks again has not heard of it.
  if (session === undefined) return turn.send(from, { type: 'session.completed', session: id });
  const problem = said.isForced ? undefined : completionProblem(session, turn.context.status === 'archived');
  if (problem !== undefined) {
    turn.reply(replyTo, refused(problem));
    return turn.send(from, { type: 'complete.refused', problems: [problem] });
  }
  const { outcome, isForced, summary, usage, artifacts, output = null } = said;
  const { role, handoff, run, parent, depth, step, startedAtMs, hub } = session;
  turn.record(PLAN_RECORDS.sessions, {
    ...{ session: id, run, plan: turn.context.id, role, parent, depth, step, startedAtMs, endedAtMs: turn.nowMs },
    ...{ outcome, handoff, isForced: isForced && handoff === null, summary, usage, artifacts },
    output,
  });
  const isArchived = turn.context.status === 'archived';
  turn.assign({ sessions: turn.context.sessions.delete(id), currentAgent: isArchived ? null : hub });
  turn.reply(replyTo, { ...TAKEN, outcome });
  turn.send(from, { type: 'session.completed', session: id });
}

/** Changes the plan in the name of a session, if its role may. */
function change(turn: PlanTurn, { session: id, order: given }: EventOf<'session.change'>): OrderReply {
  const session = turn.context.sessions.get(id);
  if (session === undefined) return refused(`${id} is no open session`);
  const { type } = given;
  const schema = Object.hasOwn(sessionChanges, type) ? sessionChanges[type] : undefined;
  if (schema === undefined) return refused(`order: there is no change "${type}"`);
  const { role } = session;
  const may = type === 'plan.archive' ? policyOf(role).mayArchive : policyOf(role).mayChangePlan;
  if (!may) {
    logRefusal(turn, session, `${role} may not change the work plan (${type})`);
    const whom = type === 'plan.archive' ? 'only the Archivist archives it' : 'say in your hand-off what should change';
    return refused(`${role} may not change the work plan: ${whom}`);
  }
  const { data, error } = schema.safeParse(given);
  if (error !== undefined) return refused(...error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
  return carryOut(turn, id, { ...(data as object), type } as ReadChange);
}

function carryOut(turn: PlanTurn, by: string, given: ReadChange): OrderReply {
  switch (given.type) {
    case 'note.add':
      return addNote(turn, given.text, by);
    case 'goals.set':
    case 'facts.set': {
      const { type: _, ...facts } = given;
      turn.assign(facts as Partial<WorkPlanContext>);
      return TAKEN;
    }
    case 'document.store': {
      const { name: named, text: said } = given;
      const { documents } = turn.context;
      if (documents.size >= PLAN_DOCUMENTS_MAX && !documents.has(nameKey(named)))
        return refused(`a work plan has at most ${PLAN_DOCUMENTS_MAX} documents`);
      const row = { name: named, text: said, by, atMs: turn.nowMs };
      turn.assign({ documents: documents.set(nameKey(named), row) });
      return TAKEN;
    }
    case 'plan.archive':
      return archiveBy(turn, by);
    default:
      return orderSteps(turn, given);
  }
}

/** Archives the plan, unless other sessions are at work than the one that orders it and its hubs. */
function archiveBy(turn: PlanTurn, by: string): OrderReply {
  const { sessions } = turn.context;
  const parent = sessions.get(by)?.parent;
  const others = [...sessions.values()].filter(
    ({ session, depth }) => session !== by && session !== parent && depth > 0,
  );
  if (others.length > 0) return refused(`${others.map(({ session }) => session).join(', ')}: still at work`);
  setArchived(turn, by);
  return TAKEN;
}

function setArchived(turn: PlanTurn, by: string): void {
  if (turn.context.status === 'archived') return;
  turn.assign({ status: 'archived', recommended: null });
  turn.emit({ type: 'plan.archived', plan: turn.context.id, by });
}

/** Archives the plan at the end of a session's work. */
function archive(turn: PlanTurn, { session, from }: EventOf<'session.archive'>): void {
  const { taken, problems } = change(turn, { type: 'session.change', session, order: { type: 'plan.archive' } });
  turn.send(from, taken ? { type: 'plan.archived' } : { type: 'archive.refused', problems });
}

function logRefusal(turn: PlanTurn, { session, run, role }: OpenSession, said: string): void {
  const { seq } = turn.context;
  const entry: PlanLogEntry = { kind: 'refused', atMs: turn.nowMs, run, session, role, seq, code: null, text: said };
  turn.record(PLAN_RECORDS.log, entry);
}
