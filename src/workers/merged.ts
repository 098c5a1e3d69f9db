/** What several workers know, as one: the partitions of a Boss in the tree, and dead letters. Pure. */
import { type DeadLetter } from '../actors/world/mailbox/dead-letter.ts';
import { type TreeNode } from '../system-options.ts';

/** A dead letter, and which worker has it: numbers are a worker's own. */
export interface SpreadDeadLetter extends DeadLetter {
  readonly worker: number;
}

/**
 * The partitions of a Boss as one node. Mailboxes and restarts are added up, of ages and used-up restarts the highest
 * counts; a partition that is not active is what is shown of all.
 */
export function mergedTree(partitions: readonly TreeNode[]): TreeNode {
  const [first] = partitions as [TreeNode, ...TreeNode[]];
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

/** Oldest first. */
export function mergedLetters(lists: readonly (readonly DeadLetter[])[]): SpreadDeadLetter[] {
  return lists
    .flatMap((letters, worker) => letters.map((letter) => ({ ...letter, worker })))
    .sort((a, b) => a.atMs - b.atMs);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

function highest(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((number) => number !== null);
  return known.length === 0 ? null : Math.max(...known);
}
