/**
 * Pages of several workers, joined into one: it ends where the first of theirs does, because what follows may be
 * incomplete. The partitions of a Boss are one actor. Pure.
 */
import { ROOT } from '../../actors/model/address.ts';
import { type TreeNode } from '../../system-options.ts';
import { type PagedTree, type TreeBranch, type TreeView } from '../protocol/views.ts';
import { type ActorPage } from '../topics/actor-pages.ts';

/** Joins the partitions of a Boss into one node. */
export type JoinNodes = (partitions: readonly TreeNode[]) => TreeNode;

export function joinedList(pages: readonly ActorPage[], limit: number): ActorPage {
  const end = endOf(pages.map(({ next }) => next));
  const rows = pages.flatMap(({ actors }) => actors).filter((row) => isWithin(row, end));
  const joined = byPlace(rows).map(oneRow).sort(byAddress);
  const actors = joined.slice(0, limit);
  return { actors, next: actors.length < joined.length ? actors.at(-1)!.address : end };
}

/**
 * Joins the trees of workers.
 *
 * @param trees The trees; undefined for workers where the caller may reach nothing.
 */
export function joinedTree(trees: readonly PagedTree[], join: JoinNodes): PagedTree {
  const end = endOf(trees.map(({ next }) => next ?? null));
  const { next: _, ...tree } = oneBranch(trees, join, end) as PagedTree;
  return end === null ? (tree as TreeBranch) : { ...(tree as TreeBranch), next: end };
}

function oneBranch(branches: readonly TreeBranch[], join: JoinNodes, end: string | null): TreeBranch {
  const shown = branches.filter((branch) => branch.hidden === undefined);
  const below = branches.flatMap(({ children = [] }) => children).filter((child) => isWithin(child, end));
  const children = byPlace(below)
    .map((some) => (some.length === 1 && end === null ? some[0]! : oneBranch(some, join, end)))
    .filter((child) => child.hidden === undefined || child.children.length > 0);
  const [first] = shown;
  if (first === undefined) return { address: branches[0]!.address, hidden: true, children };
  const isCut = shown.every((view) => view.children === undefined);
  const node = shown.length === 1 ? first : join(shown.map((view) => ({ ...view, children: [] })));
  return { ...node, children: isCut ? undefined : children } as TreeView;
}

/** Groups items by address, in order of arrival. */
function byPlace<Item extends { readonly address: string }>(items: readonly Item[]): Item[][] {
  const places = new Map<string, Item[]>();
  for (const item of items) {
    const there = places.get(item.address);
    if (there === undefined) places.set(item.address, [item]);
    else there.push(item);
  }
  return [...places.values()];
}

/** Whether an actor belongs on the page. All descendants of an actor after the end are after it too. */
function isWithin({ address }: { readonly address: string }, end: string | null): boolean {
  return end === null || !isBehind(address, end);
}

/** The first of the ends of pages; null if all are last pages. */
function endOf(nexts: readonly (string | null)[]): string | null {
  return nexts.reduce(
    (first, next) => (next === null || (first !== null && isBehind(next, first)) ? first : next),
    null,
  );
}

/** Whether an address comes after another one; the root comes first. */
function isBehind(address: string, other: string): boolean {
  return address !== ROOT && (other === ROOT || address > other);
}

function byAddress(a: { readonly address: string }, b: { readonly address: string }): number {
  return isBehind(a.address, b.address) ? 1 : -1;
}

function oneRow(rows: readonly ActorPage['actors'][number][]): ActorPage['actors'][number] {
  const shown = rows.find(({ status }) => status !== 'active') ?? rows[0]!;
  const sum = (of: (row: typeof shown) => number) => rows.reduce((all, row) => all + of(row), 0);
  const restarts = shown.restarts === null ? null : sum((row) => row.restarts ?? 0);
  return rows.length === 1 ? shown : { ...shown, mailbox: sum(({ mailbox }) => mailbox), restarts };
}
