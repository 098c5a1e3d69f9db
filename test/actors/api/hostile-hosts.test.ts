/**
 * Values that hosts give to a system, and code of hosts that the system calls: hostile values are refused with a code,
 * and a handler, a log or a step that throws disturbs no other actor.
 */
import { assign, createMachine, emit, type EventObject, log } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { isBosunError } from '../../../src/errors.ts';
import { type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { HARMS, hostile } from '../../support/actors/hostile/values.ts';
import { crash, started } from '../../support/actors/started.ts';
import { agentOf } from '../../support/actors/subject.ts';
import { sample } from '../../support/effort.ts';

const counting = createMachine({
  context: { count: 0 },
  on: {
    COUNT: { actions: [assign(({ context }) => ({ count: context.count + 1 })), emit({ type: 'counted' })] },
    LOG: { actions: log(({ event }) => hostile((event as unknown as { what: string }).what)) },
    BREAK: {
      actions: assign(() => {
        throw new Error('broken');
      }),
    },
  },
});
/** A start is tried with these. */
const SOME = sample(HARMS, 12);

const counter = agentOf('counter', counting, ['COUNT', 'LOG', 'BREAK']);

const startCounter = (options: Partial<TestSystemOptions> = {}): Promise<TestSystem> =>
  started({
    agents: [counter],
    tree: { intensity: 1_000_000, children: [{ id: 'counter', agent: 'counter' }] },
    ...options,
  });

function expectedToCount(test: TestSystem, count: number): void {
  expect(test.shard.snapshot('counter')).toMatchObject({ status: 'active', context: { count } });
}

async function count(test: TestSystem): Promise<void> {
  await test.shard.send('counter', { type: 'COUNT' });
  await test.settle();
}

/** There is one for each value. */
function letterFor(system: TestSystem['shard'], what: string): number {
  return system.deadLetters.list()[HARMS.indexOf(what)]!.number;
}

/** Each promise resolves, or rejects with a BosunError. */
async function expectCodes(given: readonly Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(given)) {
    if (outcome.status === 'fulfilled') continue;
    expect(isBosunError(outcome.reason)).toBe(true);
    expect(JSON.parse(JSON.stringify(outcome.reason))).toMatchObject({
      name: 'BosunError',
      message: expect.any(String) as string,
    });
  }
}

describe('a system that is given a hostile value refuses it with a code', () => {
  it.each<[string, (test: TestSystem, what: string) => Promise<unknown>]>([
    ['an event', ({ shard: system }, what) => system.send('counter', hostile(what) as EventObject)],
    ['the type of an event', ({ shard: system }, what) => system.send('counter', { type: hostile(what) as string })],
    [
      'a field of an event',
      ({ shard: system }, what) => system.send('counter', { type: 'COUNT', it: hostile(what) } as never),
    ],
    ['what is asked', ({ shard: system }, what) => system.ask('counter', hostile(what) as never, { timeoutMs: 0 })],
    [
      'a field of what is asked',
      ({ shard: system }, what) => system.ask('counter', { type: 'COUNT', it: hostile(what) }, { timeoutMs: 0 }),
    ],
    [
      'an input',
      ({ shard: system }, what) =>
        system.spawn(counter, `kid ${what}`.replaceAll(/\W/g, '-'), { input: hostile(what) as never }),
    ],
    [
      'an edited dead letter',
      ({ shard: system }, what) =>
        system.deadLetters.edit(letterFor(system, what), { type: 'COUNT', it: hostile(what) } as never),
    ],
    [
      'the event of an edited dead letter',
      ({ shard: system }, what) => system.deadLetters.edit(letterFor(system, what), hostile(what) as EventObject),
    ],
    [
      'a context',
      ({ shard: system }, what) =>
        system.admin.replaceState('counter', { context: { it: hostile(what) } }, { by: 'ada' }),
    ],
    [
      'a replacement',
      ({ shard: system }, what) => system.admin.replaceState('counter', () => hostile(what) as never, { by: 'ada' }),
    ],
    [
      'a throw of a replacement',
      ({ shard: system }, what) =>
        system.admin.replaceState(
          'counter',
          () => {
            throw hostile(what);
          },
          { by: 'ada' },
        ),
    ],
  ])('%s (F1)', async (what, give) => {
    const test = await startCounter();
    // Two in a row would have the actor suspended.
    const breaks = what.includes('letter') ? HARMS : [];
    for (const type of breaks.flatMap(() => ['BREAK', 'COUNT'])) await test.shard.send('counter', { type });
    await test.settle();
    if (what.includes('context') || what.includes('replacement'))
      await test.shard.admin.suspend('counter', { by: 'ada' });
    const given = expectCodes(HARMS.map((harm) => give(test, harm)));
    await test.advance(1);
    await given;
    expect(test.shard.tree()).toMatchObject({ status: 'active' });
    await crash(test);
    expect(test.shard.tree()).toMatchObject({ status: 'active' });
  });

  it('an event for a schema whose code throws (F1)', async () => {
    const picky = defineAgent({
      name: 'counter',
      machine: counting,
      events: {
        COUNT: z.looseObject({}).refine(({ what }) => {
          throw hostile(what as string);
        }),
      },
    });
    const test = await startCounter({ agents: [picky] });
    for (const what of HARMS)
      await expect(test.shard.send('counter', { type: 'COUNT', what } as EventObject)).rejects.toMatchObject({
        code: 'BOSUN_EVENT_INVALID',
        message: expect.stringContaining('COUNT for counter: it cannot be checked: ') as string,
      });
  });
});

