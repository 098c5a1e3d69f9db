/**
 * Work of a stage as an async function: the next attempt has everything that an attempt has stored, whenever the power
 * is cut.
 */
import { describe, expect, it } from 'vitest';
import { workOf } from '../src/crew-work.ts';
import { type WorkContext } from '../src/machines/work/agent-function.ts';
import { VirtualClock } from '../src/testing/virtual-clock.ts';
import { planOf } from './support/fixtures/plans/plans.ts';
import { type Crew, startCrew } from './support/machines/crew-subject.ts';

const STAGE = 'stages/a/agent';

/** A plan of one task, whose first attempt runs until the power is cut. */
async function cutOff(work: (context: WorkContext, attempt: number) => Promise<unknown>): Promise<Crew> {
  const clock = new VirtualClock();
  const crew = await startCrew(planOf({ tasks: [{ id: 'a', agent: 'writer' }] }), {
    clock,
    logic: workOf((_, context) => work(context, context.attempt), { clock }),
  });
  await crew.test.settle();
  return crew;
}

describe('the stored data of an attempt', () => {
  it('is available to the next attempt, even if the stage had not read its message before the crash (K1)', async () => {
    let store = () => {};
    const found: unknown[] = [];
    const crew = await cutOff(async ({ checkpoint, checkpointed }, attempt) => {
      found.push(checkpointed);
      if (attempt > 1) return;
      await new Promise<void>((resolve) => (store = resolve));
      await checkpoint({ page: 7 });
      found.push('stored');
      await new Promise(() => {});
    });
    await crew.test.shard.admin.suspend(STAGE, { by: 'test', reason: 'its mail is durable and unread' });
    store();
    await crew.test.settle();
    await crew.crashAndRestart();
    expect(found).toEqual([undefined, 'stored', { page: 7 }]);
  });

  it('includes results of subtasks, even if the stage had not read their messages (K1)', async () => {
    let begin = () => {};
    const runs: number[] = [];
    const crew = await cutOff(async ({ subtask }, attempt) => {
      if (attempt === 1) await new Promise<void>((resolve) => (begin = resolve));
      await subtask('count', () => void runs.push(attempt));
      if (attempt === 1) await new Promise(() => {});
    });
    await crew.test.shard.admin.suspend(STAGE, { by: 'test', reason: 'its mail is durable and unread' });
    begin();
    await crew.test.settle();
    await crew.crashAndRestart();
    await crew.test.shard.admin.resume(STAGE, { by: 'test', reason: 'over' });
    await crew.test.settle();
    expect({ runs, state: crew.state() }).toEqual({ runs: [1], state: 'completed' });
  });
});

describe('the time limit of an attempt', () => {
  /** A task with a limit of one second, whose attempts end when told. */
  async function limited(succeeds: boolean) {
    const clock = new VirtualClock();
    const attempts: ((output: string) => void)[] = [];
    const task = { id: 'a', run: 'server & echo ready', timeoutMs: 1_000, retry: { attempts: 3 } };
    const logic = workOf(
      (_, __, ___, succeeded) => {
        if (succeeds) succeeded();
        return new Promise((resolve) => attempts.push(resolve));
      },
      { clock },
    );
    const crew = await startCrew(planOf({ tasks: [task] }), { clock, logic });
    await crew.test.settle();
    return { crew, attempts };
  }

  it('is over for an attempt that is done and only takes its result', async () => {
    const { crew, attempts } = await limited(true);
    await crew.test.advance(2_000);
    attempts[0]!('ready');
    await crew.test.advance(60_000);
    expect({ attempts: attempts.length, state: crew.state() }).toEqual({ attempts: 1, state: 'completed' });
  });

  it('fails any other attempt, which is made again', async () => {
    const { crew, attempts } = await limited(false);
    await crew.test.advance(2_000);
    attempts[0]!('ready');
    await crew.test.advance(60_000);
    expect({ attempts: attempts.length, state: crew.state() }).toEqual({ attempts: 3, state: 'paused' });
  });
});
