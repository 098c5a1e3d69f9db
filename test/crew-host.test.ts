/** A crew that a host embeds: single tasks, a plan, gates and results, through `crew` of `bosun/crew`. */
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest';
import { setup } from 'xstate';
import { crew, type Crew, type OpenGate, type WorkContext, type WrittenPlan } from '../src/crew.ts';
import { memoryStore } from '../src/persistence/store/memory-store.ts';
import { type FaultyStore, faultyStore } from '../src/testing/faulty-store.ts';
import { VirtualClock } from '../src/testing/virtual-clock.ts';
import { code } from './support/actors/account.ts';
import { until } from './support/until.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/** The calls of the agents, in order. */
let did: string[] = [];
let held: Promise<void> | undefined;

const machine = setup({}).createMachine({ initial: 'a', states: { a: { type: 'final' } }, output: { made: true } });

const AGENTS = {
  upper: async (text: string, { attempt }: WorkContext) => {
    did.push(`upper ${text} ${attempt}`);
    await held;
    return text.toUpperCase();
  },
  flaky: async (times: number, { attempt }: WorkContext) => {
    if (attempt < times) throw Object.assign(new Error('not yet'), { errorType: 'timeout' });
    return attempt;
  },
  broken: async () => {
    throw Object.assign(new Error('no such thing'), { errorType: 'configuration_error' });
  },
  slow: async (_: unknown, { signal, item }: WorkContext) => {
    did.push(`slow ${item}`);
    return new Promise<void>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    );
  },
  doubter: async (_: unknown, { crew: asked }: WorkContext) =>
    asked.gate({ gate: 'odd', title: 'Is this right?', audience: ['ada'] }),
  checker: async (_: unknown, { crew: asked, attempt }: WorkContext) => {
    const { isValidated } = await asked.gate({ gate: 'look', title: 'Is this right?' });
    if (isValidated !== true) throw Object.assign(new Error('not yet'), { errorType: 'timeout' });
    return attempt;
  },
  talker: async (_: unknown, { crew: asked }: WorkContext) => asked.pause('tired'),
  quiet: () => {},
  machine,
};

const PLAN: WrittenPlan = {
  version: 1,
  plan: 'texts',
  stages: { shout: { agent: 'upper' }, check: { agent: 'quiet', after: ['shout'], gate: { name: 'look' } } },
  items: { one: 'a', two: 'b' },
};

/** Waits for a condition of the crew. */
const settled = (isSo: () => boolean | Promise<boolean>) => until(isSo, () => String(isSo));

let running: Crew | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
  [did, held] = [[], undefined];
});

async function started(changes: Partial<Parameters<typeof crew<typeof AGENTS>>[0]> = {}, clock = new VirtualClock()) {
  const store: FaultyStore = faultyStore();
  const begin = async () => {
    const begun = await crew({ agents: AGENTS, store, ...changes, system: { clock, log: () => {} } }).start();
    running = begun as unknown as Crew;
    return begun;
  };
  const crash = () => {
    (running!.system.inside as unknown as { abandon(): void }).abandon();
    store.crash();
  };
  return { team: await begin(), begin, crash, clock };
}

