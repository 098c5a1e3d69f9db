/** Results of ended actors as clients see them: without secrets, in pages limited by number and by size. */
import { type ActorResult, END_PLACE, endPlace } from '../../actors/model/results.ts';
import { type Run, type RunsOptions } from '../../actors/api/run-pages.ts';
import { type Shard } from '../../shard.ts';
import { type Looks, UNCOUNTED } from '../callers/looks.ts';
import { type RunPageView, type RunView } from '../protocol/run-view.ts';
import { type ActorViews } from './actor-views.ts';
import { FittingRecords } from './record-views.ts';
import { shownError } from './wire-values.ts';

/** Results read at a time for a page: the largest are 32 MiB together. */
const ASKED_AT_ONCE = 32;

export class RunViews {
  readonly #system: Shard;
  readonly #views: ActorViews;

  constructor(system: Shard, views: ActorViews) {
    this.#system = system;
    this.#views = views;
  }

  /** Lists results as ShardResults.list does; a page ends early where they are long. */
  async list(
    { limit, ...options }: RunsOptions & { readonly limit: number },
    looks: Pick<Looks, 'charge'> = UNCOUNTED,
  ): Promise<RunPageView> {
    const fitting = new FittingRecords<RunView>();
    const { records: runs } = fitting;
    let { from } = options;
    for (;;) {
      const count = Math.min(limit - runs.length, ASKED_AT_ONCE);
      const asked = { ...options, from, limit: count };
      const page = await this.#system.results.list(asked, (results) => looks.charge(results));
      if (!fitting.add(page.runs.map((run) => this.run(run)))) return { runs, next: runs.at(-1)!.cursor };
      if (page.next === null || runs.length === limit) return { runs, next: page.next };
      // A part of the kept results has been examined, as many as one call may.
      if (page.runs.length < count) return { runs, next: page.next };
      from = page.next;
    }
  }

  /** The view of a result. */
  run(result: ActorResult | Run): RunView {
    const { agent, status, output, error, endedAtMs, life } = result;
    return {
      ...result,
      cursor: endPlace(endedAtMs, life),
      output: status === 'done' ? this.#views.outputOf(agent, output) : null,
      error: shownError(error),
    };
  }
}

/** A place in the list of runs, as text of a request. */
export const RUN_CURSOR = END_PLACE;
