/**
 * Rebuilds the population from what the journal recovered, brings every actor to the code of today or suspends it, and
 * enters the next start of every live effect. No actor prevents the others from starting: one that the code cannot read
 * is left as it is on disk, and so are the actors that belong to it (design P12).
 */
import { type RecordPurge } from '../world/records.ts';
import { type BosunError } from '../../errors.ts';
import { sealed } from '../../sealed-values.ts';
import { type AskRow } from '../world/talk/ask-record.ts';
import { type Bosses } from '../world/bosses.ts';
import { type Cell } from '../world/cell.ts';
import { type Held } from '../world/held.ts';
import { type DeadLetterRow } from '../world/mailbox/dead-letter.ts';
import { restoreDeferred } from '../world/mailbox/deferral.ts';
import { type Effects } from '../world/effects/effects.ts';
import { keyMissing } from '../world/missing-keys.ts';
import { type NameRow } from '../world/talk/groups.ts';
import { type Message, messageFromRow, type MessageRow } from '../world/mailbox/message.ts';
import { type DurableActions } from '../turn/durable-actions.ts';
import { Concealed, type Recovered, KEYSPACE } from '../model/ports.ts';
import { ownerOf } from '../world/stored-actors.ts';
import { loadHeld, owedRestart } from '../world/suspension.ts';
import { type Roster } from './versions/roster.ts';
import { ordered, childIn } from '../model/row-keys.ts';
import { type Identity, isEnrolled, UNBORN } from '../model/state.ts';
import { isPlannedBy, scheduleNameOf, skipped } from '../model/schedules.ts';
import { newTimer, restoredDeadline, type Timer, timerFromRow, type TimerRow } from '../model/timers.ts';
import { type ChildRow, shareTexts } from '../model/supervision.ts';
import { policyOf } from '../model/timing.ts';
import { bringForward, populate, rehydrate, type Stored, suspend, type Verdict, withhold } from './versions/revival.ts';
import { type World } from '../world/world.ts';

/** The results of `repopulate` for `goOn`. */
export interface Population {
  readonly verdicts: Map<Cell, Verdict>;
  /** The timers as they were on disk. */
  readonly armed: { readonly owner: Cell; readonly timer: Timer }[];
}

/**
 * Rebuilds the population.
 *
 * @param hold Nothing will run: only actors that could mislead a reader are suspended, because the code often lacks
 * some of the agents.
 */
export function repopulate(
  world: World,
  outbox: DurableActions,
  recovered: Recovered,
  { roster, hold }: { roster: Roster; hold: boolean },
): Population {
  const verdicts = new Map<Cell, Verdict>();
  // Actors whose identity itself is damaged: at most the address is known.
  for (const [life, problem] of recovered.unreadable) {
    if (!recovered.identities.has(life))
      world.unreadable.add({ life, address: problem.details['address'] as string | undefined }, problem);
  }
  // In order of birth: a parent is always born before its children.
  for (const [life, identity] of recovered.identities) {
    const parent = ownerOf(identity, (owner) => world.cells.resident(owner));
    if (parent === null) withhold(world, identity);
    else {
      const above = parent && verdicts.get(parent);
      const { cell, verdict } = populate(
        world,
        storedOf(recovered, life, identity),
        roster,
        above?.kind === 'refused' ? above.error : undefined,
      );
      verdicts.set(cell, verdict);
    }
  }
  for (const [key, row] of recovered.rows.get(KEYSPACE.systemIds) ?? []) {
    const holder = world.cells.resident(row as number);
    if (holder !== undefined) world.names.set(decodeURIComponent(key), holder);
  }
  for (const [cell, verdict] of verdicts) verdicts.set(cell, rehydrate(world, cell, verdict, roster));
  for (const [cell, verdict] of verdicts)
    if (verdict.kind === 'refused' && !(hold && isForShow(cell, verdict.error))) suspend(cell, verdict.error);
  for (const [key, row] of recovered.rows.get(KEYSPACE.children) ?? []) tabulate(world, key, row);
  deliver(world, recovered.rows.get(KEYSPACE.mailboxes) ?? []);
  for (const [key, row] of recovered.rows.get(KEYSPACE.roll) ?? []) recount(world, parseInt(key, 16), row as RollRow);
  for (const [key, row] of recovered.rows.get(KEYSPACE.keepsakes) ?? [])
    keep(world, parseInt(key, 16), row as readonly [string, number, unknown]);
  for (const [key, row] of recovered.rows.get(KEYSPACE.outbox) ?? []) outbox.load(parseInt(key, 16), row as never);
  loadTalk(world, recovered);
  for (const [key, row] of recovered.rows.get(KEYSPACE.held) ?? []) holdAgainst(world, parseInt(key, 16), row as Held);
  return {
    verdicts,
    armed: [...(recovered.rows.get(KEYSPACE.timers) ?? [])].flatMap(([key, row]) =>
      ownedTimer(world, parseInt(key, 16), row as TimerRow),
    ),
  };
}

