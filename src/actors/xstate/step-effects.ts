/**
 * Converts XState's described actions to the kernel's effects. Part of the one place that knows XState's internals (see
 * xstate/definition.ts).
 */
import { type EventObject } from 'xstate';
import { type Effect } from '../model/step-engine.ts';
import { type Ref } from '../model/ref.ts';

/** XState's executable action. */
export interface Action {
  readonly type: string;
  readonly info: object;
  readonly params: unknown;
  readonly exec?: ((info: object, params: unknown) => unknown) | undefined;
  /** The name of the action's delay; added by the open step, not by XState. */
  delay?: string | null;
}

/**
 * The prefix of actions that the kernel performs (see supervision.ts); users' machines may not use it.
 */
export const KERNEL_ACTION_PREFIX = 'bosun.';

const XSTATE_PREFIX = 'xstate.';

/** The kernel's effect for an action, if any. */
export function described(action: Action): Effect | undefined {
  const params = action.params as Record<string, unknown> | undefined;
  switch (action.type) {
    case 'xstate.raise':
    case 'xstate.sendTo':
      return describedSend(action, params as unknown as SendParams);
    case 'xstate.cancel':
      return { kind: 'cancel', id: String(params?.['sendId']) };
    case 'xstate.emit':
      return { kind: 'emit', event: params?.['event'] as EventObject };
    case 'xstate.log':
      return { kind: 'log', label: params?.['label'] as string | undefined, value: params?.['value'] };
    default:
      return describedCustom(action);
  }
}

interface SendParams {
  readonly to?: object;
  readonly event: EventObject;
  readonly id?: string;
  readonly delay?: number;
}

function describedSend(action: Action, { to, event, id, delay }: SendParams): Effect | undefined {
  const isRaise = action.type === 'xstate.raise';
  const target = isRaise ? (action.info as { self: Ref }).self : to!;
  if (typeof delay === 'number')
    return { kind: 'arm', id, delayMs: delay, delay: action.delay ?? null, to: target, event };
  return isRaise ? undefined : { kind: 'send', to: target, event };
}

function describedCustom({ type, info, params, exec }: Action): Effect | undefined {
  if (isOfUser(type)) return exec && { kind: 'call', name: type, exec, info, params };
  // Births and stops are found by comparing children (births.ts); XState's other actions are handled above.
  return type.startsWith(KERNEL_ACTION_PREFIX) ? { kind: 'command', name: type, params } : undefined;
}

/** Whether an action is neither XState's nor the kernel's. */
export function isOfUser(type: string): boolean {
  return !type.startsWith(XSTATE_PREFIX) && !type.startsWith(KERNEL_ACTION_PREFIX);
}
