/** The review of plans in a whole crew: kinds of products, triage of features, and the framework of the backend. */
import { afterEach, describe, expect, it } from 'vitest';
import { type DeliveryOptions } from '../../../src/machines/delivery/crew.ts';
import { type FrameworkFound } from '../../../src/machines/delivery/delivery-ports.ts';
import { flawsOfPlan, planDocument } from '../../../src/machines/delivery/plans/plan-document.ts';
import { PROJECT_TYPES, type ProjectType } from '../../../src/machines/delivery/plans/project-kinds.ts';
import { bandOf, releaseIn } from '../../../src/machines/delivery/plans/triage.ts';
import { type Directive } from '../../../src/machines/delivery/tasks/task-messages.ts';
import { type TeamContext } from '../../../src/machines/delivery/teams/team.ts';
import { type AnswerPorts } from '../../../src/machines/answers/answer-ports.ts';
import { answering } from '../../support/machines/answer-room.ts';
import { DeliveryRoom, MINUTE_MS, SECOND_MS, task } from '../../support/machines/delivery-room.ts';
import { openIn } from '../../../src/machines/rules/records.ts';

let room: DeliveryRoom;
afterEach(() => room?.test.system.stop());

const open = async (delivery: DeliveryOptions = {}, answers?: Partial<AnswerPorts>) =>
  (room = await DeliveryRoom.start({ delivery, ...(answers !== undefined && { answers }) }));

const PUPPIES = { projectType: 'web_app', name: 'puppies', goal: 'Simple puppy adoption app' } as const;
const feature = (id: string, title: string, more: object = {}) => ({
  ...{ id, title, mandatory: 'unknown', acceptance: [`${title} works`] },
  ...more,
});
const ANALYTICS = feature('F3', 'Analytics Dashboard', { confidence: 30, minutes: 30 });

/** An Answer Team that says `MVP`. */
const sure = (confidence: number) =>
  answering(confidence, {
    answer: 'The first release needs the feature `Login`: the plan of the product says that it is part of the `MVP`.',
  });

/** The features that are decided, as watchers hear it. */
const decided = () =>
  room.emitted.flatMap(({ type, feature: id, isMandatory, note, by }) =>
    type === 'feature.decided' ? [{ id, isMandatory, note, by }] : [],
  );
/** The actors of Reviewers and Builders that are alive. */
const aids = () =>
  ['reviewer', 'builder'].filter((aid) => room.test.shard.snapshot(`delivery/${aid}s/${aid}-PLAN-1`) !== undefined);
const given = async (coder = 'cc') => (await room.next(coder)).directive as Directive;

/** A port that knows which frameworks the code has. */
const scanning =
  (known: Readonly<Record<string, FrameworkFound['found']>>) =>
  ({ framework }: { readonly framework: string }) =>
    Promise.resolve({ found: known[framework] ?? ('no' as const), at: 'package.json:12' });
const BACKEND = { ...PUPPIES, backend_mode: true, designChoices: { backend_framework: 'Express' } };
const WITH_FALLBACK = {
  ...BACKEND,
  designChoices: { backend_framework: 'Express', backend_fallback: 'Fastify' },
};

describe('a kind of product', () => {
  it.each([
    ['MX-080', 'web_app', 'API endpoints', /Node.js\/Express/, 'auth security', /Builder/],
    ['MX-081', 'browser_extension', 'Manifest v3', /manifest.json/, 'permission safety', /minimal backend/],
    ['MX-082', 'local_program', 'CLI entry points', /Inquirer\/Click/, 'exit codes', /packaging/],
    ['MX-083', 'library', 'module exports', /npm\/PyPI/, 'backwards compatibility', /no execution target/],
  ] as const)('%s: %s has its focus, stack, checks and route', async (_, type, focus, stack, check, route) => {
    const rules = PROJECT_TYPES[type];
    expect(rules).toMatchObject({ focus: expect.stringContaining(focus), route: expect.stringMatching(route) });
    await open();
    await room.submit([task('A')], { ...PUPPIES, projectType: type });
    expect((await given()).project).toEqual({
      ...{ type, stack: expect.stringMatching(stack), verification: expect.stringContaining(check) },
    });
  });

  it('MX-079: is applied to subtasks and to the one who breaks a task down', async () => {
    const items: unknown[] = [];
    const parts = [task('One'), task('Two')];
    await open({ ports: { decompose: (item) => (items.push(item.context.project), Promise.resolve(parts)) } });
    await room.submit([task('Large', { minutes: 60 })], { ...PUPPIES, projectType: 'library' });
    await room.test.advance(SECOND_MS);
    expect(items).toMatchObject([{ type: 'library' }]);
    expect((await given()).project).toMatchObject({ type: 'library' });
  });

  it.each([
    ['A Chrome extension for recipes', 'permission safety'],
    ['A command line tool that sorts photos', 'exit codes'],
    ['A library of colours', 'API surface tests'],
    ['A web page for a choir', 'end-to-end tests'],
  ])('MX-084: custom, with the goal "%s", takes the rules of the nearest kind', async (goal, check) => {
    await open();
    await room.submit([task('A')], { ...PUPPIES, projectType: 'custom', goal });
    expect((await given()).project).toMatchObject({ type: 'custom', verification: expect.stringContaining(check) });
  });

  it('MX-084: custom, with a goal that says nothing, is asked of the user', async () => {
    await open();
    await room.submit([task('A')], { ...PUPPIES, projectType: 'custom', goal: 'A box that hums' });
    expect(room.status('TASK-001')).toBe('pending');
    const [ticket] = room.tickets();
    expect(ticket).toMatchObject({ title: 'What is it built with?', assignee: 'ada' });
    await room.answer(ticket!.id, 'Arduino and C; the hum has 440 Hz');
    expect((await given()).project).toEqual({
      ...{ type: 'custom', stack: 'Arduino and C', verification: 'the hum has 440 Hz' },
    });
  });
});

