/**
 * Two agents, one of which asks a vendor with a request quota, and the port by which the crew asks the vendor whether
 * an item may continue. BOSUN_EXAMPLE_QUOTA and BOSUN_EXAMPLE_WINDOW_MS set the vendor's quota.
 */
import { type DataServer, type Quota, startDataServer } from './data-server.ts';

interface Context {
  readonly item: string;
  readonly signal: AbortSignal;
  readonly results: Readonly<Record<string, unknown>>;
}

interface Prices {
  readonly ticker: string;
  readonly closes: readonly number[];
}

const VENDOR = 'Loopback Prices';

let started: Promise<DataServer> | undefined;

/** The vendor's server, started at the first request. */
function vendor(): Promise<DataServer> {
  const { BOSUN_EXAMPLE_QUOTA: quota = '4', BOSUN_EXAMPLE_WINDOW_MS: windowMs = '8000' } = process.env;
  return (started ??= startDataServer({ quota: Number(quota), windowMs: Number(windowMs) }));
}

/**
 * Returns the closing prices of the item. Its errors say what went wrong and with which source, which is all the crew
 * needs.
 */
export async function fetch(_input: unknown, { item, signal }: Context): Promise<Prices> {
  const { url } = await vendor();
  const response = await globalThis.fetch(`${url}/prices/${item}`, { signal });
  const body = (await response.json()) as Prices & { readonly error?: string };
  if (response.ok) return body;
  throw Object.assign(new Error(body.error ?? response.statusText), { status: response.status, dataSource: VENDOR });
}

/** Returns mean, low and high of the item's prices. */
export function summary(
  _input: unknown,
  { results }: Context,
): Promise<{ readonly mean: number; readonly low: number; readonly high: number }> {
  const { closes } = results['fetch'] as Prices;
  const mean = closes.reduce((sum, close) => sum + close, 0) / closes.length;
  return Promise.resolve({ mean, low: Math.min(...closes), high: Math.max(...closes) });
}

const FREE = { isFree: true } as const;

/**
 * Asked before each item of a batch continues: the vendor itself says whether there is quota left, and when there will
 * be.
 */
async function resources() {
  const { url } = await vendor();
  const { limit, used, resetAtMs } = (await (await globalThis.fetch(`${url}/quota`)).json()) as Quota;
  const apiQuota = used < limit ? FREE : { isFree: false, notBeforeMs: resetAtMs };
  return { apiQuota, compute: FREE, connections: FREE };
}

export const ports = { resources };
