/**
 * Checks the copies of XState and zod that an agent is made with. A project may have several copies of each;
 * unsupported ones are reported with the versions found, before they cause other errors.
 */
import { createRequire } from 'node:module';
import { type AnyStateMachine } from 'xstate';
import { machinesOf } from './machine-facts.ts';

/** The ranges of the peer dependencies in package.json; a test compares them. */
export const NEEDED = { xstate: '^5.31.0', zod: '^4.2.0' } as const;

type Library = keyof typeof NEEDED;

export interface Made {
  readonly machine: AnyStateMachine;
  /** The agent's schemas, each with the place to name in an error. */
  readonly schemas: readonly (readonly [place: string, schema: unknown])[];
  /** The function that the agent's module calls. */
  readonly calledBy: (...args: never[]) => unknown;
}

/** Describes the first copy that is too old; undefined if all are supported. */
export function foreignCopy({ machine, schemas, calledBy }: Made): string | undefined {
  const old = machinesOf(machine).find(({ machine: one }) => !isFitMachine(one));
  if (old !== undefined) {
    const near = versionFor(calledBy, 'xstate');
    // The module's own copy may be supported while the machine comes from another one.
    const found = near === undefined || fits(near, 'xstate') ? 'a copy of xstate from before 5.31' : `xstate ${near}`;
    return told('xstate', old.owner === '' ? 'its machine' : `the machine of ${old.owner}`, found);
  }
  for (const [place, schema] of schemas) {
    const found = zodOf(schema);
    if (found !== undefined && !fits(found, 'zod')) return told('zod', place, `zod ${found}`);
  }
  return undefined;
}

function told(library: Library, place: string, found: string): string {
  const own = versionNear(import.meta.url, library);
  return (
    `${place} is made by ${found}, and Bosun${own === undefined ? '' : `, which runs on ${library} ${own},`} needs ` +
    `${library} ${NEEDED[library]}: install that, and import it from one place (npm ls ${library} shows all copies)`
  );
}

/** Whether a machine is made by XState 5.31 or later. Machines carry no version, but since 5.31 they have `options`. */
function isFitMachine(machine: AnyStateMachine): boolean {
  return 'options' in machine;
}

/** The version of the zod that made a schema; for zod 3 only the major is known. */
function zodOf(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { _zod, _def } = schema as {
    readonly _zod?: { readonly version?: { major: number; minor: number; patch: number } };
    readonly _def?: { readonly typeName?: unknown };
  };
  if (_zod === undefined) return typeof _def?.typeName === 'string' ? '3' : undefined;
  const { version } = _zod;
  return version && `${version.major}.${version.minor}.${version.patch}`;
}

/** Whether a version is in the needed range: the same major, the same or a later minor. */
function fits(version: string, library: Library): boolean {
  const [major, minor = 0] = version.split('.').map(Number);
  const [neededMajor, neededMinor = 0] = NEEDED[library].slice(1).split('.').map(Number);
  return major === neededMajor && minor >= neededMinor;
}

/** The version of a library in the module that called a function. */
function versionFor(called: Made['calledBy'], library: Library): string | undefined {
  const holder: { stack?: unknown } = {};
  Error.captureStackTrace(holder, called);
  const place = /(?:file:\/\/)?(\/[^\n()]+?):\d+:\d+\)?$/m.exec(String(holder.stack));
  return place === null ? undefined : versionNear(place[1]!, library);
}

/**
 * The version of a library near a file.
 *
 * @param file A path or a URL.
 */
function versionNear(file: string, library: Library): string | undefined {
  try {
    return (createRequire(file)(`${library}/package.json`) as { readonly version: string }).version;
  } catch {
    // A bundle has no node_modules beside it.
    return undefined;
  }
}
