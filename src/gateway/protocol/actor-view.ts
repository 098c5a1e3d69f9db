/**
 * An actor as the gateway shows it. Types only, and none of the kernel's: a client needs neither it nor its packages.
 */

export type { TableView } from '../../table.ts';

export type Status = 'active' | 'done' | 'error' | 'stopped' | 'suspended';

/** `actor.get`, and the topic `actor/{address}`. */
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
  /** Types of the declared events that the present state takes, guards aside. */
  readonly accepts: readonly string[];
}
