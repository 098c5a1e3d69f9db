/** Runs of hubs as the store or a gateway has them: records of the desk, hand-offs of work plans, open questions. */
import { type RecordPage, type RecordsOptions } from '../../actors/api/record-pages.ts';
import { isBosunError } from '../../errors.ts';
import { DESKS } from '../../machines/desks.ts';
import { type LineageEntry } from '../../machines/hub/handoff.ts';
import { type HubDeskContext, type RunRecord } from '../../machines/hub/hub-desk.ts';
import { PLAN_RECORDS } from '../../machines/hub/plan-records.ts';
import { type SessionEntry, type SessionPrompt } from '../../machines/hub/session-records.ts';
import { type GateDeskContext, gatesIn, type GateRecord } from '../../machines/people/gates/gate-desk.ts';
import { recordsIn } from '../../machines/rules/records.ts';
import { type Whole } from '../../table.ts';

/** Hand-offs of a page. */
const PAGE_ENTRIES = 1_000;

/** The runs of a desk in the order of their starts; none without a desk. */
export function runsIn(desk: Pick<Whole<HubDeskContext>, 'rows'> | undefined): readonly RunRecord[] {
  return desk === undefined ? [] : recordsIn(desk);
}

/** The last run of a work plan; undefined if it has had none. */
export function lastRunOf(runs: readonly RunRecord[], plan: string): RunRecord | undefined {
  return runs.findLast((run) => run.plan === plan);
}

/** The open questions of a run. */
export function questionsOf(desk: Pick<Whole<GateDeskContext>, 'rows'>, run: string): readonly GateRecord[] {
  return gatesIn(desk, { isOpen: true }).filter(({ stage }) => stage === run);
}

/** Reads a page of an actor's records. */
type List = (address: string, name: string, which: RecordsOptions) => Promise<RecordPage>;

/** The hand-offs of a work plan, the first ones first. */
export async function lineageOf(plan: string, list: List): Promise<LineageEntry[]> {
  const entries: LineageEntry[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const which: RecordsOptions = { after, limit: PAGE_ENTRIES };
    const page: RecordPage | undefined = await pageOf(plan, PLAN_RECORDS.lineage, { list, which });
    entries.push(...valuesIn<LineageEntry>(page));
    after = page?.next ?? null;
  }
  return entries;
}

/** The sessions of a run that have closed, the last ones first, at most so many as one page has. */
export async function closedSessionsOf({ id, plan }: RunRecord, list: List): Promise<SessionEntry[]> {
  const which = { where: { run: id }, limit: PAGE_ENTRIES, newestFirst: true };
  return valuesIn(await pageOf(plan, PLAN_RECORDS.sessions, { list, which }));
}

/** The records of a session: its end, its hand-off, and what it was told; undefined for one that there is not. */
export async function sessionOf(id: string, { plan }: RunRecord, list: List) {
  const which = { where: { session: id }, limit: 1 };
  const [[closed], [told], [handoff]] = await Promise.all([
    pageOf(plan, PLAN_RECORDS.sessions, { list, which }).then(valuesIn<SessionEntry>),
    pageOf(plan, PLAN_RECORDS.prompts, { list, which }).then(valuesIn<SessionPrompt>),
    pageOf(plan, PLAN_RECORDS.lineage, { list, which }).then(valuesIn<LineageEntry>),
  ]);
  return { closed, told, handoff };
}

/** A page of records; undefined before the first one, and where a host ended before the work plan had begun. */
async function pageOf(
  plan: string,
  name: string,
  { list, which }: { readonly list: List; readonly which: RecordsOptions },
): Promise<RecordPage | undefined> {
  try {
    return await list(planAddress(plan), name, which);
  } catch (error) {
    if (isBosunError(error, 'BOSUN_ACTOR_UNKNOWN') || isBosunError(error, 'BOSUN_RECORDS_UNKNOWN')) return undefined;
    throw error;
  }
}

function valuesIn<Value>(page: RecordPage | undefined): Value[] {
  return (page?.records ?? []).map(({ value }) => value as Value);
}

export function planAddress(plan: string): string {
  return `${DESKS.workPlans}/${plan}`;
}
