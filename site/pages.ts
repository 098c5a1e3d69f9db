/**
 * The pages of the site: where the file of each is in the repository, and where a reader finds it. Files are named
 * from the root of the repository, with slashes.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';

/** The root of the repository, where the build runs. */
export const ROOT = process.cwd();

/** Everything below the root that holds no page. */
export const NO_PAGES = ['!(docs|examples|site)/**/*', '.*/**', 'site/!(reference)/**'];

/** The path of a page in the site: `docs/agents.md` is `agents.md`, and a README stands for its folder. */
export function sitePathOf(file: string): string {
  const path = file.replace(/^docs\//, '').replace(/^site\//, '');
  if (file === 'docs/README.md') return 'documents.md';
  if (/^[A-Z]+\.md$/.test(path) && path !== 'README.md') return path.toLowerCase();
  return path.replace(/(^|\/)README\.md$/, '$1index.md');
}

/** The link to a file's page; undefined for a file that is none, such as a source. */
export function linkOf(file: string): string | undefined {
  if (!existsSync(posix.join(ROOT, file))) throw new Error(`no such file: ${file}`);
  if (statSync(posix.join(ROOT, file)).isDirectory()) return linkToFolder(file);
  return file.endsWith('.md')
    ? `/${sitePathOf(file)
        .replace(/(^|\/)index\.md$/, '$1')
        .replace(/\.md$/, '.html')}`
    : undefined;
}

/** A folder is shown by its README, or by the first page in it. */
function linkToFolder(folder: string): string | undefined {
  const names = markdownIn(folder);
  const first = names.find((name) => name === 'README.md') ?? names[0];
  return first === undefined ? undefined : linkOf(posix.join(folder, first));
}

export function markdownIn(folder: string): string[] {
  return readdirSync(posix.join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .sort();
}

/** The heading of a page. */
export function titleOf(file: string): string {
  return /^# (.*)$/m.exec(textOf(file))![1]!;
}

export function textOf(file: string): string {
  return readFileSync(posix.join(ROOT, file), 'utf8');
}
