/**
 * A random story of the delivery organisation on virtual time: plans, coding agents that work, fail, fall silent and
 * ask, people who answer or do not, drained teams, and power cuts. What is wrong is in `problems`.
 */
import { type WrittenTask } from '../../../src/machines/delivery/plans/plan-document.ts';
import { type Findings } from '../../../src/machines/delivery/delivery-ports.ts';
import { type TaskRow } from '../../../src/machines/delivery/tasks/orchestrator-state.ts';
import { chanceOf } from '../../../src/testing/simulation/keyed-chance.ts';
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';
import { DeliveryRoom, MINUTE_MS, SECOND_MS } from './delivery-room.ts';

const CODERS = ['ann', 'ben', 'cid', 'dot', 'eve'] as const;
type Move = (story: DeliveryStory) => Promise<void>;

/** A random plan, whose large tasks have subtasks, and a few of which nobody can size. */
function planOf(random: SeededRandom, size: number): WrittenTask[] {
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
      acceptance: random.integer(8) === 0 ? [] : [`task ${at} works`],
      dependsOn: at === 0 ? [] : [...new Set(before)],
      ...(isLarge && random.integer(4) > 0 && { subtasks }),
    };
  });
}

export class DeliveryStory {
  readonly problems = new Set<string>();
  readonly seen = { given: 0, cuts: 0, answers: 0, stalls: 0, questions: 0 };
  readonly random: SeededRandom;
  readonly #plans: number;
  readonly #plan: SeededRandom;
  readonly #tasks: number;
  room!: DeliveryRoom;
  /** Whether sessions, people and checks do only good from now on. */
  #isKind = false;
  /** Tasks by the coding agent that has been given them. */
  readonly has = new Map<string, string>();

  constructor(seed: number, { plans, tasks }: { readonly plans: number; readonly tasks: number }) {
    this.random = chanceOf(seed, 'moves');
    this.#plan = chanceOf(seed, 'plans');
    this.#plans = plans;
    this.#tasks = tasks;
  }

