/**
 * Guards prepared for evaluation. Functions are called directly; XState evaluates `and`, `or`, `not`, `stateIn` and
 * names that refer to other names.
 */
import { type AnyStateMachine, type AnyStateNode, type EventObject } from 'xstate';
import { evaluateGuard } from 'xstate/guards';
import { type Work } from './plan-work.ts';

export type Guard = (work: Work) => unknown;

type Predicate = (args: object, params: unknown) => unknown;
type Named = string | { readonly type: string; readonly params?: unknown };

export function guardOf(machine: AnyStateMachine, guard: unknown): Guard {
  const resolved = typeof guard === 'function' ? guard : namedGuard(machine, guard);
  if (typeof resolved !== 'function' || 'check' in resolved) {
    return ({ snapshot, event }) => evaluateGuard(guard as never, snapshot.context as never, event, snapshot as never);
  }
  const predicate = resolved as Predicate;
  if (typeof guard === 'object' && guard !== null && 'params' in guard) {
    const { params } = guard;
    if (typeof params !== 'function') return (work) => predicate(argsOf(work), params);
    const paramsOf = params as (args: object) => unknown;
    return (work) => {
      const args = argsOf(work);
      return predicate(args, paramsOf(argsOf(work)));
    };
  }
  return (work) => predicate(argsOf(work), undefined);
}

function argsOf({ snapshot, event }: Work): object {
  return { context: snapshot.context, event };
}

function namedGuard(machine: AnyStateMachine, guard: unknown): unknown {
  if (guard === null || guard === undefined) return undefined;
  const { guards } = machine.implementations as { guards: Record<string, unknown> };
  return guards[typeof guard === 'string' ? guard : (guard as { type: string }).type];
}

/**
 * The error with which XState reports a guard that threw. XState produces it itself, from a stand-in guard that throws
 * the same error.
 */
export function guardError(node: AnyStateNode, guard: unknown, event: EventObject, error: unknown): unknown {
  const thrower = () => {
    throw error;
  };
  const name = typeof guard === 'string' ? guard : (guard as { type?: string }).type;
  const again = typeof guard === 'function' ? thrower : typeof guard === 'string' ? guard : { type: name };
  const standIn = Object.create(node, {
    transitions: { value: new Map([[event.type, [{ guard: again as Named, actions: [] }]]]) },
  }) as AnyStateNode;
  const { next } = Object.getPrototypeOf(node) as {
    next: (this: AnyStateNode, snapshot: object, event: EventObject) => unknown;
  };
  try {
    next.call(standIn, { context: {}, machine: { implementations: { guards: { [String(name)]: thrower } } } }, event);
  } catch (worded) {
    return worded;
  }
  return error;
}
