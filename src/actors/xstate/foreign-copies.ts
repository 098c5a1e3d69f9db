/**
 * Checks the copies of XState and zod that an agent is made with. A project may have several copies of each;
 * unsupported ones are reported with the versions found, before they cause other errors.
 */
import { type AnyStateMachine } from 'xstate';
import { fits, type Library, NEEDED, versionNear } from '../../needed-versions.ts';
import { machinesOf } from './machine-facts.ts';

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

/** The version of a library in the module that called a function. */
function versionFor(called: Made['calledBy'], library: Library): string | undefined {
  const holder: { stack?: unknown } = {};
  Error.captureStackTrace(holder, called);
  const place = /(?:file:\/\/)?(\/[^\n()]+?):\d+:\d+\)?$/m.exec(String(holder.stack));
  return place === null ? undefined : versionNear(place[1]!, library);
}
