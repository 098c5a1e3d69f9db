/** A handle on a Boss of a system that is spread over workers: each order goes to the partition that has the child. */
import { childAddress } from '../actors/model/address.ts';
import { type ChildOptions } from '../supervisor/child-spec.ts';
import {
  type ChildCounts,
  type ChildInfo,
  type CompleteSpec,
  type DynamicChildOptions,
} from '../supervisor/boss-handle.ts';
import { type HostCalls } from './host-calls.ts';

/** Where whom it is about may be. */
interface Whereabouts {
  readonly calls: HostCalls;
  /** The workers that have an actor, or a partition of it. */
  homesOf(address: string): readonly number[];
  /** A worker for a child that is given no id. */
  anyOf(workers: readonly number[]): number;
}

const ORDER = { isRepeatable: false };
const READ = { isRepeatable: true };

export class SpreadBoss {
  readonly address: string;
  readonly #where: Whereabouts;

  constructor(where: Whereabouts, address: string) {
    this.address = address;
    this.#where = where;
  }

  /**
   * As BossHandle.startChild. Of a Boss with partitions, a child without an id is started on the worker whose turn it
   * is.
   */
  async startChild(child: ChildOptions | DynamicChildOptions = {}): Promise<string> {
    const { id } = child as { id?: string };
    const { calls, homesOf, anyOf } = this.#where;
    const homes = id === undefined ? [anyOf(homesOf(this.address))] : this.#homesOf(id);
    const [address] = await Promise.all(
      homes.map((worker) => calls.call(worker, 'startChild', [this.address, child], ORDER)),
    );
    return address!;
  }

  /** As BossHandle.terminateChild. */
  async terminateChild(id: string): Promise<void> {
    await Promise.all(
      this.#homesOf(id).map((worker) => this.#where.calls.call(worker, 'terminateChild', [this.address, id], ORDER)),
    );
  }

  /** As BossHandle.restartChild. */
  async restartChild(id: string): Promise<string> {
    const [address] = await Promise.all(
      this.#homesOf(id).map((worker) => this.#where.calls.call(worker, 'restartChild', [this.address, id], ORDER)),
    );
    return address!;
  }

  /** As BossHandle.deleteChild. */
  async deleteChild(id: string): Promise<void> {
    await Promise.all(
      this.#homesOf(id).map((worker) => this.#where.calls.call(worker, 'deleteChild', [this.address, id], ORDER)),
    );
  }

  /** All children, worker by worker; a child with partitions once for each. */
  async whichChildren(): Promise<ChildInfo[]> {
    const { calls, homesOf } = this.#where;
    const lists = await Promise.all(
      homesOf(this.address).map((worker) => calls.call(worker, 'whichChildren', [this.address], READ)),
    );
    return lists.flat();
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
    return this.#where.calls.call(this.#homesOf(id)[0]!, 'getChildSpec', [this.address, id], READ);
  }

  #homesOf(id: string): readonly number[] {
    return this.#where.homesOf(childAddress(this.address, id));
  }
}
