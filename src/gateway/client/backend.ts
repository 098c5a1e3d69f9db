/**
 * What is behind a gateway, as the gateway needs it: one system in this thread (one-system.ts), or one that is spread
 * over workers (spread/). Connections, callers, rates and frames are before it; actors, and what may be shown of them,
 * are behind it.
 */
import { type Handlers } from '../calls/calls.ts';
import { type Caller } from './callers.ts';
import { type Finder } from './feeds.ts';
import { type Family } from './metrics.ts';
import { type TurnViews } from '../stately/stately-peer.ts';

export interface Interior {
  /** What each method of methods.ts does. */
  readonly handlers: Handlers;
  readonly topics: Finder;
  /** Of the last send of a session that was accepted; 0 for one that is new or forgotten. */
  lastSequence(caller: Caller, session: string): number | Promise<number>;
  /** Whether sends would be taken, by whomever they are for. */
  isReady(): boolean | Promise<boolean>;
  /** Kernel time, milliseconds since 1970. */
  readonly nowMs: number;
  families(): readonly Family[] | Promise<readonly Family[]>;
  /** For who inspects with what Stately gives; undefined where that cannot be had. */
  readonly turns: TurnViews | undefined;
  /** Nobody is there any more. */
  stop(): void;
}
