/** Joins what several shards show of one tree: the partitions of a Boss are one node. Pure. */
import { type TreeNode } from './system-options.ts';

/**
 * The partitions of a Boss as one node. Mailboxes and restarts are summed; of ages and used-up restarts the highest
 * counts; if a partition is not active, its status is shown.
 */
export function mergedTree(partitions: readonly TreeNode[]): TreeNode {
  const [first] = partitions as [TreeNode, ...TreeNode[]];
  if (partitions.length === 1) return first;
  const shown = partitions.find(({ status }) => status !== 'active') ?? first;
  const below = new Map<string, TreeNode[]>();
  for (const { children } of partitions) {
    for (const child of children) below.set(child.address, [...(below.get(child.address) ?? []), child]);
  }
  const bosses = partitions.flatMap(({ boss }) => boss ?? []);
  return {
    ...shown,
    mailbox: sum(partitions.map(({ mailbox }) => mailbox)),
    oldestMessageMs: highest(partitions.map(({ oldestMessageMs }) => oldestMessageMs)),
    restarts: shown.restarts === null ? null : sum(partitions.map(({ restarts }) => restarts ?? 0)),
    restartInMs: highest(partitions.map(({ restartInMs }) => restartInMs)),
    boss:
      bosses.length === 0
        ? null
        : { ...bosses[0]!, restartsInPeriod: Math.max(...bosses.map(({ restartsInPeriod }) => restartsInPeriod)) },
    children: [...below.values()].map((nodes) => (nodes.length === 1 ? nodes[0]! : mergedTree(nodes))),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

function highest(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((number) => number !== null);
  return known.length === 0 ? null : Math.max(...known);
}
