/** The input of one batch, its events, its question to the port, and its report to the BatchManager. */
import { type AnyActorRef } from 'xstate';
import { type Message } from '../messages/messages.ts';
import { type BatchItem, type BatchRecord } from './batch-rules.ts';

export interface BatchInput extends Pick<BatchRecord, 'id' | 'name' | 'reason' | 'correlationId' | 'concurrencyLimit'> {
  readonly desk: AnyActorRef;
  /** The items: `waiting` in a batch that is to be paused, `paused` in one that is to be resumed. */
  readonly items: readonly BatchItem[];
}

/** The question to the port `resources`: may this item be resumed now? */
export interface ResourceQuestion {
  readonly batchId: string;
  readonly reason: string;
  /** The item; null if the question is about the batch as a whole. */
  readonly item: string | null;
  /** Items of the batch with an order in progress. */
  readonly underWay: number;
  /** Running tasks of the Lead Coordinator (CA-056). */
  readonly runningTasks: number;
}

/** Events from the BatchManager. */
export type BatchEvent =
  | Message<'pause.complete' | 'item.resumed' | 'item.failed'>
  | { readonly type: 'batch.add'; readonly items: readonly BatchItem[]; readonly reason: string }
  | { readonly type: 'batch.go-on'; readonly concurrencyLimit: number | null };

/** The report to the BatchManager. */
export type BatchReport = { readonly type: 'batch.changed'; readonly batch: AnyActorRef; readonly record: BatchRecord };