describe('a single task', () => {
  it('DC-011: is done by a function of the host, and done once for its id', async () => {
    const { team } = await started();
    expect(await team.run({ id: 't1', agent: 'upper', input: 'otter' })).toBe('OTTER');
    expect(await team.run({ id: 't1', agent: 'upper', input: 'otter' })).toBe('OTTER');
    expect(did).toEqual(['upper otter 1']);
    expect(await team.task('t1')).toMatchObject({ agent: 'upper', state: 'done', output: 'OTTER', error: null });
    expect(await team.task('t2')).toBe(undefined);
  });

  it('DC-011: survives a power cut while it is under way, and keeps its result over the next', async () => {
    let go = () => {};
    held = new Promise((resolve) => (go = resolve));
    const { team, begin, crash } = await started();
    expect(await team.submit({ id: 't1', agent: 'upper', input: 'otter' })).toMatchObject({ state: 'working' });
    await settled(() => did.length === 1);
    crash();
    go();
    const next = await begin();
    expect(await next.result('t1')).toBe('OTTER');
    expect(did).toEqual(['upper otter 1', 'upper otter 2']);
    crash();
    expect(await (await begin()).result('t1')).toBe('OTTER');
    expect(did).toHaveLength(2);
  });

  it('is tried again after failures, and fails in words when its attempts are used up (DC-011)', async () => {
    const { team, clock } = await started();
    const backoff = { minMs: 0, maxMs: 0 };
    expect(await team.run({ id: 'a', agent: 'flaky', input: 3, retry: { attempts: 3, backoff } })).toBe(3);
    const failed = team.run({ id: 'b', agent: 'flaky', input: 3, retry: { attempts: 2, backoff } });
    await expect(failed).rejects.toThrow('the task "b" failed: not yet');
    await expect(failed).rejects.toEqual(code('BOSUN_TASK_FAILED'));
    await expect(team.run({ id: 'c', agent: 'broken' })).rejects.toThrow('the task "c" failed: no such thing');
    const late = team.run({ id: 'd', agent: 'slow', timeoutMs: 100, retry: { attempts: 1 } });
    const rejected = expect(late).rejects.toThrow('took longer than 100 ms');
    await settled(() => did.includes('slow d'));
    await clock.advance(100, () => team.system.idle());
    await rejected;
  });

  it('is a machine, and may return nothing (DC-011)', async () => {
    const { team } = await started();
    expect(await team.run({ id: 'm', agent: 'machine' })).toEqual({ made: true });
    expect(await team.run({ id: 'q', agent: 'quiet' })).toBe(null);
  });

  it('is cancelled, also while people think (DC-011)', async () => {
    const { team } = await started();
    await team.submit({ id: 's', agent: 'slow' });
    await team.submit({ id: 'g', agent: 'quiet', gate: { title: 'Well?' } });
    await settled(async () => (await team.gates()).length === 1);
    for (const id of ['s', 'g']) {
      await team.cancel(id);
      await expect(team.result(id)).rejects.toThrow(`the task "${id}" was cancelled`);
    }
    await settled(async () => (await team.gates()).length === 0);
    await expect(team.cancel('s')).rejects.toEqual(code('BOSUN_EVENT_NOT_TAKEN'));
  });

  it('is forgotten after a time, and then begins anew (DC-011)', async () => {
    const { team, clock } = await started();
    await team.run({ id: 't', agent: 'upper', input: 'a' });
    await clock.advance(WEEK_MS, () => team.system.idle());
    expect(await team.task('t')).toBe(undefined);
    await expect(team.result('t')).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    await team.run({ id: 't', agent: 'upper', input: 'a' });
    expect(did).toHaveLength(2);
  });

  it('waits for a place where its agent type has only so many (DC-011)', async () => {
    const { team } = await started({ capacity: { slow: 2 } });
    for (const id of ['a', 'b', 'c', 'd']) await team.submit({ id, agent: 'slow' });
    await settled(() => did.length === 2);
    await team.system.idle();
    expect(did).toEqual(['slow a', 'slow b']);
    // One that waits leaves the line.
    await team.cancel('c');
    await team.cancel('a');
    await settled(() => did.length === 3);
    expect(did).toEqual(['slow a', 'slow b', 'slow d']);
  });

  it.each<[string, object, string, string]>([
    ['an unknown agent', { agent: 'uper' }, 'the task: unknown agent "uper"; did you mean "upper"?', 'CONFIG_INVALID'],
    ['an unknown key', { agent: 'upper', inptu: 'a' }, 'unknown key "inptu"; did you mean "input"?', 'CONFIG_INVALID'],
    ['an id with a slash', { agent: 'upper', id: 'a/b' }, 'must be 1 to 60 letters, digits', 'CONFIG_INVALID'],
    [
      'a limit of a machine',
      { agent: 'machine', timeoutMs: 5 },
      '"machine" is a machine, whose time',
      'CONFIG_INVALID',
    ],
    ['an id of another task', { agent: 'upper', input: 'b' }, 'the task "t" is there, with another', 'KEY_CONFLICT'],
  ])('is refused for %s (DC-011)', async (_, task, message, refusal) => {
    const { team } = await started();
    await team.run({ id: 't', agent: 'upper', input: 'a' });
    const refused = team.submit({ id: 't', ...task } as never);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toMatchObject({ code: `BOSUN_${refusal}` });
  });
});