describe('a plan', () => {
  const flaws = (more: object) => flawsOfPlan(planDocument.parse({ name: 'p', tasks: [task('A')], ...more }), false);

  it('MX-085: has features and choices of the contract, which need a projectType and a goal', () => {
    expect(planDocument.parse({ ...PUPPIES, features: [feature('F1', 'A')] })).toMatchObject({
      ...{ backend_mode: false, features: [{ id: 'F1', mandatory: 'unknown', optional_note: null }] },
    });
    expect(flaws({ ...PUPPIES, features: [feature('F1', 'A'), feature('F1', 'B')] })).toEqual([
      'the feature "F1" is there twice',
    ]);
    expect(flaws({ features: [feature('F1', 'A')] })).toEqual([
      'a plan with features or choices has a projectType',
      'a plan with features or choices has a goal',
    ]);
    expect(flaws({ ...PUPPIES, backend_mode: true })).toEqual([
      'a plan with backend_mode names its backend_framework in designChoices',
    ]);
    expect(flaws({ ...PUPPIES, tasks: [task('A', { feature: 'F9' })] })).toEqual([
      '"A" belongs to the feature "F9", which the plan does not have',
    ]);
    const type: ProjectType = 'web_app';
    expect(planDocument.safeParse({ ...PUPPIES, projectType: `${type}s`, tasks: [] }).success).toBe(false);
  });

  it('MX-086: has a Reviewer until it is approved, and a Builder only with a backend', async () => {
    await open({ ports: { scan: () => new Promise(() => {}) } });
    await room.submit([], { ...PUPPIES, features: [ANALYTICS] });
    expect(aids()).toEqual(['reviewer']);
    await room.answer(room.tickets()[0]!.id, 'MVP');
    expect([aids(), room.status('TASK-001')]).toEqual([[], 'ready']);
    await room.test.system.stop();

    await open({ ports: { scan: () => new Promise(() => {}) } });
    await room.submit([task('A')], BACKEND);
    expect([aids(), room.status('TASK-001')]).toEqual([['builder'], 'pending']);
    await room.powerCut();
    expect(aids()).toEqual(['builder']);
    await room.test.advance(MINUTE_MS);
    expect([aids(), room.status('TASK-001')]).toEqual([[], 'ready']);
  });

  it('MX-E12: asks about F3, finds Express, and leaves F3 and F4 for Phase 2, if it is about puppies', async () => {
    await open({ ports: { scan: scanning({ Express: 'yes' }) } });
    const features = [
      feature('F1', 'Listings', { mandatory: true, minutes: 30 }),
      feature('F2', 'Adoption form', { mandatory: true, minutes: 40, priority: 1 }),
      feature('F3', 'Analytics Dashboard', { confidence: 30, minutes: 30 }),
      feature('F4', 'Dark mode', { mandatory: false, optional_note: 'nice to have' }),
    ];
    const { tasks } = await room.submit([task('Adopt', { feature: 'F2' })], { ...BACKEND, features });
    expect(tasks).toHaveLength(4);
    expect(room.tickets().map(({ title }) => title)).toEqual([
      '@ask: "Analytics Dashboard" is unclear: is it MVP or optional?',
    ]);
    // What is decided waits for nobody.
    expect([room.status('TASK-001'), room.status('TASK-002')]).toEqual(['ready', 'ready']);
    await room.answer(room.tickets()[0]!.id, 'Post-launch, nice-to-have');
    const rows = openIn(room.orchestrator);
    expect(rows.map(({ status, because, item }) => [item.title, item.priority, status, because])).toEqual([
      ['Adopt', 1, 'ready', null],
      ['Listings', 2, 'ready', null],
      ['Analytics Dashboard', 2, 'pending', 'Phase 2: Analytics deferred to Phase 2'],
      ['Dark mode', 2, 'pending', 'Phase 2: nice to have'],
    ]);
    expect(rows.every(({ item }) => item.context.feature?.isMandatory !== null)).toBe(true);
    expect((await given()).backend).toBe('Express');
    // People may have it done after all.
    const order = { type: 'tasks.unblock', task: tasks[2], by: 'ada' };
    expect(await room.order('delivery/orchestrator', order)).toMatchObject({ taken: true });
    expect(room.status(tasks[2]!)).toBe('ready');
  });
});

