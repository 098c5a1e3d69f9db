/**
 * The supervision tree as people see it: what the kernel knows of each actor, and what its Boss does. As of the last
 * durable epoch.
 */
import { viewOf } from './actors/world/actor-view.ts';
import { type Cell } from './actors/world/cell.ts';
import { ageOf } from './actors/api/actor-inspection.ts';
import { type Kernel } from './actors/loop/kernel.ts';
import { standingOf } from './supervisor/boss-handle.ts';
import { type ChildRecord } from './supervisor/exit-rules.ts';
import { type TreeNode } from './system-options.ts';

/** Throws BOSUN_ACTOR_UNKNOWN. */
export function treeUnder(kernel: Kernel, address: string): TreeNode {
  const top = kernel.observed(address);
  return nodeOf(kernel, top, kernel.shown.families(top));
}

function nodeOf(kernel: Kernel, cell: Cell, families: ReadonlyMap<Cell, readonly Cell[]>): TreeNode {
  const { address, agent, bond, childId } = cell.identity;
  const isChild = bond === 'supervised' && cell.parent !== undefined;
  const record = isChild ? (kernel.shown.childRow(cell.parent, childId) as ChildRecord | undefined) : undefined;
  const view = viewOf(kernel.engine, cell);
  const nowMs = kernel.world?.time.nowMs() ?? 0;
  return {
    address,
    agent: cell.isBoss ? 'boss' : agent,
    status: view?.status ?? 'active',
    state: view?.value ?? null,
    mailbox: cell.mailbox.size,
    oldestMessageMs: ageOf(cell, nowMs),
    restarts: record?.restarts ?? null,
    lastError: view?.status === 'suspended' ? view.error : record?.lastError,
    ...standingOf({ record, context: cell.isBoss ? view?.context : undefined }, nowMs),
    ...(kernel.shown.isPartial(cell) && { isPartial: true as const }),
    children: (families.get(cell) ?? []).map((child) => nodeOf(kernel, child, families)),
  };
}