  async begin(): Promise<void> {
    const verify = () => (this.#isKind ? Promise.resolve({ failures: [] }) : this.#check());
    this.room = await DeliveryRoom.start({ delivery: { ports: { verify } } });
    for (let at = 0; at < this.#plans; at += 1) {
      const size = Math.round(this.#tasks / this.#plans / 1.8);
      const { taken, problems } = await this.room.submit(planOf(this.#plan, size), {
        name: `plan-${at}`,
        owner: 'ada',
      });
      if (!taken) this.problems.add(`a plan was refused: ${problems.join('; ')}`);
    }
  }

  #check(): Promise<Findings> {
    const chance = this.random.integer(20);
    if (chance === 0) return Promise.reject(new Error('the checker has crashed'));
    if (chance === 1) return Promise.resolve('nonsense' as never);
    const found: Findings = { failures: [], tests: null, unmet: [], visual: [] };
    if (chance < 6) return Promise.resolve({ ...found, failures: [{ test: 'adds', message: '1 is not 2' }] });
    if (chance < 8) return Promise.resolve({ ...found, unmet: ['it works'] });
    return Promise.resolve(chance < 10 ? { ...found, visual: ['the button is blue'] } : found);
  }

  get open(): readonly TaskRow[] {
    return [...this.room.orchestrator.open.values()];
  }

  one<Item>(items: readonly Item[]): Item | undefined {
    return items[this.random.integer(Math.max(1, items.length))];
  }

  async run(moves: number): Promise<void> {
    for (let at = 0; at < moves && this.open.length > 0; at += 1) {
      await this.one(MOVES)!(this);
      this.check();
    }
  }

  /** Checks what holds at rest. */
  check(): void {
    const { working, places, queue, pulls, counts, open, ended } = this.room.orchestrator;
    const rows = [...open.values(), ...ended.values()];
    const coders = [...working.values()].map(({ coder }) => coder);
    this.unless(working.size <= places, 'more sessions than places');
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
    for (const { status, reason, tickets } of open.values())
      if (status === 'blocked' && ['stall', 'coder', 'size', 'context', 'question'].includes(reason!))
        this.unless(
          tickets.some((id) => waiting.has(id)),
          `a task is blocked (${reason}), and nobody is asked`,
        );
    for (const status of new Set(rows.map((row) => row.status)))
      this.unless(counts[status] === rows.filter((row) => row.status === status).length, `miscounted: ${status}`);
  }

  unless(isRight: boolean, problem: string): void {
    if (!isRight) this.problems.add(problem);
  }

  /** Lets all that can go on without people go on, and checks that each task ends or waits with a named person. */
  async rest(): Promise<void> {
    this.#isKind = true;
    await this.#resume();
    for (let round = 0; round < 400; round += 1) {
      const before = this.#standing();
      await this.#workAll();
      await this.room.test.advance(2 * MINUTE_MS);
      if (this.#standing() === before && this.room.orchestrator.working.size === 0) break;
    }
    this.check();
    const tickets = new Map(this.room.tickets().map((ticket) => [ticket.id, ticket.assignee]));
    for (const row of this.open)
      if (
        !this.#waitsForOthers(row) &&
        !row.tickets.some(
          (ticket) => tickets.get(ticket) === 'ada' || (row.reason === 'question' && tickets.has(ticket)),
        )
      )
        this.problems.add(`${row.status} (${row.reason}: ${row.because}) waits for nobody`);
  }

  /** Answers all questions, and has everything done. */
  async end(): Promise<void> {
    for (let round = 0; round < 100 && this.open.length > 0; round += 1) {
      for (const { id, title } of this.room.tickets()) {
        const text = /^Does/.test(title) ? (title.includes('look right') ? 'confirm' : 'yes') : 'try again';
        if (/has no size/.test(title)) await this.#size(title);
        else await this.room.answer(id, text === 'try again' && /^When/.test(title) ? 'it works' : text);
      }
      await this.#workAll();
      await this.room.test.advance(2 * MINUTE_MS);
    }
    this.check();
    for (const row of this.open)
      this.problems.add(`never ends: ${row.id} ${row.status} (${row.reason}: ${row.because})`);
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
      if (directive !== null) await this.room.done(coder, directive.taskId);
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
  story.seen.given += 1;
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
    if (task !== undefined) await story.room.report(coder, task, { status, details: `says ${status}` });
  };
}

function ending(status: string): Move {
  return async (story) => {
    const coder = story.one(CODERS)!;
    const task = story.has.get(coder);
    if (task === undefined) return;
    const followUps = story.random.integer(15) === 0 ? [{ title: 'tidy up', minutes: 20 }] : [];
    await story.room.done(coder, task, { status, details: `ends ${status}`, followUps });
  };
}

const wait: Move = async (story) => {
  const before = story.open.filter(({ reason }) => reason === 'stall').length;
  await story.room.test.advance((1 + story.random.integer(90)) * SECOND_MS);
  if (story.open.filter(({ reason }) => reason === 'stall').length > before) story.seen.stalls += 1;
};

const answer: Move = async (story) => {
  const ticket = story.one(story.room.tickets());
  if (ticket === undefined) return;
  story.seen.answers += 1;
  const text = story.one(['yes', 'no', 'confirm', 'reject', 'try again', 'give up', 'It has to be 8080, as in docs.'])!;
  if (text === 'give up' && story.random.integer(8) > 0) return;
  if (story.random.integer(30) === 0)
    await story.room.order('tickets', { type: 'tickets.reject', ticket: ticket.id, by: 'ada', reason: 'no idea' });
  else await story.room.answer(ticket.id, text);
};

const ask: Move = async (story) => {
  const coder = story.one(CODERS)!;
  const task = story.has.get(coder);
  if (task === undefined) return;
  story.seen.questions += 1;
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
  const row = story.random.integer(20) === 0 ? story.one(story.open) : undefined;
  if (row === undefined) return;
  await story.room.order('delivery/orchestrator', {
    type: 'tasks.fail',
    task: row.id,
    by: 'ada',
    reason: 'not needed',
  });
};

const drain: Move = async (story) => {
  const team = story.one(['planning', 'decomposition', 'verification', 'coding-ai'])!;
  const isDrained = story.random.integer(4) === 0;
  await story.room.order('delivery/organisation', { type: 'org.set', team, isDrained, by: 'ada' });
};

const cut: Move = async (story) => {
  if (story.random.integer(3) > 0) return;
  story.seen.cuts += 1;
  await story.room.powerCut();
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
  ...[wait, wait, answer, answer, answer, answer, ask, change, unblock, giveUp, drain, cut],
];
