/**
 * A system whose host dies once, at one point of a story told in steps, and is started again. Orders in progress
 * continue as their senders outside would continue them: an order that was not written is given again, a written one is
 * not. An answer that died with the host is taken from the undisturbed story, since the system that would give it is
 * the same.
 */
import { TestSystem, type TestSystemOptions } from '../../../../src/testing/test-system.ts';
import { failing } from './cast.ts';
import { TwoWorkers } from '../../../supervisor/otp/two-workers.cases.ts';

/**
 * The moment of the host's death: never, after every step, after one of them (from 1), or at one write of the store
 * (from 1), which is lost after all effects of earlier writes have left.
 */
export type Cut = 'never' | 'after every step' | { readonly afterStep: number } | { readonly atWrite: number };

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

/** Answers of the undisturbed story to its orders, in order. */
export type Answers = (Outcome<unknown> | undefined)[];

export class MortalHost {
  readonly test: TestSystem;
  readonly answers: Answers = [];
  steps = 0;
  /** Options that replace those of the next start. */
  changes: Partial<TestSystemOptions> = {};
  readonly #cut: Cut;
  readonly #undisturbed: Answers;
  #die = (): void => {};
  readonly #dead: Promise<void>;
  #isDead = false;
  #revival: Promise<void> | undefined;
  #orders = 0;

  /** @param hasWorkers Whether the system is spread over two workers. */
  constructor(options: TestSystemOptions, cut: Cut, undisturbed: Answers = [], hasWorkers = false) {
    this.test = hasWorkers ? (new TwoWorkers(options) as object as TestSystem) : new TestSystem(options);
    this.#cut = cut;
    this.#undisturbed = undisturbed;
    this.#dead = new Promise(
      (resolve) =>
        (this.#die = () => {
          this.#isDead = true;
          resolve();
        }),
    );
    this.#countWrites();
  }

  start(): Promise<void> {
    return this.step(() =>
      this.#survive(
        () => this.test.shard.start().then(() => {}),
        () => Promise.resolve(),
      ),
    );
  }

  /** Takes one step of the story to its end. A failed step does not count, and no crash follows it. */
  async step<T>(take: () => Promise<T>): Promise<T> {
    const result = await take();
    await this.settle();
    this.steps += 1;
    const cut = this.#cut;
    if (cut === 'after every step' || (typeof cut === 'object' && 'afterStep' in cut && cut.afterStep === this.steps))
      await this.#crash();
    return result;
  }

  send(address: string, event: { readonly type: string; readonly text?: string }): Promise<void> {
    const send = () => this.test.shard.send(address, event);
    return this.#survive(send, send);
  }

  /** @param give Gives the order; called again if the order was lost. */
  async order<T>(give: () => Promise<T>): Promise<T> {
    const index = this.#orders++;
    const outcome = await asOutcome(() =>
      this.#survive(give, (isLost) => (isLost ? give() : this.#answerOf<T>(index))),
    );
    this.answers[index] = outcome;
    return unwrapped(outcome);
  }

  /** Lets everything happen that can without time passing. */
  settle(): Promise<void> {
    const settle = () => this.test.settle();
    return this.#survive(settle, settle);
  }

  advance(ms: number): Promise<void> {
    const untilMs = this.test.clock.wallMs() + ms;
    const advance = () => this.test.advance(untilMs - this.test.clock.wallMs());
    return this.#survive(advance, advance);
  }

  /** Deploys the next version of the code on the same store. Rejects an invalid one. */
  async replace(changes: Partial<TestSystemOptions>): Promise<void> {
    this.changes = changes;
    const restart = async () => {
      await this.test.shard.stop();
      await this.test.restart(changes);
    };
    await this.#survive(restart, () => Promise.resolve());
  }

  async #crash(): Promise<void> {
    await this.test.crash();
    await this.test.restart(this.changes);
  }

  /** @param goOn After the next start of a host that died meanwhile; `isLost`: what was done is not on disk. */
  async #survive<T>(act: () => Promise<T>, goOn: (isLost: boolean) => Promise<T>): Promise<T> {
    if (this.#revival !== undefined) return act();
    const begun = failing.writes;
    let outcome: Outcome<T> | undefined;
    const acted = asOutcome(act).then((found) => void (outcome = found));
    await Promise.race([acted, this.#dead]);
    if (this.#isDead) await (this.#revival ??= this.#revive());
    return outcome === undefined ? goOn(begun === (this.#cut as { atWrite: number }).atWrite - 1) : unwrapped(outcome);
  }

  async #revive(): Promise<void> {
    // Outputs of durable epochs are released first.
    for (let n = 0; n < 3; n++) await new Promise<void>((resolve) => this.test.clock.defer(resolve));
    failing.lose((this.#cut as { atWrite: number }).atWrite);
    await this.#crash();
  }

  async #answerOf<T>(index: number): Promise<T> {
    await this.test.settle();
    const outcome = this.#undisturbed[index] as Outcome<T> | undefined;
    return outcome === undefined ? new Promise<T>(() => {}) : unwrapped(outcome);
  }

  #countWrites(): void {
    const { store } = this.test;
    const write = store.write.bind(store);
    store.write = (batch, how) => {
      failing.writes += 1;
      const isCut = typeof this.#cut === 'object' && 'atWrite' in this.#cut && this.#cut.atWrite === failing.writes;
      if (isCut && this.#revival === undefined) void store.hold('before').reached.then(this.#die);
      return write(batch, how);
    };
  }
}

function asOutcome<T>(act: () => Promise<T>): Promise<Outcome<T>> {
  return act().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

function unwrapped<T>(outcome: Outcome<T>): T {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
