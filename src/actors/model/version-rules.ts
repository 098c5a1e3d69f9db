/**
 * Rules for reading an actor stored by earlier code (design P12): as it is, by a chain of migrations, by an old
 * definition kept in the code, or not at all. Pure; recovery.ts and migration.ts act on them.
 */
import { type StateValue } from 'xstate';

/**
 * A state as a migration sees it: the state value in XState's form, the context as data. References stay references.
 */
export interface StoredState<Context = Readonly<Record<string, unknown>>> {
  readonly value: StateValue;
  readonly context: Context;
}

/**
 * Migration steps by the version that each leads to. A step has to be pure: a crash before the next epoch runs it
 * again.
 */
export type MigrationSteps = Readonly<Record<number, MigrationStep>>;
export type MigrationStep = (old: StoredState<never>) => StoredState<unknown>;

/** The version of a machine as the store knows it. */
export interface Edition {
  readonly version: number;
  /** Structural hash; empty for logic that is no machine. */
  readonly hash: string;
}

/** One step of a chain of migrations. */
export interface Leg {
  readonly to: number;
  readonly step: MigrationStep;
}

export type Reading<Definition> =
  | { readonly kind: 'fine' }
  /** Another version of the same structure without a step to it: only the number changes. */
  | { readonly kind: 'renumbered' }
  | { readonly kind: 'migrates'; readonly steps: readonly Leg[] }
  | { readonly kind: 'kept'; readonly definition: Definition }
  /** `why` is a sentence for people, with the way out. */
  | { readonly kind: 'refused'; readonly why: string };

/** The result for nearly every actor: one shared object. */
const FINE = { kind: 'fine' } as const;

/**
 * Decides how a stored actor is read. A kept definition takes precedence over a migration: a host that names one wants
 * its actors to go on as they are.
 */
export function readingOf<Definition extends Edition>(
  stored: Edition,
  today: Edition & { readonly steps: MigrationSteps; readonly kept: readonly Definition[] },
): Reading<Definition> {
  const isSame = stored.hash === today.hash;
  if (isSame && stored.version === today.version) return FINE;
  const definition = today.kept.find((old) => old.version === stored.version && old.hash === stored.hash);
  if (definition !== undefined) return { kind: 'kept', definition };
  if (stored.version > today.version) {
    return {
      kind: 'refused',
      why: `the code has only version ${today.version}: start it with the newer code, or raise the version and migrate`,
    };
  }
  if (stored.version === today.version) {
    return {
      kind: 'refused',
      why:
        'the structure of the machine has changed under the same number: raise the version, and give a migration ' +
        'or the old agent in `previous`',
    };
  }
  const versions = Array.from({ length: today.version - stored.version }, (_, index) => stored.version + 1 + index);
  const missing = versions.filter((version) => today.steps[version] === undefined);
  if (isSame && missing.length === versions.length) return { kind: 'renumbered' };
  if (missing.length === 0 || isSame) {
    return {
      kind: 'migrates',
      steps: versions.filter((to) => !missing.includes(to)).map((to) => ({ to, step: today.steps[to]! })),
    };
  }
  return {
    kind: 'refused',
    why:
      `there is no migration to version ${missing.join(', ')}: give it in \`migrate\`, or the old agent in ` +
      `\`previous\``,
  };
}
