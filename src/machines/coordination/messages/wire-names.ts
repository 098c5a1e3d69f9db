/**
 * The seed's own names (002, CA-079 to CA-087): message types, fields, envelopes and the PauseManager's three calls,
 * for peers that speak them. Inside there are items and events (messages.ts). Pure; times travel as ISO 8601.
 */
import { z } from 'zod';
import { type Message, messages, type MessageType, type PauseTrigger, type ResumePlan } from './messages.ts';
import { type MessagePriority, messagePriority } from '../../work/talk-messages.ts';
import { type OrderReply } from '../../people/turn.ts';
import { type PauseState } from '../pauses/pause-messages.ts';

interface WireForm {
  readonly name: string;
  /** Own name to the seed's, of every field that travels. Times end in `Ms` here. */
  readonly fields: Readonly<Record<string, string>>;
}

const talk = { item: 'stock_id', content: 'content' };

/** By event type. */
const WIRES = {
  'pause.request': {
    name: 'PAUSE_REQUEST',
    fields: { item: 'stock_id', reason: 'reason', checkpointId: 'checkpoint_id', trigger: 'trigger_source' },
  },
  'pause.complete': {
    name: 'PAUSE_COMPLETE',
    fields: { item: 'stock_id', pausedAtMs: 'paused_at', resumeDependencies: 'resume_dependencies' },
  },
  'resume.command': {
    name: 'RESUME_COMMAND',
    fields: { item: 'stock_id', resumePlan: 'resume_plan', notify: 'notify' },
  },
  'batch.pause-request': {
    name: 'BATCH_PAUSE_REQUEST',
    fields: { items: 'stock_ids', reason: 'reason', batchId: 'batch_id', maxConcurrency: 'max_concurrency' },
  },
  'agent.failure': {
    name: 'AGENT_FAILURE_EVENT',
    fields: {
      item: 'stock_ticker',
      agentType: 'agent_type',
      errorType: 'error_type',
      errorMessage: 'error_message',
      dataSource: 'data_source',
      atMs: 'timestamp',
    },
  },
  'correlation.detected': {
    name: 'CORRELATION_DETECTED',
    fields: {
      correlationId: 'correlation_id',
      items: 'stock_tickers',
      rootCause: 'root_cause',
      signature: 'signature',
      batchTriggered: 'batch_triggered',
    },
  },
  'batch.trigger': {
    name: 'BATCH_TRIGGER',
    fields: { items: 'stock_ids', rootCause: 'root_cause', correlationId: 'correlation_id' },
  },
  'talk.finding': { name: 'Finding', fields: talk },
  'talk.request': { name: 'Request', fields: talk },
  'talk.challenge': { name: 'Challenge', fields: talk },
  'talk.confirmation': { name: 'Confirmation', fields: talk },
  'talk.alert': { name: 'Alert', fields: talk },
} as const satisfies Partial<Record<MessageType, WireForm>>;

export type WiredType = keyof typeof WIRES;

const TYPE_OF_NAME: ReadonlyMap<string, WiredType> = new Map(
  Object.entries(WIRES).map(([type, { name }]) => [name, type as WiredType]),
);

/** CA-087. */
export interface Envelope {
  readonly from_agent: string;
  /** null: whoever such messages go to. */
  readonly to_agent: string | null;
  readonly message_type: string;
  readonly priority: MessagePriority;
  readonly content: Readonly<Record<string, unknown>>;
  readonly timestamp: string;
  readonly requires_response: boolean;
}

const envelopeSchema = z.object({
  from_agent: z.string().min(1).max(200),
  to_agent: z.string().min(1).max(200).nullable(),
  message_type: z.string(),
  priority: messagePriority,
  content: z.record(z.string(), z.unknown()),
  timestamp: z.iso.datetime(),
  requires_response: z.boolean(),
});

/** What an envelope says beside its content. */
export interface Posted {
  readonly from: string;
  readonly to: string | null;
  readonly priority: MessagePriority;
  readonly atMs: number;
  readonly requiresResponse: boolean;
}

