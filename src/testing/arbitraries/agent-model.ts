/**
 * Model-based tests of an agent with fast-check: commands that send events, let time pass and cut the power, and a run
 * of them on a test system. The agent is compared with its machine under XState's `createActor`, which is never
 * interrupted: wherever the power was cut, the agent must be in the same state.
 */
import { deepStrictEqual } from 'node:assert/strict';
import { type Arbitrary, type AsyncCommand, type Parameters } from 'fast-check';
import { type Actor, type AnyActorLogic, type AnyStateMachine, createActor, type EventObject } from 'xstate';
import { type AgentEvents, type AgentInput, type AnyAgent, parseEvent } from '../../actors/model/agent.ts';
import { type ActorSnapshot } from '../../actors/world/actor-view.ts';
import { invokesOf, nodesById, staticActionsOf } from '../../actors/xstate/machine-facts.ts';
import { BosunError } from '../../errors.ts';
import {
  aCount,
  aFlag,
  aFunction,
  anObject,
  anything,
  aText,
  aTime,
  listOf,
  objectWith,
  type OptionRules,
  problemOfOptions,
} from '../../option-rules.ts';
import { type EffectStubs, type StubFacts } from '../test-effects.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions, warnIn } from '../test-system.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { eventArbitrary } from './event-arbitrary.ts';
import { type Fc } from './schema-arbitrary.ts';
import { type StateReport, VisitedStates } from './visited-states.ts';

/**
 * Options of `agentModel`.
 *
 * @typeParam World The model of the world outside.
 */
export interface AgentModelOptions<A extends AnyAgent, World = undefined> {
  /** Input of the machine. */
  readonly input?: AgentInput<A>;
  /** Events to send. Default: those of {@link eventArbitrary}. */
  readonly events?: Arbitrary<AgentEvents<A>>;
  /** The longest time that passes at once. Default 0: no time passes, and no timer fires. */
  readonly advanceMs?: number;
  /** Largest number of commands. Default 30. */
  readonly commandsMax?: number;
  /** Makes the model of the world outside, once a run; it survives power cuts. Default: none. */
  readonly world?: () => World;
  /** Stubs of effects by agent and name, as of a test system; functions also get the world of the run. */
  readonly effects?: WorldStubs<World>;
  /**
   * Whether state, context and status are compared with those of the machine under `createActor`. Default: true, but
   * false for a machine that invokes or spawns, because promises and other actors behave differently there.
   */
  readonly isCompared?: boolean;
  /**
   * Checks an invariant and throws if it does not hold. Called after every command except sends, and at the end. Needed
   * where nothing is compared.
   */
  readonly check?: (snapshot: ActorSnapshot, facts: CheckFacts<World>) => void | Promise<void>;
  /** States by path (`paying.waiting`) that at least one run must enter, for `assert` to resolve. Default: none. */
  readonly mustEnter?: readonly string[];
  /** Other agents, children and options of the system. The agent under test is the child `subject`. */
  readonly system?: Partial<TestSystemOptions>;
}

/** The facts of a run for `check`. */
export interface CheckFacts<World> {
  readonly world: World;
  readonly test: TestSystem;
}

/** Stubs of effects that may use the world of the run. */
export type WorldStubs<World> = Readonly<Record<string, WorldStub<World> | AnyActorLogic>>;

/** As a method, so that a test may say of which type the input is. */
type WorldStub<World> = { stub(input: unknown, facts: StubFacts & { readonly world: World }): unknown }['stub'];

/** The commands for an agent, and what runs them. */
export interface AgentModel {
  readonly commands: Arbitrary<Iterable<AgentCommand>>;
  /**
   * Starts a system, carries out the commands, and stops it. Rejects if a check fails: `fc.asyncProperty(commands,
   * run)`. Warns when the agent has not left its first states in the first 25 runs.
   */
  run(commands: Iterable<AgentCommand>): Promise<void>;
  /**
   * Runs the property as `fc.assert` does, with its parameters. Also rejects with BOSUN_PROPERTY_VACUOUS if the agent
   * never left its first states, or never entered a state of `mustEnter`; warns of other states never entered.
   */
  assert(parameters?: Parameters<[Iterable<AgentCommand>]>): Promise<StateReport>;
  /** The states of all runs so far. */
  readonly states: StateReport;
}

/** Address of the agent in the system under test. */
const SUBJECT = 'subject';

