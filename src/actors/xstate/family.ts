/**
 * Large families: XState copies the record of all children whenever one is spawned, which makes the ten-thousandth
 * child cost ten thousand times the first. In the hosted copy of a machine the actions that spawn are wrapped: where
 * the family is large they see an empty record whose prototype is the family, and what they add is kept apart until the
 * turn takes effect. Whatever else copies the record meanwhile gets all of it: slower, never wrong. Small families are
 * XState's own.
 */
export type Family = Record<string, object>;

/** The number of children from which a family is large. Below it, copying the record is cheaper. */
const LARGE_FROM = 64;

const IS_LARGE = Symbol('large family');
const GROWTH = Symbol('what a step has added');

/** A family and the children that the current step has added, by child id. */
export interface Growth {
  readonly base: Family;
  readonly fresh: Family;
}

interface Snapshot {
  children: Family;
}

type Resolved = [snapshot: Snapshot, params: unknown, actions: unknown[] | undefined];
type Resolve = (
  scope: object,
  snapshot: Snapshot,
  args: object,
  params: unknown,
  action: object,
  extra: unknown,
) => Resolved;

interface BuiltIn {
  (...args: unknown[]): unknown;
  readonly type: string;
  resolve: Resolve;
}

/** Marks a family as large once it is, and returns it. */
export function marked(family: Family): Family {
  if (!isLarge(family) && Object.keys(family).length >= LARGE_FROM)
    Object.defineProperty(family, IS_LARGE, { value: true });
  return family;
}

/** The additions of a step to a large family, if the record is one. */
export function growthOf(family: Family): Growth | undefined {
  return (family as { [GROWTH]?: Growth })[GROWTH];
}

/** Merges the additions into the family when the turn takes effect. */
export function grown(family: Family): Family {
  const growth = growthOf(family);
  return growth === undefined ? family : Object.assign(growth.base, growth.fresh);
}

/** Wraps an action so that it does not copy a large family when it spawns. */
export function wrapped(action: unknown): unknown {
  if (!isBuiltIn(action)) return action;
  const { type, resolve } = action;
  if (type === 'xstate.assign' || type === 'xstate.spawnChild') return copyWith(action, resolvingApart(resolve));
  return type === 'xstate.enqueueActions' ? copyWith(action, resolvingOthers(resolve)) : action;
}

function copyWith(action: BuiltIn, resolve: Resolve): BuiltIn {
  return Object.assign((...args: unknown[]) => action(...args), action, { resolve });
}

function resolvingApart(resolve: Resolve): Resolve {
  return (scope, snapshot, args, params, action, extra) => {
    const family = snapshot.children;
    if (!isLarge(family)) return resolve(scope, snapshot, args, params, action, extra);
    const apart = Object.create(family) as Family;
    const resolved = resolve(scope, { ...snapshot, children: apart }, args, params, action, extra);
    const [next] = resolved;
    next.children = next.children === apart ? family : added(family, next.children);
    return resolved;
  };
}

/** Wraps actions that an action enqueues while it runs. */
function resolvingOthers(resolve: Resolve): Resolve {
  return (scope, snapshot, args, params, action, extra) => {
    const [next, itself, actions] = resolve(scope, snapshot, args, params, action, extra);
    return [next, itself, isLarge(snapshot.children) ? actions?.map(wrapped) : actions];
  };
}

/** A large family with what a step adds to it. */
export function added(family: Family, born: Family): Family {
  const growth = growthOf(family);
  if (growth === undefined) return growing({ base: family, fresh: { ...born } });
  Object.assign(growth.fresh, born);
  return family;
}

/** A proxy that reads and copies like one record of all children. */
function growing(growth: Growth): Family {
  const { base, fresh } = growth;
  const find = (key: string | symbol): unknown => {
    if (key === GROWTH) return growth;
    return Object.hasOwn(fresh, key) ? fresh[key as string] : base[key as string];
  };
  return new Proxy<Family>(fresh, {
    get: (_, key) => find(key),
    has: (_, key) => key in fresh || key in base,
    ownKeys: () => [...new Set([...Object.keys(base), ...Object.keys(fresh)])],
    getOwnPropertyDescriptor: (_, key) =>
      Object.hasOwn(fresh, key) || Object.hasOwn(base, key)
        ? { value: find(key), enumerable: true, configurable: true, writable: true }
        : undefined,
  });
}

export function isLarge(family: Family): boolean {
  return (family as { [IS_LARGE]?: true })[IS_LARGE] === true;
}

function isBuiltIn(action: unknown): action is BuiltIn {
  return typeof action === 'function' && 'resolve' in action && 'type' in action;
}
