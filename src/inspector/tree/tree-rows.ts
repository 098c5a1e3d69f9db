/** The rows of a supervision tree after folding, searching and filtering. Pure. */
import { stateText } from '../format.ts';
import type { TreeBranch } from '../../gateway/protocol/views.ts';
import { type Filter, isKept } from './status-badge.ts';

export interface TreeRow {
  readonly node: TreeBranch;
  readonly depth: number;
  /** The address without that of its parent. */
  readonly name: string;
  readonly fold: 'open' | 'closed' | 'none';
  /** Whether the actor itself matches, instead of being an ancestor of a match. */
  readonly isHit: boolean;
}

/** A row in place of children that are not shown yet. */
export interface MoreRow {
  readonly parent: string;
  readonly depth: number;
  readonly left: number;
}

export interface TreeQuery {
  /** Text to find in addresses, agents' names or states. */
  readonly text: string;
  readonly filter: Filter | undefined;
  /** Addresses folded or unfolded by the user. */
  readonly folded: ReadonlySet<string>;
  readonly unfolded: ReadonlySet<string>;
  /** Number of additional children shown, by address of the parent. */
  readonly more: ReadonlyMap<string, number>;
}

/** Children of one parent that are shown at once. */
export const CHILDREN_SHOWN = 200;

export function rowsOf(root: TreeBranch, query: TreeQuery): (TreeRow | MoreRow)[] {
  const rows: (TreeRow | MoreRow)[] = [];
  const isSearch = query.text !== '' || query.filter !== undefined;
  const hits = new Set<TreeBranch>();
  const leads = new Set<TreeBranch>();
  if (isSearch) mark(root, query, hits, leads);
  const add = (node: TreeBranch, depth: number, parent: string): void => {
    const children = (node.children ?? []).filter((child) => !isSearch || leads.has(child));
    const isOpen = isSearch ? !query.folded.has(node.address) : isUnfolded(node, query);
    rows.push({
      node,
      depth,
      name: nameOf(node.address, parent),
      fold: children.length === 0 ? 'none' : isOpen ? 'open' : 'closed',
      isHit: hits.has(node),
    });
    if (!isOpen) return;
    const shown = query.more.get(node.address) ?? CHILDREN_SHOWN;
    for (const child of children.slice(0, shown)) add(child, depth + 1, node.address);
    if (children.length > shown) rows.push({ parent: node.address, depth: depth + 1, left: children.length - shown });
  };
  add(root, 0, '');
  return rows;
}

/** Addresses of the matching actors, in the order of the tree. */
export function hitsOf(root: TreeBranch, text: string): string[] {
  const hits = new Set<TreeBranch>();
  mark(root, { text, filter: undefined }, hits, new Set());
  return [...hits].map(({ address }) => address);
}

/**
 * Marks matching nodes.
 *
 * @returns Whether the node or one below it matches.
 */
function mark(
  node: TreeBranch,
  query: Pick<TreeQuery, 'text' | 'filter'>,
  hits: Set<TreeBranch>,
  leads: Set<TreeBranch>,
): boolean {
  const isHit = matches(node, query);
  if (isHit) hits.add(node);
  const below = (node.children ?? []).filter((child) => mark(child, query, hits, leads)).length > 0;
  if (isHit || below) leads.add(node);
  return isHit || below;
}

function matches(node: TreeBranch, { text, filter }: Pick<TreeQuery, 'text' | 'filter'>): boolean {
  if (node.hidden === true) return false;
  if (filter !== undefined && !isKept(node, filter)) return false;
  const wanted = text.toLowerCase();
  return [node.address, node.agent, stateText(node.state)].some((part) => part.toLowerCase().includes(wanted));
}

/** Whether a node is unfolded; nodes with many children start folded. */
function isUnfolded({ address, children = [] }: TreeBranch, { folded, unfolded }: TreeQuery): boolean {
  if (folded.has(address)) return false;
  return unfolded.has(address) || children.length <= CHILDREN_SHOWN;
}

function nameOf(address: string, parent: string): string {
  return parent !== '' && address.startsWith(`${parent}/`) ? address.slice(parent.length + 1) : address;
}
