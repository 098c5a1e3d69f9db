/** Cases of other runtimes about time, retries and survival of crashes. Other tests prove many of them. */
import { type TestSystem, type TestSystemOptions } from '../../../../src/testing/test-system.ts';
import { keeper, relay, tried, waker } from '../../../support/actors/keepers.ts';
import { contextOf, type ParityCase, reboot, show } from '../../../support/actors/parity.ts';

const rung = (test: TestSystem) => contextOf<{ rung: string[] }>(test, 'w').rung;
const ticks = (test: TestSystem) => contextOf<{ ticks: number }>(test, 'w').ticks;

const remind = (test: TestSystem, name: string, ms: number) =>
  test.shard.send('w', { type: 'remind', name, ms } as never);

/** The end of an effect that fails `left` times, and its number of starts. */
async function endAfter(left: number): Promise<[end: unknown, starts: number]> {
  const failures = { left, starts: 0 };
  const options: TestSystemOptions = { agents: [tried(failures)], tree: { children: [{ id: 'e', agent: 'tried' }] } };
  const shows = async (test: TestSystem) => {
    await test.advance(1_000);
    return contextOf<{ end: unknown }>(test, 'e').end;
  };
  const end = await show({ shows, options });
  return [end, failures.starts];
}

/**
 * Appends by three clients at a time, with reads between them and a crash after some: all replies must fit one order.
 */
async function history(test: TestSystem): Promise<unknown> {
  await test.shard.spawn(keeper, 'k');
  let [n, seen] = [0, 0];
  for (let round = 0; round < 10; round++) {
    const lengths = await Promise.all([0, 1, 2].map(() => test.shard.ask<number>('k', { type: 'append', n: n++ })));
    if (round % 3 === 0) await reboot(test);
    const list = await test.shard.ask<number[]>('k', { type: 'list' });
    // Every acknowledged append is in its place, and no read sees less than an earlier read.
    lengths.forEach((length, index) => {
      if (list[length - 1] !== round * 3 + index)
        throw new Error(`append ${round * 3 + index} was said to be number ${length}: ${list.join()}`);
    });
    if (list.length < seen) throw new Error(`a read saw ${list.length} after ${seen}`);
    seen = list.length;
  }
  return seen;
}

const CRASH = 'test/crash/bank.test.ts';
const EVERY_WRITE = [
  'test/crash/every-write.test.ts',
  'ends the same wherever the power is cut, and the disk holds no hash chain that memory did not have',
] as const;
const RETRY = 'test/actors/world/effects/effect-retry.test.ts';
const EFFECTS = 'test/actors/world/effects/effects.test.ts';
const SCHEDULES = 'test/actors/world/time/schedules.test.ts';

