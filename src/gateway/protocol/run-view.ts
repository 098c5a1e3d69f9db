/** Results of ended actors as the gateway shows them: without secrets, as JSON. Types only, which import no package. */
import type { Run, RunPage, RunsOptions } from '../../actors/api/run-pages.ts';

/** An ended actor. Output and error are null where there is none. */
export interface RunView extends Omit<Run, 'error'> {
  readonly error: { readonly message: string; readonly code?: string } | null;
}

/** The answer of `run.list`. */
export interface RunPageView extends Omit<RunPage, 'runs'> {
  readonly runs: readonly RunView[];
}

export type { RunsOptions };
