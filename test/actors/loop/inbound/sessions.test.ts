/** The memory of sends that a client may repeat, and its bounds (P3). */
import { describe, expect, it } from 'vitest';
import { Sessions, type SessionRow } from '../../../../src/actors/loop/inbound/sessions.ts';
import { KEYSPACE } from '../../../../src/actors/model/ports.ts';
import { EpochDraft } from '../../../../src/actors/world/epoch-draft.ts';
import { BosunError } from '../../../../src/errors.ts';
import { ownedName } from '../../../../src/fair-shares.ts';
import { REPEAT_MS_MIN, SESSION_WINDOW_MS, SESSIONS_MAX } from '../../../../src/limits.ts';
import { createCodec } from '../../../../src/persistence/format/codec.ts';
import { NOTHING, references } from '../../../support/persistence/model.ts';
import { LONG } from '../../../support/effort.ts';

interface Subject {
  readonly sessions: Sessions;
  /** Checks and enters a send; whether it counts. */
  send(id: string, sequence: number): boolean;
  at(nowMs: number): void;
  /** Rows written since the last call, by key; null for a removed row. */
  written(): Record<string, unknown>;
}

function begin(rows: readonly (readonly [string, SessionRow])[] = [], damage: BosunError[] = []): Subject {
  let nowMs = 0;
  const draft = new EpochDraft(createCodec(references).deltas());
  const recovered = { rows: new Map([[KEYSPACE.sessions, new Map<string, unknown>(rows)]]), damage, kernelTimeMs: 0 };
  const sessions = new Sessions(draft, recovered, () => nowMs);
  return {
    sessions,
    send: (id, sequence) => {
      sessions.check({ id, sequence });
      return sessions.accept({ id, sequence });
    },
    at: (ms) => void (nowMs = ms),
    written: () =>
      Object.fromEntries(
        draft.freeze({
          number: 1,
          kernelTimeMs: 0,
          counters: NOTHING.counters,
          configurations: [],
          isVoid: false,
          lastTurn: 0,
        }).epoch.rows,
      ),
  };
}

describe('a session', () => {
  it('accepts each sequence number once, and none below the last', () => {
    const { send, written } = begin();
    expect([send('a', 1), send('a', 1), send('a', 3), send('a', 2), send('b', 1)]).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
    expect(written()).toEqual({ 'd!a': [3, 0], 'd!b': [1, 0] });
  });

  it('recognizes a repeat before anything is entered, also for an unknown client', () => {
    const { sessions, send } = begin();
    const isRepeat = (id: string, sequence: number) => sessions.isRepeat({ id, sequence });
    expect([isRepeat('a', 1), isRepeat('a', 0)]).toEqual([false, true]);
    send('a', 5);
    expect([4, 5, 6].map((sequence) => isRepeat('a', sequence))).toEqual([true, true, false]);
  });

  it('continues from its last number after a crash', () => {
    const { send } = begin([
      ['a', [5, 0]],
      ['b%20c', [7, 0]],
    ]);
    expect([send('a', 5), send('a', 6), send('b c', 7), send('b c', 8)]).toEqual([false, true, false, true]);
  });

  it('refuses numbers that are not whole', () => {
    const refused = expect.objectContaining({ code: 'BOSUN_VALUE_REFUSED' }) as Error;
    expect(() => begin().send('a', 1.5)).toThrow(refused);
  });

  it('a session whose record is damaged is refused, because its last number is lost', () => {
    const damageOf = (key: string) => new BosunError('BOSUN_STORE_DAMAGED', 'damaged', { details: { key } });
    const { send } = begin([], [damageOf('d!a%20b'), damageOf('s!c')]);
    expect(() => send('a b', 1)).toThrow(expect.objectContaining({ code: 'BOSUN_STORE_DAMAGED' }) as Error);
    expect(send('c', 1)).toBe(true);
  });
});

describe('sessions', () => {
  it('are remembered for their window after the last send, and then forgotten', () => {
    const { send, at, written } = begin();
    send('a', 5);
    at(SESSION_WINDOW_MS - 1);
    send('b', 1);
    expect(written()).toEqual({ 'd!a': [5, 0], 'd!b': [1, SESSION_WINDOW_MS - 1] });
    at(SESSION_WINDOW_MS);
    send('b', 2);
    expect(written()).toEqual({ 'd!a': null, 'd!b': [2, SESSION_WINDOW_MS] });
    expect(send('a', 1)).toBe(true);
  });

  it('are forgotten in the order of their last sends, including those from before a crash', () => {
    const { send, at, written } = begin([
      ['young', [1, 1_000]],
      ['old', [1, 0]],
    ]);
    at(SESSION_WINDOW_MS);
    send('new', 1);
    expect(written()).toEqual({ 'd!old': null, 'd!new': [1, SESSION_WINDOW_MS] });
  });

  it('are forgotten later if they are in use', () => {
    const { send, at, written } = begin();
    send('busy', 1);
    send('silent', 1);
    at(60_001);
    send('busy', 2);
    written();
    at(SESSION_WINDOW_MS);
    send('new', 1);
    expect(written()).toEqual({ 'd!silent': null, 'd!new': [1, SESSION_WINDOW_MS] });
  });

  it('are forgotten eight at a time, so that no send waits for the removal of all', () => {
    const { send, at, written } = begin();
    for (let n = 0; n < 20; n++) send(`s${n}`, 1);
    written();
    at(SESSION_WINDOW_MS);
    const forgotten = [1, 2, 3].map((sequence) => {
      send('new', sequence);
      return Object.values(written()).filter((row) => row === null).length;
    });
    // The first send of a session removes twice: once to make room, and once as any send does.
    expect(forgotten).toEqual([16, 4, 0]);
  });

  it(`are at most ${SESSIONS_MAX}; one more replaces the oldest of the caller with most sessions (F3)`, LONG, () => {
    const { send, at, written } = begin();
    send(ownedName('modest', 'first'), 1);
    for (let n = 1; n < SESSIONS_MAX; n++) send(ownedName('greedy', `${n}`), 1);
    written();
    at(REPEAT_MS_MIN);
    expect(send(ownedName('modest', 'second'), 1)).toBe(true);
    expect(written()).toEqual({ 'd!greedy/1': null, 'd!modest/second': [1, REPEAT_MS_MIN] });
    expect(send(ownedName('greedy', 'one more'), 1)).toBe(true);
    expect(written()).toEqual({ 'd!greedy/2': null, 'd!greedy/one%20more': [1, REPEAT_MS_MIN] });
    expect([send(ownedName('modest', 'first'), 1), send(ownedName('greedy', '3'), 1)]).toEqual([false, false]);
  });

  it(
    `are refused if ${SESSIONS_MAX} were used within ${REPEAT_MS_MIN} ms, which a client may still repeat`,
    LONG,
    () => {
      const { sessions, send, at } = begin();
      for (let n = 0; n < SESSIONS_MAX; n++) send(`s${n}`, 1);
      at(REPEAT_MS_MIN - 1);
      expect(() => send('one more', 1)).toThrow(expect.objectContaining({ code: 'BOSUN_SESSIONS_FULL' }) as Error);
      sessions.check({ id: 's0', sequence: 2 });
      at(REPEAT_MS_MIN);
      expect(send('one more', 1)).toBe(true);
    },
  );
});
