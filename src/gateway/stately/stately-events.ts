/**
 * The events of `@statelyai/inspect` 0.7 as its receivers accept them: one JSON text a frame. Only this file knows
 * their shape. Session ids are our addresses, which stay the same over a restart, unlike XState's own numbers. Contexts
 * are redacted; the context in a machine's config is left out, since no schema says what of it may be shown.
 */
import { type AnyStateMachine } from 'xstate';
import { ROOT } from '../../actors/model/address.ts';
import { type TurnView } from '../protocol/views.ts';
import { type ActorView } from '../protocol/views.ts';

/** Path of the endpoint. The receiver accepts any path, and offers no subprotocol. */
export const STATELY_PATH = '/inspect/stately';

/** Receivers require the field and ignore its value. */
const VERSION = '0.7.2';

interface Common {
  readonly sessionId: string;
  readonly rootId: string;
  /** Milliseconds, as text. */
  readonly createdAt: string;
  readonly id: null;
  readonly _version: string;
}

interface InspectedSnapshot {
  readonly status: string;
  readonly value?: unknown;
  readonly context?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
}

interface InspectedEvent {
  readonly type: string;
}

export type StatelyEvent = Common &
  (
    | {
        readonly type: '@xstate.actor';
        readonly name: string;
        readonly definition: string;
        readonly parentId?: string;
        readonly snapshot: InspectedSnapshot;
      }
    | { readonly type: '@xstate.event'; readonly event: InspectedEvent; readonly sourceId?: string }
    | { readonly type: '@xstate.snapshot'; readonly event: InspectedEvent; readonly snapshot: InspectedSnapshot }
  );

/** The event of an actor's birth. */
export function actorEvent(
  view: ActorView,
  facts: { readonly machine: AnyStateMachine | undefined; readonly parent: string | undefined; readonly atMs: number },
): StatelyEvent {
  const { machine, parent, atMs } = facts;
  const definition = machine === undefined ? JSON.stringify({ id: view.agent }) : definitionOf(machine);
  return {
    ...common(view.address, atMs),
    type: '@xstate.actor',
    name: view.address,
    definition,
    ...(parent !== undefined && { parentId: parent }),
    snapshot: snapshotOf(view),
  };
}

/** The events of a turn: the event taken and the resulting snapshot; `context` is the one after the turn. */
export function turnEvents(turn: TurnView, context: unknown): StatelyEvent[] {
  const { address, atMs, event, cause, value, status, error } = turn;
  const heads = common(address, atMs);
  const given = event ?? { type: 'xstate.init' };
  const source = cause?.address ?? null;
  const taken: StatelyEvent = {
    ...heads,
    type: '@xstate.event',
    event: given,
    ...(source !== null && { sourceId: source }),
  };
  return [
    taken,
    {
      ...heads,
      type: '@xstate.snapshot',
      event: given,
      snapshot: snapshotOf({ status, value, context, output: undefined, error }),
    },
  ];
}

/** The event of an actor's end. */
export function endEvent(address: string, atMs: number): StatelyEvent {
  return {
    ...common(address, atMs),
    type: '@xstate.snapshot',
    event: { type: 'xstate.stop' },
    snapshot: { status: 'stopped' },
  };
}

function common(sessionId: string, atMs: number): Common {
  return { sessionId, rootId: ROOT, createdAt: String(Math.round(atMs)), id: null, _version: VERSION };
}

/** The snapshot. Statuses that XState lacks are mapped to ones that it has. */
function snapshotOf({
  status,
  value,
  context,
  output,
  error,
}: Pick<ActorView, 'value' | 'context' | 'output' | 'error'> & { status: string }): InspectedSnapshot {
  const known = status === 'starting' || status === 'suspended' ? 'active' : status;
  return {
    status: known,
    ...(value !== null && { value }),
    ...(context !== undefined && { context }),
    ...(output !== undefined && output !== null && { output }),
    ...(error !== null && error !== undefined && { error }),
  };
}

const definitions = new WeakMap<object, string>();

function definitionOf(machine: AnyStateMachine): string {
  const config = machine.config as object;
  let text = definitions.get(config);
  if (text === undefined) {
    const { context: _, ...rest } = config as { context?: unknown };
    definitions.set(config, (text = JSON.stringify({ ...rest, id: machine.id }, named)));
  }
  return text;
}

/** Serialises a function as the receiver's own inspector does. */
function named(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'function' ? { type: value.name } : value;
}
