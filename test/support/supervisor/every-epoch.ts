/**
 * A story repeated with a crash of the host after each of its epochs. It runs once, on a clock by which every turn is
 * an epoch of its own; then each prefix of the store's writes starts a new system, which must end as the undisturbed
 * one did.
 */
import { expect } from 'vitest';
import { faultyStore } from '../../../src/testing/faulty-store.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

/** More than the kernel's slice, so that each visit of an actor ends the slice, and with it the epoch. */
const STEP_MS = 5;

/** A clock on which time passes at every reading. */
export class SteppingClock extends VirtualClock {
  #looks = 0;

  override monotonicMs(): number {
    this.#looks += 1;
    return super.monotonicMs() + this.#looks * STEP_MS;
  }
}

export interface Story<Outcome> {
  readonly options: () => TestSystemOptions;
  /** Starts the story. Resolves once all input from outside is durable. */
  begin(test: TestSystem): Promise<void>;
  /** Time for the story and all its delays. */
  readonly unfoldMs: number;
  outcome(test: TestSystem): Outcome | Promise<Outcome>;
}

/** @returns The outcome, and the number of epochs after which the host was crashed. */
export async function withACrashAfterEveryEpoch<Outcome>(
  story: Story<Outcome>,
): Promise<{ outcome: Outcome; crashes: number }> {
  const first = await startTestSystem({ ...story.options(), clock: new SteppingClock() });
  await story.begin(first);
  const begun = first.store.writes;
  await first.advance(story.unfoldMs);
  const outcome = await story.outcome(first);
  for (let epochs = begun; epochs <= first.store.writes; epochs++) {
    const store = faultyStore();
    await store.open();
    for (const { writes } of first.store.log.slice(0, epochs)) await store.write(writes, { sync: true });
    await store.close();
    const again = await startTestSystem({ ...story.options(), store });
    await again.advance(story.unfoldMs);
    expect(await story.outcome(again), `as after a crash behind epoch ${epochs} of ${first.store.writes}`).toEqual(
      outcome,
    );
    await again.shard.stop();
  }
  return { outcome, crashes: first.store.writes - begun + 1 };
}
