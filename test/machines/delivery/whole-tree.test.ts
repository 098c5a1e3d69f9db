/** Everything of all seeds in one system: its machines, its tree, and a question that goes through four phases. */
import { type AnyStateMachine, type AnyStateNode } from 'xstate';
import { afterEach, describe, expect, it } from 'vitest';
import { registryOf } from '../../../src/crew-agents.ts';
import { hubCrew } from '../../../src/crew-hub.ts';
import { answerCrew, crewOf } from '../../../src/crew-plan.ts';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { type BossOptions } from '../../../src/supervisor/child-spec.ts';
import { answering, PORT_QUESTION } from '../../support/machines/answer-room.ts';
import { SECOND_MS } from '../../support/machines/delivery-room.ts';
import { showsBy } from '../../support/shown-by.ts';

const delivery = answerCrew({ delivery: {}, ports: answering(98) });
const analysis = crewOf(
  { version: 1, plan: 'p', tasks: [{ id: 'read', agent: 'reader' }] },
  { reader: () => Promise.resolve(null) },
);
const hubs = hubCrew({ hasGates: true });
const registry = registryOf({});

const agents = new Map(
  [delivery, analysis, hubs, registry].flatMap((part) => part.agents.map((one) => [one.name, one])),
);

let test: TestSystem;
afterEach(() => test?.system.stop());

/** The states of a machine, as dotted paths. */
function statesOf({ states }: AnyStateNode, path = ''): string[] {
  return Object.entries(states).flatMap(([key, node]) => [
    `${path}${key}`,
    ...statesOf(node as AnyStateNode, `${path}${key}.`),
  ]);
}

describe('the machines', () => {
  it.each([
    ['ticket', 'ticket', 'open'],
    ['clarity review', 'ticket', 'in_review'],
    ['task', 'delivery-task', 'in_progress'],
    ['answer query', 'question', null],
    ['verification cycle', 'delivery-task', 'in_verification.mending'],
    ['stability timer', 'delivery-task', 'in_verification.settling'],
    ['pause', 'pause-manager', null],
    ['batch', 'batch', null],
    ['correlation group', 'failure-correlator', null],
    ['debate', 'debate', null],
    ['human gate', 'gate', null],
    ['alert card', 'alert-card', null],
    ['scheduler run', 'lead-coordinator', null],
    ['plan', 'work-plan', null],
    ['agent session', 'spoke', null],
    ['TDD cycle', 'hub', null],
  ])('CN-021: have one for a %s, which is %s', (_, name, state) => {
    const { machine } = agents.get(name) as AnyAgent & { readonly machine: AnyStateMachine };
    expect(machine.root.key).toBeTypeOf('string');
    if (state !== null) expect(statesOf(machine.root)).toContain(state);
    showsBy('crew');
  });
});

/** The part of a tree that is asked for: ids, with those below. */
type Shape = Readonly<Record<string, readonly string[]>>;

function shapeOf(children: NonNullable<BossOptions['children']>): Shape {
  return Object.fromEntries(
    children.map((child) => [
      child.id,
      'boss' in child ? (child.boss.children ?? []).map(({ id }: { readonly id: string }) => id) : [],
    ]),
  );
}

describe('the tree', () => {
  it('CN-022: has supervisors of delivery, analysis, plans and the registry below one Boss', async () => {
    showsBy('crew');
    const parts = [...delivery.tree.children!, ...hubs.tree.children!, ...registry.tree.children!];
    test = await startTestSystem({
      agents: [...delivery.agents, ...hubs.agents, ...registry.agents],
      tree: { children: parts },
    });
    const tree = test.shard.tree();
    const below = (id: string) =>
      tree.children.find(({ address }) => address === id)?.children.map(({ address }) => address.split('/').at(-1));
    expect(below('delivery')).toEqual(
      expect.arrayContaining([
        ...['orchestrator', 'planning', 'reviewers', 'builders', 'decomposition', 'verification'],
        ...['researcher', 'critic', 'scraper', 'updater'],
      ]),
    );
    // Questions and tickets serve other systems, too, and stand beside the delivery.
    const ids = tree.children.map(({ address }) => address);
    expect(ids).toEqual(
      expect.arrayContaining(['answers', 'open-questions', 'tickets', 'open-tickets', 'hubs', 'work-plans', 'agents']),
    );
    expect(Object.keys(shapeOf(analysis.tree.children!))).toEqual(
      expect.arrayContaining(['coordinator', 'pauses', 'batches', 'debates']),
    );
  });

  it('AT-059: answers through its four phases: core, triggers, retrieval, evolution', async () => {
    showsBy('crew');
    test = await startTestSystem({ agents: delivery.agents, tree: delivery.tree });
    const ask = (trigger: string) =>
      test.system.ask<{ status: string; sources: object[] }>('answers', {
        ...{ type: 'answers.ask', asker: trigger, trigger, maxWaitMs: 10_000 },
        bundle: { question: PORT_QUESTION, confidence_level: 50 },
      });
    for (const trigger of ['mcp_askQuestion', 'copilot_delegation_issue']) {
      const asked = ask(trigger);
      await test.advance(20 * SECOND_MS);
      expect(await asked).toMatchObject({ status: 'answered', sources: [expect.objectContaining({ type: 'code' })] });
    }
    expect(await test.system.ask('answers', { type: 'answers.review' })).toEqual({ proposals: [], isPaused: false });
  });
});
