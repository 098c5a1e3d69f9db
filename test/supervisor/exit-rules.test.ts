import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChildExit } from '../../src/actors/model/supervision.ts';
import { parseChildSpec } from '../../src/supervisor/child-spec.ts';
import { type ChildRecord, type Decision, type Situation } from '../../src/supervisor/decision.ts';
import { decideExit, decideRetry, isShutDownBy } from '../../src/supervisor/exit-rules.ts';
import { restartGroup } from '../../src/supervisor/strategies.ts';

const error = new Error('boom');

function record(options: Record<string, unknown> = {}, changes: Partial<ChildRecord> = {}): ChildRecord {
  const spec = parseChildSpec({ id: 'a', agent: 'worker', ...options });
  const fresh = {
    status: 'running',
    consecutive: 0,
    startedAtMs: 0,
    retry: null,
    restarts: 0,
    lastError: undefined,
  } as const;
  return { spec, position: 0, ...fresh, ...changes };
}

function exit(reason: ChildExit['reason'], changes: Partial<ChildExit> = {}): ChildExit {
  return { reason, error: reason === 'normal' ? undefined : error, redelivery: false, ...changes };
}

function situation(changes: Partial<Situation> = {}): Situation {
  const limit = { intensity: 3, periodMs: 5_000 };
  return { record: record(), window: [], limit, escalates: true, nowMs: 10_000, ...changes };
}

describe('restart types', () => {
  // OTP, "Restart types": what becomes of a child that ended.
  const table = [
    ['permanent', 'normal', 'restart'],
    ['permanent', 'shutdown', 'restart'],
    ['permanent', 'error', 'restart'],
    ['transient', 'normal', 'end'],
    ['transient', 'shutdown', 'end'],
    ['transient', 'error', 'restart'],
    ['temporary', 'normal', 'end'],
    ['temporary', 'shutdown', 'end'],
    ['temporary', 'error', 'end'],
  ] as const;
  it.each(table)('%s child, %s exit: %s', (restart, reason, kind) => {
    expect(decideExit(situation({ record: record({ restart }) }), exit(reason), 0).kind).toBe(kind);
  });

  it('are permanent by default', () => {
    expect(record().spec.restart).toBe('permanent');
  });
});

describe('a restart', () => {
  it('is from the last committed state after a failure', () => {
    expect(decideExit(situation(), exit('error'), 0)).toMatchObject({ kind: 'restart', mode: 'committed' });
  });

  it('is from the initial state after a failure if the spec says so', () => {
    const anew = situation({ record: record({ resume: 'initial' }) });
    expect(decideExit(anew, exit('error'), 0)).toMatchObject({ kind: 'restart', mode: 'initial' });
  });

  it.each(['normal', 'shutdown'] as const)(
    'is from the initial state after a %s exit, whatever the spec says',
    (reason) => {
      expect(decideExit(situation(), exit(reason), 0)).toMatchObject({ kind: 'restart', mode: 'initial' });
    },
  );

  it('a restart of a Boss is always from the initial state', () => {
    const boss: ChildRecord = { ...record(), spec: parseChildSpec({ id: 'b', boss: {} }) };
    expect(decideExit(situation({ record: boss }), exit('error'), 0)).toMatchObject({
      kind: 'restart',
      mode: 'initial',
    });
  });

  it('is counted in the window and in the record, with the error', () => {
    const decision = decideExit(situation({ window: [9_000] }), exit('error'), 0);
    expect(decision).toMatchObject({ window: [10_000, 9_000], record: { restarts: 1, startedAtMs: 10_000 } });
    expect(decision).toHaveProperty('record.lastError.message', 'boom');
  });

  it('a restart for the redelivery of a message is not counted again', () => {
    const full = situation({ window: [9_000, 9_000, 9_000] });
    const decision = decideExit(full, exit('error', { redelivery: true }), 0);
    expect(decision).toMatchObject({ kind: 'restart', window: [9_000, 9_000, 9_000], record: { restarts: 0 } });
  });

  it('counts in the record only if a client caused it, so that no client can end a Boss (P9)', () => {
    const full = situation({ window: [9_000, 9_000, 9_000], record: record({ backoff: { minMs: 100 } }) });
    expect(decideExit(full, exit('error', { byClient: true }), 0)).toMatchObject({
      kind: 'restart',
      window: [9_000, 9_000, 9_000],
      record: { status: 'running', restarts: 1, startedAtMs: 10_000 },
    });
  });

  it('makes the Boss give up with the error of the child if it is beyond the intensity', () => {
    const full = situation({ window: [9_000, 9_000, 9_000] });
    expect(decideExit(full, exit('error'), 0)).toMatchObject({ kind: 'give-up', error: { message: 'boom' } });
  });
});

