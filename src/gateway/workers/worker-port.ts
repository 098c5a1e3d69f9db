/**
 * The interface between the gateway and its worker gateways. Types and calls only; arguments and results are data, so
 * any transport will do.
 */
import { type Shard } from '../../shard.ts';
import { type TreeNode } from '../../system-options.ts';
import { type Caller } from '../callers/callers.ts';
import { type Health } from '../health/health.ts';
import { type MethodName } from '../calls/methods.ts';
import { type MetricFamily } from '../health/metrics.ts';
import { type ServerFrame, type Sub } from '../protocol/frames.ts';
import { type NumberedSend } from '../calls/repeats.ts';

/** A call of the table of methods, with checked parameters. */
export interface WorkerRequest {
  readonly caller: Caller;
  readonly session: NumberedSend | undefined;
  readonly key: string | undefined;
  readonly leftMs: number;
}

export interface WorkerResponse {
  readonly result: unknown;
  /** Whether the call was a repeat; undefined if the method does not report it. */
  readonly replayed: boolean | undefined;
  /** The number of rows that were looked at, for the budget of the caller. */
  readonly looked: number;
}

/** A subscription at a worker gateway. */
export type WorkerSub = Pick<Sub, 'topic' | 'mode' | 'from' | 'ifUnborn'>;

export interface WorkerGatewayMethods {
  call(method: MethodName, params: unknown, asked: WorkerRequest): Promise<WorkerResponse>;
  /** Returns the same as Backend.lastSequence, for this worker alone. */
  lastSequence(caller: Caller, session: string): number;
  /**
   * The next frames of a subscription, once there are any: the first call of a series opens it at `from`, and ending a
   * call closes it. Between calls changes are conflated, as for a client that does not read.
   */
  pull(series: string, caller: Caller, sub: WorkerSub): Promise<readonly ServerFrame[]>;
  /** Resolves when all present frames of a series have been sent, before this answer. */
  refresh(series: string): Promise<void>;
  /** Resolves when the next epoch is durable. */
  nextEpoch(): Promise<void>;
  /**
   * Resolves with the run of the worker gateway when the next epoch that changes an actor is durable; at once if the
   * given run is another one, whose changes since then are not known. Rejects with BOSUN_ACTOR_UNKNOWN.
   */
  nextChange(address: string, run: string | null): Promise<string>;
  health(): ReturnType<Health['view']>;
  isReady(): boolean;
  families(): Promise<readonly MetricFamily[]>;
}

export type WorkerGatewayMethod = keyof WorkerGatewayMethods;

/** Receives the result of a call that takes long. */
interface CallSettler {
  answer(what: unknown): void;
  reject(error: Error): void;
}

/** The gateways of the workers, as the gateway in front of them calls them. */
export interface WorkerGateways {
  readonly count: number;
  isUp(worker: number): boolean;
  /** The workers that have an actor at an address, or a partition of it. Throws BOSUN_ADDRESS_INVALID. */
  homesOf(address: string): readonly number[];
  call(
    worker: number,
    verb: string,
    args: readonly unknown[],
    how: { readonly isRepeatable: boolean },
  ): Promise<unknown>;
  begin(worker: number, verb: string, args: readonly unknown[], heard: CallSettler): () => void;
}

/** The system that a gateway serves: a shard in this thread, or a system over workers. */
export interface Served {
  /** Resolves when the system has been stopped or has closed. */
  readonly over: Promise<void>;
  readonly inside: Shard | SpreadOverWorkers;
}

/** A system over workers. */
export interface SpreadOverWorkers {
  /** The directory of the workers' stores; undefined for stores in memory. */
  readonly directory: string | undefined;
  readonly gateways: WorkerGateways;
  /** Joins the partitions of a Boss into one node. */
  joinNodes(partitions: readonly TreeNode[]): TreeNode;
}

/** Calls a worker gateway. `isRepeatable`: repeating the call has no further effect. */
export function callWorker<V extends WorkerGatewayMethod>(
  gateways: WorkerGateways,
  worker: number,
  verb: V,
  args: Parameters<WorkerGatewayMethods[V]>,
  { isRepeatable = true }: { readonly isRepeatable?: boolean } = {},
): Promise<Awaited<ReturnType<WorkerGatewayMethods[V]>>> {
  return gateways.call(worker, verb, args, { isRepeatable }) as Promise<Awaited<ReturnType<WorkerGatewayMethods[V]>>>;
}

/** Calls every worker, in their order. */
export function callWorkers<V extends WorkerGatewayMethod>(
  gateways: WorkerGateways,
  workers: readonly number[],
  verb: V,
  args: Parameters<WorkerGatewayMethods[V]>,
): Promise<Awaited<ReturnType<WorkerGatewayMethods[V]>>[]> {
  return Promise.all(workers.map((worker) => callWorker(gateways, worker, verb, args)));
}

export function allWorkers({ count }: WorkerGateways): number[] {
  return Array.from({ length: count }, (_, worker) => worker);
}
