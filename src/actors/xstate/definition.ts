/**
 * Definitions of logic for the kernel: of machines (prepared by hosting.ts, read by machine-facts.ts), of their
 * children, and of effects. This folder is the only place that knows XState's internals (5.33). XSTATE_INTERNALS lists
 * the unpublished names in use; a contract test pins them.
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
import { watchedLogic } from './watched-logic.ts';
import { childLogic, customAction, isMachine, kindOf, nodesById, structuralHash, valueOf } from './machine-facts.ts';

/** The internals of XState in use, which its types do not publish. */
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

/** The events by which promises and observables of XState report their end. */
const ENDS: ReadonlySet<string> = new Set([
  'xstate.promise.resolve',
  'xstate.promise.reject',
  'xstate.observable.error',
  'xstate.observable.complete',
]);

export function isEndOfEffect(eventType: string): boolean {
  return ENDS.has(eventType);
}

/** The error of a promise or observable of XState, if the event reports one. */
export function failureOf(event: EventObject): { readonly error: unknown } | undefined {
  const isFailure = event.type === 'xstate.promise.reject' || event.type === 'xstate.observable.error';
  return isFailure ? { error: (event as { data?: unknown }).data } : undefined;
}

/** A definition with the parts that the engine adds. */
export interface XstateDefinition extends Definition {
  readonly logic: AnyActorLogic;
  readonly lookUp: DelayLookUp;
}

/** Migrations of an agent's logic and, by the path of `src` names, of its descendants. */
export interface Steps {
  readonly own: MigrationSteps;
  readonly below: Readonly<Record<string, MigrationSteps>>;
}

/** The declarations of an agent beside its logic. */
export interface Declared {
  readonly steps: Steps;
  readonly policies: Policies;
  readonly timing: Timing;
}

const NOTHING_DECLARED: Declared = { steps: { own: {}, below: {} }, policies: NO_POLICIES, timing: PLAIN_TIMING };

/** The parts of a definition without declarations. */
const PLAIN = {
  child: () => undefined,
  durable: undefined,
  poison: NO_POLICIES.poison,
  overflow: NO_POLICIES.overflow,
  keptTurns: 0,
  records: undefined,
  ended: undefined,
  priorities: undefined,
  timing: PLAIN_TIMING,
  endsByItself: false,
};

/**
 * All definitions. Definitions of equal structure share a configuration table: its ids mean the same on disk.
 */
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

  /** A definition for logic that the code no longer has: enough to show, keep and remove its actor. */
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

  /** Takes the configurations that are new since the last call, for the current epoch. */
  takeNewConfigurations(): readonly NewConfiguration[] {
    const taken: NewConfiguration[] = [];
    // Every epoch calls this, and hardly any has new configurations.
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
    const { hosted, lookUp, hash } = madeReady(machine);
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
    const { poison, overflow, keptTurns, records, ended, priorities, isSecret } = policies;
    const rest = {
      child,
      configurations,
      steps: steps.own,
      policy: undefined,
      durable,
      poison,
      overflow,
      keptTurns,
      records,
      ended,
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
   * Prepares logic other than machines. It has no timers of its own: the kernel keeps an effect's wait between two
   * tries.
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
    const watched = watchedLogic(logic, name);
    return { name, kind, hash: '', version, isEffect, logic: watched, lookUp: { name: null }, ...rest };
  }
}

interface Hosted {
  readonly hosted: AnyStateMachine;
  readonly lookUp: DelayLookUp;
  readonly hash: string;
}

/** Hosted machines by the user's machine. */
const READY = new WeakMap<AnyStateMachine, Hosted>();

/** Prepares a machine, once for all systems of this thread. */
function madeReady(machine: AnyStateMachine): Hosted {
  let ready = READY.get(machine);
  if (ready === undefined) {
    const lookUp: DelayLookUp = { name: null };
    ready = { hosted: hostable(machine, lookUp), lookUp, hash: structuralHash(machine) };
    READY.set(machine, ready);
  }
  return ready;
}

/** The migrations of the child `src`: keys are paths such as `order` or `order>line`. */
function stepsBelow({ below }: Steps, src: string): Steps {
  const prefix = `${src}>`;
  const deeper = Object.entries(below)
    .filter(([path]) => path.startsWith(prefix))
    .map(([path, steps]) => [path.slice(prefix.length), steps]);
  return { own: below[src] ?? {}, below: Object.fromEntries(deeper) as Steps['below'] };
}

/** Describes a configuration for a later version of the machine, which may lack its nodes. */
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
