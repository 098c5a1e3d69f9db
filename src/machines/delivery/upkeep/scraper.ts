/**
 * The Scraper Team (MX-010, MX-022): a minute after the last change of a finished task's files it checks whether those
 * who had to have talked to each other, by the hand-offs of which the organisation tells it. It changes no task.
 */
import { z } from 'zod';
import { TASKS_KEPT_MAX, UPKEEP_KEPT_MAX } from '../../limits.ts';
import { nameKey } from '../../rules/table-keys.ts';
import { type Known, type Port } from '../../work/port.ts';
import { type WorkItem } from '../../work/work-item.ts';
import { CONTRACTS, type DeliveryPorts, type Documented } from '../delivery-ports.ts';
import { type HandoffSeen, judged } from '../organisation/handoff-messages.ts';
import { type Warning } from '../oversight/oversight-rules.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { type DoneReport } from '../tasks/task-messages.ts';
import { QUIET_MS_MAX } from '../../work/work-item.ts';
import { addJob, count, type TeamTurn, type TeamWork } from '../teams/team.ts';
import { alignmentOf, COMMUNICATION, type Heard, requiredOf } from './communication-rules.ts';
import { openPointsIn } from './open-points.ts';

/** A finished task, done at this time; its files have not changed after the other. */
type Job = Documented & Readonly<{ doneAtMs: number; quietSinceMs: number }>;
type ScraperTurn = TeamTurn<Job>;
/** `open` are the points that the task leaves open; null if nobody but the embedded rule can tell. */
interface Looked {
  readonly changedAtMs: number | null;
  readonly documents: readonly { readonly what: string; readonly isThere: boolean }[];
  readonly open: readonly string[] | null;
}
const NOBODY_LOOKED: Looked = { changedAtMs: null, documents: [], open: null };

/** A check on record: the share of what was required, and what was missing. */
const alignment = z.object({ atMs: z.number(), task: z.string(), decision: judged, missing: z.array(z.string()) });
export type AlignmentEntry = z.output<typeof alignment>;

/** The work of the Scraper Team. */
export const communicationWork: TeamWork<Job, Job, Looked> = {
  team: 'scraper',
  rules: {
    'handoff.seen': (turn: ScraperTurn, { item, row, occasion, load }: HandoffSeen) => {
      const heard = heardOf(turn, item.id);
      const { asked } = turn.context;
      const first = asked.size < TASKS_KEPT_MAX ? undefined : asked.first();
      const others = first === undefined ? asked : asked.delete(first[0]);
      turn.assign({ asked: others.set(nameKey(item.id), { ...heard, [row]: (heard[row] ?? 0) + 1 }) });
      if (occasion !== 'done') return;
      const { files } = (load as { readonly report: DoneReport }).report;
      const times = { doneAtMs: turn.nowMs, quietSinceMs: turn.nowMs };
      addJob(turn, { item: item as WorkItem, files, ...times }, settingsOf(turn).delayMs);
    },
  } as never,
  contract: CONTRACTS.documents,
  ask: (job) => job,
  finish(turn, job, answer: Known<Looked | null>) {
    const looked = (answer.isKnown ? answer.value : null) ?? NOBODY_LOOKED;
    const { changedAtMs } = looked;
    const quietSinceMs = Math.min(changedAtMs ?? 0, turn.nowMs);
    const afterMs = Math.min(quietSinceMs + settingsOf(turn).delayMs, job.doneAtMs + QUIET_MS_MAX) - turn.nowMs;
    if (quietSinceMs > job.quietSinceMs && afterMs > 0) addJob(turn, { ...job, quietSinceMs }, afterMs);
    else check(turn, job, looked);
  },
  records: { alignments: { schema: alignment, keep: { count: UPKEEP_KEPT_MAX } } },
};

const nobodyKnows = () => Promise.resolve(null);

/**
 * The port of the team: documents and open points are asked about once the files are quiet. A function of the host that
 * fails knows nothing, and takes nothing from what the others know.
 */
export function communicationPort({
  changedAt = nobodyKnows,
  documents = () => Promise.resolve([]),
  openPoints = nobodyKnows,
}: Partial<DeliveryPorts>): Port<Job, unknown> {
  return ({ item, files, quietSinceMs }, facts) =>
    changedAt({ files }, facts)
      .catch(nobodyKnows)
      .then((changedAtMs) =>
        (changedAtMs ?? 0) > quietSinceMs
          ? { ...NOBODY_LOOKED, changedAtMs }
          : Promise.all([
              documents({ item, files }, facts).catch(() => []),
              openPoints(item, facts).catch(nobodyKnows),
            ]).then(([found, open]) => ({ changedAtMs, documents: found, open })),
      );
}

function settingsOf({ context: { settings } }: ScraperTurn) {
  return { ...COMMUNICATION, ...settings };
}

function heardOf({ context: { asked } }: ScraperTurn, id: string): Heard {
  return (asked.get(nameKey(id)) ?? {}) as Heard;
}

/** Puts on record what was required and happened, and warns people where too little has. */
function check(turn: ScraperTurn, { item }: Job, { documents, open }: Looked): void {
  const { id, parent, title } = item;
  const whole = parent === null ? {} : heardOf(turn, parent);
  const points = open ?? openPointsIn(item);
  const required = [...requiredOf(item, points, heardOf(turn, id), whole), ...documents];
  const decision = alignmentOf(required, settingsOf(turn).alignmentMin);
  const missing = required
    .flatMap(({ what, isThere }) => (isThere ? [] : what.slice(0, 300).toWellFormed()))
    .slice(0, 20);
  turn.record('alignments', { atMs: turn.nowMs, task: id, decision, missing } satisfies AlignmentEntry);
  count(turn, { checked: 1, below: Number(!decision.isPassed) });
  if (decision.isPassed) return;
  const detail = [`${decision.outcome}: ${Math.round(100 * decision.value)} % of what was required`, ...missing];
  const warning: Warning = {
    ...{ severity: 'warning', about: id, kind: 'communication', detail: detail.join('\n') },
    title: `${id} was done without what it required of others: ${title}`,
  };
  turn.send(DELIVERY_DESKS.overseer, { ...warning, type: 'oversight.warned' });
}
