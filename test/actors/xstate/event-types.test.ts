/**
 * XState remembers every event type for ever. A hosted machine remembers the types that it names and a bounded number
 * of others, and takes every event as before.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type AnyStateMachine, assign, createActor, createMachine } from 'xstate';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PATTERN_LOOKUPS_MAX } from '../../../src/limits.ts';
import { Definitions } from '../../../src/actors/xstate/definition.ts';
import { EFFORT, LONG_PATIENCE_MS } from '../../support/effort.ts';

const SOAK = EFFORT === 'soak';
const CHILD = fileURLToPath(new URL('../../support/fixtures/soak/event-types.mjs', import.meta.url));

interface Memory {
  readonly [key: string]: unknown;
}

const define = () =>
  createMachine({
    context: { last: '' },
    initial: 'a',
    on: { '*': { actions: assign({ last: ({ event }) => event.type }) } },
    states: {
      a: {
        on: { 'known.*': { actions: assign({ last: 'a pattern' }) }, NAMED: { actions: assign({ last: 'a name' }) } },
      },
    },
  });

/** The memory that XState keeps for state nodes made from now on, caught when it is stored. */
function watched(): Memory[] {
  const kept: Memory[] = [];
  const put = Reflect.get(WeakMap.prototype, 'set') as (this: unknown, key: unknown, value: unknown) => never;
  vi.spyOn(WeakMap.prototype, 'set').mockImplementation(function (this: unknown, key: unknown, value: unknown) {
    const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    if (names.some((name) => name === 'invoke' || name.startsWith('candidates-'))) kept.push(value as Memory);
    return put.call(this, key, value);
  } as never);
  return kept;
}

function largest(memories: readonly Memory[]): number {
  return Math.max(
    ...memories.map((memory) => Object.keys(memory).filter((name) => name.startsWith('candidates-')).length),
  );
}

function hosted(): AnyStateMachine {
  return new Definitions().prepare('subject', define(), 1).logic as AnyStateMachine;
}

describe('a hosted machine', () => {
  afterEach(() => void vi.restoreAllMocks());

  it(`remembers at most ${PATTERN_LOOKUPS_MAX} lookups by pattern for each state node`, () => {
    const kept = watched();
    const actor = createActor(hosted()).start();
    for (let n = 0; n < 50_000; n++) actor.send({ type: `strange.${n}` });
    expect(actor.getSnapshot().context).toEqual({ last: 'strange.49999' });
    expect(largest(kept)).toBe(PATTERN_LOOKUPS_MAX);
  });

  it('needs its bound: the same machine in plain XState remembers every event type', () => {
    const kept = watched();
    const actor = createActor(define()).start();
    for (let n = 0; n < 3 * PATTERN_LOOKUPS_MAX; n++) actor.send({ type: `strange.${n}` });
    expect(largest(kept)).toBeGreaterThanOrEqual(3 * PATTERN_LOOKUPS_MAX);
  });

  it('takes named, matching and unknown events as in plain XState, also after it has forgotten some', () => {
    const actors = [createActor(define()).start(), createActor(hosted()).start()];
    for (let n = 0; n < 2.5 * PATTERN_LOOKUPS_MAX; n++) {
      const type = ['NAMED', `known.${n}`, 'known', `strange.${n}`, 'xstate.after.1.x'][n % 5]!;
      for (const actor of actors) actor.send({ type });
      expect(actors[1]!.getSnapshot().context).toEqual(actors[0]!.getSnapshot().context);
    }
  });

  it('answers `can` as in plain XState', () => {
    const [plain, own] = [createActor(define()).start().getSnapshot(), createActor(hosted()).start().getSnapshot()];
    for (const type of ['NAMED', 'known.x', 'strange']) expect(own.can({ type })).toBe(plain.can({ type }));
  });
});

describe('events of ever new types', () => {
  const events = SOAK ? 10_000_000 : 20_000;
  it(`do not grow the heap (${events} events)`, { timeout: LONG_PATIENCE_MS }, () => {
    const printed = execFileSync(process.execPath, ['--expose-gc', CHILD, String(events)], { encoding: 'utf8' });
    const {
      events: read,
      wrong,
      bytesPerEvent,
    } = JSON.parse(printed) as { events: number; wrong: string | null; bytesPerEvent: number };
    expect([read, wrong]).toEqual([events, null]);
    // XState's own memory takes 170 to 310 bytes for each type. In a short run, noise is larger than that.
    expect(bytesPerEvent).toBeLessThan(SOAK ? 1 : 10_000);
  });
});
