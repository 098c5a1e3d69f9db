/**
 * Rebuilds the population from what the journal recovered, brings every actor to the code of today or suspends it, and
 * enters the second start of every live effect. No actor keeps the others from starting: one that the code cannot read is
 * left as it is on disk, and so is what belongs to it (design P12).
 */
import { BosunError, messageOf } from '../errors.ts';
import { type AskRow } from './talk/asks.ts';
import { type AuditRow } from './administration/audit.ts';
import { type Bosses } from './bosses.ts';
import { Cell, type Held, imageOf } from './cell.ts';
import { type DeadLetterRow } from './mailbox/dead-letters.ts';
import { restoreDeferred } from './mailbox/deferral.ts';
import { type Definition } from './engine.ts';
import { type Effects } from './effects/effects.ts';
import { deepFreeze } from './frozen.ts';
import { concealedIn, keyMissing } from './locked.ts';
import { type NameRow } from './talk/groups.ts';
import { type Message, messageFromRow, type MessageRow } from './message.ts';
import { applyMigration, type Migration, prepareMigration } from './versions/migration.ts';
import { type Outbox } from './effects/outbox.ts';
import { Concealed, type Recovered } from './ports.ts';
import { suspicion } from './turn/quarantine.ts';
import { type Roster } from './versions/roster.ts';
import { ordered } from './epoch/rows.ts';
import { type ActorState, type Identity, UNBORN } from './state.ts';
import { isPlannedBy, scheduleNameOf, skipped } from './time/schedules.ts';
import { newTimer, restoredDeadline, type Timer, timerFromRow, type TimerRow } from './time/timers.ts';
import { policyOf } from './time/timing.ts';
import { type Reading, readingOf } from './versions/versions.ts';
import { type World } from './world.ts';

/** How an actor is read; `refused` with the report that it is suspended for. */
export type Verdict =
  | Exclude<Reading<Definition>, { kind: 'refused' }>
  | { readonly kind: 'refused'; readonly error: BosunError }
  /** It has ended: there is nothing to go on with. */
  | { readonly kind: 'over' };

/** What `repopulate` found, for `goOn`. */
export interface Population {
  readonly verdicts: Map<Cell, Verdict>;
  /** Timers, as they were on disk. */
  readonly armed: readonly { readonly owner: Cell; readonly timer: Timer }[];
}

/**
 * @param hold Nothing will run: only what a reader could be misled by is suspended. Often the code has not all the agents.
 */
export function repopulate(
  world: World,
  outbox: Outbox,
  recovered: Recovered,
  { roster, hold }: { roster: Roster; hold: boolean },
): Population {
  const verdicts = new Map<Cell, Verdict>();
  // Those whose identity itself is damaged: only the address is known, if that.
  for (const [life, problem] of recovered.unreadable) {
    if (!recovered.rows.get('i')?.has(ordered(life))) world.withhold({ life, address: problem.details['address'] as string | undefined }, problem);
  }
  // In order of birth: a parent is always born before its children.
  for (const row of recovered.rows.get('i')?.values() ?? []) {
    const identity = row as Identity;
    if (identity.parent !== 0 && !world.cells.has(identity.parent)) withhold(world, identity);
    else {
      const { cell, verdict } = populate(world, recovered, identity, { roster, verdicts });
      verdicts.set(cell, verdict);
    }
  }
  for (const [cell, verdict] of verdicts) verdicts.set(cell, rehydrate(world, cell, verdict, roster));
  for (const [cell, verdict] of verdicts) if (verdict.kind === 'refused' && !(hold && isForShow(cell, verdict.error))) suspend(cell, verdict.error);
  for (const [key, row] of recovered.rows.get('b') ?? []) tabulate(world, key, row);
  deliver(world, recovered.rows.get('m') ?? []);
  for (const [key, row] of recovered.rows.get('f') ?? []) recount(world, parseInt(key, 16), row as number | readonly [number, number]);
  for (const [key, row] of recovered.rows.get('k') ?? []) keep(world, parseInt(key, 16), row as readonly [string, number, unknown]);
  for (const [key, row] of recovered.rows.get('o') ?? []) outbox.load(parseInt(key, 16), deepFreeze(row as never));
  loadTalk(world, recovered);
  world.tracing.kept.load(recovered.rows.get('j') ?? new Map());
  for (const [key, row] of recovered.rows.get('u') ?? []) holdAgainst(world, parseInt(key, 16), row as Held);
  return { verdicts, armed: [...(recovered.rows.get('t') ?? [])].flatMap(([key, row]) => ownedTimer(world, parseInt(key, 16), row as TimerRow)) };
}

