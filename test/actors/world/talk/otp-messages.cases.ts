/**
 * Cases of other runtimes about calls, monitors, groups and restarts, as scenarios in Bosun.
 * docs/otp-parity-messages.md is generated from their results.
 */
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { asked, type ParityCase, reboot, tell } from '../../../support/actors/parity.ts';

const notes = (test: TestSystem, address = 'a') =>
  (test.shard.snapshot(address)?.context as { notes: unknown[] }).notes;
const reasons = (test: TestSystem) => test.shard.deadLetters.list().map(({ reason }) => reason);

export const CASES: readonly ParityCase[] = [
  {
    number: 84,
    name: 'a call times out; the late reply does not reach the caller',
    source: 'gen_statem abnormal1',
    expected: ['BOSUN_TIMEOUT', ['late']],
    shows: async (test) => {
      const outcome = await asked(test, 't', 'hold', 5_000);
      await test.shard.send('t', { type: 'answer', value: 1 });
      await test.settle();
      return [outcome, reasons(test)];
    },
  },
  {
    number: 85,
    name: 'a reply given while stopping comes before the exit',
    source: 'gen_statem stop_and_reply',
    expected: 'goodbye',
    shows: (test) => asked(test, 't', 'last'),
  },
  {
    number: 86,
    name: 'a call to a stopped actor fails at once',
    source: 'gen_statem shutdown',
    expected: 'BOSUN_ACTOR_UNKNOWN',
    shows: async (test) => {
      await asked(test, 't', 'last');
      return asked(test, 't', 'read');
    },
  },
  {
    number: 91,
    isDurable: true,
    name: 'DOWN comes once with its reason; for a dead actor at once',
    source: 'monitor mon_1',
    expected: [
      ['down', 'b', 'normal'],
      ['down', 'b', 'unknown'],
    ],
    shows: async (test) => {
      await tell(test, 'a', 'monitor', 'b');
      await reboot(test);
      await tell(test, 'b', 'end');
      await reboot(test);
      await tell(test, 'a', 'monitor', 'b');
      return notes(test);
    },
  },
  {
    number: 92,
    isDurable: true,
    name: 'demonitor twice is fine, and no DOWN comes after it',
    source: 'monitor demon_2',
    expected: [],
    shows: async (test) => {
      for (const type of ['monitor', 'demonitor', 'demonitor']) await tell(test, 'a', type, 'b');
      await reboot(test);
      await tell(test, 'b', 'end');
      return notes(test);
    },
  },
  {
    number: 93,
    name: 'demonitor says whether a DOWN is in the mailbox',
    source: 'monitor local_remove_monitor',
    expected: 'a flag',
    differs: 'an action returns nothing; a DOWN in the mailbox stays',
  },
  {
    number: 94,
    isDurable: true,
    name: 'watching twice is watching once',
    source: 'Pekko WatchSpec',
    expected: [['down', 'b', 'normal']],
    shows: async (test) => {
      for (let n = 0; n < 2; n++) await tell(test, 'a', 'monitor', 'b');
      await reboot(test);
      await tell(test, 'b', 'end');
      return notes(test);
    },
  },
  {
    number: 95,
    name: 'a responder that throws fails the ask; a missing one fails it at once; a late reply is a dead letter',
    source: 'Pekko AskSpec',
    expected: ['BOSUN_ASK_FAILED', 'BOSUN_ACTOR_UNKNOWN', 'BOSUN_TIMEOUT', ['quarantined', 'late']],
    shows: async (test) => {
      const failures = [
        await asked(test, 't', 'choke'),
        await asked(test, 'nobody', 'read'),
        await asked(test, 't', 'hold', 5_000),
      ];
      await test.shard.send('t', { type: 'answer', value: 1 });
      await test.settle();
      return [...failures, reasons(test)];
    },
  },
  {
    number: 96,
    name: 'a timer armed before a restart does not reach the new instance',
    source: 'Pekko TimerSpec',
    proofs: [
      ['test/actors/world/time/timers.test.ts', 'begin again when the actor is restarted from its initial state'],
      ['test/actors/world/time/timers.test.ts', 'go on when the actor is restarted from its last state'],
    ],
    differs: 'an actor restarted from its last state keeps its timers; one restarted from its initial state does not',
  },
  {
    number: 98,
    isDurable: true,
    name: 'a member that joined twice must leave twice; its end leaves all groups',
    source: 'pg',
    expected: [['a', 'b'], ['b'], []],
    shows: async (test) => {
      const seen: unknown[] = [];
      for (const [id, type] of [
        ['a', 'join'],
        ['a', 'join'],
        ['b', 'join'],
        ['a', 'leave'],
      ] as const)
        await tell(test, id, type, 'g');
      await reboot(test);
      seen.push(test.shard.members('g'));
      await tell(test, 'a', 'leave', 'g');
      seen.push(test.shard.members('g'));
      await tell(test, 'b', 'end');
      return [...seen, test.shard.members('g')];
    },
  },
  {
    number: 99,
    isDurable: true,
    name: 'a unique key: taken, a new value, free after the end of its owner',
    source: 'Elixir Registry',
    expected: [[['taken', 'b']], { address: 'b' }, undefined],
    shows: async (test) => {
      await tell(test, 'b', 'register', 'k');
      await reboot(test);
      await tell(test, 'a', 'register', 'k');
      const holder = { address: test.shard.lookup('k')!.address };
      await tell(test, 'b', 'end');
      return [notes(test), holder, test.shard.lookup('k')];
    },
  },
  {
    number: 100,
    name: 'a key may have many holders; a dispatched message reaches all',
    source: 'Elixir Registry',
    expected: [['news'], ['news']],
    shows: async (test) => {
      for (const id of ['a', 'b']) await tell(test, id, 'join', 'g');
      await tell(test, 'a', 'publish', 'g');
      return [notes(test), notes(test, 'b')];
    },
  },
  {
    number: 101,
    name: 'a subscriber gets the full set, then its changes',
    source: 'Pekko LocalReceptionist',
    expected: 'events',
    differs: 'groups cannot be watched yet; hosts read them',
  },
  {
    number: 102,
    name: 'a key keeps its partition; partitions can be added and removed',
    source: 'Elixir PartitionSupervisor',
    differs: 'there are no partitions: an actor per key costs no process',
  },
  {
    number: 103,
    name: 'a failure reaches only the process that awaits it; a bound on tasks; an await that times out',
    source: 'Elixir Task.Supervisor',
    proofs: [
      ['test/actors/xstate/effects.test.ts', 'an invoked promise that rejects gives its error to onError'],
      ['test/actors/world/effects/effect-retry.test.ts', 'aborts a start that takes longer, and counts it as failed'],
    ],
    differs:
      'a task is a promise that a machine invokes, bounded by its states; a Boss of a template bounds its ' +
      'children (case 43)',
  },
  {
    number: 104,
    name: 'priorities: a stop overtakes waiting messages',
    source: 'Ractor',
    isDurable: true,
    expected: [undefined, true],
    shows: async (test) => {
      const sends = Array.from({ length: 50 }, (_, n) => test.shard.send('b', { type: 'note', what: `${n}` }));
      await Promise.allSettled([test.shard.boss().terminateChild('b'), ...sends]);
      await reboot(test);
      return [test.shard.snapshot('b'), reasons(test).length > 0];
    },
  },
  {
    number: 105,
    isDurable: true,
    name: 'queued messages are processed after a restart, in order',
    source: 'Kameo',
    expected: ['1', '2'],
    shows: async (test) => {
      await Promise.all([
        test.shard.send('a', { type: 'fail' }),
        test.shard.send('a', { type: 'note', what: '1' }),
        test.shard.send('a', { type: 'note', what: '2' }),
      ]);
      await reboot(test);
      return notes(test);
    },
  },
  {
    number: 106,
    name: 'an ask during a restart fails with a typed error and never hangs',
    source: 'Kameo',
    expected: 'a failure',
    instead: 'answered',
    shows: async (test) => {
      const ask = asked(test, 't', 'hold');
      await test.settle();
      await test.shard.send('t', { type: 'choke' });
      await test.settle();
      await test.shard.send('t', { type: 'answer', value: 'answered' });
      await test.settle();
      return ask;
    },
    differs: 'it stays open over the restart and is answered after it; at its deadline it fails',
  },
  {
    number: 107,
    isDurable: true,
    name: 'messages unread at a stop reach the hook once, and later sends are refused',
    source: 'Kameo on_undelivered',
    expected: [['undeliverable', 'undeliverable'], 'BOSUN_ACTOR_UNKNOWN'],
    shows: async (test) => {
      await Promise.all(['end', 'note', 'note'].map((type) => test.shard.send('b', { type, what: 'x' })));
      await test.settle();
      await reboot(test);
      return [reasons(test), await asked(test, 'b', 'note')];
    },
  },
  {
    number: 109,
    isDurable: true,
    name: 'a request in flight is delivered again after a crash, then falls under the poison policy',
    source: 'Effect cluster',
    expected: ['BOSUN_ASK_FAILED', ['quarantined']],
    shows: async (test) => {
      const outcome = await asked(test, 't', 'choke');
      await reboot(test);
      return [outcome, reasons(test)];
    },
  },
];
