/**
 * Whatever number of actors may be in memory, and wherever the power is cut: the store ends in the state that it
 * reaches with all actors in memory.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Recovered } from '../../../../src/actors/model/ports.ts';
import { type BossOptions } from '../../../../src/supervisor/child-spec.ts';
import { createJournal } from '../../../../src/persistence/journal/journal.ts';
import { startTestSystem, type TestSystem } from '../../../../src/testing/test-system.ts';
import { byEffort } from '../../../support/effort.ts';
import { peer, PEER_EVENTS } from '../../../support/actors/residents.ts';

/** A counterexample is only worth something shrunk. */
const SHRINKING_MS = 300_000;

const worker = (id: string) => ({ id, agent: 'peer', resume: 'initial' as const });

/** A Boss of each kind, with children declared and spawned. */
const tree: BossOptions = {
  intensity: 1_000,
  children: [
    { id: 'a', agent: 'peer' },
    { id: 'b', agent: 'peer' },
    {
      id: 'group',
      boss: {
        strategy: 'one_for_all',
        intensity: 2,
        periodMs: 5_000,
        children: [worker('c'), worker('d'), worker('e')],
      },
    },
    { id: 'line', boss: { strategy: 'rest_for_one', intensity: 1_000, children: [worker('f'), worker('g')] } },
    { id: 'pool', boss: { strategy: 'dynamic', intensity: 1_000, template: { agent: 'peer', restart: 'transient' } } },
  ],
};

const ADDRESSES = [
  'a',
  'b',
  'group/c',
  'group/d',
  'group/e',
  'line/f',
  'line/g',
  'pool/h',
  'pool/i',
  'pool/j',
  'k',
  'l',
];

type Step =
  | { readonly kind: 'send'; readonly to: number; readonly type: string; readonly about: number }
  | { readonly kind: 'meet'; readonly to: number; readonly about: number }
  | { readonly kind: 'burst'; readonly type: string }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'terminate'; readonly at: number }
  | { readonly kind: 'restart' }
  | { readonly kind: 'crash'; readonly isMidway: boolean };

const at = fc.nat(ADDRESSES.length - 1);
const type = fc.constantFrom(...PEER_EVENTS);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('send' as const), to: at, type, about: at }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('meet' as const), to: at, about: at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('burst' as const), type }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.constantFrom(1, 500, 1_000, 7_000) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('terminate' as const), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const), isMidway: fc.boolean() }) },
);

async function begin(residentActors: number | undefined): Promise<TestSystem> {
  const test = await startTestSystem({
    agents: [peer],
    tree,
    journal: { fold: { windowEpochs: 4, sliceRecords: 3 }, storeId: 'same' },
    ...(residentActors !== undefined && { residentActors }),
  });
  await populate(test);
  return test;
}

async function populate({ shard: system }: TestSystem): Promise<void> {
  for (const id of ['h', 'i', 'j'])
    await system
      .boss('pool')
      .startChild({ id })
      .catch(() => {});
  for (const id of ['k', 'l']) await system.spawn(peer, id, { restart: 'permanent' }).catch(() => {});
}

async function take(step: Step, test: TestSystem): Promise<void> {
  const { shard: system } = test;
  // Whom it is about may be gone.
  const send = (address: string, event: { readonly type: string; readonly what?: string }) =>
    system.send(address, event).catch(() => {});
  switch (step.kind) {
    case 'send':
      await send(ADDRESSES[step.to]!, { type: step.type, what: ADDRESSES[step.about]! });
      break;
    case 'meet':
      await send(ADDRESSES[step.about]!, { type: 'NAME', what: 'somebody' });
      await send(ADDRESSES[step.to]!, { type: 'MEET', what: 'somebody' });
      await test.settle();
      await send(ADDRESSES[step.to]!, { type: 'PASS' });
      break;
    case 'burst':
      await Promise.all(ADDRESSES.map((address) => send(address, { type: step.type })));
      break;
    case 'advance':
      await test.advance(step.ms);
      break;
    case 'terminate': {
      const [boss, id] = ADDRESSES[step.at]!.includes('/')
        ? ADDRESSES[step.at]!.split('/')
        : ['root', ADDRESSES[step.at]!];
      await system
        .boss(boss)
        .terminateChild(id!)
        .catch(() => {});
      break;
    }
    case 'restart':
      await system.stop();
      await test.restart();
      break;
    case 'crash':
      // Some changes are in no epoch yet, and some in an epoch that is not durable.
      if (step.isMidway) for (const address of ADDRESSES) void send(address, { type: 'UP' });
      await test.crash();
      await test.restart();
  }
  await test.settle();
}

/** The content of the store, read as a whole. */
async function outcomeOf(test: TestSystem): Promise<Pick<Recovered, 'states' | 'rows'>> {
  await test.settle();
  await test.shard.stop();
  const journal = createJournal(test.store);
  const { states, rows } = await journal.open({
    Class: class {},
    encode: () => ({ life: 0, address: '' }),
    decode: (fields) => fields,
  });
  await journal.close();
  return { states, rows };
}

async function told(
  steps: readonly Step[],
  residentActors: number | undefined,
): Promise<Pick<Recovered, 'states' | 'rows'>> {
  const test = await begin(residentActors);
  for (const next of steps) await take(next, test);
  return outcomeOf(test);
}

describe('a system with few resident actors', () => {
  // Stacks of errors are stored, and a machine that was just read takes its first step by another way.
  const { stackTraceLimit } = Error;
  beforeAll(() => {
    Error.stackTraceLimit = 0;
  });
  afterAll(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });

  it(
    'reaches the same states, chains, mailboxes, timers and dead letters as with all actors resident',
    async () => {
      const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const [few, all] = [await told(steps, 3), await told(steps, undefined)];
        expect(few.states).toEqual(all.states);
        expect(few.rows).toEqual(all.rows);
      });
      await fc.assert(property, { numRuns: byEffort({ quick: 4, ci: 200 }) });
    },
    SHRINKING_MS,
  );
});
