/** Cases of other runtimes about time, retries, and what survives which crash. Much of it is proved elsewhere. */
import { type TestSystem, type TestSystemOptions } from '../../../../src/testing/test-system.ts';
import { keeper, relay, tried, waker } from '../../../support/actors/keepers.ts';
import { contextOf, type ParityCase, reboot, show } from '../../../support/actors/parity.ts';

const rung = (test: TestSystem) => contextOf<{ rung: string[] }>(test, 'w').rung;
const ticks = (test: TestSystem) => contextOf<{ ticks: number }>(test, 'w').ticks;

const remind = (test: TestSystem, name: string, ms: number) =>
  test.system.send('w', { type: 'remind', name, ms } as never);

/** How an effect ends that fails so often. */
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
 * Appends by three clients at a time, with reads between them, and a crash after some: what was said must fit one
 * order.
 */
async function history(test: TestSystem): Promise<unknown> {
  await test.system.spawn(keeper, 'k');
  let [n, seen] = [0, 0];
  for (let round = 0; round < 10; round++) {
    const lengths = await Promise.all([0, 1, 2].map(() => test.system.ask<number>('k', { type: 'append', n: n++ })));
    if (round % 3 === 0) await reboot(test);
    const list = await test.system.ask<number[]>('k', { type: 'list' });
    // What was acknowledged is there, in its place, and no read sees less than one before it.
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
  'ends the same wherever the power is cut, and no chain on disk is one that memory did not have',
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
      await test.system.spawn(waker, 'w');
      await test.system.send('w', { type: 'every', ms: 100 } as never);
      const seen: number[] = [];
      for (const ms of [99, 1, 200, 100, 100, 200, 10_000]) {
        await test.advance(ms);
        await reboot(test);
        seen.push(ticks(test));
      }
      return seen;
    },
    proofs: [[SCHEDULES, 'whose turn throws is delivered again, then quarantined, and comes again at its next time']],
  },
  {
    number: 139,
    name:
      'reminders: set, set anew, taken away, also while one rings; exact, durable, overdue after a restart; any ' +
      'name',
    source: 'Dapr reminders',
    isDurable: true,
    expected: [[], ['b'], ['b', 'a/ü #1'], ['b', 'a/ü #1', 'late']],
    shows: async (test) => {
      await test.system.spawn(waker, 'w');
      await remind(test, 'a/ü #1', 100);
      await remind(test, 'gone', 150);
      await remind(test, 'b', 200);
      await remind(test, 'a/ü #1', 250);
      await test.system.send('w', { type: 'forget', name: 'gone' } as never);
      const seen: string[][] = [];
      for (const ms of [199, 1, 50]) {
        await test.advance(ms);
        await reboot(test);
        seen.push(rung(test));
      }
      await remind(test, 'late', 100);
      // Durable is not yet processed.
      await test.settle();
      await test.crash();
      await test.advance(5_000);
      await test.restart();
      return [...seen, rung(test)];
    },
    proofs: [
      [SCHEDULES, 'each get an event up to the bound: the latest, oldest first, the first with the count of others'],
      ['test/actors/world/time/timers.test.ts', 'to somebody who is gone are nothing'],
    ],
  },
  {
    number: 140,
    name: 'failure policies: drop, so often, and which of the tries fail',
    source: 'Dapr failure policies',
    expected: [
      ['at last', 1],
      ['at last', 2],
      ['at last', 4],
      ['not yet', 4],
    ],
    shows: async () => [await endAfter(0), await endAfter(1), await endAfter(3), await endAfter(4)],
    proofs: [
      [RETRY, 'is one whose error says so'],
      [RETRY, 'is started again at once where there is no backoff'],
      [
        'test/actors/world/time/timers.test.ts',
        'whose turn throws is delivered again, over a restart too, and quarantined in the end',
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
      for (const id of ['x', 'y']) await test.system.spawn(relay, id);
      await test.system.send('x', { type: 'go', to: 'y', back: 'x' } as never);
      await test.settle();
      await reboot(test);
      return contextOf<{ got: unknown }>(test, 'x').got;
    },
    differs:
      'nobody is locked while waiting for a reply: it takes other messages, those of the circle among them. Hops ' +
      'are not counted',
  },
  {
    number: 142,
    name: 'a failed write leaves the state and what waits; a failed recovery stops the actor; a handler that throws',
    source: 'Pekko EventSourcedBehaviorFailureSpec',
    proofs: [
      ['test/crash/failed-write.test.ts', 'starts nothing twice, feeds nothing twice and loses nothing (%s)'],
      ['test/actors/loop/unreadable.test.ts', 'is not run, is reported, and stops nobody else (%s)'],
      ['test/supervisor/poison.test.ts', 'is delivered three times, quarantined with its error, and the agent goes on'],
    ],
    differs:
      'a write that fails is made again until it succeeds, and no actor is restarted for it; no user code runs ' +
      'at recovery',
  },
  {
    number: 143,
    name: 'snapshots every so often, old ones deleted',
    source: 'Pekko retention',
    proofs: [
      ['test/persistence/fold.test.ts', 'begins when enough epochs have gathered'],
      ['test/persistence/retention.test.ts', 'keeps its size and its number of keys and files'],
    ],
    differs: 'the journal is folded into one record per actor by its size; it is not for the agent to choose',
  },
  {
    number: 144,
    name: 'what is unconfirmed is sent again after a restart, and counts once',
    source: 'Pekko durable producer and consumer',
    proofs: [
      ['test/actors/api/system.test.ts', 'has each sequence taken once, over a restart too'],
      [CRASH, 'loses nothing and doubles nothing'],
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
      [CRASH, 'loses nothing and doubles nothing'],
      [
        'test/actors/world/time/timers.test.ts',
        'timers keep their deadlines, and the overdue fire in the order of theirs',
      ],
      [
        'test/actors/world/talk/ask.test.ts',
        'resolves with the reply, once the turn that gave it is durable, in the order of earlier sends',
      ],
      [
        'test/actors/world/talk/ask.test.ts',
        'is sent once and gives the recorded reply again, also after a crash and the end of the one asked',
      ],
      [RETRY, 'may succeed at a later try'],
      [EFFECTS, 'is aborted when its state is left, and not started again by a restart'],
    ],
  },
  {
    number: 146,
    name: 'changed logic is found out, and what it would run on is paused and not spoilt',
    source: 'Restate, Temporal',
    proofs: [
      [
        'test/actors/loop/versions/refused.test.ts',
        'is suspended with a report, its record untouched, and goes on in a start that can read it',
      ],
      [
        'test/actors/loop/versions/refused.test.ts',
        'of a changed structure under the same version is told to raise it',
      ],
    ],
    differs: 'nothing is replayed, so it is the structure of the machine that is compared; a changed guard is not seen',
  },
  {
    number: 147,
    name: 'random programs under kill -9: counters as predicted',
    source: 'Restate verification runner',
    proofs: [[CRASH, 'loses nothing and doubles nothing'], [CRASH, 'settles every payment in the end'], EVERY_WRITE],
  },
  {
    number: 148,
    name: 'appends and reads by several clients fit one order, over crashes',
    source: 'Jepsen set, register',
    isDurable: true,
    expected: 30,
    shows: history,
    differs: 'told with crashes of the host; a process that is stopped and goes on is not tried',
  },
  {
    number: 149,
    name:
      'what is late or of an earlier instance is not heard; a failed transition commits nothing; forged events are ' +
      'refused',
    source: 'xstate-transitions',
    proofs: [
      [EFFECTS, 'of an earlier process is not heard'],
      [EFFECTS, 'whose state was entered again is another effect; the completion of the first is ignored'],
      [
        'test/actors/xstate/refs.test.ts',
        'does not hear the completion of the one before, nor that of a start before a power cut',
      ],
      ['test/actors/xstate/machines.test.ts', 'comes after what its machine sent to it while ending itself'],
      ['test/actors/world/time/timers.test.ts', 'armed again under its id counts from then, and fires once'],
      ['test/actors/world/time/timers.test.ts', 'does not fire once it is cancelled, in the same turn or later'],
      ['test/supervisor/forged.test.ts', 'is refused as a throw of its turn, and the Boss hears nothing'],
      ['test/actors/xstate/machines.test.ts', 'climbs from a grandchild to the machine that handles it'],
    ],
  },
  {
    number: 150,
    name: 'what runs is not started again; a result that is there is taken; what kills its host is given up',
    source: 'DBOS recovery',
    proofs: [
      ['test/actors/world/mailbox/arrived.test.ts', 'is not lost with the power, and its promise is not started again'],
      [
        'test/actors/loop/crash-loop-guard.test.ts',
        'fails instead of being started once more, and its machine handles that',
      ],
      [RETRY, 'has its failures counted, not its starts: those that ended with the process are free'],
    ],
  },
  {
    number: 151,
    name: 'a schedule makes up for missed times, with a time zone, and may be changed',
    source: 'DBOS scheduler',
    proofs: [
      [SCHEDULES, 'each get an event up to the bound: the latest, oldest first, the first with the count of others'],
      [SCHEDULES, 'is planned anew at the next start where its expression or zone changed, and only there'],
      [SCHEDULES, 'is the same for an actor: one run at each switch'],
    ],
    differs: 'a schedule is of the code: it changes with a start',
  },
  {
    number: 152,
    name: 'what was put is got, in order, within bounds; deleted with all its writes',
    source: 'LangGraph checkpointer TCK',
    proofs: [
      ['test/persistence/journal.property.test.ts', 'recovers exactly the last durable epoch, whatever interrupts it'],
      ['test/persistence/erasure.test.ts', 'leaves nothing of it in any file, and all else as it was'],
    ],
    differs: 'the last epoch is what can be read; earlier ones cannot be listed',
  },
  {
    number: 153,
    name: 'a crash at every point of the commit path',
    source: 'N',
    proofs: [
      EVERY_WRITE,
      ['test/actors/world/effects/effect-ids.test.ts', 'is one, whenever the power is cut'],
      ['test/actors/world/talk/ask.test.ts', 'asks once and hears once wherever the power is cut'],
    ],
  },
  {
    number: 154,
    name: 'two who open one store',
    source: 'N',
    proofs: [
      ['test/persistence/level-store.test.ts', 'keeps out another process, and still does after a refused second open'],
      [
        'test/persistence/level-store.test.ts',
        'keeps out a second store of the process, under any name of the directory',
      ],
    ],
    differs: 'the second is refused; a host that is fenced while it runs takes several hosts',
  },
  {
    number: 155,
    name: 'the wall clock jumps back an hour, or ahead a day',
    source: 'N',
    proofs: [
      ['test/actors/world/time/timers-clock.test.ts', 'by %i ms moves no timer'],
      ['test/actors/world/time/timers.test.ts', 'none fires early where the wall clock was set back, and none is lost'],
      [SCHEDULES, 'every planned time has an event or is counted, once, in order, and none comes early'],
    ],
  },
  {
    number: 156,
    name: 'a damaged or short file, a full disk, an I/O error',
    source: 'N',
    proofs: [
      ['test/crash/flips.test.ts', 'serves nothing wrong without a word, at ${FLIPS} places'],
      ['test/crash/full-disk.test.ts', 'loses nothing and doubles nothing, at ${points} points'],
      ['test/persistence/damage.test.ts', 'stops that actor and nobody else: %s'],
    ],
  },
  {
    number: 157,
    name: 'a snapshot written and read again does the same from there on',
    source: 'N',
    proofs: [
      ['test/fuzz/differential-even.test.ts', 'a random machine under Bosun is equal to the same under createActor'],
      ['test/fuzz/differential-odd.test.ts', 'a random machine under Bosun is equal to the same under createActor'],
    ],
  },
  {
    number: 158,
    name: 'a client resumes, a slow one is bounded, forged events are refused, an ask survives its connection',
    source: 'N',
    proofs: [
      [
        'test/gateway/client/sessions.test.ts',
        'is recovered and gets nothing where nothing was missed, over a crash too',
      ],
      [
        'test/gateway/client/flow.test.ts',
        'is told once, gets only the latest when it reads again, and a word of what it missed',
      ],
      ['test/supervisor/forged.test.ts', 'is refused as a throw of its turn, and the Boss hears nothing'],
      [
        'test/gateway/client/sessions.test.ts',
        'gets an ask the recorded reply over a crash, and refuses another question',
      ],
    ],
  },
];
