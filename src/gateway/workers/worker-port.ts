/**
 * Calls between the gateway and its worker gateways beside the workers. Ports and shapes only: whatever carries them,
 * they are data.
 */
import { type TreeNode } from '../../system-options.ts';
import { type Caller } from '../client/callers.ts';
import { type Health } from '../client/health.ts';
import { type MethodName } from '../calls/methods.ts';
import { type MetricFamily } from '../client/metrics.ts';
import { type ServerFrame, type Sub } from '../protocol/frames.ts';
import { type NumberedSend } from '../calls/repeats.ts';

/** A call of the table of methods, whose parameters have been looked over. */
export interface WorkerRequest {
  readonly caller: Caller;
  readonly session: NumberedSend | undefined;
  readonly key: string | undefined;
  readonly leftMs: number;
}

export interface WorkerResponse {
  readonly result: unknown;
  /** Undefined where the method does not say. */
  readonly replayed: boolean | undefined;
}

export interface WorkerGatewayMethods {
  call(method: MethodName, params: unknown, asked: WorkerRequest): Promise<WorkerResponse>;
  /** As Backend.lastSequence, of this worker. */
  lastSequence(caller: Caller, session: string): number;
  /**
   * The next frames of a subscription, once there are any: the first call of a series begins it, at `from`, and whoever
   * ends a call of it ends it. While nobody asks, what changes is conflated, as for a client that does not read.
   */
  pull(series: string, caller: Caller, sub: Pick<Sub, 'topic' | 'mode' | 'from'>): Promise<readonly ServerFrame[]>;
  /** Resolves when all that a series has to tell now is on its way, before this answer. */
  refresh(series: string): Promise<void>;
  /** Resolves when the next epoch is durable. */
  nextEpoch(): Promise<void>;
  health(): ReturnType<Health['view']>;
  isReady(): boolean;
  families(): readonly MetricFamily[];
}

export type WorkerGatewayMethod = keyof WorkerGatewayMethods;

/** What a call that takes long comes to. */
interface CallSettler {
  answer(what: unknown): void;
  reject(error: Error): void;
}

/** The workers, as a gateway needs them. */
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

/** A system that is spread over workers. */
export interface SpreadOverWorkers {
  readonly gateways: WorkerGateways;
  readonly closed: Promise<void>;
  tree(address: string): Promise<TreeNode>;
}

/** Calls a worker gateway. `isRepeatable`: it changes nothing, or nothing a second time. */
export function callWorker<V extends WorkerGatewayMethod>(
  gateways: WorkerGateways,
  worker: number,
  verb: V,
  args: Parameters<WorkerGatewayMethods[V]>,
  { isRepeatable = true }: { readonly isRepeatable?: boolean } = {},
): Promise<Awaited<ReturnType<WorkerGatewayMethods[V]>>> {
  return gateways.call(worker, verb, args, { isRepeatable }) as Promise<Awaited<ReturnType<WorkerGatewayMethods[V]>>>;
}

/** Of every worker, in their order. */
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
