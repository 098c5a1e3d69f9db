/**
 * Prepares XState logic for hosting. With the files named alike and the plans the only place that knows XState's
 * internals (5.33): the names used here that XState does not publish are listed in XSTATE_INTERNALS and pinned by a
 * contract test.
 *
 * A machine is copied, and in the copy every named or inline actor is a stub: XState runs a child's initial transition
 * when it describes the spawn, which would be inside the parent's pure step; the real child is born by the kernel
 * later.
 */
import { createHash } from 'node:crypto';
import {
  type AnyActorLogic,
  type AnyStateMachine,
  type AnyStateNode,
  type EventObject,
  fromCallback,
  fromEventObservable,
  fromObservable,
  fromPromise,
  fromTransition,
} from 'xstate';
import { BosunError } from '../../errors.ts';
import { MICROSTEPS_MAX, PATTERN_LOOKUPS_MAX } from '../../limits.ts';
import { type EffectPolicy } from '../model/effect-policy.ts';
import {
  ConfigurationTable,
  type Definition,
  type DurableAction,
  type LogicKind,
  SHUTDOWN,
} from '../model/step-engine.ts';
import { NO_POLICIES, type Policies } from '../model/policies.ts';
import { type Configuration, type NewConfiguration } from '../model/ports.ts';
import { type Identity } from '../model/state.ts';
import { type MigrationSteps } from '../model/version-rules.ts';
import { childTiming, PLAIN_TIMING, type Timing } from '../model/timing.ts';
import { wrapped } from './family.ts';

/** What we touch of XState that its types do not publish. */
export const XSTATE_INTERNALS = {
  machine: ['idMap', 'getTransitionData', 'implementations'],
  node: ['next', 'transitions', 'always', 'entry', 'exit', 'invoke', 'initial', 'output'],
  action: {
    assign: ['assignment', 'resolve'],
    raise: ['event', 'delay', 'id'],
    cancel: ['sendId'],
    sendTo: ['retryResolve', 'execute'],
  },
  snapshot: ['_nodes', 'historyValue', 'children', 'machine'],
  observable: ['_subscription'],
  actor: ['_syncSnapshot', 'options', 'systemId', 'src', 'sessionId', 'id'],
  system: [
    '_bookId',
    '_register',
    '_unregister',
    '_set',
    '_relay',
    '_sendInspectionEvent',
    '_snapshot',
    '_clock',
    '_logger',
  ],
} as const;

/** What an effect of XState's own kinds says about itself when it has come to its end. */
const ENDS: ReadonlySet<string> = new Set([
  'xstate.promise.resolve',
  'xstate.promise.reject',
  'xstate.observable.error',
  'xstate.observable.complete',
]);

export function isEndOfEffect(eventType: string): boolean {
  return ENDS.has(eventType);
}

/** What an effect of XState's own kinds failed with, if that is what the event says. */
export function failureOf(event: EventObject): { readonly error: unknown } | undefined {
  const isFailure = event.type === 'xstate.promise.reject' || event.type === 'xstate.observable.error';
  return isFailure ? { error: (event as { data?: unknown }).data } : undefined;
}

const INLINE_INVOKE = /^xstate\.invoke\.(\d+)\.(.*)$/;

/** A definition with what the engine needs besides. */
export interface XstateDefinition extends Definition {
  readonly logic: AnyActorLogic;
  readonly lookUp: DelayLookUp;
}

/** The named delay that XState has looked up for the action it describes next: the description has only its number. */
export interface DelayLookUp {
  name: string | null;
}

/** Migrations of an agent's logic and, by the `src` that leads to them, of its children and theirs. */
export interface Steps {
  readonly own: MigrationSteps;
  readonly below: Readonly<Record<string, MigrationSteps>>;
}

/** What an agent declares beside its logic. */
export interface Declared {
  readonly steps: Steps;
  readonly policies: Policies;
  readonly timing: Timing;
}

const NOTHING_DECLARED: Declared = { steps: { own: {}, below: {} }, policies: NO_POLICIES, timing: PLAIN_TIMING };