/**
 * Migrates actors, lets every actor continue that can, and forgets the verdicts. Returns whether any actor was
 * migrated. Throws the reason if the root Boss cannot be read, since nothing runs without it.
 */
export function goOn(
  world: World,
  { verdicts, armed }: Population,
  roster: Roster,
  { bosses, effects }: { bosses: Bosses; effects: Effects },
): boolean {
  for (const [cell, verdict] of verdicts) if (!cell.gone) bringForward(world, cell, verdict, { roster, bosses });
  const run = { lastMs: world.time.lastMs, nowMs: world.time.nowMs(), setBackMs: world.time.setBackMs };
  for (const { owner, timer } of armed) {
    if (timer.gone) continue;
    // Timers of an unreadable actor do not fire; their rows stay.
    if (owner.isUnreadable) world.timers.queue.remove(timer);
    else world.timers.replace(owner, timer, restored(world, owner, timer, run));
  }
  for (const cell of [...world.cells.values()]) {
    if (cell.parent === undefined && cell.isUnreadable) throw cell.suspension!;
    if (cell.isUnreadable) continue;
    if (cell.hasSnapshot && (cell.status === 'active' || cell.status === 'error')) world.timers.plan(cell);
    if (cell.definition.isEffect && cell.status === 'active') effects.resume(cell);
    const restart = owedRestart(cell);
    if (restart !== null) bosses.restartHeld(cell, restart);
    world.schedule(cell);
  }
  world.incidents.idle(world.unreadable.problems(world.cells.values()), [...world.cells.values()].filter(isHeldUp));
  const hasMigrated = [...verdicts.values()].some(({ kind }) => kind === 'migrates');
  // The verdicts would take as much memory again for every actor, as long as the system runs.
  verdicts.clear();
  armed.length = 0;
  return hasMigrated;
}

/** Whether an actor that the code can read is suspended. */
function isHeldUp(cell: Cell): boolean {
  return cell.suspension !== undefined && !cell.isUnreadable;
}

function storedOf({ states, unreadable, rows }: Recovered, life: number, identity: Identity): Stored {
  const row = rows.get(KEYSPACE.roll)?.get(ordered(life)) ?? 0;
  return { identity, state: states.get(life) ?? UNBORN, damage: unreadable.get(life), isEffect: row !== 0 };
}

/** Whether an unreadable actor may be shown on hold: nobody needs the code of its agent to read its context. */
function isForShow({ bond }: Cell, { code }: BosunError): boolean {
  return code === 'BOSUN_AGENT_UNKNOWN' || (code === 'BOSUN_AGENT_UNREADABLE' && bond === 'invoked');
}

/** Suspends an actor that holds a value whose key is missing, because it must not continue without the value. */
function lock(cell: Cell | undefined, value: unknown): void {
  if (cell !== undefined && value instanceof Concealed && !cell.isUnreadable)
    suspend(cell, keyMissing(cell.identity, value));
}

