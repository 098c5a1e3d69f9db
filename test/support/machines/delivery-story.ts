/**
 * A random story of the delivery organisation on virtual time: plans with features and backends, coding agents that
 * work, fail, fall silent and ask, checks of their work and of others', files that keep changing, work found on the way
 * that an overseer holds, people who answer or do not, drained teams, and power cuts. What is wrong is in `problems`.
 */
import { type Checked, type Findings, type FrameworkFound } from '../../../src/machines/delivery/delivery-ports.ts';
import { AFTER_CHECKS } from '../../../src/machines/delivery/owner-question.ts';
import { type OverseerContext } from '../../../src/machines/delivery/oversight/overseer.ts';
import { BATCH_MAX } from '../../../src/machines/delivery/oversight/oversight-rules.ts';
import { PLAN_ONLY } from '../../../src/machines/delivery/plans/backend.ts';
import { type WrittenTask } from '../../../src/machines/delivery/plans/plan-document.ts';
import { type TaskRow } from '../../../src/machines/delivery/tasks/orchestrator-state.ts';
import { type TaskReply } from '../../../src/machines/delivery/tasks/task-messages.ts';
import { type PlanningJob } from '../../../src/machines/delivery/teams/planned-tasks.ts';
import { type TeamContext } from '../../../src/machines/delivery/teams/team.ts';
import { type TicketDeskContext } from '../../../src/machines/people/tickets/ticket-desk.ts';
import { type TicketRow } from '../../../src/machines/people/tickets/ticket-state.ts';
import { type WorkItem } from '../../../src/machines/work/work-item.ts';
import { chanceOf } from '../../../src/testing/simulation/keyed-chance.ts';
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';
import { DeliveryRoom, MINUTE_MS, SECOND_MS } from './delivery-room.ts';
import { endedIn, openIn, recordsIn } from '../../../src/machines/rules/records.ts';

const CODERS = ['ann', 'ben', 'cid', 'dot', 'eve'] as const;
type Move = (story: DeliveryStory) => Promise<void>;

/** Situations that a story has to meet for its proof to be worth something. */
const MET = [
  ...(['given', 'cuts', 'answers', 'stalls', 'questions', 'replies', 'scored', 'unclear'] as const),
  ...(['refused hand-offs', 'refused orders', 'refused own checks'] as const),
  ...(['mandatory features', 'optional features', 'unknown features'] as const),
  ...(['framework yes', 'framework no', 'framework unknown', 'framework late'] as const),
  ...(['named tests', 'shown tests', 'failed tests', 'skipped tests', 'changing files', 'busy files'] as const),
  ...(['reported failures', 'outside checks', 'halts', 'plans under a halt', 'held', 'batches'] as const),
  ...(['deferred', 'released', ...AFTER_CHECKS] as const),
] as const;
type Met = (typeof MET)[number];

/** The title of a task that fails its checks until its owner has decided what becomes of it. */
const STUBBORN = 'stubborn';
const isStubborn = ({ title }: Pick<WorkItem, 'title'>) => title.startsWith(STUBBORN);

/** The frameworks of backends, by what the search for each says. */
const FRAMEWORKS = { Express: 'yes', Django: 'no', Rails: 'unknown', Spring: 'late' } as const;
const framework = (at: number) => Object.keys(FRAMEWORKS)[at % 4]!;

/** The file of a session that goes on writing. */
const BUSY = 'src/busy.ts';

/** The criteria of a task: of words, of a test by its name, or of a look. */
function criteriaOf(random: SeededRandom, at: number): WrittenTask['acceptance'] {
  const kind = random.integer(8);
  if (kind === 0) return [];
  const plain = `task ${at} works`;
  if (kind < 4) return [plain];
  const criterion = `task ${at} adds`;
  return [plain, kind === 4 ? { criterion, check: 'visual' } : { criterion, test: `test of ${at}` }];
}

