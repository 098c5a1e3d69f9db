/**
 * Operations for actions, with names and parameters resolved in advance. The frequent actions (`assign`,
 * `enqueueActions`, `sendTo`, `raise`, `emit`, `cancel`, `spawnChild`) are performed as in XState 5.33 but without its
 * closures, in plan-assign.ts, plan-sends.ts, plan-births.ts and here. XState resolves its other actions itself
 * (`action.resolve`). The differential fuzz compares all results with XState's.
 */
import { type AnyStateMachine } from 'xstate';
import { Assign, type Assignment } from './plan-assign.ts';
import { isPlainSpawn, Spawn, type SpawnParts } from './plan-births.ts';
import { Enqueuer } from './plan-enqueuer.ts';
import { Operation, Parameters } from './plan-operation.ts';
import { Cancel, Emit, Raise, Send, type SendParts } from './plan-sends.ts';
import { type BuiltIn, type Work } from './plan-work.ts';
import { isOfUser } from './step-effects.ts';

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
  switch (action.type) {
    case 'xstate.assign':
      return new Assign((action as BuiltIn & { assignment: Assignment }).assignment, params);
    case 'xstate.enqueueActions':
      return new Enqueue(machine, (action as BuiltIn & { collect: Collect }).collect, params);
    case 'xstate.sendTo':
      return new Send(action as BuiltIn & SendParts, params);
    case 'xstate.raise':
      return new Raise(action as BuiltIn & SendParts, params);
    case 'xstate.emit':
      return new Emit((action as BuiltIn & { event: unknown }).event, params);
    case 'xstate.cancel':
      return new Cancel((action as BuiltIn & { sendId: unknown }).sendId, params);
    case 'xstate.spawnChild':
      if (isPlainSpawn(machine, action as BuiltIn & SpawnParts)) return new Spawn(action as BuiltIn & SpawnParts);
  }
  return new Resolving(machine, action, params);
}

type Exec = (info: object, params: unknown) => unknown;

/** An action of the user, or of the kernel. */
class Custom extends Operation {
  readonly #type: string;
  readonly #exec: Exec | undefined;
  readonly #params: Parameters;
  /** Whether this is a user's action, by far the most frequent case. */
  readonly #isCall: boolean;

  constructor(type: string, exec: Exec | undefined, params: Parameters) {
    super();
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

type Collect = (args: object, params: unknown) => void;

class Enqueue extends Operation {
  readonly #machine: AnyStateMachine;
  readonly #collect: Collect;
  readonly #enqueuer: Enqueuer;
  readonly #params: Parameters;

  constructor(machine: AnyStateMachine, collect: Collect, params: Parameters) {
    super();
    this.#machine = machine;
    this.#collect = collect;
    this.#enqueuer = Enqueuer.of(collect);
    this.#params = params;
  }

  perform(work: Work): void {
    const { snapshot, scope, event } = work;
    const params = this.#params.of(work);
    const enqueuer = this.#enqueuer;
    const { enqueue, check } = enqueuer;
    const args = { context: snapshot.context, event, enqueue, check, self: scope.self, system: scope.system };
    let collected: readonly unknown[];
    enqueuer.open(this.#machine, work);
    try {
      this.#collect(args, params);
    } finally {
      collected = enqueuer.close();
    }
    for (const one of collected) (one instanceof Operation ? one : operationOf(this.#machine, one)).perform(work);
  }
}

/** Any other action of XState, resolved by XState: the next snapshot, the parameters, and further actions. */
class Resolving extends Operation {
  readonly #machine: AnyStateMachine;
  readonly #action: BuiltIn;
  readonly #params: Parameters;

  constructor(machine: AnyStateMachine, action: BuiltIn, params: Parameters) {
    super();
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
    if (more !== undefined) for (const one of more) operationOf(this.#machine, one).perform(work);
  }

  #describe(work: Work, info: object, params: unknown): void {
    const { type } = this.#action;
    const isOfFamily = type === 'xstate.spawnChild' || type === 'xstate.stopChild';
    // Spawns and stops are found by comparing families (births.ts); the open step collects their actions for that.
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

/** Begins the actions of a state that is entered, which may send to children that the state invokes. */
export class Defer extends Operation {
  readonly #ids: readonly string[];

  constructor(ids: readonly string[]) {
    super();
    this.#ids = ids;
  }

  perform(work: Work): void {
    work.defer(this.#ids);
  }
}

/** Ends the actions that `Defer` began. */
export class Settle extends Operation {
  perform(work: Work): void {
    work.settle();
  }
}
