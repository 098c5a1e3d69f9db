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
import { type Verb, type HostVerbs } from './host-verbs.ts';
import { type HostCalls } from './host-calls.ts';

/** A record of an order, and which worker has it: numbers are a worker's own. */
export interface SpreadAuditRecord extends AuditRecord {
  readonly worker: number;
}

interface Whereabouts {
  readonly calls: HostCalls;
  readonly workers: readonly number[];
  homesOf(address: string): readonly number[];
}

const ORDER = { isRepeatable: false };
const READ = { isRepeatable: true };

/** Orders reject as those of AdminHandle, and with BOSUN_WORKER_DOWN. */
export class SpreadAdmin {
  readonly #where: Whereabouts;

  constructor(where: Whereabouts) {
    this.#where = where;
  }

  /** As AdminHandle.suspend. */
  async suspend(address: string, as: OrderedBy): Promise<void> {
    await this.#order(address, 'suspend', [address, as]);
  }

  /** As AdminHandle.resume. */
  async resume(address: string, as: OrderedBy): Promise<void> {
    await this.#order(address, 'resumeBy', [address, as]);
  }

  /** As AdminHandle.step. */
  async step(address: string, as: OrderedBy): Promise<EventObject | null> {
    const [event] = await this.#order(address, 'step', [address, as]);
    return event ?? null;
  }

  /** As AdminHandle.getState; of a Boss with partitions, that of the first. */
  async getState(address: string): Promise<Inspection> {
    return await this.#read(address, 'getState', [address]);
  }

  /** As AdminHandle.replaceState; a function cannot be sent to another thread. */
  async replaceState(
    address: string,
    next: StateReplacement,
    as: OrderedBy,
    options: { readonly ifSequence?: number | undefined } = {},
  ): Promise<StoredState<unknown>> {
    const [state] = await this.#order(address, 'replaceState', [address, admit(next, 'state'), as, options]);
    return state!;
  }

  /** As AdminHandle.kill. */
  async kill(address: string, as: OrderedBy): Promise<void> {
    await this.#order(address, 'kill', [address, as]);
  }

  /** As AdminHandle.recent, by the time at which turns began; numbers are a worker's own. */
  async recent(
    address: string,
    options: { readonly limit?: number; readonly after?: number } = {},
  ): Promise<readonly TraceRecord[]> {
    const lists = await Promise.all(
      this.#where.homesOf(address).map((worker) => this.#where.calls.call(worker, 'recent', [address, options], READ)),
    );
    const turns = lists.flat().sort((a, b) => a.atMs - b.atMs);
    return options.limit === undefined ? turns : turns.slice(-options.limit);
  }

  /** As AdminHandle.history. */
  async history(address: string): Promise<readonly KeptTurn[]> {
    return await this.#read(address, 'history', [address]);
  }

  /**
   * As AdminHandle.onTurn: of each worker in the order of its turns, from when this reaches it on, and over its deaths;
   * what a worker that dies had not told then is lost.
   */
  onTurn(address: string, handler: (record: TraceRecord) => void): Subscription {
    const ends = this.#where
      .homesOf(address)
      .map((worker) => this.#where.calls.watch(worker, 'turns', [address], { next: handler }));
    return { unsubscribe: () => ends.forEach((end) => end()) };
  }

  /** As AdminHandle.waiting, of all workers. */
  async waiting(): Promise<readonly Wait[]> {
    return (await this.#all('waiting', [])).flat().sort((a, b) => (a.sinceMs ?? Infinity) - (b.sinceMs ?? Infinity));
  }

  /** As AdminHandle.audit, of all workers, newest first. */
  async audit(
    options: { readonly address?: string; readonly limit?: number } = {},
  ): Promise<readonly SpreadAuditRecord[]> {
    const lists = await this.#all('audit', [options]);
    const records = lists
      .flatMap((list, worker) => list.map((record) => ({ ...record, worker })))
      .sort((a, b) => b.atMs - a.atMs || b.number - a.number);
    return options.limit === undefined ? records : records.slice(0, options.limit);
  }

  #read<V extends Verb>(
    address: string,
    verb: V,
    args: Parameters<HostVerbs[V]>,
  ): Promise<Awaited<ReturnType<HostVerbs[V]>>> {
    return this.#where.calls.call(this.#where.homesOf(address)[0]!, verb, args, READ);
  }

  #order<V extends Verb>(
    address: string,
    verb: V,
    args: Parameters<HostVerbs[V]>,
  ): Promise<Awaited<ReturnType<HostVerbs[V]>>[]> {
    return Promise.all(this.#where.homesOf(address).map((worker) => this.#where.calls.call(worker, verb, args, ORDER)));
  }

  #all<V extends Verb>(verb: V, args: Parameters<HostVerbs[V]>): Promise<Awaited<ReturnType<HostVerbs[V]>>[]> {
    return Promise.all(this.#where.workers.map((worker) => this.#where.calls.call(worker, verb, args, READ)));
  }
}