/** A random plan, whose large tasks have subtasks, and a few of which nobody can size. */
function tasksOf(random: SeededRandom, size: number): WrittenTask[] {
  const key = (at: number) => `t${at}`;
  return Array.from({ length: size }, (_, at) => {
    const isLarge = random.integer(6) === 0;
    const minutes = isLarge ? 50 + random.integer(200) : 10 + random.integer(36);
    const count = 2 + random.integer(10);
    const subtasks = Array.from({ length: count }, (__, part) => ({
      ...{ key: `p${part}`, title: `part ${at}.${part}`, minutes: 15 + random.integer(31), concerns: ['backend'] },
      dependsOn: part > 0 && random.integer(3) === 0 ? [`p${random.integer(part)}`] : [],
    }));
    const before = Array.from({ length: random.integer(5) === 0 ? 2 : random.integer(2) }, () =>
      key(random.integer(Math.max(1, at))),
    );
    return {
      ...{ key: key(at), title: `task ${at}`, minutes, priority: (1 + random.integer(3)) as 1 | 2 | 3 },
      concerns: random.integer(10) === 0 ? ['frontend', 'backend'] : ['backend'],
      acceptance: criteriaOf(random, at),
      dependsOn: at === 0 ? [] : [...new Set(before)],
      ...(isLarge && random.integer(4) > 0 && { subtasks }),
      ...(random.integer(8) === 0 && { feature: `F${random.integer(4)}` }),
    };
  });
}

/** The options of some questions about tasks, the good one first; undefined for others. */
function optionsOf(title: string): readonly string[] | undefined {
  if (title.startsWith('Does')) return title.includes('look right') ? ['confirm', 'reject'] : ['yes', 'no'];
  return / stands still| fails: /.test(title) ? ['try again', 'give up'] : undefined;
}

/** A plan with features of each kind and a backend. */
function planOf(random: SeededRandom, size: number, at: number) {
  const feature = (id: string, more: object) => ({
    ...{ id, title: `Feature ${at}.${id}`, minutes: 30, acceptance: [`${id} works`] },
    ...more,
  });
  const tasks = tasksOf(random, size);
  const stubborn = [0, 1].map((one) => ({
    ...{ title: `${STUBBORN} ${at}.${one}`, minutes: 20, concerns: ['frontend'], priority: 1 as const },
    acceptance: ['it holds'],
  }));
  return {
    ...{ name: `plan-${at}`, owner: 'ada', goal: 'A shop for puppies', projectType: 'web_app' },
    features: [
      feature('F0', { mandatory: true }),
      feature('F1', { mandatory: false, optional_note: 'nice to have' }),
      feature('F2', { mandatory: 'unknown' }),
      feature('F3', { mandatory: true, confidence: at % 2 === 0 ? 30 : 50 }),
    ],
    backend_mode: true,
    designChoices: { backend_framework: framework(at), ...(at % 8 > 3 && { backend_fallback: 'Express' }) },
    tasks: [...stubborn, ...tasks],
  };
}

export class DeliveryStory {
  readonly problems = new Set<string>();
  readonly seen = Object.fromEntries(MET.map((one) => [one, 0])) as Record<Met, number>;
  readonly random: SeededRandom;
  readonly #plans: number;
  readonly #plan: SeededRandom;
  readonly #tasks: number;
  room!: DeliveryRoom;
  /** Whether sessions, people and checks do only good from now on. */
  #isKind = false;
  /** Tasks by the coding agent that has been given them. */
  readonly has = new Map<string, string>();
  /** Work that sessions may still find on the way. */
  finds: number;
  #submitted = 0;
  /** Stubborn tasks whose owner has decided. */
  readonly decided = new Set<string>();
  /** Events of the room that were looked at. */
  #heard = 0;
  readonly #verified = new Set<string>();
  #wasHalted = false;

  constructor(seed: number, { plans, tasks }: { readonly plans: number; readonly tasks: number }) {
    this.random = chanceOf(seed, 'moves');
    this.#plan = chanceOf(seed, 'plans');
    this.#plans = plans;
    this.#tasks = tasks;
    this.finds = Math.max(24, Math.round(tasks / 4));
  }

  async begin(): Promise<void> {
    const ports = {
      verify: (checked: Checked) => this.#check(checked),
      changedAt: ({ files }: { readonly files: readonly string[] }) => this.#change(files),
      scan: ({ framework: name }: { readonly framework: string }) => this.#scan(name),
    };
    this.room = await DeliveryRoom.start({ delivery: { ports, oversight: { thresholds: { pending: 15 } } } });
    await this.submit();
  }

