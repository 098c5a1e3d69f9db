/**
 * Hub and spokes for hosts: connects the machines that decide (src/machines/hub) with the host's functions and commands
 * that do the work of sessions, and has the procedures by which clients start, watch and stop runs (docs/hub.md).
 */
import { type AnyEventObject, fromPromise } from 'xstate';
import { z } from 'zod';
import { type AnyAgent } from './actors/model/agent.ts';
import { procedure, type Procedures } from './actors/api/procedure.ts';
import { effectOf, type EffectFacts } from './actors/model/ref.ts';
import { BosunError } from './errors.ts';
import { lineageEntry } from './machines/hub/handoff.ts';
import { hubAgents, hubChildren, hubStart } from './machines/hub/hub-desk.ts';
import { type SessionReturned } from './machines/hub/handoff.ts';
import { handoffSchema } from './machines/hub/handoff-schema.ts';
import { promptToMend } from './machines/hub/prompt.ts';
import { type CommandEnd, type Used } from './machines/hub/report.ts';
import { hasEndedWell, reportHandoff } from './machines/hub/report-handoff.ts';
import { type Role } from './machines/hub/roles.ts';
import { nothingToDo } from './machines/hub/spoke.ts';
import { type Standing } from './machines/hub/standing.ts';
import { type SessionWork, workOutcome } from './machines/hub/spoke-state.ts';
import { planId, type SessionOrder } from './machines/hub/plan-changes.ts';
import { type WorkPlace } from './machines/hub/work-place.ts';
import { gateAgents, gateChildren } from './machines/people/gates/gate-desk.ts';
import { beginPlace, type FindErrors, lookAt, placePorts, type SessionPlaces } from './crew-hub-places.ts';
import { failureOf } from './machines/work/failure-tiers.ts';
import { DESKS } from './machines/desks.ts';
import { type BossOptions } from './supervisor/child-spec.ts';
import { disown, handled } from './user-code.ts';

/** The reply to an order of a session. */
export interface SessionReply {
  readonly taken: boolean;
  readonly problems: readonly string[];
  /** The session that was spawned. */
  readonly session?: string;
  /** Why a spawn was refused. */
  readonly because?: string;
}

/** The result of a session that was waited for. A refused one has no `outcome`. */
export interface SessionResult extends SessionReply {
  readonly outcome?: SessionReturned['outcome'];
  readonly handoff?: SessionReturned['handoff'];
  readonly summary?: string;
}

/** A wanted session. */
export interface Wanted {
  readonly role: Role;
  readonly task: string;
  /** Why the work plan changes, for a role that spawns at a pivot only. */
  readonly pivotReason?: string;
}

/** The tools that the work of a session has. They speak in the name of that session and of no other. */
export interface SessionTools {
  readonly signal: AbortSignal;
  readonly effectId: string;
  readonly attempt: number;
  /** Counts a step against the budget of the session. */
  step(): Promise<void>;
  /** A sign of life. */
  beat(): Promise<void>;
  /** Adds to what the session has used. */
  usage(used: { readonly tokens: number; readonly costUsd: number }): Promise<void>;
  /** Asks the hub to spawn. It decides by the role of this session: spokes are refused, on record. */
  spawn(wanted: Wanted): Promise<SessionReply>;
  /**
   * Spawns a session and waits until it has closed and control is back. A repeat with the same key, also after the end
   * of the host, is the same session. Refused as `spawn` is.
   */
  run(wanted: Wanted & { readonly key: string }): Promise<SessionResult>;
  /** Asks the work plan for a change. It decides by the role of this session. */
  change(order: SessionOrder): Promise<SessionReply>;
}

/**
 * The work of a session as a function. Its result has the hand-off: `{ handoff: { outcome,
 * recommended, reason } }`.
 */
export type SpokeFunction = (work: SessionWork, tools: SessionTools) => unknown;

