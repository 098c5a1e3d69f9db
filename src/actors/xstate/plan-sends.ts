/**
 * Operations of plans by which events leave a machine or come back to it: `sendTo`, `raise`, `emit`, `cancel`. They
 * follow resolveSendTo, resolveRaise, resolveEmit and resolveCancel of XState 5.33, whose closures and descriptions
 * cost more than the rest of a step. The differential fuzz compares their results with XState's.
 */
import { type EventObject } from 'xstate';
import { Operation, type Parameters } from './plan-operation.ts';
import { type ActionArgs, type Work } from './plan-work.ts';

type Expression = (args: ActionArgs, params: unknown) => unknown;

/** The arguments of `sendTo`, each constant or an expression. */
export interface SendParts {
  readonly to: unknown;
  readonly event: unknown;
  readonly id: string | undefined;
  /** The delay in milliseconds, or the name of a delay of the machine. */
  readonly delay: unknown;
}

export class Send extends Operation {
  readonly #parts: SendParts;
  readonly #params: Parameters;

  constructor(parts: SendParts, params: Parameters) {
    super();
    this.#parts = parts;
    this.#params = params;
  }

  perform(work: Work): void {
    const { to, event: given, id, delay } = this.#parts;
    const params = this.#params.of(work);
    refuseText(given, 'sendTo');
    const event = valueOf(given, work, params) as EventObject;
    const delayMs = delay === undefined ? undefined : delayOf(delay, work, params);
    const target = valueOf(to, work, params);
    const receiver = typeof target === 'string' ? receiverOf(target, work) : target || work.scope.self;
    if (typeof delayMs === 'number')
      work.add({ kind: 'arm', id, delayMs, delay: work.step.takeDelay(), to: receiver as object, event });
    else work.add({ kind: 'send', to: receiver as object, event });
    if (typeof receiver === 'string') work.mayRetry(() => work.snapshot.children[receiver]);
  }
}

/** Finds the receiver; returns the id itself for a child that is spawned later in the same list of actions. */
function receiverOf(target: string, { snapshot, scope, extra }: Work): object | string {
  const { children, machine } = snapshot;
  let receiver: object | string | undefined;
  if (target === '#_parent') receiver = scope.self._parent;
  else if (target === '#_internal') receiver = scope.self;
  else if (target.startsWith('#_')) receiver = children[target.slice('#_'.length)];
  else receiver = extra.deferredActorIds?.includes(target) ? target : children[target];
  if (!receiver) throw new Error(`Unable to send event to actor '${target}' from machine '${machine.id}'.`);
  return receiver;
}

/** The arguments of `raise`. */
export type RaiseParts = Omit<SendParts, 'to'>;

export class Raise extends Operation {
  readonly #parts: RaiseParts;
  readonly #params: Parameters;

  constructor(parts: RaiseParts, params: Parameters) {
    super();
    this.#parts = parts;
    this.#params = params;
  }

  perform(work: Work): void {
    const { event: given, id, delay } = this.#parts;
    const params = this.#params.of(work);
    refuseText(given, 'raise');
    const event = valueOf(given, work, params) as EventObject;
    const delayMs = delay === undefined ? undefined : delayOf(delay, work, params);
    if (typeof delayMs === 'number')
      work.add({ kind: 'arm', id, delayMs, delay: work.step.takeDelay(), to: work.scope.self, event });
    else work.queue.push(event);
  }
}

export class Emit extends Operation {
  readonly #event: unknown;
  readonly #params: Parameters;

  constructor(event: unknown, params: Parameters) {
    super();
    this.#event = event;
    this.#params = params;
  }

  perform(work: Work): void {
    work.add({ kind: 'emit', event: valueOf(this.#event, work, this.#params.of(work)) as EventObject });
  }
}

export class Cancel extends Operation {
  readonly #sendId: unknown;
  readonly #params: Parameters;

  constructor(sendId: unknown, params: Parameters) {
    super();
    this.#sendId = sendId;
    this.#params = params;
  }

  perform(work: Work): void {
    work.add({ kind: 'cancel', id: String(valueOf(this.#sendId, work, this.#params.of(work))) });
  }
}

function valueOf(given: unknown, work: Work, params: unknown): unknown {
  return typeof given === 'function' ? (given as Expression)(work.args(), params) : given;
}

function delayOf(delay: unknown, work: Work, params: unknown): unknown {
  const { delays } = work.snapshot.machine.implementations as { delays: Readonly<Record<string, unknown>> };
  const delayMs = valueOf(typeof delay === 'string' ? delays[delay] : delay, work, params);
  // The look-up has recorded the delay's name even if its result is not a number.
  if (typeof delayMs !== 'number') work.step.takeDelay();
  return delayMs;
}

/** Throws XState's error, in XState's words, for an event that is only a string. */
function refuseText(event: unknown, action: string): void {
  if (typeof event === 'string')
    throw new Error(`Only event objects may be used with ${action}; use ${action}({ type: "${event}" }) instead`);
}
