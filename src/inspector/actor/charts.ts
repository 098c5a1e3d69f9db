/**
 * Charts that the page has, by the hash of the machine's structure: who asks again for an actor is told only whether it
 * has changed.
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
/** By what is run, and by address. */
const hashes = new Map<string, string>();
const hashesAt = new Map<string, string>();

/** @param runs What the actor runs, in a word that other actors of the same have too. Rejects with ClientError. */
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

/** What is known without asking. */
export function chartAtHand(address: string): KnownChart | undefined {
  return byHash.get(hashesAt.get(address) ?? '');
}
