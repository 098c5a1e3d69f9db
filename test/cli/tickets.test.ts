/** `bosun tickets`, in a stopped store and through the gateway of a running system. */
import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataDirectory } from '../../src/cli/store/data-directory.ts';
import { DEFAULT_DATA } from '../../src/cli/default-data.ts';
import { frontDoor } from '../../src/cli/reach/front-door.ts';
import { crewAgents } from '../../src/machines/crew.ts';
import { ticketChildren } from '../../src/machines/people/tickets/ticket-desk.ts';
import { DESKS } from '../../src/machines/desks.ts';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { createSystem, type System } from '../../src/system.ts';
import { linesOf, Workspace } from '../support/cli/workspace.ts';
import { PATIENCE_MS } from '../support/effort.ts';

let work: Workspace;
afterEach(() => work[Symbol.asyncDispose]());

const directory = () => dataDirectory({ data: DEFAULT_DATA, cwd: work.path });
const system = (): Promise<System> =>
  createSystem({
    agents: crewAgents,
    store: levelStore(directory().store),
    tree: { children: ticketChildren() },
  }).start();

const QUESTION = { type: 'tickets.open', kind: 'ai_to_human', creator: 'coder' };
const options = (count: number) => Array.from({ length: count }, (_, n) => ['--option', `o${n}`]).flat();
const bosun = (...args: string[]) => work.bosun(['tickets', ...args]);
const json = async (...args: string[]) => linesOf((await bosun(...args, '--json')).out) as unknown as object[];

/** A stopped store with three tickets. */
beforeEach(async () => {
  work = new Workspace();
  mkdirSync(directory().store, { recursive: true });
  await using running = await system();
  const open = (more: object) =>
    running.ask(DESKS.tickets, { ...QUESTION, ...more } as never, { timeoutMs: PATIENCE_MS });
  await open({ title: 'Zod or Joi?', options: ['Zod', 'Joi'], priority: 1, task: 'TASK-003', isBlocking: true });
  await open({ title: 'Which currency?', description: 'At checkout.', audience: ['ada'] });
  await open({ title: 'Logs?', evidence: [{ source: 'ops.md:3', excerpt: 'Logs are kept.' }] });
  await running.idle();
});

