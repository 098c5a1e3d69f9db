/**
 * A user's program, run with the copies of XState and zod in its folder: machines of most kinds, on both step engines
 * and on disk, over a restart. It ends with an error, or prints the versions of the copies.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystem, defineAgent, levelStore, record, reply, secret } from 'bosun';
import {
  and,
  assign,
  emit,
  fromCallback,
  fromPromise,
  not,
  raise,
  sendParent,
  sendTo,
  setup,
  spawnChild,
} from 'xstate';
import { z } from 'zod';

const line = setup({
  actions: { tell: sendParent(({ context }) => ({ type: 'line.told', n: context.n })) },
}).createMachine({
  id: 'line',
  context: ({ input }) => ({ n: input.n }),
  initial: 'open',
  states: { open: { on: { 'line.close': { target: 'closed', actions: 'tell' } } }, closed: { type: 'final' } },
});

const order = setup({
  actors: {
    charge: fromPromise(async ({ input }) => ({ receipt: `r-${input.amount}` })),
    watch: fromCallback(({ sendBack }) => sendBack({ type: 'seen' })),
    line,
  },
  actions: { note: record('notes', ({ event }) => ({ what: event.type })) },
  guards: { isLarge: ({ event }) => event.amount > 10, isSmall: not('isLarge') },
  delays: { soon: 10 },
}).createMachine({
  id: 'order',
  context: { amount: 0, receipt: null, told: 0, seen: 0, log: [] },
  type: 'parallel',
  states: {
    work: {
      initial: 'open',
      states: {
        open: {
          entry: spawnChild('line', { id: 'line', input: { n: 7 } }),
          on: {
            place: [
              { guard: and(['isSmall']), target: 'small' },
              { guard: 'isLarge', target: 'charging', actions: assign({ amount: ({ event }) => event.amount }) },
            ],
          },
        },
        small: { always: 'open' },
        charging: {
          entry: 'note',
          invoke: {
            src: 'charge',
            input: ({ context }) => ({ amount: context.amount }),
            onDone: { target: 'paid', actions: assign({ receipt: ({ event }) => event.output.receipt }) },
          },
        },
        paid: {
          entry: [sendTo('line', { type: 'line.close' }), emit({ type: 'paid' })],
          after: { soon: 'kept' },
        },
        kept: { entry: raise({ type: 'hidden' }) },
      },
    },
    watching: { invoke: { src: 'watch' } },
  },
  on: {
    seen: { actions: assign({ seen: ({ context }) => context.seen + 1 }) },
    hidden: { actions: assign({ log: ({ context }) => [...context.log, 'hidden'] }) },
    'line.told': { actions: assign({ told: ({ event }) => event.n }) },
    state: { actions: reply(({ context }) => ({ receipt: context.receipt })) },
  },
});

const agent = defineAgent({
  name: 'order',
  machine: order,
  events: {
    place: z.object({
      amount: z.number().positive(),
      pin: secret(z.string()).default('none'),
      at: z.date().optional(),
    }),
    state: z.strictObject({}),
  },
  records: { notes: { schema: z.object({ what: z.string() }) } },
  shown: { context: z.object({ receipt: z.string().nullable() }) },
});

async function smoke(stepEngine) {
  const directory = mkdtempSync(join(tmpdir(), 'bosun-smoke-'));
  const started = () =>
    createSystem({
      agents: [agent],
      store: levelStore(directory),
      tree: { children: [{ id: 'o', agent: 'order' }] },
      stepEngine,
    }).start();
  try {
    let system = await started();
    await assert.rejects(system.send('o', { type: 'place', amount: -1 }), { code: 'BOSUN_EVENT_INVALID' });
    await system.send('o', { type: 'place', amount: 3 });
    await system.send('o', { type: 'place', amount: 12 });
    const paid = ({ value }) => ['paid', 'kept'].includes(value.work);
    await (await system.actor('o', agent)).waitFor(paid);
    await system.stop();
    system = await started();
    const { context } = await (await system.actor('o', agent)).waitFor(({ value }) => value.work === 'kept');
    assert.deepEqual(await system.ask('o', { type: 'state' }), { receipt: 'r-12' });
    assert.equal(context.told, 7);
    assert.ok(context.seen >= 1);
    assert.deepEqual(context.log, ['hidden']);
    const { records } = await system.records.list('o', 'notes');
    assert.deepEqual(
      records.map(({ value }) => value),
      [{ what: 'place' }],
    );
    await system.stop();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

for (const stepEngine of ['plan', 'xstate']) await smoke(stepEngine);
const versionOf = (name) =>
  JSON.parse(readFileSync(createRequire(import.meta.url).resolve(`${name}/package.json`), 'utf8')).version;
console.log(`xstate ${versionOf('xstate')}, zod ${versionOf('zod')}`);
