/** Misuse that does not compile, each beside the correct use. */
import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../src/actors/api/define-agent.ts';
import { type AnyAgent } from '../src/actors/model/agent.ts';
import { gateAgents } from '../src/machines/people/gates/gate-desk.ts';
import { memoryStore } from '../src/persistence/store/memory-store.ts';
import { type BossOptions } from '../src/supervisor/child-spec.ts';
import { createSystem, type System } from '../src/system.ts';

const machine = setup({
  types: {} as {
    context: { balance: number };
    events: { type: 'deposit'; amount: number; note?: string } | { type: 'close' };
    input: { balance: number };
  },
}).createMachine({
  context: ({ input }) => ({ balance: input.balance }),
  on: { deposit: { actions: assign({ balance: ({ context, event }) => context.balance + event.amount }) }, close: {} },
});
const deposit = z.object({ amount: z.number(), note: z.string().optional() });
const account = defineAgent({ name: 'account', machine, events: { deposit, close: z.object({}) } });
const clock = defineAgent({ name: 'clock', machine: setup({}).createMachine({ on: { tick: {} } }), events: {} });

/** Compiled, never run. */
function schemas(): void {
  defineAgent({ name: 'a', machine, events: { deposit: deposit.extend({ note: z.string() }) } });
  defineAgent({
    name: 'a',
    machine,
    events: { deposit: z.strictObject({ type: z.literal('deposit'), amount: z.int() }) },
  });
  // @ts-expect-error a field of another type
  defineAgent({ name: 'a', machine, events: { deposit: z.object({ amount: z.string() }) } });
  // @ts-expect-error a field that is missing
  defineAgent({ name: 'a', machine, events: { deposit: z.object({}) } });
  // @ts-expect-error a field that may be missing
  defineAgent({ name: 'a', machine, events: { deposit: z.object({ amount: z.number().optional() }) } });
  // @ts-expect-error an event that the machine does not have
  defineAgent({ name: 'a', machine, events: { withdraw: z.object({ amount: z.number() }) } });
  // @ts-expect-error events left out
  defineAgent({ name: 'a', machine });
  // @ts-expect-error a misspelt key
  defineAgent({ name: 'a', machine, events: {}, prioritys: {} });
}

/** Compiled, never run. */
async function inputs(system: System<typeof account | typeof clock>, spread: System): Promise<void> {
  await system.spawn(account, 'a', { input: { balance: 1 } });
  await system.spawn(clock, 'c');
  // @ts-expect-error input left out, with the options
  await system.spawn(account, 'a');
  // @ts-expect-error input left out
  await system.spawn(account, 'a', { restart: 'permanent' });
  // @ts-expect-error input of another type
  await system.spawn(account, 'a', { input: { balance: '1' } });
  // @ts-expect-error input left out, over workers
  await spread.spawn(account, 'a');
}

const [agents, store] = [[account, clock], memoryStore()] as const;

/** Compiled, never run. */
function trees(written: BossOptions, loose: readonly AnyAgent[]): void {
  const child = { id: 'a', agent: 'account', input: { balance: 1 } } as const;
  createSystem({ agents, store, tree: { children: [child, { id: 'c', agent: 'clock' }] } });
  createSystem({ agents, store, tree: { children: [{ id: 'b', boss: { children: [child] } }] } });
  createSystem({ agents, store, tree: { strategy: 'dynamic', template: { agent: 'account' } } });
  // Options that are assembled from parts are left to the check at run time.
  createSystem({ agents, store, tree: { children: ['a', 'b'].map((id) => ({ id, agent: 'clock' })) } });
  createSystem({ agents, store, tree: written });
  createSystem({ agents: loose, store, tree: { children: [{ id: 'a', agent: 'anything' }] } });
  createSystem({ agents, resolveAgent: () => loose[0], store, tree: { children: [{ id: 'a', agent: 'anything' }] } });
  // @ts-expect-error an unknown agent
  createSystem({ agents, store, tree: { children: [{ id: 'a', agent: 'acount' }] } });
  const stranger = { id: 'a', agent: 'acount' } as const;
  // @ts-expect-error an unknown agent below another Boss
  createSystem({ agents, store, tree: { children: [{ id: 'b', boss: { children: [stranger] } }] } });
  // @ts-expect-error an unknown agent beside the desk of gates
  createSystem({ agents: [account, ...gateAgents], store, tree: { children: [stranger] } });
  createSystem({ agents: [clock, ...gateAgents], store, tree: { children: [{ id: 'g', agent: 'gate-desk' }] } });
  // @ts-expect-error an unknown agent of a template
  createSystem({ agents, store, tree: { strategy: 'dynamic', template: { agent: 'acount' } } });
  // @ts-expect-error input left out
  createSystem({ agents, store, tree: { children: [{ id: 'a', agent: 'account' }] } });
  // @ts-expect-error input of another type
  createSystem({ agents, store, tree: { children: [{ id: 'a', agent: 'account', input: { balance: '1' } }] } });
}

/** Compiled, never run. */
function systems(): void {
  const one: System<typeof account | typeof clock> = createSystem({ agents, store });
  const spread: System = createSystem({ workers: { count: 2, module: 'file:///a.js', directory: 'd' } });
  // @ts-expect-error store left out
  createSystem({ agents });
  // @ts-expect-error agents left out
  createSystem({ store });
  // @ts-expect-error a misspelt key
  createSystem({ agents, store, durabilty: 'disk' });
  // @ts-expect-error agents belong into the module that workers load
  createSystem({ agents, workers: { count: 2, module: 'file:///a.js', directory: 'd' } });
  // @ts-expect-error workers without a directory
  createSystem({ workers: { count: 2, module: 'file:///a.js' } });
  void [one, spread];
}

describe('misuse against the types', () => {
  it('does not compile: a schema that does not match its event, missing input, an unknown agent, no store (N6)', () => {
    for (const compiled of [schemas, inputs, trees, systems]) expect(compiled).toBeTypeOf('function');
  });
});