describe('a delayed restart', () => {
  const backoff = { minMs: 100, maxMs: 1_000, factor: 2, jitter: 0 };

  it('waits longer after each failure in a row', () => {
    const first = decideExit(situation({ record: record({ backoff }, { startedAtMs: 9_900 }) }), exit('error'), 0);
    expect(first).toMatchObject({
      kind: 'wait',
      delayMs: 100,
      record: { status: 'waiting', consecutive: 1, retry: { atMs: 10_100 } },
    });
    const second = decideExit(
      situation({ record: record({ backoff }, { startedAtMs: 9_900, consecutive: 1 }) }),
      exit('error'),
      0,
    );
    expect(second).toMatchObject({ kind: 'wait', delayMs: 200, record: { consecutive: 2 } });
  });

  it('begins a new row if the child ran for (minMs + maxMs) / 2 before', () => {
    const well = situation({ record: record({ backoff }, { startedAtMs: 10_000 - 550, consecutive: 4 }) });
    expect(decideExit(well, exit('error'), 0)).toMatchObject({ delayMs: 100, record: { consecutive: 1 } });
    const notYet = situation({ record: record({ backoff }, { startedAtMs: 10_000 - 549, consecutive: 4 }) });
    expect(decideExit(notYet, exit('error'), 0)).toMatchObject({ delayMs: 1_000 });
  });

  it('counts when it is carried out, not when it is decided', () => {
    const waiting = record({ backoff }, { status: 'waiting', retry: { atMs: 10_100, mode: 'committed' } });
    expect(decideRetry(situation({ record: waiting, nowMs: 10_100, window: [5_000] }))).toMatchObject({
      kind: 'restart',
      window: [10_100],
      record: { status: 'running', retry: null, startedAtMs: 10_100, restarts: 1 },
    });
  });

  it('is not waited for if it is sure to exceed the intensity', () => {
    const recent = { record: record({ backoff }), limit: { intensity: 1, periodMs: 5_000 } };
    expect(decideExit(situation({ ...recent, window: [9_000] }), exit('error'), 0).kind).toBe('give-up');
    expect(decideExit(situation({ ...recent, window: [5_000] }), exit('error'), 0).kind).toBe('wait');
  });

  it('is the last of its row when maxConsecutive is reached', () => {
    const decide = (consecutive: number) => {
      const spec = { backoff: { ...backoff, maxConsecutive: 2 } };
      return decideExit(situation({ record: record(spec, { startedAtMs: 9_900, consecutive }) }), exit('error'), 0);
    };
    expect(decide(1)).toMatchObject({ kind: 'wait', record: { consecutive: 2 } });
    expect(decide(2)).toMatchObject({ kind: 'give-up', error: { message: 'boom' } });
  });

  it('is from the initial state after a normal exit', () => {
    const decision = decideExit(situation({ record: record({ backoff }) }), exit('normal'), 0);
    expect(decision).toMatchObject({ kind: 'wait', record: { retry: { mode: 'initial' } } });
  });

  it('is not used for the redelivery of a message, for which a delay does not help', () => {
    const again = decideExit(situation({ record: record({ backoff }) }), exit('error', { redelivery: true }), 0);
    expect(again.kind).toBe('restart');
  });

  it('is ignored for a child that no longer waits', () => {
    const retry = { atMs: 10_000, mode: 'initial' } as const;
    expect(decideRetry(situation())).toBe(null);
    expect(decideRetry(situation({ record: record({}, { status: 'stopping', retry }) }))).toBe(null);
    expect(decideRetry(situation({ record: record({}, { status: 'waiting' }) }))).toBe(null);
  });
});

