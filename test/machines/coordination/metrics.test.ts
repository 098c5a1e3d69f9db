/** The crew's figures about its work, compared with a recount of the events that it emitted. */
import { describe, expect, it } from 'vitest';
import { crewAgents } from '../../../src/machines/crew.ts';
import { type PlanReport } from '../../../src/machines/coordination/coordinator/capacity-decisions.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

const MINUTE_MS = 60_000;
const ITEMS = ['A', 'B', 'C', 'D', 'E', 'F'];

/** Times seen by the work itself: the first start of each task, and its end. */
interface Seen {
  readonly begun: Map<string, number>;
  readonly done: Map<string, number>;
}

/**
 * Drafts take five minutes, and fail once for every other item; that of C fails for good. People decide about A.
 */
async function worked(): Promise<{ crew: WholeCrew; seen: Seen; answeredAfterMs: number }> {
  const clock = new VirtualClock();
  const seen: Seen = { begun: new Map(), done: new Map() };
  const failed = new Set<string>();
  const begin = (task: string) => {
    if (!seen.begun.has(task)) seen.begun.set(task, clock.wallMs());
  };
  const draft: AgentFunction = async (_, { item, signal }) => {
    begin(`${item}/draft`);
    if (item === 'C') throw Object.assign(new Error('no data'), { errorType: 'data_quality' });
    if (ITEMS.indexOf(item) % 2 === 1 && !failed.has(item)) {
      failed.add(item);
      throw Object.assign(new Error('slow'), { errorType: 'timeout', dataSource: item });
    }
    await new Promise<void>((resolve, reject) => {
      const stop = clock.setTimeout(() => resolve(), 5 * MINUTE_MS);
      signal.addEventListener('abort', () => (stop(), reject(signal.reason as Error)));
    });
    seen.done.set(`${item}/draft`, clock.wallMs());
    return 'text';
  };
  const print: AgentFunction = async (_, { item }) => {
    begin(`${item}/print`);
    seen.done.set(`${item}/print`, clock.wallMs());
    return 'paper';
  };
  const plan = planOf({
    unit: 'minutes',
    capacity: { draft: 2 },
    stages: {
      draft: { agent: 'draft', duration: 2, retry: { attempts: 3, backoff: { minMs: 1_000, maxMs: 1_000 } } },
      print: { agent: 'print', duration: 1, after: ['draft'] },
    },
    items: ITEMS,
  });
  const crew = await startWholeCrew(plan, { draft, print }, {}, clock);
  await crew.test.advance(2 * MINUTE_MS);
  const gate = { gate: 'G3', title: 'Assumptions', audience: ['ada'], remindAfterMs: [], deadlineMs: null };
  await crew.ask('coordinator', { type: 'gate.request', item: 'A', ...gate });
  await crew.powerCut();
  await crew.test.advance(7 * MINUTE_MS);
  const [open] = crew.gates();
  await crew.ask('gates', { type: 'gate.answer', gate: open!.id, by: 'ada', answer: { decision: 'approve' } });
  await crew.powerCut();
  await crew.test.advance(60 * MINUTE_MS);
  return { crew, seen, answeredAfterMs: 7 * MINUTE_MS };
}

describe('the figures of a plan', () => {
  it('CN-020, CA-002, CA-006, CA-014: equal a recount of emitted events, task by task, across power cuts', async () => {
    const { crew, seen, answeredAfterMs } = await worked();
    const report = await crew.ask<PlanReport>('coordinator', { type: 'plan.report' });
    const ended = (type: string, agent: string) =>
      crew.told(type).filter(({ task }) => String(task).endsWith(`/${agent}`));
    const recount = ['draft', 'print'].map((agentType) => {
      const done = [...seen.done].filter(([task]) => task.endsWith(`/${agentType}`));
      return {
        agentType,
        started: [...seen.begun.keys()].filter((task) => task.endsWith(`/${agentType}`)).length,
        completed: ended('task.completed', agentType).length,
        failures: ended('task.failed', agentType).length,
        overdue: ended('task.overdue', agentType).length,
        busyMs: done.reduce((sum, [task, atMs]) => sum + atMs - seen.begun.get(task)!, 0),
      };
    });
    expect(recount).toMatchObject([
      { started: 6, completed: 5, failures: 4, overdue: 5 },
      { started: 5, completed: 5, failures: 0 },
    ]);
    for (const { agentType, ...figures } of recount)
      expect(report.performance.find((one) => one.agentType === agentType)).toMatchObject({ performance: figures });
    expect(report.responseTimes).toEqual([{ item: 'A', gate: 'G3', answeredAfterMs }]);
    expect(crew.phases().filter((phase) => phase === 'paused')).toHaveLength(crew.told('item.paused').length);
  });
});

it('DC-004: every agent of the crew is an XState machine', () => {
  const kinds = crewAgents.map(({ name, machine }) => [name, machine.constructor.name]);
  expect(kinds).toEqual(crewAgents.map(({ name }) => [name, 'StateMachine']));
});
