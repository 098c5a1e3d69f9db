import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KEYSPACE, KEYSPACES } from '../../src/actors/model/ports.ts';
import { createJournal } from '../../src/persistence/journal/journal.ts';
import { type AutoShutdown, type BossOptions } from '../../src/supervisor/child-spec.ts';
import { startTestSystem, type TestSystem } from '../../src/testing/test-system.ts';
import {
  type BossPlan,
  OtpModel,
  type Picture,
  pictured,
  type Restart,
  sanePlan,
  type Strategy,
  treeOf,
  type WorkerPlan,
} from '../support/supervisor/otp-model.ts';
import { Presence, presentWorker, watcher } from '../support/supervisor/presence.ts';
import { manager, notes, tell, worker } from '../support/supervisor/worker.ts';
import { byEffort } from '../support/effort.ts';

/** Rows that go with what they are of. Bosses are counted apart; dead letters are to stay. */
const COUNTED = KEYSPACES.filter(
  (keyspace) => ![KEYSPACE.identities, KEYSPACE.children, KEYSPACE.deadLetters].includes(keyspace),
);

const DAY_MS = 24 * 60 * 60_000;

/** A few seconds of it; where CI=true more. */
const RUNS = byEffort({ quick: 4, ci: 300 });

/** Time to find the shortest story when one fails. */
const SHRINKING_MS = 120_000;

type Step =
  | { readonly kind: 'note' | 'explode' | 'choke' | 'finish'; readonly pick: number; readonly isCutOff: boolean }
  | { readonly kind: 'spawn'; readonly pick: number; readonly restart: Restart }
  | { readonly kind: 'watch'; readonly pick: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'crash' };

const restart = fc.constantFrom<Restart>('permanent', 'transient', 'temporary');
const significant = fc.boolean();
const workerPlan: fc.Arbitrary<WorkerPlan> = fc.record({
  restart,
  significant,
  backoff: fc.constantFrom(true, true, false),
});
const { boss: anyPlan } = fc.letrec<{ boss: BossPlan }>((tie) => ({
  boss: fc.record({
    restart,
    significant,
    strategy: fc.constantFrom<Strategy>('one_for_one', 'one_for_all', 'rest_for_one', 'dynamic'),
    autoShutdown: fc.constantFrom<AutoShutdown>('never', 'any_significant', 'all_significant'),
    intensity: fc.nat({ max: 3 }),
    periodMs: fc.constantFrom(500, 1_000, 60_000),
    children: fc.array(fc.oneof({ depthSize: 'small', withCrossShrink: true }, workerPlan, tie('boss')), {
      minLength: 1,
      maxLength: 3,
    }),
    template: workerPlan,
  }),
}));
const bossPlan = anyPlan.map((plan) => sanePlan(plan));

const pick = fc.nat({ max: 1_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('note', 'choke', 'finish'), pick, isCutOff: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('explode'), pick, isCutOff: fc.constant(false) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('spawn'), pick, restart }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait'), ms: fc.constantFrom(1, 99, 100, 250, 499, 500, 501, 2_000) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('watch'), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash') }) },
);

/** A system, its model, and the actors that run in its process. */
interface Life {
  readonly test: TestSystem;
  readonly model: OtpModel;
  readonly presence: Presence;
}

/** The state of the system, in the terms of the model. */
function pictureOf({ test }: Life): Picture {
  const picture: Picture = {};
  const visit = ({
    address,
    agent,
    restarts,
    restartInMs,
    children,
  }: ReturnType<TestSystem['shard']['tree']>): void => {
    if (agent === 'watcher') return;
    const context = test.shard.snapshot(address)?.context as { window: readonly number[]; intensity: number };
    if (agent === 'boss') expect(context.window.length).toBeLessThanOrEqual(context.intensity);
    const facts = agent === 'boss' ? context.window.length : notes(test, address)!;
    picture[address] = pictured({ restarts, retry: restartInMs === null ? null : {} }, facts);
    // Below a worker there is its effect.
    if (agent === 'boss') children.forEach(visit);
  };
  visit(test.shard.tree());
  return picture;
}

/** Checks that the tree agrees with the model, and that exactly its actors that do not wait run, once each. */
function check(life: Life): void {
  expect(pictureOf(life)).toEqual(life.model.picture());
  const here = life.presence.here();
  const workers = life.model.workers();
  expect(here).toEqual(
    expect.arrayContaining(workers.filter(({ retry }) => retry === null).map(({ address }) => address)),
  );
  expect(workers.map(({ address }) => address)).toEqual(expect.arrayContaining(here));
  expect([...life.presence.doubled]).toEqual([]);
}

