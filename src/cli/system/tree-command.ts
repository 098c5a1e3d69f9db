/** `bosun tree`: the supervision tree of a running system or a stopped store. */
import { plainLine } from '../../plain-text.ts';
import { type TreeNode } from '../../system-options.ts';
import { withData } from '../reach/data-work.ts';
import { type ExitCode } from '../exit-codes.ts';
import { type LiveGateway } from '../reach/live-gateway.ts';
import { jsonLine } from '../json-lines.ts';
import { errorText } from '../store/stopped-store.ts';
import { type DataCommand } from '../surroundings.ts';

export function treeCommand(command: DataCommand): Promise<ExitCode> {
  const { json, out } = command;
  const show = (tree: TreeNode) => void out.write(json ? jsonLine(tree) : `${draw(tree).join('\n')}\n`);
  return withData(command, {
    live: async (gateway) => show(await liveTree(gateway)),
    stopped: (system) => show(system.tree()),
  });
}

/**
 * A tree as a gateway shows it to an operator, who may reach every address: a `hidden` actor was on an earlier page.
 */
type Branch = Omit<TreeNode, 'children'> & { hidden?: true; children: Branch[]; next?: string };

/** The whole tree, read page by page. */
export async function liveTree(gateway: LiveGateway): Promise<TreeNode> {
  const { next: second, ...tree } = await gateway.call<Branch>('actor.tree');
  for (let after = second; after !== undefined; ) {
    const page = await gateway.call<Branch>('actor.tree', { after });
    graft(tree, page.children);
    after = page.next;
  }
  return tree;
}

/** Adds the children of a later page after those of earlier ones. */
function graft(onto: Branch, children: readonly Branch[]): void {
  const there = new Map(onto.children.map((child) => [child.address, child]));
  for (const child of children) {
    const before = there.get(child.address);
    if (before === undefined) onto.children.push(child);
    else graft(before, child.children);
  }
}

/** Draws one line per actor, with branches as the command `tree` draws them. */
function draw(node: TreeNode, lead = '', isLast = true, isRoot = true): string[] {
  const branch = isRoot ? '' : isLast ? '└─ ' : '├─ ';
  const below = isRoot ? '' : `${lead}${isLast ? '   ' : '│  '}`;
  const children = node.children.flatMap((child, index) =>
    draw(child, below, index === node.children.length - 1, false),
  );
  return [`${isRoot ? '' : lead}${branch}${plainLine(describe(node))}`, ...children];
}

function describe({
  address,
  agent,
  status,
  state,
  mailbox,
  oldestMessageMs,
  restarts,
  lastError,
  restartInMs,
  boss,
}: TreeNode): string {
  const error = errorText(lastError);
  const facts = [
    agent,
    state === null ? status : stateText(state),
    ...(status === 'active' || state === null ? [] : [status]),
    ...(boss === null ? [] : [boss.strategy]),
    ...(boss === null || boss.restartsInPeriod === 0
      ? []
      : [`${boss.restartsInPeriod} of ${boss.intensity} restarts in ${boss.periodMs} ms`]),
    ...(restartInMs === null ? [] : [`restarted in ${restartInMs} ms`]),
    ...(mailbox > 0
      ? [`${mailbox} unread${oldestMessageMs === null ? '' : `, the oldest for ${oldestMessageMs} ms`}`]
      : []),
    ...(restarts !== null && restarts > 0 ? [`${restarts} restart${restarts === 1 ? '' : 's'}`] : []),
    ...(error === undefined ? [] : [`last error: ${error}`]),
  ];
  return `${address}  ${facts.join(', ')}`;
}

/** A state value as text, `supervising.running`; regions of a parallel state are in brackets. */
export function stateText(state: unknown): string {
  if (typeof state !== 'object' || state === null) return String(state);
  const parts = Object.entries(state).map(([key, below]) => {
    const text = stateText(below);
    return text === '' ? key : `${key}.${text}`;
  });
  return parts.length === 1 ? parts[0]! : parts.length === 0 ? '' : `(${parts.join(' | ')})`;
}
