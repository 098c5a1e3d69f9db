/**
 * Actions made ready to be performed: names looked up, parameters told apart. XState's own actions are resolved by
 * XState (`action.resolve`) and its result is taken over, except for three whose way through XState costs most:
 * `assign`, and where everything is constant `raise` and `cancel`, which is what `after` is made of. Those follow
 * resolveAssign, resolveRaise and resolveCancel of XState 5.33; the differential fuzz holds them against it.
 */
import { type AnyStateMachine, type AnyStateNode, type EventObject } from 'xstate';
import { type Effect } from '../model/step-engine.ts';
import { type BuiltIn, type Work } from './plan-work.ts';
import { isOfUser } from './step-effects.ts';

export interface Operation {
  perform(work: Work): void;
}

export function operationsOf(machine: AnyStateMachine, actions: readonly unknown[]): Operation[] {
  return actions.map((action) => operationOf(machine, action));
}

function operationOf(machine: AnyStateMachine, action: unknown): Operation {
  const isInline = typeof action === 'function';
  const implementations = machine.implementations.actions as Record<string, unknown>;
  const type = isInline ? '' : typeof action === 'string' ? action : (action as { type: string }).type;
  const resolved = isInline ? action : implementations[type];
  const params = new Parameters(action);
  if (typeof resolved === 'function' && 'resolve' in resolved)
    return builtIn(machine, resolved as unknown as BuiltIn, params);
  return new Custom(
    isInline ? (action as { name: string }).name || '(anonymous)' : type,
    resolved as Exec | undefined,
    params,
  );
}

function builtIn(machine: AnyStateMachine, action: BuiltIn, params: Parameters): Operation {
  const { event, delay, id, sendId } = action as unknown as Partial<Record<string, unknown>>;
  if (action.type === 'xstate.assign') return new Assign(machine, action as AssignAction, params);
  if (action.type === 'xstate.cancel' && typeof sendId === 'string')
    return new Constant({ kind: 'cancel', id: sendId });
  if (action.type === 'xstate.raise' && typeof event === 'object' && typeof delay === 'number') {
    return new Arm({ id: id as string | undefined, delayMs: delay, event: event as EventObject });
  }
  return new Resolving(machine, action, params);
}

/** Of an action: none, constant, or a function of context and event. */
class Parameters {
  readonly #constant: unknown = undefined;
  readonly #expression: ((args: object) => unknown) | undefined;

  constructor(action: unknown) {
    if (typeof action !== 'object' || action === null || !('params' in action)) return;
    if (typeof action.params === 'function') this.#expression = action.params as (args: object) => unknown;
    else this.#constant = action.params;
  }

  of({ snapshot, event }: Work): unknown {
    return this.#expression === undefined ? this.#constant : this.#expression({ context: snapshot.context, event });
  }
}

type Exec = (info: object, params: unknown) => unknown;

/** An action of the user, or of the kernel. */
class Custom implements Operation {
  readonly #type: string;
  readonly #exec: Exec | undefined;
  readonly #params: Parameters;
  /** By far the most frequent case. */
  readonly #isCall: boolean;

  constructor(type: string, exec: Exec | undefined, params: Parameters) {
    this.#type = type;
    this.#exec = exec;
    this.#params = params;
    this.#isCall = exec !== undefined && isOfUser(type);
  }

