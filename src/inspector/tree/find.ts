/** Search for actors in a tree. Pure. */
import type { TreeBranch, TreeView } from '../../gateway/protocol/views.ts';

export function nodeAt(tree: TreeBranch, address: string): TreeView | undefined {
  return findNode(tree, (node) => node.address === address);
}

/** The first actor that fits, in the order of the tree. */
export function findNode(tree: TreeBranch, fits: (node: TreeView) => boolean): TreeView | undefined {
  if (tree.hidden !== true && fits(tree)) return tree;
  for (const child of tree.children ?? []) {
    const found = findNode(child, fits);
    if (found !== undefined) return found;
  }
  return undefined;
}
