/** The parts that the pages of the desks are made of: the page with its dialog, sheets, tables, orders, facts. */
import { type ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { counted } from '../format.ts';
import { actorHref } from '../route.ts';
import { Age } from './clock.tsx';
import { DeskDialog } from './desk-dialog.tsx';
import { DeskFrame, NoDesk } from './desk-frame.tsx';
import { type DeskOrder } from './desk-orders.ts';
import { type ShownRef } from './desk-shapes.ts';
import { type Desk, type DeskName, maySend } from './use-desk.ts';

/** Opens the dialog of an order. */
export type OnOrder = (order: DeskOrder) => void;

/** A page with its dialog of orders; in its place, what is missing where its desk is not there. */
export function DeskPage({
  name,
  desk,
  title,
  isThere = desk.context !== undefined,
  children,
}: {
  readonly name: DeskName;
  readonly desk: Desk;
  readonly title: string;
  readonly isThere?: boolean;
  readonly children: (onOrder: OnOrder) => ComponentChildren;
}) {
  const [order, setOrder] = useState<DeskOrder | undefined>(undefined);
  return (
    <DeskFrame>
      {isThere ? children(setOrder) : <NoDesk name={name} desk={desk} title={title} />}
      {order !== undefined && <DeskDialog key={order.title} order={order} onClose={() => setOrder(undefined)} />}
    </DeskFrame>
  );
}

/** So many rows, and a button for as many more. */
export function useShownRows<Row>(rows: readonly Row[], step: number, noun: string, plural?: string) {
  const [shown, setShown] = useState(step);
  const more = rows.length > shown && (
    <button type="button" class="link" onClick={() => setShown(shown + step)}>
      {counted(rows.length - shown, `more ${noun}`, plural === undefined ? undefined : `more ${plural}`)}
    </button>
  );
  return [rows.slice(0, shown), more] as const;
}

/** A sheet with a heading. */
export function Sheet({
  id,
  title,
  lead,
  kind = '',
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly kind?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class={`sheet ${kind}`} aria-labelledby={`${id}-title`}>
      <div class="sheet-head">
        <h1 id={`${id}-title`}>{title}</h1>
        {lead}
      </div>
      {children}
    </section>
  );
}

export interface Column<Row> {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

/** A table, the first column of which heads its rows. On a narrow screen each cell says what it is. */
export function DeskTable<Row extends { readonly id: string }>({
  columns,
  rows,
}: {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}) {
  const [head, ...rest] = columns;
  return (
    <table class="stack">
      <thead>
        <tr>
          {columns.map(({ title, isNumber }) => (
            <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <th scope="row">{head?.cell(row)}</th>
            {rest.map(({ title, isNumber, cell }) => (
              <td key={title} {...(isNumber && { class: 'number', 'data-name': title.toLowerCase() })}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A button that opens the dialog of an order; nothing for those who may only look. */
export function OrderButton({
  kind = '',
  label,
  name,
  order,
  onOrder,
}: {
  readonly kind?: string;
  readonly label: string;
  /** Where the label alone does not say what it is about. */
  readonly name?: string;
  readonly order: () => DeskOrder;
  readonly onOrder: OnOrder;
}) {
  if (!maySend()) return null;
  return (
    <button type="button" class={kind} aria-label={name} onClick={() => onOrder(order())}>
      {label}…
    </button>
  );
}

/** Parts of a line of facts. */
export function About({ item }: { readonly item: string | null }) {
  return item === null ? null : (
    <span>
      about <span class="mono">{item}</span>
    </span>
  );
}

export function Since({ sinceMs }: { readonly sinceMs: number }) {
  return (
    <span>
      for <Age sinceMs={sinceMs} />
    </span>
  );
}

/** A name, as a link to its actor while there is one. */
export function ActorName({ name, actor }: { readonly name: string; readonly actor: ShownRef | null }) {
  return actor === null ? (
    <span class="mono">{name}</span>
  ) : (
    <a class="mono" href={actorHref(actor.actor)}>
      {name}
    </a>
  );
}