  perform(work: Work): void {
    const [type, exec] = [this.#type, this.#exec];
    const info = work.args();
    const params = this.#params.of(work);
    if (this.#isCall) work.add({ kind: 'call', name: type, exec: exec!, info, params });
    else work.describe({ type, info, params, exec });
  }
}

type Assigner = (args: object, params: unknown) => unknown;

interface AssignAction extends BuiltIn {
  readonly assignment: Assigner | Readonly<Record<string, unknown>>;
}

class Assign implements Operation {
  readonly #throughXstate: Operation;
  readonly #whole: Assigner | undefined;
  readonly #keys: readonly string[];
  readonly #values: readonly unknown[];
  readonly #params: Parameters;

  constructor(machine: AnyStateMachine, action: AssignAction, params: Parameters) {
    const { assignment } = action;
    this.#throughXstate = new Resolving(machine, action, params);
    this.#whole = typeof assignment === 'function' ? assignment : undefined;
    // A key of this name would not be assigned by XState.
    this.#keys = typeof assignment === 'function' ? [] : Object.keys(assignment).filter((key) => key !== '__proto__');
    this.#values = typeof assignment === 'function' ? [] : this.#keys.map((key) => assignment[key]);
    this.#params = params;
  }

  perform(work: Work): void {
    const { snapshot, event, scope } = work;
    const context = snapshot.context as object | undefined;
    if (!context) {
      // XState says what is wrong with that.
      this.#throughXstate.perform(work);
      return;
    }
    const params = this.#params.of(work);
    const args = { context, event, spawn: work.spawn, self: scope.self, system: scope.system };
    work.isAssigning = true;
    // A function may have changed the context in place, which XState takes over too: it is copied afterwards.
    if (this.#whole === undefined) snapshot.context = this.#byKey(context, args, params);
    else {
      const update = this.#whole(args, params);
      snapshot.context = Object.assign({ ...context }, update);
    }
    work.isAssigning = false;
    work.isTouched = true;
  }

  #byKey(context: object, args: object, params: unknown): object {
    const [keys, values] = [this.#keys, this.#values];
    const update = new Array<unknown>(values.length);
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      update[i] = typeof value === 'function' ? (value as Assigner)(args, params) : value;
    }
    const next: Record<string, unknown> = { ...context };
    for (let i = 0; i < keys.length; i++) next[keys[i]!] = update[i];
    return next;
  }
}

/** Every other action of XState: it says what becomes of the snapshot, what is to be done, and what else to perform. */
class Resolving implements Operation {
  readonly #machine: AnyStateMachine;
  readonly #action: BuiltIn;
  readonly #params: Parameters;

  constructor(machine: AnyStateMachine, action: BuiltIn, params: Parameters) {
    this.#machine = machine;
    this.#action = action;
    this.#params = params;
  }

  perform(work: Work): void {
    const action = this.#action;
    const info = work.args();
    const given = this.#params.of(work);
    const [next, params, more] = action.resolve(work.scope, work.snapshot, info, given, action, work.extra);
    work.take(next);
    if (action.execute !== undefined) this.#describe(work, info, params);
    if (action.retryResolve !== undefined) work.mayRetry(action, params);
    if (more !== undefined) for (const one of more) operationOf(this.#machine, one).perform(work);
  }

  #describe(work: Work, info: object, params: unknown): void {
    const { type } = this.#action;
    const isOfFamily = type === 'xstate.spawnChild' || type === 'xstate.stopChild';
    // Spawns and stops are seen by comparing families, for which the open step collects them.
    if (isOfFamily) work.scope.actionExecutor({ type, info, params });
    else
      work.describe({
        type,
        info,
        params,
        exec: isOfUser(type) ? () => this.#action.execute!(work.scope, params) : undefined,
        delay: work.step.takeDelay(),
      });
  }
}

/** What is the same every time. */
class Constant implements Operation {
  readonly #effect: Effect;

  constructor(effect: Effect) {
    this.#effect = Object.freeze(effect);
  }

  perform(work: Work): void {
    work.add(this.#effect);
  }
}

/** `after`, and `raise` with a constant event and delay. */
class Arm implements Operation {
  readonly #timer: { readonly id: string | undefined; readonly delayMs: number; readonly event: EventObject };

  constructor(timer: { id: string | undefined; delayMs: number; event: EventObject }) {
    this.#timer = timer;
  }

  perform(work: Work): void {
    const { id, delayMs, event } = this.#timer;
    work.add({ kind: 'arm', id, delayMs, delay: null, to: work.scope.self, event });
  }
}

/** The list of actions of a state that is entered begins: it may send to what the state invokes. */
export class Defer implements Operation {
  readonly #ids: readonly string[];

  constructor(ids: readonly string[]) {
    this.#ids = ids;
  }

  perform(work: Work): void {
    work.defer(this.#ids);
  }
}

/** It ends. */
export class Settle implements Operation {
  perform(work: Work): void {
    work.settle();
  }
}

/** A state has come to its end, and its machine is told so. */
export class Done implements Operation {
  readonly #type: string;
  readonly #final: AnyStateNode | undefined;

  /** @param final Whose output the event carries. */
  constructor(type: string, final: AnyStateNode | undefined) {
    this.#type = type;
    this.#final = final;
  }

  perform(work: Work): void {
    work.queue.push(doneEvent(work, this.#type, this.#final));
  }
}

/** The machine has come to its end. */
export class Finish implements Operation {
  readonly #done: { readonly type: string; readonly final: AnyStateNode | undefined } | undefined;
  readonly #output: unknown;

  /** @param done The event that the machine's output is made from; undefined where it has none. */
  constructor(machine: AnyStateMachine, done: { type: string; final: AnyStateNode | undefined } | undefined) {
    this.#done = done;
    this.#output = machine.root.output;
  }

  perform(work: Work): void {
    const { snapshot } = work;
    if (this.#done !== undefined)
      snapshot.output = outputOf(work, this.#output, doneEvent(work, this.#done.type, this.#done.final));
    snapshot.status = 'done';
    work.isTouched = true;
  }
}

function doneEvent(work: Work, type: string, final: AnyStateNode | undefined): EventObject {
  const event = { type, output: final === undefined ? undefined : outputOf(work, final.output, work.event) };
  return event;
}

function outputOf({ snapshot, scope }: Work, output: unknown, event: EventObject): unknown {
  return typeof output === 'function'
    ? (output as (args: object) => unknown)({ context: snapshot.context, event, self: scope.self })
    : output;
}
