/**
 * Small repositories to ask about, each written as one text file: `=== path` begins a file. They are not kept as
 * folders, because tools of this repository would take their manifests and sources for its own.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const FIXTURES = ['parcels', 'clinic', 'sensors', 'ledger'] as const;
export type FixtureName = (typeof FIXTURES)[number] | OtherFixture;

/** Repositories that others wrote, with their questions in `questions`. */
export const OTHER_FIXTURES = ['vialroute', 'lendwell', 'depotpulse', 'tafelgong', 'spadework', 'skerry'] as const;
export type OtherFixture = (typeof OTHER_FIXTURES)[number];

/** The text of a fixture. */
export function fixtureText(name: FixtureName): string {
  return readFileSync(join(import.meta.dirname, 'fixtures', `${name}.txt`), 'utf8');
}

/** The files of a fixture, by path. */
export function filesOf(text: string): ReadonlyMap<string, string> {
  const parts = text.split(/^=== (.+)\n/m).slice(1);
  return new Map(parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1]!] as const] : [])));
}

/** Writes files into a folder, which is created. */
export function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
