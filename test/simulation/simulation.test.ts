/**
 * Simulations: the bugs that a campaign finds, the length of the shrunk story, and the replay by a token and by a seed.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { replay, type Simulation } from 'bosun/testing';
import { Sessions } from '../../src/actors/loop/inbound/sessions.ts';
import { DurableActions } from '../../src/actors/turn/durable-actions.ts';
import { TimerService } from '../../src/actors/world/time/timer-service.ts';
import { drawPlan } from '../../src/testing/simulation/plan.ts';
import { play } from '../../src/testing/simulation/run.ts';
import { findingIn, holdingIn, shortStoryIn } from '../support/campaigns.ts';
import { seedOf } from '../support/chance.ts';
import { byEffort, LONG } from '../support/effort.ts';
import { caller, desks, scale } from './planted/desks.ts';
import { tellers, transfers } from './planted/ledger.ts';
import { clerks, door, term } from './planted/office.ts';
import { shop } from './planted/shop.ts';
import { till } from './planted/till.ts';

interface Planted {
  readonly what: string;
  readonly wrong: () => Simulation<never>;
  readonly mended: () => Simulation<never>;
}

function planted<World>(what: string, make: (hasBug: boolean) => Simulation<World>): Planted {
  // A campaign does not look into the world: it is the affair of each simulation.
  const made = (hasBug: boolean) => make(hasBug) as unknown as Simulation<never>;
  return { what, wrong: () => made(true), mended: () => made(false) };
}

const PLANTED: readonly Planted[] = [
  planted('a new key for each try', (hasBug) => shop(hasBug ? 'key' : null)),
  planted('a timer that comes up while an effect runs', (hasBug) => shop(hasBug ? 'timer' : null)),
  planted('a count in a variable of the module', (hasBug) => shop(hasBug ? 'memory' : null)),
  planted('a circle of asks', desks),
  planted('an effect without a limit', caller),
  planted('an event that makes it throw', scale),
  planted('an output that is not durable', (hasBug) => till({ isDurable: !hasBug })),
  planted('a sum that is read, added to and written by two', tellers),
  planted('money that is taken and not given back', transfers),
  planted('an event that comes before it is waited for', door),
  planted('a term by the wall clock', term),
  planted('a job that is told again and done again', clerks),
];

/** Steps of a story that shows any of these. */
const STEPS_MAX = 3;
const LINES_MAX = 25;

/** Seeds in which a mended system gives no alarm. */
const MENDED_SEEDS = byEffort({ quick: 5, ci: 20, soak: 1_000 });

describe('a campaign', () => {
  it.each(PLANTED)('finds $what, and shrinks it to a short story', LONG, async ({ what, wrong }) => {
    const { failure, text } = await shortStoryIn(wrong(), what, { steps: STEPS_MAX, lines: LINES_MAX });
    expect(failure?.steps.shrunk, text).toBeLessThanOrEqual(STEPS_MAX);
    expect(failure!.story.length).toBeLessThanOrEqual(LINES_MAX);
  });

  it.each(PLANTED)('finds nothing after $what is fixed', LONG, async ({ what, mended }) => {
    const seeds = MENDED_SEEDS;
    const { failure, text, neverMet } = await holdingIn(mended(), `mended: ${what}`, { seeds });
    expect(failure, text).toBe(undefined);
    expect(neverMet).toEqual([]);
  });

  it('is replayed by its token, which is stale once a machine has changed', async () => {
    const { failure } = await findingIn(shop('timer'), 'a failure to replay');
    const again = await replay(shop('timer'), failure!.token);
    expect(again.failure?.violation.property).toBe(failure!.violation.property);
    expect(again.failure?.story).toEqual(failure!.story);
    const { text } = await replay(shop(null), failure!.token);
    expect(text).toContain('the token is stale: machine of "order" has changed');
  });
});