/** What logic has for which nothing can be declared. */
const PLAIN = {
  child: () => undefined,
  durable: undefined,
  poison: NO_POLICIES.poison,
  overflow: NO_POLICIES.overflow,
  keptTurns: 0,
  priorities: undefined,
  timing: PLAIN_TIMING,
  endsByItself: false,
};

/** Configuration tables are shared by definitions of equal structure: their ids mean the same on disk. */
export class Definitions {
  readonly #tables = new Map<string, ConfigurationTable>();

  prepare(
    name: string,
    logic: AnyActorLogic,
    version: number,
    declared: Declared = NOTHING_DECLARED,
  ): XstateDefinition {
    return isMachine(logic)
      ? this.#prepareMachine(name, logic, version, declared)
      : this.#prepareOther(name, logic, version, {
          steps: declared.steps.own,
          policy: undefined,
          isSecret: declared.policies.isSecret,
        });
  }

  /** For an actor whose logic the code lacks: enough to show it, to keep it and to remove it. */
  absent(
    { agent, bond, definition, version }: Pick<Identity, 'agent' | 'bond' | 'definition' | 'version'>,
    isEffect: boolean,
  ): Definition {
    const kind = definition === '' ? 'custom' : 'machine';
    const name = bond === 'supervised' ? agent : `>${agent}`;
    const rest = { ...PLAIN, steps: {}, policy: undefined, isSecret: false };
    return { name, kind, hash: definition, version, isEffect, configurations: this.table(definition), ...rest };
  }

  table(hash: string): ConfigurationTable {
    let table = this.#tables.get(hash);
    if (table === undefined) this.#tables.set(hash, (table = new ConfigurationTable()));
    return table;
  }

  /** Configurations met since the last call, for the epoch in the making. */
  takeNewConfigurations(): readonly NewConfiguration[] {
    const taken: NewConfiguration[] = [];
    // Every epoch asks, and hardly any finds one.
    for (const [definition, table] of this.#tables)
      if (table.hasNew) taken.push(...table.takeNew().map((fresh) => ({ definition, ...fresh })));
    return taken;
  }

  #prepareMachine(
    name: string,
    machine: AnyStateMachine,
    version: number,
    { steps, policies, timing }: Declared,
  ): XstateDefinition {
    const lookUp: DelayLookUp = { name: null };
    const hosted = hostable(machine, lookUp);
    const hash = structuralHash(machine);
    const children = new Map<string, XstateDefinition | undefined>();
    const child = (src: string): XstateDefinition | undefined => {
      if (!children.has(src)) {
        const logic = childLogic(machine, src);
        children.set(
          src,
          logic &&
            this.#prepareChild(`${name}>${src}`, logic, version, {
              steps: stepsBelow(steps, src),
              timing: childTiming(timing),
              policy: policies.effects.get(src),
              isSecret: policies.isSecret,
            }),
        );
      }
      return children.get(src);
    };
    const configurations = this.table(hash);
    configurations.describe ??= (ids) => describeConfiguration(hosted, ids);
    const durable = durableActions(machine, policies.actions);
    const endsByItself = [...nodesById(machine).values()].some(({ transitions }) => transitions.has(SHUTDOWN));
    const { poison, overflow, keptTurns, priorities, isSecret } = policies;
    const rest = {
      child,
      configurations,
      steps: steps.own,
      policy: undefined,
      durable,
      poison,
      overflow,
      keptTurns,
      priorities,
      isSecret,
      timing,
      endsByItself,
    };
    return { name, kind: 'machine', hash, version, isEffect: false, logic: hosted, lookUp, ...rest };
  }

  #prepareChild(
    name: string,
    logic: AnyActorLogic,
    version: number,
    {
      steps,
      timing,
      policy,
      isSecret,
    }: { steps: Steps; timing: Timing; policy: EffectPolicy | undefined; isSecret: boolean },
  ): XstateDefinition {
    if (isMachine(logic))
      return this.#prepareMachine(name, logic, version, { steps, timing, policies: { ...NO_POLICIES, isSecret } });
    return this.#prepareOther(name, logic, version, { steps: steps.own, policy, isSecret });
  }

  /**
   * No logic but a machine has timers of its own; the wait of an effect between two tries is the kernel's and keeps its
   * deadline.
   */
  #prepareOther(
    name: string,
    logic: AnyActorLogic,
    version: number,
    declared: Pick<XstateDefinition, 'steps' | 'policy' | 'isSecret'>,
  ): XstateDefinition {
    const kind = kindOf(logic);
    const isEffect = logic.start !== undefined;
    const rest = { ...PLAIN, configurations: new ConfigurationTable(), ...declared };
    return { name, kind, hash: '', version, isEffect, logic, lookUp: { name: null }, ...rest };
  }
}

