/** The machines of the whole crew as a client of the gateway gets them. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { registryOf } from '../../../src/crew-agents.ts';
import { hubCrew } from '../../../src/crew-hub.ts';
import { answerCrew, crewOf } from '../../../src/crew-plan.ts';
import { type Chart } from '../../../src/gateway/charts/model.ts';
import { startTestSystem } from '../../../src/testing/test-system.ts';
import { GatewayTest, type MemoryClient } from '../../support/gateway/memory-client.ts';

const parts = [
  crewOf({ version: 1, plan: 'p', tasks: [{ id: 'read', agent: 'reader' }] }, { reader: () => new Promise(() => {}) }),
  answerCrew({ delivery: {} }),
  hubCrew({ hasGates: true }),
  registryOf({}),
];
const agents = [...new Map(parts.flatMap((part) => part.agents.map((one) => [one.name, one]))).values()];
const children = [...new Map(parts.flatMap((part) => part.tree.children!.map((one) => [one.id, one]))).values()];

let test: GatewayTest;
let client: MemoryClient;
beforeEach(async () => {
  test = new GatewayTest(await startTestSystem({ agents, tree: { children } }), {});
  client = await test.client();
});
afterEach(() => test.stop());

async function chartOf(name: string): Promise<Chart> {
  const { r } = await test.call(client, 'machine.get', { name });
  return (r as { readonly chart: Chart }).chart;
}

/** The states at the top of a machine. */
const statesOf = ({ states }: Chart) => states.filter(({ parent }) => parent === states[0]!.id).map(({ key }) => key);

it('DC-004: each is a machine, and so is every actor but the work of one', async () => {
  for (const { name } of agents) expect([name, (await chartOf(name)).states[0]?.parent]).toEqual([name, null]);
  const { r } = await test.call(client, 'actor.list', {});
  const { actors } = r as { readonly actors: readonly { readonly agent: string; readonly state: unknown }[] };
  const known = ['boss', ...agents.map(({ name }) => name)];
  // Work is a promise, which has no states.
  const others = actors.filter(({ agent }) => !known.includes(agent));
  expect(others).toMatchObject([{ agent: 'work', state: null }]);
  expect(new Set(actors.map(({ agent }) => agent)).size).toBeGreaterThan(15);
});

it('DC-004: a pause goes from RUNNING over PAUSING and PAUSED to RESUMING, and to RUNNING again', async () => {
  const { transitions } = await chartOf('pause-manager');
  const ways = new Set(transitions.flatMap(({ source, targets }) => targets.map((target) => `${source} -> ${target}`)));
  const at = (state: string) => `pause-manager.${state}`;
  const ring = ['RUNNING', 'PAUSING', 'PAUSED', 'RESUMING', 'RUNNING'].map(at);
  const steps = ring.slice(1).map((to, index) => `${ring[index]} -> ${to}`);
  expect([...ways]).toEqual(expect.arrayContaining(steps));
});

it('DC-004: a ticket and a debate have the states and levels of the mission', async () => {
  expect(statesOf(await chartOf('ticket'))).toEqual([
    ...['open', 'in_review', 'escalated', 'resolved', 'rejected', 'archived'],
  ]);
  expect(statesOf(await chartOf('debate'))).toEqual(
    expect.arrayContaining(['L1_direct', 'L2_facilitator', 'L3_human', 'L4_provisional', 'L5_gate_review']),
  );
});
