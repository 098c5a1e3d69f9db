/** Actors in a tree. Pure. */
import { type TreeNode } from '../wire.ts';

export function nodeAt(tree: TreeNode, address: string): TreeNode | undefined {
  return findNode(tree, (node) => node.address === address);
}

/** The first that fits, in the order of the tree. */
export function findNode(tree: TreeNode, fits: (node: TreeNode) => boolean): TreeNode | undefined {
  if (tree.hidden !== true && fits(tree)) return tree;
  for (const child of tree.children ?? []) {
    const found = findNode(child, fits);
    if (found !== undefined) return found;
  }
  return undefined;
}