/** Those of the child `src`: keys are paths such as `order` or `order>line`. */
function stepsBelow({ below }: Steps, src: string): Steps {
  const prefix = `${src}>`;
  const deeper = Object.entries(below)
    .filter(([path]) => path.startsWith(prefix))
    .map(([path, steps]) => [path.slice(prefix.length), steps]);
  return { own: below[src] ?? {}, below: Object.fromEntries(deeper) as Steps['below'] };
}

/** What a later machine, which does not have these nodes any more, has to know of them. */
function describeConfiguration(machine: AnyStateMachine, ids: readonly string[]): Omit<Configuration, 'nodes'> {
  const byId = nodesById(machine);
  const nodes = ids.map((id) => byId.get(id)!);
  return {
    value: valueOf(machine.root, new Set(nodes)),
    invokes: nodes.flatMap((node) => node.invoke.map(({ id }) => id)),
  };
}

/** By its mark, not its class: a host may have another copy of XState than Bosun. */
export function isMachine(logic: unknown): logic is AnyStateMachine {
  return typeof logic === 'object' && logic !== null && '__xstatenode' in logic;
}

function hostable(machine: AnyStateMachine, lookUp: DelayLookUp): AnyStateMachine {
  const stubs = Object.fromEntries(
    Object.entries(machine.implementations.actors as Record<string, AnyActorLogic | undefined>)
      .filter(([, logic]) => logic !== undefined)
      .map(([src, logic]) => [src, stub(logic as AnyActorLogic)]),
  );
  const hosted = machine.provide({ actors: stubs, delays: noting(machine, lookUp) }) as AnyStateMachine;
  for (const node of nodesById(hosted).values()) {
    stubInlineInvokes(node);
    boundLookups(node);
  }
  if (Object.keys(stubs).length > 0) wrapSpawns(hosted);
  const options = hosted.options as { maxIterations: number };
  // Not only where the machine says nothing: one that says Infinity would hold the process for ever.
  if (!(options.maxIterations <= MICROSTEPS_MAX)) options.maxIterations = MICROSTEPS_MAX;
  return hosted;
}

/**
 * Has a machine that may spawn do so without copying a large family. Lists of actions may be those of the user's own
 * config.
 */
function wrapSpawns(hosted: AnyStateMachine): void {
  const implementations = hosted.implementations as { actions: Record<string, unknown> };
  implementations.actions = Object.fromEntries(
    Object.entries(implementations.actions).map(([name, action]) => [name, wrapped(action)]),
  );
  for (const node of nodesById(hosted).values()) {
    Object.assign(node, { entry: node.entry.map(wrapped), exit: node.exit.map(wrapped) });
    const initial = node.type === 'compound' ? [node.initial] : [];
    for (const transition of [...transitionsOf(node), ...initial])
      Object.assign(transition, { actions: transition.actions.map(wrapped) });
  }
}

type DelayExpression = (args: object, params: unknown) => number;

/** The machine's delays, each noting its name when XState asks for its length. */
function noting(machine: AnyStateMachine, lookUp: DelayLookUp): Record<string, DelayExpression> {
  const delays = Object.entries(machine.implementations.delays as Record<string, number | DelayExpression>);
  return Object.fromEntries(
    delays.map(([name, delay]) => [
      name,
      (args, params) => {
        const delayMs = typeof delay === 'function' ? delay(args, params) : delay;
        lookUp.name = name;
        return delayMs;
      },
    ]),
  );
}

interface Lookup {
  next(snapshot: unknown, event: EventObject): unknown;
}

/**
 * XState remembers for every state node and every type of an event that ever came which transitions may take it: memory
 * that whoever sends ever-new types makes grow without end. Its memory hangs on the object that is asked (`this`). So
 * types that the node names are asked of the node; others of a stand-in, which is replaced, and its memory with it,
 * once in a while.
 */
