import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJournal } from '../../src/persistence/journal.ts';
import { startTestSystem, type TestSystem } from '../../src/testing/test-system.ts';
import { type BossPlan, OtpModel, type Picture, pictured, type Restart, treeOf, type WorkerPlan } from './otp-model.ts';
import { agents, notes, tell, worker } from './worker.ts';

/** All of them take some three seconds. */
const RUNS = process.env['CI'] === 'true' ? 40 : 15;

/** Time to find the shortest story when one fails. */
const SHRINKING_MS = 120_000;

type Step =
  | { readonly kind: 'note' | 'explode' | 'choke' | 'finish'; readonly pick: number; readonly isCutOff: boolean }
  | { readonly kind: 'spawn'; readonly pick: number; readonly restart: Restart }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'crash' };

const restart = fc.constantFrom<Restart>('permanent', 'transient', 'temporary');
const workerPlan: fc.Arbitrary<WorkerPlan> = fc.record({ restart });
const { boss: bossPlan } = fc.letrec<{ boss: BossPlan }>((tie) => ({
  boss: fc.record({
    restart,
    strategy: fc.constantFrom('one_for_one', 'one_for_all', 'rest_for_one'),
    intensity: fc.nat({ max: 3 }),
    periodMs: fc.constantFrom(500, 1_000, 60_000),
    children: fc.array(fc.oneof({ depthSize: 'small', withCrossShrink: true }, workerPlan, tie('boss')), { minLength: 1, maxLength: 3 }),
  }),
}));

const pick = fc.nat({ max: 1_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('note', 'choke', 'finish'), pick, isCutOff: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('explode'), pick, isCutOff: fc.constant(false) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('spawn'), pick, restart }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait'), ms: fc.constantFrom(1, 499, 500, 501, 2_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash') }) },
);

/** What the system looks like, in the words of the model. */
function pictureOf(test: TestSystem): Picture {
  const picture: Picture = {};
  const visit = ({ address, agent, restarts, children }: ReturnType<TestSystem['system']['tree']>): void => {
    const context = test.system.snapshot(address)?.context as { window: readonly number[]; intensity: number };
    if (agent === 'boss') expect(context.window.length).toBeLessThanOrEqual(context.intensity);
    picture[address] = pictured(restarts, agent === 'boss' ? context.window.length : notes(test, address)!);
    children.forEach(visit);
  };
  visit(test.system.tree());
  return picture;
}

async function take(step: Step, test: TestSystem, model: OtpModel): Promise<void> {
  if (step.kind === 'wait') {
    await test.advance(step.ms);
    model.nowMs += step.ms;
  } else if (step.kind === 'crash') await crash(test);
  else if (step.kind === 'spawn') {
    const boss = model.bosses()[step.pick % model.bosses().length]!;
    await test.system.spawn(worker, model.spawn(boss, { restart: step.restart }), { under: boss.address, restart: step.restart });
  } else if (model.workers().length > 0) await order(step, test, model);
  await test.settle();
  if (test.system.snapshot('root')?.status !== 'active') await test.restart();
  // Two that choke in a row suspend: somebody has a look and lets it go on.
  for (const { address } of model.workers()) if (test.system.snapshot(address)?.status === 'suspended') await test.system.resume(address);
}

async function order({ kind, pick, isCutOff }: Extract<Step, { isCutOff: boolean }>, test: TestSystem, model: OtpModel): Promise<void> {
  const target = model.workers()[pick % model.workers().length]!;
  await tell(test, target.address, kind, `${kind}${pick}`);
  // The host dies with whatever part of the consequences is durable by now.
  if (isCutOff) await crash(test);
  if (kind !== 'choke') target.strikes = 0;
  if (kind === 'note') target.notes.push(`${kind}${pick}`);
  else if (kind === 'choke') model.choke(target);
  else model.exit(target, kind === 'finish' ? 'normal' : 'error');
}

async function crash(test: TestSystem): Promise<void> {
  await test.crash();
  await test.restart();
}

/** Takes everything out of the tree: what the code declared, then what was spawned under the root. */
async function clear(test: TestSystem): Promise<void> {
  await test.crash();
  await test.restart({ tree: { children: [{ id: 'cleaner', agent: 'manager' }] } });
  for (const { address: id } of test.system.tree().children) {
    if (id !== 'cleaner') await test.system.send('cleaner', { type: 'dismiss', id } as never);
  }
  await test.settle();
  await test.crash();
  await test.restart({ tree: { children: [] } });
}

/** Rows of the store by table, once the system has stopped. Children that have ended have records with their Boss. */
async function rowsOf(test: TestSystem): Promise<Record<string, number>> {
  await test.system.stop();
  const journal = createJournal(test.store);
  const { rows, states } = await journal.open({ Class: class {}, encode: () => ({ life: 0, address: '' }), decode: (fields) => fields });
  await journal.close();
  const sizeOf = (table: 'i' | 'a' | 'm' | 't' | 'f' | 'u') => rows.get(table)?.size ?? 0;
  const bosses = new Set([...(rows.get('b')?.keys() ?? [])].map((key) => key.slice(0, key.indexOf('!'))));
  return { i: sizeOf('i'), a: sizeOf('a'), m: sizeOf('m'), t: sizeOf('t'), f: sizeOf('f'), u: sizeOf('u'), states: states.size, bosses: bosses.size };
}

describe('any tree of Bosses and workers, whatever befalls it', () => {
  it('is at all times as the model of OTP says, never beyond an intensity, and leaves nothing behind', async () => {
    const life = fc.asyncProperty(bossPlan, fc.array(step, { minLength: 5, maxLength: 25 }), async (plan, steps) => {
      const model = new OtpModel(plan);
      const test = await startTestSystem({ agents, tree: treeOf(plan) });
      expect(pictureOf(test)).toEqual(model.picture());
      for (const next of steps) {
        await take(next, test, model);
        expect(pictureOf(test)).toEqual(model.picture());
      }
      await clear(test);
      expect(test.system.tree()).toMatchObject({ children: [], mailbox: 0 });
      expect(await rowsOf(test)).toEqual({ i: 1, a: 1, m: 0, t: 0, f: 0, u: 0, states: 1, bosses: 1 });
    });
    await fc.assert(life, { numRuns: RUNS });
  }, SHRINKING_MS);
});
