/** Kernel time under clocks that are set or wrong, and on a computer that sleeps. */
import fc from 'fast-check';
import { createMachine } from 'xstate';
import { describe, expect, it } from 'vitest';
import { anchor, KernelTime } from '../../../../src/actors/world/time/kernel-time.ts';
import { Mailbox } from '../../../../src/actors/world/mailbox/mailbox.ts';
import { Message } from '../../../../src/actors/world/mailbox/message.ts';
import { newTimer, type Timer } from '../../../../src/actors/model/timers.ts';
import { BosunError } from '../../../../src/errors.ts';
import { CLOCK_AHEAD_MS_MAX } from '../../../../src/limits.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { startSubject, valueOf } from '../../../support/actors/subject.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const IN_2100 = Date.UTC(2100, 0, 1);

/** Over after an hour. */
const patient = createMachine({ initial: 'waiting', states: { waiting: { after: { [HOUR_MS]: 'over' } }, over: {} } });

/** Begins a new hour for ever. */
const hourly = createMachine({
  initial: 'on',
  states: { on: { after: { [HOUR_MS]: { target: 'on', reenter: true } } } },
});

async function isOverAfter(test: TestSystem, ms: number): Promise<void> {
  await test.advance(ms - 1);
  expect(valueOf(test)).toBe('waiting');
  await test.advance(1);
  expect(valueOf(test)).toBe('over');
}

describe('a wall clock that is set while the system runs', () => {
  it.each([-10 * DAY_MS, -HOUR_MS, HOUR_MS, 10 * DAY_MS, 100_000 * DAY_MS])(
    'moves no timer when it moves by %i ms',
    async (byMs) => {
      const test = await startSubject(patient);
      await test.advance(10 * 60_000);
      test.clock.jumpWallMs(byMs);
      await isOverAfter(test, 50 * 60_000);
      await test.shard.stop();
    },
  );
});

describe('a computer that sleeps', () => {
  it('does not stop timers: those that came due meanwhile fire when it wakes', async () => {
    const test = await startSubject(patient);
    await test.advance(10 * 60_000);
    test.clock.suspend(8 * HOUR_MS);
    expect(valueOf(test)).toBe('waiting');
    await test.advance(0);
    expect(valueOf(test)).toBe('over');
    await test.shard.stop();
  });

  it('makes timers late by the sleep, never early, if its clock sleeps with it', async () => {
    const test = await startSubject(patient);
    await test.advance(10 * 60_000);
    // The kernel sees only a wall clock that was set forward.
    test.clock.jumpWallMs(8 * HOUR_MS);
    await isOverAfter(test, 50 * 60_000);
    await test.shard.stop();
  });
});

describe('a start with a wall clock', () => {
  it('a start with a wall clock that is behind the last epoch goes on from that epoch, and logs it', async () => {
    const test = await startSubject(patient);
    await test.advance(10 * 60_000);
    await test.shard.stop();
    test.clock.jumpWallMs(-DAY_MS);
    await test.restart();
    expect(test.logged.flat().join()).toContain('before the last epoch at 2026-01-01');
    // The last epoch of the first start was written at its beginning: nothing tells of the ten minutes after it.
    await isOverAfter(test, HOUR_MS);
    await test.shard.stop();
  });

  it('a start with a wall clock that is a minute behind logs nothing', async () => {
    const test = await startSubject(patient);
    await test.shard.stop();
    test.clock.jumpWallMs(-60_000);
    await test.restart();
    expect(test.logged).toEqual([]);
    await test.shard.stop();
  });

  it('a start with a wall clock that is more than a year ahead is refused, and no timer fires', async () => {
    const test = await startSubject(patient);
    await test.shard.stop();
    test.clock.setWall(IN_2100);
    await expect(test.restart()).rejects.toMatchObject({ code: 'BOSUN_CLOCK_SUSPECT', details: { wallMs: IN_2100 } });
    test.clock.setWall(Date.UTC(2026, 0, 1));
    await test.restart();
    await isOverAfter(test, HOUR_MS);
    await test.shard.stop();
  });

  it('a start with a wall clock that is ahead is accepted up to a bound, or with trustWallClock', async () => {
    for (const [aheadMs, trustWallClock] of [
      [CLOCK_AHEAD_MS_MAX, false],
      [30 * 366 * DAY_MS, true],
    ] as const) {
      const test = await startSubject(patient);
      await test.shard.stop();
      test.clock.jumpWallMs(aheadMs);
      await test.restart({ trustWallClock });
      expect(valueOf(test)).toBe('over');
      await test.shard.stop();
    }
  });

  it(
    'a start with a wall clock that is behind the last epoch and trusted sets kernel time back, and every timer ' +
      'keeps its remaining time',
    async () => {
      const test = await startSubject(hourly, { clock: new VirtualClock(IN_2100) });
      await test.advance(2.5 * HOUR_MS);
      await test.shard.stop();
      test.clock.setWall(Date.UTC(2026, 5, 1));
      await test.restart({ trustWallClock: true });
      const rises = async (ms: number) => {
        const before = test.shard.snapshot('subject')!.sequence;
        const epoch = test.shard.epoch;
        await test.advance(ms);
        return test.shard.snapshot('subject')!.sequence + test.shard.epoch - before - epoch;
      };
      // The remaining time was last written two hours in, when the third hour began.
      expect(await rises(HOUR_MS - 1)).toBe(0);
      expect(await rises(1)).toBeGreaterThan(0);
      await test.crash();
      // From here on starts need no trust: the epochs of 2026 are the last.
      test.clock.jumpWallMs(HOUR_MS / 2);
      await test.restart();
      expect(test.logged).toEqual([]);
      expect(await rises(HOUR_MS / 2 - 1)).toBe(0);
      expect(await rises(1)).toBeGreaterThan(0);
      await test.shard.stop();
    },
  );

  it('a start with a wall clock that is wrong has no effect on hold', async () => {
    const test = await startSubject(patient);
    await test.shard.stop();
    test.clock.setWall(IN_2100);
    await test.restart({ hold: true });
    await test.shard.stop();
    test.clock.setWall(Date.UTC(2026, 0, 1));
    await test.restart();
    await isOverAfter(test, HOUR_MS);
    await test.shard.stop();
  });
});

