/** Timers over virtual days: clock jumps, sleep, and crashes between start and deadline. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineAgent } from 'bosun';
import { finally_, simulation, sometimes } from 'bosun/testing';
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { type Timer } from '../../src/actors/model/timers.ts';
import { TimerService } from '../../src/actors/world/time/timer-service.ts';
import { findingIn, holdingIn } from '../support/campaigns.ts';
import { byEffort, LONG } from '../support/effort.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
const DELAYS_MS = [SECOND_MS, 60 * SECOND_MS, HOUR_MS, 8 * HOUR_MS];

interface Context {
  readonly armed: number;
  readonly rung: number;
}

/** Rings so long after it was armed, each time once. */
function alarmOf(delayMs: number) {
  return defineAgent({
    name: `alarm${delayMs}`,
    machine: setup({ types: {} as { context: Context; events: { type: 'arm' } } }).createMachine({
      context: { armed: 0, rung: 0 },
      initial: 'silent',
      states: {
        silent: { on: { arm: { target: 'armed', actions: assign({ armed: ({ context }) => context.armed + 1 }) } } },
        armed: {
          after: { [delayMs]: { target: 'silent', actions: assign({ rung: ({ context }) => context.rung + 1 }) } },
        },
      },
    }),
    events: { arm: z.object({}) },
  });
}

const agents = DELAYS_MS.map(alarmOf);
const alarms = simulation<undefined>({
  system: () => ({ agents, tree: { children: agents.map(({ name }, n) => ({ id: `a${n}`, agent: name })) } }),
  faults: { powerCut: 6, processKill: 4, tornTail: 2, restart: 3, sleep: 5, wallJump: 5 },
  times: [1, SECOND_MS - 1, SECOND_MS, 60 * SECOND_MS, 20 * 60 * SECOND_MS, HOUR_MS, 4 * HOUR_MS],
  steps: 60,
  healMs: 24 * HOUR_MS,
  properties: [
    finally_('each alarm rings once', ({ actors }) => {
      const wrong = actors().find(({ context }) => (context as Context).armed !== (context as Context).rung);
      return wrong === undefined || `${wrong.address}: ${JSON.stringify(wrong.context)}`;
    }),
    ...DELAYS_MS.map((delayMs, n) =>
      sometimes<undefined>(`the alarm of ${delayMs} ms rings`, ({ snapshot }) => {
        return ((snapshot(`a${n}`)?.context ?? { rung: 0 }) as Context).rung > 0;
      }),
    ),
  ],
});

describe('timers over 24 virtual hours', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('fire once each and never early, whatever happens before their deadlines', LONG, async () => {
    const seeds = byEffort({ quick: 20, ci: 40, soak: 1_000 });
    const { failure, text, neverMet } = await holdingIn(alarms, 'alarms', { seeds });
    expect(failure, text).toBe(undefined);
    expect(neverMet).toEqual([]);
  });

  const { add } = TimerService.prototype;

  /** Searches, and names the property that does not hold. */
  async function found(): Promise<string | undefined> {
    const { failure } = await findingIn(alarms, 'broken alarms', { shrinkMs: 0 });
    return failure?.violation.property;
  }

  it('violate a property if a restart lets them fire early', async () => {
    vi.spyOn(TimerService.prototype, 'add').mockImplementation(function (this: TimerService, owner, timer: Timer) {
      add.call(this, owner, { ...timer, deadlineMs: timer.deadlineMs - 500 });
    });
    expect(await found()).toBe('no timer comes up early or twice');
  });

  it('violate a property if a restart loses them', async () => {
    vi.spyOn(TimerService.prototype, 'add').mockImplementation(() => {});
    vi.spyOn(TimerService.prototype, 'replace').mockImplementation(() => {});
    expect(await found()).toBe('each alarm rings once');
  });
});
