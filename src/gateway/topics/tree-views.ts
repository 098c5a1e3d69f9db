/** The supervision tree as clients are shown it, whole or as a list: without what the caller may not reach. */
import { BosunError } from '../../errors.ts';
import { LISTED_MAX } from '../../limits.ts';
import { type TreeNode } from '../../system-options.ts';
import { type Caller, mayReach } from '../client/callers.ts';
import { type TreeBranch, type TreeView } from '../protocol/views.ts';
import { shownError } from './wire-values.ts';

/**
 * Throws BOSUN_FORBIDDEN where the caller may reach nothing of it; BOSUN_GATEWAY_FULL for more than LISTED_MAX actors.
 */
export function treeView(caller: Caller, tree: TreeNode, depth: number): TreeBranch {
  const left = { count: LISTED_MAX };
  const view = nodeView(caller, tree, depth, left);
  if (view !== undefined) return view;
  throw new BosunError('BOSUN_FORBIDDEN', 'this address is not among those that the caller may reach');
}

export interface ActorQuery {
  readonly agent?: string | undefined;
  readonly status?: TreeNode['status'] | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Actors that the caller may reach, by address, a page at a time. */
export function treePage(caller: Caller, tree: TreeNode, { agent, status, after = '', limit }: ActorQuery) {
  const found = reachable(caller, tree).filter((node) => {
    return (
      node.address > after &&
      (agent === undefined || node.agent === agent) &&
      (status === undefined || node.status === status)
    );
  });
  const page = found.slice(0, limit);
  const actors = page.map(({ address, agent, status, state, mailbox, restarts }) => ({
    address,
    agent,
    status,
    state,
    mailbox,
    restarts,
  }));
  return { actors, next: found.length > limit ? page.at(-1)!.address : null };
}

function reachable(caller: Caller, tree: TreeNode): TreeNode[] {
  const found: TreeNode[] = [];
  const open = [tree];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (mayReach(caller, next.address)) found.push(next);
    open.push(...next.children);
  }
  return found.sort((a, b) => (a.address < b.address ? -1 : 1));
}

function nodeView(caller: Caller, node: TreeNode, depth: number, left: { count: number }): TreeBranch | undefined {
  const isOurs = mayReach(caller, node.address);
  if (left.count-- === 0)
    throw new BosunError(
      'BOSUN_GATEWAY_FULL',
      `a tree shows at most ${LISTED_MAX} actors: ask for less depth, or for a part of it`,
    );
  const children = depth === 0 ? [] : node.children.flatMap((child) => nodeView(caller, child, depth - 1, left) ?? []);
  if (!isOurs) return children.length === 0 ? undefined : { address: node.address, hidden: true, children };
  return { ...node, lastError: shownError(node.lastError), children: depth === 0 ? undefined : children } as TreeView;
}
