/** Permissions at the desks, through the whole crew: only people who may answer a question can end it in other ways. */
import { describe, expect, it } from 'vitest';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { type OrderReply, TAKEN } from '../../../src/machines/rules/turn.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { CHALLENGE } from '../../support/machines/debate-room.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

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
