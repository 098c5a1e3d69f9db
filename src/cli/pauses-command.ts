/** `bosun pauses`: items that stand, why and since when, and what a person does about one: resume, extend, expire. */
import { BosunError } from '../errors.ts';
import { type CoordinatorContext, itemsIn } from '../machines/coordination/coordinator/coordinator-context.ts';
import { DESKS } from '../machines/work/system-ids.ts';
import { type PauseManagerContext } from '../machines/coordination/pauses/pause-messages.ts';
import { type PauseRecord } from '../machines/coordination/pauses/pause-record.ts';
import { didYouMean } from '../near-names.ts';
import {
  type DeskCommand,
  type DeskOrder,
  type DeskView,
  notThere,
  whenText,
  withDesks,
  writeList,
} from './desk-view.ts';
import { type ExitCode } from './exit-codes.ts';
import { oneLine } from './run-report.ts';
import { jsonLine, timeText } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';
import { factsText } from './table.ts';

/** @param command `all`: also those that are over. */
export function listPauses(command: DataCommand & { readonly all: boolean }): Promise<ExitCode> {
  const { all } = command;
  return withDesks(command, async (view) => {
    const records: PauseRecord[] = [];
    for (const [item, { manager, phase }] of itemsIn(await planIn(view))) {
      if (manager === null || (phase === 'running' && !all)) continue;
      const record = await recordOf(view, item);
      if (record !== null && (all || isStanding(record))) records.push(record);
    }
    writeList(command, records, {
      none: 'nothing is paused',
      head: ['ITEM', 'STATUS', 'SINCE', 'TRIGGER', 'BATCH', 'REASON'],
      cells,
    });
  });
}

export function showPause(command: DataCommand & { readonly item: string }): Promise<ExitCode> {
  const { item, json, out } = command;
  return withDesks(command, async (view) => {
    checkItem(await planIn(view), item);
    const record = await recordOf(view, item);
    if (record === null) throw notThere(`${item} is not paused`);
    out.write(json ? jsonLine(record) : factsOf(record));
  });
}

export interface PauseOrder extends DeskCommand {
  readonly order: 'resume' | 'extend' | 'expire';
  readonly item: string;
  /** Of an extension. */
  readonly untilMs?: number;
}

export function pauseOrder(command: PauseOrder): Promise<ExitCode> {
  const { order, item, json, out, by } = command;
  return withDesks(command, async (view) => {
    checkItem(await planIn(view), item);
    const record = await recordOf(view, item);
    if (record === null || !isStanding(record)) throw notThere(`${item} is not paused`);
    await view.order(DESKS.coordinator, eventOf(command));
    out.write(
      json ? jsonLine({ type: `pause.${order}`, item, by, durable: true }) : `${item}: ${order}${whenText(view)}\n`,
    );
  });
}

function eventOf({ order, item, untilMs, reason, by }: PauseOrder): DeskOrder {
  switch (order) {
    case 'resume':
      return { type: 'resume.command', item, resumePlan: null, notify: true };
    case 'extend':
      return { type: 'pause.extend', item, untilMs, reason: reason ?? `by ${by}` };
    case 'expire':
      return { type: 'pause.expire', item, reason: reason ?? `given up by ${by}` };
  }
}

async function planIn(view: DeskView): Promise<CoordinatorContext> {
  const coordinator = await view.look<CoordinatorContext>(DESKS.coordinator);
  if (coordinator === undefined) throw new BosunError('BOSUN_PLAN_INVALID', 'there is no plan; run one first');
  return coordinator.context;
}

function checkItem(context: CoordinatorContext, item: string): void {
  const items = itemsIn(context);
  if (!items.has(item))
    throw new BosunError('BOSUN_PLAN_INVALID', `no item "${item}" in the plan${didYouMean(item, items.keys())}`);
}

async function recordOf(view: DeskView, item: string): Promise<PauseRecord | null> {
  return (await view.look<PauseManagerContext>(`${DESKS.pauses}/${item}`))?.context.record ?? null;
}

function isStanding({ status }: PauseRecord): boolean {
  return status === 'PAUSING' || status === 'PAUSED' || status === 'STALE';
}

function cells({ item, status, pausedAtMs, trigger, batchId, reason }: PauseRecord): string[] {
  return [item, status, timeText(pausedAtMs), trigger, batchId ?? '', oneLine(reason)];
}

function factsOf(record: PauseRecord): string {
  const {
    id,
    item,
    status,
    reason,
    trigger,
    failedTask,
    batchId,
    createdBy,
    pausedAtMs,
    resumedAtMs,
    extendedUntilMs,
    extensionReason,
    resumeDependencies,
    furtherFailures,
  } = record;
  return factsText([
    ['pause', id],
    ['item', item],
    ['status', status],
    ['reason', oneLine(reason)],
    ['trigger', `${trigger}, by ${createdBy}`],
    ['failed task', failedTask],
    ['batch', batchId],
    ['since', timeText(pausedAtMs)],
    ['resumed', resumedAtMs === null ? null : timeText(resumedAtMs)],
    ['extended until', extendedUntilMs === null ? null : `${timeText(extendedUntilMs)}, ${extensionReason ?? ''}`],
    ['runs again', resumeDependencies === null ? null : resumeDependencies.restart.join(', ')],
    ['stays done', resumeDependencies === null ? null : resumeDependencies.skip.join(', ')],
    ['failed since', furtherFailures.map((further) => oneLine(further.reason)).join('; ')],
  ]);
}
