/** Declared priorities of events: high before normal before low, in order within a level, and none waits for ever. */
import { assign, raise, sendTo, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { defer, eventTimeout } from '../../../../src/actors/model/talk-actions.ts';
import { PRIORITY_RUN_MAX } from '../../../../src/limits.ts';
import { startTestSystem, type TestSystem } from '../../../../src/testing/test-system.ts';
import { withACrashAfterEveryEpoch } from '../../../support/supervisor/every-epoch.ts';
import { started } from '../../../support/actors/started.ts';

type Event =
  | { type: 'cancel'; n: number }
  | { type: 'work'; n: number }
  | { type: 'report'; n: number }
  | { type: 'sleep' }
  | { type: 'alarm'; n: number }
  | { type: 'self' };

const machine = setup({
  types: {} as { context: { notes: string[] }; events: Event },
  actions: {
    note: assign(({ context, event }) => ({
      notes: [...context.notes, 'n' in event ? `${event.type}${event.n}` : event.type],
    })),
  },
}).createMachine({
  context: { notes: [] },
  on: {
    cancel: { actions: 'note' },
    work: { actions: 'note' },
    report: { actions: 'note' },
    alarm: { actions: 'note' },
    sleep: {
      actions: [
        raise({ type: 'work', n: 0 }, { delay: 100, id: 'w' }),
        raise({ type: 'alarm', n: 0 }, { delay: 100, id: 'a' }),
      ],
    },
    self: {
      actions: [
        sendTo(({ self }) => self, { type: 'report', n: 9 }),
        sendTo(({ self }) => self, { type: 'work', n: 9 }),
        sendTo(({ self }) => self, { type: 'cancel', n: 9 }),
      ],
    },
  },
});

const numbered = z.object({ n: z.number() });
const events = { cancel: numbered, work: numbered, report: numbered, sleep: z.object({}), self: z.object({}) };
const worker = defineAgent({
  name: 'worker',
  machine,
  events,
  internal: ['alarm'],
  priorities: { cancel: 'high', report: 'low', alarm: 'high', work: 'normal' },
});
const OPTIONS = { agents: [worker], tree: { children: [{ id: 'w', agent: 'worker' }] } };

const start = () => started(OPTIONS);

/** Sends events together: all arrive before the first is taken. */
async function send(test: TestSystem, ...sent: Event[]): Promise<void> {
  await Promise.all(sent.map((event) => test.shard.send('w', event)));
  await test.settle();
}

const many = (type: 'cancel' | 'work' | 'report', count: number): Event[] =>
  Array.from({ length: count }, (_, n) => ({ type, n }));
const notes = (test: TestSystem) => (test.shard.snapshot('w')!.context as { notes: string[] }).notes;

describe('priority levels', () => {
  it('are taken high first, then normal, then low, each in order', async () => {
    const test = await start();
    await send(test, ...many('report', 2), ...many('work', 2), ...many('cancel', 2));
    expect(notes(test)).toEqual(['cancel0', 'cancel1', 'work0', 'work1', 'report0', 'report1']);
  });

  it('depend on the type of the event alone, whether the actor itself or a timer sends it', async () => {
    const test = await start();
    await send(test, { type: 'self' });
    expect(notes(test)).toEqual(['cancel9', 'work9', 'report9']);
    await send(test, { type: 'sleep' });
    await test.advance(100);
    expect(notes(test).slice(3)).toEqual(['alarm0', 'work0']);
  });

  it(`give a lower message its turn after ${PRIORITY_RUN_MAX} higher ones`, async () => {
    const test = await start();
    await send(test, ...many('report', 1), ...many('work', 2), ...many('cancel', 2 * PRIORITY_RUN_MAX + 2));
    const seen = notes(test);
    // The low message waited as long as the normal one, and its level had no turn since.
    expect([seen.indexOf('report0'), seen.indexOf('work0'), seen.indexOf('work1')]).toEqual([
      PRIORITY_RUN_MAX,
      PRIORITY_RUN_MAX + 1,
      2 * PRIORITY_RUN_MAX + 2,
    ]);
    expect(seen.filter((note) => note.startsWith('cancel'))).toEqual(
      many('cancel', 2 * PRIORITY_RUN_MAX + 2).map((_, n) => `cancel${n}`),
    );
  });

  it('keep their order over a crash of the host after any epoch', async () => {
    const { outcome, crashes } = await withACrashAfterEveryEpoch({
      options: () => OPTIONS,
      begin: async (test) => {
        await Promise.all(
          [...many('report', 30), ...many('work', 10), ...many('cancel', 5)].map((event) =>
            test.shard.send('w', event),
          ),
        );
      },
      unfoldMs: 0,
      outcome: notes,
    });
    expect(outcome).toEqual([
      ...many('cancel', 5).map((_, n) => `cancel${n}`),
      ...many('work', 10).map((_, n) => `work${n}`),
      ...many('report', 30).map((_, n) => `report${n}`),
    ]);
    expect(crashes).toBeGreaterThan(1);
  });

  it('apply to messages already in the mailbox after a start with other levels', async () => {
    const test = await start();
    await test.shard.stop();
    const hold = await startTestSystem({ ...OPTIONS, store: test.store, hold: true });
    await Promise.all(
      [...many('work', 1), ...many('cancel', 1), ...many('report', 1)].map((event) => hold.shard.send('w', event)),
    );
    await hold.settle();
    await hold.shard.stop();
    const other = defineAgent({
      name: 'worker',
      machine,
      events,
      internal: ['alarm'],
      priorities: { report: 'high', cancel: 'low' },
    });
    const last = await started({ ...OPTIONS, store: test.store, agents: [other] });
    expect(notes(last)).toEqual(['report0', 'work0', 'cancel0']);
  });
});

describe('defineAgent', () => {
  const define = (priorities: object) => () => defineAgent({ name: 'worker', machine, events, priorities });

  it('refuses a priority for an unhandled or reserved event, and an invalid level', () => {
    expect(define({ cancell: 'high' })).toThrow(
      expect.objectContaining({
        code: 'BOSUN_AGENT_INVALID',
        message: expect.stringContaining('did you mean "cancel"') as string,
      }) as Error,
    );
    expect(define({ 'bosun.down': 'high' })).toThrow(expect.objectContaining({ code: 'BOSUN_AGENT_INVALID' }) as Error);
    expect(define({ cancel: 'urgent' })).toThrow(
      expect.objectContaining({
        code: 'BOSUN_AGENT_INVALID',
        message: expect.stringContaining('high, normal, low') as string,
      }) as Error,
    );
  });
});

/** Misuses that the compiler refuses: once it accepts one, its directive is unused, which is an error. */
describe('the TypeScript types', () => {
  it('restrict priorities to events of the schemas and of the machine', () => {
    expect(worker.policies.priorities!.size).toBe(3);
    // @ts-expect-error no event of that name
    expect(() => defineAgent({ name: 'w', machine, events, priorities: { cancell: 'high' } })).toThrow();
    // @ts-expect-error no level of that name
    expect(() => defineAgent({ name: 'w', machine, events, priorities: { cancel: 'urgent' } })).toThrow();
    const loose = setup({}).createMachine({ on: { go: {} } });
    expect(() =>
      // @ts-expect-error where the machine does not name its events, the schemas do
      defineAgent({ name: 'w', machine: loose, events: { go: z.object({}) }, priorities: { gone: 'high' } }),
    ).toThrow();
  });

  it('restrict the event and the delay of eventTimeout to those of the machine', () => {
    const typed = setup({ types: {} as { events: { type: 'a' } | { type: 'b'; n: number } }, delays: { short: 10 } });
    const machine = typed.createMachine({
      on: {
        a: { actions: [eventTimeout('short', { type: 'b', n: 1 }), defer()] },
        // @ts-expect-error no event of the machine
        b: { actions: eventTimeout(1, { type: 'c' }) },
      },
      // @ts-expect-error no delay of the machine
      entry: eventTimeout('long', { type: 'a' }),
      // @ts-expect-error it takes nothing
      exit: defer('a'),
    });
    expect(machine.config).toBeTruthy();
  });
});
