/**
 * The tree of files of a session: a repository of its own, which borrows the objects of the user's, has its branches
 * and tags to read, and its settings but for hooks. What is done there to branches, stash or settings stays there.
 */
import { appendFileSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Git } from './git.ts';

/** Files of a repository that say which files it ignores, how it reads them, and where its history begins. */
const COPIED = ['info/exclude', 'info/attributes', 'shallow'];

/** Kinds of references that a session may read. The stash is not among them. */
const REFERENCES = ['refs/heads', 'refs/tags', 'refs/remotes'];

/** Makes the tree of a commit in a directory that is not there. */
export async function makeTree(git: Git, { tree, base }: { readonly tree: string; readonly base: string }) {
  const { common, objects } = git.found;
  const own = join(tree, '.git');
  await git.init(tree);
  mkdirSync(join(own, 'info'), { recursive: true });
  for (const file of COPIED) if (existsSync(join(common, file))) copyFileSync(join(common, file), join(own, file));
  writeFileSync(join(own, 'objects/info/alternates'), `${objects}\n${join(common, 'objects')}\n`);
  const { out } = await git.run(['for-each-ref', '--format=%(objectname) %(refname)', ...REFERENCES]);
  writeFileSync(join(own, 'packed-refs'), out);
  writeFileSync(join(own, 'HEAD'), `${base}\n`);
  // What is said later counts.
  const settings = `[include]\n\tpath = ${JSON.stringify(join(common, 'config'))}\n`;
  const last = `[core]\n\tbare = false\n\tworktree = ${JSON.stringify(tree)}\n\thooksPath = /dev/null\n`;
  appendFileSync(join(own, 'config'), settings + last);
  const index = join(own, 'index');
  await git.run(['read-tree', base], { tree, index });
  await git.run(['checkout-index', '--all', '--index', '--quiet'], { tree, index });
}
