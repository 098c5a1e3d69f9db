/** `bosun batches`: lists items that were paused together, and resumes them together. */
import { batchesIn, type BatchManagerContext, shownBatch } from '../../machines/coordination/batches/batch-manager.ts';
import { type CoordinatorContext, itemIn } from '../../machines/coordination/coordinator/coordinator-context.ts';
import { DESKS } from '../../machines/desks.ts';
import { type DeskRow } from './desk-row.ts';
import { type DeskView, found, refusedOrder } from './desk-view.ts';
import { timeText, whenKnown } from '../store/stopped-store.ts';
import { tableText } from '../table.ts';

type Batch = ReturnType<typeof shownBatch>;

async function batchesOf(view: DeskView): Promise<Batch[]> {
  const desk = await view.look<BatchManagerContext>(DESKS.batches);
  return desk === undefined ? [] : batchesIn(desk.context).map((record) => shownBatch(desk.context, record));
}

export const BATCHES: DeskRow<Batch> = {
  none: 'no batches',
  records: batchesOf,
  find: async (view, id) => {
    const batches = await batchesOf(view);
    const known = batches.length === 0 ? '' : `; there are ${batches.map((batch) => batch.id).join(', ')}`;
    return found(batches, id, `no batch "${id}"${known}`);
  },
  cells: ({ id, status, phase, total, paused, resumed, failed, notBeforeMs, reason }) => ({
    ID: id,
    STATUS: status,
    PHASE: phase,
    ITEMS: total,
    PAUSED: paused,
    RESUMED: resumed,
    FAILED: failed,
    RESUMES: whenKnown(notBeforeMs),
    REASON: reason,
  }),
  facts: ({ total, paused, resumed, failed, pending, correlationId, signature, ...batch }) => [
    ['batch', batch.id],
    ['status', `${batch.status}, ${batch.phase}`],
    ['reason', batch.reason],
    ['correlation', correlationId === null ? null : `${correlationId}, signature ${signature ?? 'none'}`],
    ['items', `${total}: ${paused} paused, ${resumed} resumed, ${failed} failed, ${pending} pending`],
    ['at a time', batch.concurrencyLimit],
    ['since', timeText(batch.createdAtMs)],
    ['goes on', whenKnown(batch.notBeforeMs)],
    ['ended', whenKnown(batch.completedAtMs)],
    ['note', batch.note],
  ],
  detail: async (view, batch) => {
    const plan = (await view.look<CoordinatorContext>(DESKS.coordinator))?.context;
    const items = batch.items.map((item) => {
      const { phase = null, reason = null } = plan === undefined ? {} : itemIn(plan, item);
      return { item, phase, reason };
    });
    const lines = items.map(({ item, phase, reason }) => [item, phase ?? '', reason ?? '']);
    return { json: { items }, text: `\n${tableText([['ITEM', 'PHASE', 'REASON'], ...lines])}` };
  },
  orders: {
    resume: ({ id, phase, status, total, resumed, failed }, { concurrency }) => {
      if (phase === 'finished') throw refusedOrder(`${id} has ended: ${status}`);
      const said =
        phase === 'resuming'
          ? `is resuming already: ${resumed} of ${total} items are resumed; resources are requested again`
          : `as resources allow, ${total - resumed - failed} of ${total} items resume`;
      const order = { type: 'batch.resume', batchId: id };
      return {
        desk: DESKS.batches,
        event: concurrency === undefined ? order : { ...order, concurrencyLimit: concurrency },
        json: order,
        said: `${id}: ${said}`,
      };
    },
  },
};
