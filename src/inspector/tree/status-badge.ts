/** The status of an actor as a word, a symbol and a tone; colour is never the only distinction. Pure. */
import type { RunView } from '../../gateway/protocol/run-view.ts';
import type { TreeBranch, TreeView } from '../../gateway/protocol/views.ts';

export type Tone = 'good' | 'calm' | 'warn' | 'bad';

export interface StatusBadge {
  readonly word: string;
  readonly sign: string;
  readonly tone: Tone;
}

const BY_STATUS: Readonly<Record<TreeView['status'], StatusBadge>> = {
  active: { word: 'active', sign: '\u25cf', tone: 'good' },
  done: { word: 'done', sign: '\u2713', tone: 'calm' },
  error: { word: 'failed', sign: '\u2715', tone: 'bad' },
  stopped: { word: 'stopped', sign: '\u25a0', tone: 'calm' },
  suspended: { word: 'suspended', sign: '\u275a\u275a', tone: 'warn' },
};

const RESTARTING: StatusBadge = { word: 'restarting', sign: '\u21bb', tone: 'warn' };

/** How actors have ended. */
export const BY_ENDING: Readonly<Record<RunView['status'], StatusBadge>> = {
  done: BY_STATUS.done,
  failed: BY_STATUS.error,
  gaveUp: { word: 'gave up', sign: '\u2715\u2715', tone: 'bad' },
  stopped: BY_STATUS.stopped,
};

export function badgeOf({ status, restartInMs }: Pick<TreeView, 'status' | 'restartInMs'>): StatusBadge {
  return restartInMs === null || restartInMs === undefined ? BY_STATUS[status] : RESTARTING;
}

/** Filters of the tree. `failed`: the actor has failed at some time. `waiting`: it has unread messages. */
export const FILTERS = ['failed', 'suspended', 'restarting', 'waiting'] as const;
export type Filter = (typeof FILTERS)[number];

export function isKept(node: TreeBranch, filter: Filter): boolean {
  if (node.hidden === true) return false;
  return filter === 'waiting'
    ? node.mailbox > 0
    : badgeOf(node).word === filter || (filter === 'failed' && hasFailed(node));
}

/** Whether the actor runs again after a failure. The reason of a suspension is not a failure. */
function hasFailed({ status, lastError }: TreeView): boolean {
  return status !== 'suspended' && lastError !== undefined && lastError !== null;
}