describe('people', () => {
  it('DC-011: are asked about a result through the host, and their approval ends the task', async () => {
    const { team } = await started();
    const seen: OpenGate[] = [];
    await team.onGate((gate) => seen.push(gate));
    const done = team.run({ id: 't', agent: 'upper', input: 'a', gate: { title: 'Print it?', audience: ['ada'] } });
    await settled(() => seen.length === 1);
    expect(await team.task('t')).toMatchObject({ state: 'waitingForHuman', output: 'A' });
    expect(seen[0]).toMatchObject({
      id: 'task.t.result',
      title: 'Print it?',
      item: 't',
      proposal: 'A',
      materials: 'A',
    });
    expect(await team.gates()).toEqual(seen);
    const wrong = team.answer('task.t.result', { decision: 'perhaps' }, { by: 'ada' });
    await expect(wrong).rejects.toEqual(code('BOSUN_ORDER_REFUSED'));
    await expect(team.answer('task.t.result', { decision: 'approve' }, { by: 'bob' })).rejects.toThrow(
      'bob is not among',
    );
    await team.answer('task.t.result', { decision: 'approve' }, { by: 'ada' });
    expect(await done).toBe('A');
    expect(await team.gates()).toEqual([]);
  });

  it('are asked by an agent at work, hold its task, and fail it by a rejection with the reason (DC-011)', async () => {
    const { team, begin, crash } = await started();
    const one = await team.submit({ id: 'one', agent: 'doubter' });
    expect(one.state).toBe('working');
    await team.submit({ id: 'two', agent: 'doubter' });
    await settled(async () => (await team.gates()).length === 2);
    crash();
    const next = await begin();
    const told: string[] = [];
    await next.onGate(({ id }) => told.push(id));
    expect(told.sort()).toEqual(['task.one.odd', 'task.two.odd']);
    await next.answer('task.one.odd', { decision: 'approve' }, { by: 'ada' });
    expect(await next.result('one')).toMatchObject({ taken: true });
    await next.answer('task.two.odd', { decision: 'reject', reason: 'wrong' }, { by: 'ada' });
    await expect(next.result('two')).rejects.toThrow('the task "two" failed: ada rejected it: wrong');
  });

  it('are not asked again by a later attempt about what they have approved (DC-011)', async () => {
    const { team, clock } = await started();
    await team.submit({ id: 't', agent: 'checker' });
    await settled(async () => (await team.task('t'))!.failures === 1 && (await team.gates()).length === 1);
    await team.answer('task.t.look', { decision: 'approve' }, { by: 'ada' });
    await clock.advance(2_000, () => team.system.idle());
    expect(await team.result('t')).toBe(2);
    expect(await team.gates()).toEqual([]);
  });

  it('fail a task by not answering in time (DC-011)', async () => {
    const { team, clock } = await started();
    await team.submit({ id: 't', agent: 'quiet', gate: { title: 'Well?', deadlineMs: 1_000 } });
    await settled(async () => (await team.gates()).length === 1);
    await clock.advance(1_000, () => team.system.idle());
    await expect(team.result('t')).rejects.toThrow('the gate "task.t.result" is timedOut');
  });

  it('are asked by later gates too, where a handler throws (DC-011)', async () => {
    const { team } = await started();
    let calls = 0;
    await team.onGate(() => {
      calls += 1;
      throw new Error('odd');
    });
    for (const id of ['a', 'b']) await team.submit({ id, agent: 'quiet', gate: { title: 'Well?' } });
    await settled(() => calls === 2);
  });
});

