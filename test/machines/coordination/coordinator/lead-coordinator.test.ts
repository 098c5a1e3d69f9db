/**
 * The Lead Coordinator's duties beside starting tasks: figures, changes of capacity, gates for people, and messages
 * that it passes on.
 */
import { describe, expect, it } from 'vitest';
import { type AnyActorRef, sendTo, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { performanceIn, performanceOf } from '../../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { type PlanReport } from '../../../../src/machines/coordination/coordinator/capacity-decisions.ts';
import { crewAgents, crewTree } from '../../../../src/machines/crew.ts';
import {
  bottleneckReport,
  performanceReport,
  unitMsOf,
} from '../../../../src/machines/coordination/coordinator/performance.ts';
import { type OrderReply, TAKEN } from '../../../../src/machines/rules/turn.ts';
import { forecast } from '../../../../src/machines/coordination/plan/schedule.ts';
import { fixture, planOf } from '../../../support/fixtures/plans/plans.ts';
import {
  type Crew,
  type CrewOptions,
  HOUR_MS,
  MINUTE_MS,
  startCrew,
  stated,
} from '../../../support/machines/crew-subject.ts';
import { type GatesContext, gatesStandIn } from '../../../support/machines/gate-stand-in.ts';

const plan = planOf({
  unit: 'minutes',
  capacity: { writer: 2, printer: 1 },
  stages: { draft: { agent: 'writer', duration: 10 }, print: { agent: 'printer', duration: 5, after: ['draft'] } },
  items: ['A', 'B', 'C'],
});

/** An agent that sends the coordinator the event that a test gives it. */
const herald = defineAgent({
  name: 'herald',
  machine: setup({ types: {} as { events: { type: 'say'; event: { type: string } } } }).createMachine({
    on: {
      say: {
        actions: sendTo(
          ({ system }) => system.get('coordinator') as AnyActorRef,
          ({ event }) => event.event,
        ),
      },
    },
  }),
  events: { say: z.object({ event: z.looseObject({ type: z.string() }) }) },
});

/** A crew whose tasks end when the test ends them. */
async function heldCrew(
  options: CrewOptions = {},
  of = plan,
): Promise<{ crew: Crew; end(task: string): Promise<void> }> {
  const ends = new Map<string, () => void>();
  const crew = await startCrew(of, {
    ...options,
    work: ({ task }) => new Promise((resolve) => ends.set(task.id, () => resolve(`${task.id} done`))),
  });
  const end = async (task: string): Promise<void> => {
    ends.get(task)!();
    await crew.test.settle();
  };
  return { crew, end };
}

describe('the crew', () => {
  it('CA-001: has a Lead Coordinator, found by its system id', () => {
    expect(crewAgents.map(({ name }) => name)).toContain('lead-coordinator');
    expect(crewTree(plan).children.find(({ id }) => id === 'coordinator')).toMatchObject({
      systemId: 'coordinator',
      agent: 'lead-coordinator',
    });
  });

  it('CA-002: starts agents, watches them and has them restarted when they fail', async () => {
    const crew = await startCrew(plan, {
      work: ({ task }, starts) => (task.id === 'A/draft' && starts < 3 ? Promise.reject(new Error('no')) : 'done'),
    });
    expect(crew.test.shard.tree('stages/A/draft').children.map(({ address }) => address)).toEqual([
      'stages/A/draft/agent',
    ]);
    await crew.test.advance(10 * MINUTE_MS);
    expect([crew.state(), crew.starts.filter((id) => id === 'A/draft').length]).toEqual(['completed', 3]);
  });

  it('CA-004: goes through the phases of each item in the order of their dependencies', async () => {
    const crew = await startCrew(plan);
    for (const item of ['A', 'B', 'C'])
      expect(crew.starts.indexOf(`${item}/draft`)).toBeLessThan(crew.starts.indexOf(`${item}/print`));
    expect(crew.item('A').done).toEqual(['A/draft', 'A/print']);
  });

  it('CA-005: keeps a backlog: a task without a place waits, and takes the next free place', async () => {
    const { crew, end } = await heldCrew();
    expect(crew.starts).toEqual(['A/draft', 'B/draft']);
    await end('B/draft');
    expect(crew.starts).toEqual(['A/draft', 'B/draft', 'C/draft', 'B/print']);
  });
});

describe('progress against the clock', () => {
  it('CA-014: flags a task that takes longer than expected, once, across a power cut', async () => {
    const { crew } = await heldCrew();
    await crew.test.advance(5 * MINUTE_MS);
    await crew.crashAndRestart();
    await crew.test.advance(5 * MINUTE_MS - 1);
    expect(crew.alerts()).toEqual([]);
    await crew.test.advance(1);
    expect(crew.alerts('task.overdue').map(({ item, priority }) => [item, priority])).toEqual([
      ['A', 'MEDIUM'],
      ['B', 'MEDIUM'],
    ]);
    expect(crew.item('A').overdue).toEqual(['A/draft']);
    expect(crew.emitted).toContainEqual({
      type: 'task.overdue',
      item: 'A',
      task: 'A/draft',
      expectedMs: 10 * MINUTE_MS,
    });
    await crew.test.advance(HOUR_MS);
    expect(crew.alerts('task.overdue')).toHaveLength(2);
  });

  it('CA-014: flags nothing where the plan has no unit of time', async () => {
    const { crew } = await heldCrew({}, planOf({ tasks: [{ id: 'a', agent: 'x', duration: 1 }] }));
    await crew.test.advance(1_000 * HOUR_MS);
    expect(crew.alerts()).toEqual([]);
    expect([unitMsOf('minutes'), unitMsOf('Hour'), unitMsOf('ms'), unitMsOf('days'), unitMsOf('units')]).toEqual([
      60_000,
      3_600_000,
      1,
      86_400_000,
      null,
    ]);
  });

  it('CA-002: keeps figures per agent type: tasks, failures, actual and expected durations', async () => {
    const { crew, end } = await heldCrew();
    await crew.test.advance(20 * MINUTE_MS);
    await end('A/draft');
    expect(performanceIn(crew.context(), 'writer')).toEqual({
      started: 3,
      completed: 1,
      failures: 0,
      overdue: 2,
      busyMs: 20 * MINUTE_MS,
      expectedMs: 10 * MINUTE_MS,
    });
    await crew.crashAndRestart();
    expect(performanceOf(crew.context())[0]).toMatchObject({ agentType: 'writer', slowness: 2, failureRate: 0 });
  });

  it('CA-002: counts failed attempts, including those that were retried', async () => {
    const crew = await startCrew(planOf({ tasks: [{ id: 'a', agent: 'x', retry: { attempts: 1 } }] }), {
      work: () => Promise.reject(stated('no', { errorType: 'data_quality' })),
    });
    expect(performanceIn(crew.context(), 'x')).toMatchObject({ started: 1, completed: 0, failures: 1 });
    const [report] = performanceReport([['x', performanceIn(crew.context(), 'x')]]);
    expect(report).toMatchObject({ slowness: null, failureRate: 1 });
  });
});

describe('bottlenecks and capacity', () => {
  const seed = fixture('equity-research');
  const rest = (capacity: Readonly<Record<string, number>>) =>
    forecast(seed, { done: [], running: [], standings: [], capacity });

  it('CA-E04: names valuation as the bottleneck, where one more valuation agent cuts 9 units to 8', () => {
    expect(bottleneckReport(rest, seed.capacity)).toEqual({
      agentType: 'valuation',
      capacity: 1,
      makespan: 9,
      makespanWithOneMore: 8,
    });
    expect(bottleneckReport(rest, { ...seed.capacity, valuation: 2 })).toEqual({
      agentType: null,
      capacity: null,
      makespan: 8,
      makespanWithOneMore: 8,
    });
  });

  it('CA-006: reports the bottleneck, the performance of agents and response times of people on request', async () => {
    const { crew, end } = await heldCrew();
    await end('A/draft');
    const report = await crew.ask<PlanReport>({ type: 'plan.report' });
    expect(report).toMatchObject({
      makespan: 20,
      bottleneck: { agentType: 'printer', capacity: 1 },
      blocked: [],
      overdue: [],
      responseTimes: [],
    });
    expect(report.performance.map(({ agentType }) => agentType)).toEqual(['writer', 'printer']);
  });

  it('CA-015: applies a new capacity at once to a running plan, and keeps it across a power cut', async () => {
    const { crew, end } = await heldCrew();
    await crew.send({ type: 'capacity.set', agentType: 'writer', capacity: 3 });
    expect(crew.starts).toEqual(['A/draft', 'B/draft', 'C/draft']);
    await crew.send({ type: 'capacity.set', agentType: 'printer', capacity: 2 });
    await crew.crashAndRestart();
    crew.starts.length = 0;
    await end('A/draft');
    await end('B/draft');
    expect(crew.starts).toEqual(['A/print', 'B/print']);
  });

  it(
    'CA-006, CA-015: goes on without a lost agent type, reports the blocked tasks, and runs them once it is ' + 'back',
    async () => {
      const { crew, end } = await heldCrew();
      await crew.send({ type: 'capacity.set', agentType: 'writer', capacity: 0 });
      expect(crew.emitted).toContainEqual({
        type: 'plan.rescheduled',
        agentType: 'writer',
        capacity: 0,
        makespan: 20,
        blocked: 2,
      });
      expect(crew.alerts('plan.blocked')).toMatchObject([
        { item: 'agent type writer', priority: 'HIGH', data: { blocked: ['C/draft', 'C/print'] } },
      ]);
      for (const task of ['A/draft', 'A/print', 'B/draft', 'B/print']) await end(task);
      expect(crew.state()).toBe('paused');
      await crew.crashAndRestart();
      expect(crew.starts).not.toContain('C/draft');
      await crew.send({ type: 'capacity.set', agentType: 'writer', capacity: null });
      expect([crew.state(), crew.starts.at(-1)]).toEqual(['working', 'C/draft']);
    },
  );

  it('CA-006: reports the correlations that the FailureCorrelator finds', async () => {
    const { crew } = await heldCrew({ agents: [herald], children: [{ id: 'herald', agent: 'herald' }] });
    const found = { items: ['A', 'B'], rootCause: 'koyfin API quota exceeded', correlationId: 'c1' };
    await crew.test.shard.send('herald', {
      type: 'say',
      event: { type: 'correlation.detected', ...found, signature: 's', batchTriggered: true },
    });
    await crew.test.settle();
    expect(crew.emitted).toContainEqual({ type: 'failure.correlated', ...found });
  });
});

describe('a gate', () => {
  const gate = {
    type: 'gate.request',
    item: 'A',
    gate: 'G3',
    title: 'Assumptions of A',
    audience: ['ann'],
    remindAfterMs: [22 * HOUR_MS, 23 * HOUR_MS],
    deadlineMs: 24 * HOUR_MS,
    materials: { growth: 0.1 },
  };
  const gatesOf = (crew: Crew): GatesContext => crew.test.shard.actor('gates').snapshot().context as GatesContext;
  const answer = async (crew: Crew, decision: string, reason = 'so'): Promise<void> => {
    await crew.test.shard.send('gates', { type: 'answer', answer: { decision, reason } });
    await crew.test.settle();
  };

  async function atGate(): Promise<{ crew: Crew; end(task: string): Promise<void> }> {
    const held = await heldCrew({ gates: gatesStandIn });
    expect(await held.crew.ask(gate)).toEqual({ ...TAKEN, isValidated: false });
    await held.end('A/draft');
    return held;
  }

  it('CA-008: gives people the package to decide by, and nothing of the item starts meanwhile', async () => {
    const { crew } = await atGate();
    expect(gatesOf(crew).asked[0]).toMatchObject({
      id: 'plan.G3.1',
      kind: 'G3',
      audience: ['ann'],
      package: { item: 'A', completed: [], running: ['A/draft'], results: {}, materials: { growth: 0.1 } },
    });
    expect(crew.starts).toEqual(['A/draft', 'B/draft', 'C/draft']);
    expect(crew.state()).toBe('working');
  });

  it('CA-008: gives people the completed tasks of the item with their results, and the pending tasks', async () => {
    const { crew, end } = await heldCrew({ gates: gatesStandIn });
    await end('A/draft');
    await end('A/print');
    await end('B/draft');
    await crew.ask({ ...gate, item: 'B', materials: null });
    expect(gatesOf(crew).asked[0]).toMatchObject({
      package: {
        item: 'B',
        completed: ['B/draft'],
        running: ['B/print'],
        pending: [{ task: 'B/print', agentType: 'printer', duration: 5 }],
        failed: [],
        results: { draft: 'B/draft done' },
        unit: 'minutes',
        materials: null,
      },
    });
  });

  it('CA-008: reminds people, and records how long they took to answer', async () => {
    const { crew } = await atGate();
    await crew.test.advance(22 * HOUR_MS + 30 * MINUTE_MS);
    expect(gatesOf(crew).remindedAtMs).toEqual([22 * HOUR_MS]);
    await answer(crew, 'approve');
    expect(crew.starts.at(-1)).toBe('A/print');
    const { responseTimes } = await crew.ask<PlanReport>({ type: 'plan.report' });
    expect(responseTimes).toEqual([{ item: 'A', gate: 'G3', answeredAfterMs: 22 * HOUR_MS + 30 * MINUTE_MS }]);
  });

  it('CA-031: keeps its item from being paused while people decide', async () => {
    const { crew } = await atGate();
    expect(
      await crew.ask<OrderReply>({
        type: 'pause.request',
        item: 'A',
        reason: 'x',
        checkpointId: null,
        trigger: 'MANUAL',
      }),
    ).toEqual({ taken: false, problems: ['A waits for people to decide'] });
    await crew.send({ type: 'plan.pause', item: 'A' });
    expect(crew.phase('A')).toBe('running');
  });

  it('CA-031: pauses its item after the decision if a task failed meanwhile', async () => {
    let fail = (_: Error): void => {};
    const crew = await startCrew(plan, {
      gates: gatesStandIn,
      work: ({ task }) => new Promise((_, reject) => task.id === 'A/draft' && (fail = reject)),
    });
    await crew.ask(gate);
    fail(stated('no ink', { errorType: 'crash' }));
    await crew.test.settle();
    expect(crew.phase('A')).toBe('running');
    await crew.crashAndRestart();
    await answer(crew, 'approve');
    expect(crew.item('A')).toMatchObject({ phase: 'paused', reason: 'A/draft failed: no ink' });
  });

  it('CA-031: pauses its item on a soft rejection, and fails it on a hard one', async () => {
    const { crew } = await atGate();
    await answer(crew, 'revise', 'growth is too high');
    expect(crew.item('A')).toMatchObject({ phase: 'paused', reason: 'Gate 3 asks for changes: growth is too high' });
    expect(crew.manager('A').record).toMatchObject({ trigger: 'GATE_REJECTION' });
    const other = await atGate();
    await answer(other.crew, 'reject', 'fraud');
    expect(other.crew.item('A')).toMatchObject({ phase: 'failed', reason: 'Gate 3 rejected: fraud' });
  });

  it('CA-E06: warns after 22 hours, pauses its item at 24, and is passed once a human has validated it', async () => {
    const { crew } = await atGate();
    await crew.test.advance(22 * HOUR_MS - 1);
    expect(gatesOf(crew).remindedAtMs).toEqual([]);
    await crew.crashAndRestart();
    await crew.test.advance(2 * HOUR_MS);
    expect(gatesOf(crew).remindedAtMs).toEqual([22 * HOUR_MS, 23 * HOUR_MS]);
    expect(crew.phase('A')).toBe('running');
    await crew.test.advance(1);
    expect(crew.item('A')).toMatchObject({ phase: 'paused', reason: 'Gate 3 timeout' });
    expect(crew.manager('A').record).toMatchObject({ trigger: 'GATE_TIMEOUT' });
    await crew.send({ type: 'gate.validate', item: 'A', gate: 'G3', by: 'ann' });
    await crew.send({ type: 'plan.resume', item: 'A' });
    expect(await crew.ask(gate)).toEqual({ ...TAKEN, isValidated: true });
    expect(gatesOf(crew).asked).toHaveLength(1);
    expect(crew.starts.at(-1)).toBe('A/print');
  });

  it('CA-008: is refused where there is no gate desk, and is not opened twice at once', async () => {
    const { crew } = await heldCrew();
    expect(await crew.ask(gate)).toEqual({
      taken: false,
      problems: ['people cannot be asked here: there is no gate desk'],
    });
    expect(await crew.ask({ ...gate, item: 'Z' })).toEqual({ taken: false, problems: ['no item "Z" in the plan'] });
    const other = await atGate();
    await other.crew.ask(gate);
    expect(gatesOf(other.crew).asked).toHaveLength(1);
  });
});

describe('messages that the Lead Coordinator passes on', () => {
  const talk = (type: string, rest: object = {}) => ({
    type: `talk.${type}`,
    from: 'analyst',
    to: null,
    item: 'A',
    content: 'margin is 25 %',
    priority: 'normal',
    requiresResponse: false,
    ...rest,
  });

  it('CA-007: go to the receiver that they name, or else to the desk that handles their kind', async () => {
    const { crew } = await heldCrew({ desks: ['alerts', 'debates', 'gates', 'correlator'] });
    const replies: OrderReply[] = [];
    for (const type of ['finding', 'request', 'alert']) replies.push(await crew.ask<OrderReply>(talk(type)));
    await crew.send(talk('challenge', { content: { id: 'd1', topic: 'margin' } }));
    await crew.send(talk('confirmation', { to: 'debates' }));
    expect(replies).toMatchObject(Array(3).fill(TAKEN));
    expect(crew.told('debates', 'talk.confirmation')).toHaveLength(1);
    expect(crew.told('debates', 'debate.challenge' as never)).toMatchObject([{ id: 'd1', topic: 'margin' }]);
    expect(crew.told('gates', 'gate.open' as never)).toMatchObject([{ title: 'analyst asks about A' }]);
    expect(crew.alerts('agent.alert')).toMatchObject([{ item: 'A', priority: 'MEDIUM', detail: 'margin is 25 %' }]);
  });

  it('CA-007: reach people as well if they are critical findings', async () => {
    const { crew } = await heldCrew();
    await crew.send(talk('finding', { priority: 'critical', content: { fraud: true } }));
    expect(crew.alerts('finding.critical')).toMatchObject([
      { priority: 'CRITICAL', detail: '{"fraud":true}', title: 'analyst says' },
    ]);
  });

  it('CA-007: are refused and reported as undeliverable if no desk takes them', async () => {
    const { crew } = await heldCrew({ desks: [] });
    expect(await crew.ask<OrderReply>(talk('challenge', { to: 'nobody' }))).toEqual({
      taken: false,
      problems: ['nobody here takes a challenge for "nobody"'],
    });
    expect(crew.emitted).toContainEqual({
      type: 'message.undeliverable',
      messageType: 'talk.challenge',
      from: 'analyst',
      to: 'nobody',
      receiver: 'nobody',
      takes: null,
    });
  });
});
