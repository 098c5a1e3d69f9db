/** The sidebars: one follows docs/README.md, the index by task; the other lists the API reference by module. */
import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { type DefaultTheme } from 'vitepress';
import { linkOf, markdownIn, ROOT, textOf, titleOf } from './pages.ts';

const INDEX = 'docs/README.md';
const REFERENCE = 'site/reference/bosun';

type Item = DefaultTheme.SidebarItem;

/** A group for each section of the index, with the pages that it links to. */
export function documents(): Item[] {
  const [head = '', ...sections] = textOf(INDEX).split(/^## /m);
  const groups = sections.map((section) => ({ text: /^.*/.exec(section)![0], items: itemsIn(section) }));
  return [{ text: 'Begin', items: [page('README.md'), page(INDEX), ...itemsIn(head)] }, ...groups];
}

/** For each module the modules, and the exports of that one by name. All exports on every page would be megabytes. */
export function reference(): DefaultTheme.SidebarMulti {
  const folders = readdirSync(posix.join(ROOT, REFERENCE), { recursive: true, encoding: 'utf8' });
  const modules = folders
    .filter((path) => posix.basename(path) === 'README.md')
    .map((path) => posix.join(REFERENCE, posix.dirname(path)))
    .sort();
  const sidebarOf = (own: string): Item[] =>
    modules.map((module) => {
      const item = page(posix.join(module, 'README.md'));
      return module === own ? { ...item, items: exportsOf(module) } : item;
    });
  return Object.fromEntries(modules.map((module) => [linkOf(module)!, sidebarOf(module)]));
}

function exportsOf(module: string): Item[] {
  const kinds = ['classes', 'functions', 'interfaces', 'type-aliases', 'variables'];
  const folders = readdirSync(posix.join(ROOT, module)).filter((name) => kinds.includes(name));
  const files = folders.flatMap((kind) =>
    markdownIn(posix.join(module, kind)).map((name) => posix.join(module, kind, name)),
  );
  return files
    .map((file) => ({ text: posix.basename(file, '.md'), link: linkOf(file)! }))
    .sort((a, b) => (a.text.toLowerCase() < b.text.toLowerCase() ? -1 : 1));
}

function itemsIn(section: string): Item[] {
  const targets = [...section.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => posix.join('docs', link!));
  return targets.map((target) => (target.endsWith('.md') ? page(target) : folder(target)));
}

function folder(path: string): Item {
  const name = posix.basename(path);
  const pages = markdownIn(path).map((file) => page(posix.join(path, file)));
  return { text: name[0]!.toUpperCase() + name.slice(1), collapsed: true, items: pages };
}

function page(file: string): Item {
  return { text: titleOf(file), link: linkOf(file)! };
}