/** More turns than a run takes. */
const TURNS_MAX = 10_000;

/** The reference beside the agent: a machine under plain XState, or nothing. */
interface Reference {
  /** Whether the reference takes events. */
  readonly isActive: boolean;
  readonly snapshot: unknown;
  send(event: EventObject): void;
  advance(ms: number): Promise<void>;
}

/** The machine under `createActor`, without interruptions. */
class Uncut implements Reference {
  readonly #clock = new VirtualClock();
  readonly #actor: Actor<AnyStateMachine>;

  constructor(machine: AnyStateMachine, input: unknown) {
    const clock = {
      setTimeout: (fire: () => void, ms: number) => this.#clock.setTimeout(fire, ms),
      clearTimeout: (cancel: () => void) => cancel(),
    };
    this.#actor = createActor(machine, { clock, input });
    // Without an observer, XState throws the error globally.
    this.#actor.subscribe({ error: () => {} });
    this.#actor.start();
  }

  get isActive(): boolean {
    return this.#actor.getSnapshot().status === 'active';
  }

  get snapshot(): unknown {
    return this.#actor.getSnapshot();
  }

  send(event: EventObject): void {
    this.#actor.send(event);
  }

  advance(ms: number): Promise<void> {
    return this.#clock.advance(ms, () => Promise.resolve());
  }
}

/** The reference of an agent that is not compared: its effects must not run a second time. */
const NOTHING: Reference = {
  isActive: true,
  snapshot: undefined,
  send() {},
  advance: () => Promise.resolve(),
};

/** The agent under test. */
interface Subject {
  readonly test: TestSystem;
  compare(reference: Reference): Promise<void>;
  /** Cuts the power and starts again. */
  cut(): Promise<void>;
  end(): Promise<void>;
}

export type AgentCommand = AsyncCommand<Reference, Subject>;

/**
 * Makes fast-check commands that drive an agent beside plain XState, over crashes, and compare the two.
 *
 * @param fc The module `fast-check`, as the test imports it.
 * @throws BOSUN_CONFIG_INVALID for an option that is unknown or wrong, for an agent that declares no events, and where
 * nothing would be checked.
 */
export function agentModel<A extends AnyAgent, World = undefined>(
  fc: Fc,
  agent: A,
  options: AgentModelOptions<A, World> = {},
): AgentModel {
  refuse(problemOfOptions(options, MODEL_RULES));
  const { events = eventArbitrary(fc, agent), advanceMs = 0, commandsMax = 30, input, mustEnter = [] } = options;
  const isCompared = isComparedBy(agent, options);
  const visited = new VisitedStates(agent);
  visited.checkNames(mustEnter);
  const commands = fc.commands<Reference, Subject, false>(
    [
      events.map((event) => sendCommand(agent, event as EventObject)),
      fc.constant(cutCommand()),
      ...(advanceMs > 0 ? [fc.integer({ min: 1, max: advanceMs }).map(advanceCommand)] : []),
    ],
    { maxCommands: commandsMax },
  );
  const run = async (given: Iterable<AgentCommand>): Promise<void> => {
    const model = isCompared ? new Uncut(agent.machine, input) : NOTHING;
    const subject = await startSubject(agent, { ...options, isCompared }, visited);
    try {
      await fc.asyncModelRun(() => ({ model, real: subject }), given);
      await subject.compare(model);
    } finally {
      await subject.end();
    }
    const stuck = visited.stuckSoFar;
    if (stuck !== undefined) warnIn(options.system ?? {}, `test: ${stuck}`);
  };
  return {
    commands,
    run,
    get states() {
      return visited.report;
    },
    async assert(parameters) {
      await fc.assert(fc.asyncProperty(commands, run), parameters);
      const vacuous = visited.stuck ?? visited.missed(mustEnter);
      if (vacuous !== undefined) throw new BosunError('BOSUN_PROPERTY_VACUOUS', `the property holds, but ${vacuous}`);
      const missed = visited.missed();
      if (missed !== undefined) warnIn(options.system ?? {}, `test: the property holds, but ${missed}`);
      return visited.report;
    },
  };
}

const MODEL_RULES: OptionRules<AgentModelOptions<AnyAgent>> = {
  input: anything,
  events: objectWith('an arbitrary of fast-check', 'generate'),
  advanceMs: aTime,
  commandsMax: aCount,
  world: aFunction,
  effects: anObject,
  isCompared: aFlag,
  check: aFunction,
  mustEnter: listOf(aText),
  system: anObject,
};

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new BosunError('BOSUN_CONFIG_INVALID', `agentModel: ${problem}`);
}

