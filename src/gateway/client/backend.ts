/**
 * What is behind a gateway, as the gateway needs it: one system in this thread (one-system.ts), or one that is spread
 * over workers (workers/). Connections, callers, rates and frames are before it; actors, and what may be shown of them,
 * are behind it.
 */
import { type BackendHandlers } from '../calls/call.ts';
import { type Caller } from './callers.ts';
import { type TopicFinder } from '../topics/topic-subscription.ts';
import { type MetricFamily } from './metrics.ts';
import { type TurnViews } from '../topics/turn-views.ts';

export interface Backend {
  /** What each method of methods.ts does. */
  readonly handlers: BackendHandlers;
  readonly topics: TopicFinder;
  /** Of the last send of a session that was accepted; 0 for one that is new or forgotten. */
  lastSequence(caller: Caller, session: string): number | Promise<number>;
  /** Whether sends would be taken, by whomever they are for. */
  isReady(): boolean | Promise<boolean>;
  /** Kernel time, milliseconds since 1970. */
  readonly nowMs: number;
  families(): readonly MetricFamily[] | Promise<readonly MetricFamily[]>;
  /** For who inspects with what Stately gives; undefined where that cannot be had. */
  readonly turns: TurnViews | undefined;
  /** Nobody is there any more. */
  stop(): void;
}
