/** What there is to be seen or heard of something, before anybody subscribes to it. Shapes only. */
import { type TraceRecord } from '../../actors/model/trace-record.ts';
import { type ClientApi } from '../../actors/api/client-api.ts';
import { type Cursor } from '../protocol/protocol.ts';
import { type TurnView } from '../protocol/views.ts';

export interface View {
  readonly at: Cursor;
  readonly d: unknown;
}

export interface StateTopic {
  /** At most so many frames a second, whatever the client wants. */
  readonly maxHz: number;
  /** Throws BOSUN_ACTOR_UNKNOWN when it is over. */
  view(): View;
  /** @returns What ends the watch. */
  watch(changed: () => void, ended: () => void): () => void;
}

/** Told of a view by whatever has it. */
export interface ViewWatcher {
  changed(): void;
  ended(): void;
}

export interface EventsTopic {
  /** Whether events of this actor belong to it. */
  has(address: string): boolean;
}

/** Turns of the actors below an address: what is remembered of them, and what is heard from now on. */
export interface TurnsTopic {
  /** Of which history the numbers are. */
  readonly epoch: string;
  /** A turn as the caller may see it; undefined where it may not. */
  shown(record: TraceRecord): TurnView | undefined;
  readonly source: {
    readonly turns: ClientApi['turns'];
    behind(number: number, limit: number): ReturnType<ClientApi['turnsBehind']>;
    listen(tell: (record: TraceRecord) => void): () => void;
    watch(changed: () => void): () => void;
  };
}
