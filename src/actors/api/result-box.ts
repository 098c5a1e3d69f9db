/**
 * Reading the results of ended actors for hosts: of one address, at once or when it has ended, and by page over all.
 * Everything is as of the last durable epoch. Nothing is written here.
 */
import { type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { RECORDS_EXAMINED_MAX, RECORDS_LISTED, RECORDS_READ_MAX } from '../../limits.ts';
import { type Kernel } from '../loop/kernel.ts';
import { checkAddress } from '../model/address.ts';
import { Concealed, type Shelf } from '../model/ports.ts';
import { SECRET_SHOWN } from '../model/secret.ts';
import {
  type ActorResult,
  END_PLACE,
  type EndPlace,
  placeInKey,
  resultKey,
  resultOf,
  type ResultPlace,
  resultRange,
  type ResultRow,
} from '../model/results.ts';
import { observe } from '../world/actor-view.ts';
import { keyMissing } from '../world/missing-keys.ts';
import { mergedRuns, type Run, type RunPage, type RunsOptions } from './run-pages.ts';

/** How long to wait for a result. */
export interface ResultOptions {
  /** Milliseconds after which a wait is given up. Default: no limit. */
  readonly timeoutMs?: number | undefined;
}

/** The results of ended actors, for hosts. */
export class ShardResults {
  readonly #kernel: Kernel;
  readonly #clock: Clock;

  constructor(kernel: Kernel, clock: Clock) {
    this.#kernel = kernel;
    this.#clock = clock;
  }

  /**
   * The result of the last actor that ended at an address, whether or not another one lives there; undefined if none is
   * kept. Rejects with BOSUN_ADDRESS_INVALID, BOSUN_STORE_DAMAGED, BOSUN_STORE_FAILED, BOSUN_SYSTEM_CLOSED, and
   * BOSUN_SECRET_KEY if the key of its values is missing.
   */
  async at(address: string): Promise<ActorResult | undefined> {
    const shelf = this.#shelf;
    const { results } = this.#kernel.machinery.world;
    const place = results.at(checkAddress(address));
    const row = place && (shelf.row(resultKey(place)) as ResultRow | undefined);
    return row && shownResult(place, row);
  }

  /**
   * The result of an ended actor of an agent. Rejects as `at` does, with BOSUN_CHILD_SPEC_INVALID for another agent's,
   * and with BOSUN_CHILD_PRESENT if it has just been removed.
   */
  async ofAgent(address: string, agent: string): Promise<ActorResult> {
    const result = await this.at(address);
    if (result?.agent === agent) return result;
    if (result === undefined)
      throw new BosunError('BOSUN_CHILD_PRESENT', `${address} has ended, and its result has just been removed`);
    const what = `${address} was an actor of another agent, ${result.agent}; say again: true to begin anew`;
    throw new BosunError('BOSUN_CHILD_SPEC_INVALID', what);
  }

  /**
   * The result of the actor at an address: at once if it has ended, otherwise when it ends, over restarts by its Boss.
   * Rejects with BOSUN_ACTOR_UNKNOWN if nobody lives or has ended there, or no result is kept, BOSUN_TIMEOUT, and as
   * `at` does.
   */
  async result(address: string, { timeoutMs }: ResultOptions = {}): Promise<ActorResult> {
    const lives = this.#kernel.shown.at(checkAddress(address)) !== undefined;
    if (lives) await this.#end(address, timeoutMs);
    const result = await this.at(address);
    if (result !== undefined) return result;
    // Throws, unless a new actor lives there since.
    this.#kernel.directory.observed(address);
    return this.result(address, { timeoutMs });
  }

  /**
   * Results of ended actors, newest end first by default: all, or those of one agent, by how they ended and since when.
   * A value whose key is missing is not shown. A call examines at most 10,000; `next` says where to go on. Rejects with
   * BOSUN_VALUE_REFUSED, and as `at`.
   *
   * @internal `looked` is told how many results have been read, shown or not.
   */
  async list(options: RunsOptions = {}, looked: (results: number) => void = () => {}): Promise<RunPage> {
    const { agent, status, from } = options;
    const limit = checkLimit(options.limit);
    if (from !== undefined && !END_PLACE.test(from))
      throw new BosunError('BOSUN_VALUE_REFUSED', 'from: pass the `next` of the previous page');
    const agents = agent === undefined ? [...this.#kernel.machinery.world.results.agents] : [agent];
    const runs: Run[] = [];
    let next: EndPlace | null = from ?? null;
    for (let examined = 0; runs.length < limit && examined < RECORDS_EXAMINED_MAX; ) {
      const page = await this.#page(agents, { ...options, from: next ?? undefined, limit: limit - runs.length });
      examined += page.runs.length;
      looked(page.runs.length);
      runs.push(...page.runs.filter((run) => status === undefined || run.status === status));
      next = page.next;
      if (next === null) break;
    }
    return { runs, next };
  }

  /** A page of the results of some agents, however they ended. */
  async #page(agents: readonly string[], options: RunsOptions & { readonly limit: number }): Promise<RunPage> {
    const pages = await Promise.all(agents.map((agent) => this.#pageOf(agent, options)));
    return mergedRuns(pages, { limit: options.limit, newestFirst: options.newestFirst ?? true });
  }

  async #pageOf(agent: string, options: RunsOptions & { readonly limit: number }): Promise<RunPage> {
    const { sinceMs = 0, from, limit, newestFirst = true } = options;
    const shelf = this.#shelf;
    const since = Math.max(sinceMs, this.#kernel.machinery.world.results.sinceMs(agent), 0);
    const range = resultRange(agent, { sinceMs: since, ...(newestFirst ? { before: from } : { after: from }) });
    const rows = range.gte < range.lt ? await shelf.rowsIn({ ...range, limit: limit + 1, reverse: newestFirst }) : [];
    const runs = rows.slice(0, limit).map(([key, row]): Run => {
      const place = placeInKey(key);
      return Object.freeze({ ...resultOf(place, withoutSecret(row as ResultRow)), cursor: place[1] });
    });
    return { runs, next: rows.length > limit ? runs.at(-1)!.cursor : null };
  }

  /** Resolves when the actor at an address has ended. */
  #end(address: string, timeoutMs: number | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const cell = this.#kernel.directory.observed(address);
      const finish = (settle: () => void) => {
        subscription.unsubscribe();
        cancel?.();
        settle();
      };
      const subscription = observe(cell, {
        ended: () => finish(resolve),
        closed: (error) => finish(() => reject(error)),
      });
      const late = () =>
        new BosunError('BOSUN_TIMEOUT', `${address} did not end within ${timeoutMs} ms`, { details: { address } });
      const cancel =
        timeoutMs === undefined ? undefined : this.#clock.setTimeout(() => finish(() => reject(late())), timeoutMs);
    });
  }

  get #shelf(): Shelf {
    const { shelf } = this.#kernel.machinery.world.results;
    if (!this.#kernel.isRunning) throw new BosunError('BOSUN_SYSTEM_CLOSED', 'the system has stopped');
    if (shelf?.isOpen === true) return shelf;
    throw new BosunError('BOSUN_STORE_FAILED', 'results cannot be read: the store is closed, or has no getSync');
  }
}

/** The result as hosts get it. Throws BOSUN_SECRET_KEY. */
function shownResult(place: ResultPlace, row: ResultRow): ActorResult {
  if (row[2] instanceof Concealed) throw keyMissing({ address: row[0] }, row[2]);
  return resultOf(place, row);
}

/** The row with a text in place of a value whose key is missing: the others of a list can be read. */
function withoutSecret(row: ResultRow): ResultRow {
  return row[2] instanceof Concealed ? (row.with(2, SECRET_SHOWN) as unknown as ResultRow) : row;
}

function checkLimit(limit = RECORDS_LISTED): number {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= RECORDS_READ_MAX) return limit;
  throw new BosunError('BOSUN_VALUE_REFUSED', `limit must be a whole number from 1 to ${RECORDS_READ_MAX}`);
}
