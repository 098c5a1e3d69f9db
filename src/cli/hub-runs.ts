/** Runs of hubs as the store or a gateway has them: records of the desk, hand-offs of work plans, open questions. */
import { type RecordPage, type RecordsOptions } from '../actors/api/record-pages.ts';
import { isBosunError } from '../errors.ts';
import { DESKS } from '../machines/desks.ts';
import { type LineageEntry } from '../machines/hub/handoff.ts';
import { type HubDeskContext, type RunRecord } from '../machines/hub/hub-desk.ts';
import { PLAN_RECORDS } from '../machines/hub/plan-records.ts';
import { type GateDeskContext, gatesIn, type GateRecord } from '../machines/people/gates/gate-desk.ts';
import { recordsIn } from '../machines/rules/records.ts';
import { type Whole } from '../table.ts';

/** Hand-offs of a page. */
const PAGE_ENTRIES = 1_000;

/** The runs of a desk in the order of their starts; none without a desk. */
export function runsIn(desk: Pick<Whole<HubDeskContext>, 'open' | 'ended'> | undefined): readonly RunRecord[] {
  return desk === undefined ? [] : recordsIn(desk);
}

/** The last run of a work plan; undefined if it has had none. */
export function lastRunOf(runs: readonly RunRecord[], plan: string): RunRecord | undefined {
  return runs.findLast((run) => run.plan === plan);
}

/** The open questions of a run. */
export function questionsOf(desk: Pick<Whole<GateDeskContext>, 'open' | 'ended'>, run: string): readonly GateRecord[] {
  return gatesIn(desk, { isOpen: true }).filter(({ stage }) => stage === run);
}

/**
 * The hand-offs of a work plan, the first ones first. `list` reads a page of its records. There are none before the
 * first one, nor where a host ended before the plan had begun.
 */
export async function lineageOf(
  plan: string,
  list: (address: string, name: string, which: RecordsOptions) => Promise<RecordPage>,
): Promise<LineageEntry[]> {
  const entries: LineageEntry[] = [];
  try {
    for (let after: number | null = 0; after !== null; ) {
      const page: RecordPage = await list(planAddress(plan), PLAN_RECORDS.lineage, { after, limit: PAGE_ENTRIES });
      entries.push(...page.records.map(({ value }) => value as LineageEntry));
      after = page.next;
    }
  } catch (error) {
    if (!isBosunError(error, 'BOSUN_ACTOR_UNKNOWN') && !isBosunError(error, 'BOSUN_RECORDS_UNKNOWN')) throw error;
  }
  return entries;
}

export function planAddress(plan: string): string {
  return `${DESKS.workPlans}/${plan}`;
}
