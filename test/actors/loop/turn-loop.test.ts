/**
 * The rules by which turns are taken and an epoch stays open. The parts around the loop are played here, because their
 * times are fractions of a millisecond; test/actors/world/mailbox/overload.test.ts shows the effects in whole systems.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { RunQueue } from '../../../src/actors/world/run-queue.ts';
import { TurnLoop } from '../../../src/actors/loop/turn-loop.ts';
import {
  EPOCH_BYTES_MAX,
  MESSAGES_PER_VISIT,
  SLICE_MS,
  TURNS_PER_AWAITED_EPOCH,
  TURNS_PER_EPOCH,
  UNAWAITED_EPOCH_FACTOR,
} from '../../../src/limits.ts';

const EPOCH_MS = 4;

interface Played {
  readonly name: string;
  queued: boolean;
  left: number;
  readonly isRunnable: boolean;
  status: 'active' | 'starting';
  durable: object | undefined;
  readonly life: number;
  readonly mailbox: { peek(): object | null };
}

let nowMs: number;
let turnMs: number;
let isHalted: boolean;
let hasSteps: boolean;
let lines: string[];
let draft: { turns: number; bytes: number; awaited: number; isAwaited: boolean };
let timers: { isBehind: boolean };
let ingress: { size: number; takeIn: (count: number, bytes?: number) => void };
let runnable: RunQueue<Played>;
/** Actors that have messages after the next intake, and the time that an intake takes. */
let arrivals: Played[];
let intakeMs: number;
/** The next item in the mailbox of each actor, by name. */
let next: Record<string, object>;

function schedule(cell: Played): void {
  if (cell.queued || !cell.isRunnable) return;
  runnable.push(cell);
}

function actor(name: string, left = 1, facts: Partial<Played> = {}): Played {
  return {
    name,
    left,
    queued: false,
    status: 'active',
    durable: {},
    life: 5,
    mailbox: { peek: () => (cells.get(name)!.left > 0 ? (next[name] ?? { id: 7, key: 'k', timer: null }) : null) },
    get isRunnable() {
      return this.left > 0;
    },
    ...facts,
  } as Played;
}

const cells = new Map<string, Played>();

/** Has actors wait for turns, in this order. */
function waiting(...actors: Played[]): void {
  for (const each of actors) {
    cells.set(each.name, each);
    schedule(each);
  }
}

function take(taken: Played): number {
  expect(taken.queued).toBe(false);
  lines.push(taken.name);
  taken.left -= 1;
  draft.turns += 1;
  nowMs += turnMs;
  return nowMs;
}

function loop(epochMs = EPOCH_MS): TurnLoop {
  const parts = {
    world: { runnable, draft, timers, schedule },
    turns: { take },
    ingress,
    administration: {
      get hasSteps() {
        return hasSteps;
      },
      takeSteps: (guard?: { isReady(of: Played): boolean; begin(of: Played): void }) => {
        lines.push('steps');
        const stepped = cells.get('stepped');
        if (stepped !== undefined && guard?.isReady(stepped) === true) guard.begin(stepped);
      },
    },
    clock: { monotonicMs: () => nowMs },
    caution: { enter: (deed: string) => lines.push(deed), leave: () => lines.push('leave') },
    epochMs,
    isHalted: () => isHalted,
  };
  return new TurnLoop(parts as never);
}

/** A loop whose epoch has just begun. */
function begun(epochMs?: number): TurnLoop {
  const made = loop(epochMs);
  made.epochBegins();
  return made;
}

beforeEach(() => {
  [nowMs, turnMs, intakeMs, isHalted, hasSteps] = [100, 0, 0, false, false];
  [lines, arrivals, next] = [[], [], {}];
  cells.clear();
  draft = { turns: 0, bytes: 0, awaited: 0, isAwaited: false };
  timers = { isBehind: false };
  runnable = new RunQueue();
  ingress = {
    size: 0,
    takeIn: (count, bytes) => {
      lines.push(`in ${count}${bytes === EPOCH_BYTES_MAX ? '' : ` of ${String(bytes)} bytes`}`);
      nowMs += intakeMs;
      waiting(...arrivals.splice(0, 1));
    },
  };
});

describe('work for the turn loop', () => {
  it.each([
    ['an actor with messages', () => waiting(actor('a'))],
    ['an event at the door', () => (ingress.size = 1)],
    ['a step that was ordered', () => (hasSteps = true)],
    ['a timer that is overdue', () => (timers.isBehind = true)],
  ])('is %s', (_, given) => {
    expect(loop().hasWork).toBe(false);
    given();
    expect(loop().hasWork).toBe(true);
  });
});

