/** What a durable epoch lets out: it is shown to readers first, then what it caused leaves, in order. */
import { type DurableView } from './durable-view.ts';
import { type Frozen } from '../world/epoch-draft.ts';
import { type Ingress } from './inbound/ingress.ts';
import { type World } from '../world/world.ts';

/** `waiting`: those who wait for an epoch to be durable. */
export function letOut(
  frozen: Frozen,
  parts: { world: World; ingress: Ingress; shown: DurableView; waiting: readonly (() => void)[] },
): void {
  const { world, ingress, shown, waiting } = parts;
  shown.show(frozen);
  world.tracing.durable = frozen.lastTurn;
  for (const resolve of waiting) resolve();
  for (const output of frozen.outputs) world.guarded(output);
  ingress.acknowledge(frozen.settled);
  for (const { cell, isGone } of frozen.images) {
    if (cell.observers === undefined) continue;
    world.tell(cell, (observer) => observer.changed?.());
    if (isGone) world.tell(cell, (observer) => observer.ended?.());
  }
}
