/** The operations of a plan, and the parameters of one action. */
import { type Work } from './plan-work.ts';

export abstract class Operation {
  abstract perform(work: Work): void;
}

/** Parameters of an action: none, constant, or a function of context and event. */
export class Parameters {
  readonly #constant: unknown = undefined;
  readonly #expression: ((args: object) => unknown) | undefined;

  constructor(action: unknown) {
    if (typeof action !== 'object' || action === null || !('params' in action)) return;
    if (typeof action.params === 'function') this.#expression = action.params as (args: object) => unknown;
    else this.#constant = action.params;
  }

  of({ snapshot, event }: Work): unknown {
    return this.#expression === undefined ? this.#constant : this.#expression({ context: snapshot.context, event });
  }
}

export const NO_PARAMETERS = new Parameters(undefined);
