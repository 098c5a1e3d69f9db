/** Releases a durable epoch: it is shown to readers first, then its outputs leave, in order. */
import { type DurableView } from './durable-view.ts';
import { type Frozen } from '../world/epoch-draft.ts';
import { type Ingress } from './inbound/ingress.ts';
import { type World } from '../world/world.ts';

/**
 * Releases an epoch. Code of hosts cannot make it fail, only a fault of the runtime: then it throws, and has left those
 * who wait where the close of the system rejects them.
 *
 * @param parts.waiting Callers that wait for an epoch to be durable; emptied when they are told.
 */
export function letOut(
  frozen: Frozen,
  parts: { world: World; ingress: Ingress; shown: DurableView; waiting: (() => void)[] },
): void {
  const { world, ingress, shown, waiting } = parts;
  try {
    shown.show(frozen);
    world.tracing.released(frozen.lastTurn);
    world.audit.catchUp();
    for (const resolve of waiting.splice(0)) resolve();
    for (const output of frozen.outputs) world.audience.guarded(output);
    ingress.acknowledge(frozen.settled);
  } catch (error) {
    for (const host of frozen.settled) world.draft.notify(host);
    throw error;
  }
  for (const { cell, isGone } of frozen.images) {
    if (cell.observers === undefined) continue;
    world.audience.tell(cell, (observer) => observer.changed?.());
    if (isGone) world.audience.tell(cell, (observer) => observer.ended?.());
  }
}