describe('a plan', () => {
  it('DC-011: is carried out beside single tasks, with its gates, and its results are read', async () => {
    const { team } = await started({ plan: PLAN });
    await team.onGate(({ id }) => team.answer(id, { decision: 'approve' }, { by: 'ada' }));
    expect(await team.run({ id: 't', agent: 'upper', input: 'c' })).toBe('C');
    const { state, items } = await team.finished();
    expect(state).toBe('completed');
    expect(items).toEqual({
      one: { phase: 'completed', reason: null, tickets: [], results: { shout: 'A', check: null } },
      two: { phase: 'completed', reason: null, tickets: [], results: { shout: 'B', check: null } },
    });
    expect(await team.plan()).toEqual({ state, items });
  });

  it('is unknown to a crew without one, and to its single tasks, which are told so (DC-011)', async () => {
    const { team } = await started();
    await expect(team.plan()).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    const refused = { taken: false, problems: ['"pause.request" is about a plan, and this task belongs to none'] };
    expect(await team.run({ id: 't', agent: 'talker' })).toEqual(refused);
  });
});

describe('the options of a crew', () => {
  const store = memoryStore();
  it.each<[string, unknown, string]>([
    ['no options', undefined, 'crew: needs an object of options, not undefined'],
    ['no agents', { store }, 'crew: agents: is missing; give the functions by agent name'],
    ['no store', { agents: {} }, "crew: store: is missing; give it levelStore('./data')"],
    ['an unknown key', { agents: {}, store, gtaes: 1 }, 'crew: unknown key "gtaes"'],
    ['a place for nobody', { agents: AGENTS, store, capacity: { uper: 1 } }, 'capacity: unknown agent "uper"; did you'],
    ['places of a machine', { agents: AGENTS, store, capacity: { machine: 1 } }, 'a machine takes no place'],
    ['no place', { agents: AGENTS, store, capacity: { upper: 0 } }, 'capacity.upper: must be a whole number from 1'],
    ['an unknown agent in a plan', { agents: {}, store, plan: PLAN }, 'unknown agent "upper"'],
    ['an answer desk alone', { agents: {}, store, answers: {} }, 'answers and roster belong to a crew with a plan'],
    ['a wrong store', { agents: {}, store: './data' }, 'createSystem: store: must be a store'],
  ])('are checked at once: %s (DC-011)', (_, options, message) => {
    expect(() => crew(options as never)).toThrow(message);
  });

  it('are typed by the functions: agents, inputs and outputs (DC-011)', () => {
    expectTypeOf(typed).returns.resolves.toEqualTypeOf<[string, number, null, { made: boolean } | undefined]>();
  });
});

/** Compiled, never run. */
async function typed() {
  const team = crew({
    agents: { upper: AGENTS.upper, quiet: AGENTS.quiet, flaky: AGENTS.flaky, machine },
    store: memoryStore(),
  });
  // @ts-expect-error the store left out
  crew({ agents: AGENTS });
  // @ts-expect-error a misspelt agent
  await team.run({ id: 'a', agent: 'uper', input: 'a' });
  // @ts-expect-error input of another type
  await team.run({ id: 'a', agent: 'upper', input: 1 });
  // @ts-expect-error input left out
  await team.run({ id: 'a', agent: 'upper' });
  // @ts-expect-error input of a function that takes none
  await team.run({ id: 'a', agent: 'quiet', input: 1 });
  // @ts-expect-error places of an unknown agent
  crew({ agents: AGENTS, store: memoryStore(), capacity: { uper: 1 } });
  const made = await team.run({ id: 'm', agent: 'machine' });
  return [
    await team.run({ id: 'a', agent: 'upper', input: 'a' }),
    await team.run({ id: 'b', agent: 'flaky', input: 1 }),
    await team.run({ id: 'c', agent: 'quiet' }),
    made as { made: boolean } | undefined,
  ] as [string, number, null, { made: boolean } | undefined];
}
