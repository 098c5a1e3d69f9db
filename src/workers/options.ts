/** What a system over workers is made from. */
import { type ResourceLimits } from 'node:worker_threads';
import { type AnyAgent } from '../actors/model/agent.ts';
import { type SystemOptions } from '../system-options.ts';

/** What the module of the workers exports: the options of a system, but for what is a worker's own. */
export type WorkerOptions<A extends AnyAgent = AnyAgent> = Omit<
  SystemOptions<A>,
  'store' | 'hold' | 'recoverTo' | 'journal'
>;

export interface SpreadOptions {
  readonly workers: {
    /** How many threads, each with a store of its own. It is fixed when the stores are made. */
    readonly count: number;
    /**
     * URL of the module that every worker loads, because machines are code: `new URL('./agents.js', import.meta.url)`.
     */
    readonly module: string | URL;
    /** Name of the module's export that has {@link WorkerOptions}. Default `options`. */
    readonly exported?: string;
    /** Directory of the stores: `0`, `1` and so on below it. */
    readonly directory: string;
    /**
     * How often workers that die may be started again within `periodMs`, before the system closes. Default 3 in 5 s, as
     * a Boss.
     */
    readonly intensity?: number;
    readonly periodMs?: number;
    /** Of each thread, as Node has them: a heap that is full ends one worker, and not the process. */
    readonly resourceLimits?: ResourceLimits;
    /** Options of Node for each thread. Default: those of this process. */
    readonly execArgv?: readonly string[];
  };
  /** Where reports about workers go. Default: standard error. */
  readonly log?: (...args: unknown[]) => void;
}
