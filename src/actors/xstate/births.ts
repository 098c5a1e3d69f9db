/**
 * Finds births and removals in a step by comparing the children before and after, which also detects `spawn` inside
 * `assign`, for which XState describes no action. Replaces handles of new children by references in the snapshot. Part
 * of the one place that knows XState's internals (see xstate/definition.ts).
 */
import { type Actor, type AnyActorLogic } from 'xstate';
import { BosunError } from '../../errors.ts';
import { invokedAddress } from '../model/address.ts';
import { type Birth, type Definition } from '../model/step-engine.ts';
import { Ref } from '../model/ref.ts';
import { type Action } from './step-effects.ts';
import { type Family, type Growth, growthOf, marked } from './family.ts';

/** XState's object for a child. It is never started here, only read as a description. */
type Handle = Actor<AnyActorLogic>;

/** A plan's object for a child, in place of XState's handle: its facts before it is spawned. Users do not see it. */
export class Newborn {
  readonly id: string;
  readonly src: string;
  readonly life: number;
  readonly input: unknown;
  readonly syncSnapshot: boolean;
  readonly systemId = null;
  /** The reference to the child, once the step is known to keep it. */
  ref: Ref | undefined = undefined;

  constructor(life: number, facts: { id: string; src: string; input: unknown; syncSnapshot: boolean }) {
    this.life = life;
    this.id = facts.id;
    this.src = facts.src;
    this.input = facts.input;
    this.syncSnapshot = facts.syncSnapshot;
  }
}

/** The references of actors by XState's provisional handles. */
const handles = new WeakMap<object, Ref>();

/** The reference for an object: the object itself, or the reference of the child whose provisional handle it is. */
export function refOf(object: object | undefined): Ref | undefined {
  if (object instanceof Ref) return object;
  if (object instanceof Newborn) return object.ref;
  return object && handles.get(object);
}

/** The part of a machine's step that concerns its children. */
export interface FamilyStep {
  readonly definition: Definition;
  readonly self: Ref;
  /** The described actions; only spawns and stops are read. */
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
  for (const child of stopped) if (!(child instanceof Ref)) stillborn(step, child as Handle | Newborn);
  for (const [key, child] of Object.entries(after.children)) {
    if (child instanceof Ref) continue;
    // A child that is spawned and stopped within one step is never created.
    if (child === undefined || stopped.has(child)) delete after.children[key];
    else births.push(birthOf(step, child as Handle | Newborn));
  }
  for (const { childId, ref } of births) after.children[childId] = ref;
  const gone = Object.entries(previous).filter(([key, child]) => after.children[key] !== child);
  for (const ref of [...stopped, ...gone.map(([, child]) => child)]) {
    if (ref instanceof Ref && gone.some(([, child]) => child === ref) && !dropped.includes(ref)) dropped.push(ref);
  }
  // Integer-like keys of an object come first whatever their order; lives are assigned in the order of the spawns.
  births.sort((a, b) => a.life - b.life);
  marked(after.children);
  return { births, dropped };
}

/** Finds births where the step has only added to a large family, without visiting the earlier children. */
function added(step: FamilyStep, { base, fresh }: Growth): FamilyChange {
  const births: Birth[] = [];
  const dropped: Ref[] = [];
  keepUnnamed(step, { children: fresh }, stoppedIn(step));
  for (const child of Object.values(fresh)) births.push(birthOf(step, child as Handle | Newborn));
  for (const { childId, ref } of births) {
    fresh[childId] = ref;
    if (base[childId] instanceof Ref) dropped.push(base[childId]);
  }
  births.sort((a, b) => a.life - b.life);
  return { births, dropped };
}

/** The children that the step stops, in the order of its actions. */
function stoppedIn({ actions }: FamilyStep): ReadonlySet<object> {
  const stops = actions.filter(({ type, params }) => type === 'xstate.stopChild' && params !== undefined);
  return new Set(stops.map(({ params }) => params as object));
}

/** Keeps children spawned without an id. XState stores each under the key "undefined", so a second hides the first. */
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

/**
 * Handles a child that is stopped in the step that spawned it. A context may keep a reference to it, whose life was
 * never used.
 */
function stillborn(step: FamilyStep, handle: Handle | Newborn): void {
  const life = handle instanceof Newborn ? handle.life : Number(handle.sessionId);
  standFor(handle, step.ref(life, invokedAddress(step.self.address, handle.id)));
}

function birthOf({ definition, self, ref: refTo }: FamilyStep, handle: Handle | Newborn): Birth {
  const { life, src, input, systemId, syncSnapshot } = handle instanceof Newborn ? handle : factsOf(handle);
  const child = typeof src === 'string' ? definition.child(src) : undefined;
  if (typeof src !== 'string' || child === undefined) {
    throw new BosunError('BOSUN_AGENT_INVALID', `${definition.name} spawns inline logic; name it in setup({ actors })`);
  }
  const ref = refTo(life, invokedAddress(self.address, handle.id));
  standFor(handle, ref);
  return { life, childId: handle.id, src, definition: child, input, systemId, syncSnapshot, ref };
}

function factsOf(handle: Handle) {
  return {
    life: Number(handle.sessionId),
    src: handle.src as unknown,
    input: handle.options.input as unknown,
    systemId: handle.systemId ?? null,
    syncSnapshot: (handle as unknown as { _syncSnapshot?: boolean })._syncSnapshot === true,
  };
}

/** Makes the handle stand for this actor, since a custom action of the same step may hold the handle. */
function standFor(handle: Handle | Newborn, ref: Ref): void {
  if (handle instanceof Newborn) {
    handle.ref = ref;
    return;
  }
  handles.set(handle, ref);
  handle.getSnapshot = () => ref.getSnapshot() as never;
}
