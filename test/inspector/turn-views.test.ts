/**
 * The data of the two views of turns: the window of the last turns, the places of their rows, the state of an actor
 * before and after.
 */
import { describe, expect, it } from 'vitest';
import { aroundOf } from '../../src/inspector/turns/around.ts';
import { pathText, placeIn, titleOf } from '../../src/inspector/turns/history.ts';
import { layoutOf, type PlacedRow } from '../../src/inspector/turns/sequence-layout.ts';
import { type Sequence, sequenceOf } from '../../src/inspector/turns/sequence.ts';
import { continuedWith, openedWith, TURNS_ASKED_MAX, TURNS_SHOWN_MAX } from '../../src/inspector/turns/turn-window.ts';
import { type KeptTurnView, type TurnView } from '../../src/gateway/protocol/views.ts';

const turn = (number: number, fields: Partial<TurnView> = {}): TurnView => ({
  ...{
    number,
    kind: 'transition',
    atMs: number * 1_000,
    address: 'x',
    agent: 'a',
    life: 1,
    sequence: number,
    event: { type: 'go' },
    cause: null,
  },
  ...{ microsteps: [], sent: [], born: [], change: null, value: 'on', status: 'active', error: null, durationMs: 0 },
  ...fields,
});
const turns = (count: number, from = 1) => Array.from({ length: count }, (_, index) => turn(from + index));
const numbers = ({ turns: shown }: { readonly turns: readonly TurnView[] }) => shown.map(({ number }) => number);

describe('the window of turns', () => {
  it('holds the last turns, and counts the turns before them', () => {
    expect(openedWith(turns(TURNS_SHOWN_MAX), [])).toMatchObject({ earlier: 0, isAtLeast: false });
    const one = openedWith(turns(TURNS_SHOWN_MAX + 1), []);
    expect([numbers(one)[0], numbers(one).length, one.earlier, one.isAtLeast]).toEqual([2, TURNS_SHOWN_MAX, 1, false]);
    const all = openedWith(turns(TURNS_ASKED_MAX), []);
    expect([all.turns.length, all.earlier, all.isAtLeast]).toEqual([
      TURNS_SHOWN_MAX,
      TURNS_ASKED_MAX - TURNS_SHOWN_MAX,
      true,
    ]);
  });

  it('adds each new turn once, and drops the oldest', () => {
    const window = continuedWith(openedWith(turns(TURNS_SHOWN_MAX), []), [
      turn(TURNS_SHOWN_MAX),
      turn(TURNS_SHOWN_MAX + 1),
      turn(TURNS_SHOWN_MAX + 2),
    ]);
    expect([numbers(window)[0], numbers(window).at(-1), window.turns.length, window.earlier]).toEqual([
      3,
      TURNS_SHOWN_MAX + 2,
      TURNS_SHOWN_MAX,
      2,
    ]);
  });

  it('keeps the contents of a turn when the turn comes again without contents after a break', () => {
    const whole = turn(2, { change: { set: { count: 1 } }, event: { type: 'go', by: 1 } });
    expect(openedWith([turn(1), turn(2)], [whole]).turns[1]).toBe(whole);
    expect(continuedWith(openedWith([turn(1), turn(2)], []), [whole]).turns[1]).toBe(whole);
    expect(continuedWith(openedWith([whole], []), [turn(2)]).turns[0]).toBe(whole);
  });

  it('does not mix up turns of an earlier server that have the same number', () => {
    const other = turn(2, { atMs: 9, change: { set: { count: 1 } } });
    expect(openedWith([turn(1), turn(2)], [other]).turns[1]!.change).toBe(null);
  });
});

describe('the view of an actor around a turn', () => {
  const kept = (number: number, fields: Partial<KeptTurnView>): KeptTurnView => ({
    ...turn(number),
    context: {},
    ...fields,
  });

  it('shows the state of the turn before, if that turn is of the same life', () => {
    const [first, second, other, next] = [
      turn(1, { value: 'a' }),
      turn(2, { value: 'b' }),
      turn(3, { address: 'y', value: 'c' }),
      turn(4, { life: 2, value: 'd' }),
    ];
    const all = { turns: [first, second, other, next], kept: [] };
    expect([first, second, other, next].map((one) => aroundOf(one, all).valueBefore)).toEqual([
      undefined,
      'a',
      undefined,
      undefined,
    ]);
    expect(aroundOf(second, all)).toMatchObject({ changes: null, kept: undefined });
  });

  it('finds the kept turn and its changes, although kept turns are numbered differently', () => {
    const one = turn(7, { sequence: 2, atMs: 50 });
    const history = [
      kept(1, { sequence: 1, atMs: 40, value: 'off', context: { n: 1 } }),
      kept(2, { sequence: 2, atMs: 50, context: { n: 2 } }),
      kept(3, { sequence: 2, atMs: 60, context: { n: 2 } }),
    ];
    expect(aroundOf(one, { turns: [one], kept: history })).toEqual({
      valueBefore: 'off',
      changes: [{ path: ['n'], before: 1, after: 2 }],
      kept: history[1],
    });
  });

  it('shows no changes if the turn before is not kept', () => {
    const one = turn(7, { sequence: 2 });
    const around = aroundOf(one, { turns: [one], kept: [kept(5, { sequence: 2, atMs: one.atMs })] });
    expect([around.changes, around.kept?.number]).toEqual([null, 5]);
  });

  it('shows no state before a start, even if an earlier actor had the address', () => {
    const birth = turn(2, { kind: 'spawn', event: null });
    expect(aroundOf(birth, { turns: [turn(1), birth], kept: [] }).valueBefore).toBe(undefined);
  });
});