  /** Hands in the next plan, which a halt does not hold. */
  async submit(): Promise<void> {
    const at = this.#submitted;
    this.#submitted += 1;
    const isHalted = this.overseer.level === 'halted';
    if (isHalted) this.see('plans under a halt');
    const size = Math.round(this.#tasks / this.#plans / 2.5);
    const plan = planOf(this.#plan, size, at);
    const { taken, problems, tasks } = await this.room.submit(plan.tasks, plan);
    if (!taken) this.problems.add(`a plan was refused: ${problems.join('; ')}`);
    this.unless(
      tasks.every((id) => this.room.task(id) !== undefined),
      'a task of a plan was lost',
    );
    this.check();
  }

  see(what: Met, count = 1): void {
    this.seen[what] += count;
  }

  #check({ id, title, wanted }: Checked): Promise<Findings> {
    const found: Findings = { failures: [], tests: null, unmet: [], visual: [] };
    const fails = { ...found, failures: [{ test: 'adds', message: '1 is not 2' }] };
    if (isStubborn({ title }) && !this.decided.has(id)) {
      this.see('failed tests');
      return Promise.resolve({ ...fails, tests: { ran: 'node --test', passed: 9, failed: 1, skipped: 0, shown: [] } });
    }
    if (this.#isKind) return Promise.resolve(this.#tested(wanted));
    const chance = this.random.integer(24);
    if (chance === 0) return Promise.reject(new Error('the checker has crashed'));
    if (chance === 1) return Promise.resolve('nonsense' as never);
    if (chance < 5) return Promise.resolve(fails);
    if (chance < 7) return Promise.resolve({ ...found, unmet: ['it works'] });
    if (chance < 9) return Promise.resolve({ ...found, visual: ['the button is blue'] });
    return Promise.resolve(chance < 11 ? found : this.#tested(wanted));
  }

  /** A run of tests, most of which show what they have to. */
  #tested(wanted: readonly string[]): Findings {
    const isLucky = this.#isKind || this.random.integer(4) > 0;
    const shown = wanted.filter(() => isLucky || this.random.integer(2) === 0);
    const [failed, skipped] = [Number(!this.#isKind && this.random.integer(5) === 0), this.random.integer(2)];
    if (wanted.some((test) => test.startsWith('test of'))) this.see('named tests');
    this.see('shown tests', shown.length);
    this.see('failed tests', failed);
    this.see('skipped tests', skipped);
    const failures = failed > 0 ? [{ test: 'subtracts', message: '2 is not 1' }] : [];
    return { failures, unmet: [], visual: [], tests: { ran: 'node --test', passed: 9, failed, skipped, shown } };
  }

  /** The time of the last change of files: of a session that goes on writing, now. */
  #change(files: readonly string[]): Promise<number | null> {
    const nowMs = this.room.test.clock.wallMs();
    const chance = this.random.integer(10);
    if (files.includes(BUSY)) return Promise.resolve(nowMs);
    if (chance === 0) return Promise.reject(new Error('the folder is away'));
    if (chance > 2) return Promise.resolve(null);
    this.see('changing files');
    return Promise.resolve(nowMs - 30 * SECOND_MS);
  }

  #scan(name: string): Promise<FrameworkFound> {
    const found = FRAMEWORKS[name as keyof typeof FRAMEWORKS] ?? 'no';
    this.see(`framework ${found}`);
    return found === 'late' ? new Promise(() => {}) : Promise.resolve({ found, at: 'package.json:12' });
  }

  get open(): readonly TaskRow[] {
    return openIn(this.room.orchestrator);
  }

  get overseer(): OverseerContext {
    return this.room.context('delivery/overseer');
  }

  get planning(): TeamContext {
    return this.room.context('delivery/planning');
  }

  /** Work that was found on the way and that the Planning Team holds. */
  get held(): readonly WrittenTask[] {
    const { asked } = this.planning;
    return [...asked.entries()].flatMap(([key, value]) =>
      key.startsWith('held ') ? (value as { readonly tasks: readonly WrittenTask[] }).tasks : [],
    );
  }

  /** Tasks under review or left for later, by the plan or `later`. */
  get #kept(): ReadonlyMap<string, string> {
    const { asked } = this.planning;
    const jobs = [...asked.entries()].filter(([key]) => !key.startsWith('held ') && key.includes(' '));
    return new Map(jobs.map(([key, job]) => [(job as PlanningJob).item.id, key.split(' ')[0]!]));
  }

  one<Item>(items: readonly Item[]): Item | undefined {
    return items[this.random.integer(Math.max(1, items.length))];
  }

  /** Makes so many random moves, with power cuts between them, and hands in the other plans meanwhile. */
  async run(moves: number, cuts: number): Promise<void> {
    const [perCut, perPlan] = [Math.floor(moves / cuts), Math.floor((0.6 * moves) / this.#plans)];
    for (let at = 1; at <= moves; at += 1) {
      const isHalted = this.#submitted === 1 && this.overseer.level === 'halted';
      if (this.#submitted < this.#plans && (at % perPlan === 0 || isHalted)) await this.submit();
      await (at % perCut === 0 ? cut : this.one(MOVES)!)(this);
      this.check();
    }
    // The plans may have been drawn with fewer tasks than are wanted.
    while (this.planning.tasks < this.#tasks) await this.submit();
  }

  /** Checks what holds at rest. */
  check(): void {
    const { working, sessionsMax, queue, pulls, counts } = this.room.orchestrator;
    const rows = recordsIn(this.room.orchestrator);
    const coders = [...working.values()].map(({ coder }) => coder);
    this.unless(working.size <= sessionsMax, 'more sessions than places');
    this.unless(new Set(coders).size === coders.length, 'a session has two tasks');
    this.unless(pulls.size === 0, 'a session waits for a directive');
    const byWork = rows.filter(({ status }) => status === 'in_progress').map(({ id }) => id);
    this.unless(same(byWork, [...working.keys()]), 'places and tasks in progress differ');
    const ready = rows.filter(({ status }) => status === 'ready' || status === 'partial').map(({ id }) => id);
    this.unless(
      same(
        ready,
        [...queue.values()].map(({ id }) => id),
      ),
      'queue and ready tasks differ',
    );
    const waiting = new Set(this.room.tickets().map(({ id }) => id));
    for (const { status, reason, tickets } of this.open)
      if (status === 'blocked' && ['stall', 'coder', 'size', 'context', 'question', 'checks'].includes(reason!))
        this.unless(
          tickets.some((id) => waiting.has(id)),
          `a task is blocked (${reason}), and nobody is asked`,
        );
    for (const status of new Set(rows.map((row) => row.status)))
      this.unless(counts[status] === rows.filter((row) => row.status === status).length, `miscounted: ${status}`);
    this.unless(rows.length === this.planning.tasks, 'a task is lost');
    for (const { status, because, isDeferred } of endedIn(this.room.orchestrator))
      this.unless(
        status !== 'failed' || (because !== null && because !== 'is being broken down' && isDeferred !== true),
        'the reason of a failed task is lost',
      );
    this.#checkHolds();
    this.#hear();
  }

  /** Checks what is held, left for later, and mended. */
  #checkHolds(): void {
    const { overseer, held, planning } = this;
    const isHalted = overseer.level === 'halted';
    this.unless(planning.asked.has('halted') === isHalted, 'a halt is not heard');
    this.unless(held.length === overseer.held, `${held.length} tasks are held, ${overseer.held} counted`);
    this.unless(
      held.every(({ kind }) => kind !== 'fix'),
      'a fix is held',
    );
    if (isHalted && !this.#wasHalted) this.see('halts');
    this.#wasHalted = isHalted;
    if (held.length > this.seen.held) this.seen.held = held.length;
    const kept = this.#kept;
    for (const { id, isDeferred, item, status, reason, parts } of this.open) {
      if (isDeferred === true)
        this.unless(
          item.owner === 'ada' && status === 'pending' && kept.get(id) === 'later',
          `a task that is left for later is lost: ${status}`,
        );
      if (status === 'in_verification' && reason === 'fix') this.unless(parts > 0, 'nothing mends a task');
    }
  }

  /** Looks at what was emitted since the last look. */
  #hear(): void {
    const { emitted } = this.room;
    for (const event of emitted.slice(this.#heard)) {
      const task = event['task'] as string;
      if (event.type === 'feature.decided') this.#heardOf(event);
      if (event.type !== 'task.stands' || event['status'] !== 'verified') continue;
      this.unless(!this.#verified.has(task), 'a task is verified twice');
      this.#verified.add(task);
    }
    this.#heard = emitted.length;
  }

  #heardOf({ by, isMandatory }: Readonly<Record<string, unknown>>): void {
    this.see(isMandatory === true ? 'mandatory features' : 'optional features');
    if (by !== 'plan') this.see('unknown features');
  }

  unless(isRight: boolean, problem: string): void {
    if (!isRight) this.problems.add(problem);
  }

  /** Lets all that can go on without people go on, and checks that each task ends or waits with a named person. */
  async rest(): Promise<void> {
    while (this.#submitted < this.#plans) await this.submit();
    this.#isKind = true;
    await this.#resume();
    // Files may be waited for in more than one round.
    for (let round = 0, still = 0; still < 4 && round < 400 + this.#tasks; round += 1) {
      const before = this.#standing();
      await this.#workAll();
      await this.room.test.advance(2 * MINUTE_MS);
      still = this.#standing() === before && this.room.orchestrator.working.size === 0 ? still + 1 : 0;
    }
    this.check();
    this.#count();
    const tickets = new Map(this.room.tickets().map((ticket) => [ticket.id, ticket]));
    const kept = this.#kept;
    const isReviewed = [...tickets.values()].some(({ task, assignee, about }) =>
      task === null && assignee === 'ada' ? about !== 'oversight' && about !== 'batch' : false,
    );
    for (const row of this.open) {
      const asks = row.tickets.some((id) => {
        const ticket = tickets.get(id);
        return ticket?.assignee === 'ada' || (row.reason === 'question' && ticket !== undefined);
      });
      const isKept = kept.has(row.id) && (row.isDeferred === true ? row.item.owner === 'ada' : isReviewed);
      if (!this.#waitsForOthers(row) && !asks && !isKept)
        this.problems.add(`${row.status} (${row.reason}: ${row.because}) waits for nobody`);
    }
  }

  /** Counts what the desks know of the story. */
  #count(): void {
    const { handoffs, counts } = this.room.organisation;
    const sum = Object.values(counts).reduce((all, one) => all + one, 0);
    const { waiting, settled, archived } = this.room.context<TicketDeskContext>('tickets');
    const tickets = [...waiting.values(), ...settled.values(), ...archived.values()];
    this.seen['refused hand-offs'] = handoffs - sum;
    this.seen.scored = counts[10] ?? 0;
    this.seen.unclear = tickets.filter(({ followUps }) => followUps > 0).length;
    this.seen.batches = tickets.filter(({ about }) => about === 'batch').length;
    const rows = recordsIn(this.room.orchestrator);
    this.seen['busy files'] = rows.filter(({ check }) => check?.isTimedOut === true).length;
  }

  /** Answers all questions, and has everything done. */
  async end(): Promise<void> {
    const isOver = () => this.open.length === 0 && this.overseer.held === 0;
    for (let round = 0; round < 100 + this.#tasks && !isOver(); round += 1) {
      for (const row of this.open.filter(({ isDeferred }) => isDeferred)) await this.release(row);
      for (const ticket of this.room.tickets()) await this.#settle(ticket);
      await this.#workAll();
      await this.room.test.advance(2 * MINUTE_MS);
    }
    this.check();
    this.#count();
    for (const row of this.open)
      this.problems.add(`never ends: ${row.id} ${row.status} (${row.reason}: ${row.because})`);
    this.unless(this.held.length === 0, 'work is held without end');
    this.unless(this.#kept.size === 0, 'a task that has ended is kept for later');
    const left = this.room.tickets().filter(({ about }) => about === 'investigation');
    this.unless(left.length === 0, 'an investigation of a task that has ended is open');
    const ended = endedIn(this.room.orchestrator);
    const verified = ended.filter(({ status }) => status === 'verified').map(({ id }) => id);
    this.unless(ended.length >= this.#tasks, `${ended.length} tasks are too few`);
    this.unless(
      ended.every(({ status }) => status === 'verified' || status === 'failed'),
      'a task has ended without a verdict',
    );
    this.unless(same(verified, await this.#recorded()), 'records and verified tasks differ');
  }

  /** The tasks that are on record as verified, each as often as it is. */
  async #recorded(): Promise<string[]> {
    const found: string[] = [];
    for (let after = 0; ; ) {
      const page = { limit: 1_000, after, where: { status: 'verified' } };
      const { records } = await this.room.test.system.records.list('delivery/orchestrator', 'tasks', page);
      if (records.length === 0) return found;
      found.push(...records.map(({ value }) => (value as { readonly task: string }).task));
      after = records.at(-1)!.number;
    }
  }

  /** Has the owner answer a ticket for good. */
  async #settle({ id, title, about, task }: TicketRow): Promise<void> {
    // An investigation ends with its task.
    if (about === 'investigation' && task !== null) return;
    if (/has no size/.test(title)) return this.#size(title);
    if (this.random.integer(2) === 0 && optionsOf(title) !== undefined)
      return this.reply({ id, title }, optionsOf(title)![0]!);
    if (title.startsWith('Does')) await this.room.answer(id, title.includes('look right') ? 'confirm' : 'yes');
    else if (title.startsWith('When')) await this.room.answer(id, 'it works');
    else {
      const words = this.wordsFor(title) ?? 'try again';
      await this.room.answer(id, words);
      this.noteChoice(words, task);
    }
  }

  /** Replies to a ticket, with the option if the words are one; the reply is scored. */
  async reply({ id, title }: Pick<TicketRow, 'id' | 'title'>, text: string): Promise<void> {
    const option = optionsOf(title)?.includes(text) === true ? { option: text } : {};
    const order = { type: 'tickets.reply', ticket: id, by: 'ada', text, ...option };
    if ((await this.room.order('tickets', order)).taken) this.see('replies');
  }

  /** The words that decide where a question has words of its own; undefined elsewhere. */
  wordsFor(title: string): string | undefined {
    if (/MVP/.test(title)) return this.one(['MVP', 'post-launch'])!;
    const primary = /^(\w+) (?:is not there|unavailable)/.exec(title)?.[1];
    if (primary !== undefined) return this.random.integer(4) === 0 ? PLAN_ONLY : `install ${primary}`;
    if (/^May \d+ tasks/.test(title)) return this.one(['plan them', 'plan them', 'drop them'])!;
    // The way out that was taken least.
    const [least] = AFTER_CHECKS.toSorted((a, b) => this.seen[a] - this.seen[b]);
    return title.includes('fails its checks') ? least : undefined;
  }

  /** Notes what an owner has decided about a task that fails its checks. */
  noteChoice(words: string, task: string | null): void {
    const choice = AFTER_CHECKS.find((one) => one === words);
    if (choice === undefined || task === null) return;
    this.decided.add(task);
    this.see(choice);
  }

  /** Has a task planned that was left for later. */
  async release({ id }: TaskRow): Promise<void> {
    const order = { type: 'tasks.unblock', task: id, by: 'ada' };
    const { taken } = await this.room.order('delivery/orchestrator', order);
    this.unless(taken, 'a task that was left for later is not released');
    this.unless(this.room.task(id).isDeferred === false, 'a released task is left for later');
    this.see('released');
  }

  async #size(title: string): Promise<void> {
    const task = title.split(' ')[0]!;
    const row = this.room.task(task);
    if (row.item.concerns.length > 1)
      await this.room.order('delivery/orchestrator', {
        type: 'tasks.fail',
        task,
        by: 'ada',
        reason: 'two things at once',
      });
    else await this.room.order('delivery/orchestrator', { type: 'tasks.change', task, by: 'ada', minutes: 30 });
  }

  #standing(): string {
    return JSON.stringify(this.open.map(({ id, status, tickets }) => [id, status, tickets]));
  }

  #waitsForOthers({ status, waitsFor, reason, parts, item: { kind, parent } }: TaskRow): boolean {
    if (status === 'pending') return waitsFor > 0;
    // A fix that is done waits with the task that it mends.
    if (status === 'in_verification' && kind === 'fix' && parent !== null && !this.room.task(parent).isOver)
      return true;
    return (status === 'decomposed' || reason === 'fix') && parts > 0;
  }

  async #resume(): Promise<void> {
    for (const team of ['planning', 'decomposition', 'verification', 'coding-ai'])
      await this.room.order('delivery/organisation', { type: 'org.set', team, isDrained: false, by: 'ada' });
  }

  /** Has every coding agent take a task and do it. */
  async #workAll(): Promise<void> {
    for (const coder of CODERS) {
      const { directive } = await this.room.next(coder);
      if (directive === null) continue;
      const files = this.random.integer(6) === 0 ? [BUSY] : ['src/a.ts'];
      const isFew = this.overseer.level === 'halted' && this.seen.held <= BATCH_MAX;
      await this.room.done(coder, directive.taskId, { files, followUps: isFew ? tidyUps(BATCH_MAX) : [] });
      this.check();
    }
  }
}

function same(some: readonly string[], others: readonly string[]): boolean {
  return JSON.stringify([...some].sort()) === JSON.stringify([...others].sort());
}

const pull: Move = async (story) => {
  const coder = story.one(CODERS)!;
  const held = [...story.room.orchestrator.working.entries()].find(([, place]) => place.coder === coder)?.[0];
  const isUrgentOn = [...story.room.orchestrator.working.values()].some(({ priority }) => priority === 1);
  const { directive } = await story.room.next(coder);
  if (directive === null) return;
  story.see('given');
  story.has.set(coder, directive.taskId);
  if (held !== undefined) return story.unless(directive.taskId === held, 'a session has lost its task');
  const row = story.room.task(directive.taskId);
  story.unless((row.item.minutes ?? 99) <= 45, 'a task that is too large was given');
  story.unless(row.item.context.acceptance.length > 0, 'a task without criteria was given');
  story.unless(row.waitsFor === 0, 'a task was given before what it needs');
  story.unless(row.item.priority > 1 || !isUrgentOn, 'two tasks of priority 1 are in progress');
};

function reporting(status: string): Move {
  return async (story) => {
    const coder = story.one(CODERS)!;
    const task = story.has.get(coder);
    if (task !== undefined) replied(story, await story.room.report(coder, task, { status, details: `says ${status}` }));
  };
}

function replied(story: DeliveryStory, { taken }: TaskReply): void {
  if (!taken) story.see('refused orders');
}

/** Work that a session finds on the way: much of it while none is planned. */
function found(story: DeliveryStory): object[] {
  const isHalted = story.overseer.level === 'halted';
  const count = story.random.integer(isHalted ? 3 : 15) === 0 ? Math.min(isHalted ? BATCH_MAX : 1, story.finds) : 0;
  story.finds -= count;
  return tidyUps(count);
}

function tidyUps(count: number): object[] {
  return Array.from({ length: count }, (_, at) => ({ title: `tidy up ${at}`, minutes: 20 }));
}

function ending(status: string): Move {
  return async (story) => {
    const coder = story.one(CODERS)!;
    const task = story.has.get(coder);
    if (task === undefined) return;
    const followUps = found(story);
    const files = story.random.integer(5) === 0 ? ['src/a.ts', BUSY] : ['src/a.ts'];
    replied(story, await story.room.done(coder, task, { status, details: `ends ${status}`, followUps, files }));
    // Some sessions forget that they have ended a task.
    if (story.random.integer(4) > 0) story.has.delete(coder);
  };
}

const wait: Move = async (story) => {
  const before = story.open.filter(({ reason }) => reason === 'stall').length;
  await story.room.test.advance((1 + story.random.integer(90)) * SECOND_MS);
  if (story.open.filter(({ reason }) => reason === 'stall').length > before) story.see('stalls');
};

const WORDS = ['yes', 'no', 'confirm', 'reject', 'try again', 'give up', 'It has to be 8080, as in docs.'] as const;
const UNCLEAR = ['Hm.', 'Maybe, whatever you like.', 'It depends.'] as const;

/** Whether the proof needs a task, so that nobody gives it up. */
function isSpared(story: DeliveryStory, task: string | null): boolean {
  return task !== null && isStubborn(story.room.task(task).item);
}

const answer: Move = async (story) => {
  const ticket = story.one(story.room.tickets());
  if (ticket === undefined) return;
  const { id, title, task, about } = ticket;
  const text = story.random.integer(6) === 0 ? story.one(UNCLEAR)! : (story.wordsFor(title) ?? story.one(WORDS)!);
  const isKept = isSpared(story, task) || about === 'investigation';
  if (text === 'give up' && (isKept || story.random.integer(8) > 0)) return;
  story.see('answers');
  if (story.random.integer(50) === 0 && !isKept)
    await story.room.order('tickets', { type: 'tickets.reject', ticket: id, by: 'ada', reason: 'no idea' });
  else if (story.random.integer(3) === 0 && !title.includes('fails its checks')) await story.reply(ticket, text);
  else {
    await story.room.answer(id, text);
    story.noteChoice(text, task);
  }
};

const ask: Move = async (story) => {
  const coder = story.one(CODERS)!;
  const task = story.has.get(coder);
  if (task === undefined) return;
  story.see('questions');
  const question = `Which port has service ${story.random.integer(1_000)} to listen on?`;
  const bundle = { question, confidence_level: 50, current_task_id: task };
  const asked = story.room.test.system.ask('answers', { type: 'answers.ask', asker: coder, bundle, maxWaitMs: 0 });
  asked.catch(() => {});
  await story.room.test.settle();
};

const change: Move = async (story) => {
  const row = story.one(story.open);
  if (row === undefined) return;
  const minutes = story.random.integer(3) === 0 ? { minutes: 10 + story.random.integer(60) } : {};
  // Only of what has not begun: two that are in progress may become urgent.
  const priority = row.status === 'pending' ? { priority: 1 + story.random.integer(3) } : {};
  const order = { type: 'tasks.change', task: row.id, by: 'ada', ...minutes, ...priority };
  await story.room.order('delivery/orchestrator', order);
};

const unblock: Move = async (story) => {
  const row = story.one(story.open.filter(({ status }) => status === 'blocked'));
  if (row !== undefined)
    await story.room.order('delivery/orchestrator', { type: 'tasks.unblock', task: row.id, by: 'ada' });
};

const giveUp: Move = async (story) => {
  const row = story.random.integer(30) === 0 ? story.one(story.open) : undefined;
  if (row === undefined || isSpared(story, row.id)) return;
  await story.room.order('delivery/orchestrator', {
    type: 'tasks.fail',
    task: row.id,
    by: 'ada',
    reason: 'not needed',
  });
};

const reportFailure: Move = async (story) => {
  const isChecked = story.random.integer(3) > 0;
  const row = story.one(story.open.filter(({ status }) => !isChecked || status === 'in_verification'));
  if (row === undefined) return;
  const said = { coder: story.one(CODERS), test: 'multiplies', message: '2 is not 4' };
  const order = { type: 'tasks.failure', task: row.id, ...said };
  if ((await story.room.order('delivery/orchestrator', order)).taken) story.see('reported failures');
};

/** The findings of somebody outside; those of a stubborn task are never good. */
function outsideFindings(story: DeliveryStory, row: TaskRow): object {
  const chance = isStubborn(row.item) ? 0 : story.random.integer(6);
  if (chance === 0) return { failures: [{ test: 'divides', message: '1 is not 2' }] };
  if (chance === 1) return { unmet: ['it works'] };
  return chance === 2 ? { visual: ['the button is red'] } : {};
}

const checkOutside: Move = async (story) => {
  const isOwn = story.random.integer(3) === 0;
  const row = story.one(story.open.filter(({ status }) => status === 'in_verification'));
  const checker = isOwn ? row?.coder : story.one(CODERS);
  if (row === undefined || !checker) return;
  const order = { type: 'tasks.checked', task: row.id, checker, ...outsideFindings(story, row) };
  const { taken, code } = await story.room.order('delivery/orchestrator', order);
  if (row.coder === checker) {
    story.unless(!taken && code === 'conflict', 'a coding agent has checked its own work');
    story.see('refused own checks');
  } else story.see(taken ? 'outside checks' : 'refused orders');
};

const release: Move = async (story) => {
  const later = story.open.filter(({ isDeferred }) => isDeferred);
  story.seen.deferred = Math.max(story.seen.deferred, later.length);
  const row = story.one(later);
  if (row !== undefined && story.random.integer(3) === 0) await story.release(row);
};

const drain: Move = async (story) => {
  const team = story.one(['planning', 'decomposition', 'verification', 'coding-ai'])!;
  const isDrained = story.random.integer(4) === 0;
  await story.room.order('delivery/organisation', { type: 'org.set', team, isDrained, by: 'ada' });
};

/** Cuts the power at rest, or while an order is under way. */
const cut: Move = async (story) => {
  story.see('cuts');
  const coder = story.one(CODERS)!;
  const task = story.has.get(coder);
  const { test } = story.room;
  const order = task === undefined ? { type: 'tasks.next', coder } : { type: 'tasks.done', coder, task, files: ['a'] };
  if (story.random.integer(3) > 0) test.system.ask('delivery/orchestrator', order).catch(() => {});
  for (let left = story.random.integer(8); left > 0; left -= 1)
    await new Promise<void>((resolve) => test.clock.defer(resolve));
  await test.crash({ keepUnsynced: story.random.integer(2) });
  await test.restart();
};

const MOVES: readonly Move[] = [
  ...[pull, pull, pull, pull, pull, pull],
  ...[
    reporting('in_progress'),
    reporting('in_progress'),
    reporting('blocked'),
    reporting('failed'),
    reporting('paused'),
  ],
  ...[ending('done'), ending('done'), ending('done'), ending('done'), ending('partial'), ending('failed')],
  ...[wait, wait, wait, answer, answer, answer, answer, answer, ask, change, unblock, giveUp, drain],
  ...[reportFailure, checkOutside, checkOutside, release],
];
