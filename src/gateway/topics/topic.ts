/** The sources that subscriptions read: views, events, records and turns. Types only. */
import type { TraceRecord } from '../../actors/model/trace-record.ts';
import { type ClientApi } from '../../actors/api/client-api.ts';
import { type RecordPage } from '../../actors/api/record-pages.ts';
import { type Cursor } from '../protocol/protocol.ts';
import { type TurnView } from '../protocol/views.ts';

export interface View {
  readonly at: Cursor;
  readonly d: unknown;
  /** Number of rows that were read for the view; undefined if they were not counted. */
  readonly rows?: number;
}

export interface StateTopic {
  /** Most frames per second, whatever the client requests. */
  readonly maxHz: number;
  /** The current view. Throws BOSUN_ACTOR_UNKNOWN when the topic has ended. */
  view(): View;
  /**
   * Watches for changes.
   *
   * @returns A function that stops it.
   */
  watch(changed: () => void, ended: () => void): () => void;
}

/** Receives changes of a view. */
export interface ViewWatcher {
  changed(): void;
  ended(): void;
}

export interface EventsTopic {
  /** Whether the topic includes events of this actor. */
  has(address: string): boolean;
}

/** The records of one name of an actor. */
export interface RecordsTopic {
  readonly address: string;
  /** Numbers of the present records. Throws BOSUN_ACTOR_UNKNOWN, BOSUN_RECORDS_UNKNOWN. */
  numbers(): ReturnType<ClientApi['recordNumbers']>;
  /** Records after a number as clients see them, as many as are sent together. Rejects with BOSUN_STORE_FAILED. */
  behind(number: number): Promise<RecordPage>;
  watch(changed: () => void, ended: () => void): () => void;
}

/** Turns of the actors below an address: the remembered ones, and new ones. */
export interface TurnsTopic {
  /** The history in which the numbers count. */
  readonly epoch: string;
  /** A turn as the caller may see it; undefined if it may not. */
  shown(record: TraceRecord): TurnView | undefined;
  readonly source: {
    readonly turns: ClientApi['turns'];
    behind(number: number, limit: number): ReturnType<ClientApi['turnsBehind']>;
    listen(tell: (record: TraceRecord) => void): () => void;
    watch(changed: () => void): () => void;
  };
}
