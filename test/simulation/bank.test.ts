/** A bank under simulation, whose sum and receipts reveal lost and doubled orders. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Step } from '../../src/testing/simulation/plan.ts';
import { play } from '../../src/testing/simulation/run.ts';
import { ShardChannels } from '../../src/actors/world/shards/shard-channel.ts';
import { findingIn, holdingIn } from '../support/campaigns.ts';
import { byEffort, LONG } from '../support/effort.ts';
import { bank } from '../support/fixtures/simulation/bank.mjs';

describe('a bank of 100 accounts', () => {
  it('loses and doubles nothing under any faults', async () => {
    const seeds = byEffort({ quick: 1, ci: 12, soak: 5_000 });
    const { failure, neverMet, text } = await holdingIn(bank({ faults: 'swarm' }), 'a bank', { seeds });
    expect(failure, text).toBe(undefined);
    expect(neverMet).toEqual([]);
  });
});

describe('a bank of 1,000 accounts', () => {
  it('loses and doubles nothing under any faults', LONG, async () => {
    const seeds = byEffort({ quick: 1, ci: 3, soak: 200 });
    const large = bank({ accounts: 1_000, sends: 100, faults: 'swarm' });
    const { failure, neverMet, text } = await holdingIn(large, 'a large bank', { seeds });
    expect(failure, text).toBe(undefined);
    expect(neverMet).toEqual([]);
  });
});

describe('a bank over two workers', () => {
  afterEach(() => void vi.restoreAllMocks());

  const spread = (options = {}) => bank({ accounts: 10, sends: 5, workers: 2, faults: 'swarm', ...options });

  it('loses and doubles nothing under faults of processes, workers, wires, stores and clocks', LONG, async () => {
    const kinds = ['workerDeath', 'wireDelay'];
    const { failure, neverMet, text, faults } = await holdingIn(spread(), 'a bank over workers', {
      seeds: byEffort({ quick: 4, ci: 12, soak: 5_000 }),
      faults: kinds,
    });
    expect(failure, text).toBe(undefined);
    expect(neverMet).toEqual([]);
    expect(Object.keys(faults)).toEqual(expect.arrayContaining(kinds));
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

  /** Searches, and names the property that does not hold. */
  async function found(): Promise<string | undefined> {
    const deadly = spread({ faults: { workerDeath: 5, powerCut: 5 } });
    const { failure } = await findingIn(deadly, 'forgetful workers', { shrinkMs: 0 });
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
