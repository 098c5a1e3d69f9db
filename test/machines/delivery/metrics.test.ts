/**
 * The figures of a delivery organisation after random stories with power cuts: each equals what is recounted from the
 * records of tasks and hand-offs.
 */
import { describe, expect, it } from 'vitest';
import { type HandoffEntry } from '../../../src/machines/delivery/organisation/handoff-messages.ts';
import { metricsOf, type Metrics, type TaskEntry } from '../../../src/machines/delivery/tasks/task-figures.ts';
import { seedOf } from '../../support/chance.ts';
import { byEffort, LONG_PATIENCE_MS } from '../../support/effort.ts';
import { type DeliveryRoom, DeliveryRoom as Room, MINUTE_MS, task } from '../../support/machines/delivery-room.ts';
import { DeliveryStory } from '../../support/machines/delivery-story.ts';

const STORIES = byEffort({ quick: 1, ci: 2, soak: 20 });

/** All records of a name, the first ones first. */
async function recordsOf<Value>({ test }: DeliveryRoom, actor: string, name: string): Promise<Value[]> {
  const all: Value[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page = { limit: 500, ...(after > 0 && { after }) };
    const { records, next } = await test.system.records.list(`delivery/${actor}`, name, page);
    all.push(...records.map(({ value }) => value as Value));
    after = next ?? undefined;
  }
  return all;
}

const sum = (numbers: readonly number[]) => numbers.reduce((before, one) => before + one, 0);
const mean = (numbers: readonly number[]) => (numbers.length === 0 ? null : sum(numbers) / numbers.length);

/** The milliseconds from the last time that a task was done to its verification; undefined if there are none. */
function waitOf(story: readonly TaskEntry[]): number | undefined {
  const verified = story.find(({ status }) => status === 'verified');
  const done = story.findLast(
    ({ status }, at) => status === 'in_verification' && story[at - 1]?.status !== 'in_verification',
  );
  return verified && done && verified.atMs - done.atMs;
}

/** The figures as the records have them. */
async function recounted(room: DeliveryRoom): Promise<Metrics> {
  const entries = await recordsOf<TaskEntry>(room, 'orchestrator', 'tasks');
  const handed = await recordsOf<HandoffEntry>(room, 'organisation', 'handoffs');
  const stories = [...new Set(entries.map(({ task: id }) => id))].map((id) => entries.filter((one) => one.task === id));
  const last = stories.map((story) => story.at(-1)!);
  const ended = (status: TaskEntry['status']) => last.filter((one) => one.status === status);
  const [verified, failed] = [ended('verified'), ended('failed')];
  const checked = [...verified, ...failed].filter(({ checks }) => checks > 0);
  const rows: Record<string, number> = {};
  for (const { row, isAccepted } of handed) if (isAccepted) rows[row!] = (rows[row!] ?? 0) + 1;
  const isStall = (one: TaskEntry | undefined) => one?.status === 'blocked' && one.reason === 'stall';
  const isFirst = (one: TaskEntry, before: TaskEntry | undefined) => isStall(one) && !isStall(before);
  const stalls = stories.map((story) => story.filter((one, at) => isFirst(one, story[at - 1])).length);
  return {
    tasks: { verified: verified.length, failed: failed.length, open: last.length - verified.length - failed.length },
    checks: sum(last.map(({ checks }) => checks)),
    fixes: sum(last.map(({ fixes }) => fixes)),
    investigations: sum(last.map(({ investigations }) => investigations)),
    stalls: sum(stalls),
    passed_at_once_percent: mean(
      checked.map(({ status, flawed }) => (status === 'verified' && flawed === 0 ? 100 : 0)),
    ),
    done_to_verified_ms: mean(stories.flatMap((story) => waitOf(story) ?? [])),
    questions_per_task: mean(last.map(({ questions }) => questions)),
    handoffs: rows,
    refused_handoffs: handed.filter(({ isAccepted }) => !isAccepted).length,
  };
}

describe('the figures', () => {
  it.each(Array.from({ length: STORIES }, (_, at) => at))(
    'CN-020: equal a recount of the records after a random story with power cuts: %i',
    { timeout: LONG_PATIENCE_MS },
    async (at) => {
      const story = new DeliveryStory(seedOf(`metrics ${at}`), { plans: 1, tasks: 45 });
      await story.begin();
      const { room } = story;
      const told = () => metricsOf(room.orchestrator, room.organisation);
      for (let part = 0; part < 4; part += 1) {
        await story.run(90, 1);
        await room.powerCut();
        expect(told()).toEqual(await recounted(room));
      }
      await story.rest();
      await story.end();
      const figures = told();
      expect(figures).toEqual(await recounted(room));
      expect(figures.tasks.open).toBe(0);
      // The proof is worth something only if there was something to count.
      for (const number of [figures.checks, figures.fixes, figures.investigations]) expect(number).toBeGreaterThan(0);
      await room.test.system.stop();
    },
  );

  it('CN-020: are those of one task that was mended once', async () => {
    let failures = [{ test: 'adds' }];
    const verify = () => Promise.resolve({ failures }).finally(() => (failures = []));
    const room = await Room.start({ delivery: { ports: { verify } } });
    await room.submit([task('Login'), task('Logout')]);
    for (const id of ['TASK-001', 'TASK-003', 'TASK-002']) {
      expect((await room.next('ann')).directive?.taskId).toBe(id);
      await room.done('ann', id);
      await room.test.advance(MINUTE_MS);
    }
    expect(metricsOf(room.orchestrator, room.organisation)).toEqual({
      ...{ tasks: { verified: 3, failed: 0, open: 0 }, checks: 3, fixes: 1, investigations: 1, stalls: 0 },
      ...{ passed_at_once_percent: 50, done_to_verified_ms: (2 + 1 + 1) * (MINUTE_MS / 3), questions_per_task: 0 },
      ...{ handoffs: { 3: 3, 4: 3, 7: 3, 8: 1 }, refused_handoffs: 0 },
    });
    // One is held back, since it has no criteria, and the session of the other falls silent.
    await room.submit([task('Footer', { acceptance: [] }), task('Header')]);
    expect((await room.next('ann')).directive?.title).toBe('Header');
    await room.test.advance(2 * MINUTE_MS);
    const told = metricsOf(room.orchestrator, room.organisation);
    expect(told).toMatchObject({ tasks: { verified: 3, open: 2 }, stalls: 1, refused_handoffs: 1 });
    expect(told).toEqual(await recounted(room));
    await room.test.system.stop();
  });
});
