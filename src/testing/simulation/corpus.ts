/**
 * The corpus: tokens of failures that were found, one file each, to be played first for ever. The files are meant to be
 * committed beside the code that they are about.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Failure } from './campaign.ts';

/** Tokens of earlier failures, which a campaign plays first. */
export interface Corpus {
  tokens(): readonly string[];
  add(failure: Failure): void;
}

/**
 * A corpus in a directory, with one file per failure.
 *
 * @param directory Created with the first failure.
 */
export function corpusIn(directory: string): Corpus {
  return {
    tokens: () => filesIn(directory).map((name) => tokenIn(join(directory, name))),
    add({ token, violation: { property }, story }) {
      mkdirSync(directory, { recursive: true });
      const name = `${property.replace(/[^a-z0-9]+/gi, '-').toLowerCase()}-${token.split('.')[1]}.json`;
      writeFileSync(join(directory, name), `${JSON.stringify({ property, token, story }, null, 2)}\n`);
    },
  };
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return [];
    throw error;
  }
}

function tokenIn(path: string): string {
  return (JSON.parse(readFileSync(path, 'utf8')) as { token: string }).token;
}
