/**
 * Records what XState would do, without running user code. Works on a copy of a hosted machine in which every list of
 * actions, every guard and every output is replaced by one that notes that it was reached. XState's own selection and
 * microstep run on the copy; a plan is made from what they reach, in their order. No rule of XState is repeated here.
 * Relies on a macrostep selecting by machine.getTransitionData (XSTATE_INTERNALS).
 */
import { type AnyStateMachine, type AnyStateNode, type EventObject } from 'xstate';
import { type HistoryValue, type Place } from './plan-snapshot.ts';
import { type BuiltIn } from './plan-work.ts';
import { boundLookups } from './hosting.ts';
import { appearanceOf, type MachineSnapshot } from './machine-state.ts';

export type Transition = NonNullable<AnyStateNode['always']>[number];

/** A mark that a microstep reaches. Nodes and transitions are those of the hosted machine. */
export type Mark =
  /** `isLast`: the machine is done, and only its exit actions run. */
  | { readonly what: 'exit'; readonly node: AnyStateNode; readonly isLast: boolean }
  | { readonly what: 'content'; readonly transition: Transition }
  | { readonly what: 'enter'; readonly node: AnyStateNode }
  /** The actions of a node's initial transition, directly after its entry. */
  | { readonly what: 'initial'; readonly node: AnyStateNode }
  /** A done event, raised by XState. `final`: the state whose output it carries. */
  | { readonly what: 'done'; readonly type: string; readonly final: AnyStateNode | undefined }
  /** The end of the machine, whose output is computed from this done event. */
  | { readonly what: 'finish'; readonly type: string; readonly final: AnyStateNode | undefined };

export interface Recording {
  readonly marks: readonly Mark[];
  readonly isDone: boolean;
  /** The next configuration; null if XState kept the snapshot. */
  readonly next: { readonly nodes: readonly AnyStateNode[]; readonly history: HistoryValue } | null;
}

/** A placeholder for the output of a final state. */
interface Output {
  readonly of: AnyStateNode;
}

const TRIGGER: EventObject = { type: 'bosun.probe' };

export class Probe {
  readonly #copy: AnyStateMachine;
  /** Nodes of the copy by nodes of the hosted machine, and the reverse. */
  readonly #copies = new Map<AnyStateNode, AnyStateNode>();
  readonly #hosted = new Map<AnyStateNode, AnyStateNode>();
  readonly #mirrors = new Map<Transition, Transition>();
  readonly #scope: object;
  #marks: Mark[] = [];
  #asked: Transition[] = [];
  #eventless: AnyStateNode[] = [];
  /** The internal queue of the current macrostep. */
  #queue: EventObject[] = [];

  constructor(hosted: AnyStateMachine) {
    const copy = hosted.provide({}) as AnyStateMachine;
    this.#copy = copy;
    const nothing = () => {};
    this.#scope = {
      self: {},
      system: { _sendInspectionEvent: nothing },
      actionExecutor: nothing,
      defer: nothing,
      emit: nothing,
      stopChild: nothing,
    };
    Object.assign(copy, {
      config: { ...(copy.config as object), context: undefined },
      options: { maxIterations: Infinity },
    });
    this.#pair(hosted.root, copy.root);
    for (const [node, own] of this.#copies) this.#replace(node, own);
  }

  /** The value and tags of a configuration. */
  appearance(nodes: readonly AnyStateNode[]): { value: unknown; tags: ReadonlySet<string> } {
    return appearanceOf(this.#snapshot(nodes, {}));
  }

  /** The transitions that may take an event, in the order in which XState tries them if all guards refuse. */
  candidates({ nodes, value }: Place, type: string): readonly Transition[] {
    this.#asked = [];
    const { getTransitionData } = Object.getPrototypeOf(this.#copy) as Pick<AnyStateMachine, 'getTransitionData'>;
    getTransitionData.call(this.#copy, { ...this.#snapshot(nodes, {}), value } as never, { type } as never);
    return this.#asked;
  }

  /** The nodes with eventless transitions, one list per active leaf, in the order in which XState tries them. */
  eventless({ nodes, history }: Place): readonly (readonly AnyStateNode[])[] {
    this.#eventless = [];
    this.#run(nodes, history, []);
    const chains: AnyStateNode[][] = [];
    for (const node of this.#eventless) {
      const chain = chains.at(-1);
      if (chain !== undefined && isBelow(chain.at(-1)!, node)) chain.push(node);
      else chains.push([node]);
    }
    return chains;
  }

  microstep({ nodes, history }: Place, transitions: readonly Transition[]): Recording {
    return this.#run(
      nodes,
      history,
      transitions.map((transition) => this.#mirror(transition)),
    );
  }

  /** The recording of the initial step; undefined if XState finds no initial state. */
  initial(): Recording | undefined {
    this.#marks = [];
    this.#select([]);
    const after = this.#copy.getInitialSnapshot(this.#scope as never, undefined as never) as unknown as MachineSnapshot;
    return after.status === 'error' ? undefined : this.#recording(undefined, after);
  }

  #run(nodes: readonly AnyStateNode[], history: HistoryValue, chosen: readonly Transition[]): Recording {
    this.#marks = [];
    this.#select(chosen);
    const before = this.#snapshot(nodes, history);
    return this.#recording(
      before,
      this.#copy.transition(before as never, TRIGGER as never, this.#scope as never) as unknown as MachineSnapshot,
    );
  }

  #recording(before: MachineSnapshot | undefined, after: MachineSnapshot): Recording {
    const hostedOf = (node: AnyStateNode) => this.#hosted.get(node)!;
    const history = Object.entries(after.historyValue).map(([id, nodes]) => [id, nodes.map(hostedOf)]);
    const next =
      after === before
        ? null
        : { nodes: after._nodes.map(hostedOf), history: Object.fromEntries(history) as HistoryValue };
    return { marks: this.#marks, isDone: after.status === 'done', next };
  }

  /**
   * Makes the next macrostep take the chosen transitions. Events that XState raises in it are recorded and trigger no
   * transition.
   */
  #select(chosen: readonly Transition[]): void {
    this.#queue = [];
    const select = (_: unknown, event: EventObject) => {
      if (event === TRIGGER) return chosen;
      this.#noteDone(event);
      return [];
    };
    Object.assign(this.#copy, { getTransitionData: select });
  }

  #snapshot(nodes: readonly AnyStateNode[], history: HistoryValue): MachineSnapshot {
    const copyOf = (node: AnyStateNode) => this.#copies.get(node)!;
    const historyValue = Object.fromEntries(
      Object.entries(history).map(([id, remembered]) => [id, remembered.map(copyOf)]),
    );
    const plain = { status: 'active', output: undefined, error: undefined, context: {}, children: {} } as const;
    return { ...plain, machine: this.#copy, _nodes: nodes.map(copyOf), historyValue, value: {}, tags: new Set() };
  }

  #pair(node: AnyStateNode, own: AnyStateNode): void {
    this.#copies.set(node, own);
    this.#hosted.set(own, node);
    for (const [key, child] of Object.entries(node.states as Record<string, AnyStateNode>))
      this.#pair(child, (own.states as Record<string, AnyStateNode>)[key]!);
  }

