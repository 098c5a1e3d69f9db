/** Operations of plans for the end of a state or of the machine: the done events and outputs that follow. */
import { type AnyStateMachine, type AnyStateNode, type EventObject } from 'xstate';
import { Operation } from './plan-operation.ts';
import { type Work } from './plan-work.ts';

/** Raises the done event of a state. */
export class Done extends Operation {
  readonly #type: string;
  readonly #final: AnyStateNode | undefined;

  /**
   * Makes the operation.
   *
   * @param final The state whose output the event carries.
   */
  constructor(type: string, final: AnyStateNode | undefined) {
    super();
    this.#type = type;
    this.#final = final;
  }

  perform(work: Work): void {
    work.queue.push(doneEvent(work, this.#type, this.#final));
  }
}

/** Ends the machine. */
export class Finish extends Operation {
  readonly #done: { readonly type: string; readonly final: AnyStateNode | undefined } | undefined;
  readonly #output: unknown;

  /**
   * Makes the operation.
   *
   * @param done The done event from which the machine's output is computed; undefined if there is none.
   */
  constructor(machine: AnyStateMachine, done: { type: string; final: AnyStateNode | undefined } | undefined) {
    super();
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
