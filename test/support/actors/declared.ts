/** A test system with one machine at the address "subject", whose agent declares options of its effects and actions. */
import { type AnyStateMachine } from 'xstate';
import { z } from 'zod';
import { type ActionOptions, type EffectOptions } from '../../../src/actors/model/effect-policy.ts';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';

export interface Declared extends Omit<Partial<TestSystemOptions>, 'effects'> {
  readonly effects?: Readonly<Record<string, EffectOptions>>;
  readonly actions?: Readonly<Record<string, ActionOptions>>;
  readonly events?: readonly string[];
  readonly restart?: 'permanent' | 'transient' | 'temporary';
}

export function declaredAgent(
  machine: AnyStateMachine,
  { effects = {}, actions = {}, events = [] }: Declared,
): AnyAgent {
  return defineAgent({
    name: 'subject',
    machine,
    events: Object.fromEntries(events.map((type) => [type, z.looseObject({})])),
    effects,
    actions,
  });
}

export function startDeclared(machine: AnyStateMachine, declared: Declared): Promise<TestSystem> {
  const { effects: _effects, actions: _actions, events: _events, restart = 'permanent', ...options } = declared;
  return startTestSystem({
    agents: [declaredAgent(machine, declared)],
    tree: { intensity: 100, children: [{ id: 'subject', agent: 'subject', restart }] },
    ...options,
  });
}

/** A backoff without jitter, so that tests can name the times. */
export const SECOND = { minMs: 1_000, maxMs: 60_000, factor: 2, jitter: 0 };
