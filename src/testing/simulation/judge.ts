/**
 * Asks the properties of a simulation, and those that every system has: after whatever became durable, and at the end.
 * The first that does not hold ends the run.
 */
import { messageOf } from '../../errors.ts';
import { disown, due } from '../../user-code.ts';
import { type Simulation } from './definition.ts';
import { type BuiltInProperty, type Model, type SentByClient, type View, type Violation } from './properties.ts';

/**
 * The most sends with an unknown outcome for which the model checks every combination of outcomes. With more, it checks
 * none.
 */
const MAYBES_MAX = 5;

/** The place of what a property gives. */
const HOLDS = 'its function';

export class Judge<World> {
  readonly #simulation: Simulation<World>;
  readonly #view: View<World>;
  readonly #tolerated: ReadonlySet<BuiltInProperty>;
  /** The time since when a `leadsTo` has been waiting, by property and key. */
  readonly #hot = new Map<string, number>();
  readonly met = new Set<string>();
  violation: Violation | undefined;
  step = 0;
  /** Whether a property reads the dead letters. If one does, the built-in property leaves them to it. */
  asksLetters = false;

  constructor(simulation: Simulation<World>, view: View<World>) {
    this.#simulation = simulation;
    this.#tolerated = new Set(simulation.options.tolerates ?? []);
    const judge = this as { asksLetters: boolean };
    // A copy would ask every getter now.
    this.#view = Object.create(view, {
      deadLetters: {
        value: () => {
          judge.asksLetters = true;
          return view.deadLetters();
        },
      },
    }) as View<World>;
  }

  /** Checks the properties after a write has become durable or time has passed. */
  observe(): void {
    if (this.violation !== undefined) return;
    for (const property of this.#simulation.options.properties ?? []) {
      switch (property.kind) {
        case 'always':
          this.#ask(property.name, () => property.holds(this.#view));
          break;
        case 'sometimes':
          if (!this.met.has(property.name)) this.#ask(property.name, () => this.#note(property));
          break;
        case 'leadsTo':
          this.#ask(property.name, () => this.#late(property));
          break;
        case 'finally':
          break;
      }
    }
  }

  /** Checks the properties that need an idle system. */
  atRest(): void {
    const { model } = this.#simulation.options;
    if (model !== undefined && this.violation === undefined) this.#ask('the model', () => this.#compare(model));
  }

  /** Checks the properties that hold at the end, after all faults are over and time has passed. */
  atEnd(): void {
    this.observe();
    for (const property of this.#simulation.options.properties ?? []) {
      if (property.kind === 'finally') this.#ask(property.name, () => property.holds(this.#view));
    }
    this.atRest();
  }

  /** Takes note of a fault, after which every `leadsTo` waits for its full time again. */
  disturbed(): void {
    this.#hot.clear();
  }

  /**
   * Checks a built-in property.
   *
   * @param detail Why it does not hold; undefined if it holds.
   */
  builtIn(property: BuiltInProperty, detail: string | undefined): void {
    if (detail !== undefined && !this.#tolerated.has(property)) this.#violated(property, detail);
  }

  #note({ name, holds }: { readonly name: string; readonly holds: (view: View<World>) => boolean }): void {
    if (due(holds(this.#view), HOLDS)) this.met.add(name);
  }

  #late(property: {
    readonly name: string;
    readonly when: (view: View<World>) => Iterable<string>;
    readonly then: (view: View<World>, key: string) => boolean;
    readonly withinMs: number;
  }): string | undefined {
    const { nowMs } = this.#view;
    for (const key of due(property.when(this.#view), 'its `when`')) {
      const name = `${property.name}\n${key}`;
      if (due(property.then(this.#view, key), 'its `then`')) this.#hot.delete(name);
      else {
        const sinceMs = this.#hot.get(name) ?? nowMs;
        this.#hot.set(name, sinceMs);
        if (nowMs - sinceMs > property.withinMs) return `${key} has waited for ${nowMs - sinceMs} ms`;
      }
    }
    return undefined;
  }

  #compare(model: Model<World>): string | boolean | undefined | void {
    const { acked, open } = this.#view;
    if (open.length > MAYBES_MAX) return undefined;
    const applied = (state: unknown, sent: SentByClient) => due(model.apply(state, sent), 'its `apply`');
    const sure = acked.reduce(applied, due(model.init(), 'its `init`'));
    let first: string | boolean | undefined | void;
    for (let choice = 0; choice < 2 ** open.length; choice++) {
      const taken: SentByClient[] = open.filter((_, index) => (choice & (1 << index)) !== 0);
      const verdict = due(model.check(taken.reduce(applied, sure), this.#view), 'its `check`');
      if (verdict === undefined || verdict === true) return undefined;
      if (choice === 0) first = verdict;
    }
    return first;
  }

  #ask(name: string, ask: () => boolean | string | undefined | void): void {
    let verdict: boolean | string | undefined | void;
    try {
      // A promise would count as a property that holds.
      verdict = due(ask(), HOLDS);
    } catch (error) {
      disown(error);
      verdict = `it threw: ${messageOf(error)}`;
    }
    if (verdict === false || typeof verdict === 'string') this.#violated(name, verdict === false ? '' : verdict);
  }

  #violated(property: string, detail: string): void {
    this.violation ??= { property, detail, atMs: this.#view.nowMs, step: this.step };
  }
}
