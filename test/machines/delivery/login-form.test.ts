/**
 * The story of the seed (MX-E16): a login form from its plan to its verification, with its two error cases, and with a
 * power cut before each of its steps.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { type AnswerPorts } from '../../../src/machines/answers/answer-ports.ts';
import { type DeliveryPorts } from '../../../src/machines/delivery/delivery-ports.ts';
import { answering } from '../../support/machines/answer-room.ts';
import { DeliveryRoom, MINUTE_MS, SECOND_MS, task } from '../../support/machines/delivery-room.ts';
import { endedIn, openIn } from '../../../src/machines/rules/records.ts';

const MASKING = 'How has the password field to be masked: dots or asterisks?';
const parts = ['Form markup', 'Password masking', 'Submit handler'];
/** A task with the test that shows that it is done. */
const part = (at: number, minutes: number) => ({
  ...task(parts[at]!, { minutes, dependsOn: at === 0 ? [] : [parts[at - 1]!] }),
  acceptance: [{ criterion: `${parts[at]} works`, test: `login > ${parts[at]}` }],
});
const LOGIN = task('Add login form', { minutes: 100, subtasks: [part(0, 30), part(1, 40), part(2, 20)] });

interface Told {
  readonly status: string;
  readonly confidence: number;
  readonly ticket_id: string | null;
}

class LoginStory {
  room!: DeliveryRoom;
  readonly answers: Partial<AnswerPorts>;
  /** Tests that fail until their task is mended. */
  readonly failing: Set<string>;
  /** Times at which checks ran, by task. */
  readonly checked: (readonly [task: string, atMs: number])[] = [];
  answer: Told | undefined;
  doneAtMs = 0;

  constructor({ answers = answering(99), failing = [] }: { answers?: Partial<AnswerPorts>; failing?: string[] } = {}) {
    this.answers = answers;
    this.failing = new Set(failing);
  }

  get nowMs(): number {
    return this.room.test.clock.wallMs();
  }

  async begin(): Promise<void> {
    const verify: DeliveryPorts['verify'] = ({ id, wanted }) => {
      this.checked.push([id, this.nowMs]);
      const failures = wanted
        .filter((name) => this.failing.has(name))
        .map((test) => ({ test, message: `${test} fails` }));
      const shown = wanted.filter((name) => !this.failing.has(name));
      return Promise.resolve({
        failures,
        tests: { ran: 'npm test', passed: shown.length, failed: failures.length, skipped: 0, shown },
      });
    };
    this.room = await DeliveryRoom.start({ delivery: { ports: { verify } }, answers: this.answers });
  }

  async does(id: string): Promise<void> {
    const { directive } = await this.room.next('cc');
    expect(directive?.taskId).toBe(id);
  }

  async ask(taskId: string): Promise<void> {
    const asked = this.room.test.system.ask<Told>('answers', {
      ...{ type: 'answers.ask', asker: 'cc', maxWaitMs: 20_000 },
      bundle: { question: MASKING, confidence_level: 60, current_task_id: taskId, priority_level: 1 },
    });
    await this.room.test.advance(20 * SECOND_MS);
    this.answer = await asked;
  }

  async done(id: string): Promise<void> {
    this.doneAtMs = this.nowMs;
    await this.room.done('cc', id);
  }
}

type Step = (story: LoginStory) => Promise<unknown>;
const pull =
  (id: string): Step =>
  (story) =>
    story.does(id);
const progress =
  (id: string): Step =>
  (story) =>
    story.room.report('cc', id, { percent: 50 });
const done =
  (id: string): Step =>
  (story) =>
    story.done(id);
const pass =
  (seconds: number): Step =>
  (story) =>
    story.room.test.advance(seconds * SECOND_MS);

/** The whole story; `asked`: what happens between the question about masking and its answer. */
const steps = (asked: readonly Step[] = [], mended: readonly Step[] = []): readonly Step[] => [
  (story) => story.room.submit([LOGIN]),
  pull('TASK-002'),
  progress('TASK-002'),
  done('TASK-002'),
  pass(30),
  pass(31),
  pull('TASK-003'),
  progress('TASK-003'),
  (story) => story.ask('TASK-003'),
  ...asked,
  progress('TASK-003'),
  done('TASK-003'),
  pass(59),
  pass(2),
  ...mended,
  pass(1),
  pull('TASK-004'),
  progress('TASK-004'),
  pass(5),
  done('TASK-004'),
  pass(20),
  pass(41),
];

let story: LoginStory;
afterEach(() => story?.room.test.system.stop());

/** Tells the story, with a power cut before one of its steps. */
async function tell(told: LoginStory, script: readonly Step[], cutBefore = -1): Promise<LoginStory> {
  story = told;
  await told.begin();
  for (const [at, step] of script.entries()) {
    if (at === cutBefore) await told.room.powerCut();
    await step(told);
  }
  return told;
}

