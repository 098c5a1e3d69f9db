/** `bosun pauses`: lists paused items with reason and time, and resumes, extends or expires them. */
import { BosunError } from '../../errors.ts';
import {
  type CoordinatorContext,
  itemsIn,
  type WholeCoordinator,
} from '../../machines/coordination/coordinator/coordinator-context.ts';
import { DESKS } from '../../machines/desks.ts';
import { type PauseManagerContext } from '../../machines/coordination/pauses/pause-messages.ts';
import { type PauseRecord } from '../../machines/coordination/pauses/pause-record.ts';
import { didYouMean } from '../../near-names.ts';
import { type DeskRow, type Ordered } from './desk-row.ts';
import { type DeskOrder, type DeskView, notThere } from './desk-view.ts';
import { timeText, whenKnown } from '../store/stopped-store.ts';

export const PAUSES: DeskRow<PauseRecord> = {
  none: 'nothing is paused',
  records: async (view, all) => {
    const records: PauseRecord[] = [];
    for (const [item, { manager, phase }] of itemsIn(await planIn(view))) {
      if (manager === null || (phase === 'running' && !all)) continue;
      const record = await recordOf(view, item);
      if (record !== null && (all || isStanding(record))) records.push(record);
    }
    return records;
  },
  find: async (view, item) => {
    const items = itemsIn(await planIn(view));
    if (!items.has(item))
      throw new BosunError('BOSUN_PLAN_INVALID', `no item "${item}" in the plan${didYouMean(item, items.keys())}`);
    const record = await recordOf(view, item);
    const { phase, deferredPause } = items.get(item)!;
    // The pause was ordered and its PauseManager does not exist yet, or people decide first.
    const isAboutTo = phase === 'pausing' || (deferredPause ?? null) !== null;
    if (record === null) throw notThere(`${item} is ${isAboutTo ? 'about to pause' : 'not paused'}`);
    return record;
  },
  cells: ({ item, status, pausedAtMs, trigger, batchId, reason }) => ({
    ITEM: item,
    STATUS: status,
    SINCE: timeText(pausedAtMs),
    TRIGGER: trigger,
    BATCH: batchId,
    REASON: reason,
  }),
  facts: ({ extendedUntilMs, extensionReason, resumeDependencies, ...record }) => [
    ['pause', record.id],
    ['item', record.item],
    ['status', record.status],
    ['reason', record.reason],
    ['trigger', `${record.trigger}, by ${record.createdBy}`],
    ['failed task', record.failedTask],
    ['batch', record.batchId],
    ['since', timeText(record.pausedAtMs)],
    ['resumed', whenKnown(record.resumedAtMs)],
    ['extended until', extendedUntilMs === null ? null : `${timeText(extendedUntilMs)}, ${extensionReason ?? ''}`],
    ['runs again', resumeDependencies === null ? null : resumeDependencies.restart.join(', ')],
    ['keeps its result', resumeDependencies === null ? null : resumeDependencies.skip.join(', ')],
    ['failed since', record.furtherFailures.map((further) => further.reason).join('; ')],
  ],
  detail: async (view, { item }) => {
    const manager = await view.look<PauseManagerContext>(`${DESKS.pauses}/${item}`);
    const isUnknown = manager?.context.memory === 'unknown';
    return { json: {}, text: isUnknown ? '\nnot known: the lifetime of its working memory\n' : '' };
  },
  orders: {
    resume: (record) => ordered(record, 'resume', { type: 'resume.command', resumePlan: null, notify: true }),
    extend: (record, { until: untilMs, by, reason = `by ${by}` }) =>
      ordered(record, 'extend', { type: 'pause.extend', untilMs, reason }),
    expire: (record, { by, reason = `given up by ${by}` }) =>
      ordered(record, 'expire', { type: 'pause.expire', reason }),
  },
};

function ordered(record: PauseRecord, order: string, event: DeskOrder): Ordered {
  const { item } = record;
  if (!isStanding(record)) throw notThere(`${item} is not paused`);
  const json = { type: `pause.${order}`, item };
  return { desk: DESKS.coordinator, event: { ...event, item }, json, said: `${item}: ${order}` };
}

async function planIn(view: DeskView): Promise<WholeCoordinator> {
  const coordinator = await view.look<CoordinatorContext>(DESKS.coordinator);
  if (coordinator === undefined) throw new BosunError('BOSUN_PLAN_INVALID', 'there is no plan; run one first');
  return coordinator.context;
}

async function recordOf(view: DeskView, item: string): Promise<PauseRecord | null> {
  return (await view.look<PauseManagerContext>(`${DESKS.pauses}/${item}`))?.context.record ?? null;
}

function isStanding({ status }: PauseRecord): boolean {
  return status === 'PAUSING' || status === 'PAUSED' || status === 'STALE';
}