export function boundLookups(node: AnyStateNode): void {
  const lookup = node as unknown as Lookup;
  const { next } = lookup;
  const hasPatterns = [...node.transitions.keys()].some(
    (descriptor) => descriptor === '*' || descriptor.endsWith('.*'),
  );
  let standIn = Object.create(node) as Lookup;
  let lookups = 0;
  lookup.next = (snapshot, event) => {
    if (node.transitions.has(event.type)) return next.call(node, snapshot, event);
    if (!hasPatterns) return undefined;
    lookups += 1;
    if (lookups > PATTERN_LOOKUPS_MAX) {
      standIn = Object.create(node) as Lookup;
      lookups = 1;
    }
    return next.call(standIn, snapshot, event);
  };
}

/**
 * `provide` reaches named actors only; inline ones are looked up in the node's config, of which this copy has its own.
 */
function stubInlineInvokes(node: AnyStateNode): void {
  const invokes = invokesOf(node);
  if (invokes.every(({ src }) => typeof src === 'string')) return;
  const stubbed = invokes.map((invoke) =>
    typeof invoke.src === 'string' ? invoke : { ...invoke, src: stub(invoke.src) },
  );
  (node as { config: unknown }).config = { ...node.config, invoke: stubbed };
}

function invokesOf(node: AnyStateNode): { src: string | AnyActorLogic }[] {
  const invoke = node.config.invoke as { src: string | AnyActorLogic } | { src: string | AnyActorLogic }[] | undefined;
  return invoke === undefined ? [] : Array.isArray(invoke) ? invoke : [invoke];
}

/** Every state node of a machine by its id. */
export function nodesById(machine: AnyStateMachine): ReadonlyMap<string, AnyStateNode> {
  return (machine as unknown as { idMap: ReadonlyMap<string, AnyStateNode> }).idMap;
}

/**
 * A custom action of a machine; undefined for a name without one, and for what XState performs itself (assign, sendTo,
 * ...).
 */
export function customAction(machine: AnyStateMachine, name: string): DurableAction['exec'] | undefined {
  const actions = machine.implementations.actions as Record<string, unknown>;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  return typeof action === 'function' && !('resolve' in action) ? (action as DurableAction['exec']) : undefined;
}

function durableActions(
  machine: AnyStateMachine,
  policies: Policies['actions'],
): ReadonlyMap<string, DurableAction> | undefined {
  if (policies.size === 0) return undefined;
  return new Map([...policies].map(([name, policy]) => [name, { exec: customAction(machine, name)!, policy }]));
}

/**
 * The state value that the active nodes below `node` amount to. In XState the regions come in the order of the nodes,
 * too.
 */
export function valueOf(node: AnyStateNode, active: ReadonlySet<AnyStateNode>): unknown {
  const children = [...active].filter(({ parent }) => parent === node);
  if (node.type === 'parallel') return Object.fromEntries(children.map((child) => [child.key, valueOf(child, active)]));
  const [child] = children;
  if (child === undefined) return {};
  const below = valueOf(child, active);
  const isLeaf = typeof below === 'object' && below !== null && Object.keys(below).length === 0;
  return isLeaf && child.type !== 'parallel' ? child.key : { [child.key]: below };
}

/** A machine and every machine that it names or has inline, each once. `owner` says of which one it is part. */
export function machinesOf(
  machine: AnyStateMachine,
  owner = '',
  seen = new Set<unknown>(),
): { machine: AnyStateMachine; owner: string }[] {
  if (seen.has(machine)) return [];
  seen.add(machine);
  const named = Object.entries(machine.implementations.actors as Record<string, unknown>);
  const inline = [...nodesById(machine).values()].flatMap((node) =>
    invokesOf(node).map(({ src }): [string, unknown] => [`the invoke of ${node.id}`, src]),
  );
  const below = [...named, ...inline].flatMap(([name, logic]) =>
    isMachine(logic) ? machinesOf(logic, owner === '' ? name : `${owner} > ${name}`, seen) : [],
  );
  return [{ machine, owner }, ...below];
}