describe('a child under a Boss that does not escalate', () => {
  const limit = { intensity: 2, periodMs: 1_000 };
  const alone = (child: ChildRecord, nowMs: number) =>
    situation({ record: child, limit, escalates: false, window: [nowMs, nowMs, nowMs], nowMs });

  /** Lets a child live on, failing so many milliseconds after each of its starts, until it is suspended. */
  function lived(child: ChildRecord, runsMs: readonly number[], changes: Partial<ChildExit> = {}) {
    let nowMs = 1_000_000;
    let now = { ...child, startedAtMs: nowMs };
    const kinds: Decision['kind'][] = [];
    for (const runMs of runsMs) {
      let decision: Decision = decideExit(alone(now, (nowMs += runMs)), exit('error', changes), 0);
      kinds.push(decision.kind);
      if (decision.kind === 'wait') {
        nowMs = decision.record.retry!.atMs;
        decision = decideRetry(alone(decision.record, nowMs))!;
      }
      if (decision.kind !== 'restart') return { kinds, decision };
      now = decision.record;
    }
    return { kinds, decision: undefined };
  }

  it('waits for a period when its own limit is spent, and is suspended when it is spent again (S5)', () => {
    const { kinds, decision } = lived(record(), [0, 0, 0, 0, 0, 0, 0]);
    expect(kinds).toEqual(['restart', 'restart', 'wait', 'restart', 'restart', 'suspend']);
    expect(decision).toMatchObject({ kind: 'suspend', mode: 'committed', failures: 6, record: { status: 'running' } });
  });

  it('begins a new row once it has run for a whole period (S5)', () => {
    const { kinds } = lived(record(), [0, 0, 0, 1_000, 0, 0]);
    expect(kinds).toEqual(['restart', 'restart', 'wait', 'restart', 'restart', 'wait']);
  });

  it('is never suspended where it does not exist: it waits again (S5)', () => {
    const { kinds } = lived(record(), [0, 0, 0, 0, 0, 0], { isUnborn: true, isAbsent: true });
    expect(kinds).toEqual(['restart', 'restart', 'wait', 'restart', 'restart', 'wait']);
  });

  it('is suspended at the end of a row that its own backoff limits, at once (S5)', () => {
    const backoff = { minMs: 500, maxMs: 500, jitter: 0, resetAfterMs: 60_000, maxConsecutive: 2 };
    expect(lived(record({ backoff }), [0, 0, 0]).kinds).toEqual(['wait', 'wait', 'suspend']);
  });

  it('waits at least as long as its own backoff says (S5)', () => {
    const backoff = { minMs: 400, maxMs: 60_000, factor: 8, jitter: 0, resetAfterMs: 90_000 };
    const child = record({ backoff }, { consecutive: 1, startedAtMs: 10_000 });
    const decide = (own: ChildRecord['own']) =>
      decideExit(alone({ ...child, own } as ChildRecord, 10_000), exit('error'), 0);
    expect(decide({ window: [], failures: 0, isWarned: false })).toMatchObject({ kind: 'wait', delayMs: 3_200 });
    expect(decide({ window: [13_000, 12_900], failures: 2, isWarned: false })).toMatchObject({ kind: 'wait' });
  });

  it('never gives up, whatever fails when, and waits for its life between two suspensions (S5)', () => {
    const runs = fc.array(fc.integer({ min: 0, max: 1_500 }), { maxLength: 60 });
    fc.assert(
      fc.property(runs, (runsMs) => {
        const { kinds, decision } = lived(record(), runsMs);
        expect(kinds).not.toContain('give-up');
        if (decision?.kind !== 'suspend') return;
        const row = runsMs.slice(kinds.length - decision.failures + 1, kinds.length);
        expect(row.every((runMs) => runMs < limit.periodMs)).toBe(true);
        expect(decision.failures).toBeGreaterThanOrEqual(2 * (limit.intensity + 1));
      }),
    );
  });

  it('never restarts more often than its limit within a period, second chances aside (S5)', () => {
    const runs = fc.array(fc.integer({ min: 0, max: 1_500 }), { maxLength: 60 });
    fc.assert(
      fc.property(runs, (runsMs) => {
        let nowMs = 1_000_000;
        let now = record({}, { startedAtMs: nowMs });
        let counted: number[] = [];
        for (const runMs of runsMs) {
          nowMs += runMs;
          let decision: Decision = decideExit(alone(now, nowMs), exit('error'), 0);
          if (decision.kind === 'restart') {
            counted = [...counted, nowMs].filter((atMs) => atMs >= nowMs - limit.periodMs);
            expect(counted.length).toBeLessThanOrEqual(limit.intensity);
          } else if (decision.kind === 'wait') {
            expect(decision.delayMs).toBe(limit.periodMs);
            nowMs += decision.delayMs;
            counted = [];
            decision = decideRetry(alone(decision.record, nowMs))!;
          }
          if (decision.kind !== 'restart') return;
          now = decision.record;
        }
      }),
    );
  });
});

