/**
 * Administration of a system that is spread over workers: what AdminHandle is, with reads that are promises. An order
 * goes to the worker that has the actor, of a Boss with partitions to each; it is not given again where a worker dies
 * in the middle of it.
 */
import { type EventObject } from 'xstate';
import { type StateReplacement } from '../actors/loop/administration.ts';
import { type AuditRecord, type OrderedBy } from '../actors/world/audit-record.ts';
import { type Inspection } from '../actors/api/actor-inspection.ts';
import { type Wait } from '../actors/api/waits.ts';
import { type Subscription } from '../actors/world/actor-view.ts';
import { type KeptTurn, type TraceRecord } from '../actors/model/trace-record.ts';
import { admit } from '../actors/model/value-check.ts';
import { type StoredState } from '../actors/model/version-rules.ts';
import { AGAIN, ONCE, type PlacedCalls } from './placed-calls.ts';

/** A record of an order, and which worker has it: numbers are a worker's own. */
export interface SpreadAuditRecord extends AuditRecord {
  readonly worker: number;
}

/** Orders reject as those of AdminHandle, and with BOSUN_WORKER_DOWN. */
export class SpreadAdmin {
  readonly #calls: PlacedCalls;

  constructor(calls: PlacedCalls) {
    this.#calls = calls;
  }

  /** As AdminHandle.suspend. */
  async suspend(address: string, as: OrderedBy): Promise<void> {
    await this.#calls.each(address, 'suspend', [address, as], ONCE);
  }

  /** As AdminHandle.resume. */
  async resume(address: string, as: OrderedBy): Promise<void> {
    await this.#calls.each(address, 'resume', [address, as], ONCE);
  }

  /** As AdminHandle.step. */
  async step(address: string, as: OrderedBy): Promise<EventObject | null> {
    const [event] = await this.#calls.each(address, 'step', [address, as], ONCE);
    return event ?? null;
  }

  /** As AdminHandle.getState; of a Boss with partitions, that of the first. */
  async getState(address: string): Promise<Inspection> {
    return await this.#calls.first(address, 'getState', [address]);
  }

  /** As AdminHandle.replaceState; a function cannot be sent to another thread. */
  async replaceState(
    address: string,
    next: StateReplacement,
    as: OrderedBy,
    options: { readonly ifSequence?: number | undefined } = {},
  ): Promise<StoredState<unknown>> {
    const [state] = await this.#calls.each(address, 'replaceState', [address, admit(next, 'state'), as, options], ONCE);
    return state!;
  }

  /** As AdminHandle.kill. */
  async kill(address: string, as: OrderedBy): Promise<void> {
    await this.#calls.each(address, 'kill', [address, as], ONCE);
  }

  /** As AdminHandle.recent, by the time at which turns began; numbers are a worker's own. */
  async recent(
    address: string,
    options: { readonly limit?: number; readonly after?: number } = {},
  ): Promise<readonly TraceRecord[]> {
    const lists = await this.#calls.each(address, 'recent', [address, options], AGAIN);
    const turns = lists.flat().sort((a, b) => a.atMs - b.atMs);
    return options.limit === undefined ? turns : turns.slice(-options.limit);
  }

  /** As AdminHandle.history. */
  async history(address: string): Promise<readonly KeptTurn[]> {
    return await this.#calls.first(address, 'history', [address]);
  }

  /**
   * As AdminHandle.onTurn: of each worker in the order of its turns, from when this reaches it on, and over its deaths;
   * what a worker that dies had not told then is lost.
   */
  onTurn(address: string, handler: (record: TraceRecord) => void): Subscription {
    const ends = this.#calls
      .homesOf(address)
      .map((worker) => this.#calls.calls.watch(worker, 'turns', [address], { next: handler }));
    return { unsubscribe: () => ends.forEach((end) => end()) };
  }

  /** As AdminHandle.waiting, of all workers. */
  async waiting(): Promise<readonly Wait[]> {
    return (await this.#calls.all('waiting', []))
      .flat()
      .sort((a, b) => (a.sinceMs ?? Infinity) - (b.sinceMs ?? Infinity));
  }

  /** As AdminHandle.audit, of all workers, newest first. */
  async audit(
    options: { readonly address?: string; readonly limit?: number } = {},
  ): Promise<readonly SpreadAuditRecord[]> {
    const lists = await this.#calls.all('audit', [options]);
    const records = lists
      .flatMap((list, worker) => list.map((record) => ({ ...record, worker })))
      .sort((a, b) => b.atMs - a.atMs || b.number - a.number);
    return options.limit === undefined ? records : records.slice(0, options.limit);
  }
}
