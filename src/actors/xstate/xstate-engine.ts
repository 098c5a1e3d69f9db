/**
 * The step engine over XState 5: hosts ActorLogic on a scope and a system of our own, shaped so that XState 6's host
 * interface can replace it. Uses neither createActor, which runs effects inside the transition, nor the public
 * transition(), which builds an actor on every call. Limits: see docs/xstate-support.md. plan-engine.ts takes steps of
 * machines faster, falls back to this engine, and is tested against it.
 */
import { type AnyActorLogic, type EventObject } from 'xstate';
import {
  type Definition,
  type Entry,
  type HostEngine,
  type Running,
  type Snapshot,
  type SnapshotView,
  type Standing,
  type Step,
  type Taken,
  type TakenTransition,
} from '../model/step-engine.ts';
import { leaveToOwner } from '../../lending.ts';
import { type Ref } from '../model/ref.ts';
import { type ActorState, type Change } from '../model/state.ts';
import { type XstateDefinition } from './definition.ts';
import { NO_FAMILY_CHANGE } from './births.ts';
import { closed, deepFrozen } from './closed-snapshot.ts';
import { described } from './step-effects.ts';
import { type Family } from './family.ts';
import { enterMachine } from './state-migration.ts';
import { takenBy } from './microsteps.ts';
import {
  adopt,
  changeOf,
  checkCustom,
  type MachineSnapshot,
  restoreMachine,
  restoreOther,
  storedSnapshot,
} from './machine-state.ts';
import { type EngineHost, OpenStep } from './step.ts';

export class XstateEngine implements HostEngine {
  protected readonly step: OpenStep;

  constructor(host: EngineHost) {
    this.step = new OpenStep(host);
  }

  get system(): object {
    return this.step.system;
  }

  get onMicrostep(): HostEngine['onMicrostep'] {
    return this.step.onMicrostep;
  }

  set onMicrostep(tell: HostEngine['onMicrostep']) {
    this.step.onMicrostep = tell;
  }

  initial(definition: Definition, self: Ref, input: unknown): Step {
    const { logic } = definition as XstateDefinition;
    const scope = this.step.begin(definition, self);
    try {
      const snapshot = logic.getInitialSnapshot(scope as never, input as never) as Snapshot;
      if (definition.kind === 'custom') checkCustom(definition, snapshot);
      // XState catches an error of the initial step and stores it in the snapshot.
      if (snapshot.status === 'error') throw snapshot.error;
      return this.#described(definition, self, undefined, snapshot);
    } finally {
      this.step.end();
    }
  }

  transition(definition: Definition, self: Ref, before: Snapshot, event: EventObject): Step {
    const { logic } = definition as XstateDefinition;
    const scope = this.step.begin(definition, self);
    try {
      const snapshot = logic.transition(before as never, event as never, scope as never) as Snapshot;
      return this.#described(definition, self, before, snapshot);
    } finally {
      this.step.end();
    }
  }

  effectScope(self: Ref, emit: (event: EventObject) => void): Parameters<NonNullable<AnyActorLogic['start']>>[1] {
    return Object.assign(this.step.scope(self), { emit }) as never;
  }

  changeOf(definition: Definition, before: Snapshot | undefined, after: Snapshot): Change {
    return changeOf(definition as XstateDefinition, before, after);
  }

  adopt(definition: Definition, snapshot: Snapshot, state: ActorState): Snapshot {
    return adopt(definition, snapshot, state);
  }

  restore(definition: Definition, self: Ref, state: ActorState, children: Readonly<Record<string, Ref>>): Snapshot {
    return definition.kind === 'machine'
      ? restoreMachine(definition as XstateDefinition, state, children, self.address)
      : restoreOther(definition as XstateDefinition, state, this.step.scope(self));
  }

  stored(definition: Definition, state: ActorState): Snapshot {
    return storedSnapshot(definition, state);
  }

  enter(definition: Definition, self: Ref, stored: Standing, running: Running): Entry {
    return enterMachine(definition as XstateDefinition, stored, running, { self, system: this.system });
  }

  described(taken: Taken): readonly TakenTransition[] {
    return takenBy(taken);
  }

  valueOf(definition: Definition, snapshot: Snapshot): unknown {
    return definition.kind === 'machine' ? ((snapshot as MachineSnapshot).value ?? null) : null;
  }

  closed(definition: Definition, snapshot: Snapshot): Snapshot {
    return definition.kind === 'machine' ? closed(snapshot as MachineSnapshot) : snapshot;
  }

  view(definition: Definition, snapshot: Snapshot): SnapshotView {
    const { status, context, output, error } = snapshot;
    if (definition.kind === 'custom') [context, output, error].forEach(leaveToOwner);
    const value = deepFrozen(this.valueOf(definition, snapshot));
    const tags = definition.kind === 'machine' ? [...((snapshot as Partial<MachineSnapshot>).tags ?? [])] : [];
    return { status, value, context, tags: Object.freeze(tags), output, error };
  }

  #described(definition: Definition, self: Ref, before: Snapshot | undefined, snapshot: Snapshot): Step {
    const { births, dropped } =
      definition.kind === 'machine'
        ? this.step.familyChange(
            definition,
            self,
            (before as MachineSnapshot | undefined)?.children as Family | undefined,
            snapshot as MachineSnapshot,
          )
        : NO_FAMILY_CHANGE;
    const effects = this.step.actions.map(described).filter((effect) => effect !== undefined);
    return { snapshot, births, dropped, effects };
  }
}
