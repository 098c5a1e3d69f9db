/**
 * Lists who waits for whom, since when, and in which state: as of the last durable epoch, except for waits for room in
 * a mailbox, which are not stored. Takes time linear in the number of actors, in steps that may be apart.
 */
import { isUnderWay, viewOf } from '../world/actor-view.ts';
import { orderAgainst } from '../world/suspension.ts';
import { type Cell } from '../world/cell.ts';
import { type Kernel } from '../loop/kernel.ts';

/**
 * The kind of a wait. `ask`: for a reply. `effect`: for an invoked effect, which runs or waits for its next try.
 * `room`: for room in the mailbox of a receiver. `restart`: for its Boss to start it again. `end`: a Boss, for a child
 * that was told to end. `suspended`: to be resumed.
 */
export type WaitKind = 'ask' | 'effect' | 'room' | 'restart' | 'end' | 'suspended';

/** A wait of one actor, or of the host, for another actor. */
export interface Wait {
  readonly kind: WaitKind;
  /** Address of the waiting actor; null for a host that asks. */
  readonly address: string | null;
  /** State value of the waiting actor; null if it has none. */
  readonly state: unknown;
  /** Address of the actor waited for. For kind `suspended`, the author of the order; null if there was no order. */
  readonly for: string | null;
  /** Kernel time since when it waits; null if it is not known. For an effect, the start of the current try. */
  readonly sinceMs: number | null;
  /** Kernel time at which the wait ends at the latest, or the next try begins; null for never. */
  readonly untilMs: number | null;
}

const NONE: readonly Wait[] = Object.freeze([]);

/** Lists all waits, the longest first, those of unknown length last. */
export function waitsOf(kernel: Kernel): Wait[] {
  return longestFirst([...eachWait(kernel)].flat());
}

/** Sorts waits, those of unknown length last. */
export function longestFirst(waits: readonly Wait[]): Wait[] {
  return waits.toSorted((a, b) => (a.sinceMs ?? Infinity) - (b.sinceMs ?? Infinity));
}

/** Yields all waits in groups: those known by themselves one by one, then those of each actor, mostly none. */
export function* eachWait(kernel: Kernel): Generator<readonly Wait[]> {
  const { world } = kernel.machinery;
  const asking = new Set<Cell>();
  for (const { asker, address, sinceMs, deadlineMs } of world.asks.pending()) {
    const effect = asker === 0 ? undefined : world.cells.get(asker);
    if (effect !== undefined) asking.add(effect);
    yield [{ kind: 'ask', ...whoOf(kernel, effect?.parent), for: address, sinceMs, untilMs: deadlineMs }];
  }
  for (const { sender, to, sinceMs } of world.backpressure.waiting()) {
    yield [{ kind: 'room', ...whoOf(kernel, sender), for: to.address, sinceMs, untilMs: null }];
  }
  for (const cell of kernel.shown.cells()) {
    const waits = asking.has(cell) ? NONE : waitsAt(kernel, cell);
    yield cell.durable?.suspension === undefined ? waits : [...waits, suspended(kernel, cell)];
  }
}

function waitsAt(kernel: Kernel, cell: Cell): readonly Wait[] {
  const { parent } = cell;
  if (parent === undefined || cell.durable === undefined) return NONE;
  if (cell.bond === 'supervised') return waitsOfChild(kernel, cell, parent);
  if (!isUnderWay(cell)) return NONE;
  const { sinceMs, retryAtMs } = kernel.machinery.effects.standingOf(cell);
  return [{ kind: 'effect', ...whoOf(kernel, parent), for: cell.address, sinceMs, untilMs: retryAtMs }];
}

function waitsOfChild(kernel: Kernel, cell: Cell, boss: Cell): readonly Wait[] {
  const row = kernel.shown.childRow(boss, cell.childId);
  if (row?.status === 'waiting')
    return [
      {
        kind: 'restart',
        ...whoOf(kernel, cell),
        for: boss.address,
        sinceMs: null,
        untilMs: row.retry?.atMs ?? null,
      },
    ];
  if (row?.status === 'stopping')
    return [{ kind: 'end', ...whoOf(kernel, boss), for: cell.address, sinceMs: null, untilMs: null }];
  return NONE;
}

function suspended(kernel: Kernel, cell: Cell): Wait {
  const order = orderAgainst(cell);
  return {
    kind: 'suspended',
    ...whoOf(kernel, cell),
    for: order?.by ?? null,
    sinceMs: order?.atMs ?? null,
    untilMs: null,
  };
}

function whoOf(kernel: Kernel, cell: Cell | undefined): Pick<Wait, 'address' | 'state'> {
  return {
    address: cell?.address ?? null,
    state: cell === undefined ? null : (viewOf(kernel.engine, cell)?.value ?? null),
  };
}
