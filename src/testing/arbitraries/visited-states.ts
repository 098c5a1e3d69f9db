/**
 * The states that an agent has entered over all runs of a property, and the promises that it waited for. A property
 * holds of everything that never happens, so a test is told what never happened.
 */
import { type AnyStateMachine, type AnyStateNode } from 'xstate';
import { type RunningPromise } from '../../actors/world/effects/running-promises.ts';
import { type TraceRecord } from '../../actors/model/trace-record.ts';
import { nodesById } from '../../actors/xstate/machine-facts.ts';
import { BosunError } from '../../errors.ts';
import { didYouMean } from '../../near-names.ts';

/** Runs after which a property is told that the agent has not left its first states. */
const RUNS_ENOUGH = 25;

/** The states of an agent over all runs so far. States are named by their path: `paying.waiting`. */
export interface StateReport {
  readonly runs: number;
  /** States that were entered, and in how many runs. */
  readonly entered: Readonly<Record<string, number>>;
  readonly neverEntered: readonly string[];
  /** Promises under way at the end of a run, as agent and name (`order.charge`), and in how many runs. */
  readonly underWay: Readonly<Record<string, number>>;
}

export class VisitedStates {
  readonly #agent: string;
  readonly #nodes: ReadonlyMap<string, AnyStateNode>;
  #first: ReadonlySet<string> = new Set();
  readonly #entered = new Map<string, number>();
  readonly #underWay = new Map<string, number>();
  #runs = 0;
  /** States of the present run. */
  readonly #now = new Set<string>();
  #isTold = false;

  /** Use one for all runs of a property. */
  constructor(agent: { readonly name: string; readonly machine: AnyStateMachine }) {
    this.#agent = agent.name;
    this.#nodes = nodesById(agent.machine);
  }

  /** Throws BOSUN_CONFIG_INVALID for names that the machine does not have. */
  checkNames(names: readonly string[]): void {
    const known = this.#names();
    for (const name of names)
      if (!known.includes(name))
        throw new BosunError(
          'BOSUN_CONFIG_INVALID',
          `mustEnter: ${this.#agent} has no state "${name}"${didYouMean(name, known)}`,
        );
  }

  /** Adds the states of a turn of the agent, those passed through included. A birth shows the first states. */
  saw({ kind, value, microsteps }: Pick<TraceRecord, 'kind' | 'value' | 'microsteps'>): void {
    const now = namesIn(value);
    if (kind === 'spawn') this.#first = new Set(now);
    for (const name of now) this.#now.add(name);
    for (const { to } of microsteps.flat())
      for (const id of to)
        for (let node = this.#nodes.get(id); node?.parent !== undefined; node = node.parent)
          this.#now.add(node.path.join('.'));
  }

  /** Ends a run. */
  end(running: readonly RunningPromise[]): void {
    this.#runs += 1;
    for (const name of this.#now) count(this.#entered, name);
    this.#now.clear();
    for (const name of new Set(running.map(({ agent, src }) => `${agent}.${src}`))) count(this.#underWay, name);
  }

  get report(): StateReport {
    return {
      runs: this.#runs,
      entered: Object.fromEntries(this.#entered),
      neverEntered: this.#names().filter((name) => !this.#entered.has(name)),
      underWay: Object.fromEntries(this.#underWay),
    };
  }

  /** A sentence about an agent that has not left its first states; undefined if it has, or has no others. */
  get stuck(): string | undefined {
    const others = this.#names().filter((name) => !this.#first.has(name));
    if (others.length === 0 || others.some((name) => this.#entered.has(name))) return undefined;
    return this.#sentence(`never left its first states (${[...this.#first].join(', ')})`);
  }

  /** The same once enough runs have shown it, and then never again. */
  get stuckSoFar(): string | undefined {
    if (this.#isTold || this.#runs < RUNS_ENOUGH) return undefined;
    this.#isTold = true;
    return this.stuck;
  }

  /** A sentence about states that were never entered; undefined if there are none among `names`. */
  missed(names: readonly string[] = this.#names()): string | undefined {
    const missed = names.filter((name) => !this.#entered.has(name));
    return missed.length === 0 ? undefined : this.#sentence(`never entered ${missed.join(', ')}`);
  }

  #sentence(what: string): string {
    const waited = [...this.#underWay].map(([name, runs]) => `${name} in ${runs}`);
    const why = waited.length === 0 ? '' : `; promises were under way at the end: ${waited.join(', ')}`;
    return `${this.#agent} ${what} in ${this.#runs} runs${why}`;
  }

  #names(): string[] {
    const states = [...this.#nodes.values()].filter(({ parent, type }) => parent !== undefined && type !== 'history');
    return states.map(({ path }) => path.join('.'));
  }
}

/** The paths of the active states of a state value. */
function namesIn(value: unknown, above = ''): string[] {
  if (typeof value === 'string') return [`${above}${value}`];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => [`${above}${key}`, ...namesIn(below, `${above}${key}.`)]);
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