function tabulate(world: World, key: string, row: unknown): void {
  const [life, id] = childIn(key);
  const boss = world.cells.resident(life);
  // The string of the child itself: a slice would keep the whole key in memory.
  if (boss === undefined) return;
  const childId = boss.children.get(id)?.childId ?? id;
  shareTexts(row as ChildRow, childId);
  boss.putRow(childId, sealed(row as ChildRow));
}

function deliver(world: World, rows: Iterable<readonly [key: string, row: unknown]>): void {
  const deferred: Message[] = [];
  for (const [key, row] of rows) {
    const message = messageFromRow(parseInt(key, 16), row as MessageRow);
    lock(world.cells.get(message.to), message.event);
    if (message.deferral === 0) world.cells.get(message.to)?.receive(message);
    else deferred.push(message);
  }
  restoreDeferred(world, deferred);
}

function loadTalk({ letters, asks, monitors, groups, audit, records, results }: World, { rows }: Recovered): void {
  for (const [agent, count] of rows.get(KEYSPACE.resultCounts) ?? []) results.load(agent, count as number);
  for (const [key, row] of rows.get(KEYSPACE.recordPurges) ?? [])
    records.loadPurge(parseInt(key, 16), row as RecordPurge);
  audit.load(rows.get(KEYSPACE.audit) ?? new Map());
  for (const [key, row] of rows.get(KEYSPACE.deadLetters) ?? []) letters.load(parseInt(key, 16), row as DeadLetterRow);
  for (const [key, row] of rows.get(KEYSPACE.asks) ?? []) asks.load(parseInt(key, 16), row as AskRow);
  asks.loaded();
  for (const key of rows.get(KEYSPACE.relations)?.keys() ?? []) monitors.load(key);
  for (const [key, row] of rows.get(KEYSPACE.groups) ?? []) groups.loadMember(key, row as number);
  for (const [key, row] of rows.get(KEYSPACE.names) ?? []) groups.loadName(key, row as NameRow);
}

function holdAgainst(world: World, life: number, held: Held): void {
  const cell = world.cells.get(life);
  if (cell === undefined) return;
  const suspect = loadHeld(cell, held);
  if (suspect !== undefined && cell.suspension === undefined) suspend(cell, suspect);
}

function ownedTimer(world: World, number: number, row: TimerRow): { owner: Cell; timer: Timer }[] {
  const timer = timerFromRow(number, row);
  const owner = world.cells.get(timer.owner);
  if (owner === undefined) return [];
  lock(owner, timer.event);
  world.timers.add(owner, timer);
  return [{ owner, timer }];
}

interface Run {
  readonly lastMs: number;
  readonly nowMs: number;
  readonly setBackMs: number;
}

/** Applies the agent's restore policy to a timer, in the first epoch; null if the timer is dropped. */
function restored(world: World, owner: Cell, timer: Timer, run: Run): Timer | null {
  // Timers of Bosses have the ids of their children.
  const name = owner.role.isOfRuntime ? undefined : scheduleNameOf(timer.id);
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

/**
 * Drops the timer of a schedule that the code no longer has, or has with another expression; `goOn` plans the new one.
 */
function replanned(
  world: World,
  owner: Cell,
  timer: Timer,
  { name, nowMs, setBackMs }: Run & { name: string },
): Timer | null {
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

/** The attempt of an effect, its failed tries, and its failed ends if any. */
type RollRow = number | readonly [attempt: number, failures: number, ends?: number];

/** Restores how often an effect has failed. */
function recount(world: World, life: number, row: RollRow): void {
  const cell = world.cells.resident(life);
  if (cell === undefined) return;
  if (typeof row !== 'number') {
    const [, failures, ends = 0] = row;
    cell.recount(failures, ends);
  }
  if (!isEnrolled(cell.identity)) world.draft.loadUnbegun(life);
}

function keep(world: World, life: number, [name, bytes, value]: readonly [string, number, unknown]): void {
  const cell = world.cells.get(life);
  lock(cell, value);
  cell?.keep(name, { bytes, value });
}
