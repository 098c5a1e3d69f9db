/** Pages of the results of ended actors, and one page out of those of several shards. Nothing is read here. */
import { type ActorResult, type Ending } from '../model/results.ts';
import { type MergedOrder, mergedPages } from './merged-pages.ts';

/** The result of an ended actor in a list. */
export interface Run extends ActorResult {
  /** The value for `from` to continue after this one. Sorts by the time of the end, over all shards of a system. */
  readonly cursor: string;
}

/** A page of results. */
export interface RunPage {
  readonly runs: readonly Run[];
  /** `from` for the next page; null if there is none. A page can be empty and still have one. */
  readonly next: string | null;
}

/** Which results to list. */
export interface RunsOptions {
  /** The agent of the actors. Default: all agents. */
  readonly agent?: string | undefined;
  readonly status?: Ending | undefined;
  /** Only actors that ended at this kernel time or later. */
  readonly sinceMs?: number | undefined;
  /** The start of the page: `next` of the page before. */
  readonly from?: string | undefined;
  /** Most results of the page, 1 to 1,000. Default 100. */
  readonly limit?: number | undefined;
  /** Default true. */
  readonly newestFirst?: boolean | undefined;
}

/** Merges pages of several agents or shards. A life ends once, at one shard, so cursors are unique. */
export function mergedRuns(pages: readonly RunPage[], order: MergedOrder): RunPage {
  const { rows, next } = mergedPages(
    pages.map((page) => ({ rows: page.runs, next: page.next })),
    order,
  );
  return { runs: rows, next };
}
