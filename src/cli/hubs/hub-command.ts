/**
 * `bosun hub run FILE`: carries out a run in a data directory, or goes on with it. The name of the run is the id of its
 * work plan, so that the same file in the same directory is the same run. Each line is printed after its epoch is
 * durable.
 */
import { isDeepStrictEqual } from 'node:util';
import { type EventObject } from 'xstate';
import { ROOT } from '../../actors/model/address.ts';
import { systemClock } from '../../clock.ts';
import { hubCrew } from '../../crew-hub.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { unawaitedLine } from '../../log.ts';
import { type LineageEntry } from '../../machines/hub/handoff.ts';
import { type HubDeskContext, type HubStarted, type RunRecord } from '../../machines/hub/hub-desk.ts';
import { type HubOrder } from '../../machines/hub/hub-file.ts';
import { type HubContext } from '../../machines/hub/hub-state.ts';
import { type GateContext } from '../../machines/people/gates/gate.ts';
import { type GateDeskContext } from '../../machines/people/gates/gate-desk.ts';
import { DESKS } from '../../machines/desks.ts';
import { levelStore } from '../../persistence/store/level-store.ts';
import { Shard } from '../../shard.ts';
import { type DataDirectory, hasStore, onHold, OpenDirectory, OUTAGE_MS } from '../store/data-directory.ts';
import { carriedOut, EXIT, type ExitCode } from '../exit-codes.ts';
import { HubDoor, isOutside } from './hub-door.ts';
import { type HubSource, readHubFile } from './hub-file.ts';
import { type HubReporter, hubReporter, type HubTold, type OpenQuestion, questionText } from './hub-report.ts';
import { lastRunOf, lineageOf, questionsOf, runsIn } from './hub-runs.ts';
import { invocationOf } from '../invocation.ts';
import { secretKeysOf } from '../store/secret-keys.ts';
import {
  dropSessionFiles,
  dropTrees,
  refuseForeignFolders,
  sessionRunner,
  type SessionRunner,
} from './session-runner.ts';
import { sessionKeyIn } from '../sessions/session-key.ts';
import { aborted, type DataCommand, type Environment, logTo, type OnUnawaited } from '../surroundings.ts';

export interface HubRunCommand extends DataCommand {
  readonly file: string;
  /** Whether to begin anew, dropping the store in the directory. */
  readonly fresh: boolean;
  /** Whether to keep running while people are asked. */
  readonly wait: boolean;
  readonly trustWallClock: boolean;
  /** Whether to open a gateway for the time of the run; `port` defaults to 4180. */
  readonly door?: { readonly port: number | undefined } | undefined;
  /** The person who has a run that waits ask again. */
  readonly by: string;
  /** Aborted when the user interrupts. */
  readonly interrupt: AbortSignal;
  readonly onUnawaited: OnUnawaited | undefined;
}

/** A run in a stopped store. */
interface HeldRun {
  readonly row: RunRecord;
  readonly lineage: readonly LineageEntry[];
  /** Sessions that were at work when its process ended: `R-1-1 (Executor)`. */
  readonly open: readonly string[];
}

/** Carries out a run. Resolves to the exit code. Rejects for internal errors only. */
export function hubRunCommand(command: HubRunCommand): Promise<ExitCode> {
  return carriedOut(command, () => run(command), { BOSUN_WORKERS_CHANGED: EXIT.badInput });
}

async function run(command: HubRunCommand): Promise<ExitCode> {
  const log = logTo(command.err);
  command.onUnawaited?.((reason) => log(unawaitedLine(reason)));
  const source = await readHubFile(command);
  const directory = await OpenDirectory.open(command, log);
  refuseForeignFolders(directory);
  const held = await heldRun(command, directory, source);
  const reporter = hubReporter(command);
  if (held?.row.isOver !== true) return carryOut(command, directory, { source, held, reporter });
  const again = `${invocationOf(command.env).again('--fresh')}, which removes the store in the directory`;
  reporter.talk(`${source.plan}: ${held.row.id} is over. To begin anew: ${again}.`);
  reporter.result(held.row, held.lineage);
  return codeOf(held.row);
}

function codeOf({ status }: Pick<RunRecord, 'status'>): ExitCode {
  if (status === 'completed') return EXIT.completed;
  return status === 'failed' || status === 'stopped' ? EXIT.failed : EXIT.paused;
}

