/**
 * The cache of answers (AT-027, AT-028): the last hundred, for an hour, as long as the version of the plan stays. It is
 * a part of the answer desk's context, spread over tables, so that a change costs a row. Pure.
 */
import { table, type Table } from '../../table.ts';
import { numberKey } from '../rules/table-keys.ts';

/** Most answers in the cache. */
export const CACHE_MAX = 100;
/** Milliseconds for which an answer stays in the cache. */
export const CACHE_MS = 60 * 60_000;

interface CacheRow {
  /** The id of the question that was answered. */
  readonly question: string;
  readonly atMs: number;
  /** The number of its last use: the row with the lowest number goes first. */
  readonly used: number;
}

export interface AnswerCache {
  /** Answered questions by the key of their text. */
  readonly cached: Table<CacheRow>;
  /** Keys by number of last use. */
  readonly cacheOrder: Table<string>;
  readonly cacheUses: number;
  /** The version of the plan for which the answers hold. */
  readonly planVersion: string;
}

export function emptyCache(planVersion = ''): AnswerCache {
  return { cached: table(), cacheOrder: table(), cacheUses: 0, planVersion };
}

/**
 * Looks up the answered question for a key, and returns the cache after this use. Undefined if there is no valid entry.
 */
export function cacheHit(
  cache: AnswerCache,
  key: string,
  nowMs: number,
): { readonly question: string; readonly cache: AnswerCache } | undefined {
  const row = cache.cached.get(key);
  if (row === undefined || nowMs - row.atMs >= CACHE_MS) return undefined;
  return { question: row.question, cache: used(cache, key, row) };
}

export function cachePut(cache: AnswerCache, key: string, { question, atMs }: Omit<CacheRow, 'used'>): AnswerCache {
  const next = used(cacheWithout(cache, key), key, { question, atMs, used: 0 });
  const eldest = next.cached.size > CACHE_MAX ? next.cacheOrder.first() : undefined;
  return eldest === undefined ? next : cacheWithout(next, eldest[1]);
}

export function cacheWithout(cache: AnswerCache, key: string): AnswerCache {
  const row = cache.cached.get(key);
  if (row === undefined) return cache;
  return { ...cache, cached: cache.cached.delete(key), cacheOrder: cache.cacheOrder.delete(numberKey(row.used)) };
}

/** The cache for a version of the plan. It is emptied when the version changes. */
export function cacheFor(cache: AnswerCache, planVersion: string): AnswerCache {
  return planVersion === cache.planVersion ? cache : { ...emptyCache(planVersion), cacheUses: cache.cacheUses };
}

function used(cache: AnswerCache, key: string, row: CacheRow): AnswerCache {
  const number = cache.cacheUses + 1;
  return {
    ...cache,
    cacheUses: number,
    cached: cache.cached.set(key, { ...row, used: number }),
    cacheOrder: cache.cacheOrder.delete(numberKey(row.used)).set(numberKey(number), key),
  };
}
