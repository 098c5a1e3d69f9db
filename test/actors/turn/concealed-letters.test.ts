/** Dead letters whose values are encrypted, in a run without the key: they stay until a run has the key. */
import { assign, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { secret } from '../../../src/actors/model/secret.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { code } from '../../support/actors/account.ts';
import { started } from '../../support/actors/started.ts';
import { contextOf } from '../../support/actors/subject.ts';
import { drawnBytes } from '../../support/chance.ts';

const PIN = z.object({ pin: secret(z.string()) });

/** The pins reported, and whether reporting fails. */
const desk = { reported: [] as string[], isShut: true };

const vault = defineAgent({
  name: 'vault',
  machine: setup({
    types: {} as { context: { pin: string | null }; events: { type: 'keep' | 'break' | 'note'; pin: string } },
    actions: {
      report: (_, { pin }: { pin: string }) => {
        if (desk.isShut) throw new Error('shut');
        desk.reported.push(pin);
      },
    },
  }).createMachine({
    context: { pin: null },
    on: {
      keep: { actions: assign({ pin: ({ event }) => event.pin }) },
      break: {
        actions: assign(() => {
          throw new Error('broken');
        }),
      },
      note: { actions: { type: 'report', params: ({ event }) => ({ pin: event.pin }) } },
    },
  }),
  events: { keep: PIN, break: PIN, note: PIN },
  actions: { report: { durable: true, retry: { attempts: 1 } } },
});

/** A letter about one event of the vault, in a run without the key; `withKey` is the next run. */
async function letterOf(type: 'break' | 'note'): Promise<{ test: TestSystem; withKey: () => Promise<void> }> {
  const secretKey = drawnBytes(32, 'the key of concealed letters').toString('base64');
  const test = await started({
    agents: [vault],
    secretKey,
    tree: { intensity: 100, children: [{ id: 'v', agent: 'vault' }] },
  });
  [desk.reported, desk.isShut] = [[], true];
  await test.shard.send('v', { type, pin: '4711' });
  await test.settle();
  desk.isShut = false;
  const next = async (key: string | undefined) => {
    await test.crash();
    await test.restart({ secretKey: key });
  };
  await next(undefined);
  return { test, withKey: () => next(secretKey) };
}

const numberIn = (test: TestSystem) => test.shard.deadLetters.list()[0]!.number;

describe('a dead letter in a run without the key for its secret', () => {
  it.each(['break', 'note'] as const)(
    'refuses redelivery, and can be redelivered by a run that has the key (%s)',
    async (type) => {
      const { test, withKey } = await letterOf(type);
      await expect(test.shard.deadLetters.redeliver(numberIn(test))).rejects.toEqual(code('BOSUN_SECRET_KEY'));
      expect(test.shard.deadLetters.list()).toHaveLength(1);
      await withKey();
      await test.shard.deadLetters.redeliver(numberIn(test));
      await test.settle();
      expect([desk.reported, test.shard.deadLetters.list().length]).toEqual(type === 'note' ? [['4711'], 0] : [[], 1]);
    },
  );

  it('refuses replacement by another event until a run has the key', async () => {
    const { test, withKey } = await letterOf('break');
    const replaced = test.shard.deadLetters.edit(numberIn(test), { type: 'keep', pin: '0815' });
    await expect(replaced).rejects.toEqual(code('BOSUN_SECRET_KEY'));
    await withKey();
    await test.shard.deadLetters.edit(numberIn(test), { type: 'keep', pin: '0815' });
    await test.settle();
    expect([contextOf(test, 'v'), test.shard.deadLetters.list()]).toEqual([{ pin: '0815' }, []]);
  });
});
