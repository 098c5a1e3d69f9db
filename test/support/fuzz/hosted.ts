/**
 * Random machines on the kernel, many in one system: one epoch carries a step of each. `observe` is the only place that
 * knows which engine takes the steps; give another Subject to hold another engine against the same truth.
 */
import { type EventObject } from 'xstate';
import { z } from 'zod';
import { type ActorSnapshot } from '../../../src/actors/world/actor-view.ts';
import { type Agent } from '../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { PlanEngine } from '../../../src/actors/xstate/plan-engine.ts';
import { XstateEngine } from '../../../src/actors/xstate/xstate-engine.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { build, FUEL_MAX } from './build.ts';
import { EVENT_TYPES, type MachineSpec } from './machine-spec.ts';
import { Recorder } from './record.ts';
import { type View, viewOf } from './view.ts';

/** What is under test. */
export interface Subject {
  start(options: TestSystemOptions): Promise<TestSystem>;
  /** Has every event told that an actor is given, right before its turn. Returns how to end that. */
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

/** As it is by default. */
export const kernel = subject('plan');
/** With XState taking every step. */
export const kernelOnXstate = subject('xstate');

/**
 * `settled`: when all is quiet. `acknowledged`: when the events are durable, whatever they cause being under way.
 * `durable`: when the epoch is on the medium and its outputs are not out. `lost`: before it is; the events are sent
 * again.
 */
export type Cut = 'settled' | 'acknowledged' | 'durable' | 'lost';

const schemas = Object.fromEntries(EVENT_TYPES.map((type) => [type, z.looseObject({})]));

export class Hosted {
  readonly #subject: Subject;
  readonly #agents = new Map<string, Agent>();
  readonly recorders = new Map<string, Recorder>();
  /** The last that was seen of each root, which is removed when it ends. */
  readonly #last = new Map<string, ActorSnapshot>();
  #test!: TestSystem;
  #unobserve: () => void = () => {};

  constructor(subject: Subject, specs: ReadonlyMap<string, MachineSpec>) {
    this.#subject = subject;
    for (const [name, spec] of specs) {
      const recorder = new Recorder();
      this.recorders.set(name, recorder);
      // Hosts may also send what no state handles, which defineAgent takes for a misspelling.
      this.#agents.set(name, {
        ...defineAgent({ name, machine: build(spec, name, recorder), events: {} }),
        events: schemas,
      });
    }
  }

  async start(): Promise<void> {
    this.#unobserve = this.#subject.observe((address, event) => {
      this.recorders
        .get(rootOf(address))
        ?.note(address, 'received', `${event.type} ${(event as { v?: number }).v ?? ''}`);
    });
    const log = (...line: unknown[]) => this.#log(line);
    this.#test = await this.#subject.start({ agents: [...this.#agents.values()], log });
    this.#watch();
    const births = [...this.#agents].map(([name, agent]) => this.#spawn(agent, name));
    await Promise.all(births);
    await this.#test.settle();
  }

  async stop(): Promise<void> {
    await this.#test.system.stop();
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
      for (const sent of this.#sends(events)) sent.catch(() => {});
      await held.reached;
    }
    await this.#test.crash();
    await this.#test.restart();
    this.#watch();
    this.#follow();
    if (cut === 'lost') await this.send(events);
  }

  async advance(ms: number): Promise<void> {
    await this.#test.advance(ms);
  }

  /** All actors by path; a root that has ended as it was seen last. */
  views(): Map<string, View> {
    const views = new Map<string, View>();
    const { system } = this.#test;
    type Node = ReturnType<typeof system.tree>;
    const visit = ({ address, children }: Node): void => {
      const view = viewOf(system.snapshot(address)!);
      views.set(decodeURIComponent(address), view);
      if (view.status === 'active') children.forEach(visit);
    };
    system.tree().children.forEach(visit);
    for (const [name, snapshot] of this.#last) if (!views.has(name)) views.set(name, viewOf(snapshot));
    return views;
  }

  #sends(events: ReadonlyMap<string, EventObject>): Promise<void>[] {
    return [...events].map(([name, event]) => this.#test.system.send(name, event));
  }

  async #spawn(agent: Agent, name: string): Promise<void> {
    // `temporary`: what ends stays ended, as under createActor.
    const spawned = this.#test.system.spawn(agent, name, { restart: 'temporary', input: { me: name, fuel: FUEL_MAX } });
    await spawned.catch(() => {});
    this.#followOne(name);
  }

  #follow(): void {
    for (const name of this.#agents.keys()) this.#followOne(name);
  }

  #followOne(name: string): void {
    if (this.#test.system.snapshot(name) === undefined) return;
    this.#test.system.actor(name).subscribe((snapshot) => void this.#last.set(name, snapshot));
  }

  #watch(): void {
    this.#test.system.onEmitted((address, event) => {
      const { at, n } = event as unknown as { at: string; n: number };
      this.recorders.get(rootOf(address))?.note(decodeURIComponent(address), 'emitted', `${at} ${n}`);
    });
  }

  #log(line: readonly unknown[]): void {
    const value = line.at(-1) as { me: string; line: string } | string;
    // Reports of the runtime are for people.
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