describe('a run', () => {
  it('P11: gives the same result twice, whatever was run in between', async () => {
    const hashOf = async (seed: number) => (await play(shop(null), drawPlan(shop(null), seed))).hash;
    const seeds = Array.from({ length: 15 }, (_, index) => seedOf('runs', index));
    const first: string[] = [];
    for (const seed of seeds) first.push(await hashOf(seed));
    const second: string[] = [];
    for (const seed of seeds.toReversed()) second.unshift(await hashOf(seed));
    expect(second).toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(seeds.length / 2);
  });

  it('ends even if a process dies while it is stopped', async () => {
    const base = { id: 0, order: 0, rounds: null } as const;
    const send = { kind: 'send', sends: [{ address: 't1', event: { type: 'add' } }] } as const;
    const cut = { kind: 'powerCut', at: 'durable', keep: 0, downMs: 0 } as const;
    const steps = [
      { ...base, ...cut },
      { ...base, ...send, id: 1, rounds: 0 },
      { ...base, kind: 'restart', downMs: 0, id: 2 } as const,
    ];
    expect((await play(till(), { seed: 1, steps })).violation).toBe(undefined);
  });
});

describe('a stop on a full disk', () => {
  it('is no violation: the next process goes on', async () => {
    const base = { order: 0, rounds: null } as const;
    const steps = [
      { ...base, id: 0, kind: 'diskFull', forMs: 1_000 } as const,
      { ...base, id: 1, kind: 'send', sends: [{ address: 't1', event: { type: 'add' } }] } as const,
      { ...base, id: 2, kind: 'restart', downMs: 1_000 } as const,
    ];
    const { violation, acked, starts } = await play(till(), { seed: 1, steps });
    expect({ violation, acked, starts }).toEqual({ violation: undefined, acked: 1, starts: 2 });
  });
});

describe('the session of a client', () => {
  it('may be forgotten after a day, without a violation', async () => {
    const base = { order: 0, rounds: null } as const;
    const send = { kind: 'send', sends: [{ address: 't1', event: { type: 'add' } }] } as const;
    const day = { kind: 'advance', ms: 86_400_000 } as const;
    const jump = { kind: 'wallJump', byMs: 86_400_000 } as const;
    const cut = { kind: 'powerCut', at: 'now', keep: 0, downMs: 0 } as const;
    for (const story of [
      [send, day, send, cut],
      [send, jump, cut, send, cut],
    ]) {
      const steps = story.map((step, id) => ({ ...base, ...step, id }));
      expect((await play(till(), { seed: 1, steps })).violation).toBe(undefined);
    }
  });
});

describe('a kernel with a planted bug', () => {
  afterEach(() => void vi.restoreAllMocks());

  /** Searches, and names the property that does not hold. */
  async function found(simulation: Simulation<never>): Promise<string | undefined> {
    const { failure } = await findingIn(simulation, 'a broken kernel', { shrinkMs: 0 });
    return failure?.violation.property;
  }
  const broken = (options = {}) => till(options) as unknown as Simulation<never>;

  it('is detected if it acknowledges a send before it is on the medium', async () => {
    // A lost epoch shows by what was told of it, or by a timer that fires once more.
    expect(await found(broken({ durability: 'process' }))).toMatch(
      /acknowledged|shown|no timer comes up early or twice/,
    );
  });

  it('is detected if it accepts repeats as new events', async () => {
    const { accept } = Sessions.prototype;
    vi.spyOn(Sessions.prototype, 'isRepeat').mockReturnValue(false);
    vi.spyOn(Sessions.prototype, 'accept').mockImplementation(function (this: Sessions, session) {
      accept.call(this, session);
      return true;
    });
    expect(await found(broken())).toBe('everything is counted once');
  });

  it('is detected if it loses durable actions at a restart', async () => {
    vi.spyOn(DurableActions.prototype, 'load').mockImplementation(() => {});
    expect(await found(broken())).toBe('everything is told');
  });

  it('is detected if it loses timers at a restart', async () => {
    vi.spyOn(TimerService.prototype, 'add').mockImplementation(() => {});
    vi.spyOn(TimerService.prototype, 'replace').mockImplementation(() => {});
    expect(await found(broken())).toBe('it rings');
  });
});
