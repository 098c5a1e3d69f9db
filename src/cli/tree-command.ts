/** `bosun tree`: the supervision tree of a stopped store. */
import { isBosunError, messageOf } from '../errors.ts';
import { type TreeNode } from '../system-options.ts';
import { hasStore, openOnHold, storeDirectory } from './data-directory.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type DataCommand } from './surroundings.ts';

export async function treeCommand(command: DataCommand): Promise<ExitCode> {
  const { json, out, err } = command;
  const directory = storeDirectory(command);
  if (!hasStore(directory)) {
    err.write(`${directory.path} holds no store; run a plan first\n`);
    return EXIT.badInput;
  }
  try {
    const system = await openOnHold(directory, (...args) => err.write(`${args.map(String).join(' ')}\n`));
    const tree = system.tree();
    await system.stop();
    out.write(json ? `${JSON.stringify(tree, plainErrors)}\n` : `${draw(tree).join('\n')}\n`);
    return EXIT.completed;
  } catch (error) {
    if (!isBosunError(error)) throw error;
    err.write(`${error.message}\n`);
    return error.code === 'BOSUN_STORE_LOCKED' ? EXIT.inUse : EXIT.failed;
  }
}

/** One line an actor; branches as `tree` draws them. */
function draw(node: TreeNode, lead = '', isLast = true, isRoot = true): string[] {
  const branch = isRoot ? '' : isLast ? '└─ ' : '├─ ';
  const below = isRoot ? '' : `${lead}${isLast ? '   ' : '│  '}`;
  const children = node.children.flatMap((child, index) => draw(child, below, index === node.children.length - 1, false));
  return [`${isRoot ? '' : lead}${branch}${describe(node)}`, ...children];
}

function describe({ address, agent, status, state, mailbox, oldestMessageMs, restarts, lastError, restartInMs, boss }: TreeNode): string {
  const facts = [
    agent,
    state === null ? status : stateText(state),
    ...(status === 'active' || state === null ? [] : [status]),
    ...(boss === null ? [] : [boss.strategy]),
    ...(boss === null || boss.restartsInPeriod === 0 ? [] : [`${boss.restartsInPeriod} of ${boss.intensity} restarts in ${boss.periodMs} ms`]),
    ...(restartInMs === null ? [] : [`restarted in ${restartInMs} ms`]),
    ...(mailbox > 0 ? [`${mailbox} unread${oldestMessageMs === null ? '' : `, the oldest for ${oldestMessageMs} ms`}`] : []),
    ...(restarts !== null && restarts > 0 ? [`${restarts} restart${restarts === 1 ? '' : 's'}`] : []),
    ...(lastError === undefined ? [] : [`last error: ${messageOf(lastError)}`]),
  ];
  return `${address}  ${facts.join(', ')}`;
}

/** `supervising.running`; regions of a parallel state in brackets. */
function stateText(state: unknown): string {
  if (typeof state !== 'object' || state === null) return String(state);
  const parts = Object.entries(state).map(([key, below]) => {
    const text = stateText(below);
    return text === '' ? key : `${key}.${text}`;
  });
  return parts.length === 1 ? parts[0]! : parts.length === 0 ? '' : `(${parts.join(' | ')})`;
}

function plainErrors(_key: string, value: unknown): unknown {
  return value instanceof Error ? { name: value.name, message: value.message } : value;
}