describe('code of a host that throws', () => {
  it('disturbs nothing if the log throws (F1)', async () => {
    const test = await startCounter({
      log: () => {
        throw hostile('an object without a prototype');
      },
    });
    for (const what of HARMS) await test.shard.send('counter', { type: 'LOG', what } as EventObject);
    await count(test);
    expectedToCount(test, 1);
    await crash(test);
    await count(test);
    expectedToCount(test, 2);
  });

  it('leaves an actor without its agent if resolveAgent throws, and starts the others (F1)', async () => {
    const late = agentOf('late', counting, ['COUNT']);
    const test = await startCounter({ agents: [counter, late] });
    await test.shard.spawn(late, 'late');
    for (const what of SOME) {
      await test.crash();
      const resolveAgent = (): never => {
        throw hostile(what);
      };
      await test.restart({ agents: [counter], resolveAgent });
      expect(test.shard.unreadable()).toMatchObject([{ code: 'BOSUN_AGENT_UNKNOWN', details: { address: 'late' } }]);
    }
    await count(test);
    expectedToCount(test, 1);
    await crash(test);
    await test.crash();
    await test.restart({ agents: [counter, late] });
    expect(test.shard.unreadable()).toEqual([]);
  });

  it.each(['gives', 'throws'])(
    'suspends the actor if a migration step %s something hostile, and starts the others (F1)',
    async (how) => {
      const old = agentOf('old', counting, ['COUNT']);
      const test = await startCounter({ agents: [counter, old] });
      await test.shard.spawn(old, 'old');
      for (const what of SOME) {
        const next = defineAgent({
          name: 'old',
          version: 2,
          machine: counting,
          events: old.events,
          migrate: {
            2: () => {
              if (how === 'throws') throw hostile(what);
              return hostile(what);
            },
          },
        } as never);
        await test.crash();
        await test.restart({ agents: [counter, next] });
        expect(test.shard.unreadable()).toMatchObject([{ code: 'BOSUN_AGENT_UNREADABLE' }]);
      }
      await count(test);
      expectedToCount(test, 1);
      await test.crash();
      await test.restart({ agents: [counter, old] });
      expect(test.shard.snapshot('old')).toMatchObject({ status: 'active' });
    },
  );

  it('does not disturb other handlers if a handler throws (F1)', async () => {
    const test = await startCounter();
    const told: string[] = [];
    const { shard: system } = test;
    const hearers: ((hear: (what: string) => void) => unknown)[] = [
      (hear) => system.admin.onTurn('counter', () => hear('turn')),
      (hear) => system.onEmitted(() => hear('emitted')),
      (hear) => system.actor('counter').on('counted', () => hear('on')),
      (hear) => {
        let isFirst = true;
        return system.actor('counter').subscribe(() => {
          if (!isFirst) hear('changed');
          isFirst = false;
        });
      },
    ];
    for (const listen of hearers) {
      listen(() => {
        throw hostile('a proxy all of whose traps throw');
      });
      listen((what) => void told.push(what));
    }
    await count(test);
    expect(told.sort()).toEqual(['changed', 'emitted', 'on', 'turn']);
    expectedToCount(test, 1);
  });
});
