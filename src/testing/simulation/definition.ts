/**
 * The definition of a simulation with every default filled in, and the facts derived from it before the first run: the
 * events that each actor accepts, the delays of the machines, and hashes by which a later run detects changes.
 */
import { type AnyStateMachine, type EventObject } from 'xstate';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { nodesById, structuralHash } from '../../actors/xstate/machine-facts.ts';
import { BosunError } from '../../errors.ts';
import { type SystemOptions } from '../../system-options.ts';
import { type SeededRandom } from '../seeded-random.ts';
import { drawValue } from './drawn-values.ts';
import { type FaultProfile } from './faults.ts';
import { type EffectModel } from './outside.ts';
import { type ClientSend } from './plan.ts';
import { type BuiltInProperty, type Model, type Property } from './properties.ts';
import { checkSimulationOptions } from './simulation-rules.ts';
import { Stubs } from '../stubs.ts';

/** The options of a system, made anew at each start of a process. */
export interface SimulatedSystem
  extends Omit<SystemOptions, 'store' | 'clock' | 'random' | 'turnOrder' | 'log' | 'agents'> {
  readonly agents: readonly AnyAgent[];
  /** The number of workers over which the system is spread. Default 1: it is not spread. */
  readonly workers?: number;
}

/** Functions that the model of the outside world can call. */
export interface WorldFacts {
  /** Milliseconds since the beginning of the run. */
  nowMs(): number;
  /** Adds a line to the story. */
  say(line: string): void;
}

/** Functions that client models can call. */
export interface ClientTools {
  readonly chance: SeededRandom;
  /** Addresses and agents of the static children. */
  readonly actors: readonly { readonly address: string; readonly agent: string }[];
  /** Draws an event of a type from the agent's schema. Without a type: of any type that the agent declares. */
  draw(agent: string, type?: string): EventObject;
}

/** Options of `simulation`. */
export interface SimulationOptions<World = unknown> {
  /** Makes the system at every start of a process. Values that it keeps in variables are lost with the process. */
  readonly system: (world: World, facts: { readonly actors: number }) => SimulatedSystem;
  /** Makes the model of the outside world, once per run; it survives crashes. Default: no model. */
  readonly world?: (facts: WorldFacts) => World;
  /** Models of invoked promises and custom actions, by agent and name (`order.charge`). */
  readonly effects?: Readonly<Record<string, EffectModel<World>>>;
  /**
   * The events that clients send in one step, all at once. Default: an event from its schemas to one of the static
   * children.
   */
  readonly clients?: (tools: ClientTools) => readonly ClientSend[];
  /** How often each kind of fault occurs. Default `default`. */
  readonly faults?: FaultProfile;
  /** Largest number of steps of a run. Default 60. */
  readonly steps?: number;
  /** The number of actors, passed to `system`. Default 3. */
  readonly actors?: number;
  /**
   * Durations by which one step may advance time, in milliseconds. Default: the delays of the machines, and a few round
   * numbers.
   */
  readonly times?: readonly number[];
  /** Milliseconds without faults at the end, before `finally_` properties are checked. Default: ten minutes. */
  readonly healMs?: number;
  readonly properties?: readonly Property<World>[];
  readonly model?: Model<World>;
  /** Built-in properties that are not checked for this system. */
  readonly tolerates?: readonly BuiltInProperty[];
}

/** The parts of a simulation that determine its plans and tokens. */
export interface Shape {
  readonly clients: SimulationOptions['clients'];
  /** Names of the `sometimes` properties that a campaign must fulfil. */
  readonly sometimes: readonly string[];
  readonly steps: number;
  readonly actors: number;
  readonly healMs: number;
  readonly faults: FaultProfile;
  readonly workers: number;
  readonly times: readonly number[];
  readonly targets: ClientTools['actors'];
  /** Short hashes of the machines' structures, by agent. */
  readonly hashes: Readonly<Record<string, string>>;
  draw(agent: string, type: string | undefined, chance: SeededRandom): EventObject;
}

/** A checked simulation, with everything that one run needs. */
export interface Simulation<World = unknown> extends Shape {
  readonly options: SimulationOptions<World>;
  readonly stubs: Stubs;
}

const STEPS = 60;
const ACTORS = 3;
const HEAL_MS = 600_000;
const TIMES_MS = [1, 10, 100, 1_000, 5_000, 60_000];

/**
 * Defines the simulation of a user's system for `campaign`, `assertHolds` and `replay`.
 *
 * @throws BOSUN_CONFIG_INVALID for an option that is unknown or wrong, for a system without an actor that takes events,
 * and for an effect that no machine has.
 */
export function simulation<World = undefined>(options: SimulationOptions<World>): Simulation<World> {
  checkSimulationOptions(options);
  const { actors = ACTORS, steps = STEPS, healMs = HEAL_MS, faults = 'default' } = options;
  const world = options.world?.({ nowMs: () => 0, say: () => {} }) as World;
  const { agents, tree, workers = 1 } = options.system(world, { actors });
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  const targets = childrenIn(tree).filter(({ agent }) => Object.keys(byName.get(agent)?.events ?? {}).length > 0);
  if (targets.length === 0 && options.clients === undefined)
    throw new BosunError('BOSUN_CONFIG_INVALID', 'no static child takes events from outside: give `clients`');
  const stubs = new Stubs(new Map(Object.keys(options.effects ?? {}).map((key) => [key, null])));
  stubs.in(agents);
  return {
    options,
    stubs,
    clients: options.clients,
    sometimes: (options.properties ?? []).flatMap(({ kind, name }) => (kind === 'sometimes' ? name : [])),
    steps,
    actors,
    healMs,
    faults,
    workers,
    targets,
    times: options.times ?? [...new Set([...TIMES_MS, ...agents.flatMap(({ machine }) => delaysIn(machine))])],
    hashes: Object.fromEntries(agents.map(({ name, machine }) => [name, structuralHash(machine).slice(0, 6)])),
    draw(agent, type, chance) {
      const events = byName.get(agent)?.events ?? {};
      const chosen = type ?? chance.pick(Object.keys(events));
      const schema = events[chosen];
      if (schema === undefined)
        throw new BosunError('BOSUN_CONFIG_INVALID', `agent "${agent}" declares no event ${JSON.stringify(chosen)}`);
      return { ...(drawValue(schema, chance) as object), type: chosen };
    },
  };
}

interface Declared {
  readonly id: string;
  readonly agent?: string;
  readonly boss?: unknown;
  readonly children?: readonly Declared[];
}

/** Static children that are agents, including those of Bosses below the root. */
function childrenIn(tree: unknown, above = ''): { address: string; agent: string }[] {
  const children = (tree as { children?: readonly Declared[] } | undefined)?.children ?? [];
  return children.flatMap((child) => {
    const address = above === '' ? child.id : `${above}/${child.id}`;
    if (child.agent !== undefined) return [{ address, agent: child.agent }];
    return childrenIn(child.boss ?? child, address);
  });
}

/** Durations of the machine's `after` delays, and one millisecond less for each. */
function delaysIn(machine: AnyStateMachine): number[] {
  const after = [...nodesById(machine).values()].flatMap((node) => node.after);
  const named = Object.values(machine.implementations.delays as Record<string, unknown>);
  const delays = [...after.map(({ delay }) => delay), ...named];
  return delays.filter((ms) => typeof ms === 'number' && ms > 0 && ms < Infinity).flatMap((ms) => [ms as number]);
}
