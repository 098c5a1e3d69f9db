/**
 * Model-based tests of an agent with fast-check: commands that send events, let time pass and cut the power, and a run
 * of them on a test system. The agent is compared with its machine under XState's `createActor`, which is never
 * interrupted: wherever the power was cut, the agent must be in the same state.
 */
import { deepStrictEqual } from 'node:assert/strict';
import { type Arbitrary, type AsyncCommand } from 'fast-check';
import { type Actor, type AnyStateMachine, createActor, type EventObject } from 'xstate';
import { type AgentEvents, type AgentInput, type AnyAgent, parseEvent } from '../../actors/model/agent.ts';
import { type ActorSnapshot } from '../../actors/world/actor-view.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../test-system.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { eventArbitrary } from './event-arbitrary.ts';
import { type Fc } from './schema-arbitrary.ts';

/** Options of `agentModel`. */
export interface AgentModelOptions<A extends AnyAgent> {
  /** Input of the machine. */
  readonly input?: AgentInput<A>;
  /** Events to send. Default: those of {@link eventArbitrary}. */
  readonly events?: Arbitrary<AgentEvents<A>>;
  /** The longest time that passes at once. Default 0: no time passes, and no timer fires. */
  readonly advanceMs?: number;
  /** Largest number of commands. Default 30. */
  readonly commandsMax?: number;
  /**
   * Whether state, context and status are compared with those of the machine under `createActor`. Default true. Set to
   * false for an agent that waits for other actors or for promises, which behave differently there.
   */
  readonly isCompared?: boolean;
  /** Checks an invariant and throws if it does not hold. Called after every command except sends, and at the end. */
  readonly check?: (snapshot: ActorSnapshot, test: TestSystem) => void | Promise<void>;
  /** Other agents, children and options of the system. The agent under test is the child `subject`. */
  readonly system?: Partial<TestSystemOptions>;
}

/** The commands for an agent, and the function that runs them: `fc.assert(fc.asyncProperty(commands, run))`. */
export interface AgentModel {
  readonly commands: Arbitrary<Iterable<AgentCommand>>;
  /** Starts a system, carries out the commands, and stops it. Rejects if a check fails. */
  run(commands: Iterable<AgentCommand>): Promise<void>;
}

/** Address of the agent in the system under test. */
const SUBJECT = 'subject';

/** The model: the machine under `createActor`, without interruptions. */
class Uncut {
  readonly clock = new VirtualClock();
  readonly actor: Actor<AnyStateMachine>;

  constructor(machine: AnyStateMachine, input: unknown) {
    const clock = {
      setTimeout: (fire: () => void, ms: number) => this.clock.setTimeout(fire, ms),
      clearTimeout: (cancel: () => void) => cancel(),
    };
    this.actor = createActor(machine, { clock, input });
    // Without an observer, XState throws the error globally.
    this.actor.subscribe({ error: () => {} });
    this.actor.start();
  }

  get isActive(): boolean {
    return this.actor.getSnapshot().status === 'active';
  }

  advance(ms: number): Promise<void> {
    return this.clock.advance(ms, () => Promise.resolve());
  }
}

/** The agent under test. */
interface Subject {
  readonly test: TestSystem;
  compare(model: Uncut): Promise<void>;
}

export type AgentCommand = AsyncCommand<Uncut, Subject>;

/**
 * Makes fast-check commands that drive an agent beside plain XState, over crashes, and compare the two.
 *
 * @param fc The module `fast-check`, as the test imports it.
 */
export function agentModel<A extends AnyAgent>(fc: Fc, agent: A, options: AgentModelOptions<A> = {}): AgentModel {
  const { events = eventArbitrary(fc, agent), advanceMs = 0, commandsMax = 30, input } = options;
  const commands = fc.commands<Uncut, Subject, false>(
    [
      events.map((event) => sendCommand(agent, event as EventObject)),
      fc.constant(cutCommand()),
      ...(advanceMs > 0 ? [fc.integer({ min: 1, max: advanceMs }).map(advanceCommand)] : []),
    ],
    { maxCommands: commandsMax },
  );
  return {
    commands,
    async run(given) {
      const model = new Uncut(agent.machine, input);
      const subject = await startSubject(agent, options);
      try {
        await fc.asyncModelRun(() => ({ model, real: subject }), given);
        await subject.compare(model);
      } finally {
        await subject.test.shard.stop();
      }
    },
  };
}

async function startSubject<A extends AnyAgent>(agent: A, options: AgentModelOptions<A>): Promise<Subject> {
  const { input, isCompared = true, check, system = {} } = options;
  const { agents = [], tree, ...rest } = system;
  const own = { id: SUBJECT, agent: agent.name, restart: 'transient' as const, ...(input !== undefined && { input }) };
  const test = await startTestSystem({
    ...rest,
    agents: [agent, ...agents],
    tree: { ...tree, children: [...(tree?.children ?? []), own] },
  });
  return {
    test,
    async compare(model) {
      await test.settle();
      // An actor that has ended is forgotten at the next start.
      if (!model.isActive && test.shard.snapshot(SUBJECT) === undefined) return;
      const snapshot = test.shard.actor(SUBJECT).snapshot();
      if (isCompared) deepStrictEqual(partOf(snapshot), partOf(model.actor.getSnapshot()));
      await check?.(snapshot, test);
    },
  };
}

function partOf({ status, value, context }: Pick<ActorSnapshot, 'value' | 'context'> & { readonly status: string }) {
  return { status, value, context };
}

/**
 * Sends an event. The send is acknowledged, but the agent may not have processed the event when the next command comes.
 */
function sendCommand(agent: AnyAgent, event: EventObject): AgentCommand {
  return {
    check: (model) => model.isActive,
    async run(model, { test }) {
      model.actor.send(parseEvent(agent, event));
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
      await subject.test.crash();
      await subject.test.restart();
      await subject.compare(model);
    },
    toString: () => 'cut the power and start again',
  };
}
