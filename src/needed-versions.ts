/**
 * The versions of Node, XState and zod that Bosun runs on, and the comparison with those found. This file uses no young
 * feature of Node or of the language, so that it runs on what is too old.
 */
import { createRequire } from 'node:module';

/** The ranges of `engines` and of the peer dependencies in package.json; a test compares them. */
export const NEEDED = { node: '>=20.19', xstate: '^5.31.0', zod: '^4.2.0' } as const;

/** A library of which user and Bosun must have fitting copies. */
export type Library = Exclude<keyof typeof NEEDED, 'node'>;

/** The versions found; undefined where that cannot be known, as in a bundle. */
export interface Found {
  readonly node: string;
  readonly xstate: string | undefined;
  readonly zod: string | undefined;
}

/** The versions on which Bosun itself runs. */
export function versionsHere(): Found {
  const here = (library: Library) => versionNear(import.meta.url, library);
  return { node: process.versions.node, xstate: here('xstate'), zod: here('zod') };
}

/** Why Bosun cannot run on these versions, with the way out; undefined if it can. */
export function problemOfVersions(found: Found): string | undefined {
  if (!fits(found.node, 'node')) {
    const needed = NEEDED.node.replace('>=', '');
    const ownNode = `this is Node ${found.node}: install a newer one (https://nodejs.org)`;
    return `Bosun needs Node ${needed} or later, and ${ownNode}`;
  }
  for (const library of ['xstate', 'zod'] as const) {
    const version = found[library];
    if (version === undefined || fits(version, library)) continue;
    const needed = `${library}@${NEEDED[library]}`;
    return (
      `Bosun needs ${library} ${NEEDED[library]}, and finds ${library} ${version}: ` +
      `run npm install "${needed}" (npm ls ${library} shows all copies)`
    );
  }
  return undefined;
}

/** Whether a version is in the needed range: the same major, the same or a later minor; of Node also a later major. */
export function fits(version: string, what: keyof typeof NEEDED): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = NEEDED[what].replace(/^\D+/, '').split('.').map(Number);
  if (major === neededMajor) return minor >= neededMinor;
  return NEEDED[what].startsWith('>=') && major > neededMajor;
}

/**
 * The version of a library near a file.
 *
 * @param file A path or a URL.
 */
export function versionNear(file: string, library: Library): string | undefined {
  try {
    return (createRequire(file)(`${library}/package.json`) as { readonly version: string }).version;
  } catch {
    // A bundle has no node_modules beside it.
    return undefined;
  }
}
