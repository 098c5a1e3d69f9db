/**
 * Campaigns: many seeds, the tokens of earlier failures first; the first failure is shrunk and told. And the replay of
 * one token.
 */
import assert from 'node:assert/strict';
import { systemClock } from '../../clock.ts';
import { checkCampaignOptions } from './campaign-rules.ts';
import { type Corpus } from './corpus.ts';
import { type Shape, type Simulation } from './definition.ts';
import { type FaultKind } from './faults.ts';
import { drawPlan, type Fate, type Plan } from './plan.ts';
import { type Violation } from './properties.ts';
import { type Outcome, play } from './run.ts';
import { RunHash } from './run-hash.ts';
import { shrink } from './shrinking.ts';
import { Story } from './story.ts';
import { readToken, tokenOf } from './token.ts';

/** Which seeds a campaign runs, and when it ends. */
export interface CampaignOptions {
  /**
   * The number of seeds, counted from 1, or the first and the last seed. With 0, only the corpus is played. Default
   * 100.
   */
  readonly seeds?: number | readonly [from: number, to: number];
  /** Milliseconds after which no further seed is begun. Default: no limit. */
  readonly budgetMs?: number;
  /** Milliseconds for which a failure may be shrunk. Default 60,000. */
  readonly shrinkMs?: number;
  /** Tokens to play first. The campaign adds the token of each failure that it finds. */
  readonly corpus?: Corpus;
  /** One of this many seeds is run twice, to check that both runs are equal. Default 20; with 0 no seed is. */
  readonly twiceOneIn?: number;
  readonly progress?: (line: string) => void;
}

/** A property that did not hold: the seed, the shortest story and its token. */
export interface Failure {
  readonly violation: Violation;
  readonly token: string;
  readonly seed: number;
  /** The number of steps when the failure was found, and after shrinking. */
  readonly steps: { readonly found: number; readonly shrunk: number };
  readonly plan: Plan;
  readonly tries: number;
  readonly foundMs: number;
  readonly shrinkMs: number;
  /** The sentences of the story, numbered. */
  readonly story: readonly string[];
}

/** The report of a campaign: seeds, coverage and failures. */
export interface CampaignReport {
  readonly failure: Failure | undefined;
  readonly seeds: number;
  readonly turns: number;
  readonly starts: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly calls: Readonly<Record<string, number>>;
  readonly acked: number;
  readonly refused: number;
  /** States that were entered, by agent. */
  readonly covered: ReadonlySet<string>;
  /** Names of the `sometimes` properties that no run fulfilled. */
  readonly neverMet: readonly string[];
  /** Properties that tokens of the corpus violated earlier and violate no longer, with the code changes since. */
  readonly mended: readonly string[];
  /** Places where user code read the machine's clock or its random numbers. */
  readonly asked: readonly string[];
  /** A hash over every turn of every seed. Equal campaigns have equal hashes on every machine. */
  readonly hash: string;
  readonly elapsedMs: number;
  /** The whole report as text for people. */
  readonly text: string;
}

const SEEDS = 100;
const SHRINK_MS = 60_000;
const TWICE_ONE_IN = 20;
const PROGRESS_MS = 1_000;

/**
 * Runs a simulation with many seeds, and shrinks each failure to its shortest story. Rejects with BOSUN_CONFIG_INVALID
 * for an option that is unknown or wrong.
 */
export async function campaign<World>(
  simulation: Simulation<World>,
  options: CampaignOptions = {},
): Promise<CampaignReport> {
  checkCampaignOptions(options);
  const { seeds = SEEDS, budgetMs = Infinity, corpus, progress } = options;
  const [from, to] = typeof seeds === 'number' ? [1, seeds] : seeds;
  const tally = new Tally(simulation);
  for (const token of corpus?.tokens() ?? []) {
    const { plan, property, changed } = readToken(simulation, token);
    const failure = await tried(simulation, plan, { ...options, twiceOneIn: 0 }, tally);
    if (failure !== undefined) return tally.report(failure);
    tally.mended.push(changed === undefined ? property : `${property} (the token is stale: ${changed})`);
  }
  let toldMs = 0;
  for (let seed = from; seed <= to && tally.elapsedMs < budgetMs; seed++) {
    const plan = drawPlan(simulation, seed);
    const failure = await tried(simulation, plan, options, tally);
    if (failure !== undefined) {
      corpus?.add(failure);
      return tally.report(failure);
    }
    if (tally.elapsedMs - toldMs < PROGRESS_MS) continue;
    toldMs = tally.elapsedMs;
    progress?.(tally.line());
  }
  return tally.report(undefined);
}

/**
 * Runs a campaign in a test of any runner. Rejects with the whole report if a property fails or a `sometimes` is never
 * fulfilled.
 */
export async function assertHolds<World>(
  simulation: Simulation<World>,
  options: CampaignOptions = {},
): Promise<CampaignReport> {
  const report = await campaign(simulation, options);
  assert.ok(report.failure === undefined && report.neverMet.length === 0, report.text);
  return report;
}

/** Plays one token. If it still fails, the report has its failure with a story, without shrinking. */
export async function replay<World>(simulation: Simulation<World>, token: string): Promise<CampaignReport> {
  const { plan, changed } = readToken(simulation, token);
  const tally = new Tally(simulation, changed);
  const failure = await tried(simulation, plan, { shrinkMs: 0, twiceOneIn: 0 }, tally);
  return tally.report(failure);
}

