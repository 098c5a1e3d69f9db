/**
 * A cache of charts by the hash of the machine's structure. A request for a known chart is answered only with whether
 * it has changed.
 */
import type { Drawing } from '../../gateway/charts/drawing.ts';
import { call } from '../link.ts';

interface ChartAnswer {
  readonly hash: string;
  readonly machine: string;
  readonly drawing: Drawing | null;
}

export interface KnownChart {
  readonly hash: string;
  readonly machine: string;
  readonly drawing: Drawing;
}

const byHash = new Map<string, KnownChart>();
/** Hashes by machine, and by address. */
const hashes = new Map<string, string>();
const hashesAt = new Map<string, string>();

/**
 * Fetches a chart. Rejects with ClientError.
 *
 * @param runs A key that all actors with the same machine share.
 */
export async function chartOf(address: string, runs: string): Promise<KnownChart> {
  const known = hashes.get(runs);
  const { hash, machine, drawing } = await call<ChartAnswer>('chart.get', {
    address,
    ...(known !== undefined && { known }),
  });
  hashes.set(runs, hash);
  hashesAt.set(address, hash);
  const chart = drawing === null ? byHash.get(hash)! : { hash, machine, drawing };
  byHash.set(hash, chart);
  return chart;
}

/** The cached chart of an address. */
export function chartAtHand(address: string): KnownChart | undefined {
  return byHash.get(hashesAt.get(address) ?? '');
}
