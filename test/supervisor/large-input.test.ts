/** Inputs of children as large as a value may be: a Boss writes each twice, to the child and to its record. */
import { assign, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/index.ts';
import { VALUE_BYTES_MAX } from '../../src/limits.ts';
import { startSpreadTestSystem } from '../../src/testing/spread-test-system.ts';
import { startTestSystem } from '../../src/testing/test-system.ts';

/** Less than a value may have, by what the event that carries it has besides. */
const LARGE = 'x'.repeat(VALUE_BYTES_MAX - 1_000);

const machine = setup({ types: {} as { context: { size: number; input: string }; input: string } }).createMachine({
  context: ({ input }) => ({ size: 0, input }),
  on: {
    measure: { actions: assign({ size: ({ context }) => context.input.length }) },
    BREAK: {
      actions: assign(() => {
        throw new Error('broken');
      }),
    },
  },
});
const reader = defineAgent({
  name: 'reader',
  machine,
  events: { measure: z.strictObject({}), BREAK: z.strictObject({}) },
});

describe('an input of almost as many bytes as a value may have', () => {
  const tree = { children: [{ id: 'declared', agent: 'reader', input: LARGE, resume: 'initial' as const }] };

  it('starts and restarts a child that the tree declares, and survives a crash of the host', async () => {
    const test = await startTestSystem({ agents: [reader], tree });
    await test.shard.send('declared', { type: 'BREAK' });
    await test.settle();
    await test.crash();
    await test.restart();
    await test.shard.send('declared', { type: 'measure' });
    await test.settle();
    expect(test.shard.snapshot('declared')?.context).toMatchObject({ size: LARGE.length });
  });

  it.each([
    [
      'an order to a Boss with all fields of a spec',
      'under',
      { agent: 'reader', restart: 'permanent', systemId: 'name' },
    ],
    ['a template', 'pool', {}],
  ])('starts a child by %s, of one kernel and over workers (B1)', async (_, boss, spec) => {
    const children = [
      { id: 'under', boss: { children: [] } },
      { id: 'pool', boss: { strategy: 'dynamic' as const, template: { agent: 'reader' } } },
    ];
    const test = await startTestSystem({ agents: [reader], tree: { children } });
    await test.shard.boss(boss).startChild({ ...spec, id: 'c', input: LARGE } as never);
    expect(test.shard.snapshot(`${boss}/c`)?.status).toBe('active');
    await test.shard.stop();
    const spread = await startSpreadTestSystem({ agents: [reader], workers: 2, tree: { children } });
    const started = spread.system.boss(boss).startChild({ ...spec, id: 'c', input: LARGE } as never);
    await spread.settle();
    expect(await started).toBe(`${boss}/c`);
    const stopped = spread.system.stop();
    await spread.settle();
    await stopped;
  });

  it('starts a child that a host spawns; a larger input is refused, and the system goes on', async () => {
    const test = await startTestSystem({ agents: [reader] });
    await test.shard.spawn(reader, 'spawned', { input: LARGE });
    await expect(test.shard.spawn(reader, 'larger', { input: `${LARGE}${LARGE}` })).rejects.toMatchObject({
      code: 'BOSUN_VALUE_REFUSED',
    });
    await test.shard.send('spawned', { type: 'measure' });
    await test.settle();
    expect(test.shard.snapshot('spawned')?.context).toMatchObject({ size: LARGE.length });
  });
});
