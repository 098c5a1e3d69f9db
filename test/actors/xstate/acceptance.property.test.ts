/**
 * Random machines under misfortunes: what the system says is taken equals what XState's `can` says of the same state
 * value and context, on both step engines, after each kind of restart and return.
 */
import { type AnyStateMachine, type EventObject } from 'xstate';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { type ActorSnapshot } from '../../../src/actors/world/actor-view.ts';
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { randomOf } from '../../support/chance.ts';
import { byEffort, PATIENCE_MS } from '../../support/effort.ts';
import { build, FUEL_MAX } from '../../support/fuzz/build.ts';
import { randomMachine } from '../../support/fuzz/generator.ts';
import { EVENT_TYPES } from '../../support/fuzz/machine-spec.ts';
import { Recorder } from '../../support/fuzz/record.ts';

const SYSTEMS = byEffort({ quick: 10, ci: 100, soak: 3_000 });
const ROUNDS = 12;
/** Time in which a system that could not write has gone back to its last epoch, and writes again. */
const ROLLBACK_MS = 1_500;
const NAMES = ['m0', 'm1', 'm2'];

const schemas = Object.fromEntries(EVENT_TYPES.map((type) => [type, z.looseObject({})]));

/** Several random machines in one system; in every second system one of them at a time is in memory. */
class Trial {
  readonly #random: SeededRandom;
  readonly #machines: ReadonlyMap<string, AnyStateMachine>;
  readonly test: Promise<TestSystem>;
  #version = 1;
  /** Answers that were compared, by whether the event was taken. */
  readonly compared = { yes: 0, no: 0 };

  constructor(number: number, stepEngine: 'plan' | 'xstate') {
    // The machines are the same for both engines.
    this.#random = randomOf('what is taken', number);
    this.#machines = new Map(NAMES.map((at) => [at, build(randomMachine(this.#random), at, new Recorder())]));
    const children = NAMES.map((id) => ({
      id,
      agent: id,
      restart: 'transient' as const,
      resume: 'committed' as const,
      input: { me: id, fuel: FUEL_MAX },
    }));
    const tree = { intensity: 20, children };
    const resident = number % 2 === 0 ? {} : { residentActors: 1 };
    this.test = startTestSystem({ agents: this.#agents(), tree, stepEngine, caution: false, ...resident });
  }

  async round(): Promise<void> {
    const test = await this.test;
    // A machine that throws in every first step makes its Boss give up.
    if (!test.shard.clientApi.isRunning) return;
    for (const at of NAMES) {
      await test.settle();
      const view = test.shard.snapshot(at);
      if (!test.shard.clientApi.isRunning) return;
      if (view?.status !== 'active' || view.value === null) continue;
      const type = EVENT_TYPES[this.#random.integer(EVENT_TYPES.length)]!;
      const event = { type, v: this.#random.integer(5), ext: true };
      const expected = this.#can(at, view, event);
      const accepts = test.shard.clientApi.accepts(at);
      if (expected === true) expect(accepts, `${at} ${JSON.stringify(view.value)}`).toContain(type);
      const said = await test.shard.clientApi.deliverTaken(at, event).catch(() => undefined);
      if (said === undefined || expected === undefined) continue;
      expect([at, view.value, type, said]).toEqual([at, view.value, type, expected]);
      this.compared[said ? 'yes' : 'no'] += 1;
    }
    await this.#misfortune(test);
  }

  /** XState's own answer; undefined where a guard throws. */
  #can(at: string, { value, context }: ActorSnapshot, event: EventObject): boolean | undefined {
    try {
      return this.#machines
        .get(at)!
        .resolveState({ value: value as never, context })
        .can(event as never);
    } catch {
      return undefined;
    }
  }

  async #misfortune(test: TestSystem): Promise<void> {
    const at = NAMES[this.#random.integer(NAMES.length)]!;
    const what = this.#random.integer(5);
    if (what === 0) await test.shard.admin.kill(at, { by: 'me' }).catch(() => {});
    if (what === 1) await test.crash().then(() => test.restart());
    if (what === 2) {
      this.#version += 1;
      await test.crash();
      await test.restart({ agents: this.#agents() });
    }
    if (what === 3) {
      test.store.failWrites(1);
      const sent = test.shard.send(at, { type: 'A', v: 1, ext: true });
      sent.catch(() => {});
      await test.advance(ROLLBACK_MS);
    }
    await test.settle();
  }

  /** The agents, of the present version: each migrates what the version before has stored. */
  #agents(): AnyAgent[] {
    const version = this.#version;
    const migrate = version === 1 ? {} : { migrate: { [version]: (old: object) => old } };
    return [...this.#machines].map(([name, machine]) => ({
      ...defineAgent({ name, version, machine, events: {}, ...migrate } as never),
      // Hosts may also send events that no state handles, which defineAgent takes for a misspelling.
      events: schemas,
    }));
  }
}

describe('an event that a random machine takes', () => {
  beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}));
  afterEach(() => void vi.restoreAllMocks());

  it.each(['plan', 'xstate'] as const)(
    'is one that `can` says it takes, after kills, crashes, migrations, rollbacks, passivation, on the %s engine (S2)',
    async (engine) => {
      const compared = { yes: 0, no: 0 };
      for (let number = 0; number < SYSTEMS; number++) {
        const trial = new Trial(number, engine);
        for (let round = 0; round < ROUNDS; round++) await trial.round();
        await (await trial.test).shard.stop();
        compared.yes += trial.compared.yes;
        compared.no += trial.compared.no;
      }
      expect(compared.yes).toBeGreaterThan(0);
      expect(compared.no).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );
});
