/** Researcher, Scraper and Updater in a whole crew: their bounds on both sides, and what survives a power cut. */
import { afterEach, describe, expect, it } from 'vitest';
import { type AnswerPorts } from '../../../src/machines/answers/answer-ports.ts';
import { type Evidence } from '../../../src/machines/answers/evidence.ts';
import { type DeliveryOptions } from '../../../src/machines/delivery/crew.ts';
import { type DeliveryPorts } from '../../../src/machines/delivery/delivery-ports.ts';
import { type OverseerContext } from '../../../src/machines/delivery/oversight/overseer.ts';
import { type WorkItem } from '../../../src/machines/work/work-item.ts';
import { type Researched } from '../../../src/machines/delivery/upkeep/researcher.ts';
import { type AlignmentEntry } from '../../../src/machines/delivery/upkeep/scraper.ts';
import { type UpkeepSettings } from '../../../src/machines/delivery/upkeep/junk-rules.ts';
import { type CleanUp } from '../../../src/machines/delivery/upkeep/updater.ts';
import { type AlertDeskContext, alertsIn } from '../../../src/machines/people/alerts/alert-desk.ts';
import { type TicketContext } from '../../../src/machines/people/tickets/ticket-state.ts';
import { answering, PORT_QUESTION } from '../../support/machines/answer-room.ts';
import { evidenceOf } from '../../support/machines/answer-evidence.ts';
import { DeliveryRoom, MINUTE_MS, SECOND_MS, task } from '../../support/machines/delivery-room.ts';

let room: DeliveryRoom;
afterEach(() => room?.test.system.stop());

const DAY_MS = 24 * 60 * MINUTE_MS;
const times = { stallMs: 99 * DAY_MS, retryMs: [1, 1, 1] };

const open = async (delivery: DeliveryOptions = {}, answers?: Partial<AnswerPorts>) =>
  (room = await DeliveryRoom.start({ delivery: { times, ...delivery }, ...(answers !== undefined && { answers }) }));
const pass = (ms: number) => room.test.advance(ms);
const alerts = () => [...alertsIn(room.context<AlertDeskContext>('alerts'))].map(({ title }) => title);
const recordsOf = async <Entry>(team: string, name: string) =>
  (await room.test.system.records.list(`delivery/${team}`, name, { limit: 100 })).records.map(
    ({ value }) => value as Entry,
  );

