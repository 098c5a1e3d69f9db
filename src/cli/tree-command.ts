/** `bosun tree`: the supervision tree of a running system or a stopped store. */
import { type TreeNode } from '../system-options.ts';
import { withData } from './data-work.ts';
import { type ExitCode } from './exit-codes.ts';
import { errorText, jsonLine } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';

export function treeCommand(command: DataCommand): Promise<ExitCode> {
  const { json, out } = command;
  const show = (tree: TreeNode) => void out.write(json ? jsonLine(tree) : `${draw(tree).join('\n')}\n`);
  return withData(command, {
    live: async (gateway) => show(await gateway.call<TreeNode>('actor.tree')),
    stopped: (system) => show(system.tree()),
  });
}

/** One line an actor; branches as `tree` draws them. */
function draw(node: TreeNode, lead = '', isLast = true, isRoot = true): string[] {
  const branch = isRoot ? '' : isLast ? '└─ ' : '├─ ';
  const below = isRoot ? '' : `${lead}${isLast ? '   ' : '│  '}`;
  const children = node.children.flatMap((child, index) =>
    draw(child, below, index === node.children.length - 1, false),
  );
  return [`${isRoot ? '' : lead}${branch}${describe(node)}`, ...children];
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

/** `supervising.running`; regions of a parallel state in brackets. */
export function stateText(state: unknown): string {
  if (typeof state !== 'object' || state === null) return String(state);
  const parts = Object.entries(state).map(([key, below]) => {
    const text = stateText(below);
    return text === '' ? key : `${key}.${text}`;
  });
  return parts.length === 1 ? parts[0]! : parts.length === 0 ? '' : `(${parts.join(' | ')})`;
}
