/**
 * Traces a machine: every state entered (`+a.b`) and left (`-a.b`), and every transition taken (`a.b/EVENT`), in order,
 * by custom actions put before its own. Named and inline machines below it are traced too.
 */
import { type AnyStateMachine, createMachine } from 'xstate';
import { isMachine } from '../../../../src/actors/xstate/machine-facts.ts';
import { type Record } from './scenario.ts';

type Node = { readonly [key: string]: unknown };

interface ActionArgs {
  readonly event: { readonly type: string };
  readonly self: { readonly id: string };
}

export function traced(machine: AnyStateMachine, record: Record): AnyStateMachine {
  const trace = (text: string | ((args: ActionArgs) => string)) => (args: ActionArgs) =>
    record(args.self.id, typeof text === 'string' ? text : text(args));
  const { actors, ...implementations } = machine.implementations as { actors: Node };
  const below = Object.fromEntries(
    Object.entries(actors).map(([src, logic]) => [src, isMachine(logic) ? traced(logic, record) : logic]),
  );
  const config = new Tracing(trace, record).node(machine.config as Node, '');
  return (createMachine(config as never) as AnyStateMachine).provide({
    ...implementations,
    actors: below,
  } as never) as AnyStateMachine;
}

class Tracing {
  readonly #trace: (text: string | ((args: ActionArgs) => string)) => unknown;
  readonly #record: Record;

  constructor(trace: (text: string | ((args: ActionArgs) => string)) => unknown, record: Record) {
    this.#trace = trace;
    this.#record = record;
  }

  node(config: Node, path: string): Node {
    if (config['type'] === 'history') return config;
    const { on, after, always, onDone, invoke, states } = config as { [key: string]: Node | undefined };
    return {
      ...config,
      entry: [this.#trace(`+${path}`), ...list(config['entry'])],
      exit: [this.#trace(`-${path}`), ...list(config['exit'])],
      ...(on && { on: this.#transitions(on, path) }),
      ...(after && { after: this.#transitions(after, path) }),
      ...(always && { always: this.#transition(always, path) }),
      ...(onDone && { onDone: this.#transition(onDone, path) }),
      ...(invoke && { invoke: list(invoke).map((one) => this.#invoke(one as Node, path)) }),
      ...(states && {
        states: mapped(states, (state, key) => this.node(state as Node, path === '' ? key : `${path}.${key}`)),
      }),
    };
  }

  #transitions(all: Node, path: string): Node {
    return mapped(all, (transition) => this.#transition(transition, path));
  }

  #transition(transition: unknown, path: string): unknown {
    if (Array.isArray(transition)) return transition.map((one) => this.#transition(one, path));
    if (transition === undefined) return undefined;
    const config = typeof transition === 'string' ? { target: transition } : (transition as Node);
    return { ...config, actions: [this.#trace(({ event }) => `${path}/${event.type}`), ...list(config['actions'])] };
  }

  #invoke(invoke: Node, path: string): Node {
    const ends = ['onDone', 'onError', 'onSnapshot'].filter((key) => invoke[key] !== undefined);
    const { src } = invoke;
    return {
      ...invoke,
      ...(isMachine(src) && { src: traced(src, this.#record) }),
      ...Object.fromEntries(ends.map((key) => [key, this.#transition(invoke[key], path)])),
    };
  }
}

function mapped(record: Node, to: (item: unknown, key: string) => unknown): Node {
  return Object.fromEntries(Object.entries(record).map(([key, item]) => [key, to(item, key)]));
}

function list(item: unknown): readonly unknown[] {
  return item === undefined ? [] : Array.isArray(item) ? item : [item];
}
