/**
 * Who was born in a step and who is gone, by comparing the children before and after: that also sees `spawn` inside
 * `assign`, for which XState describes no action. Handles of the newborn are replaced by references in the snapshot.
 * Part of the one place that knows XState's internals (see xstate/definition.ts).
 */
import { type Actor, type AnyActorLogic } from 'xstate';
import { BosunError } from '../../errors.ts';
import { invokedAddress } from '../model/address.ts';
import { type Birth, type Definition } from '../model/step-engine.ts';
import { Ref } from '../model/ref.ts';
import { type Action } from './step-effects.ts';
import { type Family, type Growth, growthOf, marked } from './family.ts';

/** What XState makes for a child: never started here, only described by. */
type Handle = Actor<AnyActorLogic>;

/** Provisional children of steps, to the reference of the actor that was born for them. */
const handles = new WeakMap<object, Ref>();

/** The reference that an object stands for: itself, or that of the child whose provisional handle it is. */
export function refOf(object: object | undefined): Ref | undefined {
  return object instanceof Ref ? object : object && handles.get(object);
}

/** A step of a machine, as far as its children are concerned. */
export interface FamilyStep {
  readonly definition: Definition;
  readonly self: Ref;
  /** What the step has described; only spawns and stops are looked at. */
  readonly actions: readonly Action[];
  ref(life: number, address: string): Ref;
}

export interface FamilyChange {
  readonly births: readonly Birth[];
  readonly dropped: readonly Ref[];
}

interface Parent {
  children: Family;
}

const NOTHING: readonly never[] = [];
export const NO_FAMILY_CHANGE: FamilyChange = { births: NOTHING, dropped: NOTHING };

export function familyChange(step: FamilyStep, before: Family | undefined, after: Parent): FamilyChange {
  if (after.children === before) return NO_FAMILY_CHANGE;
  const growth = growthOf(after.children);
  if (growth !== undefined && growth.base === before) return added(step, growth);
  const births: Birth[] = [];
  const dropped: Ref[] = [];
  const previous = before ?? {};
  const stopped = stoppedIn(step);
  keepUnnamed(step, after, stopped);
  for (const child of stopped) if (!(child instanceof Ref)) stillborn(step, child as Handle);
  for (const [key, child] of Object.entries(after.children)) {
    if (child instanceof Ref) continue;
    // Born and stopped within one step, it never lived.
    if (child === undefined || stopped.has(child)) delete after.children[key];
    else births.push(birthOf(step, child as Handle));
  }
  for (const { childId, ref } of births) after.children[childId] = ref;
  const gone = Object.entries(previous).filter(([key, child]) => after.children[key] !== child);
  for (const ref of [...stopped, ...gone.map(([, child]) => child)]) {
    if (ref instanceof Ref && gone.some(([, child]) => child === ref) && !dropped.includes(ref)) dropped.push(ref);
  }
  // Object keys that look like numbers lose their place; lives are given out in the order of the spawns.
  births.sort((a, b) => a.life - b.life);
  marked(after.children);
  return { births, dropped };
}

/** The step has only added to a large family: what was there before is not looked at. */
function added(step: FamilyStep, { base, fresh }: Growth): FamilyChange {
  const births: Birth[] = [];
  const dropped: Ref[] = [];
  keepUnnamed(step, { children: fresh }, stoppedIn(step));
  for (const child of Object.values(fresh)) births.push(birthOf(step, child as Handle));
  for (const { childId, ref } of births) {
    fresh[childId] = ref;
    if (base[childId] instanceof Ref) dropped.push(base[childId]);
  }
  births.sort((a, b) => a.life - b.life);
  return { births, dropped };
}

/** Children that the step stops, in its order. */
function stoppedIn({ actions }: FamilyStep): ReadonlySet<object> {
  const stops = actions.filter(({ type, params }) => type === 'xstate.stopChild' && params !== undefined);
  return new Set(stops.map(({ params }) => params as object));
}

/** XState keeps every spawnChild without id under the key "undefined", so that a second one hides the first. */
function keepUnnamed({ definition, actions }: FamilyStep, after: Parent, stopped: ReadonlySet<object>): void {
  if ((after.children['undefined'] as Handle | undefined)?.id !== 'undefined') delete after.children['undefined'];
  for (const { type, params } of actions) {
    if (type !== 'xstate.spawnChild') continue;
    const { actorRef: handle, src } = params as { actorRef?: Handle; src: unknown };
    if (handle === undefined)
      throw new BosunError('BOSUN_AGENT_INVALID', `${definition.name} has no "${String(src)}" in setup({ actors })`);
    if (handle.options.id === undefined && !stopped.has(handle)) after.children[handle.id] = handle;
  }
}

/** A context may refer to a child that was stopped in the step that spawned it: then to a life that was never lived. */
function stillborn({ self, ref: refTo }: FamilyStep, handle: Handle): void {
  stand(handle, refTo(Number(handle.sessionId), invokedAddress(self.address, handle.id)));
}

function birthOf({ definition, self, ref: refTo }: FamilyStep, handle: Handle): Birth {
  const src: unknown = handle.src;
  const child = typeof src === 'string' ? definition.child(src) : undefined;
  if (typeof src !== 'string' || child === undefined) {
    throw new BosunError('BOSUN_AGENT_INVALID', `${definition.name} spawns inline logic; name it in setup({ actors })`);
  }
  const life = Number(handle.sessionId);
  const ref = refTo(life, invokedAddress(self.address, handle.id));
  stand(handle, ref);
  return {
    life,
    childId: handle.id,
    src,
    definition: child,
    input: handle.options.input as unknown,
    systemId: handle.systemId ?? null,
    syncSnapshot: (handle as unknown as { _syncSnapshot?: boolean })._syncSnapshot === true,
    ref,
  };
}

/** A custom action of the same step may hold the handle instead of the reference. */
function stand(handle: Handle, ref: Ref): void {
  handles.set(handle, ref);
  handle.getSnapshot = () => ref.getSnapshot() as never;
}
