/** Cases of other runtimes about calls, monitors, groups and restarts, as scenarios here. The page is made from what they show. */
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../src/testing/test-system.ts';
import { clerk, member, teller } from './talkers.ts';

export interface ParityCase {
  readonly number: number;
  readonly name: string;
  readonly source: string;
  /** What the other runtime does. */
  readonly expected: unknown;
  /** What Bosun does, where that is meant to be something else. */
  readonly instead?: unknown;
  /** Undefined where Bosun offers nothing of the kind. */
  readonly shows?: (test: TestSystem) => Promise<unknown>;
  /** Why it is not the same. */
  readonly differs?: string;
  /** The system that it runs on, where that is not the one below. */
  readonly options?: TestSystemOptions;
}

const temporary = (id: string) => ({ id, agent: 'member', restart: 'temporary' as const });
const OPTIONS = {
  agents: [teller, clerk, member],
  tree: { intensity: 100, children: [{ id: 't', agent: 'teller', restart: 'transient' as const }, { id: 'a', agent: 'member' }, temporary('b'), { id: 'c', agent: 'clerk' }] },
};

/** Runs a case on a system of its own. */
export async function show({ shows, options = OPTIONS }: ParityCase): Promise<unknown> {
  const test = await startTestSystem(options);
  try {
    return await shows!(test);
  } finally {
    await test.system.stop();
  }
}

async function tell(test: TestSystem, address: string, type: string, what = ''): Promise<void> {
  await test.system.send(address, { type, what });
  await test.settle();
}

/** The reply, or the code of the failure. */
async function asked(test: TestSystem, address: string, type: string, waitMs = 0): Promise<unknown> {
  const outcome = test.system.ask(address, { type }).catch((error: { code?: string }) => error.code);
  await test.settle();
  if (waitMs > 0) await test.advance(waitMs);
  return outcome;
}

const notes = (test: TestSystem, address = 'a') => (test.system.snapshot(address)?.context as { notes: unknown[] }).notes;
const reasons = (test: TestSystem) => test.system.deadLetters.list().map(({ reason }) => reason);

