/**
 * Rates of tools' calls by coding agents (MX-121): bounds of the calls within any second and any minute. A call that is
 * refused does not count.
 */
import { TOOL_CALLS_PER_MINUTE, TOOL_CALLS_PER_MINUTE_OF_ALL, TOOL_CALLS_PER_SECOND } from '../limits.ts';

/** How many tools may be called. */
export interface McpRate {
  /** Calls of one agent within a second. Default 10. */
  readonly perSecond?: number;
  /** Calls of one agent within a minute. Default 100. */
  readonly perMinute?: number;
  /** Calls of all agents together within a minute. Default 500. */
  readonly allPerMinute?: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** The calls of the last minute, of one agent or of all; at most as many older ones are kept. */
class RecentCalls {
  readonly #atMs: number[] = [];
  /** The number of calls at the beginning that are older. */
  #old = 0;

  /** Returns the ms until one more call makes at most `count` within `withinMs`; 0 for now. */
  owesMs(count: number, withinMs: number, nowMs: number): number {
    const earliestMs = this.#atMs.at(-count);
    return earliestMs === undefined ? 0 : Math.max(0, Math.ceil(earliestMs + withinMs - nowMs));
  }

  add(nowMs: number): void {
    this.#atMs.push(nowMs);
    while (this.#atMs[this.#old]! <= nowMs - MINUTE_MS) this.#old += 1;
    if (this.#old <= this.#atMs.length / 2) return;
    this.#atMs.splice(0, this.#old);
    this.#old = 0;
  }
}

export class ToolRates {
  readonly #rate: Required<McpRate>;
  readonly #agentsMax: number;
  readonly #ofAll = new RecentCalls();
  readonly #byAgent = new Map<string, RecentCalls>();

  /** Makes the rates. Beyond `agentsMax` agents, the calls of the one that has called least recently are forgotten. */
  constructor(
    {
      perSecond = TOOL_CALLS_PER_SECOND,
      perMinute = TOOL_CALLS_PER_MINUTE,
      allPerMinute = TOOL_CALLS_PER_MINUTE_OF_ALL,
    }: McpRate,
    agentsMax: number,
  ) {
    this.#rate = { perSecond, perMinute, allPerMinute };
    this.#agentsMax = agentsMax;
  }

  /** The bounds in words. */
  get bounds(): string {
    const { perSecond, perMinute, allPerMinute } = this.#rate;
    return `an agent may make ${perMinute} a minute and ${perSecond} a second, all agents ${allPerMinute} a minute`;
  }

  /**
   * Takes a call of an agent.
   *
   * @returns 0 if taken, otherwise the ms until it may be made.
   */
  take(agent: string, nowMs: number): number {
    const { perSecond, perMinute, allPerMinute } = this.#rate;
    const calls = this.#of(agent);
    const owesMs = Math.max(
      calls.owesMs(perSecond, SECOND_MS, nowMs),
      calls.owesMs(perMinute, MINUTE_MS, nowMs),
      this.#ofAll.owesMs(allPerMinute, MINUTE_MS, nowMs),
    );
    if (owesMs > 0) return owesMs;
    calls.add(nowMs);
    this.#ofAll.add(nowMs);
    return 0;
  }

  #of(agent: string): RecentCalls {
    const calls = this.#byAgent.get(agent) ?? new RecentCalls();
    this.#byAgent.delete(agent);
    this.#byAgent.set(agent, calls);
    if (this.#byAgent.size > this.#agentsMax) {
      const [oldest] = this.#byAgent.keys();
      this.#byAgent.delete(oldest!);
    }
    return calls;
  }
}
