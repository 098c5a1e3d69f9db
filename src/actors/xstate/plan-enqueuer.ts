/**
 * The `enqueue` that `enqueueActions` passes to its function. Its methods create operations directly, without XState's
 * closure and action function for each. Enqueuing after the function has returned does nothing, as in XState.
 */
import { type AnyStateMachine, spawnChild, stopChild } from 'xstate';
import { evaluateGuard } from 'xstate/guards';
import { Assign, type Assignment } from './plan-assign.ts';
import { isPlainSpawn, Spawn, type SpawnParts } from './plan-births.ts';
import { askedGuard, enqueuedAction, enqueuedPart } from './owed-values.ts';
import { NO_PARAMETERS } from './plan-operation.ts';
import { Cancel, Emit, Raise, Send } from './plan-sends.ts';
import { type Work } from './plan-work.ts';

interface SendOptions {
  readonly id?: string;
  readonly delay?: unknown;
}

function delayOf(options: SendOptions | undefined): unknown {
  return enqueuedPart(options?.delay, 'an enqueued delay');
}

const known = new WeakMap<object, Enqueuer>();

/** The shared empty list. It is never changed. */
const NOTHING: unknown[] = [];

export class Enqueuer {
  /** Operations, and actions in the form in which users write them. */
  #list = NOTHING;
  #isOpen = false;
  #machine!: AnyStateMachine;
  #snapshot: Work['snapshot'] | undefined;
  #event: Work['event'] | undefined;

  /**
   * The enqueuer of a collecting function. Each function has its own, so that an `enqueue` kept from a function that
   * has returned does nothing while another one runs.
   */
  static of(collect: object): Enqueuer {
    let enqueuer = known.get(collect);
    if (enqueuer === undefined) known.set(collect, (enqueuer = new Enqueuer()));
    return enqueuer;
  }

  /** The `enqueue` for users, with the keys of XState's own. */
  readonly enqueue = Object.assign((action: unknown) => this.#add(enqueuedAction(action)), {
    assign: (assignment: Assignment) =>
      this.#add(new Assign(enqueuedPart(assignment, 'an enqueued assign', 'partsAdmitted'), NO_PARAMETERS)),
    cancel: (sendId: unknown) => this.#add(new Cancel(enqueuedPart(sendId, 'an enqueued cancel'), NO_PARAMETERS)),
    raise: (event: unknown, options?: SendOptions) =>
      this.#add(new Raise({ event, id: options?.id, delay: delayOf(options) }, NO_PARAMETERS)),
    sendTo: (to: unknown, event: unknown, options?: SendOptions) =>
      this.#add(
        new Send(
          { to: enqueuedPart(to, 'an enqueued target of sendTo'), event, id: options?.id, delay: delayOf(options) },
          NO_PARAMETERS,
        ),
      ),
    sendParent: (event: unknown, options?: SendOptions) => this.enqueue.sendTo('#_parent', event, options),
    spawnChild: (src: unknown, options: Partial<SpawnParts> = {}) => {
      const { systemId, input, syncSnapshot } = options;
      const id = enqueuedPart(options.id, 'an enqueued id of spawnChild');
      const parts = { src, id, systemId, input, syncSnapshot };
      const isPlain = this.#isOpen && isPlainSpawn(this.#machine, parts);
      this.#add(isPlain ? new Spawn(parts) : spawnChild(src as never, { ...options, id } as never));
    },
    stopChild: (child: unknown) => this.#add(stopChild(enqueuedPart(child, 'an enqueued stopChild') as never)),
    emit: (event: unknown) => this.#add(new Emit(event, NO_PARAMETERS)),
  });

  /** Evaluates a guard on what the function was given; false once the function has returned. */
  readonly check = (guard: unknown): boolean => {
    const [snapshot, event] = [this.#snapshot, this.#event];
    if (snapshot === undefined) return false;
    return evaluateGuard(askedGuard(guard) as never, snapshot.context as never, event!, snapshot as never);
  };

  open(machine: AnyStateMachine, { snapshot, event }: Work): void {
    this.#machine = machine;
    this.#snapshot = snapshot;
    this.#event = event;
    this.#isOpen = true;
  }

  /**
   * Ends the function.
   *
   * @returns The list enqueued since `open`.
   */
  close(): readonly unknown[] {
    const list = this.#list;
    this.#list = NOTHING;
    // Kept, it would keep its whole system in memory.
    this.#snapshot = this.#event = undefined;
    this.#isOpen = false;
    return list;
  }

  #add(one: unknown): void {
    if (!this.#isOpen) return;
    // Most functions enqueue one action, and an array that grows by push allocates room for seventeen.
    if (this.#list === NOTHING) this.#list = [one];
    else this.#list.push(one);
  }
}