describe('a task that is given up while its plan is under review', () => {
  const later = feature('F4', 'Dark mode', { mandatory: false, minutes: 30 });
  const fail = (id: string) =>
    room.order('delivery/orchestrator', { type: 'tasks.fail', task: id, by: 'ada', reason: 'not needed' });
  const kept = () => [...room.context<TeamContext>('delivery/planning').asked.keys()];

  it('keeps its reason, and is neither left for later nor planned', async () => {
    await open();
    const { tasks } = await room.submit([task('A'), task('B', { minutes: 90 })], {
      ...PUPPIES,
      features: [ANALYTICS, later],
    });
    for (const id of tasks) await fail(id);
    await room.answer(room.tickets()[0]!.id, 'MVP');
    for (const id of tasks)
      expect(room.task(id)).toMatchObject({ status: 'failed', because: 'given up by ada: not needed' });
    expect([tasks.filter((id) => room.task(id).isDeferred), kept()]).toEqual([[], []]);
  });

  it('is not kept for later once it has failed', async () => {
    await open();
    const { tasks } = await room.submit([], { ...PUPPIES, features: [later] });
    expect(room.task(tasks[0]!).isDeferred).toBe(true);
    await fail(tasks[0]!);
    expect([room.status(tasks[0]!), room.task(tasks[0]!).isDeferred, kept()]).toEqual(['failed', false, []]);
  });
});

describe('the triage of a feature', () => {
  const submit = (one: object) => room.submit([], { ...PUPPIES, features: [one] });

  it.each([
    [100, 'high'],
    [70, 'high'],
    [69.9, 'medium'],
    [40, 'medium'],
    [39.9, 'low'],
    [0, 'low'],
  ])('MX-063, MX-064, MX-065: takes %d %% for %s', (confidence, band) => {
    expect(bandOf(confidence)).toBe(band);
  });

  it('MX-066: begins for what is unknown or not sure, and for nothing else', async () => {
    await open();
    await submit(feature('F1', 'Login', { mandatory: true, minutes: 30 }));
    expect(decided()).toEqual([{ id: 'F1', isMandatory: true, note: null, by: 'plan' }]);
    await submit(feature('F1', 'Login', { mandatory: true, confidence: 69, minutes: 30 }));
    expect(room.tickets().map(({ title }) => title)).toEqual(['Is "Login" required for the MVP or post-launch?']);
  });

  it('MX-063, AT-043: marks a feature of which the Answer Team is sure, and its task carries the mark', async () => {
    await open({}, sure(98));
    await submit(feature('F1', 'Login', { minutes: 30 }));
    // The question waits for no wizard: the plan goes on when it is answered.
    await room.test.advance(10 * SECOND_MS);
    expect(decided()).toEqual([{ id: 'F1', isMandatory: true, note: null, by: 'Answer Team' }]);
    expect((await given()).feature).toEqual({ id: 'F1', isMandatory: true, note: null });
    expect(room.tickets()).toEqual([]);
  });

  it('MX-064: asks three questions about one of which the Answer Team is half sure', async () => {
    await open({}, sure(48));
    await submit(feature('F1', 'Login', { minutes: 30 }));
    await room.test.advance(70 * SECOND_MS);
    const ticket = room.tickets().find(({ assignee }) => assignee === 'ada')!;
    expect(ticket.title).toBe('Is "Login" required for the MVP or post-launch?');
    const { context } = room.test.shard.snapshot(`open-tickets/${ticket.id}`)!;
    expect((context as { readonly question: { readonly description: string } }).question.description).toBe(
      '1. Is "Login" required for MVP or post-launch?\n' +
        '2. If post-MVP: track as Phase 2 follow-up task?\n3. Dependencies blocking optionality?',
    );
    await room.answer(ticket.id, 'required for MVP');
    expect([decided(), room.status('TASK-001')]).toEqual([
      [{ id: 'F1', isMandatory: true, note: null, by: 'ada' }],
      'ready',
    ]);
  });

  it('MX-065, MX-E09: asks the owner about one at 30 %, who says post-launch', async () => {
    await open();
    await submit(ANALYTICS);
    expect(room.tickets()).toMatchObject([
      { title: expect.stringMatching(/^@ask: "Analytics Dashboard"/), assignee: 'ada' },
    ]);
    await room.powerCut();
    await room.answer(room.tickets()[0]!.id, 'Post-launch, nice-to-have');
    const mark = { isMandatory: false, note: 'Analytics deferred to Phase 2' };
    expect(room.task('TASK-001').item.context.feature).toEqual({ id: 'F3', ...mark });
    expect(decided()).toEqual([{ id: 'F3', ...mark, by: 'ada' }]);
  });

  it('MX-065: asks again after words that say neither, and leaves what is not answered for later', async () => {
    await open();
    await submit(ANALYTICS);
    await room.answer(room.tickets()[0]!.id, 'Hm.');
    expect([decided(), room.tickets().length]).toEqual([[], 1]);
    const reject = { type: 'tickets.reject', ticket: room.tickets()[0]!.id, by: 'ada', reason: 'no idea' };
    await room.order('tickets', reject);
    expect(decided()).toMatchObject([{ id: 'F3', isMandatory: false }]);
  });

  it.each([
    ['MVP', true],
    ['We must have it at launch', true],
    ['yes', true],
    ['Post-launch, nice-to-have', false],
    ['not required for the MVP', false],
    ["It isn't needed yet", false],
    ['no', false],
    ['blue', undefined],
  ])('reads "%s" as %s', (words, isFirst) => {
    expect(releaseIn(words)).toBe(isFirst);
  });
});

