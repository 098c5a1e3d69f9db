/** Folders and knowledge for tests; both are gone after the test. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Knowledge, type KnowledgeOptions, knowledgeOf } from '../../../src/knowledge/knowledge.ts';
import { type FolderChoice } from '../../../src/knowledge/thread-messages.ts';
import { filesOf, type FixtureName, fixtureText, writeFiles } from './fixture-repositories.ts';

/** The built file, because threads of Node 20 do not read TypeScript. */
const ENTRY = new URL('../../../dist/knowledge/search-thread.js', import.meta.url);

/** A folder with these files: a text for each path. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-knowledge-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFiles(folder, new Map(Object.entries(files)));
  return folder;
}

export function fixtureFolder(name: FixtureName): string {
  return folderWith(Object.fromEntries(filesOf(fixtureText(name))));
}

/** Makes a folder a repository; its files stay untracked. */
export function gitIn(folder: string, ...args: readonly string[]): void {
  execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' });
}

export function knowing(choices: readonly FolderChoice[], options: KnowledgeOptions = {}): Knowledge {
  const knowledge = knowledgeOf(choices, { watch: false, entry: ENTRY, ...options });
  onTestFinished(() => knowledge.close());
  return knowledge;
}
