/** Spans of runs and their sessions: a tree with the times on record, also where the power was cut in between. */
import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionsToOpenTelemetry } from '../../src/telemetry/session-spans.ts';
import { GOOD_WORK, handoff, HubRoom, type TestWork } from '../support/machines/hub-room.ts';

const exporter = new InMemorySpanExporter();
let room: HubRoom;
let finish: (result: object) => void;

beforeEach(() => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
});
afterEach(async () => {
  trace.disable();
  exporter.reset();
  await room.test.system.stop();
});

const waits: TestWork = () => new Promise((resolve) => (finish = resolve));

/** Spawns a Researcher from within a Revisionist, and waits for nothing. */
const pivots: TestWork = async (_, facts) => {
  const asked = { type: 'session.spawn', role: 'Researcher', task: 'read it', pivotReason: 'another protocol' };
  await facts.ask({ to: facts.parent!, event: asked });
  return handoff('fixed', 'Executor');
};

/** The spans of the run once it is over, by session. */
async function spansOf(count: number): Promise<Map<unknown, ReadableSpan>> {
  await expect.poll(() => exporter.getFinishedSpans().length, { interval: 2, timeout: 20_000 }).toBe(count);
  return new Map(exporter.getFinishedSpans().map((span) => [span.attributes['bosun.session'] ?? 'run', span]));
}

const idOf = (span: ReadableSpan | undefined) => span!.spanContext().spanId;
const secondsOf = ({ startTime, endTime }: ReadableSpan) => [startTime[0], endTime[0]];

describe('sessionsToOpenTelemetry', () => {
  it('makes a tree of the run and its sessions, with what each used and changed, and no text', async () => {
    const changed = [{ path: 'src/a.ts', isNew: false, lines: 1 }];
    const work: TestWork = () => ({ ...handoff('done', 'Reviewer'), changed, usage: { tokens: 7, costUsd: 0.5 } });
    room = await HubRoom.start({
      isIdle: true,
      work: { ...GOOD_WORK, Executor: work, Revisionist: pivots, Researcher: () => handoff('complete', 'Architect') },
    });
    await sessionsToOpenTelemetry(room.test.system);
    const agents = Object.fromEntries(
      [...Object.keys(GOOD_WORK), 'Revisionist', 'Researcher'].map((name) => [
        name,
        { does: { kind: 'function', name } },
      ]),
    );
    const writes = { files: ['src/**'] };
    await room.order({
      ...{ type: 'hub.start', about: { title: 'mend it' }, workspace: '/shop', start: 'Revisionist' },
      ...{ agents: { ...agents, Executor: { ...agents['Executor'], writes } }, steps: [{ task: 'write' }] },
      limits: { concurrent: 2 },
    });
    const spans = await spansOf(room.begun.length + 1);
    const run = spans.get('run')!;
    expect([run.name, run.attributes['bosun.outcome'], run.parentSpanContext]).toEqual([
      ...['invoke_agent Coordinator', room.run().status, undefined],
    ]);
    const executor = [...spans.values()].find(({ name }) => name === 'invoke_agent Executor')!;
    expect(executor.parentSpanContext?.spanId).toBe(idOf(run));
    expect(executor.attributes).toMatchObject({
      ...{ 'gen_ai.agent.name': 'Executor', 'bosun.run': 'R-1', 'bosun.plan': 'WP-1', 'bosun.step': 'S1' },
      ...{ 'bosun.outcome': 'done', 'bosun.tokens': 7, 'bosun.cost_usd': 0.5, 'bosun.files_changed': 1 },
    });
    const researcher = [...spans.values()].find(({ name }) => name === 'invoke_agent Researcher')!;
    expect(researcher.parentSpanContext?.spanId).toBe(idOf(spans.get('R-1-1')));
    expect(new Set([...spans.values()].map((span) => span.spanContext().traceId)).size).toBe(1);
    const all = [...spans.values()].map(({ attributes, name, events, status }) => [attributes, name, events, status]);
    expect(JSON.stringify(all)).not.toMatch(/it is done|src\/a\.ts|mend it/);
  });

  it('has times and parents as on record where the power was cut while a session worked', async () => {
    room = await HubRoom.start({ work: { ...GOOD_WORK, Reviewer: waits } });
    const begunAt = Math.floor(room.run().startedAtMs / 1_000);
    await room.test.advance(60_000);
    await room.powerCut();
    await sessionsToOpenTelemetry(room.test.system);
    await room.test.advance(60_000);
    finish(handoff('approved', 'Tester', { build: { command: 'make', exitCode: 0 } }));
    await room.test.settle();
    const spans = await spansOf(5);
    expect(secondsOf(spans.get('run')!)).toEqual([begunAt, begunAt + 120]);
    expect(secondsOf(spans.get('R-1-1')!)).toEqual([begunAt, begunAt]);
    expect(secondsOf(spans.get('R-1-2')!)).toEqual([begunAt, begunAt + 120]);
    for (const number of [1, 2, 3, 4])
      expect(spans.get(`R-1-${number}`)!.parentSpanContext?.spanId).toBe(idOf(spans.get('run')));
  });

  it('marks sessions and runs that failed, and ends with its subscription', async () => {
    room = await HubRoom.start({
      isIdle: true,
      work: {
        Executor: () => Promise.reject(Object.assign(new Error('no key'), { errorType: 'configuration_error' })),
      },
    });
    const subscription = await sessionsToOpenTelemetry(room.test.system);
    const begin = { type: 'hub.start', about: { title: 'x' }, workspace: '/shop' };
    const agents = { Executor: { does: { kind: 'function', name: 'x' } } };
    await room.order({ ...begin, agents });
    await room.answer({ choice: 'stop' });
    const spans = await spansOf(2);
    expect([...spans.values()].map(({ status }) => status)).toEqual([{ code: 2 }, { code: 2 }]);
    subscription.unsubscribe();
    await room.order({ ...begin, agents });
    await room.answer({ choice: 'stop' }, 'R-2');
    expect(room.run('R-2').status).toBe('failed');
    expect(exporter.getFinishedSpans()).toHaveLength(2);
  });
});
