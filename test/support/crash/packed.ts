/** The package as published, packed into a folder of its own. */
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const project = fileURLToPath(new URL('../../../', import.meta.url));

/** Entries of the project that are not copied. */
const LEFT = new Set(['node_modules', 'dist', 'data', 'coverage', '.git']);

/** @returns The path of the tarball, packed in a copy, because packing rebuilds and others may be using the build. */
export async function packedInto(root: string): Promise<string> {
  const copy = join(root, 'project');
  cpSync(project, copy, { recursive: true, filter: (path) => !LEFT.has(relative(project, path)) });
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  await run('npm', ['pack', '--silent', '--pack-destination', root], { cwd: copy });
  const [tarball] = readdirSync(root).filter((file) => file.endsWith('.tgz'));
  return join(root, tarball!);
}

/** Runs `npm install` for some packages in a folder with or without a package.json. */
export async function install(folder: string, ...packages: readonly string[]): Promise<void> {
  await run('npm', ['install', '--silent', '--no-audit', '--no-fund', ...packages], { cwd: folder });
}
