/**
 * Definitions of logic for the kernel: of machines (made ready by hosting.ts, read by machine-facts.ts), of their
 * children, and of effects. With the other files of this folder the only place that knows XState's internals (5.33):
 * the names used that XState does not publish are listed in XSTATE_INTERNALS and pinned by a contract test.
 */
import { type AnyActorLogic, type AnyStateMachine, type EventObject } from 'xstate';
import { type EffectPolicy } from '../model/effect-policy.ts';
import { ConfigurationTable, type Definition, type DurableAction, SHUTDOWN } from '../model/step-engine.ts';
import { NO_POLICIES, type Policies } from '../model/policies.ts';
import { type Configuration, type NewConfiguration } from '../model/ports.ts';
import { type Identity } from '../model/state.ts';
import { type MigrationSteps } from '../model/version-rules.ts';
import { childTiming, PLAIN_TIMING, type Timing } from '../model/timing.ts';
import { type DelayLookUp, hostable } from './hosting.ts';
import { childLogic, customAction, isMachine, kindOf, nodesById, structuralHash, valueOf } from './machine-facts.ts';

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

/** A definition with what the engine needs besides. */
export interface XstateDefinition extends Definition {
  readonly logic: AnyActorLogic;
  readonly lookUp: DelayLookUp;
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

function durableActions(
  machine: AnyStateMachine,
  policies: Policies['actions'],
): ReadonlyMap<string, DurableAction> | undefined {
  if (policies.size === 0) return undefined;
  return new Map([...policies].map(([name, policy]) => [name, { exec: customAction(machine, name)!, policy }]));
}
