import fc from 'fast-check';
import { assign, createMachine, fromPromise } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AnyAgent } from '../../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { type StoredState } from '../../../../src/actors/model/version-rules.ts';
import { createJournal } from '../../../../src/persistence/journal/journal.ts';
import { faultyStore } from '../../../../src/testing/faulty-store.ts';
import { startTestSystem, type TestSystem } from '../../../../src/testing/test-system.ts';
import { SteppingClock } from '../../../support/supervisor/every-epoch.ts';
import { byEffort } from '../../../support/effort.ts';

/** Some five seconds of it. */
const RUNS = byEffort({ quick: 3, ci: 12 });

const SHRINKING_MS = 120_000;

/** Longer than all epochs of a run take on a stepping clock, and shorter than the wait at the end, `UNFOLD_MS`. */
const AFTER_MS = 600_000;
const UNFOLD_MS = 2_000_000;

/** One version of a machine: its states are named by the version, or keep their names; some wait, some work. */
interface Shape {
  readonly states: number;
  readonly isRenamed: boolean;
  readonly waiting: readonly boolean[];
  readonly working: readonly boolean[];
}

interface Context {
  readonly trail: readonly string[];
  readonly field: string;
}

const shape: fc.Arbitrary<Shape> = fc.integer({ min: 1, max: 3 }).chain((states) =>
  fc.record({
    states: fc.constant(states),
    isRenamed: fc.boolean(),
    waiting: fc.array(fc.boolean(), { minLength: states, maxLength: states }),
    working: fc.array(fc.boolean(), { minLength: states, maxLength: states }),
  }),
);

/** Where the actors stand before the first deploy. */
const moves = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 3 });

const nameOf = (version: number, { isRenamed }: Shape, index: number) => `${isRenamed ? `v${version}` : 's'}_${index}`;

function machineOf(version: number, it: Shape) {
  const names = Array.from({ length: it.states }, (_, index) => nameOf(version, it, index));
  const note = (what: string) =>
    assign(({ context }: { context: Context }) => ({ trail: [...context.trail, `${what} by ${version}`] }));
  const states = Object.fromEntries(
    names.map((name, index) => [
      name,
      {
        on: { next: { target: names[(index + 1) % names.length], actions: note('next') } },
        ...(it.waiting[index] && { after: { [AFTER_MS]: { target: 'late', actions: note('late') } } }),
        ...(it.working[index] && { invoke: { id: 'work', src: 'work', onDone: { actions: note('worked') } } }),
      },
    ]),
  );
  const config = { id: 'm', context: { trail: [], field: 'v1' }, initial: names[0], states: { ...states, late: {} } };
  return createMachine(config as never).provide({ actors: { work: fromPromise(async () => version) } } as never);
}

/** The agent in a version, with all steps that lead to it. */
function agentOf(shapes: readonly Shape[], version: number): AnyAgent {
  const step =
    (to: number) =>
    ({ value, context }: StoredState<Context>) => {
      const index = value === 'late' ? -1 : Number((value as string).split('_')[1]);
      const next = shapes[to - 1]!;
      const name = index < 0 ? 'late' : nameOf(to, next, index % next.states);
      return { value: name, context: { trail: [...context.trail, `${context.field} to ${to}`], field: `v${to}` } };
    };
  const migrate = Object.fromEntries(Array.from({ length: version - 1 }, (_, index) => [index + 2, step(index + 2)]));
  return defineAgent({
    name: 'm',
    version,
    machine: machineOf(version, shapes[version - 1]!),
    events: { next: z.object({}) },
    migrate,
  } as never) as AnyAgent;
}

function pictureOf(test: TestSystem): unknown {
  return test.shard.tree().children.map(({ address }) => {
    const { status, value, context } = test.shard.snapshot(address)!;
    return {
      address,
      status,
      value,
      context,
      children: test.shard.tree(address).children.map((child) => `${child.address} ${child.status}`),
    };
  });
}

describe('any chain of versions', () => {
  it(
    'ends in the same state, wherever a crash interrupts a deploy',
    async () => {
      const life = fc.asyncProperty(fc.array(shape, { minLength: 2, maxLength: 4 }), moves, async (shapes, movesOf) => {
        const tree = { children: movesOf.map((_, n) => ({ id: `a${n}`, agent: 'm' })) };
        const deploys = shapes.slice(1).map((_, index) => agentOf(shapes, index + 2));
        const test = await startTestSystem({ agents: [agentOf(shapes, 1)], tree, clock: new SteppingClock() });
        for (const [n, count] of movesOf.entries())
          for (let move = 0; move < count; move++) await test.shard.send(`a${n}`, { type: 'next' });
        await test.settle();
        /** How much was on disk when each deploy began. */
        const begun: number[] = [];
        for (const agent of deploys) {
          await test.crash();
          begun.push(test.store.log.length);
          await test.restart({ agents: [agent] });
        }
        const log = [...test.store.log];
        await test.advance(UNFOLD_MS);
        const outcome = pictureOf(test);
        for (let epochs = begun[0]!; epochs <= log.length; epochs++) {
          const store = faultyStore();
          await store.open();
          for (const { writes } of log.slice(0, epochs)) await store.write(writes, { sync: true });
          await store.close();
          const current = begun.findLastIndex((at) => at <= epochs);
          const again = await startTestSystem({ agents: [deploys[current]!], tree, store });
          for (const agent of deploys.slice(current + 1)) {
            await again.crash();
            await again.restart({ agents: [agent] });
          }
          await again.advance(UNFOLD_MS);
          expect(pictureOf(again), `as after a crash behind epoch ${epochs} of ${log.length}`).toEqual(outcome);
          await again.shard.stop();
        }
        await test.shard.stop();
        const journal = createJournal(test.store);
        await journal.open({ Class: class {}, encode: () => ({ life: 0, address: '' }), decode: (fields) => fields });
        await journal.close();
      });
      await fc.assert(life, { numRuns: RUNS });
    },
    SHRINKING_MS,
  );
});
