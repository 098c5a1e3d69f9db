/**
 * Runs one machine and one script under XState's createActor and under Bosun, and returns an observer's view of each.
 * `cycle` in a script is a kill and a restart if the run asks for it, and nothing otherwise.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AnyActor, type AnyStateMachine, createActor, type EventObject, SimulatedClock } from 'xstate';
import { z } from 'zod';
import { type ActorSnapshot } from '../../../../src/actors/world/actor-view.ts';
import { childIdOf } from '../../../../src/actors/model/address.ts';
import { type AnyAgent } from '../../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { levelStore } from '../../../../src/persistence/store/level-store.ts';
import { Shard } from '../../../../src/shard.ts';
import { LogLine } from '../../../../src/log.ts';
import { startTestSystem } from '../../../../src/testing/test-system.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { randomOf } from '../../chance.ts';

/** Writes a line for an actor: a received event, an action. */
export type Record = (actor: string, line: string) => void;

export interface Driver {
  send(event: EventObject): Promise<void>;
  advance(ms: number): Promise<void>;
  /** Waits until promises and observables of effects have reported. */
  settle(): Promise<void>;
  cycle(): Promise<void>;
}

export interface Scenario {
  readonly machine: (record: Record) => AnyStateMachine;
  /** Event types that the script sends. */
  readonly events?: readonly string[];
  readonly script: (driver: Driver) => Promise<void>;
}

export interface Outcome {
  readonly lines: readonly (readonly [actor: string, line: string])[];
  readonly emitted: readonly string[];
  readonly logged: readonly string[];
  readonly value: unknown;
  readonly context: unknown;
  readonly tags: readonly string[];
  readonly status: string;
  readonly output: unknown;
  readonly error: string | undefined;
  /** Children of an actor that has not ended. Of an ended one XState keeps stopped children, and Bosun removes them. */
  readonly children: readonly string[] | null;
}

const INPUT = { who: 'subject' };

export async function underCreateActor({ machine, script }: Scenario): Promise<Outcome> {
  const lines: [string, string][] = [];
  const emitted: string[] = [];
  const logged: string[] = [];
  const clock = new SimulatedClock();
  const logger = (...line: unknown[]) => void logged.push(JSON.stringify(line));
  const actor: AnyActor = createActor(
    machine((name, line) => lines.push([name, line])),
    { id: 'subject', clock, logger, input: INPUT },
  );
  actor.on('*', (event: EventObject) => emitted.push(JSON.stringify(event)));
  actor.subscribe({ error: () => {} });
  actor.start();
  await script({
    send: async (event) => actor.send(event),
    // One millisecond at a time, because SimulatedClock runs overdue timers only at the end of a step.
    advance: async (ms) => {
      for (let passed = 0; passed < ms; passed++) clock.increment(1);
    },
    settle: turnsOfTheLoop,
    cycle: async () => {},
  });
  const { value, context, tags, status, output, error, children } = actor.getSnapshot();
  const seen = { value, context, output, error };
  return {
    lines,
    emitted,
    logged,
    status,
    tags: [...tags].sort(),
    ...normalized(seen),
    children: status === 'active' ? Object.keys(children).sort() : null,
  };
}

/** The part of a hosted system that the runner uses. */
interface Host {
  readonly system: Shard;
  readonly logged: readonly (readonly unknown[])[];
  settle(): Promise<void>;
  advance(ms: number): Promise<void>;
  cycle(): Promise<void>;
  dispose(): Promise<void>;
}

/**
 * Runs a scenario on the faulty store; with `kill`, every cycle is a power cut right after the latest acknowledgement.
 */
export async function underBosun(scenario: Scenario, { kill }: { kill: boolean }): Promise<Outcome> {
  return hosted(scenario, async (agent, watch) => {
    const test = await startTestSystem({ agents: [agent] });
    watch(test.shard);
    return {
      get system() {
        return test.shard;
      },
      logged: test.logged,
      settle: () => test.settle(),
      advance: (ms) => test.advance(ms),
      cycle: async () => {
        if (!kill) return;
        await test.crash();
        await test.restart();
        watch(test.shard);
      },
      dispose: () => test.shard.stop(),
    };
  });
}

/**
 * Runs a scenario on LevelDB in a directory of its own. A cycle is a stop and a start, since one process cannot be two.
 */