describe('room in an epoch', () => {
  it.each([
    [{ turns: TURNS_PER_EPOCH - 1 }, true],
    [{ turns: TURNS_PER_EPOCH }, false],
    [{ turns: TURNS_PER_AWAITED_EPOCH - 1, awaited: 1 }, true],
    [{ turns: TURNS_PER_AWAITED_EPOCH, awaited: 1 }, false],
    [{ bytes: EPOCH_BYTES_MAX - 1 }, true],
    [{ bytes: EPOCH_BYTES_MAX }, false],
    [{ awaited: TURNS_PER_AWAITED_EPOCH - 1 }, true],
    [{ awaited: TURNS_PER_AWAITED_EPOCH }, false],
  ])('is bounded by turns, bytes and waiting hosts: %o', (filled, hasRoom) => {
    Object.assign(draft, filled);
    expect(loop().hasRoom).toBe(hasRoom);
  });

  it('remains for events that were already taken in, however many hosts wait', () => {
    draft.awaited = TURNS_PER_AWAITED_EPOCH;
    waiting(actor('a'));
    expect(loop().hasRoom).toBe(true);
  });
});

/** Milliseconds from now for which it goes on; `stepMs` is how exactly. */
function lastsMs(of: TurnLoop, stepMs = SLICE_MS / 2): number {
  const sinceMs = nowMs;
  while (nowMs - sinceMs < 1_000 && of.goesOn()) nowMs += stepMs;
  return nowMs - sinceMs;
}

describe('an epoch', () => {
  it('an epoch without waiting hosts stays open for the longest time, and one slice more for pending turns', () => {
    const epoch = begun();
    waiting(actor('a'));
    expect(lastsMs(epoch)).toBe(EPOCH_MS * UNAWAITED_EPOCH_FACTOR + SLICE_MS);
  });

  it('is written at once if there is no work, or no time was given', () => {
    expect(lastsMs(begun())).toBe(0);
    waiting(actor('a'));
    expect(lastsMs(begun(0))).toBe(0);
  });

  it('stays open for waiting events, but gets no extra slice if none was accepted', () => {
    const epoch = begun();
    ingress.size = 1;
    expect(lastsMs(epoch)).toBe(EPOCH_MS * UNAWAITED_EPOCH_FACTOR);
  });

  it('ends when it is full', () => {
    const epoch = begun();
    waiting(actor('a'));
    draft.bytes = EPOCH_BYTES_MAX;
    expect(lastsMs(epoch)).toBe(0);
  });

  it('an epoch with waiting hosts stays open while events of other hosts wait, and then ends', () => {
    const epoch = begun();
    waiting(actor('a'));
    [draft.awaited, ingress.size] = [1, 1];
    nowMs += 1;
    for (let look = 0; look < 3; look++) {
      expect(epoch.goesOn()).toBe(true);
      nowMs += SLICE_MS;
    }
    ingress.size = 0;
    expect(lastsMs(epoch)).toBe(SLICE_MS);
  });

  it('an epoch with a waiting host stays open for EPOCH_MS after its first slice', () => {
    const epoch = begun();
    waiting(actor('a', 1_000));
    nowMs += 10;
    draft.isAwaited = true;
    turnMs = SLICE_MS;
    epoch.run();
    const waitMs = lastsMs(epoch, SLICE_MS);
    expect(waitMs).toBe(EPOCH_MS + SLICE_MS);
  });

  it('counts EPOCH_MS from the end of its first slice, whatever slices follow', () => {
    const epoch = begun();
    waiting(actor('a', 1_000));
    turnMs = (2 * SLICE_MS) / MESSAGES_PER_VISIT;
    draft.isAwaited = true;
    epoch.run();
    epoch.run();
    expect(lastsMs(epoch)).toBe(EPOCH_MS - 2 * SLICE_MS + SLICE_MS);
  });

  it('an epoch that is due accepts no more events, and waiting events do not keep it open', () => {
    const epoch = begun();
    waiting(actor('a'));
    draft.awaited = 1;
    expect(epoch.goesOn()).toBe(true);
    [ingress.size, isHalted] = [1, true];
    epoch.run();
    expect(lines).toEqual([]);
    expect(lastsMs(epoch)).toBe(SLICE_MS);
  });

  it('an epoch begins without the state of the previous epoch', () => {
    const epoch = begun();
    waiting(actor('a'));
    isHalted = true;
    for (const isAwaited of [true, false]) {
      epoch.epochBegins();
      draft.isAwaited = isAwaited;
      lines = [];
      epoch.run();
      expect(lines).toEqual(['in 63']);
      expect(lastsMs(epoch)).toBe((isAwaited ? EPOCH_MS : EPOCH_MS * UNAWAITED_EPOCH_FACTOR) + SLICE_MS);
    }
  });

  it('does not wait for more events if it is the first of a run', () => {
    waiting(actor('a'));
    expect(lastsMs(loop())).toBe(SLICE_MS);
  });
});

