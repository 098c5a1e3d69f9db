/**
 * Many events sent together over workers: which go to which worker in one call, and the refusals of all calls by the
 * indexes of the whole.
 */
import { refusalOf, refusalsOf, throwRefused } from '../actors/api/refused-sends.ts';
import { admitToSend } from '../actors/model/event-check.ts';
import { type SendRefusal } from '../actors/world/mailbox/inbound.ts';
import { BosunError } from '../errors.ts';
import { WORKER_SENDS_PER_CALL_MAX } from '../limits.ts';
import { type SendRequest } from '../system-options.ts';
import { type Shards } from '../shards.ts';

const ONCE = { isRepeatable: false };
const AGAIN = { isRepeatable: true };

/** Consecutive events for one worker that are alike in whether they are repeated when it dies. */
interface Run {
  readonly worker: number;
  readonly how: typeof ONCE;
  readonly requests: SendRequest[];
  readonly indexes: number[];
}

/** Sends as System.sendMany. */
export async function sendSpread(shards: Shards, requests: readonly SendRequest[]): Promise<void> {
  if (!Array.isArray(requests))
    throw new BosunError('BOSUN_EVENT_INVALID', 'sendMany takes a list of { to, event, session? }');
  const refused: SendRefusal[] = [];
  // Calls to one worker arrive there in the order in which they are made.
  const sent = runsOf(shards, requests, refused).map(({ worker, how, requests: run, indexes }) =>
    refusalsOf(shards.call(worker, 'sendMany', [run], how), indexes),
  );
  throwRefused(requests.length, [...refused, ...(await Promise.all(sent)).flat()]);
}

function runsOf(shards: Shards, requests: readonly SendRequest[], refused: SendRefusal[]): Run[] {
  const runs: Run[] = [];
  const latest = new Map<number, Run>();
  for (let index = 0; index < requests.length; index++) {
    try {
      const { to, event, session } = requests[index]!;
      const worker = shards.homesOf(to)[0]!;
      const how = session === undefined ? ONCE : AGAIN;
      const request = { to, event: admitToSend(event), ...(session && { session }) };
      let run = latest.get(worker);
      if (run?.how !== how || run.requests.length === WORKER_SENDS_PER_CALL_MAX) {
        run = { worker, how, requests: [], indexes: [] };
        runs.push(run);
        latest.set(worker, run);
      }
      run.requests.push(request);
      run.indexes.push(index);
    } catch (error) {
      refused.push(refusalOf(error, index));
    }
  }
  return runs;
}
