/**
 * Stand-ins for agents of the crew. Each takes exactly the events of its original, read from the original's machine, so
 * that no test can rely on a message that the real agent would drop.
 */
import { type AnyEventObject, assign, setup } from 'xstate';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';

/** A map with one transition for every event that the original takes. */
export function onAllOf<Transition>({ machine }: AnyAgent, transition: Transition): Record<string, Transition> {
  return Object.fromEntries(machine.events.map((type: string) => [type, transition]));
}

/** An agent that records its messages. */
export function recorderOf(original: AnyAgent, name = `recorder:${original.name}`): AnyAgent {
  const recorder = setup({
    types: {} as { context: { told: readonly AnyEventObject[] }; events: AnyEventObject },
    actions: { keep: assign(({ context, event }) => ({ told: [...context.told, event] })) },
  }).createMachine({ context: { told: [] }, on: onAllOf(original, { actions: 'keep' as const }) });
  return defineAgent({ name, machine: recorder, events: {} });
}
