/**
 * An actor as the gateway shows it. Types only, without imports from the kernel, so that clients need none of its
 * packages.
 */

export type { TableView } from '../../table.ts';

export type Status = 'active' | 'done' | 'error' | 'stopped' | 'suspended';

/** The answer of `actor.get`, and the state of the topic `actor/{address}`. */
export interface ActorView {
  readonly address: string;
  readonly agent: string;
  readonly status: Status;
  readonly value: unknown;
  readonly context: unknown;
  readonly tags: readonly string[];
  readonly output: unknown;
  readonly error: unknown;
  readonly sequence: number;
  /** Types of the declared events that the present state accepts, ignoring guards. */
  readonly accepts: readonly string[];
}