/**
 * The run of the file in the directory; undefined if it has none, or is to begin anew. Rejects with
 * BOSUN_CONFIG_INVALID if another system or the open run of another file is there, or if the file has changed.
 */
async function heldRun(
  { fresh, env, err }: HubRunCommand,
  directory: DataDirectory,
  source: HubSource,
): Promise<HeldRun | undefined> {
  if (!hasStore(directory)) return undefined;
  try {
    const options = { log: logTo(err), agents: hubCrew().agents, env };
    return await onHold(directory, options, (system) => heldIn(system, directory, { source, fresh }));
  } catch (error) {
    const isDamaged = isBosunError(error, 'BOSUN_STORE_DAMAGED') || isBosunError(error, 'BOSUN_STORE_FORMAT');
    // Beginning anew is also the remedy for such a store.
    if (fresh && isDamaged) return undefined;
    throw error;
  }
}

async function heldIn(
  system: Shard,
  directory: DataDirectory,
  { source, fresh }: { readonly source: HubSource; readonly fresh: boolean },
): Promise<HeldRun | undefined> {
  const { file, plan, order } = source;
  // A process that was killed while creating the store leaves one without a root.
  if (system.snapshot(ROOT) === undefined) return undefined;
  refuseStrangers(directory, system);
  if (fresh) return undefined;
  const runs = runsIn(deskIn(system));
  const other = runs.find((row) => row.plan !== plan && !row.isOver);
  if (other !== undefined)
    throw new BosunError(
      'BOSUN_CONFIG_INVALID',
      `${directory.path} holds the run ${other.id} of "${other.plan}", which is not over: finish it, or name another ` +
        '--data directory',
    );
  const row = lastRunOf(runs, plan);
  if (row === undefined) return undefined;
  const hub = system.snapshot(`${DESKS.openHubs}/${row.id}`)?.context as HubContext | undefined;
  const changed = hub === undefined ? [] : changedSince(hub, order);
  const open = [...(hub?.open.values() ?? [])].map(({ session, role }) => `${session} (${role})`);
  if (changed.length === 0) return { row, lineage: await lineageIn(system, plan), open };
  throw new BosunError(
    'BOSUN_CONFIG_INVALID',
    `${file} has changed since ${row.id} began: ${changed.join(', ')}. Put it back, or begin anew with --fresh`,
  );
}

function lineageIn(system: Shard, plan: string): Promise<LineageEntry[]> {
  return lineageOf(plan, (address, name, which) => system.records.list(address, name, which));
}

/** Refuses a store with actors of another system, which the tree of the hubs would end. */
function refuseStrangers({ path }: DataDirectory, system: Shard): void {
  const known = new Set(hubCrew().tree.children!.map(({ id }) => id));
  const strangers = system.tree().children.filter(({ address }) => !known.has(address));
  if (strangers.length === 0) return;
  throw new BosunError(
    'BOSUN_CONFIG_INVALID',
    `${path} holds actors of another system, such as ${strangers[0]!.address}: name another --data directory`,
  );
}

/** Fields of the order that a hub keeps as they were. */
const FIELDS = ['hub', 'task', 'start', 'workspace', 'agents', 'decides', 'people', 'cycles', 'limits'] as const;

/** The fields of the file that differ from what a hub was born with. People may have given it more room since. */
function changedSince(hub: HubContext, order: HubOrder): string[] {
  const spawns = Math.max(hub.limits.spawns, order.limits.spawns);
  const { bornAgents: agents = hub.agents } = hub;
  const before = { ...hub, agents, hub: hub.role, limits: { ...hub.limits, spawns } };
  const now = { ...order, limits: { ...order.limits, spawns: hub.limits.spawns } };
  const differs = (key: (typeof FIELDS)[number]) => !isDeepStrictEqual(before[key], now[key]);
  return FIELDS.filter(differs).map((key) => ({ hub: 'role', task: 'goal' })[key as string] ?? key);
}

interface Parts {
  readonly source: HubSource;
  readonly held: HeldRun | undefined;
  readonly reporter: HubReporter;
}

