/** Alert cards through the whole crew: each is settled when its cause is over, however the cause ends. */
import { describe, expect, it } from 'vitest';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { TAKEN } from '../../../src/machines/rules/turn.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { CHALLENGE } from '../../support/machines/debate-room.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

const MINUTE_MS = 60_000;
const FOREVER: AgentFunction = () => new Promise(() => {});

const stages = {
  draft: { agent: 'writer', duration: 10 },
  print: { agent: 'printer', after: ['draft'], duration: 10 },
};

function crewOf(writer: AgentFunction, printer: AgentFunction = async () => 'printed'): Promise<WholeCrew> {
  return startWholeCrew(planOf({ unit: 'minutes', capacity: { writer: 1 }, stages, items: ['A', 'B'] }), {
    writer,
    printer,
  });
}

const setCapacity = (crew: WholeCrew, agentType: string, capacity: number | null) =>
  crew.ask('coordinator', { type: 'capacity.set', agentType, capacity });

const open = (crew: WholeCrew, kind: string) =>
  crew
    .openCards()
    .filter((card) => card.kind === kind)
    .map(({ item }) => item);

describe('capacity.set', () => {
  it('refuses an unknown agent type, suggests the one that may be meant, and raises no card (D9)', async () => {
    const crew = await crewOf(FOREVER);
    expect(await setCapacity(crew, 'writter', 0)).toEqual({
      taken: false,
      problems: ['no task of the plan is for agent type "writter"; did you mean "writer"?'],
    });
    expect(crew.told('plan.rescheduled')).toEqual([]);
    expect(crew.openCards()).toEqual([]);
  });

  it('settles its card when the places are back, across a power cut (D9)', async () => {
    const crew = await crewOf(FOREVER);
    expect(await setCapacity(crew, 'printer', 0)).toEqual(TAKEN);
    expect(await setCapacity(crew, 'writer', 0)).toEqual(TAKEN);
    expect(open(crew, 'plan.blocked')).toEqual(['agent type printer', 'agent type writer']);
    await crew.powerCut();
    await setCapacity(crew, 'printer', 1);
    expect(open(crew, 'plan.blocked')).toEqual(['agent type writer']);
    await setCapacity(crew, 'writer', null);
    expect(open(crew, 'plan.blocked')).toEqual([]);
  });

  it('settles its card when no task waits for the places any more (D9)', async () => {
    const crew = await crewOf(FOREVER);
    await setCapacity(crew, 'printer', 0);
    await crew.ask('coordinator', { type: 'item.cancel', item: 'A' });
    expect(open(crew, 'plan.blocked')).toEqual(['agent type printer']);
    await crew.ask('coordinator', { type: 'item.cancel', item: 'B' });
    expect(open(crew, 'plan.blocked')).toEqual([]);
  });

  it('raises no card for tasks that wait for another reason (D9)', async () => {
    const crew = await crewOf(FOREVER);
    await crew.ask('coordinator', { type: 'plan.pause', item: 'A' });
    await setCapacity(crew, 'writer', 5);
    expect(open(crew, 'plan.blocked')).toEqual([]);
  });
});

describe('the card of an overdue task', () => {
  it.each([
    ['fails', (crew: WholeCrew) => crew.test.settle()],
    ['is given up', (crew: WholeCrew) => crew.ask('coordinator', { type: 'item.cancel', item: 'A' })],
  ])('is settled when the task %s', async (how, end) => {
    const fail = Object.assign(new Error('no ink'), { errorType: 'crash' });
    let reject = (_: Error): void => {};
    const crew = await crewOf(() => new Promise((_, no) => (reject = no)));
    await crew.test.advance(15 * MINUTE_MS);
    expect(open(crew, 'task.overdue')).toEqual(['A']);
    if (how === 'fails') reject(fail);
    await end(crew);
    expect(open(crew, 'task.overdue')).toEqual([]);
  });
});

describe('a summary of cards', () => {
  it('is settled once all cards in it are closed, across a power cut', async () => {
    const crew = await crewOf(FOREVER);
    const alert = { from: 'writer', to: null, item: null, content: 'x', priority: 'low', requiresResponse: false };
    for (let n = 0; n < 12; n += 1) await crew.ask('coordinator', { type: 'talk.alert', ...alert });
    await crew.test.advance(MINUTE_MS);
    expect(open(crew, 'alerts.summary')).toEqual([null]);
    const cards = crew.openCards().filter(({ kind }) => kind === 'agent.alert');
    const acknowledge = (id: string) => crew.ask('alerts', { type: 'alert.acknowledge', id, by: 'ada' });
    for (const { id } of cards.slice(0, -1)) await acknowledge(id);
    expect(open(crew, 'alerts.summary')).toEqual([null]);
    await crew.powerCut();
    await acknowledge(cards.at(-1)!.id);
    expect(crew.openCards()).toEqual([]);
    expect(crew.cards().at(-1)).toMatchObject({ state: 'SETTLED', settledBecause: 'everything in it is over' });
  });
});

describe('the card of an actor that ends without notice', () => {
  it('is settled for a gate and for a debate', async () => {
    const crew = await crewOf(FOREVER);
    const gate = { gate: 'G3', title: 'Assumptions', audience: ['ada'], remindAfterMs: [], deadlineMs: null };
    await crew.ask('coordinator', { type: 'gate.request', item: 'A', ...gate });
    const { item: _, ...challenge } = CHALLENGE;
    const disputed = { id: 'margin', challenged: { agent: 'writer' }, priority: 'supporting' };
    await crew.ask('debates', { type: 'debate.challenge', ...challenge, ...disputed });
    expect(crew.openCards().map(({ kind }) => kind)).toEqual(['gate.waiting', 'debate.opened']);
    const ended = [
      crew.test.shard.boss('open-gates').terminateChild('plan.G3.1'),
      crew.test.shard.boss('open-debates').terminateChild('margin'),
    ];
    await crew.test.settle();
    await Promise.all(ended);
    expect(crew.cards().map(({ settledBecause }) => settledBecause)).toEqual(
      expect.arrayContaining(['the gate has failed', 'the debate itself has failed']),
    );
  });
});
