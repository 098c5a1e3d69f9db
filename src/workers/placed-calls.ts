/** The host's calls by the address that they are about: to one worker, to each that has a part of it, or to all. */
import { checkAddress } from '../actors/model/address.ts';
import { type Placement } from '../actors/model/placement.ts';
import { BosunError } from '../errors.ts';
import { type HostCalls } from './host-calls.ts';
import { type HostVerbs, type Verb } from './host-verbs.ts';

/** What must not be done twice is not called again where a worker dies. */
export const ONCE = { isRepeatable: false };
export const AGAIN = { isRepeatable: true };

type Repeatable = typeof ONCE;
type Result<V extends Verb> = Awaited<ReturnType<HostVerbs[V]>>;

export class PlacedCalls {
  readonly calls: HostCalls;
  readonly workers: readonly number[];
  #placement: Placement | undefined;

  constructor(calls: HostCalls, count: number) {
    this.calls = calls;
    this.workers = Array.from({ length: count }, (_, worker) => worker);
  }

  /** At the first start; where addresses are placed never changes. */
  place(placement: Placement): void {
    this.#placement ??= placement;
  }

  /**
   * Undefined for a Boss that has a partition on each worker. Throws BOSUN_ADDRESS_INVALID, and BOSUN_SYSTEM_CLOSED
   * before the start.
   */
  workerOf(address: string): number | undefined {
    if (this.#placement === undefined) throw new BosunError('BOSUN_SYSTEM_CLOSED', 'the system has not been started');
    const home = this.#placement.homeOf(checkAddress(address));
    return home === 'every' ? undefined : home;
  }

  /** The workers that have an actor at an address, or a partition of it. Throws as {@link workerOf}. */
  homesOf(address: string): readonly number[] {
    const worker = this.workerOf(address);
    return worker === undefined ? this.workers : [worker];
  }

  /** A read; of a Boss with partitions, of the first. */
  async first<V extends Verb>(address: string, verb: V, args: Parameters<HostVerbs[V]>): Promise<Result<V>> {
    return await this.calls.call(this.homesOf(address)[0]!, verb, args, AGAIN);
  }

  /** Of every worker that has the address. */
  async each<V extends Verb>(
    address: string,
    verb: V,
    args: Parameters<HostVerbs[V]>,
    how: Repeatable,
  ): Promise<Result<V>[]> {
    return await Promise.all(this.homesOf(address).map((worker) => this.calls.call(worker, verb, args, how)));
  }

  /** A read, of every worker. */
  all<V extends Verb>(verb: V, args: Parameters<HostVerbs[V]>): Promise<Result<V>[]> {
    return Promise.all(this.workers.map((worker) => this.calls.call(worker, verb, args, AGAIN)));
  }
}