describe('kernel time', () => {
  it('never goes back, neither within a run nor over runs, however the clocks are set', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(10 * HOUR_MS) }),
      fc.record({ kind: fc.constant('jump' as const), ms: fc.integer({ min: -30 * DAY_MS, max: 30 * DAY_MS }) }),
      fc.record({ kind: fc.constant('sleep' as const), ms: fc.nat(10 * HOUR_MS) }),
      fc.record({ kind: fc.constant('write' as const), ms: fc.constant(0) }),
      fc.record({ kind: fc.constant('start' as const), ms: fc.constant(0) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const clock = new VirtualClock();
        let writtenMs = 0;
        const start = () => new KernelTime(clock, { lastMs: writtenMs, hold: false, trustWallClock: false });
        let time = start();
        let seenMs = 0;
        for (const { kind, ms } of steps) {
          if (kind === 'pass' || kind === 'sleep') clock.suspend(ms);
          else if (kind === 'jump') clock.jumpWallMs(ms);
          else if (kind === 'write') writtenMs = time.stamp();
          else {
            time = start();
            seenMs = writtenMs;
          }
          expect(time.nowMs()).toBeGreaterThanOrEqual(Math.max(seenMs, writtenMs));
          seenMs = time.nowMs();
        }
      }),
    );
  });

  it('kernel time of a new store begins at the wall clock, even one that is far off', () => {
    for (const wallMs of [-1, 0, IN_2100])
      expect(anchor(wallMs, { lastMs: 0, hold: false, trustWallClock: false }).originMs).toBe(wallMs);
  });

  it('is refused one millisecond beyond the bound on jumps ahead', () => {
    const at = (aheadMs: number) => () =>
      anchor(1_000 + aheadMs, { lastMs: 1_000, hold: false, trustWallClock: false });
    expect(at(CLOCK_AHEAD_MS_MAX)).not.toThrow();
    expect(at(CLOCK_AHEAD_MS_MAX + 1)).toThrow(BosunError);
  });
});

describe('waitFor', () => {
  it.each([1_000, 2 ** 31, 40 * DAY_MS])('times out after %i ms and not before', async (timeoutMs) => {
    const test = await startSubject(patient);
    let outcome: unknown = 'waiting';
    const waiting = test.shard.actor('subject').waitFor(({ value }) => value === 'never', { timeoutMs });
    const ended = waiting.catch((error: unknown) => (outcome = error));
    await test.advance(timeoutMs - 1);
    expect(outcome).toBe('waiting');
    await test.advance(1);
    await ended;
    expect(outcome).toMatchObject({ code: 'BOSUN_TIMEOUT' });
    await test.shard.stop();
  });
});

describe('a mailbox', () => {
  type Step =
    | { kind: 'push' | 'due' | 'command' }
    | { kind: 'cancel'; pick: number }
    | { kind: 'read' }
    | { kind: 'drain' };
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.constantFrom<Step>({ kind: 'push' }, { kind: 'due' }, { kind: 'command' }, { kind: 'read' }),
    fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat() }),
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'drain' }) },
  );

  it('neither returns nor counts due timers that were cancelled', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const mailbox = new Mailbox();
        let model: Message[] = [];
        for (const [id, next] of steps.entries()) {
          if (next.kind === 'push' || next.kind === 'due' || next.kind === 'command') {
            const message = messageWith(id, next.kind);
            mailbox.push(message);
            const commands = model.filter(({ kind }) => kind === 'command').length;
            model.splice(next.kind === 'command' ? commands : model.length, 0, message);
          } else if (next.kind === 'cancel') {
            const due = model.filter(({ timer }) => timer !== null);
            const message = due[next.pick % (due.length || 1)];
            if (message === undefined) continue;
            message.timer!.gone = true;
            mailbox.forget();
            model = model.filter((other) => other !== message);
          } else if (next.kind === 'read') {
            expect(mailbox.peek()).toBe(model[0] ?? null);
            if (model.length > 0) mailbox.shift();
            model.shift();
          } else {
            expect(mailbox.drain()).toEqual(model);
            model = [];
          }
          expect([mailbox.size, mailbox.unread()]).toEqual([model.length, model]);
        }
      }),
    );
  });

  function messageWith(id: number, kind: 'push' | 'due' | 'command'): Message {
    const timer: Timer | null =
      kind === 'due'
        ? newTimer({ number: id, owner: 1, id: `${id}`, deadlineMs: 0, to: 1, event: { type: 'E' }, delayMs: 0 })
        : null;
    return new Message(id, 1, kind === 'command' ? 'command' : 'event', { type: 'E' }, 1, 0, timer, null);
  }
});