export async function underBosunOnLevel(scenario: Scenario): Promise<Outcome> {
  const directory = await mkdtemp(join(tmpdir(), 'bosun-hosting-'));
  const clock = new VirtualClock();
  const logged: unknown[][] = [];
  const create = (agent: AnyAgent) =>
    new Shard({
      agents: [agent],
      store: levelStore(directory),
      clock,
      random: randomOf('a scenario on LevelDB'),
      log: (...line) => logged.push(line),
    });
  return hosted(scenario, async (agent, watch) => {
    let system = create(agent);
    watch(system);
    await system.start();
    const settle = () => settled(system);
    return {
      get system() {
        return system;
      },
      logged,
      settle,
      advance: (ms) => clock.advance(ms, settle),
      cycle: async () => {
        await system.stop();
        system = create(agent);
        watch(system);
        await system.start();
        await settle();
      },
      dispose: async () => {
        await system.stop();
        await rm(directory, { recursive: true });
      },
    };
  });
}

type Watch = (system: Shard) => void;

async function hosted(
  { machine, events = [], script }: Scenario,
  open: (agent: AnyAgent, watch: Watch) => Promise<Host>,
): Promise<Outcome> {
  const lines: [string, string][] = [];
  const emitted: string[] = [];
  const schemas = Object.fromEntries(events.map((type) => [type, z.looseObject({})]));
  const agent = defineAgent({
    name: 'subject',
    machine: machine((name, line) => lines.push([name, line])),
    events: schemas,
    records: { notes: {} },
  });
  let last: ActorSnapshot | undefined;
  const host = await open(agent, (system) => {
    system.onEmitted((address, event) => {
      if (address === 'subject') emitted.push(JSON.stringify(event));
    });
  });
  const follow = () => {
    if (host.system.snapshot('subject') !== undefined)
      host.system.actor('subject').subscribe((snapshot) => (last = snapshot));
  };
  // `temporary`: ended actors stay ended, as under createActor.
  await host.system.spawn(agent, 'subject', { restart: 'temporary', input: INPUT as never });
  follow();
  await script({
    send: (event) => host.system.send('subject', event),
    advance: (ms) => host.advance(ms),
    settle: () => host.settle(),
    cycle: async () => {
      await host.cycle();
      follow();
    },
  });
  await host.settle();
  const present = host.system.snapshot('subject');
  const { value, context, tags, status, output, error } = (present ?? last)!;
  const isOver = present === undefined;
  const children = isOver
    ? null
    : host.system
        .tree('subject')
        .children.map(({ address }) => childIdOf(address))
        .sort();
  await host.dispose();
  // The kernel's own report of a failure is not output of the machine.
  const own = host.logged.filter(([first]) => !(first instanceof LogLine));
  const logged = own.map((line) => JSON.stringify(line));
  return {
    lines,
    emitted,
    logged,
    status,
    tags: [...tags].sort(),
    ...normalized({ value, context, output, error }),
    children,
  };
}

async function settled(system: Shard): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    await system.idle();
  }
}

async function turnsOfTheLoop(): Promise<void> {
  for (let round = 0; round < 8; round++) await new Promise<void>((resolve) => setImmediate(resolve));
}

function normalized(seen: { value: unknown; context: unknown; output: unknown; error: unknown }) {
  const { value, error } = seen;
  const message = error === undefined ? undefined : String((error as Error).message);
  return { value, output: withoutReferences(seen.output), error: message, context: withoutReferences(seen.context) };
}

/** Replaces references, in either side's form, by the id of the child. */
function withoutReferences(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('sessionId' in value && 'send' in value) {
    const { address, id } = value as unknown as { address?: string; id: string };
    return `REF ${address === undefined ? id : childIdOf(address)}`;
  }
  if (Array.isArray(value)) return value.map(withoutReferences);
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, withoutReferences(item)]));
  if (value instanceof Set) return new Set([...value].map(withoutReferences));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutReferences(item)]));
}

/** The lines of each actor in order: equal for two outcomes that differ only in the order of actors. */
export function perActor({ lines, ...rest }: Outcome): object {
  const byActor = new Map<string, string[]>();
  for (const [actor, line] of lines) byActor.set(actor, [...(byActor.get(actor) ?? []), line]);
  return { ...rest, lines: Object.fromEntries([...byActor].sort(([a], [b]) => (a < b ? -1 : 1))) };
}
