/** Bounds of talking that are too high to be reached by a system in a test: the rules alone. */
import { describe, expect, it } from 'vitest';
import { Asks } from '../../../../src/actors/world/talk/asks.ts';
import { type Cell } from '../../../../src/actors/world/cell.ts';
import { type Effect } from '../../../../src/actors/model/step-engine.ts';
import { checkTalk } from '../../../../src/actors/turn/talk-commands.ts';
import { type World } from '../../../../src/actors/world/world.ts';
import { ASK_WINDOW_MS, ASKS_MAX, MONITORS_PER_ACTOR_MAX } from '../../../../src/limits.ts';
import { code } from '../../../support/actors/account.ts';

const cell = { life: 1, identity: { life: 1, address: 'a' } } as Cell;

/** Calls it and gives what it throws. */
function thrown(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('asks', () => {
  it(`are at most ${ASKS_MAX} open or remembered, and old ids make room`, () => {
    let nowMs = 0;
    let life = 10;
    const world = {
      cells: new Map(),
      time: { nowMs: () => nowMs, setBackMs: 0 },
      next: () => life++,
      draft: { put() {}, remove() {} },
    };
    const asks = new Asks(world as unknown as World);
    const open = (id: string) => asks.open(cell, { id, asker: 0, deadlineMs: 1 });
    for (let n = 0; n < ASKS_MAX; n++) open(`${n}`);
    expect(thrown(() => open('one more'))).toEqual(code('BOSUN_ASKS_FULL'));
    nowMs = ASK_WINDOW_MS + 1;
    expect(asks.known('one more', 'a')).toBe(undefined);
    expect(open('one more').id).toBe('one more');
  });
});

describe('monitors and links', () => {
  it(`of one actor are at most ${MONITORS_PER_ACTOR_MAX}, those of the turn included`, () => {
    const command: Effect = { kind: 'command', name: 'bosun.monitor', params: {} };
    const world = {
      monitors: { count: () => MONITORS_PER_ACTOR_MAX - 1 },
      groups: { count: () => 0 },
    } as unknown as World;
    expect(thrown(() => checkTalk(world, cell, [command]))).toBe(undefined);
    expect(thrown(() => checkTalk(world, cell, [command, command]))).toEqual(code('BOSUN_VALUE_REFUSED'));
  });
});