export const CASES: readonly ParityCase[] = [
  {
    number: 84, name: 'a call times out; the late reply does not reach the caller', source: 'gen_statem abnormal1', expected: ['BOSUN_TIMEOUT', ['late']],
    shows: async (test) => {
      const outcome = await asked(test, 't', 'hold', 5_000);
      await test.system.send('t', { type: 'answer', value: 1 });
      await test.settle();
      return [outcome, reasons(test)];
    },
  },
  { number: 85, name: 'a reply given while stopping comes before the exit', source: 'gen_statem stop_and_reply', expected: 'goodbye', shows: (test) => asked(test, 't', 'last') },
  {
    number: 86, name: 'a call to a stopped one fails at once', source: 'gen_statem shutdown', expected: 'BOSUN_ACTOR_UNKNOWN',
    shows: async (test) => {
      await asked(test, 't', 'last');
      return asked(test, 't', 'read');
    },
  },
  {
    number: 91, name: 'DOWN comes once with its reason; of a dead one at once', source: 'monitor mon_1', expected: [['down', 'b', 'normal'], ['down', 'b', 'unknown']],
    shows: async (test) => {
      await tell(test, 'a', 'monitor', 'b');
      await tell(test, 'b', 'end');
      await tell(test, 'a', 'monitor', 'b');
      return notes(test);
    },
  },
  {
    number: 92, name: 'demonitor twice is fine, and no DOWN comes after it', source: 'monitor demon_2', expected: [],
    shows: async (test) => {
      for (const type of ['monitor', 'demonitor', 'demonitor']) await tell(test, 'a', type, 'b');
      await tell(test, 'b', 'end');
      return notes(test);
    },
  },
  { number: 93, name: 'demonitor says whether a DOWN is in the mailbox', source: 'monitor local_remove_monitor', expected: 'a flag', differs: 'an action gives nothing back; a DOWN that is there stays' },
  {
    number: 94, name: 'watching twice is watching once', source: 'Pekko WatchSpec', expected: [['down', 'b', 'normal']],
    shows: async (test) => {
      for (let n = 0; n < 2; n++) await tell(test, 'a', 'monitor', 'b');
      await tell(test, 'b', 'end');
      return notes(test);
    },
  },
  {
    number: 95, name: 'a responder that throws fails the ask', source: 'Pekko AskSpec', expected: 'BOSUN_ASK_FAILED', shows: (test) => asked(test, 't', 'choke'),
  },
  {
    number: 98, name: 'joined twice is left twice; a death leaves all groups', source: 'pg', expected: [['a', 'b'], ['b'], []],
    shows: async (test) => {
      const seen: unknown[] = [];
      for (const [id, type] of [['a', 'join'], ['a', 'join'], ['b', 'join'], ['a', 'leave']] as const) await tell(test, id, type, 'g');
      seen.push(test.system.members('g'));
      await tell(test, 'a', 'leave', 'g');
      seen.push(test.system.members('g'));
      await tell(test, 'b', 'end');
      return [...seen, test.system.members('g')];
    },
  },
  {
    number: 99, name: 'a unique key: taken, a new value, free after the end of its owner', source: 'Elixir Registry', expected: [[['taken', 'b']], { address: 'b' }, undefined],
    shows: async (test) => {
      await tell(test, 'b', 'register', 'k');
      await tell(test, 'a', 'register', 'k');
      const holder = { address: test.system.lookup('k')!.address };
      await tell(test, 'b', 'end');
      return [notes(test), holder, test.system.lookup('k')];
    },
  },
  {
    number: 100, name: 'many under one key; what is dispatched reaches all', source: 'Elixir Registry', expected: [['news'], ['news']],
    shows: async (test) => {
      for (const id of ['a', 'b']) await tell(test, id, 'join', 'g');
      await tell(test, 'a', 'publish', 'g');
      return [notes(test), notes(test, 'b')];
    },
  },
  { number: 101, name: 'a subscriber gets the full set, then what changes', source: 'Pekko LocalReceptionist', expected: 'events', differs: 'groups cannot be watched yet; hosts read them' },
  {
    number: 105, name: 'queued messages are processed after a restart, in order', source: 'Kameo', expected: ['1', '2'],
    shows: async (test) => {
      await Promise.all([test.system.send('a', { type: 'fail' }), test.system.send('a', { type: 'note', what: '1' }), test.system.send('a', { type: 'note', what: '2' })]);
      await test.settle();
      return notes(test);
    },
  },
  {
    number: 106, name: 'an ask during a restart fails with a typed error and never hangs', source: 'Kameo', expected: 'a failure', instead: 'answered',
    shows: async (test) => {
      const ask = asked(test, 't', 'hold');
      await test.settle();
      await test.system.send('t', { type: 'choke' });
      await test.settle();
      await test.system.send('t', { type: 'answer', value: 'answered' });
      await test.settle();
      return ask;
    },
    differs: 'it stays open over the restart and is answered after it; at its deadline it fails',
  },
  {
    number: 107, name: 'what was unread at a stop reaches the hook once, and sends after it are refused', source: 'Kameo on_undelivered', expected: [['undeliverable', 'undeliverable'], 'BOSUN_ACTOR_UNKNOWN'],
    shows: async (test) => {
      await Promise.all(['end', 'note', 'note'].map((type) => test.system.send('b', { type, what: 'x' })));
      await test.settle();
      return [reasons(test), await asked(test, 'b', 'note')];
    },
  },
  {
    number: 109, name: 'a request in flight is delivered again after a crash, then falls under the rule for poison', source: 'Effect cluster', expected: ['BOSUN_ASK_FAILED', ['quarantined']],
    shows: async (test) => [await asked(test, 't', 'choke'), reasons(test)],
  },
];