/** Migrates, then lets everything go on that can. Gives whether something was migrated. Throws why the root Boss cannot be read: without it nothing runs. */
export function goOn(world: World, { verdicts, armed }: Population, roster: Roster, { bosses, effects }: { bosses: Bosses; effects: Effects }): boolean {
  for (const [cell, verdict] of verdicts) if (!cell.gone) bringForward(world, cell, verdict, { roster, bosses });
  const run = { lastMs: world.time.lastMs, nowMs: world.time.nowMs(), setBackMs: world.time.setBackMs };
  for (const { owner, timer } of armed) {
    if (timer.gone) continue;
    // Of what the code cannot read nothing comes up; its rows stay.
    if (owner.isUnreadable) world.agenda.timers.remove(timer);
    else world.agenda.replace(owner, timer, restored(world, owner, timer, run));
  }
  for (const cell of [...world.cells.values()]) {
    if (cell.parent === undefined && cell.isUnreadable) throw cell.suspension!;
    if (cell.isUnreadable) continue;
    if (cell.snapshot !== undefined && (cell.state.status === 'active' || cell.state.status === 'error')) world.agenda.plan(cell);
    if (cell.definition.isEffect && cell.state.status === 'active') effects.resume(cell);
    if (cell.held !== undefined && cell.held.restart !== null) bosses.makeUp(cell, cell.held.restart);
    world.schedule(cell);
  }
  return [...verdicts.values()].some(({ kind }) => kind === 'migrates');
}

/** What a migration would come to. Throws BOSUN_AGENT_UNREADABLE. */
export function tryMigration(world: World, cell: Cell, verdict: Extract<Verdict, { kind: 'migrates' }>, { definitions }: Roster): Migration {
  const { configuration } = cell.state;
  const stored = configuration === null ? undefined : definitions.table(cell.identity.definition).at(configuration);
  try {
    return prepareMigration(world, cell, stored, verdict.steps);
  } catch (error) {
    throw unreadable(cell.identity, cell.definition, messageOf(error), error);
  }
}

/** An actor that belongs to one of which not even the identity is known. */
function withhold(world: World, { life, parent, address }: Identity): void {
  const above = world.withheld.get(parent);
  const why = `${address} waits: the actor that it belongs to cannot be read`;
  world.withhold({ life, address }, new BosunError('BOSUN_STORE_DAMAGED', why, { cause: above, details: { life, address, below: parent } }));
}

function populate(
  world: World,
  recovered: Recovered,
  identity: Identity,
  { roster, verdicts }: { roster: Roster; verdicts: ReadonlyMap<Cell, Verdict> },
): { cell: Cell; verdict: Verdict } {
  const parent = world.cells.get(identity.parent);
  const today = identity.bond === 'supervised' ? roster.today(identity.agent) : parent?.definition.child(identity.agent);
  const state = recovered.states.get(identity.life) ?? UNBORN;
  const above = parent && verdicts.get(parent);
  const damage = recovered.unreadable.get(identity.life);
  const verdict = ((): Verdict => {
    if (damage !== undefined) return { kind: 'refused', error: damage };
    const locked = concealedIn(identity, state);
    if (locked !== undefined) return { kind: 'refused', error: keyMissing(identity, locked) };
    if (parent !== undefined && above?.kind === 'refused') return below(identity, parent, above.error);
    if (today === undefined) return absent(identity, parent);
    const stored = { version: identity.version, hash: identity.definition };
    if (state.status === 'starting') return stored.hash === today.hash && stored.version === today.version ? { kind: 'fine' } : { kind: 'renumbered' };
    const reading = readingOf(stored, { ...today, kept: identity.bond === 'supervised' ? roster.kept(identity.agent) : [] });
    if (reading.kind !== 'fine' && isOver(identity, state)) return { kind: 'over' };
    if (reading.kind === 'refused') return { kind: 'refused', error: unreadable(identity, today, reading.why) };
    return reading.kind === 'migrates' && today.kind !== 'machine' ? { kind: 'renumbered' } : reading;
  })();
  const unknown = () => roster.definitions.absent(identity, recovered.rows.get('f')?.has(ordered(identity.life)) === true);
  const definition = verdict.kind === 'kept' ? verdict.definition : verdict.kind === 'refused' || today === undefined ? unknown() : today;
  const ref = world.refOf(identity.life, identity.address);
  const cell = new Cell({ identity: deepFreeze(identity), definition, ref, parent, state: Object.freeze(state) });
  deepFreeze([state.context, state.output, state.error]);
  world.adopt(cell);
  return { cell, verdict };
}

