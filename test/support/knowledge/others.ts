/**
 * Questions of other authors about repositories that they wrote or chose. They knew nothing of the rules, and the rules
 * were changed only after all questions had been written down.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentOf } from '../../../src/knowledge/document.ts';
import { Finder } from '../../../src/knowledge/finder.ts';
import { listFiles, readFile } from '../../../src/knowledge/reader.ts';
import { finderOver } from './fixture-finder.ts';
import { fixtureText, OTHER_FIXTURES } from './fixture-repositories.ts';
import { type Answered, askedOf, type Labelled } from './labelled.ts';

/** Packages as npm has them, in the versions of the lock file. */
export const PACKAGES = ['fastify', 'pino'] as const;

export type OtherName = (typeof OTHER_FIXTURES)[number] | (typeof PACKAGES)[number];

export interface OtherQuestion extends Labelled {
  readonly repository: OtherName;
}

export function questionsOf(name: OtherName): readonly Labelled[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'questions', `${name}.json`), 'utf8')) as Labelled[];
}

/** An index of the repository. */
export function finderOf(name: OtherName): Finder {
  const written = OTHER_FIXTURES.find((one) => one === name);
  if (written !== undefined) return finderOver(written, fixtureText(written));
  const folder = join(import.meta.dirname, '../../../node_modules', name);
  const finder = new Finder();
  for (const file of listFiles(folder).files) {
    const reading = readFile(folder, file);
    if ('text' in reading) finder.put(name, documentOf(file, reading.text));
  }
  return finder;
}

/** All questions of others with what became of them. */
export function answersOfOthers(): readonly Answered<OtherQuestion>[] {
  return [...OTHER_FIXTURES, ...PACKAGES].flatMap((repository) => {
    const finder = finderOf(repository);
    return questionsOf(repository).map((asked) => askedOf(finder, { ...asked, repository }));
  });
}
