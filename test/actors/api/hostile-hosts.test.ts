/**
 * Values that hosts give to a system, and code of hosts that the system calls: hostile values are refused with a code,
 * and a handler, a log or a step that throws disturbs no other actor.
 */
import { assign, createMachine, emit, type EventObject, log } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { reliable } from '../../../src/actors/api/reliable-random.ts';
import { systemClock } from '../../../src/clock.ts';
import { effectPolicy, isRetryable } from '../../../src/actors/model/effect-policy.ts';
import { BosunError, isBosunError } from '../../../src/errors.ts';
import { memoryStore } from '../../../src/persistence/store/memory-store.ts';
import { createSystem } from '../../../src/system.ts';
import { DamageReports } from '../../../src/system-store.ts';
import { startSpreadTestSystem } from '../../../src/testing/spread-test-system.ts';
import { type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { HARMS, hostile } from '../../support/actors/hostile/values.ts';
import { crash, started } from '../../support/actors/started.ts';
import { agentOf } from '../../support/actors/subject.ts';
import { sample } from '../../support/effort.ts';
import { unhandled } from '../../support/unhandled.ts';

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

/** An asynchronous callback, which rejects. Its type is that of a program without types. */
const rejects = (async () => {
  throw new Error('no network');
}) as () => unknown as () => never;

describe('code of a host that gives a promise (class D)', () => {
  /** The lines of the log about callbacks. */
  const failures = ({ logged }: TestSystem) => logged.map(String).filter((line) => line.includes('no network'));

  it('is one line of the log for each call if a handler is asynchronous and rejects', async () => {
    const test = await startCounter();
    const actor = await test.system.actor('counter');
    const handlers: Readonly<Record<string, () => unknown>> = {
      'a handler of turns': () => test.system.admin.onTurn('counter', rejects),
      'a handler of emitted events': () => test.system.onEmitted(rejects),
      'a handler of dead letters': () => test.system.deadLetters.subscribe(rejects),
      'an observer of counter': () => actor.subscribe({ next: rejects, error: rejects, complete: rejects }),
      'an observer': () => test.shard.actor('counter').on('counted', rejects),
    };
    const lost = await unhandled(async () => {
      await Promise.all(Object.values(handlers).map((listen) => listen()));
      actor.on('counted', rejects);
      await count(test);
      await test.shard.send('counter', { type: 'BREAK' });
      await test.settle();
      expect(new Set(failures(test))).toEqual(
        new Set(Object.keys(handlers).map((what) => `${what} failed: no network`)),
      );
      const before = failures(test).length;
      await test.shard.boss().terminateChild('counter');
      await test.settle();
      expect(failures(test).slice(before)).toContain('an observer of counter failed: no network');
    });
    expect(lost).toEqual([]);
  });

  it('is one line of the log if the first call of a handler rejects, or the last one of a late handler', async () => {
    const test = await startCounter();
    const actor = await test.system.actor('counter');
    const lost = await unhandled(async () => {
      test.shard.actor('counter').subscribe(rejects);
      expect(failures(test)).toEqual([]);
      await test.settle();
      expect(failures(test)).toHaveLength(1);
      await test.shard.boss().terminateChild('counter');
      await test.settle();
      actor.subscribe({ complete: rejects });
      await test.settle();
      expect(failures(test).at(-1)).toBe('an observer of counter failed: no network');
    });
    expect(lost).toEqual([]);
  });

  it('is one line of the log if a handler at one shard, or of damage, rejects', async () => {
    const test = await startCounter();
    const { shard } = test;
    const damage = new DamageReports((...line) => void test.logged.push(line));
    const lost = await unhandled(async () => {
      shard.admin.onTurn('counter', rejects);
      shard.onEmitted(rejects);
      shard.deadLetters.subscribe(rejects);
      shard.observe('counter', { changed: rejects });
      damage.watch(rejects);
      await count(test);
      damage.tell(new BosunError('BOSUN_STORE_DAMAGED', 'a record'));
      await test.settle();
    });
    expect(lost).toEqual([]);
    expect(failures(test).sort()).toEqual([
      'a handler of damage failed: no network',
      ...Array<string>(3).fill('an observer failed: no network'),
    ]);
  });

  it('is one line of the log if a handler of a system over workers rejects', async () => {
    const test = await startSpreadTestSystem({
      workers: 2,
      agents: [counter],
      tree: { children: [{ id: 'counter', agent: 'counter' }] },
    });
    const lost = await unhandled(async () => {
      await test.system.onEmitted(rejects);
      const actor = await test.system.actor('counter');
      actor.subscribe(rejects);
      await actor.send({ type: 'COUNT' });
      await test.settle();
    });
    expect(lost).toEqual([]);
    const lines = test.logged.map(String).filter((line) => line.includes('no network'));
    expect(lines.sort()).toEqual([
      'a handler of emitted events failed: no network',
      'an observer of counter failed: no network',
    ]);
  });

  it('does not disturb other observers of a handle if an observer throws', async () => {
    const test = await startCounter();
    const actor = await test.system.actor('counter');
    const told: number[] = [];
    actor.subscribe(() => {
      throw hostile('a proxy all of whose traps throw');
    });
    actor.subscribe(({ context }) => void told.push((context as { count: number }).count));
    await count(test);
    expect(told).toEqual([1]);
  });

  it('swallows the rejections of a log that is asynchronous', async () => {
    const test = await startCounter({ log: rejects });
    const lost = await unhandled(async () => {
      await test.shard.send('counter', { type: 'LOG', what: 'a function' } as EventObject);
      await count(test);
      expectedToCount(test, 1);
    });
    expect(lost).toEqual([]);
  });

  it.each(['resolves', 'rejects'])('refuses a condition of waitFor whose promise %s', async (how) => {
    const test = await startCounter();
    const condition = (): never => (how === 'rejects' ? rejects() : (Promise.resolve(false) as never));
    const lost = await unhandled(async () => {
      for (const actor of [test.shard.actor('counter'), await test.system.actor('counter')])
        await expect(actor.waitFor(condition)).rejects.toMatchObject({
          code: 'BOSUN_VALUE_REFUSED',
          message: expect.stringContaining('the condition of waitFor gives a promise') as string,
        });
    });
    expect(lost).toEqual([]);
  });

  it('refuses a replacement of a state that is a promise', async () => {
    const test = await startCounter();
    await test.shard.admin.suspend('counter', { by: 'ada' });
    const lost = await unhandled(() =>
      expect(test.shard.admin.replaceState('counter', rejects as never, { by: 'ada' })).rejects.toMatchObject({
        code: 'BOSUN_VALUE_REFUSED',
        message: expect.stringContaining('the function of replaceState gives a promise') as string,
      }),
    );
    expect(lost).toEqual([]);
  });

  it('leaves an actor without its agent if resolveAgent gives a promise, or what is no agent', async () => {
    const late = agentOf('late', counting, ['COUNT']);
    const test = await startCounter({ agents: [counter, late] });
    await test.shard.spawn(late, 'late');
    const lost = await unhandled(async () => {
      for (const given of [() => rejects(), () => Promise.resolve(late), () => ({ name: 'late' }), () => null]) {
        await test.crash();
        await test.restart({ agents: [counter], resolveAgent: given as never });
        expect(test.shard.unreadable()).toMatchObject([{ code: 'BOSUN_AGENT_UNKNOWN', details: { address: 'late' } }]);
      }
    });
    expect(lost).toEqual([]);
    const lines = test.logged.map(String).filter((line) => line.startsWith('resolveAgent'));
    expect(new Set(lines)).toEqual(
      new Set([
        'resolveAgent for the agent "late" gives a promise, and nobody waits for it here; do the work in an invoked ' +
          'promise, and use its result',
        'resolveAgent for the agent "late" gives something that is not an agent made by defineAgent',
      ]),
    );
  });

  it.each<[string, object]>([
    ['resolveAgent', { resolveAgent: async () => undefined }],
    ['random.next', { random: { next: async () => 0 } }],
    ['clock.wallMs', { clock: Object.assign(Object.create(systemClock) as object, { wallMs: async () => 0 }) }],
  ])('is refused by createSystem if it is visible: %s', (place, options) => {
    const create = () => createSystem({ agents: [], store: memoryStore(), ...options } as never);
    expect(create).toThrow(
      expect.objectContaining({
        code: 'BOSUN_CONFIG_INVALID',
        message: `createSystem: ${place}: must not be async: nobody waits for its promise`,
      }),
    );
  });

  it.each<[string, () => unknown, string]>([
    ['a promise', rejects, 'random.next failed: random.next gives a promise, and nobody waits for it here'],
    ['a text', () => '0.5', 'random.next gives what is not a number from 0 to below 1'],
    ['a number that is too high', () => 1, 'random.next gives what is not a number from 0 to below 1'],
    ['no number', () => Number.NaN, 'random.next gives what is not a number from 0 to below 1'],
  ])('has the runtime draw its own numbers, and say so once, if random gives %s', async (_, next, why) => {
    const lines: unknown[] = [];
    const own = { next: () => 0.25 };
    const random = reliable({ next } as never, { own, log: (line) => void lines.push(line) });
    const lost = await unhandled(async () => expect([random.next(), random.next()]).toEqual([0.25, 0.25]));
    expect(lost).toEqual([]);
    expect(lines).toEqual([expect.stringContaining(why)]);
  });

  it('counts as false, with one line of the log, if retryIf gives it', async () => {
    for (const retryIf of [rejects, () => Promise.resolve(true) as never, () => ({ then: () => {} }) as never]) {
      const policy = effectPolicy({ retry: { attempts: 3, retryIf } });
      const lines: string[] = [];
      const lost = await unhandled(async () => {
        expect(isRetryable(policy, new Error('e'), (line) => void lines.push(line))).toBe(false);
      });
      expect(lost).toEqual([]);
      expect(lines).toEqual([expect.stringMatching(/^retryIf gives a promise.*; the failure is final$/)]);
    }
  });

  it.each<[string, object]>([
    ['effects.fetch.retry.retryIf', { effects: { fetch: { retry: { attempts: 2, retryIf: async () => true } } } }],
    ['actions.mail.retry.retryIf', { actions: { mail: { durable: true, retry: { retryIf: async () => true } } } }],
    ['migrate.2', { version: 2, migrate: { 2: async () => ({}) } }],
    ['migrateChildren.kid.2', { version: 2, migrateChildren: { kid: { 2: async () => ({}) } } }],
  ])('is refused by defineAgent if it is visible: %s', (place, options) => {
    expect(() => defineAgent({ name: 'a', machine: counting, events: {}, ...options } as never)).toThrow(
      expect.objectContaining({
        code: 'BOSUN_AGENT_INVALID',
        message: `agent "a": ${place}: must not be async: nobody waits for its promise`,
      }),
    );
  });

  it.each(['gives', 'throws'])('is the reason why an actor is not migrated if a step of migrate %s it', async (how) => {
    const old = agentOf('old', counting, ['COUNT']);
    const test = await startCounter({ agents: [counter, old] });
    await test.shard.spawn(old, 'old');
    const step = () => {
      if (how === 'gives') return rejects();
      throw new Error('no network');
    };
    const next = defineAgent({ name: 'old', version: 2, machine: counting, events: {}, migrate: { 2: step } } as never);
    await test.crash();
    const lost = await unhandled(() => test.restart({ agents: [counter, next] }));
    expect(lost).toEqual([]);
    expect(test.shard.unreadable()).toMatchObject([
      {
        code: 'BOSUN_AGENT_UNREADABLE',
        message: expect.stringContaining(
          how === 'gives'
            ? 'old cannot be migrated: the migration of old to version 2 gives a promise'
            : 'old cannot be migrated: the migration to version 2 threw: no network',
        ) as string,
      },
    ]);
  });
});
