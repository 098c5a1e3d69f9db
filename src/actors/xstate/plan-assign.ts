/** The operation by which a plan assigns to the context: resolveAssign of XState 5.33, without its closures. */
import { assign } from 'xstate';
import { Operation, type Parameters } from './plan-operation.ts';
import { type BuiltIn, type Work } from './plan-work.ts';

/** An assigner function of a user. */
type Assigner = (args: object, params: unknown) => unknown;

/** The argument of `assign`. */
export type Assignment = Assigner | Readonly<Record<string, unknown>>;

export class Assign extends Operation {
  readonly #assignment: Assignment;
  readonly #keys: readonly string[];
  readonly #values: readonly unknown[];
  readonly #params: Parameters;

  constructor(assignment: Assignment, params: Parameters) {
    super();
    this.#assignment = assignment;
    // XState would not assign a key of this name.
    this.#keys = typeof assignment === 'function' ? [] : Object.keys(assignment).filter((key) => key !== '__proto__');
    this.#values = typeof assignment === 'function' ? [] : this.#keys.map((key) => assignment[key]);
    this.#params = params;
  }

  perform(work: Work): void {
    const { snapshot, event, scope } = work;
    const context = snapshot.context as object | undefined;
    const params = this.#params.of(work);
    if (!context) {
      // XState throws the error for a missing context.
      const action = assign(this.#assignment as never) as unknown as BuiltIn;
      action.resolve(scope, snapshot, work.args(), params, action, work.extra);
      return;
    }
    const args = { context, event, spawn: work.spawn, self: scope.self, system: scope.system };
    work.isAssigning = true;
    // Copy the context only after the call: as in XState, the copy has what the function changed in place.
    if (typeof this.#assignment === 'function') {
      const update = this.#assignment(args, params);
      snapshot.context = Object.assign({ ...context }, update);
    } else snapshot.context = this.#byKey(context, args, params);
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