/** Whether the agent is compared with plain XState. Refuses options by which nothing would be checked. */
function isComparedBy<World>(
  { name, machine }: AnyAgent,
  { isCompared, check }: Pick<AgentModelOptions<AnyAgent, World>, 'isCompared' | 'check'>,
): boolean {
  const isSettled = isCompared ?? !hasChildren(machine);
  if (isSettled || check !== undefined) return isSettled;
  const why =
    isCompared === false ? 'isCompared is false' : `${name} invokes or spawns, and is not compared with XState`;
  throw new BosunError('BOSUN_CONFIG_INVALID', `agentModel: ${why}: give \`check\`, a condition that always holds`);
}

function hasChildren(machine: AnyStateMachine): boolean {
  const invokes = [...nodesById(machine).values()].some((node) => invokesOf(node).length > 0);
  return invokes || staticActionsOf(machine).some(({ type }) => type === 'xstate.spawnChild');
}

async function startSubject<A extends AnyAgent, World>(
  agent: A,
  options: AgentModelOptions<A, World>,
  visited: VisitedStates,
): Promise<Subject> {
  const { input, isCompared = true, check, system = {} } = options;
  const { agents = [], tree, ...rest } = system;
  const world = options.world?.() as World;
  const own = { id: SUBJECT, agent: agent.name, restart: 'transient' as const, ...(input !== undefined && { input }) };
  const test = await startTestSystem({
    ...rest,
    effects: { ...rest.effects, ...stubsIn(options.effects ?? {}, world) },
    agents: [agent, ...agents],
    tree: { ...tree, children: [...(tree?.children ?? []), own] },
  });
  /** Adds the turns since the last start, which a power cut forgets. */
  const look = () => {
    const { records } = test.shard.clientApi.turnsBehind(0, SUBJECT, TURNS_MAX);
    for (const record of records) if (record.address === SUBJECT) visited.saw(record);
  };
  return {
    test,
    async compare(reference) {
      await test.settle();
      // An actor that has ended is forgotten at the next start.
      if ((!isCompared || !reference.isActive) && test.shard.snapshot(SUBJECT) === undefined) return;
      const snapshot = test.shard.actor(SUBJECT).snapshot();
      if (isCompared) deepStrictEqual(partOf(snapshot), partOf(reference.snapshot as ActorSnapshot));
      await check?.(snapshot, { world, test });
    },
    async cut() {
      look();
      await test.crash();
      await test.restart();
    },
    async end() {
      if (test.shard.clientApi.isRunning) {
        look();
        visited.end(test.shard.clientApi.runningPromises());
      }
      await test.shard.stop();
    },
  };
}

/** The stubs of a run, which know its world. */
function stubsIn<World>(effects: WorldStubs<World>, world: World): EffectStubs {
  return Object.fromEntries(
    Object.entries(effects).map(([name, stub]) => [
      name,
      typeof stub === 'function' ? (input: unknown, facts: StubFacts) => stub(input, { ...facts, world }) : stub,
    ]),
  );
}

function partOf({ status, value, context }: Pick<ActorSnapshot, 'value' | 'context'> & { readonly status: string }) {
  return { status, value, context };
}

/**
 * Sends an event. The send is acknowledged, but the agent may not have processed the event when the next command comes.
 */
function sendCommand(agent: AnyAgent, event: EventObject): AgentCommand {
  return {
    check: ({ isActive }) => isActive,
    async run(reference, { test }) {
      reference.send(parseEvent(agent, event));
      // An agent that is not compared may have ended by itself.
      if (reference === NOTHING && test.shard.snapshot(SUBJECT)?.status !== 'active') return;
      await test.shard.send(SUBJECT, event);
    },
    toString: () => `send ${JSON.stringify(event)}`,
  };
}

function advanceCommand(ms: number): AgentCommand {
  return {
    check: () => true,
    async run(model, subject) {
      await model.advance(ms);
      await subject.test.advance(ms);
      await subject.compare(model);
    },
    toString: () => `let ${ms} ms pass`,
  };
}

function cutCommand(): AgentCommand {
  return {
    check: () => true,
    async run(model, subject) {
      await subject.cut();
      await subject.compare(model);
    },
    toString: () => 'cut the power and start again',
  };
}
