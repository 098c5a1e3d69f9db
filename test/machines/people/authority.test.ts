/** Permissions at the desks, through the whole crew: only people who may answer a question can end it in other ways. */
import { describe, expect, it } from 'vitest';
import { type AnyActorRef, type AnyEventObject, assign, enqueueActions, setup } from 'xstate';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { workOf } from '../../../src/crew-work.ts';
import { coordinatorChildren, crewAgentsFor, deskChildren } from '../../../src/machines/crew.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { type OrderReply, TAKEN } from '../../../src/machines/rules/turn.ts';
import { stageAgent } from '../../../src/machines/work/stage.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { CHALLENGE } from '../../support/machines/debate-room.ts';
import { startMachines } from '../../support/machines/machines-under-test.ts';
import { startWholeCrew, WholeCrew } from '../../support/machines/whole-crew.ts';

const HOUR_MS = 60 * 60_000;

/** An item that waits for ada at a gate, and is printed after it. */
async function atGate(): Promise<{ crew: WholeCrew; gate: string; printed: () => boolean }> {
  const runs: string[] = [];
  const work =
    (name: string): AgentFunction =>
    async () =>
      void runs.push(name);
  const gate = { name: 'legal', title: 'May we print it?', audience: ['ada'], deadlineMs: HOUR_MS, remindAfterMs: [] };
  const stages = { draft: { agent: 'draft', gate }, print: { agent: 'print', after: ['draft'] } };
  const crew = await startWholeCrew(planOf({ stages, items: ['A'] }), { draft: work('draft'), print: work('print') });
  return { crew, gate: crew.gates()[0]!.id, printed: () => runs.includes('print') };
}

const refusal = (problem: string) => ({ taken: false, problems: [problem] });
const STRANGER = refusal('by: mallory is not among those asked');

/** Stands for a desk of a host: opens a gate under the id that the plan uses next. */
const squatter = defineAgent({
  name: 'squatter',
  machine: setup({ types: {} as { context: { closed: number } } }).createMachine({
    context: { closed: 0 },
    entry: enqueueActions(({ enqueue, self, system }) => {
      const question = {
        kind: 'x',
        title: 'Lunch?',
        package: null,
        audience: ['*'],
        form: { type: 'object' },
        deadlineMs: null,
      };
      const event = { type: 'gate.open', id: 'plan.legal.1', ...question, askedBy: self };
      for (const _ of ['asked', 'asked again'])
        enqueue.sendTo(system.get('gates') as AnyActorRef, event as AnyEventObject);
    }),
    on: { 'gate.closed': { actions: assign({ closed: ({ context }) => context.closed + 1 }) } },
  }),
  events: {},
  internal: ['gate.closed'],
});

/** A crew whose item reaches its gate while another desk has a gate of that id. */
async function squatted(): Promise<WholeCrew> {
  const gate = { name: 'legal', title: 'May we print it?', audience: ['ada'], deadlineMs: HOUR_MS, remindAfterMs: [] };
  const stages = { draft: { agent: 'draft', gate }, print: { agent: 'print', after: ['draft'] } };
  const plan = planOf({ stages, items: ['A'] });
  const draft = stageAgent(
    'draft',
    workOf(() => Promise.resolve(), { clock: new VirtualClock() }),
  );
  const print = stageAgent(
    'print',
    workOf(() => Promise.resolve(), { clock: new VirtualClock() }),
  );
  const children = [...deskChildren(), { id: 'squatter', agent: squatter.name }, ...coordinatorChildren(plan)];
  const agents = [...crewAgentsFor(), draft, print, squatter];
  return new WholeCrew(await startMachines({ agents, tree: { children } }), []);
}

describe('a gate that its desk refuses to ask', () => {
  it('pauses the item that waits for it, and is asked again when the item is resumed', async () => {
    const crew = await squatted();
    expect(crew.gates().map(({ id, title }) => [id, title])).toEqual([['plan.legal.1', 'Lunch?']]);
    expect(crew.item('A')).toMatchObject({ phase: 'paused', reason: 'Gate legal could not be asked' });
    await crew.powerCut();
    expect(await crew.ask('coordinator', { type: 'plan.resume', item: 'A' })).toEqual(TAKEN);
    expect(crew.gates().at(-1)).toMatchObject({ id: 'plan.legal.2', title: 'May we print it?', audience: ['ada'] });
    const answer = { type: 'gate.answer', by: 'ada', answer: { decision: 'approve' } };
    await crew.ask('gates', { ...answer, gate: 'plan.legal.1' });
    expect(crew.item('A').done).toEqual(['A/draft']);
    await crew.ask('gates', { ...answer, gate: 'plan.legal.2' });
    expect(crew.state()).toBe('completed');
  });

  it('is not said to be over to the agent that has it open already', async () => {
    const crew = await squatted();
    expect(crew.test.shard.snapshot('squatter')!.context).toEqual({ closed: 0 });
  });
});