async function carryOut(command: HubRunCommand, directory: OpenDirectory, parts: Parts): Promise<ExitCode> {
  const { source, reporter, held } = parts;
  const { env, fresh, interrupt } = command;
  // Tells functions and commands the directory for files of their own.
  env['BOSUN_DATA_DIR'] = directory.path;
  const key = await sessionKeyIn(directory, fresh);
  const hasDoor = command.door !== undefined || isOutside(source);
  const door = hasDoor ? new HubDoor({ port: command.door?.port, key, err: command.err }) : undefined;
  const sessions = sessionRunner(directory, { env, order: source.order, source, key, url: door?.url });
  const system = hubSystem(command, directory, { source, sessions });
  const awake = systemClock.setTimeout(() => {}, Infinity);
  const halt = async () => {
    await door?.close();
    await system.stop();
    await sessions.ended();
  };
  const watching = system.onEmitted((_, event) => tell(command, reporter, { system, event }));
  try {
    await door?.prepare(system, directory, sessions);
    if (fresh) await directory.remove(() => sessions.clear());
    // Files of hand-offs without their store would be those of sessions to come.
    if (!hasStore(directory)) {
      await dropSessionFiles(directory);
      await dropTrees(directory, source.order.workspace);
    }
    reporter.talk(greeting(command, parts));
    for (const line of missingVariables(source, env)) reporter.talk(line);
    await system.start();
    void sessions.clear();
    const url = await door?.open();
    if (url !== undefined) reporter.talk(`Live while it runs: ${url}/#token=${door!.pageToken}`);
    const id = await begun(command, system, { source, held });
    await sessions.sweep((session) => isOpenIn(system, id, session));
    await offerToken(system, { id, source, key, url, reporter });
    const outcome = await Promise.race([
      settled(system, id, command.wait),
      Promise.race([aborted(interrupt), system.closed]).then(() => 'interrupted' as const),
    ]);
    const stand = outcome === 'interrupted' ? undefined : await standOf(system, id, source);
    if (stand !== undefined) await sessions.sweep((session) => isOpenIn(system, id, session));
    // Stopping makes everything durable before the result is printed.
    await halt();
    return conclude(command, reporter, stand);
  } finally {
    watching.unsubscribe();
    await halt();
    awake();
  }
}

function hubSystem(
  { env, err, trustWallClock }: HubRunCommand,
  directory: DataDirectory,
  { source, sessions }: { readonly source: HubSource; readonly sessions: SessionRunner },
): Shard {
  const { runCommand, callTool, kill, places, check } = sessions;
  const { functions } = source;
  const { agents, tree } = hubCrew({ functions, models: functions, runCommand, callTool, kill, places, check });
  return new Shard({
    agents,
    store: levelStore(directory.store),
    // A run whose desk cannot go on has failed, and ends with the code that says so.
    tree: { ...tree, escalates: true },
    log: logTo(err),
    outageMs: OUTAGE_MS,
    trustWallClock,
    ...secretKeysOf(env),
  });
}

/** Whether a session works, or is one that people are asked about. */
function isOpenIn(system: Shard, id: string, session: string): boolean {
  const hub = system.snapshot(`${DESKS.openHubs}/${id}`)?.context as HubContext | undefined;
  return hub?.open.has(session) === true || hub?.interrupted?.session === session;
}

interface Tokens {
  readonly key: Uint8Array;
  /** The URL of the gateway, if one is open. */
  readonly url: string | undefined;
}

/** Tells how somebody outside decides in the hub, if nobody else does. */
async function offerToken(
  system: Shard,
  { id, source, key, url, reporter }: Pick<Parts, 'source' | 'reporter'> & Tokens & { readonly id: string },
): Promise<void> {
  const { hub: role, decides } = source.order;
  if (url === undefined || decides.kind !== 'outside' || rowOf(deskIn(system), id)?.isOver !== false) return;
  const { sessionToken } = await import('../../crew-hub-sessions.ts');
  const token = await sessionToken(key, { session: id, run: id, plan: source.plan, role });
  reporter.token({ run: id, role, url, token });
}

function deskIn(system: Shard): HubDeskContext | undefined {
  return system.snapshot(DESKS.hubs)?.context as HubDeskContext | undefined;
}

/** Starts the run, or has one that waits ask again. Resolves to its id. */
async function begun(
  { by }: HubRunCommand,
  system: Shard,
  { source, held }: Pick<Parts, 'source' | 'held'>,
): Promise<string> {
  if (held !== undefined) {
    const { id } = held.row;
    // Orders that were left in the store come first.
    await system.idle();
    if (rowOf(deskIn(system), id)?.status === 'paused')
      await system.ask(DESKS.hubs, { type: 'hub.resume', run: id, by });
    await system.idle();
    return id;
  }
  const started = await system.ask<HubStarted>(DESKS.hubs, { type: 'hub.start', ...source.order });
  if (started.run !== null) return started.run;
  throw new BosunError('BOSUN_ORDER_REFUSED', `the run was refused: ${started.problems.join('; ')}`);
}

