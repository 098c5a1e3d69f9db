/** `bosun batches`: items that were paused together, and to have them go on together. */
import { type BatchManagerContext, batchesIn, shownBatch } from '../machines/coordination/batches/batch-manager.ts';
import { type BatchRecord } from '../machines/coordination/batches/batch-rules.ts';
import { type CoordinatorContext, itemIn } from '../machines/coordination/coordinator/coordinator-context.ts';
import { DESKS } from '../machines/work/system-ids.ts';
import {
  type DeskCommand,
  type DeskView,
  notThere,
  refusedOrder,
  whenText,
  withDesks,
  writeList,
} from './desk-view.ts';
import { type ExitCode } from './exit-codes.ts';
import { oneLine } from './run-report.ts';
import { jsonLine, timeText } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';
import { factsText, tableText } from './table.ts';

type Batch = BatchRecord & { readonly signature: string | null; readonly items: readonly string[] };

export function listBatches(command: DataCommand): Promise<ExitCode> {
  return withDesks(command, async (view) => {
    const head = ['ID', 'STATUS', 'PHASE', 'ITEMS', 'PAUSED', 'RESUMED', 'FAILED', 'GOES ON', 'REASON'];
    writeList(command, await batchesOf(view), { none: 'no batches', head, cells });
  });
}

export function showBatch(command: DataCommand & { readonly id: string }): Promise<ExitCode> {
  const { id, json, out } = command;
  return withDesks(command, async (view) => {
    const batch = await batchOf(view, id);
    const plan = (await view.look<CoordinatorContext>(DESKS.coordinator))?.context;
    const items = batch.items.map((item) => ({
      item,
      phase: plan === undefined ? null : itemIn(plan, item).phase,
      reason: plan === undefined ? null : itemIn(plan, item).reason,
    }));
    if (json) return void out.write(jsonLine({ ...batch, items }));
    out.write(factsOf(batch));
    const rows = items.map(({ item, phase, reason }) => [item, phase ?? '', oneLine(reason ?? '')]);
    out.write(`\n${tableText([['ITEM', 'PHASE', 'REASON'], ...rows])}`);
  });
}

/** @param command `concurrency`: so many at a time. */
export function resumeBatch(
  command: DeskCommand & { readonly id: string; readonly concurrency?: number | undefined },
): Promise<ExitCode> {
  const { id, concurrency, json, out, by } = command;
  return withDesks(command, async (view) => {
    const batch = await batchOf(view, id);
    if (batch.phase === 'finished') throw refusedOrder(`${id} has ended: ${batch.status}`);
    await view.order(DESKS.batches, {
      type: 'batch.resume',
      batchId: id,
      ...(concurrency !== undefined && { concurrencyLimit: concurrency }),
    });
    out.write(
      json
        ? jsonLine({ type: 'batch.resume', batchId: id, by, durable: true })
        : `${id}: ${batch.total} items resume${whenText(view)}\n`,
    );
  });
}

async function batchesOf(view: DeskView): Promise<Batch[]> {
  const desk = await view.look<BatchManagerContext>(DESKS.batches);
  if (desk === undefined) return [];
  return batchesIn(desk.context).map((record) => shownBatch(desk.context, record));
}

async function batchOf(view: DeskView, id: string): Promise<Batch> {
  const batches = await batchesOf(view);
  const found = batches.find((batch) => batch.id === id);
  if (found === undefined)
    throw notThere(
      `no batch "${id}"${batches.length === 0 ? '' : `; there are ${batches.map((batch) => batch.id).join(', ')}`}`,
    );
  return found;
}

function cells({ id, status, phase, total, paused, resumed, failed, notBeforeMs, reason }: Batch): string[] {
  return [
    id,
    status,
    phase,
    String(total),
    String(paused),
    String(resumed),
    String(failed),
    notBeforeMs === null ? '' : timeText(notBeforeMs),
    oneLine(reason),
  ];
}

function factsOf(batch: Batch): string {
  const {
    id,
    status,
    phase,
    reason,
    correlationId,
    signature,
    concurrencyLimit,
    total,
    paused,
    resumed,
    failed,
    pending,
    createdAtMs,
    completedAtMs,
    notBeforeMs,
    note,
  } = batch;
  return factsText([
    ['batch', id],
    ['status', `${status}, ${phase}`],
    ['reason', oneLine(reason)],
    ['correlation', correlationId === null ? null : `${correlationId}, signature ${signature ?? 'none'}`],
    ['items', `${total}: ${paused} paused, ${resumed} resumed, ${failed} failed, ${pending} on their way`],
    ['at a time', concurrencyLimit],
    ['since', timeText(createdAtMs)],
    ['goes on', notBeforeMs === null ? null : timeText(notBeforeMs)],
    ['ended', completedAtMs === null ? null : timeText(completedAtMs)],
    ['note', note],
  ]);
}
