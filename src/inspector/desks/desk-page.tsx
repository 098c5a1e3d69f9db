/** The parts that the pages of the desks are made of: the page with its dialog, sheets, tables, orders, facts. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { ActorLink } from '../actor-link.tsx';
import { maySend } from '../link.ts';
import { Age } from './clock.tsx';
import { DeskDialog } from './desk-dialog.tsx';
import { type DeskOrder } from './desk-orders.ts';
import { type ShownRef } from './desk-shapes.ts';
import { type Desk } from './use-desk.ts';

/** Opens the dialog of an order, on the page around whoever asks. */
const OnOrder = createContext<(order: DeskOrder) => void>(() => {});

/** What a system lacks without this desk, and of bosun/machines the agents and the children that it needs. */
export type Wanted = readonly [what: string, agents: string, children: string];

/** What the page of one record is given: the record, and the address of its desk. */
export interface RecordProps<Row> {
  readonly row: Row;
  readonly desk: string;
}

interface DeskPageProps {
  readonly desk: Desk;
  readonly title: string;
  readonly wanted: Wanted;
  readonly isThere?: boolean;
  readonly children: ComponentChildren;
}

/** A page with its dialog of orders; in its place, what is missing where its desk is not there. */
export function DeskPage({ desk, title, wanted, isThere = desk.context !== undefined, children }: DeskPageProps) {
  const [order, setOrder] = useState<DeskOrder | undefined>(undefined);
  return (
    <OnOrder.Provider value={setOrder}>
      {isThere ? children : <NoDesk desk={desk} title={title} wanted={wanted} />}
      {order !== undefined && <DeskDialog key={order.title} order={order} onClose={() => setOrder(undefined)} />}
    </OnOrder.Provider>
  );
}

/** In the place of a page whose desk cannot be shown. */
function NoDesk({ desk, title, wanted }: Pick<DeskPageProps, 'desk' | 'title' | 'wanted'>) {
  const [what, agents, children] = wanted;
  return (
    <section class="sheet">
      <h1>{title}</h1>
      {desk.presence !== 'absent' && <p class="empty">Looking…</p>}
      {desk.presence === 'absent' && (
        <div class="plain">
          <p>This system has {what}.</p>
          <p class="quiet">
            To have one, give <code>createSystem</code> the agents <code>{agents}</code> and the children{' '}
            <code>{children}</code> of <code>bosun/machines</code>.
          </p>
        </div>
      )}
    </section>
  );
}

interface OrderButtonProps {
  readonly kind?: string;
  readonly label: string;
  /** Where the label alone does not say what it is about. */
  readonly name?: string;
  readonly order: () => DeskOrder;
}

/** A button that opens the dialog of an order; nothing for those who may only look. */
export function OrderButton({ kind = '', label, name, order }: OrderButtonProps) {
  const onOrder = useContext(OnOrder);
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
  return (
    <ActorLink address={actor?.actor ?? null} none={<span class="mono">{name}</span>}>
      {name}
    </ActorLink>
  );
}
