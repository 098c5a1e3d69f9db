/**
 * The store of a crew that an earlier build has written, before work could wait for tickets: this build goes on with
 * its plan, its single tasks, its gates, its tickets and its cards, and they do what is new. How the store was made is
 * in test/support/fixtures/stores/README.md.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logicOf, Roster } from '../src/actors/loop/versions/roster.ts';
import { crew, type Crew, type WorkContext, type WrittenPlan } from '../src/crew.ts';
import { leadCoordinator } from '../src/machines/coordination/coordinator/lead-coordinator.ts';
import { alertCard } from '../src/machines/people/alerts/alert-card.ts';
import { type AlertDeskContext } from '../src/machines/people/alerts/alert-desk.ts';
import { type TicketReply } from '../src/machines/people/tickets/ticket-messages.ts';
import { ticket } from '../src/machines/people/tickets/ticket.ts';
import { taskAgent } from '../src/machines/tasks/task.ts';
import { levelStore } from '../src/persistence/store/level-store.ts';
import { type TreeNode } from '../src/system-options.ts';
import { VirtualClock } from '../src/testing/virtual-clock.ts';
import { until } from './support/until.ts';
import { openIn } from '../src/machines/rules/records.ts';

/** A store by the commit whose build wrote it. */
const FIXTURE = join(import.meta.dirname, 'support/fixtures/stores/a6b6f40');

const KEPT_AT_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 60 * 60 * 1000;

const gate = { name: 'ok', title: 'May it be printed?', audience: ['ada'] };
const PLAN: WrittenPlan = {
  version: 1,
  plan: 'shop',
  stages: { draft: { agent: 'worker', gate }, print: { agent: 'worker', after: ['draft'] } },
  items: ['A', 'B', 'C'],
};

/** The work of today: what hung in the earlier build asks a person. */
const worker = async (input: unknown, { item, results, crew: its }: WorkContext): Promise<string> => {
  if (input !== 'hang' && (item !== 'C' || 'draft' in results)) return 'made now';
  const { text } = await its.askPerson({ name: 'colour', title: `Which colour for ${item ?? 'the task'}?` });
  return text;
};

const root = mkdtempSync(join(tmpdir(), 'bosun-earlier-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let clock: VirtualClock;
let team: Crew;
let delivered: string[];
let copies = 0;

beforeEach(async () => {
  const directory = join(root, String((copies += 1)));
  cpSync(FIXTURE, directory, { recursive: true });
  clock = new VirtualClock(KEPT_AT_MS);
  delivered = [];
  const deliver = ({ id }: { readonly id: string }) => Promise.resolve(delivered.push(id));
  const system = { clock, log: () => {} };
  team = await crew({
    agents: { worker },
    plan: PLAN,
    store: levelStore(directory),
    ports: { deliver },
    system,
  }).start();
  await team.system.idle();
});
afterEach(() => team.stop());

const order = (verb: string, ticket: string, more: object) =>
  team.system.ask<TicketReply>('tickets', { type: `tickets.${verb}`, by: 'ada', ticket, ...more });
const advance = (byMs: number) => clock.advance(byMs, () => team.system.idle());
const reason = 'so it was decided';
const statusOf = async (ticket: string) => (await team.system.snapshot(`open-tickets/${ticket}`))!.value;
const cards = async () => (await team.system.snapshot('alerts'))!.context as AlertDeskContext;

/** The ticket that waits for an answer about one item, or about the single task. */
async function ticketOf(item: string | null): Promise<string> {
  const find = async () => (item === null ? await team.task('works') : (await team.plan()).items[item])?.tickets?.[0];
  await until(
    async () => (await find()) !== undefined,
    () => `a ticket about ${item ?? 'the task'}`,
  );
  return (await find())!;
}

function suspended({ address, status, children }: TreeNode): string[] {
  return [...(status === 'active' ? [] : [`${address} is ${status}`]), ...children.flatMap(suspended)];
}

describe('a store of a crew by an earlier build', () => {
  // The store is of version 1: it does not show a structure that changes under a later version.
  it.each([
    [leadCoordinator, 3, 'ea531f4d6c6d'],
    [alertCard, 2, '2e28bfa599d0'],
    [ticket, 2, '2d116b344b75'],
    [taskAgent, 2, 'db1f28001c48'],
  ])('is read by $name as long as a change of the structure raises the version', (agent, version, structure) => {
    const { hash } = new Roster(() => logicOf(agent)).today(agent.name)!;
    expect([agent.version, hash.slice(0, structure.length)]).toEqual([version, structure]);
  });

  it('has nobody that cannot be read', async () => {
    const tree = await team.system.tree();
    expect(suspended(tree)).toEqual([]);
    const phases = Object.entries((await team.plan()).items).map(([item, { phase }]) => [item, phase]);
    expect(phases).toMatchObject([
      ['A', 'waitingForHuman'],
      ['B', 'waitingForHuman'],
      ['C', expect.any(String)],
    ]);
    expect([await team.task('asks'), await team.task('done')]).toMatchObject([
      { state: 'waitingForHuman', output: 'made before', tickets: [] },
      { state: 'done', output: 'made before', tickets: [] },
    ]);
  });

  it('goes on with its plan and its tasks, which ask and wait as they do today', async () => {
    for (const id of ['plan.ok.1', 'plan.ok.2', 'task.asks.result'])
      await team.answer(id, { decision: 'approve' }, { by: 'ada' });
    expect(await team.result('asks')).toBe('made before');
    await order('resolve', await ticketOf('C'), { text: 'Red', reason });
    await order('resolve', await ticketOf(null), { text: 'Blue', reason });
    expect(await team.result('works')).toBe('Blue');
    await until(
      async () => (await team.gates()).length > 0,
      () => 'the gate of C',
    );
    const [last] = await team.gates();
    await team.answer(last!.id, { decision: 'approve' }, { by: 'ada' });
    expect(await team.finished()).toMatchObject({
      state: 'completed',
      items: { A: { results: { draft: 'made before', print: 'made now' } }, C: { results: { draft: 'Red' } } },
    });
  });

  it('goes on with its tickets from the state that each was in', async () => {
    const tickets = ['TK-0001', 'TK-0002', 'TK-0003', 'TK-0004', 'TK-0005'];
    const states = async () => Promise.all(tickets.map(statusOf));
    expect(await states()).toEqual(['open', { in_review: 'queued' }, 'escalated', 'resolved', 'rejected']);
    await advance(5_000);
    await order('resolve', 'TK-0001', { text: 'Yes', reason });
    await order('resolve', 'TK-0003', { text: 'Yes', reason });
    await order('reopen', 'TK-0004', { reason });
    await order('reopen', 'TK-0005', { reason });
    await team.system.idle();
    expect(await states()).toEqual(['resolved', 'resolved', 'resolved', 'open', 'open']);
    const key = { kind: 'ai_to_human', creator: 'coder', title: 'Once?', key: 'once' };
    const [one, two] = [await order('open', '', key), await order('open', '', key)];
    expect([one.taken, two.ticket]).toEqual([true, one.ticket]);
  });

  it('delivers the card that was under way, repeats the others when they are due, and settles them', async () => {
    expect(delivered).toContain('alert-2');
    const before = delivered.length;
    await advance(24 * HOUR_MS);
    expect(delivered.slice(before)).toContain('alert-1');
    await team.answer('plan.ok.1', { decision: 'approve' }, { by: 'ada' });
    await team.system.idle();
    expect(openIn(await cards()).map(({ id }) => id)).not.toContain('alert-1');
  });
});
