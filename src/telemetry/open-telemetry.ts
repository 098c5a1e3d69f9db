/**
 * A span of OpenTelemetry for every turn, linked to the turn that caused it. Names, types and states only: what events
 * and contexts hold leaves the system by the gateway, which knows what is secret. `@opentelemetry/api` is the host's;
 * it is loaded when this is called, and gives spans to whatever provider the host has registered, or to none.
 */
import type * as OpenTelemetry from '@opentelemetry/api';
import type { Attributes, Span, SpanContext, Tracer } from '@opentelemetry/api';
import { ROOT } from '../actors/model/address.ts';
import { type Subscription } from '../actors/world/actor-view.ts';
import { type TraceRecord } from '../actors/model/trace-record.ts';
import { BosunError } from '../errors.ts';
import { TRACE_TURNS_MAX } from '../limits.ts';
import { type System } from '../system.ts';

export interface OpenTelemetryOptions {
  /** Only turns of this actor and of all below it. Default: of all actors. */
  readonly address?: string;
}

type Api = typeof OpenTelemetry;

/**
 * Sends a span of kind `consumer` for every turn from now on, once it is durable; its times are the turn's, in kernel
 * time. It is a root of its own, linked to the span of the turn that sent what it took, where that is among the last
 * 10,000. Attributes: those of messaging, and `bosun.*`. Resolves when it has begun; `unsubscribe` ends it. Rejects
 * with BOSUN_CONFIG_INVALID where `@opentelemetry/api` is not installed, BOSUN_ACTOR_UNKNOWN, BOSUN_SYSTEM_CLOSED.
 */
export async function traceToOpenTelemetry(
  system: System,
  { address = ROOT }: OpenTelemetryOptions = {},
): Promise<Subscription> {
  const spans = new Spans(await loadedApi());
  return system.admin.onTurn(address, (record) => spans.add(record));
}

async function loadedApi(): Promise<Api> {
  try {
    return await import('@opentelemetry/api');
  } catch (error) {
    throw new BosunError('BOSUN_CONFIG_INVALID', 'spans need the package @opentelemetry/api: install it beside bosun', {
      cause: error,
    });
  }
}

class Spans {
  readonly #api: Api;
  readonly #tracer: Tracer;
  /** Of the turns that may yet be causes: by life and sequence, oldest first. */
  readonly #contexts = new Map<string, SpanContext>();

  constructor(api: Api) {
    this.#api = api;
    this.#tracer = api.trace.getTracer('bosun');
  }

  add(record: TraceRecord): void {
    const { event, kind, agent, cause, atMs, durationMs, life, sequence } = record;
    const source =
      cause === null || cause.sequence === null ? undefined : this.#contexts.get(keyOf(cause.life, cause.sequence));
    const span = this.#tracer.startSpan(`${event?.type ?? kind} ${agent}`, {
      kind: this.#api.SpanKind.CONSUMER,
      root: true,
      startTime: atMs,
      attributes: attributesOf(record),
      links: source === undefined ? [] : [{ context: source }],
    });
    if (kind === 'failed') this.#fail(span, record);
    span.end(atMs + durationMs);
    if (!span.isRecording() && !this.#api.isSpanContextValid(span.spanContext())) return;
    this.#contexts.set(keyOf(life, sequence), span.spanContext());
    if (this.#contexts.size <= TRACE_TURNS_MAX) return;
    const [oldest] = this.#contexts.keys();
    this.#contexts.delete(oldest!);
  }

  #fail(span: Span, { error, atMs, durationMs }: TraceRecord): void {
    const { name = 'Error', message = String(error) } = (error ?? {}) as { name?: string; message?: string };
    span.recordException({ name, message }, atMs + durationMs);
    span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message });
  }
}

/** By the conventions for messaging and errors; what they have no word for is `bosun.*`. */
function attributesOf(record: TraceRecord): Attributes {
  const { kind, event, cause, value, error } = record;
  const { name, code } = (error ?? {}) as { name?: string; code?: string };
  return {
    'messaging.system': 'bosun',
    'messaging.operation.type': 'process',
    'messaging.operation.name': event?.type ?? kind,
    'messaging.destination.name': record.address,
    'bosun.agent': record.agent,
    'bosun.life': record.life,
    'bosun.sequence': record.sequence,
    'bosun.epoch': record.epoch,
    'bosun.turn.kind': kind,
    'bosun.status': record.status,
    ...(value !== null && { 'bosun.state': typeof value === 'string' ? value : JSON.stringify(value) }),
    ...(typeof cause?.address === 'string' && { 'bosun.cause.address': cause.address }),
    ...(kind === 'failed' && { 'error.type': code ?? name ?? '_OTHER' }),
  };
}

function keyOf(life: number, sequence: number): string {
  return `${life}/${sequence}`;
}