/** Snapshots come after all cells exist, because they hold references to children. */
function rehydrate(world: World, cell: Cell, verdict: Verdict, { definitions }: Roster): Verdict {
  const { identity, definition, state } = cell;
  let read = verdict;
  if (hasTakenATurn(cell)) {
    const stored = () => world.engine.stored(definitions.absent(identity, definition.isEffect), state);
    if (verdict.kind === 'refused' || verdict.kind === 'migrates' || verdict.kind === 'over') cell.snapshot = stored();
    else {
      const children = Object.fromEntries([...cell.children].map(([id, child]) => [id, child.ref]));
      try {
        cell.snapshot = world.engine.restore(definition, cell.ref, state, children);
      } catch (error) {
        cell.snapshot = stored();
        read = { kind: 'refused', error: unreadable(identity, definition, messageOf(error), error) };
      }
    }
  }
  cell.durable = imageOf(cell);
  return read;
}

function hasTakenATurn({ state, identity }: Cell): boolean {
  if (state.status === 'starting') return false;
  return identity.definition === '' ? state.context !== undefined : state.configuration !== null;
}

function bringForward(world: World, cell: Cell, verdict: Verdict, { roster, bosses }: { roster: Roster; bosses: Bosses }): void {
  if (cell.isUnreadable) return;
  if (cell.parent?.isUnreadable === true) {
    suspend(cell, below(cell.identity, cell.parent, cell.parent.suspension!).error);
    return;
  }
  if (verdict.kind === 'renumbered') {
    world.redefine(cell, cell.definition);
    // A change of its own: so that on disk a new identity never stands without its state.
    world.change(cell, {}, cell.snapshot, true);
  }
  if (verdict.kind !== 'migrates') return;
  try {
    applyMigration(world, bosses, cell, tryMigration(world, cell, verdict, roster));
  } catch (error) {
    suspend(cell, error as BosunError);
  }
}

/** A machine that failed under a Boss may go on from where it was; anything else that has ended begins anew or is removed. */
function isOver({ bond }: Identity, { status }: ActorState): boolean {
  return status === 'done' || status === 'stopped' || (status === 'error' && bond === 'invoked');
}

function suspend(cell: Cell, error: BosunError): void {
  cell.suspension = error;
  cell.durable = { ...cell.durable!, suspension: error };
}

/** On hold, the code of an agent is not asked for where nobody would read its context by it. */
function isForShow({ identity }: Cell, { code }: BosunError): boolean {
  return code === 'BOSUN_AGENT_UNKNOWN' || (code === 'BOSUN_AGENT_UNREADABLE' && identity.bond === 'invoked');
}

/** One that holds a value whose key is missing takes no turns: it must not go on without it. */
function lock(cell: Cell | undefined, value: unknown): void {
  if (cell !== undefined && value instanceof Concealed && !cell.isUnreadable) suspend(cell, keyMissing(cell.identity, value));
}

function tabulate(world: World, key: string, row: unknown): void {
  const separator = key.indexOf('!');
  world.cells.get(parseInt(key.slice(0, separator), 16))?.putRow(key.slice(separator + 1), deepFreeze(row));
}

function deliver(world: World, rows: Iterable<readonly [key: string, row: unknown]>): void {
  const deferred: Message[] = [];
  for (const [key, row] of rows) {
    const message = messageFromRow(parseInt(key, 16), deepFreeze(row as MessageRow));
    lock(world.cells.get(message.to), message.event);
    if (message.deferral === 0) world.cells.get(message.to)?.receive(message);
    else deferred.push(message);
  }
  restoreDeferred(world, deferred);
}

function loadTalk({ letters, asks, monitors, groups, audit }: World, { rows }: Recovered): void {
  for (const [key, row] of rows.get('z') ?? []) audit.load(parseInt(key, 16), row as AuditRow);
  for (const [key, row] of rows.get('q') ?? []) letters.load(parseInt(key, 16), deepFreeze(row as DeadLetterRow));
  for (const [key, row] of rows.get('r') ?? []) asks.load(parseInt(key, 16), deepFreeze(row as AskRow));
  asks.loaded();
  for (const key of rows.get('h')?.keys() ?? []) monitors.load(key);
  for (const [key, row] of rows.get('g') ?? []) groups.loadMember(key, row as number);
  for (const [key, row] of rows.get('p') ?? []) groups.loadName(key, deepFreeze(row as NameRow));
}

