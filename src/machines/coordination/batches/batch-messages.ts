/** What one batch is begun with, what it is told and asks, and what it tells the BatchManager. */
import { type AnyActorRef } from 'xstate';
import { type Message } from '../messages/messages.ts';
import { type BatchItem, type BatchRecord } from './batch-rules.ts';

export interface BatchInput extends Pick<BatchRecord, 'id' | 'name' | 'reason' | 'correlationId' | 'concurrencyLimit'> {
  readonly desk: AnyActorRef;
  /** Those of a batch to be paused are `waiting`, of one to be resumed `paused`. */
  readonly items: readonly BatchItem[];
}

/** What the port `resources` is asked: may this item be resumed now? */
export interface ResourceQuestion {
  readonly batchId: string;
  readonly reason: string;
  /** Null where the batch asks only when it might resume at all. */
  readonly item: string | null;
  /** Items of the batch that are on their way. */
  readonly underWay: number;
  /** Tasks that the Lead Coordinator has running (CA-056). */
  readonly runningTasks: number;
}

/** From the BatchManager. */
export type BatchEvent =
  | Message<'pause.complete' | 'item.resumed' | 'item.failed'>
  | { readonly type: 'batch.add'; readonly items: readonly BatchItem[]; readonly reason: string }
  | { readonly type: 'batch.go-on'; readonly concurrencyLimit: number | null };

/** To the BatchManager. */
export type BatchReport = { readonly type: 'batch.changed'; readonly batch: AnyActorRef; readonly record: BatchRecord };