async function tried<World>(
  simulation: Simulation<World>,
  plan: Plan,
  { shrinkMs = SHRINK_MS, twiceOneIn = TWICE_ONE_IN }: CampaignOptions,
  tally: Tally,
): Promise<Failure | undefined> {
  const outcome = await play(simulation, plan);
  tally.add(outcome);
  const isRunTwice = twiceOneIn > 0 && plan.seed % twiceOneIn === 0;
  const violation = outcome.violation ?? (isRunTwice ? await difference(simulation, plan, outcome) : undefined);
  if (violation === undefined) return undefined;
  const foundMs = tally.elapsedMs;
  const whole: Plan = { ...plan, steps: plan.steps.slice(0, violation.step + 1), fates: outcome.fates };
  const fails = async (candidate: Plan) => {
    const { violation: other } = await play(simulation, candidate);
    return other?.property === violation.property;
  };
  const isSame = shrinkMs > 0 && outcome.violation !== undefined && (await fails(whole));
  const isOver = () => tally.elapsedMs - foundMs > shrinkMs;
  const shrunk = isSame ? await shrink(whole, { fails, isOver }) : { plan, tries: 0 };
  const story = new Story();
  const last = await play(simulation, shrunk.plan, story);
  const final = last.violation ?? violation;
  return {
    violation: final,
    token: tokenOf(simulation, shrunk.plan, final.property),
    seed: plan.seed,
    steps: { found: plan.steps.length, shrunk: shrunk.plan.steps.length },
    plan: shrunk.plan,
    tries: shrunk.tries,
    foundMs,
    shrinkMs: tally.elapsedMs - foundMs,
    story: story.told(final),
  };
}

async function difference<World>(
  simulation: Simulation<World>,
  plan: Plan,
  { hash }: Outcome,
): Promise<Violation | undefined> {
  const again = await play(simulation, plan);
  if (again.hash === hash || (simulation.options.tolerates ?? []).includes('a seed does the same twice'))
    return undefined;
  const why = [...again.asked].join(', ') || 'something outside of context and world decides';
  const detail = `seed ${plan.seed}: ${why}`;
  return { property: 'a seed does the same twice', detail, atMs: 0, step: plan.steps.length };
}

class Tally {
  readonly #shape: Shape;
  readonly #changed: string | undefined;
  readonly #begunMs = systemClock.monotonicMs();
  readonly #faults = new Map<FaultKind, number>();
  readonly #calls = new Map<Fate['outcome'], number>();
  readonly #met = new Set<string>();
  readonly #covered = new Set<string>();
  readonly #asked = new Set<string>();
  /** Properties that tokens of the corpus violated earlier and violate no longer. */
  readonly mended: string[] = [];
  readonly #hash = new RunHash();
  #seeds = 0;
  #turns = 0;
  #starts = 0;
  #acked = 0;
  #refused = 0;

  constructor(shape: Shape, changed?: string) {
    this.#shape = shape;
    this.#changed = changed;
  }

  get elapsedMs(): number {
    return systemClock.monotonicMs() - this.#begunMs;
  }

  add({ hash, turns, starts, faults, calls, acked, refused, met, covered, asked }: Outcome): void {
    this.#hash.add(hash);
    this.#seeds += 1;
    this.#turns += turns;
    this.#starts += starts;
    this.#acked += acked;
    this.#refused += refused;
    for (const [kind, count] of faults) this.#faults.set(kind, (this.#faults.get(kind) ?? 0) + count);
    for (const [outcome, count] of calls) this.#calls.set(outcome, (this.#calls.get(outcome) ?? 0) + count);
    for (const name of met) this.#met.add(name);
    for (const state of covered) this.#covered.add(state);
    for (const place of asked) this.#asked.add(place);
  }

  line(): string {
    const rate = Math.round((this.#turns / this.elapsedMs) * 1_000);
    const faults = [...this.#faults].map(([kind, count]) => `${kind} ${count}`).join(', ') || 'none';
    return `${this.#seeds} seeds, ${this.#turns} turns (${rate}/s), faults: ${faults}`;
  }

  report(failure: Failure | undefined): CampaignReport {
    const neverMet = this.#shape.sometimes.filter((name) => !this.#met.has(name));
    const asked = [...this.#asked];
    const notes = [
      ...(this.#changed === undefined ? [] : [`the token is stale: ${this.#changed}`]),
      ...this.mended.map((property) => `in the corpus, and fails no longer: ${property}`),
      ...neverMet.map((name) => `never met: ${name}`),
      ...asked.map((place) => `answered from the virtual world: ${place}`),
      ...(this.#refused > this.#acked ? [`${this.#refused} sends were refused, ${this.#acked} acknowledged`] : []),
    ];
    const first = failure === undefined ? ['no property failed'] : failureText(failure);
    return {
      failure,
      seeds: this.#seeds,
      turns: this.#turns,
      starts: this.#starts,
      faults: Object.fromEntries(this.#faults),
      calls: Object.fromEntries(this.#calls),
      acked: this.#acked,
      refused: this.#refused,
      covered: this.#covered,
      neverMet,
      mended: this.mended,
      asked,
      hash: this.#hash.text,
      elapsedMs: this.elapsedMs,
      text: [...first, '', this.line(), ...notes].join('\n'),
    };
  }
}

function failureText({ violation, token, steps, seed, story }: Failure): string[] {
  const { property, detail, atMs } = violation;
  return [
    `does not hold: ${property}${detail === '' ? '' : `: ${detail}`} (after ${atMs / 1_000} s, seed ${seed})`,
    `replay(simulation, '${token}')`,
    `steps: ${steps.found} -> ${steps.shrunk}`,
    '',
    ...story,
  ];
}