describe('bosun tickets in a stopped store', () => {
  it('names its verbs with --help, and each has examples', async () => {
    const { out } = await bosun('--help');
    for (const verb of ['list', 'show', 'open', 'reply', 'resolve', 'reject', 'reopen', 'assign', 'escalate']) {
      expect(out).toMatch(new RegExp(`^ {2}${verb}\\b`, 'm'));
      expect((await bosun(verb, '--help')).out).toContain(`$ bosun tickets ${verb}`);
    }
  });

  it('lists waiting tickets with priority, audience and due time', async () => {
    const { code, out } = await bosun('list');
    expect(code).toBe(0);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => line.split(/\s{2,}/));
    expect(lines[0]).toEqual(['ID', 'STATE', 'PRIORITY', 'FOR', 'SINCE', 'DUE', 'TASK', 'TITLE']);
    expect(lines.slice(1).map(([id, state, priority, audience]) => [id, state, priority, audience])).toEqual([
      ['TK-0001', 'open', 'P1', 'anybody'],
      ['TK-0002', 'open', 'P2', 'ada'],
      ['TK-0003', 'open', 'P2', 'anybody'],
    ]);
  });

  it('shows a ticket with its question, options and evidence', async () => {
    expect((await bosun('show', 'TK-0001')).out).toMatch(
      /^ticket {4}TK-0001$[^]*^task +TASK-003, which waits for it$[^]*^options: Zod, Joi$/m,
    );
    expect((await bosun('show', 'TK-0003')).out).toMatch(/^ops\.md:3: Logs are kept\.$/m);
    expect(await json('show', 'TK-0002')).toMatchObject([{ id: 'TK-0002', description: 'At checkout.', thread: [] }]);
  });

  it.each<[string[], number, RegExp]>([
    [['show', 'TK-0009'], 2, /^no ticket "TK-0009"; bosun tickets list --all shows them$/],
    [['open', ' ', '--by', 'ada'], 5, /^give the question$/],
    [['open', 'Why?', '--priority', '4'], 2, /Not an urgency: 1, 2 or 3/],
    [
      ['open', 'Zod?', '--option', 'Zod', '--option', 'Zod', '--by', 'ada'],
      5,
      /^the option "Zod" is given twice: give each option once$/,
    ],
    [
      ['open', 'Why?', '--blocks', '--by', 'ada'],
      5,
      /^--blocks: name the task that waits with --task, or leave out --blocks$/,
    ],
    [['open', 'Why?', ...options(11), '--by', 'ada'], 5, /^options: at most 10 options$/],
    [['open', 'x'.repeat(201), '--by', 'ada'], 5, /^title: at most 200 characters$/],
    [['reply', 'TK-0001', '--by', 'ada'], 5, /^give the text of it, or an option with --option$/],
    [['reply', 'TK-0002', 'Euro only', '--by', 'bob'], 5, /^bob may not do that; those who may: ada, coder\. Name one/],
    [['resolve', 'TK-0001', 'Zod', '--by', 'ada'], 5, /^give a reason with --reason/],
    [
      ['reopen', 'TK-0001', '--by', 'ada', '--reason', 'new'],
      5,
      /^TK-0001 is open: that takes a ticket that is resolved/,
    ],
  ])('refuses %j with exit code %i', async (args, code, said) => {
    const ended = await bosun(...args);
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err.trim()).toMatch(said);
  });

  it('stores a new ticket for the next start', async () => {
    expect(await bosun('open', 'Euro', 'or dollar?', '--by', 'ada')).toEqual({
      ...{ code: 0, err: '' },
      out: 'a ticket is opened by ada at the next start\n',
    });
    await using running = await system();
    await running.idle();
    const { context } = (await running.snapshot(`${DESKS.openTickets}/TK-0004`))!;
    expect(context).toMatchObject({ question: { title: 'Euro or dollar?', creator: 'ada' } });
  });

  it('tries an order on what the orders stored before it decide', async () => {
    const resolve = () => bosun('resolve', 'TK-0001', 'Zod', '--by', 'ada', '--reason', 'it is settled');
    expect(await resolve()).toMatchObject({ code: 0, err: '' });
    const err = 'TK-0001 is resolved: that takes a ticket that is open, in_review, escalated\n';
    expect(await resolve()).toEqual({ code: 5, out: '', err });
    const reopen = ['reopen', 'TK-0001', '--by', 'ada', '--reason', 'it is not'];
    expect(await bosun(...reopen)).toMatchObject({ code: 0, err: '' });
    expect(await bosun(...reopen)).toMatchObject({ code: 5 });
  });

  it('keeps a ticket open for replies whose review is still to come', async () => {
    for (const by of ['ada', 'bob'])
      expect(await bosun('reply', 'TK-0001', '--option', 'Zod', '--by', by)).toMatchObject({ code: 0, err: '' });
  });

  it('stores an order for the next start', async () => {
    expect(await bosun('reply', 'TK-0001', '--option', 'Zod', '--by', 'ada')).toEqual({
      ...{ code: 0, err: '' },
      out: 'TK-0001: replied to by ada at the next start\n',
    });
    expect(await json('assign', 'TK-0003', 'eve', '--by', 'ada')).toEqual([
      { type: 'tickets.assign', ticket: 'TK-0003', by: 'ada', assignee: 'eve', durable: true },
    ]);
    await using running = await system();
    await running.idle();
    const { records } = await running.records.list(`${DESKS.openTickets}/TK-0001`, 'history');
    expect(records.map(({ value }) => (value as { what: string }).what).slice(0, 2)).toEqual([
      'ticket.open',
      'reply.given',
    ]);
  });
});

