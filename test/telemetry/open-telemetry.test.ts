/**
 * Spans of OpenTelemetry: one for each turn, linked to its cause, by the conventions; none without a provider, and a
 * clear error without the package.
 */
import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { assign, sendTo, setup } from 'xstate';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { traceToOpenTelemetry } from '../../src/telemetry/open-telemetry.ts';
import { startTestSystem, type TestSystem } from '../../src/testing/test-system.ts';

const relay = defineAgent({
  name: 'relay',
  machine: setup({
    types: {} as {
      context: { text: string };
      events: { type: 'pass'; text: string } | { type: 'got'; text: string } | { type: 'fail' } | { type: 'harm' };
    },
  }).createMachine({
    context: { text: '' },
    initial: 'waiting',
    states: { waiting: { on: { got: 'done' } }, done: {} },
    on: {
      pass: {
        actions: sendTo(
          ({ system }) => (system as unknown as { get(id: string): object }).get('other') as never,
          ({ event }) => ({ type: 'got', text: event.text }) as never,
        ),
      },
      fail: {
        actions: assign(() => {
          throw new RangeError('out of range');
        }),
      },
      harm: {
        actions: assign(() => {
          throw Object.assign(Object.create(null), { name: {}, code: {} }) as object;
        }),
      },
    },
  }),
  events: {
    pass: z.object({ text: z.string() }),
    got: z.object({ text: z.string() }),
    fail: z.object({}),
    harm: z.object({}),
  },
});

const exporter = new InMemorySpanExporter();
let test: TestSystem;
beforeEach(async () => {
  test = await startTestSystem({
    agents: [relay],
    tree: {
      intensity: 100,
      children: [
        { id: 'one', agent: 'relay' },
        { id: 'desk', boss: { children: [{ id: 'other', agent: 'relay', systemId: 'other' }] } },
      ],
    },
  });
});
afterEach(async () => {
  trace.disable();
  exporter.reset();
  await test.shard.stop();
});
const register = () =>
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
const spans = (): ReadableSpan[] => exporter.getFinishedSpans();
const send = async (address: string, event: { type: string }) => {
  await test.shard.send(address, event);
  await test.settle();
};

describe('traceToOpenTelemetry', () => {
  it('records a span for each turn, linked to its cause, with the attributes of messaging', async () => {
    register();
    await traceToOpenTelemetry(test.system);
    await send('one', { type: 'pass', text: 'hidden' } as { type: string });
    const [pass, got] = spans() as [ReadableSpan, ReadableSpan];
    expect(spans().map(({ name, kind }) => [name, kind])).toEqual([
      ['pass relay', 4],
      ['got relay', 4],
    ]);
    expect(pass.links).toEqual([]);
    expect(got.links).toMatchObject([
      { context: { spanId: pass.spanContext().spanId, traceId: pass.spanContext().traceId } },
    ]);
    expect([pass.parentSpanContext, got.parentSpanContext]).toEqual([undefined, undefined]);
    expect(got.attributes).toMatchObject({
      'messaging.system': 'bosun',
      'messaging.operation.type': 'process',
      'messaging.operation.name': 'got',
      'messaging.destination.name': 'desk/other',
      'bosun.agent': 'relay',
      'bosun.state': 'done',
      'bosun.turn.kind': 'transition',
      'bosun.cause.address': 'one',
    });
    expect(got.startTime[0]).toBe(Math.floor(test.clock.wallMs() / 1_000));
    expect(JSON.stringify(spans().map(({ attributes, name, events }) => [attributes, name, events]))).not.toContain(
      'hidden',
    );
  });

  it('marks the span of a failed turn with its error', async () => {
    register();
    await traceToOpenTelemetry(test.system);
    await send('one', { type: 'fail' });
    const failed = spans().find(({ name }) => name === 'fail relay')!;
    expect([failed.status.code, failed.status.message, failed.attributes['error.type']]).toEqual([
      2,
      'out of range',
      'RangeError',
    ]);
    expect(failed.events).toMatchObject([{ name: 'exception', attributes: { 'exception.type': 'RangeError' } }]);
  });

  it('marks the span of a turn that threw a value that is no error, and goes on (F1)', async () => {
    register();
    await traceToOpenTelemetry(test.system);
    await send('one', { type: 'harm' });
    const failed = spans().find(({ name }) => name === 'harm relay')!;
    expect([failed.status.message, failed.attributes['error.type']]).toEqual(['{"name":{},"code":{}}', '_OTHER']);
    await send('one', { type: 'fail' });
    expect(spans().some(({ name }) => name === 'fail relay')).toBe(true);
  });

  it('can be limited to a subtree, and can be ended', async () => {
    register();
    const subscription = await traceToOpenTelemetry(test.system, { address: 'desk' });
    await send('one', { type: 'pass', text: 'x' } as { type: string });
    expect(spans().map(({ attributes }) => attributes['messaging.destination.name'])).toEqual(['desk/other']);
    subscription.unsubscribe();
    await send('desk/other', { type: 'got', text: 'x' } as { type: string });
    expect(spans().length).toBe(1);
  });

  it('does nothing if no provider is registered', async () => {
    await traceToOpenTelemetry(test.system);
    await send('one', { type: 'pass', text: 'x' } as { type: string });
    expect(test.shard.snapshot('desk/other')?.value).toBe('done');
    expect(spans()).toEqual([]);
  });

  it('names the package to install if it is missing', async () => {
    vi.doMock('@opentelemetry/api', () => {
      throw new Error('no such package');
    });
    try {
      await expect(traceToOpenTelemetry(test.system)).rejects.toMatchObject({ code: 'BOSUN_CONFIG_INVALID' });
    } finally {
      vi.doUnmock('@opentelemetry/api');
    }
  });
});
