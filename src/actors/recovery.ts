/** Rebuilds the population from what the journal recovered, and enters the second start of every live effect. */
import { BosunError } from '../errors.ts';
import { fixed } from './admission.ts';
import { Cell, imageOf } from './cell.ts';
import { type Definition } from './engine.ts';
import { type Effects } from './effects.ts';
import { type Outbox } from './outbox.ts';
import { messageFromRow, type MessageRow } from './message.ts';
import { type Recovered } from './ports.ts';
import { Ref } from './ref.ts';
import { type Identity, UNBORN } from './state.ts';
import { timerFromRow, type TimerRow } from './timers.ts';
import { type World } from './world.ts';

interface Means {
  readonly definitionOf: (agent: string) => Definition | undefined;
  readonly effects: Effects;
  readonly outbox: Outbox;
  /** Rebuild only: nothing will run. */
  readonly hold: boolean;
}

/** Throws BOSUN_AGENT_UNKNOWN or BOSUN_AGENT_UNREADABLE, naming the actor. */
export function repopulate(world: World, recovered: Recovered, means: Means): void {
  // In order of birth: a parent is always born before its children.
  for (const row of recovered.rows.get('i')?.values() ?? []) populate(world, recovered, row as Identity, means);
  for (const cell of world.cells.values()) rehydrate(world, cell);
  for (const [key, row] of recovered.rows.get('b') ?? []) tabulate(world, key, row);
  for (const [key, row] of recovered.rows.get('m') ?? []) deliver(world, parseInt(key, 16), row as MessageRow);
  for (const [key, row] of recovered.rows.get('t') ?? []) arm(world, parseInt(key, 16), row as TimerRow);
  for (const [key, row] of recovered.rows.get('f') ?? []) recount(world, parseInt(key, 16), row as number | readonly [number, number]);
  for (const [key, row] of recovered.rows.get('k') ?? []) keep(world, parseInt(key, 16), row as readonly [string, number, unknown]);
  for (const [key, row] of recovered.rows.get('o') ?? []) means.outbox.load(parseInt(key, 16), deepFreeze(row as never));
  if (means.hold) return;
  for (const cell of [...world.cells.values()]) resume(world, cell, means.effects);
  means.outbox.resume();
}

function populate(world: World, recovered: Recovered, identity: Identity, { definitionOf }: Means): void {
  const parent = world.cells.get(identity.parent);
  const definition =
    identity.bond === 'supervised' ? definitionOf(identity.agent) : parent?.definition.child(identity.agent);
  if (definition === undefined) {
    throw new BosunError('BOSUN_AGENT_UNKNOWN', `${identity.address} is stored as agent "${identity.agent}", which is not given`, {
      details: { address: identity.address, agent: identity.agent },
    });
  }
  const state = recovered.states.get(identity.life) ?? UNBORN;
  const ref = world.refOf(identity.life, identity.address);
  const cell = new Cell({ identity: deepFreeze(identity), definition, ref, parent, state: Object.freeze(state) });
  deepFreeze([state.context, state.output, state.error]);
  world.adopt(cell);
}

/** Snapshots come after all cells exist, because they hold references to children. */
function rehydrate(world: World, cell: Cell): void {
  if (hasTakenATurn(cell)) {
    const { identity, definition } = cell;
    if (identity.definition !== definition.hash) {
      // Its configurations are numbered by another table; under this one they would mean other states (design P12).
      throw new BosunError('BOSUN_AGENT_UNREADABLE', `${identity.address} was stored by a ${definition.name} of another structure`, {
        details: { address: identity.address, agent: identity.agent },
      });
    }
    const children = Object.fromEntries([...cell.children].map(([id, child]) => [id, child.ref]));
    cell.snapshot = world.engine.restore(cell.definition, cell.ref, cell.state, children);
  }
  cell.durable = imageOf(cell);
}

function hasTakenATurn({ state, definition }: Cell): boolean {
  if (state.status === 'starting') return false;
  return definition.kind === 'machine' ? state.configuration !== null : state.context !== undefined;
}

function tabulate(world: World, key: string, row: unknown): void {
  const separator = key.indexOf('!');
  world.cells.get(parseInt(key.slice(0, separator), 16))?.putRow(key.slice(separator + 1), deepFreeze(row));
}

function deliver(world: World, id: number, row: MessageRow): void {
  const message = messageFromRow(id, deepFreeze(row));
  world.cells.get(message.to)?.mailbox.push(message);
}

function arm(world: World, number: number, row: TimerRow): void {
  const timer = timerFromRow(number, deepFreeze(row));
  const owner = world.cells.get(timer.owner);
  if (owner === undefined) return;
  owner.addTimer(timer);
  world.timers.push(timer);
}

/** How often a live effect has failed. */
function recount(world: World, life: number, row: number | readonly [attempt: number, failures: number]): void {
  const cell = world.cells.get(life);
  if (cell !== undefined && typeof row !== 'number') cell.failures = row[1];
}

function keep(world: World, life: number, [name, bytes, value]: readonly [string, number, unknown]): void {
  const cell = world.cells.get(life);
  if (cell !== undefined) (cell.kept ??= new Map()).set(name, { bytes, value: deepFreeze(value) });
}

function resume(world: World, cell: Cell, effects: Effects): void {
  if (cell.definition.isEffect && cell.state.status === 'active') effects.resume(cell);
  world.schedule(cell);
}

/** Values from disk are as immutable as those that were admitted. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Ref) return value;
  if (value instanceof Map || value instanceof Set) {
    for (const [key, item] of value.entries()) deepFreeze([key, item]);
    return Object.isFrozen(value) ? value : fixed(value);
  }
  if (value instanceof Error) {
    deepFreeze([value.cause, (value as { code?: unknown }).code]);
    return Object.freeze(value);
  }
  // Typed arrays cannot be frozen, and dates change all the same.
  if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) {
    for (const item of Object.values(value)) deepFreeze(item);
    Object.freeze(value);
  }
  return value;
}