describe('a slice', () => {
  const manyActors = (count: number) => Array.from({ length: count }, (_, n) => actor(`a${n}`));

  it.each([
    [0, 64],
    [10, 54],
    [60, 16],
  ])('a slice beside %s actors with messages takes in %s events at first', (count, taken) => {
    waiting(...manyActors(count));
    begun().run();
    expect(lines[0]).toBe(`in ${taken}`);
  });

  it('takes in no more events than may wait for the epoch, and none if the epoch is full', () => {
    draft.awaited = TURNS_PER_AWAITED_EPOCH - 3;
    begun().run();
    expect(lines[0]).toBe('in 3');
    lines = [];
    draft.bytes = EPOCH_BYTES_MAX;
    waiting(actor('a'));
    begun().run();
    expect(lines).toEqual([]);
  });

  it('takes ordered steps, if there are any', () => {
    begun().run();
    expect(lines).not.toContain('steps');
    hasSteps = true;
    begun().run();
    expect(lines).toContain('steps');
  });

  it(`gives each actor ${MESSAGES_PER_VISIT} turns before the next actor`, () => {
    waiting(actor('a', MESSAGES_PER_VISIT + 2), actor('b'));
    begun().run();
    expect(lines.filter((line) => !line.startsWith('in'))).toEqual([
      ...Array<string>(MESSAGES_PER_VISIT).fill('a'),
      'b',
      'a',
      'a',
    ]);
  });

  it('ends with the visit in which its time runs out', () => {
    turnMs = SLICE_MS / 2;
    waiting(...manyActors(5));
    begun().run();
    expect(lines.filter((line) => line.startsWith('a'))).toEqual(['a0', 'a1', 'a2']);
    expect(runnable.size).toBe(2);
  });

  it('takes in more events when all actors have had their turns, and counts the time of that intake', () => {
    arrivals = [actor('a'), actor('b'), actor('c')];
    begun().run();
    expect(lines).toEqual(['in 64', 'a', 'in 64', 'b', 'in 64', 'c', 'in 64']);
    lines = [];
    arrivals = [actor('a'), actor('b'), actor('c')];
    intakeMs = SLICE_MS;
    turnMs = SLICE_MS / 4;
    begun().run();
    expect(lines).toEqual(['in 64', 'a']);
  });

  it('takes no turn after the run is halted, not even in the middle of a visit', () => {
    isHalted = true;
    waiting(actor('a'));
    begun().run();
    expect(lines).not.toContain('a');
    isHalted = false;
    const last = actor('last', 3);
    cells.set('last', last);
    runnable = new RunQueue();
    schedule(last);
    Object.defineProperty(last, 'left', { get: () => 3, set: () => (isHalted = true) });
    begun().run();
    expect(lines.filter((line) => line === 'last')).toEqual(['last']);
  });
});

describe('a cautious slice', () => {
  it('notes the subject of each turn before it is taken', () => {
    next = { t: { id: 8, key: 'k', timer: { number: 3 } } };
    waiting(actor('m'), actor('t'), actor('b', 1, { status: 'starting' }));
    begun().runCautiously();
    expect(lines.slice(1)).toEqual([
      'message 7',
      'm',
      'timer 3',
      't',
      'birth 5',
      'b',
      'leave',
      'in 64 of undefined bytes',
    ]);
  });

  it('takes no turn about a message that is not yet on disk', () => {
    next = { m: { id: 8, key: null, timer: null } };
    waiting(actor('m'), actor('b', 1, { status: 'starting', durable: undefined }));
    begun().runCautiously();
    expect(lines.slice(1)).toEqual(['leave', 'in 64 of undefined bytes']);
    expect(runnable.size).toBe(2);
  });

  it(`visits each actor once, for at most ${MESSAGES_PER_VISIT} turns`, () => {
    waiting(actor('a', MESSAGES_PER_VISIT + 2), actor('b'));
    begun().runCautiously();
    expect(lines.filter((line) => line === 'a')).toHaveLength(MESSAGES_PER_VISIT);
    expect(lines.filter((line) => line === 'b')).toHaveLength(1);
    expect(runnable.size).toBe(1);
  });

  it('takes no turn if the run is halted or the epoch is full', () => {
    waiting(actor('a'));
    isHalted = true;
    begun().runCautiously();
    [isHalted, draft.bytes] = [false, EPOCH_BYTES_MAX];
    begun().runCautiously();
    expect(lines).not.toContain('a');
  });

  it('takes a step only for a message on disk, and notes it', () => {
    cells.set('stepped', actor('stepped'));
    begun().runCautiously();
    expect(lines.slice(0, 2)).toEqual(['steps', 'message 7']);
    lines = [];
    cells.get('stepped')!.left = 0;
    begun().runCautiously();
    expect(lines).toEqual(['steps', 'leave', 'in 64 of undefined bytes']);
  });
});
