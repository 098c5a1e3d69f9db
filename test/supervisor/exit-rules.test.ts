import { describe, expect, it } from 'vitest';
import { type ChildExit } from '../../src/actors/model/supervision.ts';
import { parseChildSpec } from '../../src/supervisor/child-spec.ts';
import { type ChildRecord, decideExit, decideRetry, type Situation } from '../../src/supervisor/exit-rules.ts';

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
  return { record: record(), window: [], limit: { intensity: 3, periodMs: 5_000 }, nowMs: 10_000, ...changes };
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
  it('goes on from the last committed state after a failure', () => {
    expect(decideExit(situation(), exit('error'), 0)).toMatchObject({ kind: 'restart', mode: 'committed' });
  });

  it('begins anew after a failure where the spec says so', () => {
    const anew = situation({ record: record({ resume: 'initial' }) });
    expect(decideExit(anew, exit('error'), 0)).toMatchObject({ kind: 'restart', mode: 'initial' });
  });

  it.each(['normal', 'shutdown'] as const)('begins anew after a %s exit, whatever the spec says', (reason) => {
    expect(decideExit(situation(), exit(reason), 0)).toMatchObject({ kind: 'restart', mode: 'initial' });
  });

  it('of a Boss always begins anew', () => {
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

  it('of a redelivered message is not counted again', () => {
    const full = situation({ window: [9_000, 9_000, 9_000] });
    const decision = decideExit(full, exit('error', { redelivery: true }), 0);
    expect(decision).toMatchObject({ kind: 'restart', window: [9_000, 9_000, 9_000], record: { restarts: 0 } });
  });

  it('too many makes the Boss give up with the error of the child', () => {
    const full = situation({ window: [9_000, 9_000, 9_000] });
    expect(decideExit(full, exit('error'), 0)).toMatchObject({ kind: 'give-up', error: { message: 'boom' } });
  });
});

describe('a delayed restart', () => {
  const backoff = { minMs: 100, maxMs: 1_000, factor: 2, jitter: 0 };

  it('waits longer each time in a row', () => {
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

  it('starts its row anew when the child ran for half of least and most before', () => {
    const well = situation({ record: record({ backoff }, { startedAtMs: 10_000 - 550, consecutive: 4 }) });
    expect(decideExit(well, exit('error'), 0)).toMatchObject({ delayMs: 100, record: { consecutive: 1 } });
    const notYet = situation({ record: record({ backoff }, { startedAtMs: 10_000 - 549, consecutive: 4 }) });
    expect(decideExit(notYet, exit('error'), 0)).toMatchObject({ delayMs: 1_000 });
  });

  it('counts when it runs, not when it is decided', () => {
    const waiting = record({ backoff }, { status: 'waiting', retry: { atMs: 10_100, mode: 'committed' } });
    expect(decideRetry(situation({ record: waiting, nowMs: 10_100, window: [5_000] }))).toMatchObject({
      kind: 'restart',
      window: [10_100],
      record: { status: 'running', retry: null, startedAtMs: 10_100, restarts: 1 },
    });
  });

  it('is not waited for when it is bound to be one too many', () => {
    const recent = { record: record({ backoff }), limit: { intensity: 1, periodMs: 5_000 } };
    expect(decideExit(situation({ ...recent, window: [9_000] }), exit('error'), 0).kind).toBe('give-up');
    expect(decideExit(situation({ ...recent, window: [5_000] }), exit('error'), 0).kind).toBe('wait');
  });

  it('begins anew when what it answers was a normal exit', () => {
    const decision = decideExit(situation({ record: record({ backoff }) }), exit('normal'), 0);
    expect(decision).toMatchObject({ kind: 'wait', record: { retry: { mode: 'initial' } } });
  });

  it('is not given to a redelivered message: waiting does not help against it', () => {
    const again = decideExit(situation({ record: record({ backoff }) }), exit('error', { redelivery: true }), 0);
    expect(again.kind).toBe('restart');
  });

  it('is nothing for a child that is not waiting any more', () => {
    expect(decideRetry(situation())).toBe(null);
  });
});