function holdAgainst(world: World, life: number, held: Held): void {
  const cell = world.cells.get(life);
  if (cell === undefined) return;
  cell.held = deepFreeze(held);
  const suspect = suspicion(cell, held);
  if (suspect !== undefined && cell.suspension === undefined) suspend(cell, suspect);
}

function ownedTimer(world: World, number: number, row: TimerRow): { owner: Cell; timer: Timer }[] {
  const timer = timerFromRow(number, deepFreeze(row));
  const owner = world.cells.get(timer.owner);
  if (owner === undefined) return [];
  lock(owner, timer.event);
  world.agenda.add(owner, timer);
  return [{ owner, timer }];
}

interface Run {
  readonly lastMs: number;
  readonly nowMs: number;
  readonly setBackMs: number;
}

/** What the agent says that a start does to a timer, entered into the first epoch; null where the timer is dropped. */
function restored(world: World, owner: Cell, timer: Timer, run: Run): Timer | null {
  // Timers of Bosses have the ids of their children.
  const name = owner.isBoss ? undefined : scheduleNameOf(timer.id);
  if (name !== undefined) return replanned(world, owner, timer, { name, ...run });
  const policy = policyOf(owner.definition.timing, timer.delay);
  const deadlineMs = restoredDeadline(timer, policy, run);
  if (deadlineMs === null) {
    world.draft.disarmed(timer);
    return null;
  }
  const keepsRemaining = policy === 'remaining';
  if (deadlineMs === timer.deadlineMs && !keepsRemaining) return timer;
  const moved = newTimer({ ...timer, deadlineMs, keepsRemaining });
  if (deadlineMs !== timer.deadlineMs) world.draft.armed(moved);
  return moved;
}

/** A schedule that the code no longer has, or has with another expression, loses its timer; `goOn` plans the new one. */
function replanned(world: World, owner: Cell, timer: Timer, { name, nowMs, setBackMs }: Run & { name: string }): Timer | null {
  const schedule = owner.definition.timing.schedules.get(name);
  if (schedule === undefined || setBackMs > 0 || !isPlannedBy(schedule, timer.event)) {
    world.draft.disarmed(timer);
    return null;
  }
  const later = skipped(schedule, timer, nowMs);
  const planned = newTimer({ ...timer, ...later, schedule });
  if (later !== null) world.draft.armed(planned);
  return planned;
}

/** How often a live effect has failed. */
function recount(world: World, life: number, row: number | readonly [attempt: number, failures: number]): void {
  const cell = world.cells.get(life);
  if (cell !== undefined && typeof row !== 'number') cell.failures = row[1];
}

function keep(world: World, life: number, [name, bytes, value]: readonly [string, number, unknown]): void {
  const cell = world.cells.get(life);
  lock(cell, value);
  if (cell !== undefined) (cell.kept ??= new Map()).set(name, { bytes, value: deepFreeze(value) });
}

/** @param cause What the parent is suspended for. */
export function below({ address, agent }: Identity, parent: Cell, cause: BosunError): { kind: 'refused'; error: BosunError } {
  const why = `${address} is suspended with ${parent.identity.address}, to which it belongs`;
  const code = cause.code === 'BOSUN_STORE_DAMAGED' ? cause.code : 'BOSUN_AGENT_UNREADABLE';
  return { kind: 'refused', error: new BosunError(code, why, { cause, details: { address, agent, parent: parent.identity.address } }) };
}

function absent(identity: Identity, parent: Cell | undefined): { kind: 'refused'; error: BosunError } {
  const { bond, address, agent } = identity;
  const isAgent = bond === 'supervised';
  const what = isAgent ? `is stored as agent "${agent}", which is not given` : `runs "${agent}", which ${parent?.identity.agent ?? 'nobody'} has no more`;
  const code = isAgent ? 'BOSUN_AGENT_UNKNOWN' : 'BOSUN_AGENT_UNREADABLE';
  return { kind: 'refused', error: new BosunError(code, `${address} ${what}`, { details: { ...facts(identity), current: null } }) };
}

function unreadable(identity: Identity, today: Definition, why: string, cause?: unknown): BosunError {
  const { address, agent, version, definition } = identity;
  const what = `${address} was stored by version ${version} of ${agent} (structure ${definition}), and the code has version ${today.version} (${today.hash})`;
  const current = { version: today.version, structure: today.hash };
  return new BosunError('BOSUN_AGENT_UNREADABLE', `${what}: ${why}`, { cause, details: { ...facts(identity), current } });
}

function facts({ address, agent, version, definition }: Identity): Record<string, unknown> {
  return { address, agent, stored: { version, structure: definition } };
}