describe('the backend of a plan', () => {
  const backend = async () => {
    const { backend: framework, stub } = (await given()) as Directive & { backend?: string; stub?: string };
    return [framework, stub];
  };

  it('MX-067, MX-E10: is built with the framework that the code has', async () => {
    await open({ ports: { scan: scanning({ Express: 'yes' }) } });
    await room.submit([task('A')], WITH_FALLBACK);
    expect(await backend()).toEqual(['Express', undefined]);
  });

  it('MX-068, MX-E11: falls back to the second one, and stubs say so', async () => {
    await open({ ports: { scan: scanning({ Fastify: 'yes' }) } });
    await room.submit([task('A'), task('Page', { concerns: ['frontend'] })], WITH_FALLBACK);
    expect(await backend()).toEqual(['Fastify', '# Fallback: Primary Express not found; using Fastify\n']);
    expect(room.tickets()).toEqual([]);
    expect((await given('other')).backend).toBeUndefined();
  });

  it('MX-068: asks for approval of a fallback that the code does not have', async () => {
    await open({ ports: { scan: scanning({}) } });
    await room.submit([task('A')], WITH_FALLBACK);
    const [ticket] = room.tickets();
    expect(ticket).toMatchObject({ title: 'Express unavailable; use Fastify?', assignee: 'ada' });
    await room.powerCut();
    await room.answer(ticket!.id, 'use Fastify');
    expect(await backend()).toEqual(['Fastify', '# Fallback: Primary Express not found; using Fastify\n']);
  });

  it.each([
    ['install Express', ['Express', undefined], 'in_progress'],
    ['use Django', ['Django', '# Fallback: Primary Express not found; using Django\n'], 'in_progress'],
  ])('MX-069: goes on, without a fallback, by "%s"', async (words, expected, status) => {
    await open({ ports: { scan: scanning({}) } });
    await room.submit([task('A')], BACKEND);
    const [ticket] = room.tickets();
    expect(ticket!.title).toBe('Express is not there: what is the backend built with?');
    await room.answer(ticket!.id, 'whatever you like');
    await room.answer(room.tickets()[0]!.id, words);
    expect([await backend(), room.status('TASK-001')]).toEqual([expected, status]);
  });

  it('MX-069: is left out for now if people say so', async () => {
    await open({ ports: { scan: scanning({}) } });
    await room.submit([task('A'), task('Page', { concerns: ['frontend'] })], BACKEND);
    await room.answer(room.tickets()[0]!.id, 'plan only: skip the backend this cycle');
    expect([room.status('TASK-001'), room.status('TASK-002')]).toEqual(['pending', 'ready']);
    expect(room.task('TASK-001').because).toBe('ada leaves the backend out for now');
  });

  it('MX-070, MX-071: is the Builder’s own choice where the search says nothing, or takes too long', async () => {
    await open({ ports: { scan: () => new Promise(() => {}) } });
    await room.submit([task('A')], WITH_FALLBACK);
    await room.test.advance(29 * SECOND_MS);
    expect(room.status('TASK-001')).toBe('pending');
    await room.test.advance(2 * SECOND_MS);
    expect(await backend()).toEqual(['Express', undefined]);
    expect(room.tickets()).toEqual([]);
  });
});
