/**
 * Erases an actor for good: it and everything below it leave the population, and the kernel's own records about it are
 * removed: unread messages that it sent, dead letters, asks, its Boss's record. Data that other actors have copied into
 * their contexts stays. The journal removes the bytes from the medium.
 */
import { BosunError } from '../../errors.ts';
import { observe } from '../world/actor-view.ts';
import { ROOT } from '../model/address.ts';
import { type Bosses } from '../world/bosses.ts';
import { type Cell } from '../world/cell.ts';
import { hasKeyedRecords } from '../world/records.ts';
import { type World } from '../world/world.ts';

export interface Erasure {
  readonly world: World;
  readonly bosses: Bosses;
  /** Tells the Boss of a child to end it. Undefined on hold, when no Boss takes a turn. */
  readonly terminate: ((cell: Cell) => Promise<unknown>) | undefined;
  /** Makes all changes so far durable; with `purge`, earlier deletions are then no longer on the medium. */
  readonly flush: (options?: { purge: boolean }) => Promise<void>;
}

/**
 * Erases the actor at an address, and those that have ended there. Resolves when nothing of them is left. Rejects with
 * BOSUN_ADDRESS_INVALID for the root, which is the whole store.
 *
 * @param cell The actor; undefined if it has ended.
 */
export async function erase(address: string, cell: Cell | undefined, erasure: Erasure): Promise<void> {
  const traces: Traces = { lives: new Set(), addresses: new Set([address]), agents: new Set() };
  if (cell !== undefined) {
    // Keeps it in memory meanwhile.
    const stay = observe(cell, {});
    try {
      await endFamily(cell, traces, erasure);
    } finally {
      stay.unsubscribe();
    }
  }
  await eraseTraces(address, traces, erasure);
}

/** The names of erased actors in records about them. */
interface Traces {
  readonly lives: Set<number>;
  readonly addresses: Set<string>;
  /** Their agents, as far as their records are found by keys. */
  readonly agents: Set<string>;
}

/** Ends an actor and everybody below it. */
async function endFamily(cell: Cell, traces: Traces, { world, bosses, terminate }: Erasure): Promise<void> {
  const { parent } = cell;
  if (parent === undefined)
    throw new BosunError('BOSUN_ADDRESS_INVALID', `${ROOT} cannot be erased; delete the store instead`);
  await world.residency?.readBelow(cell);
  const family = familyOf(world, cell);
  for (const one of family) {
    traces.lives.add(one.life);
    traces.addresses.add(one.address);
    if (hasKeyedRecords(one)) traces.agents.add(one.agent);
  }
  // The Boss has to know, because it counts its waiting children.
  if (parent.role.supervises) await terminate?.(cell);
  if (!cell.gone) bosses.remove(cell);
  if (cell.bond === 'supervised') world.setChildRow(parent, cell.childId, null);
}

async function eraseTraces(address: string, traces: Traces, { world, flush }: Erasure): Promise<void> {
  const { lives, addresses, agents } = traces;
  await flush();
  for (const ended of await world.results.erase((one) => one === address || one.startsWith(`${address}/`))) {
    lives.add(ended.life);
    addresses.add(ended.address);
    if (ended.isKeyed) agents.add(ended.agent);
  }
  for (const other of world.cells.values()) {
    other.mailbox.removeWhere((message) => {
      const isTheirs = lives.has(message.from);
      if (isTheirs) world.draft.read(message);
      return isTheirs;
    });
    world.backpressure.eased(other);
  }
  await flush();
  world.letters.removeWhere(({ address, ...row }) => {
    const involved = 'message' in row ? [row.message[0], row.message[3]] : [row.action.life];
    return addresses.has(address) || involved.some((life) => lives.has(life));
  });
  world.asks.erase(lives);
  world.tracing.erase(lives);
  await flush();
  await world.audit.erase(addresses, flush);
  while (world.records.isPurging(lives)) {
    await world.records.reading;
    world.records.tidy();
    await flush();
  }
  await world.tracing.kept.erase({ lives, addresses, epoch: world.tracing.epoch }, flush);
  for (const agent of agents) await world.records.forgetKeys(agent, lives);
  await flush();
  await flush({ purge: true });
}

function familyOf(world: World, cell: Cell): Cell[] {
  return [cell, ...world.family(cell).flatMap((child) => familyOf(world, child))];
}