  #replace(node: AnyStateNode, own: AnyStateNode): void {
    const enter = this.#marker(() => ({ what: 'enter', node }));
    const exit = this.#marker((isLast) => ({ what: 'exit', node, isLast }));
    Object.assign(own, { entry: [enter], exit: [exit] });
    Object.defineProperty(own, 'invoke', { value: [] });
    if (node.config.initial !== undefined)
      Object.assign(own.initial, { actions: [this.#marker(() => ({ what: 'initial', node }))] });
    if (node.output !== undefined) Object.assign(own, { output: this.#output(node) });
    const mirrored = [...node.transitions].map(
      ([descriptor, transitions]) => [descriptor, transitions.map((transition) => this.#mirror(transition))] as const,
    );
    Object.assign(own, { transitions: new Map(mirrored) });
    const asksEventless = () => {
      this.#eventless.push(node);
      return false;
    };
    if (node.always !== undefined && node.always.length > 0)
      Object.assign(own, { always: [{ ...own.always![0]!, guard: asksEventless }] });
    boundLookups(own);
  }

  /**
   * The copy's version of a transition: its guard refuses every event, and its actions record that they were reached.
   */
  #mirror(transition: Transition): Transition {
    const known = this.#mirrors.get(transition);
    if (known !== undefined) return known;
    const { source, target } = transition;
    const refuse = () => {
      this.#asked.push(transition);
      return false;
    };
    const actions = [this.#marker(() => ({ what: 'content', transition }))];
    const copyOf = (node: AnyStateNode) => this.#copies.get(node)!;
    const mirror = {
      ...transition,
      source: copyOf(source),
      target: target?.map(copyOf),
      actions,
      guard: refuse,
    } as unknown as Transition;
    this.#mirrors.set(transition, mirror);
    return mirror;
  }

  /** An action that records when XState resolves it, in place of the actions that it replaces. */
  #marker(markOf: (isLast: boolean) => Mark): unknown {
    const resolve: BuiltIn['resolve'] = (_, snapshot, _args, _params, _action, extra) => {
      this.#queue = (extra as { internalQueue: EventObject[] }).internalQueue;
      this.#noteQueued();
      this.#marks.push(markOf((snapshot as MachineSnapshot).status === 'done'));
      return [snapshot as never, undefined, undefined];
    };
    return Object.assign(() => {}, { type: 'bosun.mark', resolve });
  }

  #output(node: AnyStateNode): (args: { event: EventObject }) => Output {
    return ({ event }) => {
      if (node.parent === undefined) {
        this.#noteQueued();
        this.#marks.push({ what: 'finish', type: event.type, final: finalOf(event) });
      }
      return { of: node };
    };
  }

  #noteQueued(): void {
    for (const event of this.#queue.splice(0)) this.#noteDone(event);
  }

  #noteDone(event: EventObject): void {
    this.#marks.push({ what: 'done', type: event.type, final: finalOf(event) });
  }
}

function finalOf(event: EventObject): AnyStateNode | undefined {
  return (event as { output?: Output }).output?.of;
}

/** Whether `node` lies inside `above`. */
export function isBelow(node: AnyStateNode, above: AnyStateNode): boolean {
  for (let at = node.parent as AnyStateNode | undefined; at !== undefined; at = at.parent as AnyStateNode | undefined)
    if (at === above) return true;
  return false;
}
