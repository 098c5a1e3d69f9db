/**
 * The backend of a gateway: one system in this thread (one-system.ts), or a system over workers (workers/).
 * Connections, callers, rates and frames are handled in front of it; actors, and which of their data may be shown,
 * behind it.
 */
import { type BackendHandlers } from './call.ts';
import { type SequencedLine, type SequencedSends } from './sequenced-sends.ts';
import { type Caller } from '../callers/callers.ts';
import { type ChangeListener } from '../topics/listing.ts';
import { type TopicFinder } from '../topics/topic-subscription.ts';
import { type MetricFamily } from '../health/metrics.ts';
import { type TurnViews } from '../topics/turn-views.ts';

export interface Backend {
  /** The handler of each method in methods.ts. */
  readonly handlers: BackendHandlers;
  readonly topics: TopicFinder;
  /**
   * Watches for durable epochs that change an actor, until the function that it returns is called. Fails with
   * BOSUN_ACTOR_UNKNOWN where there is none any more. The listener is never called before this has returned.
   */
  watchActor(address: string, listener: ChangeListener): () => void;
  /** Number of the last accepted send of a session; 0 for a session that is new or forgotten. */
  lastSequence(caller: Caller, session: string): number | Promise<number>;
  /** Opens a line for a session's sends on one connection. */
  sequenced(line: SequencedLine): SequencedSends;
  /** Whether the system accepts sends, to any address. */
  isReady(): boolean | Promise<boolean>;
  /** Kernel time, milliseconds since 1970. */
  readonly nowMs: number;
  families(): readonly MetricFamily[] | Promise<readonly MetricFamily[]>;
  /** Turns for Stately Inspector clients; undefined if the backend cannot supply them. */
  readonly turns: TurnViews | undefined;
  /** Releases the backend's resources once the gateway has closed. */
  stop(): void;
}