function rowOf(desk: HubDeskContext | undefined, id: string): RunRecord | undefined {
  return runsIn(desk).find((row) => row.id === id);
}

/** Resolves when the run is over, or, unless `wait`, when it waits for people. */
async function settled(system: Shard, id: string, wait: boolean): Promise<void> {
  const hubs = system.actor(DESKS.hubs);
  const row = (context: unknown) => rowOf(context as HubDeskContext, id);
  const over = hubs.waitFor(({ context }) => row(context)?.isOver === true);
  if (wait) return void (await over);
  const paused = hubs.waitFor(({ context }) => row(context)?.status === 'paused');
  const asks = system
    .actor(DESKS.gates)
    .waitFor(({ context }) => questionsOf(context as GateDeskContext, id).length > 0);
  await Promise.race([over, paused, asks]);
}

/** The run when the command ends. */
interface Stand {
  readonly row: RunRecord;
  readonly questions: readonly OpenQuestion[];
  readonly lineage: readonly LineageEntry[];
}

async function standOf(system: Shard, id: string, source: HubSource): Promise<Stand> {
  await system.idle();
  return {
    row: rowOf(deskIn(system), id)!,
    questions: questionsIn(system, id),
    lineage: await lineageIn(system, source.plan),
  };
}

/** The open questions of a run with their material; nothing of that before its gate has begun. */
function questionsIn(system: Shard, run: string): OpenQuestion[] {
  const gates = system.snapshot(DESKS.gates)?.context as GateDeskContext;
  return questionsOf(gates, run).map((gate) => {
    const { question } = (system.snapshot(`${DESKS.openGates}/${gate.id}`)?.context ?? {}) as Partial<GateContext>;
    return { ...gate, about: (question?.package ?? {}) as OpenQuestion['about'] };
  });
}

/** Reports an event of the run. The reason of a spawn is that of the hub's decision, which the hub knows. */
function tell(command: HubRunCommand, reporter: HubReporter, { system, event }: { system: Shard; event: EventObject }) {
  const told = event as HubTold;
  if (told.type !== 'spoke.spawned') reporter.told(told);
  if (command.wait && told.type === 'gate.opened')
    for (const question of questionsIn(system, told['stage'] as string)) reporter.talk(questionText(question, command));
  if (told.type !== 'spoke.spawned') return;
  const hub = system.snapshot(`${DESKS.openHubs}/${String(told['run'])}`)?.context as HubContext | undefined;
  const session = hub?.open.get(told['session'] as string);
  reporter.told(session?.depth === 1 ? { ...told, because: hub!.because } : told);
}

function conclude(command: HubRunCommand, reporter: HubReporter, stand: Stand | undefined): ExitCode {
  if (stand === undefined) {
    const without = command.fresh ? ' without --fresh' : '';
    reporter.talk(`interrupted; all hand-offs so far are kept. The same command${without} continues from here.`);
    return EXIT.interrupted;
  }
  const { row, questions, lineage } = stand;
  reporter.result(row, lineage);
  for (const question of questions) reporter.talk(`${questionText(question, command)}\nThen run again.`);
  if (row.status === 'paused')
    reporter.talk(`${row.id} is paused: nobody answered. To have it ask again, run the same command.`);
  return codeOf(row);
}

/** Lines about variables that agents name and that are not set. */
function missingVariables({ order: { agents } }: HubSource, env: Environment): string[] {
  return Object.entries(agents).flatMap(([role, { does }]) => {
    const missing = ('env' in does ? (does.env ?? []) : []).filter((name) => env[name] === undefined);
    return missing.length === 0 ? [] : [`agents.${role}.env: not set here: ${missing.join(', ')}.`];
  });
}

function greeting({ env, door, fresh, data }: HubRunCommand, { source, held }: Parts): string {
  const left = held === undefined || held.open.length === 0 ? '' : ` with ${held.open.join(', ')}, left at work`;
  const place = held === undefined ? 'begins' : `${held.row.id} goes on${left}`;
  const live = door === undefined ? ` To look at it live: ${invocationOf(env).again('--serve')}.` : '';
  const again = `The same command${fresh ? ' without --fresh' : ''} continues`;
  return `${source.plan}: ${place}. State is kept in ${data}: stop or kill it at any moment. ${again}.${live}`;
}
