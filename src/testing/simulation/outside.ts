/**
 * The outside world of a run: calls of effects reach it after a while, are done there or not, and their answers come
 * back or are lost. It goes on while the process is down: what was asked of it is done all the same.
 */
import { type VirtualClock } from '../virtual-clock.ts';
import { chanceOf } from './keyed-chance.ts';
import { callOf, type Fate } from './plan.ts';
import { type StubCall, type Stubbed } from '../stubs.ts';

/** The model of an effect. Called when the request has reached the outside world. */
export interface EffectModel<World> {
  readonly run: (input: unknown, call: EffectCall<World>) => unknown;
  /**
   * Shortest and longest latency in milliseconds, drawn once until the world has carried out the call and again until
   * the answer has arrived. Default [0, 50].
   */
  readonly latencyMs?: readonly [number, number];
  /** Probability that the call fails and has no effect. Default 0.05. */
  readonly fails?: number;
  /** Probability that the call succeeds and its answer is lost, so that the machine sees a failure. Default 0.03. */
  readonly losesAnswer?: number;
  /** Probability that no answer ever comes. Default 0, since a machine without a timeout would wait for ever. */
  readonly hangs?: number;
}

/** One call of an effect. */
export interface EffectCall<World> {
  readonly world: World;
  /** The address of the calling actor. */
  readonly address: string;
  /** The id of the effect. It is the same for restores and retries, so that a repeated call can be recognised. */
  readonly effectId: string;
  readonly attempt: number;
}

const LATENCY_MS = [0, 50] as const;
const FAILS = 0.05;
const LOSES_ANSWER = 0.03;

const GOES_WELL: Fate = { latencyMs: 0, outcome: 'done' };

interface Parts<World> {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly world: World;
  readonly effects: Readonly<Record<string, EffectModel<World>>>;
  /** The fates of calls, from the plan. Undefined if they are drawn. */
  readonly fates: Readonly<Record<string, Fate>> | undefined;
  /** Adds each call to the story. */
  readonly tell: (line: string, address: string) => void;
}

export class Outside<World> implements Stubbed {
  readonly #parts: Parts<World>;
  /** The number of calls so far, by actor and effect. */
  readonly #calls = new Map<string, number>();
  /** The outcomes of the calls that did not succeed at once. */
  readonly met: Record<string, Fate> = {};
  /** Addresses of the actors that wait for an answer that never comes. */
  readonly hung = new Set<string>();
  calls = 0;
  /** The number of calls by outcome. */
  readonly outcomes = new Map<Fate['outcome'], number>();
  /** Whether the faults are over: every further call succeeds at once. */
  isHealed = false;

  constructor(parts: Parts<World>) {
    this.#parts = parts;
  }

  call({ key, name, input, facts }: StubCall): Promise<unknown> {
    const { clock, world, effects, tell } = this.#parts;
    const site = `${name} of ${facts.address}`;
    const count = (this.#calls.get(site) ?? 0) + 1;
    this.#calls.set(site, count);
    this.calls += 1;
    const fate = this.#fateOf(callOf(site, count), effects[key]!);
    this.outcomes.set(fate.outcome, (this.outcomes.get(fate.outcome) ?? 0) + 1);
    const done = async (): Promise<unknown> => {
      if (fate.outcome === 'fails') {
        tell(`outside: ${site} fails, nothing is done`, facts.address);
        throw new Error(`${name} failed`);
      }
      const answer = await effects[key]!.run(input, { world, ...facts });
      if (fate.outcome === 'losesAnswer') {
        tell(`outside: ${site} is done, its answer is lost`, facts.address);
        throw new Error(`${name}: no answer`);
      }
      tell(`outside: ${site} is done${fate.outcome === 'hangs' ? ', no answer ever comes' : ''}`, facts.address);
      if (fate.outcome !== 'hangs') return answer;
      this.hung.add(facts.address);
      return new Promise<never>(() => {});
    };
    if (fate.latencyMs === 0) return done();
    return this.#later(
      fate.latencyMs,
      async () => {
        const answer = done();
        // Somebody may have died meanwhile; then nobody hears of a failure.
        answer.catch(() => {});
        await this.#pause(fate.latencyMs);
        return answer;
      },
      clock,
    );
  }

  #later<T>(ms: number, then: () => Promise<T>, clock: VirtualClock): Promise<T> {
    return new Promise((resolve, reject) => {
      clock.setTimeout(() => void then().then(resolve, reject), ms);
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#parts.clock.setTimeout(resolve, ms));
  }

  #fateOf(call: string, model: EffectModel<World>): Fate {
    if (this.isHealed) return GOES_WELL;
    const { fates, seed } = this.#parts;
    const fate = fates === undefined ? drawFate(seed, call, model) : (fates[call] ?? GOES_WELL);
    if (fate.latencyMs > 0 || fate.outcome !== 'done') this.met[call] = fate;
    return fate;
  }
}

function drawFate<World>(seed: number, call: string, model: EffectModel<World>): Fate {
  const { latencyMs: [least, longest] = LATENCY_MS, fails = FAILS, losesAnswer = LOSES_ANSWER, hangs = 0 } = model;
  const chance = chanceOf(seed, 'fate', call);
  const latencyMs = least + chance.integer(longest - least + 1);
  const at = chance.next();
  if (at < fails) return { latencyMs, outcome: 'fails' };
  if (at < fails + losesAnswer) return { latencyMs, outcome: 'losesAnswer' };
  return { latencyMs, outcome: at < fails + losesAnswer + hangs ? 'hangs' : 'done' };
}