export function toEnvelope(
  message: Message<WiredType>,
  { from, to, priority, atMs, requiresResponse }: Posted,
): Envelope {
  const { name, fields }: WireForm = WIRES[message.type];
  const content: Record<string, unknown> = {};
  for (const [own, theirs] of Object.entries(fields)) {
    const value = (message as Readonly<Record<string, unknown>>)[own];
    if (value !== undefined) content[theirs] = isTime(own) ? new Date(value as number).toISOString() : value;
  }
  return {
    from_agent: from,
    to_agent: to,
    message_type: name,
    priority,
    content,
    timestamp: new Date(atMs).toISOString(),
    requires_response: requiresResponse,
  };
}

export type OpenedEnvelope =
  | { readonly message: Message<WiredType>; readonly posted: Posted }
  | { readonly problem: string };

/** What an envelope holds, checked by the schema of its message; or what is wrong with it. */
export function fromEnvelope(value: unknown): OpenedEnvelope {
  const envelope = envelopeSchema.safeParse(value);
  if (!envelope.success) return { problem: z.prettifyError(envelope.error) };
  const {
    from_agent: from,
    to_agent: to,
    message_type: name,
    priority,
    content,
    timestamp,
    requires_response: requiresResponse,
  } = envelope.data;
  const type = TYPE_OF_NAME.get(name);
  if (type === undefined)
    return { problem: `unknown message type "${name}"; known are ${[...TYPE_OF_NAME.keys()].join(', ')}` };
  const posted: Posted = { from, to, priority, atMs: Date.parse(timestamp), requiresResponse };
  const fields: Record<string, unknown> = type.startsWith('talk.')
    ? { item: null, content: null, from, to, priority, requiresResponse }
    : {};
  for (const [own, theirs] of Object.entries(WIRES[type].fields)) {
    if (theirs in content) fields[own] = isTime(own) ? Date.parse(String(content[theirs])) : content[theirs];
  }
  const parsed = messages[type].safeParse(fields);
  return parsed.success
    ? { message: { type, ...parsed.data } as Message<WiredType>, posted }
    : { problem: z.prettifyError(parsed.error) };
}

function isTime(field: string): boolean {
  return field.endsWith('Ms');
}

/** What the calls need of a system. */
export interface AskingSystem {
  ask<Reply>(address: string, event: { readonly type: string }): Promise<Reply>;
}

/** The answer to `get_pause_state` (CA-024). */
export interface WirePauseState {
  readonly status: PauseState['status'];
  readonly reason: string | null;
  readonly checkpoint_id: string | null;
  readonly paused_at: string | null;
  readonly resume_dependencies: ResumePlan | null;
}

/** The PauseManager's calls with the seed's arguments, in their order. Each rejects as `system.ask` does. */
export function pauseCalls(system: AskingSystem, coordinator = 'coordinator') {
  const order = (event: Message<'pause.request' | 'resume.command'>) => system.ask<OrderReply>(coordinator, event);
  return {
    /** CA-022. A checkpoint of the item's own is made at the next boundary, whatever id is given. */
    pause_analysis: (stock_id: string, reason: string, checkpoint_id: string | null, trigger_source: PauseTrigger) =>
      order({ type: 'pause.request', item: stock_id, reason, checkpointId: checkpoint_id, trigger: trigger_source }),
    /** CA-023. `resume_plan` null is worked out from the checkpoint; one that cannot be carried out is refused. */
    resume_analysis: (stock_id: string, resume_plan: ResumePlan | null, notify: boolean) =>
      order({ type: 'resume.command', item: stock_id, resumePlan: resume_plan, notify }),
    get_pause_state: (stock_id: string): Promise<WirePauseState> =>
      system.ask<PauseState>(coordinator, { type: 'pause.state', item: stock_id } as { type: string }).then(wireState),
  };
}

function wireState({ status, reason, checkpointId, pausedAtMs, resumeDependencies }: PauseState): WirePauseState {
  return {
    status,
    reason,
    checkpoint_id: checkpointId,
    paused_at: pausedAtMs === null ? null : new Date(pausedAtMs).toISOString(),
    resume_dependencies: resumeDependencies,
  };
}
