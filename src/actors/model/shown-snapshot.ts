/** Snapshots in the hands of user code (lending.ts). */
import { handed, lendContext, shown } from '../../lending.ts';

/** The parts of a snapshot that are stored values. */
interface Parts {
  readonly context?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly input?: unknown;
}

/** The last copies by snapshot, so that readers of an unchanged actor get the same object. */
const copies = new WeakMap<object, Parts>();

/** A snapshot for code outside of steps. */
export function shownSnapshot<S extends object>(snapshot: S): S {
  const shownParts: Record<string, unknown> = {};
  let isSame = true;
  for (const key of PARTS) {
    const part = (snapshot as Parts)[key];
    const shownPart = shown(part);
    if (shownPart === part) continue;
    shownParts[key] = shownPart;
    isSame = false;
  }
  if (isSame) return snapshot;
  const known = copies.get(snapshot);
  if (known !== undefined && Object.entries(shownParts).every(([key, part]) => known[key as keyof Parts] === part))
    return known as S;
  const copy = Object.assign(Object.create(Object.getPrototypeOf(snapshot) as object) as S, snapshot, shownParts);
  if (Object.isFrozen(snapshot)) Object.freeze(copy);
  copies.set(snapshot, copy);
  return copy;
}

/** A snapshot for the step in progress. */
export function lentSnapshot<S extends object>(snapshot: S): S {
  const { context, output, error } = snapshot as Parts;
  lendContext(context);
  handed(output);
  handed(error);
  return snapshot;
}

const PARTS = ['context', 'output', 'error', 'input'] as const;
