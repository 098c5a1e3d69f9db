/** Bounds on asks, monitors and links that are too high for a system in a test: the rules alone. */
import { describe, expect, it } from 'vitest';
import { Asks } from '../../../../src/actors/world/talk/asks.ts';
import { type Cell } from '../../../../src/actors/world/cell.ts';
import { type Effect } from '../../../../src/actors/model/step-engine.ts';
import { checkTalk } from '../../../../src/actors/turn/talk-commands.ts';
import { type World } from '../../../../src/actors/world/world.ts';
import { ownedName } from '../../../../src/fair-shares.ts';
import { ASK_WINDOW_MS, ASKS_MAX, MONITORS_PER_ACTOR_MAX, REPEAT_MS_MIN } from '../../../../src/limits.ts';
import { code } from '../../../support/actors/account.ts';
import { LONG } from '../../../support/effort.ts';

const cell = { life: 1, address: 'a', identity: { life: 1, address: 'a' } } as Cell;

/** Calls a function and returns the error that it throws. */
function thrown(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('asks', () => {
  function begin() {
    let nowMs = 0;
    let life = 10;
    const world = {
      cells: new Map(),
      clock: { setTimeout: () => () => {} },
      time: { nowMs: () => nowMs, setBackMs: 0 },
      next: () => life++,
      draft: { put() {}, remove() {} },
      wake() {},
    };
    const asks = new Asks(world as unknown as World);
    const open = (id: string) => asks.open(cell, { id, asker: 0, deadlineMs: 1 });
    return { asks, open, at: (ms: number) => void (nowMs = ms) };
  }

  it(`are refused while ${ASKS_MAX} are open or remembered, until remembered ids expire`, LONG, () => {
    const { asks, open, at } = begin();
    for (let n = 0; n < ASKS_MAX; n++) open(`${n}`);
    expect(thrown(() => open('one more'))).toEqual(code('BOSUN_ASKS_FULL'));
    at(ASK_WINDOW_MS + 1);
    expect(asks.known('one more', 'a')).toBe(undefined);
    expect(open('one more').id).toBe('one more');
  });

  it(
    'asks make room by dropping the oldest remembered ask, not awaited, of the caller with the most (F3)',
    LONG,
    () => {
      const { asks, open, at } = begin();
      open(ownedName('modest', '0'));
      const awaited = open(ownedName('greedy', '0'));
      void asks.wait(awaited, ASK_WINDOW_MS);
      for (let n = 2; n < ASKS_MAX; n++) open(ownedName('greedy', `${n}`));
      at(REPEAT_MS_MIN);
      expect(open(ownedName('modest', '1')).id).toBe('modest/1');
      const known = (id: string) => asks.known(id, 'a')?.id;
      expect(['modest/0', 'greedy/0', 'greedy/2', 'greedy/3'].map(known)).toEqual([
        'modest/0',
        'greedy/0',
        undefined,
        'greedy/3',
      ]);
    },
  );
});

describe('monitors and links', () => {
  it(`monitors and links of one actor are at most ${MONITORS_PER_ACTOR_MAX}, with those of the current turn`, () => {
    const command: Effect = { kind: 'command', name: 'bosun.monitor', params: {} };
    const world = {
      monitors: { count: () => MONITORS_PER_ACTOR_MAX - 1 },
      groups: { count: () => 0 },
    } as unknown as World;
    expect(thrown(() => checkTalk(world, cell, [command]))).toBe(undefined);
    expect(thrown(() => checkTalk(world, cell, [command, command]))).toEqual(code('BOSUN_VALUE_REFUSED'));
  });
});
