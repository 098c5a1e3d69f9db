/**
 * Erases an actor for good: it and everything below it leave the population, and the kernel's own records about it are
 * removed: unread messages that it sent, dead letters, asks, its Boss's record. Data that other actors have copied into
 * their contexts stays. The journal removes the bytes from the medium.
 */
import { BosunError } from '../../errors.ts';
import { observe } from '../world/actor-view.ts';
import { ROOT } from '../model/address.ts';
import { type ActorState } from '../model/state.ts';
import { type Bosses } from '../world/bosses.ts';
import { type Cell } from '../world/cell.ts';
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
 * Erases an actor. Resolves when nothing of it is left. Rejects with BOSUN_ADDRESS_INVALID for the root, which is the
 * whole store.
 */
export async function erase(cell: Cell, erasure: Erasure): Promise<void> {
  // Keeps it in memory meanwhile.
  const stay = observe(cell, {});
  try {
    await eraseFamily(cell, erasure);
  } finally {
    stay.unsubscribe();
  }
}

async function eraseFamily(cell: Cell, { world, bosses, terminate, flush }: Erasure): Promise<void> {
  const { parent } = cell;
  if (parent === undefined)
    throw new BosunError('BOSUN_ADDRESS_INVALID', `${ROOT} cannot be erased; delete the store instead`);
  await world.residency?.readBelow(cell);
  const family = familyOf(world, cell);
  const lives = new Set(family.map(({ life }) => life));
  const addresses = new Set(family.map(({ address }) => address));
  const agents = new Set(family.filter(({ state }) => hasKeys(state)).map(({ identity }) => identity.agent));
  // The Boss has to know, because it counts its waiting children.
  if (parent.isBoss) await terminate?.(cell);
  if (!cell.gone) bosses.remove(cell);
  if (cell.bond === 'supervised') world.setChildRow(parent, cell.childId, null);
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
  world.audit.erase(addresses);
  world.tracing.erase(lives);
  await flush();
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

function hasKeys({ records = {} }: ActorState): boolean {
  return Object.values(records).some(([, , isKeyed]) => isKeyed);
}

function familyOf(world: World, cell: Cell): Cell[] {
  return [cell, ...world.family(cell).flatMap((child) => familyOf(world, child))];
}
