/** A handle on a Boss of a system that is spread over workers: each order goes to the partition that has the child. */
import { childAddress } from '../actors/model/address.ts';
import { type ChildOptions } from '../supervisor/child-spec.ts';
import {
  type ChildCounts,
  type ChildInfo,
  type CompleteSpec,
  type DynamicChildOptions,
} from '../supervisor/boss-handle.ts';
import { AGAIN, ONCE, type PlacedCalls } from './placed-calls.ts';

export class SpreadBoss {
  readonly address: string;
  readonly #calls: PlacedCalls;
  readonly #anyOf: (workers: readonly number[]) => number;

  /** @param anyOf A worker for a child that is given no id. */
  constructor(calls: PlacedCalls, address: string, anyOf: (workers: readonly number[]) => number) {
    this.address = address;
    this.#calls = calls;
    this.#anyOf = anyOf;
  }

  /**
   * As BossHandle.startChild. Of a Boss with partitions, a child without an id is started on the worker whose turn it
   * is.
   */
  async startChild(child: ChildOptions | DynamicChildOptions = {}): Promise<string> {
    const { id } = child as { id?: string };
    if (id !== undefined) return (await this.#calls.each(this.#at(id), 'startChild', [this.address, child], ONCE))[0]!;
    const worker = this.#anyOf(this.#calls.homesOf(this.address));
    return this.#calls.calls.call(worker, 'startChild', [this.address, child], ONCE);
  }

  /** As BossHandle.terminateChild. */
  async terminateChild(id: string): Promise<void> {
    await this.#calls.each(this.#at(id), 'terminateChild', [this.address, id], ONCE);
  }

  /** As BossHandle.restartChild. */
  async restartChild(id: string): Promise<string> {
    return (await this.#calls.each(this.#at(id), 'restartChild', [this.address, id], ONCE))[0]!;
  }

  /** As BossHandle.deleteChild. */
  async deleteChild(id: string): Promise<void> {
    await this.#calls.each(this.#at(id), 'deleteChild', [this.address, id], ONCE);
  }

  /** All children, worker by worker; a child with partitions once for each. */
  async whichChildren(): Promise<ChildInfo[]> {
    return (await this.#calls.each(this.address, 'whichChildren', [this.address], AGAIN)).flat();
  }

  /** OTP's count_children; a child with partitions counts once for each. */
  async countChildren(): Promise<ChildCounts> {
    const children = await this.whichChildren();
    const supervisors = children.filter(({ kind }) => kind === 'supervisor').length;
    const active = children.filter(({ status }) => status === 'running' || status === 'stopping').length;
    return { specs: children.length, active, supervisors, workers: children.length - supervisors };
  }

  /** As BossHandle.getChildSpec. */
  getChildSpec(id: string): Promise<CompleteSpec> {
    return this.#calls.first(this.#at(id), 'getChildSpec', [this.address, id]);
  }

  #at(id: string): string {
    return childAddress(this.address, id);
  }
}