export const TIME_CASES: readonly ParityCase[] = [
  {
    number: 137,
    name: 'idle activations are collected',
    source: 'Orleans collector',
    differs: 'all actors stay in memory',
  },
  {
    number: 138,
    name: 'a timer counts from the end of its turn, may be changed and disposed of by it, and outlives an exception',
    source: 'Orleans timer',
    isDurable: true,
    expected: [0, 1, 3, 3, 4, 5, 5],
    shows: async (test) => {
      await test.shard.spawn(waker, 'w');
      await test.shard.send('w', { type: 'every', ms: 100 } as never);
      const seen: number[] = [];
      for (const ms of [99, 1, 200, 100, 100, 200, 10_000]) {
        await test.advance(ms);
        await reboot(test);
        seen.push(ticks(test));
      }
      return seen;
    },
    proofs: [
      [SCHEDULES, 'a schedule whose turn throws is delivered again, then quarantined, and runs at its next time'],
    ],
  },
  {
    number: 139,
    name:
      'reminders: set, set again, removed, also while one fires; exact, durable, overdue after a restart; any ' +
      'name',
    source: 'Dapr reminders',
    isDurable: true,
    expected: [[], ['b'], ['b', 'a/ü #1'], ['b', 'a/ü #1', 'late']],
    shows: async (test) => {
      await test.shard.spawn(waker, 'w');
      await remind(test, 'a/ü #1', 100);
      await remind(test, 'gone', 150);
      await remind(test, 'b', 200);
      await remind(test, 'a/ü #1', 250);
      await test.shard.send('w', { type: 'forget', name: 'gone' } as never);
      const seen: string[][] = [];
      for (const ms of [199, 1, 50]) {
        await test.advance(ms);
        await reboot(test);
        seen.push(rung(test));
      }
      await remind(test, 'late', 100);
      // A durable message need not be processed yet.
      await test.settle();
      await test.crash();
      await test.advance(5_000);
      await test.restart();
      return [...seen, rung(test)];
    },
    proofs: [
      [SCHEDULES, 'get an event each up to the bound: the latest, oldest first, the first with the count of the rest'],
      ['test/actors/world/time/timers.test.ts', 'the timers of an actor for a child that has ended have no effect'],
    ],
  },
  {
    number: 140,
    name: 'failure policies: drop, a number of retries, and which attempts fail',
    source: 'Dapr failure policies',
    expected: [
      ['at last', 1],
      ['at last', 2],
      ['at last', 4],
      ['not yet', 4],
    ],
    shows: async () => [await endAfter(0), await endAfter(1), await endAfter(3), await endAfter(4)],
    proofs: [
      [RETRY, 'is one with retryable: false'],
      [RETRY, 'is started again at once if its backoff is 0 ms'],
      [
        'test/actors/world/time/timers.test.ts',
        'a timer whose turn throws is delivered again, over restarts too, and quarantined in the end',
      ],
    ],
    differs:
      'an effect is tried as often as its agent says, once by default; a message is delivered three times, then ' +
      'it is in quarantine',
  },
  {
    number: 141,
    name: 'A asks B, which asks A',
    source: 'Dapr reentrancy',
    isDurable: true,
    expected: 'a timeout that names the circle',
    instead: 'read',
    shows: async (test) => {
      for (const id of ['x', 'y']) await test.shard.spawn(relay, id);
      await test.shard.send('x', { type: 'go', to: 'y', back: 'x' } as never);
      await test.settle();
      await reboot(test);
      return contextOf<{ got: unknown }>(test, 'x').got;
    },
    differs:
      'an actor that waits for a reply is not locked: it takes other messages, those of the circle included. Hops ' +
      'are not counted',
  },
  {
    number: 142,
    name: 'a failed write keeps state and waiting messages; a failed recovery stops the actor; a handler that throws',
    source: 'Pekko EventSourcedBehaviorFailureSpec',
    proofs: [
      ['test/crash/failed-write.test.ts', 'starts nothing twice, delivers nothing twice and loses nothing (%s)'],
      ['test/actors/loop/unreadable.test.ts', 'does not run, is reported, and stops no other actor (%s)'],
      ['test/supervisor/poison.test.ts', 'is delivered three times, quarantined with its error, and the agent goes on'],
    ],
    differs:
      'a write that fails is made again until it succeeds, and no actor is restarted for it; no user code runs ' +
      'at recovery',
  },
  {
    number: 143,
    name: 'periodic snapshots, with old ones deleted',
    source: 'Pekko retention',
    proofs: [
      ['test/persistence/fold.test.ts', 'begins when enough epochs have gathered'],
      ['test/persistence/retention.test.ts', 'keeps its size and its number of keys and files'],
    ],
    differs: 'the journal is folded into one record per actor by its size; it is not for the agent to choose',
  },
  {
    number: 144,
    name: 'unconfirmed messages are sent again after a restart, and count once',
    source: 'Pekko durable producer and consumer',
    proofs: [
      ['test/actors/api/system.test.ts', 'accepts each sequence number once, over a restart too'],
      [CRASH, 'loses and doubles no order or payment'],
    ],
    differs:
      'between agents there is nothing to confirm: sender and receiver are in one log; clients number what they ' +
      'send, and have no window to fill',
  },
  {
    number: 145,
    name: 'kill and stop keep state; sleeps, order of calls, delayed sends, idempotency, retries, cancellation',
    source: 'Restate sdk-test-suite',
    proofs: [
      [CRASH, 'loses and doubles no order or payment'],
      [
        'test/actors/world/time/timers.test.ts',
        'timers keep their deadlines, and overdue ones fire in the order of their deadlines',
      ],
      [
        'test/actors/world/talk/ask.test.ts',
        'resolves with the reply, once the turn that gave it is durable, in the order of earlier sends',
      ],
      [
        'test/actors/world/talk/ask.test.ts',
        'is sent once and gives the recorded reply again, also after a crash and the end of the asked actor',
      ],
      [RETRY, 'may succeed at a later attempt'],
      [EFFECTS, 'is aborted when its state is left, and not started again by a restart'],
    ],
  },
  {
    number: 146,
    name: 'changed logic is detected, and the executions that it affects are paused, not corrupted',
    source: 'Restate, Temporal',
    proofs: [
      [
        'test/actors/loop/versions/refused.test.ts',
        'is suspended with a report, its record unchanged, and goes on in a start whose code can read it',
      ],
      [
        'test/actors/loop/versions/refused.test.ts',
        'is reported with the advice to raise the version if the structure changed under the same one',
      ],
    ],
    differs: 'nothing is replayed, so it is the structure of the machine that is compared; a changed guard is not seen',
  },
  {
    number: 147,
    name: 'random programs under kill -9: counters as predicted',
    source: 'Restate verification runner',
    proofs: [
      [CRASH, 'loses and doubles no order or payment'],
      [CRASH, 'settles every payment in the end'],
      EVERY_WRITE,
    ],
  },
  {
    number: 148,
    name: 'appends and reads by several clients fit one order, over crashes',
    source: 'Jepsen set, register',
    isDurable: true,
    expected: 30,
    shows: history,
    differs: 'shown with crashes of the host; a process that is paused and resumed is not tested',
  },
  {
    number: 149,
    name:
      'late results and those of an earlier instance are ignored; a failed transition commits nothing; forged events ' +
      'are refused',
    source: 'xstate-transitions',
    proofs: [
      [EFFECTS, 'a promise of an earlier process is ignored when it settles'],
      [EFFECTS, 'a promise whose state is entered again is a new effect, and the old one is ignored when it settles'],
      [
        'test/actors/xstate/refs.test.ts',
        'ignores the completion of the earlier invoke, and of a start before a power cut',
      ],
      [
        'test/actors/xstate/machines.test.ts',
        'comes after the messages that its machine sends to it on reaching its final state',
      ],
      [
        'test/actors/world/time/timers.test.ts',
        'a timer armed again under its id counts from the second arming, and fires once',
      ],
      ['test/actors/world/time/timers.test.ts', 'does not fire once it is cancelled, in the same turn or later'],
      ['test/supervisor/forged.test.ts', 'is refused as a throw in its turn, and does not reach the Boss'],
      ['test/actors/xstate/machines.test.ts', 'reaches the first ancestor that handles it'],
    ],
  },
  {
    number: 150,
    name: 'running work is not started again; a stored result is used; work that kills its host is given up',
    source: 'DBOS recovery',
    proofs: [
      ['test/actors/world/mailbox/arrived.test.ts', 'is kept, and its promise is not started again'],
      [
        'test/actors/loop/crash-loop-guard.test.ts',
        'fails instead of being started again, and its machine handles the failure',
      ],
      [RETRY, 'counts its failures, not its starts: a start that ended with the process does not count'],
    ],
  },
  {
    number: 151,
    name: 'a schedule makes up for missed times, with a time zone, and may be changed',
    source: 'DBOS scheduler',
    proofs: [
      [SCHEDULES, 'get an event each up to the bound: the latest, oldest first, the first with the count of the rest'],
      [SCHEDULES, 'is planned again at the next start if its expression or time zone changed, and only then'],
      [SCHEDULES, 'runs its actor once at each switch'],
    ],
    differs: 'a schedule is part of the code: it changes with a start',
  },
  {
    number: 152,
    name: 'stored checkpoints are read in order, within bounds, and deleted with all their writes',
    source: 'LangGraph checkpointer TCK',
    proofs: [
      ['test/persistence/journal.property.test.ts', 'recovers exactly the last durable epoch after any interruption'],
      ['test/persistence/erasure.test.ts', 'leaves nothing of the actor in any file, and everything else unchanged'],
    ],
    differs: 'only the last epoch can be read; earlier ones cannot be listed',
  },
  {
    number: 153,
    name: 'a crash at every point of the commit path',
    source: 'N',
    proofs: [
      EVERY_WRITE,
      ['test/actors/world/effects/effect-ids.test.ts', 'is the same for all starts, wherever the power is cut'],
      ['test/actors/world/talk/ask.test.ts', 'asks once and gets one reply wherever the power is cut'],
    ],
  },
  {
    number: 154,
    name: 'two processes open one store',
    source: 'N',
    proofs: [
      ['test/persistence/level-store.test.ts', 'keeps out another process, even after a refused second open'],
      [
        'test/persistence/level-store.test.ts',
        'keeps out a second store of the same process, under any name of the directory',
      ],
    ],
    differs: 'the second is refused; a host that is fenced while it runs takes several hosts',
  },
  {
    number: 155,
    name: 'the wall clock jumps back an hour, or ahead a day',
    source: 'N',
    proofs: [
      ['test/actors/world/time/timers-clock.test.ts', 'moves no timer when it moves by %i ms'],
      ['test/actors/world/time/timers.test.ts', 'no timer fires early or is lost if the wall clock is set back'],
      [SCHEDULES, 'each planned time gets an event or is counted, once and in order, and none comes early'],
    ],
  },
  {
    number: 156,
    name: 'a damaged or short file, a full disk, an I/O error',
    source: 'N',
    proofs: [
      ['test/crash/flips.test.ts', 'serves no wrong value without a report, at ${FLIPS} places'],
      ['test/crash/full-disk.test.ts', 'loses and doubles no order, at ${points} points'],
      ['test/persistence/damage.test.ts', 'stops only that actor: %s'],
    ],
  },
  {
    number: 157,
    name: 'a snapshot written and read again behaves the same from there on',
    source: 'N',
    proofs: [
      ['test/fuzz/differential-even.test.ts', 'a random machine behaves under Bosun as under createActor'],
      ['test/fuzz/differential-odd.test.ts', 'a random machine behaves under Bosun as under createActor'],
    ],
  },
  {
    number: 158,
    name: 'a client resumes, a slow one is bounded, forged events are refused, an ask survives its connection',
    source: 'N',
    proofs: [
      ['test/gateway/client/sessions.test.ts', 'is recovered without data if nothing was missed, also after a crash'],
      [
        'test/gateway/client/flow.test.ts',
        'is notified once, and later gets only the latest state and the number of skipped changes',
      ],
      ['test/supervisor/forged.test.ts', 'is refused as a throw in its turn, and does not reach the Boss'],
      [
        'test/gateway/client/sessions.test.ts',
        'gives an ask its recorded reply, also after a crash, and refuses a different question',
      ],
    ],
  },
];