describe('the Researcher', () => {
  /** Queries, and pages that were read. */
  let searched: string[];
  let read: string[];
  const source = (file: string, more: Partial<Evidence> = {}): Evidence => ({
    ...evidenceOf({ kind: 'mentioned', speaksFor: null, valueKind: 'text', excerpt: `about ${file}`, ...more }),
    source: { type: 'research', scope: 'web', file, line: 1 },
  });
  /** A world outside in which every search finds these pages, each of which says as little. */
  const outside = (pages: number, more: Partial<Evidence> = {}): Pick<DeliveryPorts, 'search' | 'browse'> => {
    [searched, read] = [[], []];
    const found = Array.from({ length: pages }, (_, at) => source(`https://a.test/${at}`, more));
    return {
      search: ({ question }) => (searched.push(question), Promise.resolve({ evidence: found, complete: true })),
      browse: ({ page }) => (read.push(page), Promise.resolve({ evidence: [], complete: true })),
    };
  };
  const ask = (question: string, more: object = {}) =>
    room.order<Researched>('delivery/researcher', { type: 'research.request', source: 'user', question, ...more });
  const PARTS = 'How is a cookie set? Which flag hides it? Who reads it? When does it end? Where is it kept? Why?';

  it('MX-020: searches and reads in rounds, five searches and three pages at most', async () => {
    await open({ ports: outside(4) });
    const { searches, pages, sources, isCached } = await ask(PARTS);
    expect({ searches, pages, isCached }).toEqual({ searches: 5, pages: 3, isCached: false });
    expect([searched.length, read.length, sources.length]).toEqual([5, 3, 4]);
    expect(searched[0]).toBe(PARTS);
    expect(new Set([...searched, ...read]).size).toBe(8);
  });

  it('MX-020: makes a sixth search and reads a fourth page only if the host allows it', async () => {
    await open({ ports: outside(4), research: { searchesMax: 6, pagesMax: 4 } });
    expect(await ask(PARTS)).toMatchObject({ searches: 6, pages: 4 });
  });

  it('searches twice and reads two pages in a round, and keeps ten sources', async () => {
    const { search, browse } = outside(12);
    const steps: string[] = [];
    const ports: Partial<DeliveryPorts> = {
      search: (...asked) => (steps.push('search'), search(...asked)),
      browse: (...asked) => (steps.push('page'), browse(...asked)),
    };
    await open({ ports });
    expect((await ask(PARTS)).sources).toHaveLength(10);
    expect(steps.join(' ')).toBe('search search page page search search page search');
  });

  it('MX-020: ends after the round that has found more than a mention, with a summary', async () => {
    const ports = outside(1, { kind: 'declared', speaksFor: 'HttpOnly', valueKind: 'option', excerpt: 'set HttpOnly' });
    await open({ ports: { search: ports.search } });
    const found = await ask('Which flag hides a cookie?', { source: 'planning' });
    expect(found).toMatchObject({ searches: 2, pages: 0, because: null });
    expect(found.summary).toContain('HttpOnly (declared in https://a.test/0:1)');
  });

  it('MX-020: has what was found summarised by the host, and quotes it where that fails', async () => {
    const said = [() => Promise.resolve('Set HttpOnly.'), () => Promise.reject(new Error('no model'))];
    const summarise = () => said.shift()!();
    await open({ ports: { ...outside(1), summarise } });
    expect((await ask('Which flag hides a cookie?')).summary).toBe('Set HttpOnly.');
    expect((await ask('Which flag ends a cookie?')).summary).toContain('about https://a.test/0');
  });

  it('MX-020: gives a result again for 3,600 s, over a power cut, and then searches anew', async () => {
    await open({ ports: outside(0) });
    const first = await ask('Which flag hides a cookie?');
    expect(first).toMatchObject({ searches: 2, isCached: false, because: 'nothing outside says anything about it' });
    await room.powerCut();
    await pass(3_599 * SECOND_MS);
    expect(await ask('  which flag hides a COOKIE')).toMatchObject({ searches: 0, pages: 0, isCached: true });
    expect(searched).toHaveLength(2);
    await pass(SECOND_MS);
    expect(await ask('Which flag hides a cookie?')).toMatchObject({ searches: 2, isCached: false });
    expect(searched).toHaveLength(4);
  });

  it('MX-020: counts a search that fails or never ends as one search, and searches again the next time', async () => {
    const { search } = outside(1);
    const waits = new Promise<never>(() => {});
    const worlds = [() => Promise.reject(new Error('offline')), () => waits];
    await open({ ports: { search: (...asked) => worlds.shift()?.() ?? search(...asked) } });
    const asked = ask('Which flag hides a cookie?');
    await pass(10 * SECOND_MS);
    const found = await asked;
    expect(found).toMatchObject({ searches: 2, sources: [], isCached: false });
    expect(found.because).toContain('offline');
    expect(await ask('Which flag hides a cookie?')).toMatchObject({ searches: 2, because: null });
  });

  it('MX-020: goes on after a power cut during a search, and answers equal questions together', async () => {
    const ports = outside(1);
    const held = new Promise<never>(() => {});
    let isCut = false;
    await open({ ports: { search: (...asked) => (isCut ? ports.search(...asked) : held) } });
    const question = 'Which flag hides a cookie?';
    for (const about of ['a', 'b'])
      await room.test.system.send('delivery/researcher', { type: 'research.request', source: 'user', question, about });
    await room.test.settle();
    isCut = true;
    await room.powerCut();
    await pass(SECOND_MS);
    expect(searched).toHaveLength(2);
    expect(await ask(question)).toMatchObject({ isCached: true, because: null });
  });

  it('MX-020: says at once that there is no search where the host has none', async () => {
    await open();
    expect(await ask('Which flag hides a cookie?')).toMatchObject({ summary: null, because: 'no search here' });
  });

  it('MX-020: stands behind the answer desk, unless the host researches itself', async () => {
    const ports = outside(1);
    await open({ ports }, answering(50));
    const bundle = { question: PORT_QUESTION, confidence_level: 50 };
    const asked = { type: 'answers.ask', asker: 'a', trigger: 'mcp_askQuestion', maxWaitMs: 10_000, bundle };
    await room.order('answers', { ...asked, maxWaitMs: 0 });
    await pass(SECOND_MS);
    expect(searched[0]).toBe(PORT_QUESTION);
    await room.test.system.stop();
    const own: string[] = [];
    const research: AnswerPorts['research'] = ({ question }) => {
      own.push(question);
      return Promise.resolve({ evidence: [], complete: true });
    };
    await open({ ports: outside(1) }, { ...answering(50), research });
    await room.order('answers', { ...asked, maxWaitMs: 0 });
    await pass(SECOND_MS);
    expect([own, searched]).toEqual([[PORT_QUESTION], []]);
  });

  it('MX-020: looks into the fourth failure of a task, for the ticket that its owner gets', async () => {
    const verify = () => Promise.resolve({ failures: [{ test: 'adds', message: 'is wrong' }] });
    await open({ ports: { ...outside(1), verify } });
    await room.submit([task('Login')]);
    for (const coder of ['ann', 'ben', 'cid', 'dot']) {
      const { directive } = await room.next(coder);
      await room.done(coder, directive!.taskId);
      expect(searched).toEqual([]);
      await pass(62 * SECOND_MS);
    }
    expect(room.task('TASK-001')).toMatchObject({ status: 'blocked', check: { flawed: 4 } });
    expect(searched[0]).toBe('Login: 3 fixes have not mended it: still: adds');
    const { id } = room.tickets().find(({ title }) => title === 'TASK-001 fails its checks: Login')!;
    const { thread } = room.context<TicketContext>(`open-tickets/${id}`);
    expect([...thread.values()]).toMatchObject([
      { by: 'researcher', text: expect.stringContaining('https://a.test/0') as string },
    ]);
    expect(room.status('TASK-001')).toBe('blocked');
  });

  it('MX-020: looks into no third failure, of which an owner hears earlier', async () => {
    await open({ ports: outside(1), times: { ...times, retryMs: [1, 1] } });
    await room.submit([task('Login')]);
    for (let at = 1; at <= 3; at += 1) {
      await room.next('cc');
      await room.done('cc', 'TASK-001', { status: 'failed', details: 'connection refused' });
      await pass(SECOND_MS);
    }
    expect(room.tickets().map(({ title }) => title)).toContain('TASK-001 fails: Login');
    expect(searched).toEqual([]);
  });

  it('MX-020: looks into the fourth try that fails, too', async () => {
    await open({ ports: outside(1) });
    await room.submit([task('Login')]);
    for (let at = 1; at <= 4; at += 1) {
      await room.next('cc');
      expect(searched).toEqual([]);
      await room.done('cc', 'TASK-001', { status: 'failed', details: 'connection refused' });
      await pass(SECOND_MS);
    }
    expect(searched[0]).toBe('Login: connection refused');
  });
});