const statuses = ({ room }: LoginStory) =>
  ['TASK-001', 'TASK-002', 'TASK-003', 'TASK-004'].map((id) => `${room.status(id)}`);
const VERIFIED = ['verified', 'verified', 'verified', 'verified'];

describe('the login form', () => {
  it('MX-E16: is planned, coded, asked about, checked and verified, task by task', async () => {
    const { room, answer, checked } = await tell(new LoginStory(), steps());
    const rows = endedIn(room.orchestrator).sort((a, b) => a.number - b.number);
    // 1. An issue of 100 minutes becomes three tasks of 30, 40 and 20 minutes.
    expect(rows.map(({ item }) => item.minutes)).toEqual([100, 30, 40, 20]);
    // 2. They are done one after the other, each pulled once.
    expect(rows.map(({ attempts }) => attempts)).toEqual([0, 1, 1, 1]);
    // 3. The question about masking is answered surely enough, and nobody is asked.
    expect(answer).toMatchObject({ status: 'answered', ticket_id: null });
    expect(answer!.confidence).toBeGreaterThanOrEqual(95);
    // 4. Each check begins a minute after its task was done.
    const handoffs = await room.handoffs();
    const doneAtMs = (id: string) => handoffs.find(({ row, item }) => row === 7 && item === id)!.atMs;
    expect(checked.map(([id, atMs]) => [id, atMs - doneAtMs(id)])).toEqual(
      ['TASK-002', 'TASK-003', 'TASK-004'].map((id) => [id, MINUTE_MS]),
    );
    // 5. All are verified, by their tests.
    expect(statuses(story)).toEqual(VERIFIED);
    expect(room.task('TASK-003').check).toMatchObject({ matches: ['Password masking works'], remaining: [], open: [] });
    // 6. Each next task begins after the one before is verified.
    const pulledAtMs = (id: string) => handoffs.find(({ row, item }) => row === 4 && item === id)!.atMs;
    expect(pulledAtMs('TASK-003')).toBeGreaterThanOrEqual(checked[0]![1]);
    // 7. The dashboard has heard of every hand-off, and nothing is left.
    expect(handoffs.every(({ isAccepted }) => isAccepted)).toBe(true);
    expect(room.dashboard.counts).toEqual({ 3: 3, 4: 3, 7: 3 });
    expect([openIn(room.orchestrator).length, room.tickets()]).toEqual([0, []]);
  });

  it('MX-E16: waits for people where the Answer Team is at 30 %, and goes on by a clear reply', async () => {
    const asked: Step[] = [
      async ({ room, answer }) => {
        expect(answer).toMatchObject({ status: 'waiting', ticket_id: expect.any(String) });
        expect(room.status('TASK-003')).toBe('blocked');
        const text = 'Mask the password with dots, as the browser does.';
        await room.order('tickets', { type: 'tickets.reply', ticket: answer!.ticket_id!, by: 'ada', text });
      },
      pass(6),
      pull('TASK-003'),
    ];
    const { room } = await tell(new LoginStory({ answers: answering(30) }), steps(asked));
    expect(statuses(story)).toEqual(VERIFIED);
    expect((await room.handoffs()).map(({ row }) => row)).toEqual(expect.arrayContaining([5, 6, 10]));
  });

  it('MX-E16: has a test of masking that fails mended, and is verified then', async () => {
    const mended: Step[] = [
      async ({ room }) => {
        expect(room.tickets()).toMatchObject([{ kind: 'investigation', title: expect.stringMatching(/masking/) }]);
        expect(room.task('TASK-003')).toMatchObject({ status: 'in_verification', reason: 'fix' });
      },
      pull('TASK-005'),
      async ({ failing }) => failing.clear(),
      done('TASK-005'),
      pass(61),
    ];
    const { room } = await tell(new LoginStory({ failing: ['login > Password masking'] }), steps([], mended));
    expect([...statuses(story), room.status('TASK-005')]).toEqual([...VERIFIED, 'verified']);
    expect(room.task('TASK-005').item).toMatchObject({ title: 'Fix: login > Password masking', parent: 'TASK-003' });
    expect(room.tickets()).toEqual([]);
  });

  it('MX-E16: is the same with a power cut before any of its steps', { timeout: 60_000 }, async () => {
    const script = steps();
    const { room } = await tell(new LoginStory(), script);
    const log = async (of: DeliveryRoom) => (await of.handoffs()).map(({ row, item, atMs }) => [row, item, atMs]);
    const expected = await log(room);
    await room.test.system.stop();
    expect(script.length).toBeGreaterThanOrEqual(20);
    for (const at of script.keys()) {
      const cut = await tell(new LoginStory(), script, at);
      expect([at, statuses(cut), await log(cut.room)]).toEqual([at, VERIFIED, expected]);
      await cut.room.test.system.stop();
    }
  });
});
