/**
 * An OpenTelemetry span for every turn, linked to the turn that caused it. Spans have names, types and states only:
 * contents of events and contexts leave the system through the gateway, which knows what is secret.
 * `@opentelemetry/api` is the host's dependency; it is loaded when the export starts, and passes spans to the provider
 * that the host has registered, if any.
 */
import type * as OpenTelemetry from '@opentelemetry/api';
import type { Attributes, Span, SpanContext, Tracer } from '@opentelemetry/api';
import { ROOT } from '../actors/model/address.ts';
import type { Subscription } from '../actors/world/actor-view.ts';
import type { TraceRecord } from '../actors/model/trace-record.ts';
import { BosunError, messageOf } from '../errors.ts';
import { TRACE_TURNS_MAX } from '../limits.ts';
import { type System } from '../system.ts';

/** Options that select the turns to export. */
export interface OpenTelemetryOptions {
  /** Address of the actor whose turns, and those of all actors below it, are exported. Default: all actors. */
  readonly address?: string;
}

export type Api = typeof OpenTelemetry;

/**
 * Exports a span of kind `consumer` for every turn from now on, once the turn is durable; its times are the turn's, in
 * kernel time. Each span is a root, linked to the span of the turn that sent its message if that is among the last
 * 10,000. Attributes: those of messaging, and `bosun.*`. Resolves when the export has started; `unsubscribe` ends it.
 * Rejects with BOSUN_CONFIG_INVALID if `@opentelemetry/api` is not installed, BOSUN_ACTOR_UNKNOWN, BOSUN_SYSTEM_CLOSED.
 */
export async function traceToOpenTelemetry(
  system: System,
  { address = ROOT }: OpenTelemetryOptions = {},
): Promise<Subscription> {
  const spans = new Spans(await loadedApi());
  return await system.admin.onTurn(address, (record) => spans.add(record));
}

/** Loads the API. Rejects with BOSUN_CONFIG_INVALID if it is not installed. */
export async function loadedApi(): Promise<Api> {
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
  /** Span contexts of turns that may still be causes, by life and sequence, oldest first. */
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
    const message = messageOf(error);
    span.recordException({ name: wordOf(error, 'name') ?? 'Error', message }, atMs + durationMs);
    span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message });
  }
}

/** Attributes by the conventions for messaging and errors, and `bosun.*` where those have none. */
function attributesOf(record: TraceRecord): Attributes {
  const { kind, event, cause, value, error } = record;
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
    ...(kind === 'failed' && { 'error.type': wordOf(error, 'code') ?? wordOf(error, 'name') ?? '_OTHER' }),
  };
}

/** A text field of a thrown value, which may be anything. */
function wordOf(error: unknown, key: 'name' | 'code'): string | undefined {
  const word = (error as { readonly name?: unknown; readonly code?: unknown } | null | undefined)?.[key];
  return typeof word === 'string' ? word : undefined;
}

function keyOf(life: number, sequence: number): string {
  return `${life}/${sequence}`;
}