describe('the Scraper', () => {
  const alignments = () => recordsOf<AlignmentEntry>('scraper', 'alignments');
  const findings = () => alerts().filter((title) => title.includes('without what it required'));
  const done = async (more: Parameters<typeof task>[1], delivery: DeliveryOptions = {}) => {
    await open(delivery);
    await room.submit([task('Login', more)]);
    const { directive } = await room.next('ann');
    await room.done('ann', directive!.taskId);
  };

  it('MX-022: checks 60 s after a task is done, not after 59, over a power cut', async () => {
    await done({ description: 'Which colour is TBD. It has a border.' });
    await pass(59 * SECOND_MS);
    await room.powerCut();
    expect(await alignments()).toEqual([]);
    await pass(SECOND_MS);
    expect(await alignments()).toMatchObject([
      {
        ...{ task: 'TASK-001', missing: ['the Answer Team was asked: Which colour is TBD.'] },
        decision: { gate: 'alignment', threshold: 0.8, value: 2 / 3, isPassed: false },
      },
    ]);
    await pass(3 * SECOND_MS);
    expect(findings()).toEqual(['TASK-001 was done without what it required of others: Login']);
  });

  it('MX-022: checks 60 s after the last change of the files', async () => {
    const begin = { atMs: 0 };
    const changedAt = () => Promise.resolve(begin.atMs + 30 * SECOND_MS);
    await open({ ports: { changedAt } });
    begin.atMs = room.test.clock.wallMs();
    await room.submit([task('Login')]);
    await room.next('ann');
    await room.done('ann', 'TASK-001');
    await pass(89 * SECOND_MS);
    expect(await alignments()).toEqual([]);
    await pass(SECOND_MS);
    expect(await alignments()).toMatchObject([{ decision: { value: 1, isPassed: true }, missing: [] }]);
    expect(findings()).toEqual([]);
  });

  it('MX-022: finds nothing missing if the session has asked the Answer Team', async () => {
    await open();
    await room.submit([task('Login', { description: 'Which colour?' })]);
    await room.next('ann');
    await room.order('answers', {
      ...{ type: 'answers.ask', asker: 'ann', trigger: 'mcp_askQuestion', maxWaitMs: 0 },
      bundle: { question: 'Is src/login.tsx red or blue?', confidence_level: 50, current_task_id: 'TASK-001' },
    });
    await pass(20 * SECOND_MS);
    const [ticket] = room.tickets();
    if (ticket !== undefined) await room.answer(ticket.id, 'red');
    await room.next('ann');
    await room.done('ann', 'TASK-001');
    await pass(60 * SECOND_MS);
    expect(await alignments()).toMatchObject([{ decision: { value: 1 }, missing: [] }]);
  });

  it('MX-022: requires the hand-offs of the breakdown of a part, with which 0.8 passes', async () => {
    const part = { title: 'Month', minutes: 40, description: 'Which colour?' };
    await done({ minutes: 80, subtasks: [part, { title: 'Year', minutes: 40, dependsOn: ['Month'] }] });
    await pass(63 * SECOND_MS);
    const [{ decision, task: id }] = (await alignments()) as [AlignmentEntry];
    expect({ id, ...decision }).toMatchObject({ id: 'TASK-002', value: 0.8, isPassed: true });
    expect(findings()).toEqual([]);
  });

  it.each([
    [78, true],
    [77, false],
  ])(
    'MX-022: asks the host for documents: with 2 hand-offs and %i of 98 of them it passes: %s',
    async (there, passes) => {
      const documents = () =>
        Promise.resolve(Array.from({ length: 98 }, (_, at) => ({ what: `page ${at}`, isThere: at < there })));
      await done({}, { ports: { documents } });
      await pass(63 * SECOND_MS);
      expect(await alignments()).toMatchObject([{ decision: { value: (there + 2) / 100, isPassed: passes } }]);
      expect(findings()).toHaveLength(passes ? 0 : 1);
    },
  );

  it('asks the host which points a task left open, and goes by plain marks where nobody can tell', async () => {
    const openPoints = ({ title }: WorkItem) => Promise.resolve(title === 'Login' ? ['Tom owes us the colour.'] : null);
    await open({ ports: { openPoints } });
    await room.submit([
      task('Login', { description: 'Which border?' }),
      task('Logout', { description: 'Which text?' }),
    ]);
    for (const id of ['TASK-001', 'TASK-002']) {
      await room.next('ann');
      await room.done('ann', id);
    }
    await pass(63 * SECOND_MS);
    expect((await alignments()).map(({ missing }) => missing)).toEqual([
      ['the Answer Team was asked: Tom owes us the colour.'],
      ['the Answer Team was asked: Which text?'],
    ]);
  });

  it('requires eight questions of one task at most', async () => {
    const points = Array.from({ length: 9 }, (_, at) => `Which colour is border ${at}?`);
    await done({}, { ports: { openPoints: () => Promise.resolve(points) } });
    await pass(63 * SECOND_MS);
    expect((await alignments())[0]!.missing).toEqual(
      points.slice(0, 8).map((point) => `the Answer Team was asked: ${point}`),
    );
  });

  it.each([
    ['openPoints', ['the Answer Team was asked: Which border?', 'page 1']],
    ['documents', ['the Answer Team was asked: Tom owes us the colour.']],
    ['changedAt', ['the Answer Team was asked: Tom owes us the colour.', 'page 1']],
  ])('goes by what the other ports say where %s fails', async (port, missing) => {
    const ports = {
      openPoints: () => Promise.resolve(['Tom owes us the colour.']),
      documents: () => Promise.resolve([{ what: 'page 1', isThere: false }]),
      changedAt: () => Promise.resolve(null),
      [port]: () => Promise.reject(new Error('no connection')),
    };
    await done({ description: 'Which border?' }, { ports });
    await pass(6 * MINUTE_MS);
    expect(await alignments()).toMatchObject([{ missing }]);
  });
});

