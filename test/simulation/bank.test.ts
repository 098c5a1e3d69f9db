/** A bank under simulation, whose sum and receipts reveal lost and doubled orders. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { campaign } from 'bosun/testing';
import { type Step } from '../../src/testing/simulation/plan.ts';
import { play } from '../../src/testing/simulation/run.ts';
import { ShardChannels } from '../../src/actors/world/shards/shard-channel.ts';
import { byEffort, EFFORT, LONG, SEED } from '../support/effort.ts';
import { bank } from '../support/fixtures/simulation/bank.mjs';

/** The seeds of a campaign: from 1 on, and different seeds in each soak. */
function seedsOf(count: number): readonly [from: number, to: number] {
  const from = EFFORT === 'soak' ? SEED * 10_000 : 1;
  return [from, from + count - 1];
}

describe('a bank of 100 accounts', () => {
  it('loses and doubles nothing under any faults', async () => {
    const seeds = seedsOf(byEffort({ quick: 1, ci: 12, soak: 5_000 }));
    const { failure, neverMet, text } = await campaign(bank({ faults: 'swarm' }), { seeds });
    expect(failure, text).toBe(undefined);
    expect(neverMet).toEqual([]);
  });
});

describe('a bank of 1,000 accounts', () => {
  it('loses and doubles nothing under any faults', LONG, async () => {
    const seeds = seedsOf(byEffort({ quick: 1, ci: 3, soak: 200 }));
    const { failure, text } = await campaign(bank({ accounts: 1_000, sends: 100, faults: 'swarm' }), { seeds });
    expect(failure, text).toBe(undefined);
  });
});

describe('a bank over two workers', () => {
  afterEach(() => void vi.restoreAllMocks());

  const spread = (options = {}) => bank({ accounts: 10, sends: 5, workers: 2, faults: 'swarm', ...options });

  it('loses and doubles nothing under faults of processes, workers, wires, stores and clocks', LONG, async () => {
    const { failure, neverMet, text, faults } = await campaign(spread(), {
      seeds: seedsOf(byEffort({ quick: 4, ci: 12, soak: 5_000 })),
    });
    expect(failure, text).toBe(undefined);
    expect(neverMet).toEqual([]);
    expect(Object.keys(faults)).toEqual(expect.arrayContaining(['workerDeath', 'wireDelay']));
  });

  it('goes on where the power is cut while a worker starts again', async () => {
    const base = { order: 0, rounds: null } as const;
    const transfer = { address: 'a0', event: { type: 'transfer', to: 1, amount: 1 } };
    const steps: Step[] = [
      { ...base, id: 0, kind: 'send', sends: [transfer] },
      { ...base, id: 1, kind: 'powerCut', at: 'before', keep: 0, downMs: 0 },
      { ...base, id: 2, kind: 'workerDeath', worker: 0, keep: 0, downMs: 0 },
    ];
    const { violation, starts } = await play(spread(), { seed: 1, steps });
    expect(violation).toBe(undefined);
    expect(starts).toBe(3);
  });

  /** By the property that does not hold. */
  async function found(): Promise<string | undefined> {
    const { failure } = await campaign(spread({ faults: { workerDeath: 5, powerCut: 5 } }), {
      seeds: 200,
      shrinkMs: 0,
    });
    return failure?.violation.property;
  }

  it('violates a property if a worker forgets at its restart which messages it has yet to send', async () => {
    vi.spyOn(ShardChannels.prototype, 'loadFrame').mockImplementation(() => {});
    expect(await found()).toMatch(/money is kept|its receipt/);
  });

  it('violates a property if a worker forgets at its restart which messages it has received', LONG, async () => {
    vi.spyOn(ShardChannels.prototype, 'loadTaken').mockImplementation(() => {});
    expect(await found()).toMatch(/money is kept|its receipt/);
  });
});
