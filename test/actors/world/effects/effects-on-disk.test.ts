/**
 * P7 on LevelDB, with every epoch folded at once: failures, checkpoints, memo results and durable actions are restored
 * from disk.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromPromise, setup } from 'xstate';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { actionOf, effectOf } from '../../../../src/actors/model/ref.ts';
import { levelStore } from '../../../../src/persistence/store/level-store.ts';
import { Shard } from '../../../../src/shard.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { declaredAgent, SECOND } from '../../../support/actors/declared.ts';
import { randomOf } from '../../../support/chance.ts';

const directory = mkdtempSync(join(tmpdir(), 'bosun-effects-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('retries, checkpoints and memo results go on over three restarts of the process on LevelDB', async () => {
  const lines: string[] = [];
  const ids = new Set<string>();
  const logic = fromPromise<string>(async ({ self }) => {
    const { effectId, attempt, memo, checkpoint, checkpointed } = effectOf(self);
    ids.add(effectId);
    const page = ((checkpointed as number | undefined) ?? 0) + 1;
    lines.push(`start ${attempt}, ${await memo('quote', () => `quoted at ${attempt}`)}, page ${page}`);
    await checkpoint(page);
    if (attempt === 4) return 'because';
    throw new Error('not yet');
  });
  const machine = setup({
    actors: { logic },
    actions: {
      mail: ({ self }) => {
        lines.push(`mail ${actionOf(self).attempt}`);
        throw new Error('no mail yet');
      },
    },
  }).createMachine({
    entry: 'mail',
    initial: 'on',
    states: { on: { invoke: { src: 'logic', onDone: 'done' } }, done: {} },
  });
  const retry = { attempts: 4, backoff: SECOND };
  const agent = declaredAgent(machine, { effects: { logic: { retry } }, actions: { mail: { durable: true, retry } } });
  const clock = new VirtualClock();
  const random = randomOf('retries on disk');
  const fold = { windowEpochs: 1, windowBytes: 1, sliceRecords: 1_000, sliceBytes: 1_000_000 };
  let system = new Shard({
    agents: [agent],
    store: levelStore(directory),
    clock,
    random,
    journal: { fold },
    log: () => {},
    tree: { children: [{ id: 'subject', agent: 'subject' }] },
  });
  onTestFinished(() => system.stop());
  const settle = async () => {
    // A write to the disk takes its time.
    for (let round = 0; round < 20; round++) {
      await new Promise<void>((resolve) => clock.defer(resolve));
      await system.idle();
    }
  };
  await system.start();
  for (const waitMs of [1_000, 2_000, 4_000]) {
    await settle();
    await system.stop();
    system = new Shard({
      agents: [agent],
      store: levelStore(directory),
      clock,
      random,
      journal: { fold },
      log: () => {},
      tree: { children: [{ id: 'subject', agent: 'subject' }] },
    });
    await system.start();
    await clock.advance(waitMs, settle);
  }
  expect(lines.filter((line) => line.startsWith('start'))).toEqual(
    [1, 2, 3, 4].map((n) => `start ${n}, quoted at 1, page ${n}`),
  );
  expect(lines.filter((line) => line.startsWith('mail'))).toEqual(['mail 1', 'mail 2', 'mail 3', 'mail 4']);
  expect([
    ids.size,
    system.snapshot('subject')?.value,
    system.deadLetters.list({ reason: 'quarantined' }),
  ]).toMatchObject([1, 'done', [{ action: { name: 'mail' } }]]);
});