/** A request to a model, which does the work of a session whose hand-off is all that it makes. */
export interface ModelRequest {
  readonly session: string;
  readonly role: Role;
  /** The prompt of the session, with the problems of the try before. */
  readonly prompt: string;
  /** The JSON Schema of the role's hand-off, for structured output. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** A model as a function: it answers with the hand-off, and with what it has used. */
export type ModelFunction = (
  request: ModelRequest,
) => Promise<{ readonly handoff: unknown; readonly usage?: Partial<Used> }>;

/** The work of a session whose agent is a command. */
export type CommandWork = SessionWork & {
  /** The script. */
  readonly run: string;
  /** Whether its exit code is the hand-off if it writes no file. */
  readonly byExit: boolean;
  /** Whether the session has handed off before its host ended: then its command ends, and does not begin again. */
  readonly isOver: boolean;
  /** Makes the place of the session: called before its command begins, and not for one that had ended already. */
  readonly begin: () => Promise<void>;
};

/** Runs the command of a session until it has ended. Rejects for one that failed without a hand-off. */
export type SessionRunner<Work extends SessionWork = CommandWork> = (
  work: Work,
  effect: EffectFacts,
  signal: AbortSignal,
) => Promise<CommandEnd>;

/** Services of a host for its hubs. */
export interface HubCrewOptions {
  /** Functions by the names that agents of a run use. */
  readonly functions?: Readonly<Record<string, SpokeFunction>>;
  /** Models by the names that agents of a run use. */
  readonly models?: Readonly<Record<string, ModelFunction>>;
  /** Runs commands. Default: commands are refused. */
  readonly runCommand?: SessionRunner;
  /** Calls tools of MCP servers, in a process like that of a command. Default: they are refused. */
  readonly callTool?: SessionRunner<Placed>;
  /** Ends the processes of a session at once. Default: they end as after any abort. */
  readonly kill?: (session: string) => Promise<void>;
  /** Where sessions work. Default: in the workspace itself, and nobody looks at what they change there. */
  readonly places?: SessionPlaces;
  /** Looks for errors when a session was interrupted. Default: nobody looks. */
  readonly check?: FindErrors;
  /** Whether the system has a gate desk from elsewhere. Default false: one comes with the hubs. */
  readonly hasGates?: boolean;
}

/**
 * Returns the options with which createSystem runs hubs: `createSystem({ ...hubCrew(options), store })`. The desk is at
 * the address `hubs`, work plans are under `work-plans`.
 */
export function hubCrew(options: HubCrewOptions = {}): {
  readonly agents: readonly AnyAgent[];
  readonly tree: BossOptions;
} {
  const { hasGates = false, kill, places, check } = options;
  const ports = {
    work: fromPromise<unknown, SessionWork>(({ input, self, signal }) =>
      workOf(input, effectOf(self), signal, options),
    ),
    ...placePorts(places, check),
    kill:
      kill === undefined ? nothingToDo : fromPromise<unknown, WorkPlace>(({ input }) => handled(kill(input.session))),
  };
  const agents = [...(hasGates ? [] : gateAgents), ...hubAgents(ports)];
  const children = [...(hasGates ? [] : gateChildren()), ...hubChildren()];
  return { agents, tree: { children } as BossOptions };
}

/** One try of a session's work. It reports its failure, of which the store keeps less. */
async function workOf(
  work: SessionWork,
  facts: EffectFacts,
  signal: AbortSignal,
  options: HubCrewOptions,
): Promise<unknown> {
  try {
    return await resultOf(work, facts, signal, options);
  } catch (error) {
    // It may be a promise itself, or hold some.
    disown(error);
    await facts.tellParent({ type: 'session.failed', failure: failureOf(error) } as AnyEventObject);
    throw error;
  }
}

async function resultOf(
  work: SessionWork,
  facts: EffectFacts,
  signal: AbortSignal,
  options: HubCrewOptions,
): Promise<unknown> {
  const before = facts.attempt > 1 ? await standingIn(facts) : undefined;
  // What is on record stands.
  if (before !== undefined && before.handoff !== null) return {};
  const isOver = before?.isHeld === true;
  const { places } = options;
  // The hub of a run changes nothing itself, and a session outside works where it is.
  if (places === undefined || work.session === work.runId || work.spec.does.kind === 'outside')
    return await saidBy({ ...work, isOver, begin: () => Promise.resolve() }, facts, signal, options);
  const workspace = await places.directoryOf(work);
  const placed = { ...work, workspace, isOver, begin: () => beginPlace(places, work) };
  const said = await saidBy(placed, facts, signal, options);
  return typeof said === 'object' ? { ...said, ...(await lookAt(places, work)) } : said;
}

type Placed = SessionWork & Pick<CommandWork, 'isOver' | 'begin'>;

/** The result of the work in its place. */
async function saidBy(
  placed: Placed,
  facts: EffectFacts,
  signal: AbortSignal,
  { functions = {}, models = {}, runCommand, callTool }: HubCrewOptions,
): Promise<unknown> {
  const { isOver, begin, ...work } = placed;
  const { does } = work.spec;
  if (does.kind === 'outside') return await new Promise((_, reject) => rejectAtEnd(signal, reject));
  if (does.kind === 'mcp') {
    if (callTool === undefined) throw missing('this host calls no tools of MCP servers');
    return endedBy(await handled(callTool(placed, facts, signal)), work, facts);
  }
  if (does.kind === 'command') {
    if (runCommand === undefined) throw missing('this host runs no commands');
    const command = { ...placed, run: does.run, byExit: does.handoff !== 'file' };
    return endedBy(await handled(runCommand(command, facts, signal)), work, facts);
  }
  const given = givenBy<SpokeFunction | ModelFunction>(
    does.kind === 'function' ? functions : models,
    `${does.kind} "${does.name}"`,
    does.name,
  );
  if (isOver) return {};
  await begin();
  if (does.kind === 'model') return answerOf(given as ModelFunction, work, signal);
  return handled((given as SpokeFunction)(work, toolsOf(facts, signal)));
}

/** The result of a session by the end of its command. Rejects for one that has failed. */
async function endedBy(end: CommandEnd, work: SessionWork, facts: EffectFacts): Promise<unknown> {
  const { used: usage, summary } = end;
  if ('failed' in end) {
    const { handoff, isHeld } = await standingIn(facts);
    // Handed off by its token, it has done its work.
    if (handoff !== null || isHeld) return { usage };
    if (usage !== undefined) await facts.tellParent({ type: 'session.usage', ...usage } as AnyEventObject);
    throw new Error(end.failed);
  }
  if ('flaw' in end) return { flaws: [end.flaw], usage };
  if (end.exitCode === undefined) {
    const ending = { summary, ...completion.catch({}).parse(end.said) };
    return { handoff: end.said, archives: work.role === 'Archivist', usage, ...ending };
  }
  const { does } = work.spec as { does: { run: string; handoff: string } };
  const { exitCode, report = null, unread = 'this host reads no reports' } = end;
  const isRead = does.handoff === 'exit' || report !== null;
  const ended = { command: does.run, exitCode, report, ...(!isRead && { unread }) };
  const build = { command: does.run.slice(0, 2_000), exitCode };
  // The work of an Archivist is to archive: its command has said whether the plan is ready for that.
  return { handoff: reportHandoff(work, ended), archives: hasEndedWell(ended), build, usage };
}

/** The result of a session by the answer of its model. */
async function answerOf(model: ModelFunction, work: SessionWork, signal: AbortSignal): Promise<unknown> {
  const { session, role, hub, problems } = work;
  const request = { session, role, prompt: promptToMend(work.prompt, problems), schema: handoffSchema({ role, hub }) };
  const answer = (await handled(model({ ...request, signal }))) as Awaited<ReturnType<ModelFunction>> | undefined;
  return { handoff: answer?.handoff, usage: answer?.usage, archives: role === 'Archivist' };
}

function givenBy<Given>(all: Readonly<Record<string, Given>>, what: string, name: string): Given {
  if (!Object.hasOwn(all, name)) throw missing(`no ${what} is given`);
  return all[name]!;
}

/** Fields of a hand-off's file about the end of the session, which `bosun session complete` adds. */
const { summary, artifacts } = workOutcome.shape;
const completion = z.object({ summary: summary.unwrap(), artifacts: artifacts.unwrap() }).partial();

/** The session as it stands: it may have handed off in a start of its work before the end of a host. */
async function standingIn({ parent, ask }: EffectFacts): Promise<Pick<Standing, 'handoff' | 'isHeld'>> {
  return (await ask({ to: parent!, event: { type: 'session.get' } })) as Standing;
}

/** Ends work that is done elsewhere when its session no longer waits for it. */
function rejectAtEnd(signal: AbortSignal, reject: (reason: Error) => void): void {
  signal.addEventListener('abort', () => reject(new Error('the session waits no longer')), { once: true });
}

/** A failure that no other try can mend. */
function missing(what: string): Error {
  return Object.assign(new BosunError('BOSUN_CONFIG_INVALID', what), { errorType: 'configuration_error' });
}

/** The longest wait for one session, as long as its longest try: a day. */
const RUN_MS = 24 * 60 * 60_000;

function toolsOf(facts: EffectFacts, signal: AbortSignal): SessionTools {
  const { effectId, attempt, parent } = facts;
  const tell = (event: AnyEventObject) => facts.tellParent(event);
  const ask = async (event: AnyEventObject, timeoutMs?: number) =>
    (await facts.ask({ to: parent!, event, ...(timeoutMs !== undefined && { timeoutMs }) })) as SessionReply;
  const spawn = ({ pivotReason = null, ...wanted }: { pivotReason?: string | null }) => ({
    ...{ type: 'session.spawn', ...wanted, pivotReason },
  });
  return {
    ...{ signal, effectId, attempt },
    step: () => tell({ type: 'session.step' }),
    beat: () => tell({ type: 'session.beat' }),
    usage: (used) => tell({ type: 'session.usage', ...used }),
    spawn: (wanted) => ask(spawn(wanted)),
    run: (wanted) => {
      // A caller without types may leave it out, and would spawn again after each end of its host.
      if (typeof wanted.key !== 'string') throw new TypeError('run needs a key, which makes a repeat the same session');
      return ask({ ...spawn(wanted), waits: true }, RUN_MS);
    },
    change: (order) => ask({ type: 'session.change', order }),
  };
}

const run = z.string().max(200).describe('`run` of `hub.start`: `R-1`.');
const by = z.string().min(1).max(200).describe('The name of the person.');
const taken = z.object({ taken: z.boolean(), problems: z.array(z.string()) });
const aRun = z.looseObject({ id: z.string(), plan: z.string(), status: z.string(), because: z.string() });
const TAKEN = { taken: true, problems: [] };
const ROW = { id: 'R-1', plan: 'WP-1', status: 'running', because: 'the run begins' };

const hub = (type: string, fields: object) => ({ address: DESKS.hubs, event: { type, ...fields } });

/** Procedures for createGateway, where the system runs hubs. */
export const hubProcedures = {
  'hub.start': procedure({
    means: 'Starts a run: a hub that spawns agents for a work plan, reads their hand-offs and decides.',
    params: hubStart,
    result: taken.extend({ run: z.string().nullable(), plan: z.string().nullable() }),
    http: { verb: 'POST', path: '/v1/hubs' },
    example: {
      p: {
        about: { title: 'Mend the parser' },
        workspace: '/shop',
        agents: { Executor: { does: { kind: 'command', run: 'make fix', handoff: 'exit' } } },
      },
      r: { ...TAKEN, run: 'R-1', plan: 'WP-1' },
    },
    ask: (asked) => hub('hub.start', asked),
  }),
  'hub.list': procedure({
    means: 'Runs in the order of their starts.',
    does: 'nothing',
    params: z.object({ is_open: z.boolean().optional() }),
    result: z.object({ runs: z.array(aRun) }),
    example: { p: { is_open: true }, r: { runs: [ROW] } },
    ask: ({ is_open }) => hub('hub.list', is_open === undefined ? {} : { isOpen: is_open }),
  }),
  'hub.show': procedure({
    means: 'How one run stands, and why.',
    does: 'nothing',
    params: z.object({ run }),
    result: z.object({ run: aRun.nullable() }),
    example: { p: { run: 'R-1' }, r: { run: ROW } },
    ask: (asked) => hub('hub.show', asked),
  }),
  'hub.lineage': procedure({
    means: 'Hand-offs of a work plan, the first ones first.',
    params: z.object({
      plan: planId,
      after: z.int().nonnegative().optional().describe('`next` of the page before.'),
      limit: z.int().min(1).max(1_000).default(100),
    }),
    result: z.object({ lineage: z.array(lineageEntry), next: z.int().nullable() }),
    mcp: { tool: 'show_lineage', profiles: ['hub'], isDetail: true },
    example: { p: { plan: 'WP-1' }, r: { lineage: [], next: null } },
    read: async ({ plan, after, limit }, reader) => {
      const page = { limit, ...(after !== undefined && { after }) };
      const { records, next } = await reader.records(`${DESKS.workPlans}/${plan}`, 'lineage', page);
      return { lineage: records.map(({ value }) => value as z.input<typeof lineageEntry>), next };
    },
  }),
  'hub.stop': procedure({
    means: 'Stops a run: `graceful` lets sessions finish, `immediate` ends them, `terminated` kills them.',
    params: z.object({ run, by, level: z.enum(['graceful', 'immediate', 'terminated']).default('graceful') }),
    result: taken,
    example: { p: { run: 'R-1', by: 'ada' }, r: TAKEN },
    ask: (asked) => hub('hub.stop', asked),
  }),
  'hub.resume': procedure({
    means: 'Has a run that waits for people ask again.',
    params: z.object({ run, by }),
    result: taken,
    example: { p: { run: 'R-1', by: 'ada' }, r: TAKEN },
    ask: (asked) => hub('hub.resume', asked),
  }),
  'plan.get': procedure({
    means: 'A work plan: its steps, open sessions, and whom the last hand-off recommends.',
    does: 'nothing',
    params: z.object({ plan: planId }),
    result: z.looseObject({ id: z.string(), title: z.string(), status: z.string() }),
    mcp: { tool: 'show_work_plan', profiles: ['hub'], isDetail: true },
    example: { p: { plan: 'WP-1' }, r: { id: 'WP-1', title: 'Mend the parser', status: 'active' } },
    ask: ({ plan }) => ({ address: `${DESKS.workPlans}/${plan}`, event: { type: 'plan.get' } }),
  }),
} satisfies Procedures;
