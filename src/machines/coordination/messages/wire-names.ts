/**
 * The seed's own names (002, CA-079 to CA-086): message types, fields and the PauseManager's three calls, for peers
 * that use them. The crew itself uses items and events (messages.ts); its messages travel as envelopes (envelope.ts).
 * Pure.
 */
import { type Message, type MessageType, type PauseTrigger, type ResumePlan } from './messages.ts';
import { type OrderReply } from '../../rules/turn.ts';
import { type PauseState } from '../pauses/pause-messages.ts';

interface WireForm {
  readonly name: string;
  /** The seed's name of every transmitted field, by the crew's name. The crew's names of times end in `Ms`. */
  readonly fields: Readonly<Record<string, string>>;
}

const talk = { item: 'stock_id', content: 'content' };

/** Wire names by event type. */
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

/** The event type of a message type of the seed; undefined for an unknown one. */
export function typeOfName(name: string): WiredType | undefined {
  return TYPE_OF_NAME.get(name);
}

export const WIRE_NAMES: readonly string[] = Object.values(WIRES).map(({ name }) => name);

export function nameOfType(type: WiredType): string {
  return WIRES[type].name;
}

/** The seed's names of the fields of a message, by the crew's names. */
export function fieldsOfType(type: WiredType): Readonly<Record<string, string>> {
  return WIRES[type].fields;
}

const TYPE_OF_NAME: ReadonlyMap<string, WiredType> = new Map(
  Object.entries(WIRES).map(([type, { name }]) => [name, type as WiredType]),
);

/** The part of a system that the calls use. */
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

/** The PauseManager's calls with the seed's arguments in the seed's order. Each rejects as `system.ask` does. */
export function pauseCalls(system: AskingSystem, coordinator = 'coordinator') {
  const order = (event: Message<'pause.request' | 'resume.command'>) => system.ask<OrderReply>(coordinator, event);
  return {
    /**
     * `pause_analysis` (CA-022). The pause keeps a given `checkpoint_id`; with null the item makes its own at the next
     * boundary.
     */
    pause_analysis: (stock_id: string, reason: string, checkpoint_id: string | null, trigger_source: PauseTrigger) =>
      order({ type: 'pause.request', item: stock_id, reason, checkpointId: checkpoint_id, trigger: trigger_source }),
    /**
     * `resume_analysis` (CA-023). With null, `resume_plan` is derived from the checkpoint; a plan that cannot be
     * carried out is refused.
     */
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