describe('a start by order that fails', () => {
  const decide = (onDemand: ChildRecord['onDemand']) =>
    decideExit(
      situation({ record: record({}, onDemand === undefined ? {} : { onDemand }) }),
      exit('error', { isUnborn: true }),
      0,
    );

  it('counts nowhere: a new child is forgotten, and a child ordered to restart stays ended', () => {
    expect(decide('start')).toMatchObject({ kind: 'end', isForgotten: true, record: { status: 'ended', restarts: 0 } });
    expect(decide('restart')).toMatchObject({ kind: 'end', isForgotten: false, record: { status: 'ended' } });
  });

  it('counts as an ordinary failure if the start was not ordered', () => {
    expect(decide(undefined).kind).toBe('restart');
  });
});

describe('automatic shutdown', () => {
  const child = (id: string, { isSignificant = true, status = 'running' as ChildRecord['status'] } = {}) =>
    record({ id, restart: 'temporary', significant: isSignificant }, { status });
  const ended = (gone: ChildRecord, isForgotten = false) =>
    ({ kind: 'end', reason: 'normal', record: { ...gone, status: 'ended' }, isForgotten }) as const;

  it('is off by default and with never', () => {
    const a = child('a');
    expect(isShutDownBy(ended(a), undefined, [a])).toBe(false);
    expect(isShutDownBy(ended(a), 'never', [a])).toBe(false);
  });

  it.each(['any_significant', 'all_significant'] as const)(
    'automatic shutdown by %s ignores children that are not significant',
    (mode) => {
      const a = child('a', { isSignificant: false });
      expect(isShutDownBy(ended(a), mode, [a])).toBe(false);
    },
  );

  it.each(['any_significant', 'all_significant'] as const)(
    'automatic shutdown by %s ignores a child that is forgotten',
    (mode) => {
      const a = child('a');
      expect(isShutDownBy(ended(a, true), mode, [a])).toBe(false);
    },
  );

  it('automatic shutdown by any_significant comes with the first end of a significant child', () => {
    const a = child('a');
    expect(isShutDownBy(ended(a), 'any_significant', [a, child('b')])).toBe(true);
  });

  it('automatic shutdown by all_significant comes with the last significant child', () => {
    const a = child('a');
    expect(isShutDownBy(ended(a), 'all_significant', [a, child('b')])).toBe(false);
    const others = [child('b', { status: 'ended' }), child('c', { isSignificant: false })];
    expect(isShutDownBy(ended(a), 'all_significant', [a, ...others])).toBe(true);
  });
});

describe('a group', () => {
  const at = (position: number) => record({ id: `c${position}` }, { position });
  const [first, second, third] = [at(0), at(1), at(2)] as const;

  it('is all children for one_for_all, in the order of their starts', () => {
    expect(restartGroup('one_for_all', second, [third, first, second])).toEqual([first, second, third]);
  });

  it.each(['one_for_one', 'dynamic'] as const)('does not exist for %s: a child is restarted alone', (strategy) => {
    expect(restartGroup(strategy, second, [third, first, second])).toBe(undefined);
  });

  it('is the failed child and those started after it for rest_for_one', () => {
    expect(restartGroup('rest_for_one', second, [third, first, second])).toEqual([second, third]);
  });
});
