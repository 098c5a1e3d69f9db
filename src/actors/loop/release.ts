/** Releases a durable epoch: it is shown to readers first, then its outputs leave, in order. */
import { type DurableView } from './durable-view.ts';
import { type Frozen } from '../world/epoch-draft.ts';
import { type Ingress } from './inbound/ingress.ts';
import { type World } from '../world/world.ts';

/** Releases an epoch. `waiting`: callers that wait for an epoch to be durable. */
export function letOut(
  frozen: Frozen,
  parts: { world: World; ingress: Ingress; shown: DurableView; waiting: readonly (() => void)[] },
): void {
  const { world, ingress, shown, waiting } = parts;
  shown.show(frozen);
  world.tracing.released(frozen.lastTurn);
  for (const resolve of waiting) resolve();
  for (const output of frozen.outputs) world.audience.guarded(output);
  ingress.acknowledge(frozen.settled);
  for (const { cell, isGone } of frozen.images) {
    if (cell.observers === undefined) continue;
    world.audience.tell(cell, (observer) => observer.changed?.());
    if (isGone) world.audience.tell(cell, (observer) => observer.ended?.());
  }
}