describe('bosun tickets of a running system', () => {
  let running: System | undefined;
  let door: ReturnType<typeof frontDoor> | undefined;
  beforeEach(async () => {
    await bosun('reply', 'TK-0001', '--option', 'Zod', '--by', 'ada');
    await bosun('assign', 'TK-0003', 'eve', '--by', 'ada');
    running = await system();
    door = frontDoor(running, directory(), { settings: { port: 0 }, log: () => {} });
    await door.open();
  });
  afterEach(async () => {
    await door?.close();
    await running?.stop();
  });

  it('has carried out the stored orders: one ticket is resolved by an option, another is assigned', async () => {
    const isResolved = ({ out }: { readonly out: string }) => out.includes('"resolved"');
    const { out } = await work.looks(['tickets', 'list', '--all', '--json'], isResolved);
    expect(linesOf(out)).toMatchObject([
      { id: 'TK-0001', status: 'resolved', resolution: { option: 'Zod', by: 'ada', byHand: false } },
      { id: 'TK-0002', status: 'open' },
      { id: 'TK-0003', status: 'open', assignee: 'eve' },
    ]);
  });

  it('opens a ticket, with the id on its line, and everything about it as JSON', async () => {
    expect(await bosun('open', 'Which', 'port?', '--by', 'ada')).toEqual({
      ...{ code: 0, err: '' },
      out: 'a ticket is opened by ada: TK-0004\n',
    });
    const asked = ['--option', 'Euro', '--option', 'dollar', '--for', 'eve', '--priority', '1'];
    expect(await json('open', 'Euro or dollar?', ...asked, '--task', 'A/pay', '--blocks', '--by', 'ada')).toEqual([
      {
        ...{ type: 'tickets.open', kind: 'ai_to_human', title: 'Euro or dollar?', options: ['Euro', 'dollar'] },
        ...{ creator: 'ada', assignee: 'eve', priority: 1, task: 'A/pay', isBlocking: true },
        ...{ ticket: 'TK-0005', version: 1, code: null, durable: true },
      },
    ]);
    expect(await bosun('open', 'x'.repeat(201), '--by', 'ada')).toMatchObject({ code: 5, out: '' });
  });

  it('carries out orders at once, and shows replies with their scores', async () => {
    const done = (out: string) => ({ code: 0, out: `${out}\n`, err: '' });
    const reason = ['--reason', 'decided in the meeting', '--by', 'ada'];
    expect(await bosun('reply', 'TK-0002', 'Euro', 'only', '--by', 'ada')).toEqual(done('TK-0002: replied to by ada'));
    expect((await bosun('list')).out).toMatch(/^TK-0002 {2}resolved_awaiting_clarity /m);
    expect(await bosun('resolve', 'TK-0002', 'Euro', ...reason)).toEqual(done('TK-0002: resolved by hand by ada'));
    expect((await bosun('show', 'TK-0002')).out).toMatch(
      /^answer +Euro \(ada; by hand, decided in the meeting\)$[^]* ada: Euro only \(not reviewed\)$/m,
    );
    expect(await bosun('reopen', 'TK-0002', ...reason)).toEqual(done('TK-0002: reopened by ada'));
    expect(await bosun('escalate', 'TK-0002', ...reason)).toEqual(done('TK-0002: escalated by ada'));
    expect(await bosun('reject', 'TK-0002', ...reason)).toEqual(done('TK-0002: rejected by ada'));
    expect(await bosun('assign', 'TK-0003', '--by', 'ada')).toEqual(done('TK-0003: assigned by ada'));
    expect((await bosun('show', 'TK-0002')).out).toMatch(/^rejected +by ada: decided in the meeting$/m);
  });

  it('reports that a reply is kept without a review', async () => {
    expect(await bosun('reply', 'TK-0003', 'hm', '--by', 'ada')).toEqual({
      ...{ code: 0, out: 'TK-0003: replied to by ada\n' },
      err: 'kept, not reviewed: it has fewer than 10 characters and answers no part of the question\n',
    });
  });

  it('refuses an option that the ticket does not offer', async () => {
    expect(await bosun('reply', 'TK-0003', '--option', 'Yup', '--by', 'ada')).toEqual({
      ...{ code: 5, out: '', err: 'TK-0003 has no option "Yup"; its options: none\n' },
    });
  });
});