describe('the Updater', () => {
  const cleanUps = () => recordsOf<CleanUp>('updater', 'cleanUps');
  const twice = async (upkeep: UpkeepSettings) => {
    await open({ upkeep });
    await room.submit([task('Login', { acceptance: ['a user can log in'] })]);
    await room.submit([task('login ', { acceptance: ['a mistake is said'], description: 'Beside the field.' })]);
  };
  const status = () => ['TASK-001', 'TASK-002'].map((id) => room.status(id));

  it('MX-023: merges a duplicate that nobody has touched for seven days, not for less, on record', async () => {
    await twice({ conflictMode: 'auto-merge' });
    await pass(7 * DAY_MS - SECOND_MS);
    await room.powerCut();
    expect([status(), await cleanUps()]).toEqual([['ready', 'ready'], []]);
    await pass(SECOND_MS);
    expect(status()).toEqual(['ready', 'failed']);
    expect(room.task('TASK-002').because).toBe('merged into TASK-001: nobody has touched it');
    expect(room.task('TASK-001').item.context.acceptance).toEqual(['a user can log in', 'a mistake is said']);
    expect((await room.next('ann')).directive?.notes).toEqual(['TASK-002 was the same: Beside the field.']);
    expect(await cleanUps()).toMatchObject([
      {
        ...{ task: 'TASK-002', into: 'TASK-001', outcome: 'merged', because: 'nobody has touched it' },
        items: [{ title: 'login ', description: 'Beside the field.' }],
      },
    ]);
    // It has not failed.
    expect(room.context<OverseerContext>('delivery/overseer').failedAtMs).toEqual([]);
  });

  it('MX-023: looks weekly if the host wants it so', async () => {
    await twice({ conflictMode: 'auto-merge', scan: 'weekly', junkMs: DAY_MS });
    await pass(7 * DAY_MS - SECOND_MS);
    expect(status()).toEqual(['ready', 'ready']);
    await pass(SECOND_MS);
    expect(status()).toEqual(['ready', 'failed']);
  });

  it('MX-023: leaves what a person has touched since, what a session has, and what other work needs', async () => {
    await twice({ conflictMode: 'auto-merge' });
    await room.submit([task('Logout'), task('Report', { dependsOn: ['Logout'] })]);
    await room.submit([task('Logout'), task('Sum', { dependsOn: ['Logout'] })]);
    await pass(6 * DAY_MS);
    await room.order('delivery/orchestrator', { type: 'tasks.change', task: 'TASK-002', by: 'ada', minutes: 20 });
    await pass(DAY_MS);
    expect(status()).toEqual(['ready', 'ready']);
    await room.next('ann');
    await pass(20 * DAY_MS);
    expect([...status(), room.status('TASK-005')]).toEqual(['in_progress', 'ready', 'ready']);
    expect(await cleanUps()).toEqual([]);
  });

  it('MX-023: leaves a plan under review alone', async () => {
    await open({ upkeep: { conflictMode: 'auto-merge' } });
    const reviewed = { projectType: 'custom', goal: 'x', notes: '' };
    for (const _ of [1, 2]) await room.submit([task('Login')], reviewed);
    expect(room.status('TASK-001')).toBe('pending');
    await pass(30 * DAY_MS);
    expect([status(), await cleanUps()]).toEqual([['pending', 'pending'], []]);
  });

  it('MX-023: asks the owner by a ticket, and merges by the answer', async () => {
    await twice({ conflictMode: 'user-confirm' });
    await pass(8 * DAY_MS);
    const [question, ...others] = room.tickets();
    expect([question!.title, question!.assignee, others]).toEqual(['Does anybody need it? login ', 'ada', []]);
    expect(status()).toEqual(['ready', 'ready']);
    await room.powerCut();
    await room.answer(question!.id, 'merge');
    expect(status()).toEqual(['ready', 'failed']);
    expect(await cleanUps()).toMatchObject([{ outcome: 'merged', because: 'ada wants it' }]);
  });

  it('asks about five duplicates after one scan, and about the others after the next', async () => {
    await open({});
    for (let at = 1; at <= 7; at += 1) await room.submit([task('Login')]);
    await pass(7 * DAY_MS);
    expect(room.tickets()).toHaveLength(5);
    await pass(DAY_MS);
    expect(room.tickets()).toHaveLength(6);
  });

  it('MX-023: keeps what its owner keeps, and asks again after seven more days', async () => {
    await twice({});
    await pass(7 * DAY_MS);
    await room.answer(room.tickets()[0]!.id, 'keep');
    expect(await cleanUps()).toMatchObject([
      { outcome: 'kept', because: expect.stringContaining('TK-0001') as string },
    ]);
    await pass(6 * DAY_MS);
    expect([status(), room.tickets()]).toEqual([['ready', 'ready'], []]);
    await pass(2 * DAY_MS);
    expect(room.tickets()).toHaveLength(1);
  });

  it('MX-023: withdraws work that was found and held for seven days, with all of it on record', async () => {
    await open({ upkeep: { conflictMode: 'auto-merge' }, oversight: { thresholds: { pending: 0 } } });
    await room.submit([task('Login'), task('Logout')]);
    await room.next('cc');
    await room.done('cc', 'TASK-001', { followUps: [{ title: 'Found', minutes: 20, details: 'a leak' }] });
    const held = () => room.context<OverseerContext>('delivery/overseer').held;
    await pass(7 * DAY_MS - SECOND_MS);
    expect([held(), await cleanUps()]).toEqual([1, []]);
    await pass(SECOND_MS);
    expect(held()).toBe(0);
    expect(await cleanUps()).toMatchObject([
      { task: 'TASK-001', title: 'Found', outcome: 'withdrawn', items: [{ title: 'Found', description: 'a leak' }] },
    ]);
  });
});
