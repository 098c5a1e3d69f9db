/**
 * Random machines on the kernel, many in one system: one epoch contains a step of each. Only `observe` knows which
 * engine takes the steps; another Subject compares another engine with the same reference.
 */
import { type RecordPage } from '../../../src/actors/api/record-pages.ts';
import { type EventObject } from 'xstate';
import { z } from 'zod';
import { type ActorSnapshot } from '../../../src/actors/world/actor-view.ts';
import { type Agent } from '../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { PlanEngine } from '../../../src/actors/xstate/plan-engine.ts';
import { XstateEngine } from '../../../src/actors/xstate/xstate-engine.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { build, FUEL_MAX } from './build.ts';
import { emittedLine, receivedLine, recordText } from './holding.ts';
import { RECORDS_READ_MAX } from '../../../src/limits.ts';
import { EVENT_TYPES, type MachineSpec, RECORD_NAMES } from './machine-spec.ts';
import { Recorder } from './record.ts';
import { strictViewOf, type View, viewOf } from './view.ts';

/** The engine under test. */
export interface Subject {
  start(options: TestSystemOptions): Promise<TestSystem>;
  /** Reports every event that an actor is given, right before its turn. Returns how to stop that. */
  observe(received: (address: string, event: EventObject) => void): () => void;
}

/** The kernel with one of its engines. */
function subject(stepEngine: 'plan' | 'xstate'): Subject {
  const { prototype } = stepEngine === 'plan' ? PlanEngine : XstateEngine;
  return {
    start: (options) => startTestSystem({ ...options, stepEngine }),
    observe(received) {
      const { transition } = prototype;
      prototype.transition = function (this: never, definition, self, snapshot, event) {
        received(self.address, event);
        return transition.call(this, definition, self, snapshot, event);
      };
      return () => {
        prototype.transition = transition;
      };
    },
  };
}

/** The kernel with its default engine. */
export const kernel = subject('plan');
/** The kernel with XState taking every step. */
export const kernelOnXstate = subject('xstate');

/**
 * The moment of a power cut. `settled`: when all is quiet. `acknowledged`: when the events are durable, with their
 * effects under way. `durable`: when the epoch is on the medium and its outputs are not released. `lost`: before it is
 * durable; the events are sent again.
 */
export type Cut = 'settled' | 'acknowledged' | 'durable' | 'lost';

/** The texts of all actors by path, before a power cut and after the next start. */
export interface Recovery {
  readonly before: ReadonlyMap<string, string>;
  readonly after: ReadonlyMap<string, string>;
}

const schemas = Object.fromEntries(EVENT_TYPES.map((type) => [type, z.looseObject({})]));

export class Hosted {
  readonly #subject: Subject;
  readonly #agents = new Map<string, Agent>();
  readonly recorders = new Map<string, Recorder>();
  /** The last snapshot of each root, which is removed when it ends. */
  readonly #last = new Map<string, ActorSnapshot>();
  #test!: TestSystem;
  /** All actors right before and after the last power cut in which nothing was under way. */
  recovery: Recovery = { before: new Map(), after: new Map() };
  #unobserve: () => void = () => {};

