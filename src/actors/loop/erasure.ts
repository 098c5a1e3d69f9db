/**
 * Erasing an actor for good: it and everything below it leave the population, and what others hold of it in the
 * kernel's own records goes too: unread messages that it sent, dead letters, asks, its Boss's record of it. What other
 * actors have taken into their contexts is theirs. Getting its bytes off the medium is the journal's part.
 */
import { BosunError } from '../../errors.ts';
import { observe } from '../world/actor-view.ts';
import { ROOT } from '../model/address.ts';
import { type Bosses } from '../world/bosses.ts';
import { type Cell } from '../world/cell.ts';
import { type World } from '../world/world.ts';

export interface Erasure {
  readonly world: World;
  readonly bosses: Bosses;
  /** Has its Boss end a child; undefined on hold, where no Boss takes a turn. */
  readonly terminate: ((cell: Cell) => Promise<unknown>) | undefined;
  /** Makes what has changed so far durable; with `purge`, what was deleted before is no longer on the medium then. */
  readonly flush: (options?: { purge: boolean }) => Promise<void>;
}

/** Resolves when nothing of it is left. Rejects with BOSUN_ADDRESS_INVALID for the root: that is the whole store. */
export async function erase(cell: Cell, erasure: Erasure): Promise<void> {
  // It must not leave memory meanwhile.
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
  // A Boss counts its waiting children, so it has to know.
  if (parent.isBoss) await terminate?.(cell);
  if (!cell.gone) bosses.remove(cell);
  if (cell.bond === 'supervised') world.removeChildRow(parent, cell.childId);
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
  world.tracing.erase(lives, addresses);
  await flush();
  await flush({ purge: true });
}

function familyOf(world: World, cell: Cell): Cell[] {
  return [cell, ...world.family(cell).flatMap((child) => familyOf(world, child))];
}