async function take(step: Step, life: Life): Promise<void> {
  const { test, model } = life;
  if (step.kind === 'wait') {
    await test.advance(step.ms);
    model.wait(step.ms);
  } else if (step.kind === 'crash') await crash(life);
  else if (step.kind === 'spawn') {
    const boss = model.bosses()[step.pick % model.bosses().length]!;
    await test.shard.spawn(worker, model.spawn(boss, { restart: step.restart }), {
      under: boss.address,
      restart: step.restart,
    });
  } else {
    const ready = model.workers().filter(({ retry }) => retry === null);
    if (ready.length === 0) return;
    const target = ready[step.pick % ready.length]!;
    if (step.kind === 'watch') await tell(test, 'watcher', 'watch', target.address);
    else await order(step, target, life);
  }
  await test.settle();
  if (test.shard.snapshot('root')?.status !== 'active') {
    life.presence.die();
    await test.restart();
  }
  // Two poison messages in a row suspend an actor: an administrator resumes it.
  for (const { address } of model.workers())
    if (test.shard.snapshot(address)?.status === 'suspended') await test.shard.resume(address);
  await test.settle();
}

async function order(
  { kind, pick, isCutOff }: Extract<Step, { isCutOff: boolean }>,
  target: ReturnType<OtpModel['workers']>[number],
  life: Life,
): Promise<void> {
  const { test, model } = life;
  await tell(test, target.address, kind, `${kind}${pick}`);
  // The host dies when some of the consequences are durable.
  if (isCutOff) await crash(life);
  if (kind !== 'choke') target.strikes = 0;
  if (kind === 'note') target.notes.push(`${kind}${pick}`);
  else if (kind === 'choke') model.choke(target);
  else model.exit(target, kind === 'finish' ? 'normal' : 'error');
}

async function crash({ test, presence }: Life): Promise<void> {
  await test.crash();
  presence.die();
  await test.restart();
}

/** Removes everything from the tree: the declared children first, then the children spawned under the root. */
async function clear(life: Life): Promise<void> {
  const { test, presence } = life;
  const restartWith = async (tree: BossOptions) => {
    await test.crash();
    presence.die();
    await test.restart({ tree });
  };
  await restartWith({ children: [{ id: 'cleaner', agent: 'manager' }] });
  for (const { address: id } of test.shard.tree().children) {
    if (id !== 'cleaner') await test.shard.send('cleaner', { type: 'dismiss', id } as never);
  }
  await test.settle();
  await restartWith({ children: [] });
}

/**
 * Rows of the store by table, once the system has stopped, and actors with a state. Children that have ended have
 * records with their Boss.
 */
async function rowsOf(test: TestSystem): Promise<Record<string, number>> {
  await test.shard.stop();
  const journal = createJournal(test.store);
  const { identities, rows, states } = await journal.open({
    Class: class {},
    encode: () => ({ life: 0, address: '' }),
    decode: (fields) => fields,
  });
  await journal.close();
  const bosses = new Set([...(rows.get(KEYSPACE.children)?.keys() ?? [])].map((key) => key.slice(0, key.indexOf('!'))));
  const others = COUNTED.map((keyspace) => [keyspace, rows.get(keyspace)?.size ?? 0]);
  const counted = { identities: identities.size, states: states.size, bosses: bosses.size };
  return { ...(Object.fromEntries(others) as Record<string, number>), ...counted };
}

/** The rows of a store with only the root: its identity, address, state and records. */
const ROOT_ALONE = {
  ...Object.fromEntries(COUNTED.map((keyspace) => [keyspace, 0])),
  [KEYSPACE.addresses]: 1,
  identities: 1,
  states: 1,
  bosses: 1,
};

describe('any tree of Bosses and workers, with any faults', () => {
  it(
    'always agrees with the model of OTP, exceeds no intensity, runs no child twice, and leaves nothing behind',
    async () => {
      const property = fc.asyncProperty(
        bossPlan,
        fc.array(step, { minLength: 5, maxLength: 25 }),
        async (plan, steps) => {
          const presence = new Presence();
          const { children = [], ...tree } = treeOf(plan);
          // A dynamic root has no static children, so it cannot have a watcher.
          const watched =
            plan.strategy === 'dynamic'
              ? tree
              : { ...tree, children: [...children, { id: 'watcher', agent: 'watcher' }] };
          const test = await startTestSystem({
            agents: [presentWorker(presence), watcher, manager],
            tree: watched as BossOptions,
          });
          const life: Life = { test, model: new OtpModel(plan), presence };
          check(life);
          for (const next of steps) {
            if (next.kind === 'watch' && plan.strategy === 'dynamic') continue;
            await take(next, life);
            check(life);
          }
          await clear(life);
          expect(test.shard.tree()).toMatchObject({ children: [], mailbox: 0 });
          expect(presence.here()).toEqual([]);
          // No timer is left that would come up, and no wait.
          const { epoch } = test.shard;
          await test.advance(DAY_MS);
          expect(test.shard.epoch).toBe(epoch);
          expect(test.shard.chains().size).toBe(1);
          expect(await rowsOf(test)).toEqual(ROOT_ALONE);
        },
      );
      await fc.assert(property, { numRuns: RUNS });
    },
    SHRINKING_MS,
  );
});
