/** A test system with one machine at the address "subject". */
import { type AnyStateMachine } from 'xstate';
import { z } from 'zod';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';

/** An agent that takes the named event types from outside, with any fields. */
export function agentOf(name: string, machine: AnyStateMachine, events: readonly string[] = []): AnyAgent {
  return defineAgent({ name, machine, events: Object.fromEntries(events.map((type) => [type, z.looseObject({})])) });
}

export interface SubjectOptions extends Partial<TestSystemOptions> {
  readonly events?: readonly string[];
  readonly input?: unknown;
  /** Default `permanent`. */
  readonly restart?: 'permanent' | 'transient' | 'temporary';
  readonly resume?: 'committed' | 'initial';
  /** Restarts allowed to the root Boss. Default: more than any test needs. */
  readonly intensity?: number;
}

export async function startSubject(machine: AnyStateMachine, options: SubjectOptions = {}): Promise<TestSystem> {
  const { events, input, restart = 'permanent', resume = 'committed', intensity = 100, agents = [], ...rest } = options;
  return startTestSystem({
    agents: [agentOf('subject', machine, events), ...agents],
    tree: { intensity, children: [{ id: 'subject', agent: 'subject', restart, resume, input }] },
    ...rest,
  });
}

/** Sends an event to the subject and waits until everything that follows has happened. */
export async function tell(test: TestSystem, type: string, fields: object = {}): Promise<void> {
  await test.shard.send('subject', { type, ...fields });
  await test.settle();
}

export function contextOf(test: TestSystem, address = 'subject'): unknown {
  return test.shard.snapshot(address)?.context;
}

export function valueOf(test: TestSystem, address = 'subject'): unknown {
  return test.shard.snapshot(address)?.value;
}
