/** A plan under way: items by stages, pauses and progress, and its timetable. */
import { useState } from 'preact/hooks';
import type { AgentListView } from '../../gateway/protocol/views.ts';
import { ActorLink } from '../actor-link.tsx';
import { EventDialog } from '../actor/event-dialog.tsx';
import { DESK_AGENTS } from '../desks/desk-shapes.ts';
import { useDesk } from '../desks/use-desk.ts';
import { counted, number } from '../format.ts';
import { maySend } from '../link.ts';
import { hrefOf } from '../route.ts';
import { useShownRows } from '../shown-rows.tsx';
import { Signed } from '../signed.tsx';
import { useAnswer } from '../use.ts';
import { useLoadedTable } from '../use-loaded-table.ts';
import { type JsonSchema } from '../json-schema.ts';
import { Gantt } from './gantt.tsx';
import {
  type ItemRow,
  type ItemTask,
  phaseBadge,
  planProgress,
  type PlanProgress,
  type TaskState,
} from './plan-progress.ts';

const AGENTS_EVERY_MS = 60_000;

/** Items that are shown at once. */
const ITEMS_SHOWN = 200;

/** The schema used if the caller may not read the agents' schemas. */
const ITEM_ONLY: JsonSchema = { properties: { item: { type: 'string' } }, required: ['item'] };

interface PlanOrder {
  readonly type: 'plan.pause' | 'plan.resume';
  readonly item: string;
}

export function PlanView() {
  const { presence, address, view, context } = useDesk(DESK_AGENTS.coordinator);
  const { result: list } = useAnswer<AgentListView>('agent.list', {}, AGENTS_EVERY_MS);
  const [asked, setAsked] = useState<PlanOrder | undefined>(undefined);
  const items = useLoadedTable({ view, table: 'items' }, context?.items);
  const progress = planProgress(context, items);
  if (view === undefined || progress === undefined) {
    return (
      <section class="sheet">
        <h1>Plan</h1>
        <p class="empty">{presence === 'unknown' ? 'Looking…' : 'This system has no plan.'}</p>
      </section>
    );
  }
  const schema =
    asked === undefined
      ? undefined
      : list?.agents.find(({ name }) => name === DESK_AGENTS.coordinator)?.events[asked.type];
  return (
    <>
      <section class="sheet flush" aria-labelledby="plan-title">
        <Head progress={progress} address={address} state={String(view.value)} />
        <Items progress={progress} onAsk={setAsked} />
      </section>
      <Gantt address={address} progress={progress} />
      {asked !== undefined && (
        <EventDialog
          key={`${asked.type} ${asked.item}`}
          address={address}
          type={asked.type}
          schema={schema ?? ITEM_ONLY}
          preset={{ item: asked.item }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

interface HeadProps {
  readonly progress: PlanProgress;
  readonly address: string;
  readonly state: string;
}

function Head({ progress: { plan, items, loaded, done, running, total }, address, state }: HeadProps) {
  return (
    <div class="row sheet-head">
      <h1 id="plan-title">{plan.name}</h1>
      <p class="quiet">
        <span data-testid="plan-state">{state}</span>,{' '}
        {`${done} of ${counted(total, 'task')} done, ${running} under way · by `}
        <ActorLink address={address} />
        {loaded < items.length && (
          <span data-testid="plan-loaded"> · {`${number(loaded)} of ${counted(items.length, 'item')} loaded`}</span>
        )}
      </p>
      <progress max={total} value={done} aria-label="Tasks done" />
    </div>
  );
}

interface ItemsProps {
  readonly progress: PlanProgress;
  readonly onAsk: (asked: PlanOrder) => void;
}

function Items({ progress: { items, stages }, onAsk }: ItemsProps) {
  const [shown, more] = useShownRows(items, ITEMS_SHOWN, 'item');
  const columns = stages.length === 0 ? [''] : stages;
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Items by stages, scrolls">
        <table class="plan">
          <thead>
            <tr>
              <th scope="col">Item</th>
              {columns.map((stage) => (
                <th key={stage} scope="col">
                  {stage === '' ? 'Task' : stage}
                </th>
              ))}
              <th scope="col">Phase</th>
              <th scope="col">
                <span class="unseen">Orders</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Item key={row.item} row={row} columns={columns} onAsk={onAsk} />
            ))}
          </tbody>
        </table>
      </div>
      {more && <p class="empty">{more}</p>}
    </>
  );
}

const SIGNS: Readonly<Record<TaskState, string>> = {
  done: '\u2713',
  running: '\u25b6',
  failed: '\u2715',
  waiting: '\u00b7',
  notLoaded: '\u2026',
};

interface ItemProps {
  readonly row: ItemRow;
  readonly columns: readonly string[];
  readonly onAsk: (asked: PlanOrder) => void;
}

function Item({ row, columns, onAsk }: ItemProps) {
  const { item, phase, reason, asks } = row;
  const { words, sign, tone, order } = phaseBadge(phase);
  return (
    <tr data-item={item}>
      <th scope="row">{item}</th>
      {columns.map((stage) => (
        <TaskCell key={stage} task={row.tasks.get(stage)} />
      ))}
      <td>
        <Signed kind={`standing ${tone}`} sign={sign}>
          {words}
        </Signed>
        {asks.map(({ view, id }) => (
          <span key={id} class="reason">
            {' '}
            <a href={hrefOf(view, id)}>{id}</a>
          </span>
        ))}
        {reason !== null && <span class="quiet reason"> {reason}</span>}
      </td>
      <td class="end">{maySend() && order !== null && <ItemOrder item={item} order={order} onAsk={onAsk} />}</td>
    </tr>
  );
}

function TaskCell({ task }: { readonly task: ItemTask | undefined }) {
  if (task === undefined) return <td />;
  const { state, error } = task;
  return (
    <td title={error ?? undefined}>
      <Signed kind={`task ${state}`} sign={SIGNS[state]}>
        {state === 'notLoaded' ? 'not loaded' : state}
      </Signed>
    </td>
  );
}

interface ItemOrderProps extends Pick<ItemProps, 'onAsk'> {
  readonly item: string;
  readonly order: 'Pause' | 'Resume';
}

function ItemOrder({ item, order, onAsk }: ItemOrderProps) {
  const type = order === 'Pause' ? 'plan.pause' : 'plan.resume';
  return (
    <button type="button" class="small" aria-label={`${order} ${item}`} onClick={() => onAsk({ type, item })}>
      {order}
    </button>
  );
}