describe('a gate', () => {
  it('is withdrawn or extended only by people who may answer it (D2)', async () => {
    const { crew, gate } = await atGate();
    expect(await crew.ask('gates', { type: 'gate.withdraw', gate, by: 'mallory' })).toEqual(STRANGER);
    expect(await crew.ask('gates', { type: 'gate.extend', gate, by: 'mallory', byMs: 1 })).toEqual(STRANGER);
    expect(crew.gates()).toMatchObject([{ phase: 'open', lastOrder: null }]);
    expect(await crew.ask('gates', { type: 'gate.extend', gate, by: 'ada', byMs: 1 })).toEqual(TAKEN);
    expect(crew.gates()).toMatchObject([{ lastOrder: { type: 'gate.extend', by: 'ada' } }]);
  });

  it('refuses a withdrawal without a name, and any recall that comes from a client (D2)', async () => {
    const { crew, gate } = await atGate();
    const ask = (event: { type: string; gate: string }) => crew.test.shard.ask('gates', event);
    await expect(ask({ type: 'gate.withdraw', gate })).rejects.toThrow(/by/);
    await expect(ask({ type: 'gate.recall', gate })).rejects.toThrow(/does not accept "gate.recall"/);
  });

  it('is not passed by a withdrawal: its item is paused, and reaches the gate again on resume (D2)', async () => {
    const { crew, gate, printed } = await atGate();
    expect(await crew.ask('gates', { type: 'gate.withdraw', gate, by: 'ada' })).toEqual(TAKEN);
    await crew.powerCut();
    expect(crew.item('A')).toMatchObject({ phase: 'paused', reason: 'Gate legal was withdrawn by ada' });
    expect(crew.item('A').gates!['legal']).toMatchObject({ state: 'withdrawn', answeredAfterMs: null });
    expect(await crew.ask('coordinator', { type: 'plan.resume', item: 'A' })).toEqual(TAKEN);
    expect(crew.gates().map(({ phase }) => phase)).toEqual(['withdrawn', 'open']);
    expect(printed()).toBe(false);
  });

  it('is validated only by people who may answer it, and only once it no longer waits (D2)', async () => {
    const { crew, printed } = await atGate();
    const validate = (by: string, gate = 'legal') =>
      crew.ask<OrderReply>('coordinator', { type: 'gate.validate', item: 'A', gate, by });
    expect(await validate('ada')).toEqual(refusal('gate "legal" of A waits for its answer'));
    expect(await validate('ada', 'lega')).toEqual(refusal('A has not reached a gate "lega"'));
    await crew.test.advance(HOUR_MS);
    expect(await validate('mallory')).toEqual(STRANGER);
    expect(crew.item('A').gates!['legal']!.state).toBe('timedOut');
    expect(await validate('ada')).toEqual(TAKEN);
    await crew.ask('coordinator', { type: 'plan.resume', item: 'A' });
    expect(printed()).toBe(true);
  });
});

describe('an alert card', () => {
  it('is acknowledged only by its audience if it is the card of a gate; anybody may open it (D2)', async () => {
    const { crew } = await atGate();
    const [{ id } = { id: '' }] = crew.openCards().filter(({ kind }) => kind === 'gate.waiting');
    expect(await crew.ask('alerts', { type: 'alert.acknowledge', id, by: 'mallory' })).toEqual(STRANGER);
    expect(await crew.ask('alerts', { type: 'alert.acknowledge', id })).toEqual(
      refusal('by: nobody is not among those asked'),
    );
    expect(await crew.ask('alerts', { type: 'alert.open', id })).toEqual(TAKEN);
    expect(crew.openCards()).toMatchObject([{ state: 'OPENED' }]);
    expect(await crew.ask('alerts', { type: 'alert.acknowledge', id, by: 'ada' })).toEqual(TAKEN);
    expect(crew.openCards()).toEqual([]);
  });

  it('is acknowledged by anybody if it is not the card of a gate', async () => {
    const { crew } = await atGate();
    const alert = { from: 'draft', to: null, item: 'A', content: 'x', priority: 'high', requiresResponse: false };
    await crew.ask('coordinator', { type: 'talk.alert', ...alert });
    const { id } = crew.openCards().find(({ kind }) => kind === 'agent.alert')!;
    expect(await crew.ask('alerts', { type: 'alert.acknowledge', id, by: 'mallory' })).toEqual(TAKEN);
  });
});

describe('a debate that waits for its gate', () => {
  it('is put before its reviewers only on the order of one of them (D2)', async () => {
    const stages = { draft: { agent: 'draft' } };
    const plan = planOf({ stages, items: ['A'], experts: ['eve'] });
    const crew = await startWholeCrew(plan, { draft: async () => 'text' });
    const { item: _, ...challenge } = CHALLENGE;
    const disputed = { id: 'margin', challenged: { agent: 'draft' }, priority: 'critical-path' };
    await crew.ask('debates', { type: 'debate.challenge', ...challenge, ...disputed });
    await crew.test.advance(9 * HOUR_MS);
    expect(crew.debates()).toMatchObject([{ level: 'L4' }]);
    const review = (by: string) => crew.ask('debates', { type: 'debate.review', debate: 'margin', by });
    expect(await review('mallory')).toEqual(STRANGER);
    expect(await review('eve')).toEqual(TAKEN);
    expect(crew.debates()).toMatchObject([{ level: 'L5' }]);
  });
});
