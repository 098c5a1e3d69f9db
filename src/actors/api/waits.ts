/**
 * Who waits for somebody, since when, and in which state: as of the last durable epoch, but for who waits for room in a
 * mailbox, of which nothing is stored. Linear in the population.
 */
import { viewOf } from '../world/actor-view.ts';
import { type Cell } from '../world/cell.ts';
import { type Kernel } from '../loop/kernel.ts';

/**
 * `ask`: for a reply. `effect`: for what it invoked, which runs or waits for its next try. `room`: for room in the
 * mailbox of whom it has sent to. `restart`: for its Boss to start it again. `end`: a Boss, for a child that was told
 * to end. `suspended`: to be resumed.
 */
export type WaitKind = 'ask' | 'effect' | 'room' | 'restart' | 'end' | 'suspended';

export interface Wait {
  readonly kind: WaitKind;
  /** Who waits; null for a host that asks. */
  readonly address: string | null;
  /** State value of who waits; null where it has none. */
  readonly state: unknown;
  /** Address of whom it waits for; of a suspended one, who suspended it; null where nobody did. */
  readonly for: string | null;
  /** Kernel time; null where it is not known. Of an effect: when this start began. */
  readonly sinceMs: number | null;
  /** Kernel time at which the waiting ends at the latest, or goes on to the next try; null for never. */
  readonly untilMs: number | null;
}

/** The longest waiting first, those of which that is not known last. */
export function waitsOf(kernel: Kernel): Wait[] {
  const { world } = kernel.machinery;
  const waits: Wait[] = [];
  const asking = new Set<Cell>();
  for (const { asker, address, sinceMs, deadlineMs } of world.asks.pending()) {
    const effect = asker === 0 ? undefined : world.cells.get(asker);
    if (effect !== undefined) asking.add(effect);
    waits.push({ kind: 'ask', ...whoOf(kernel, effect?.parent), for: address, sinceMs, untilMs: deadlineMs });
  }
  for (const { sender, to, sinceMs } of world.backpressure.waiting()) {
    waits.push({ kind: 'room', ...whoOf(kernel, sender), for: to.address, sinceMs, untilMs: null });
  }
  for (const cell of kernel.shown.cells()) {
    if (!asking.has(cell)) waits.push(...waitsAt(kernel, cell));
    if (cell.durable?.suspension !== undefined) waits.push(suspended(kernel, cell));
  }
  return waits.sort((a, b) => (a.sinceMs ?? Infinity) - (b.sinceMs ?? Infinity));
}

function waitsAt(kernel: Kernel, cell: Cell): Wait[] {
  const { identity, parent, durable, definition } = cell;
  if (parent === undefined || durable === undefined) return [];
  if (identity.bond === 'supervised') return waitsOfChild(kernel, cell, parent);
  if (!definition.isEffect || durable.state.status !== 'active') return [];
  const { sinceMs, retryAtMs } = kernel.machinery.effects.standingOf(cell);
  return [{ kind: 'effect', ...whoOf(kernel, parent), for: identity.address, sinceMs, untilMs: retryAtMs }];
}

function waitsOfChild(kernel: Kernel, cell: Cell, boss: Cell): Wait[] {
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
  return [];
}

function suspended(kernel: Kernel, cell: Cell): Wait {
  const order = cell.held?.order;
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