/**
 * What the machine itself says, as far as it can be seen without running it: functions that return an event or a child
 * are not.
 */
export interface StaticAction {
  /** The state node, or the name in `setup({ actions })`. */
  readonly place: string;
  /** As XState names its own: `xstate.raise`, `xstate.spawnChild`. */
  readonly type: string;
  /** The source of a `spawnChild`. */
  readonly src?: unknown;
  /** The event of a `raise`, `sendTo`, `sendParent`. */
  readonly event?: unknown;
}

export function staticActionsOf(machine: AnyStateMachine): StaticAction[] {
  const found = (place: string, actions: readonly unknown[]) =>
    actions
      .filter((action) => typeof action === 'function' && 'resolve' in action)
      .map((action) => ({ ...(action as unknown as Omit<StaticAction, 'place'>), place }));
  const implemented = Object.entries(machine.implementations.actions as Record<string, unknown>);
  const named = implemented.flatMap(([name, action]) => found(`the action ${name}`, [action]));
  const inNodes = [...nodesById(machine).values()].flatMap((node) => {
    const taken = transitionsOf(node).flatMap(({ actions }) => actions);
    const initial = node.type === 'compound' ? node.initial.actions : [];
    return found(`state ${node.id}`, [...node.entry, ...node.exit, ...initial, ...taken]);
  });
  return [...named, ...inNodes];
}

/** All transitions of a node: by events, by delays, by the ends of children, eventless. */
export function transitionsOf(node: AnyStateNode): AnyTransition[] {
  return [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
}

type AnyTransition = NonNullable<AnyStateNode['always']>[number];

function stub(real: AnyActorLogic): AnyActorLogic {
  return {
    config: real.config as unknown,
    transition: (snapshot: unknown) => snapshot,
    getInitialSnapshot: () => ({ status: 'active', output: undefined, error: undefined, context: undefined }),
    getPersistedSnapshot: (snapshot: unknown) => snapshot,
  } as unknown as AnyActorLogic;
}

/** What a machine runs under this `src`: by name, or by the place of an inline invoke. */
export function childLogic(machine: AnyStateMachine, src: string): AnyActorLogic | undefined {
  const inline = INLINE_INVOKE.exec(src);
  if (inline === null) return (machine.implementations.actors as Record<string, AnyActorLogic | undefined>)[src];
  const [, index, nodeId] = inline;
  const found = invokesOf(machine.getStateNodeById(nodeId!))[Number(index)]?.src;
  return typeof found === 'object' ? found : undefined;
}

/**
 * XState does not say what a logic object was made by. Objects of one creator share the source text of their
 * transition, so that is compared with a sample of each.
 */
export function kindOf(logic: AnyActorLogic): LogicKind {
  return KINDS.get(String(logic.transition)) ?? 'custom';
}

const KINDS: ReadonlyMap<string, LogicKind> = new Map([
  [String(fromPromise(async () => {}).transition), 'promise'],
  [String(fromCallback(() => {}).transition), 'callback'],
  [String(fromObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) })).transition), 'observable'],
  [String(fromEventObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) })).transition), 'observable'],
  [String(fromTransition(() => 0, 0).transition), 'transition'],
]);

/** Twelve hexadecimal digits over everything structural; bodies of guards and actions are not seen (design P12). */
function structuralHash(machine: AnyStateMachine): string {
  const nodes = [...nodesById(machine).values()].map((node) => ({
    id: node.id,
    type: node.type,
    history: node.history,
    initial: node.type === 'compound' ? node.initial.target?.map((target) => target.id) : undefined,
    tags: node.tags,
    invoke: node.invoke.map(({ id, src }) => [id, src]),
    transitions: [...node.transitions].map(([descriptor, transitions]) => [
      descriptor,
      transitions.map((transition) => [transition.target?.map((target) => target.id), transition.reenter]),
    ]),
    always: node.always?.map((transition) => transition.target?.map((target) => target.id)),
  }));
  if (nodes.length === 0) throw new BosunError('BOSUN_AGENT_INVALID', `machine ${machine.id} has no states`);
  return createHash('sha256')
    .update(JSON.stringify([machine.id, nodes]))
    .digest('hex')
    .slice(0, 12);
}
