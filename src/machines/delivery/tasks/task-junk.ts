/**
 * Rules of the orchestrator for the Updater: which tasks in the queue are the same, and the merge of two of them. What
 * a session has, what is under review and what other work needs is not touched.
 */
import { type AnyActorRef } from 'xstate';
import { openIn } from '../../rules/records.ts';
import { pairsOf } from '../../rules/table-keys.ts';
import { duplicatesIn, type Junk, mergedContext, type Waiting } from '../upkeep/junk-rules.ts';
import { desk, type OrchestratorTurn, type TaskRow, tellTask } from './orchestrator-state.ts';
import { wholeOf } from './task-progress.ts';
import { edit } from './task-orders.ts';

type Scan = Readonly<{ sinceMs: number; askedBy: AnyActorRef }>;

/** Tasks that the Planning Team has handed to the queue, and that no session has had. */
function waitingIn(turn: OrchestratorTurn): readonly Waiting[] {
  const { working, dependents } = turn.context;
  const isWaiting = ({ id, isQueued, attempts, status }: TaskRow) =>
    isQueued && attempts === 0 && !working.has(id) && (status === 'pending' || status === 'ready');
  return openIn(turn.context)
    .filter(isWaiting)
    .map(({ id, item, atMs, touchedAtMs = 0 }) => {
      const isNeeded = [...dependents.values(pairsOf(id))].length > 0 || wholeOf(turn, item) !== undefined;
      return { item, touchedAtMs: Math.max(atMs, touchedAtMs), isNeeded };
    });
}

function clear(
  turn: OrchestratorTurn,
  { junk, because, sinceMs, askedBy }: Scan & { junk: Junk; because: string },
): void {
  const same = duplicatesIn(waitingIn(turn), sinceMs).find(({ key }) => key === junk.key);
  const [gone, stays] = [junk.task, same?.into ?? ''].map((id) => desk(turn).records.get(id));
  turn.send(askedBy, {
    type: 'upkeep.cleared',
    junk,
    because,
    isDone: same !== undefined,
    items: gone ? [gone.item] : [],
  });
  if (same === undefined) return;
  const note = `${gone!.id} was the same: ${gone!.item.description}`;
  edit(turn, stays!, { context: mergedContext(stays!.item, gone!.item) }, note);
  desk(turn).change(gone!.id, { isWithdrawn: true });
  tellTask(turn, gone!.id, { type: 'task.doom', because: `merged into ${stays!.id}: ${because}` });
}

/** The rules for the Updater. */
export const JUNK = {
  'upkeep.scan': (turn: OrchestratorTurn, { sinceMs, askedBy }: Scan) =>
    turn.send(askedBy, { type: 'upkeep.found', junk: duplicatesIn(waitingIn(turn), sinceMs) }),
  'upkeep.clear': clear,
};