  constructor(subject: Subject, specs: ReadonlyMap<string, MachineSpec>) {
    this.#subject = subject;
    for (const [name, spec] of specs) {
      const recorder = new Recorder();
      this.recorders.set(name, recorder);
      // Hosts may also send events that no state handles, which defineAgent takes for a misspelling.
      this.#agents.set(name, {
        ...defineAgent({
          name,
          machine: build(spec, name, recorder),
          events: {},
          records: { plain: {}, keyed: { keys: { by: 'by' } } },
        }),
        events: schemas,
      });
    }
  }

  async start(): Promise<void> {
    this.#unobserve = this.#subject.observe((address, event) => {
      this.recorders.get(rootOf(address))?.note(address, 'received', receivedLine(event));
    });
    const log = (...line: unknown[]) => this.#log(line);
    this.#test = await this.#subject.start({ agents: [...this.#agents.values()], log });
    this.#watch();
    const births = [...this.#agents].map(([name, agent]) => this.#spawn(agent, name));
    await Promise.all(births);
    await this.#test.settle();
  }

  async stop(): Promise<void> {
    await this.#test.shard.stop();
    this.#unobserve();
  }

  async send(events: ReadonlyMap<string, EventObject>): Promise<void> {
    await Promise.all(this.#sends(events));
    await this.#test.settle();
  }

  async sendAndCut(events: ReadonlyMap<string, EventObject>, cut: Cut): Promise<void> {
    const { store } = this.#test;
    if (cut === 'settled') await this.send(events);
    else if (cut === 'acknowledged') await Promise.all(this.#sends(events));
    else if (events.size > 0) {
      const held = store.hold(cut === 'durable' ? 'durable' : 'before');
      // Events that change nothing are acknowledged without a write.
      await Promise.race([held.reached, Promise.allSettled(this.#sends(events))]);
    }
    const before = cut === 'settled' ? this.#strictTexts() : undefined;
    await this.#test.crash();
    await this.#test.restart();
    if (before !== undefined) this.recovery = { before, after: this.#strictTexts() };
    this.#watch();
    this.#follow();
    if (cut === 'lost') await this.send(events);
  }

  async advance(ms: number): Promise<void> {
    await this.#test.advance(ms);
  }

  /** All actors by path; an ended root as it was last seen. */
  views(): Map<string, View> {
    const views = new Map<string, View>();
    this.#visit((path, snapshot) => {
      const view = viewOf(snapshot);
      views.set(path, view);
      return view.status === 'active';
    });
    for (const [name, snapshot] of this.#last) if (!views.has(name)) views.set(name, viewOf(snapshot));
    return views;
  }

  /** The records of a root so far, by their name, those of an ended one too. */
  async records(name: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const read = new Map<string, readonly string[]>();
    for (const kind of RECORD_NAMES) {
      const all: string[] = [];
      for (let after: number | null = 0; after !== null; ) {
        const page: RecordPage = await this.#test.shard.records.list(name, kind, { after, limit: RECORDS_READ_MAX });
        all.push(...page.records.map(({ value }) => recordText(value as object)));
        after = page.next;
      }
      read.set(kind, all);
    }
    return read;
  }

  /** The result of a root that has ended, in the words of a snapshot; undefined if there is none. */
  async resultOf(name: string): Promise<Pick<View, 'status' | 'output' | 'error'> | undefined> {
    const result = await this.#test.shard.results.at(name);
    if (result === undefined) return undefined;
    const { output, error } = result;
    const view = viewOf({ status: result.status === 'failed' ? 'error' : result.status, output, error });
    return { status: view.status, output: view.output, error: view.error };
  }

  #strictTexts(): Map<string, string> {
    const texts = new Map<string, string>();
    this.#visit((path, { status, value, context, tags, output, error }) => {
      texts.set(path, strictViewOf({ status, value, context, tags, output, error }));
      return true;
    });
    return texts;
  }

  /** Shows all actors, parents first, and the children of those for which `show` returns true. */
  #visit(show: (path: string, snapshot: ActorSnapshot) => boolean): void {
    const { shard: system } = this.#test;
    type Node = ReturnType<typeof system.tree>;
    const visit = ({ address, children }: Node): void => {
      if (show(decodeURIComponent(address), system.snapshot(address)!)) children.forEach(visit);
    };
    system.tree().children.forEach(visit);
  }

  #sends(events: ReadonlyMap<string, EventObject>): Promise<void>[] {
    return [...events].map(([name, event]) => this.#test.shard.send(name, event));
  }

  async #spawn(agent: Agent, name: string): Promise<void> {
    // `temporary`: ended actors stay ended, as under createActor.
    const spawned = this.#test.shard.spawn(agent, name, { restart: 'temporary', input: { me: name, fuel: FUEL_MAX } });
    await spawned.catch(() => {});
    this.#followOne(name);
  }

  #follow(): void {
    for (const name of this.#agents.keys()) this.#followOne(name);
  }

  #followOne(name: string): void {
    if (this.#test.shard.snapshot(name) === undefined) return;
    this.#test.shard.actor(name).subscribe((snapshot) => void this.#last.set(name, snapshot));
  }

  #watch(): void {
    this.#test.shard.onEmitted((address, event) => {
      const line = emittedLine(event as unknown as { at: string; n: number });
      this.recorders.get(rootOf(address))?.note(decodeURIComponent(address), 'emitted', line);
    });
  }

  #log(line: readonly unknown[]): void {
    const value = line.at(-1) as { me: string; line: string } | string;
    // Text lines are reports of the runtime for people.
    if (typeof value === 'string') return;
    this.recorders
      .get(rootOf(value.me))
      ?.note(value.me, 'log', line.length > 1 ? `${String(line[0])} ${value.line}` : value.line);
  }
}

function rootOf(address: string): string {
  const end = address.indexOf('/');
  return end === -1 ? address : address.slice(0, end);
}
