/** One child that fails again and again, in a system where nobody declared that it may end the others. */
import { describe, expect, it } from 'vitest';
import { assign, fromCallback, fromPromise, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { type BossOptions } from '../../src/supervisor/child-spec.ts';
import { startSpreadTestSystem } from '../../src/testing/spread-test-system.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { type TestSystem, type TestSystemOptions } from '../../src/testing/test-system.ts';
import { crash, started } from '../support/actors/started.ts';
import { agents, notes, reasonOfClosing, restarts, told, worker } from '../support/supervisor/worker.ts';

const X = { id: 'x', agent: 'caller' } as const;
const Y = { id: 'y', agent: 'worker' } as const;

/** Calls of a child: their times, and whether the next one succeeds. */
class Line {
  readonly calls: number[] = [];
  isOpen = false;
  nowMs = () => 0;

  call(): string {
    this.calls.push(this.nowMs());
    if (!this.isOpen) throw new Error('429');
    return 'answer';
  }

  /** Times from each call to the next, in seconds. */
  get pausesS(): number[] {
    return this.calls.slice(1).map((atMs, index) => (atMs - this.calls[index]!) / 1_000);
  }
}

/** An agent that calls at its start and does not handle a failure of the call. */
function caller(line: Line, effects: Record<string, object> = {}) {
  return defineAgent({
    name: 'caller',
    machine: setup({
      types: {} as { context: { answer: string | null } },
      actors: { call: fromPromise(() => Promise.resolve().then(() => line.call())) },
    }).createMachine({
      id: 'caller',
      context: { answer: null },
      initial: 'calling',
      states: {
        calling: {
          invoke: {
            src: 'call',
            onDone: { target: 'done', actions: assign({ answer: ({ event }) => event.output }) },
          },
        },
        done: {},
      },
    }),
    events: {},
    effects: effects as never,
  });
}

/** An agent whose starts fail: in its context, or in the entry action of its first state. */
function unlucky(line: Line, place: 'context' | 'entry') {
  return defineAgent({
    name: 'caller',
    machine: setup({
      types: {} as { context: { made: string }; events: { type: 'note' } },
    }).createMachine({
      id: 'caller',
      context: () => ({ made: place === 'context' ? line.call() : 'anyhow' }),
      entry: () => void (place === 'entry' && line.call()),
      on: { note: { actions: assign({ made: 'noted' }) } },
    }),
    events: { note: z.object({}) },
  });
}

async function beside(
  agent: ReturnType<typeof caller> | ReturnType<typeof unlucky>,
  line: Line,
  { tree = { children: [X, Y] }, ...options }: Omit<TestSystemOptions, 'agents'> = {},
): Promise<TestSystem> {
  const clock = new VirtualClock();
  line.nowMs = () => clock.wallMs();
  return started({ ...options, clock, agents: [agent, ...agents], tree });
}

/** Kills the process, which loses no write that the operating system has taken, and starts the next one. */
async function killed(test: TestSystem): Promise<void> {
  await test.crash({ keepUnsynced: Infinity });
  await test.restart();
}

const statusOf = (test: TestSystem, address = 'x') => test.shard.tree(address).status;
const linesOf = (test: TestSystem) => test.logged.flat().map(String);
const waitOf = (test: TestSystem) => test.shard.admin.waiting().find(({ kind }) => kind === 'effect');

describe('an invoked promise that rejects, and whose machine does not handle that', () => {
  it.each(['disk', 'process'] as const)(
    'ends nobody, at no start of the host, with durability %s (S5)',
    async (durability) => {
      const line = new Line();
      const test = await beside(caller(line), line, { durability });
      for (let start = 0; start < 3; start++) {
        await test.advance(60_000);
        await told(test, 'y', 'note', `start ${start}`);
        await (durability === 'disk' ? crash : killed)(test);
      }
      expect(notes(test, 'y')).toEqual(['start 0', 'start 1', 'start 2']);
      expect([statusOf(test), linesOf(test).filter((one) => one.includes('gave up'))]).toEqual(['active', []]);
      line.isOpen = true;
      await test.advance(36_000);
      expect(test.shard.snapshot('x')).toMatchObject({ value: 'done', context: { answer: 'answer' } });
    },
  );

  it('is called again after 1 s, doubled up to 30 s, and a fifth of that at random (S5)', async () => {
    const line = new Line();
    const test = await beside(caller(line), line);
    await test.advance(180_000);
    for (const [index, s] of [1, 2, 4, 8, 16, 30, 30].entries()) {
      expect(line.pausesS[index]).toBeGreaterThanOrEqual(s);
      expect(line.pausesS[index]).toBeLessThanOrEqual(s * 1.2 + 0.01);
    }
    expect(restarts(test, 'x')).toBe(line.calls.length);
  });

  it('has a machine that takes events while the promise waits, and a wait that can be seen (S5)', async () => {
    const line = new Line();
    const test = await beside(caller(line), line);
    await test.advance(1_500);
    expect(line.calls).toHaveLength(2);
    const wait = waitOf(test)!;
    expect(wait).toMatchObject({ address: 'x', for: 'x/0.caller.calling', state: 'calling', sinceMs: null });
    expect(wait.untilMs! - line.calls[1]!).toBeGreaterThanOrEqual(2_000);
    expect(statusOf(test)).toBe('active');
  });

  it('waits on over a crash of the host: a start does not call before the time (S5)', async () => {
    const line = new Line();
    const test = await beside(caller(line), line);
    await test.advance(20_000);
    const { untilMs } = waitOf(test)!;
    const calls = line.calls.length;
    await crash(test);
    await crash(test);
    expect([waitOf(test)!.untilMs, line.calls.length]).toEqual([untilMs, calls]);
    await test.advance(untilMs! - test.clock.wallMs());
    expect(line.calls).toHaveLength(calls + 1);
    await test.advance(16_000);
    expect(line.calls).toHaveLength(calls + 1);
  });

  it('waits likewise after the last try that its own policy allows (S5)', async () => {
    const line = new Line();
    const retry = { attempts: 2, backoff: { minMs: 100, factor: 1, jitter: 0 } };
    const test = await beside(caller(line, { call: { retry } }), line);
    await test.advance(1_500);
    expect(line.pausesS[0]).toBeCloseTo(0.1, 1);
    expect(line.pausesS[1]).toBeGreaterThanOrEqual(1);
    expect(line.pausesS[2]).toBeCloseTo(0.1, 1);
    expect(line.calls).toHaveLength(4);
  });

  it('does not wait twice where the backoff of the child has delayed its restart (S5)', async () => {
    const line = new Line();
    const backoff = { minMs: 100, maxMs: 100, jitter: 0, resetAfterMs: 60_000 };
    const test = await beside(caller(line), line, { tree: { children: [{ ...X, backoff }, Y] } });
    await test.advance(250);
    expect(line.calls).toHaveLength(3);
  });

  it('begins again with 1 s after it has run well (S5)', async () => {
    const fallen: (() => void)[] = [];
    const agent = defineAgent({
      name: 'caller',
      machine: setup({
        actors: {
          listen: fromPromise(() => new Promise((_, reject) => fallen.push(() => reject(new Error('cut off'))))),
        },
      }).createMachine({ id: 'caller', initial: 'on', states: { on: { invoke: { src: 'listen' } } } }),
      events: {},
    });
    const test = await started({ agents: [agent], tree: { children: [X] } });
    const next = async () => {
      fallen.at(-1)!();
      await test.settle();
      return waitOf(test)!.untilMs! - test.clock.wallMs();
    };
    await next();
    await test.advance(1_200);
    expect(await next()).toBeGreaterThanOrEqual(2_000);
    await test.advance(2_400 + 3_600_000);
    expect(await next()).toBeLessThanOrEqual(1_200);
  });

  it('is not told of events while it waits, as a callback (S5)', async () => {
    const heard: string[] = [];
    const agent = defineAgent({
      name: 'caller',
      machine: setup({
        actors: {
          ear: fromCallback(({ receive }) => {
            heard.push('starts');
            receive(({ type }) => heard.push(type));
            throw new Error('deaf');
          }),
        },
      }).createMachine({ id: 'caller', initial: 'on', states: { on: { invoke: { src: 'ear' } } } }),
      events: {},
    });
    const test = await started({ agents: [agent, ...agents], tree: { children: [X, Y] } });
    await test.advance(4_000);
    expect(heard).toEqual(['starts', 'starts', 'starts']);
  });
});

describe('a child that fails at each start', () => {
  it.each(['context', 'entry'] as const)(
    'is suspended with its reason, and the rest lives: in its %s (S5)',
    async (place) => {
      const line = new Line();
      const test = await beside(unlucky(line, place), line, { tree: { children: [{ ...X, resume: 'initial' }, Y] } });
      expect([line.calls.length, test.shard.tree('x').restartInMs]).toEqual([4, 5_000]);
      await test.advance(5_000);
      expect([line.calls.length, statusOf(test)]).toEqual([8, 'suspended']);
      expect(test.shard.tree('x').lastError).toMatchObject({
        code: 'BOSUN_ACTOR_FAILING',
        message: expect.stringMatching(/^x: failed 8 times .* 429.*bosun resume x/),
      });
      await told(test, 'y', 'note');
      expect(notes(test, 'y')).toEqual(['note']);
    },
  );

  it('stays suspended at each start of the host, and starts nothing (S5)', async () => {
    const line = new Line();
    const test = await beside(unlucky(line, 'context'), line);
    await test.advance(5_000);
    for (let start = 0; start < 3; start++) {
      await crash(test);
      await test.advance(60_000);
    }
    expect([line.calls.length, statusOf(test)]).toEqual([8, 'suspended']);
  });

  it('waits for its second chance over a crash of the host (S5)', async () => {
    const line = new Line();
    const test = await beside(unlucky(line, 'context'), line);
    await crash(test);
    await test.advance(4_990);
    expect(line.calls).toHaveLength(4);
    await test.advance(10);
    expect(statusOf(test)).toBe('suspended');
  });

  it('starts again when it is resumed, with its mailbox and with a fresh count (S5)', async () => {
    const line = new Line();
    const test = await beside(unlucky(line, 'context'), line);
    await test.shard.send('x', { type: 'note' });
    await test.advance(5_000);
    await test.shard.resume('x');
    await test.settle();
    expect([line.calls.length, test.shard.tree('x').restartInMs]).toEqual([12, 5_000]);
    await test.advance(5_000);
    expect([line.calls.length, statusOf(test)]).toEqual([16, 'suspended']);
    line.isOpen = true;
    await test.shard.resume('x');
    await test.settle();
    expect(test.shard.snapshot('x')).toMatchObject({ status: 'active', context: { made: 'noted' } });
  });

  it('starts at the next start if it was resumed in a store on hold (S5)', async () => {
    const line = new Line();
    const test = await beside(unlucky(line, 'context'), line);
    await test.advance(5_000);
    await test.crash();
    await test.restart({ hold: true });
    await test.shard.resume('x');
    await test.settle();
    expect(line.calls).toHaveLength(8);
    line.isOpen = true;
    await test.crash();
    await test.restart({ hold: false });
    expect(test.shard.snapshot('x')?.status).toBe('active');
  });

  it('goes on from the committed state when it is resumed, if that was to be its restart (S5)', async () => {
    const test = await started({ agents, tree: { children: [{ ...Y, id: 'x' }] } });
    await told(test, 'x', 'note', 'kept');
    for (let n = 0; n < 4; n++) await told(test, 'x', 'explode');
    await test.advance(5_000);
    for (let n = 0; n < 4; n++) await told(test, 'x', 'explode');
    expect(statusOf(test)).toBe('suspended');
    await crash(test);
    await test.shard.resume('x');
    await test.settle();
    expect(notes(test, 'x')).toEqual(['kept']);
    for (let n = 0; n < 3; n++) await told(test, 'x', 'explode');
    expect(statusOf(test)).toBe('active');
  });

  it('can be ended, and replaced by the code, while it is suspended (S5)', async () => {
    const line = new Line();
    const test = await beside(unlucky(line, 'context'), line);
    await test.advance(5_000);
    await test.crash();
    await test.restart({ tree: { children: [{ id: 'x', agent: 'worker' }, Y] } });
    await told(test, 'x', 'note');
    expect(notes(test, 'x')).toEqual(['note']);
  });

  it('has a line in the log for each crash, whose last one says what followed (S5)', async () => {
    const line = new Line();
    const test = await beside(unlucky(line, 'context'), line);
    await test.advance(5_000);
    expect(linesOf(test)).toHaveLength(9);
    expect(linesOf(test)[3]).toMatch(/^x \(caller 1\) crashed: 429; restarts at /);
    expect(linesOf(test)[8]).toBe(
      'x (caller 1) crashed: 429; was suspended after 8 failures, until it is resumed: bosun resume x ' +
        '(7 restarts so far; its Boss allows 3 in 5000 ms)',
    );
  });
});

describe('a Boss of which nobody said that it escalates', () => {
  const explodes = async (test: TestSystem, address: string, times: number) => {
    for (let n = 0; n < times; n++) await told(test, address, 'explode');
  };
  const pair: BossOptions = { children: [{ ...Y, id: 'x' }, Y] };

  it('counts the failures of each child by themselves (S5)', async () => {
    const test = await started({ agents, tree: pair });
    await explodes(test, 'x', 3);
    await explodes(test, 'y', 3);
    expect(['x', 'y'].map((id) => [restarts(test, id), statusOf(test, id)])).toEqual([
      [3, 'active'],
      [3, 'active'],
    ]);
  });

  it('suspends no child that was well for a period in between (S5)', async () => {
    const test = await started({ agents, tree: pair });
    for (let n = 0; n < 3; n++) {
      await explodes(test, 'x', 4);
      expect(statusOf(test, 'x')).toBe('error');
      await test.advance(10_000);
    }
    expect(statusOf(test, 'x')).toBe('active');
  });

  it('keeps trying a child that cannot be born because its name is taken (S5)', async () => {
    const holder = { ...Y, id: 'holder', systemId: 'desk', restart: 'temporary' } as const;
    const late = { ...Y, id: 'late', systemId: 'desk' };
    const test = await started({ agents, tree: { children: [holder, late] } });
    await test.advance(60_000);
    expect(test.shard.snapshot('late')).toBeUndefined();
    await told(test, 'holder', 'finish');
    await test.advance(5_000);
    expect(test.shard.snapshot('late')?.status).toBe('active');
  });

  it('suspends a Boss below it that gives up again and again (S5)', async () => {
    const team = { id: 'team', boss: { intensity: 0, children: [{ id: 's', agent: 'stillborn' }] } };
    const test = await started({ agents, tree: { children: [team, Y] } });
    await test.advance(5_000);
    expect([statusOf(test, 'team'), statusOf(test, 'y')]).toEqual(['suspended', 'active']);
    await test.shard.resume('team');
    await test.settle();
    expect(statusOf(test, 'team')).not.toBe('suspended');
  });

  it('may be a Boss below another, which then never hears of it (S5)', async () => {
    const team = { id: 'team', boss: { children: [{ id: 's', agent: 'stillborn' }, Y] } };
    const test = await started({ agents, tree: { intensity: 0, children: [team] } });
    await test.advance(5_000);
    expect([statusOf(test, 'team/s'), statusOf(test, 'team/y'), restarts(test, 'team')]).toEqual([
      'suspended',
      'active',
      0,
    ]);
  });

  it('is on both workers of a spread system (S5)', async () => {
    const children = Array.from({ length: 8 }, (_, n) => ({
      id: `c${n}`,
      agent: n % 2 === 0 ? 'stillborn' : 'worker',
    }));
    const test = await startSpreadTestSystem({ workers: 2, agents, tree: { children } });
    await test.advance(5_000);
    const { children: below } = await test.system.tree();
    expect(below.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 4 }, () => 'active'),
      ...Array.from({ length: 4 }, () => 'suspended'),
    ]);
    await test.system.stop();
  });

  it.each([{ strategy: 'one_for_one' }, { intensity: 3 }, { periodMs: 5_000 }, { escalates: true }] as BossOptions[])(
    'differs from one with %o, which gives up as in OTP, and says the way out (S5)',
    async (options) => {
      const test = await started({ agents, tree: { ...options, children: [{ id: 's', agent: 'stillborn' }, Y] } });
      const { code, message } = await reasonOfClosing(test);
      expect(code).toBe('BOSUN_INTENSITY_EXCEEDED');
      expect(message).toContain('the root Boss gave up: s: no context');
      expect(message).toContain('bosun suspend s --data DIR');
    },
  );

  it('may have limits of its own: escalates is false beside them (S5)', async () => {
    const test = await started({
      agents: [worker],
      tree: { ...pair, escalates: false, intensity: 0, periodMs: 1_000 },
    });
    await explodes(test, 'x', 1);
    expect(statusOf(test, 'x')).toBe('error');
    await test.advance(1_000);
    await explodes(test, 'x', 1);
    expect(statusOf(test, 'x')).toBe('suspended');
  });
});
