/** The options of a system over workers. */
import { type ResourceLimits } from 'node:worker_threads';
import { type AnyAgent } from '../actors/model/agent.ts';
import { type SystemOptions } from '../system-options.ts';

/** Options of a worker's system, as the workers' module exports them. The runtime supplies the remaining options. */
export type WorkerOptions<A extends AnyAgent = AnyAgent> = Omit<
  SystemOptions<A>,
  'store' | 'hold' | 'recoverTo' | 'journal'
>;

/** The options of `createSystem` for a system over worker threads. */
export interface SpreadOptions {
  readonly workers: {
    /** Number of threads, each with a store of its own. It cannot be changed once the stores exist. */
    readonly count: number;
    /**
     * URL of the module that every worker loads, because machines are code: `new URL('./agents.js', import.meta.url)`.
     */
    readonly module: string | URL;
    /** Name of the module's export with {@link WorkerOptions}. Default `options`. */
    readonly exported?: string;
    /** Directory of the stores, which are its folders `0`, `1` and so on. */
    readonly directory: string;
    /** Restarts of dead workers allowed within `periodMs` before the system closes. Default 3 in 5 s, as for a Boss. */
    readonly intensity?: number;
    readonly periodMs?: number;
    /** Node's resource limits for each thread: a full heap ends one worker instead of the process. */
    readonly resourceLimits?: ResourceLimits;
    /** Node options for each thread. Default: those of this process. */
    readonly execArgv?: readonly string[];
  };
  /** Receives reports, including those of workers whose module has no `log`. Default: standard error. */
  readonly log?: (...args: unknown[]) => void;
}