describe('a step of a history', () => {
  it('is found by its number, is the oldest for a dropped number, and the newest without a number', () => {
    const steps = [4, 5, 7].map((number) => ({ number }));
    expect([5, 2, 6, 7, 9, NaN].map((number) => placeIn(steps, number))).toEqual([1, 0, 2, 2, 2, 2]);
    expect(placeIn([], 3)).toBe(-1);
  });

  it('is named after its event, or its kind if it has none', () => {
    expect([turn(1), turn(1, { kind: 'failed' }), turn(1, { kind: 'restarted', event: null })].map(titleOf)).toEqual([
      'go',
      'go, failed',
      'restarted',
    ]);
    expect([['a', 0, 'b'], []].map(pathText)).toEqual(['a.0.b', '']);
  });
});

describe('the places of a sequence', () => {
  const drawn = (sequence: Sequence) =>
    layoutOf(sequence, new Map([...Array(20).keys()].map((number) => [number, number * 1_000])));
  const cause = { address: 'x', life: 1, sequence: 1 };

  it('put rows below each other, with arrows from lane to lane', () => {
    const { rows, lanes, width, height } = drawn(
      sequenceOf([
        turn(1),
        turn(2, { address: 'y', life: 2, cause }),
        turn(3, { address: 'y', life: 2, value: { door: 'open' } }),
      ]),
    );
    for (const [index, { top, height: own }] of rows.entries())
      expect(top + own).toBe(rows[index + 1]?.top ?? height - 12);
    expect(lanes.map(({ x }) => x)).toEqual([...lanes.map(({ x }) => x)].sort((a, b) => a - b));
    expect(lanes.at(-1)!.x).toBeLessThan(width);
    expect(rows[1]!.stroke).toBe(`M${lanes[1]!.x} ${rows[1]!.top + 22}H${lanes[2]!.x}`);
    expect(rows.map(({ left }) => left)).toEqual([0, 1, 0].map((lane) => lanes[lane]!.x));
    expect(new Set(rows.map(({ key }) => key)).size).toBe(3);
  });

  it('describe each row in words, with states, failures and delays', () => {
    const sent = [
      { to: 'x', event: { type: 'late' }, delayMs: 90_000, id: null },
      { to: 'x', event: { type: 'soon' }, delayMs: 50, id: null },
    ];
    const { rows } = drawn(
      sequenceOf([
        turn(1, { sent }),
        turn(2, { cause, event: { type: 'soon' } }),
        turn(3, { kind: 'failed', value: null }),
        turn(4, { kind: 'restarted', event: null, value: 'off' }),
      ]),
    );
    const clock = rows[0]!.time!;
    expect(clock).toMatch(/^\d\d:\d\d:01$/);
    expect(rows.map(({ spoken }) => spoken.replace(/^\d\d:\d\d:\d\d /, ''))).toEqual([
      'go from outside to x, now on',
      'soon after 50 ms from x to itself',
      'go from outside to x, failed',
      'x restarted, now off',
      'late after 1 min 30 s, not seen from x to itself',
    ]);
  });

  it('show a time only if it differs from the time above', () => {
    const sequence = sequenceOf([turn(1), turn(2), turn(3)]);
    const times = layoutOf(
      sequence,
      new Map([
        [1, 5_000],
        [2, 5_900],
        [3, 6_000],
      ]),
    ).rows.map(({ time }) => time?.slice(-2) ?? null);
    expect(times).toEqual(['05', null, '06']);
  });

  it('break the line of a lane where an actor starts, restarts and ends', () => {
    const of = (...kinds: TurnView['kind'][]) => {
      const { lanes, height, rows } = drawn(
        sequenceOf(
          kinds.map((kind, index) => turn(index + 1, { kind, ...(kind !== 'transition' && { event: null }) })),
        ),
      );
      return { lines: lanes.find(({ address }) => address === 'x')!.lines, height, rows };
    };
    const whole = of('transition');
    expect(whole.lines).toEqual([{ from: 0, to: whole.height }]);
    const { lines, rows, height } = of('spawn', 'transition', 'restarted', 'transition', 'stopped');
    const within = ({ top, height: own }: PlacedRow, y: number) => y >= top && y <= top + own;
    expect(
      lines.map(({ from, to }) => [
        rows.findIndex((row) => within(row, from)),
        rows.findIndex((row) => within(row, to)),
      ]),
    ).toEqual([
      [0, 2],
      [2, 4],
    ]);
    expect(lines.at(-1)!.to).toBeLessThan(height);
  });

  it('cut a label that is too long, and keep it complete in the words', () => {
    const type = 'order.line.quantity.changed.by.customer';
    const [row] = drawn(sequenceOf([turn(1, { event: { type } })])).rows;
    expect(row!.label!.text).toMatch(/\u2026$/);
    expect(row!.spoken).toContain(type);
  });
});
