/** Parts of the desks' pages: the page with its dialog, sheets, tables, orders, facts. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { ActorLink } from '../actor-link.tsx';
import { moment } from '../format.ts';
import { maySend } from '../link.ts';
import { kernelMs } from '../time.ts';
import { Age } from './clock.tsx';
import { DeskDialog } from './desk-dialog.tsx';
import { type DeskOrder } from './desk-orders.ts';
import { type ShownRef } from './desk-shapes.ts';
import { type Desk } from './use-desk.ts';

/** Opens the dialog of an order on the surrounding page. */
const OnOrder = createContext<(order: DeskOrder) => void>(() => {});

/**
 * The function that a system lacks without this desk, and the agents and children of bosun/machines that would add it;
 * or how to have it in other words, behind "To have one,".
 */
export type Wanted = readonly [what: string, agents: ComponentChildren, children?: string];

/** Properties of the page of one record: the record, and the address of its desk. */
export interface RecordProps<Row> {
  readonly row: Row;
  readonly desk: string;
}

interface DeskPageProps {
  readonly desk: Pick<Desk, 'presence'>;
  readonly title: string;
  readonly wanted: Wanted;
  /** Whether there is anything to show. */
  readonly isThere: boolean;
  readonly children: ComponentChildren;
}

/** A page with its dialog of orders; if the desk is missing, a notice instead. */
export function DeskPage({ desk, title, wanted, isThere, children }: DeskPageProps) {
  return <Ordering>{isThere ? children : <NoDesk desk={desk} title={title} wanted={wanted} />}</Ordering>;
}

/** Contents with order buttons, and the dialog that the buttons open. */
export function Ordering({ children }: { readonly children: ComponentChildren }) {
  const [order, setOrder] = useState<DeskOrder | undefined>(undefined);
  return (
    <OnOrder.Provider value={setOrder}>
      {children}
      {order !== undefined && <DeskDialog key={order.title} order={order} onClose={() => setOrder(undefined)} />}
    </OnOrder.Provider>
  );
}

/** The notice shown instead of a page whose desk is missing. */
function NoDesk({ desk, title, wanted }: Pick<DeskPageProps, 'desk' | 'title' | 'wanted'>) {
  const [what, agents, children] = wanted;
  const given = (
    <>
      give <code>createSystem</code> the agents <code>{agents}</code> and the children <code>{children}</code> of{' '}
      <code>bosun/machines</code>
    </>
  );
  return (
    <Missing title={title} isKnown={desk.presence === 'absent'} what={what}>
      {children === undefined ? agents : given}
    </Missing>
  );
}

interface MissingProps {
  readonly title: string;
  /** Whether it is known that the system lacks it. */
  readonly isKnown: boolean;
  /** The missing thing, as in `no desk of gates`. */
  readonly what: string;
  /** How to have it, after "To have one,". */
  readonly children: ComponentChildren;
}

/** The notice shown instead of a page for something that the system lacks. */
export function Missing({ title, isKnown, what, children }: MissingProps) {
  return (
    <section class="sheet">
      <h1>{title}</h1>
      {!isKnown && <p class="empty">Looking…</p>}
      {isKnown && (
        <div class="plain">
          <p>This system has {what}.</p>
          <p class="quiet">To have one, {children}.</p>
        </div>
      )}
    </section>
  );
}

interface OrderButtonProps {
  readonly kind?: string;
  readonly label: string;
  /** Accessible name, if the label alone is ambiguous. */
  readonly name?: string;
  readonly order: () => DeskOrder;
}

/** A button that opens the dialog of an order; nothing for callers who may only read. */
export function OrderButton({ kind = '', label, name, order }: OrderButtonProps) {
  const onOrder = useContext(OnOrder);
  if (!maySend()) return null;
  return (
    <button type="button" class={kind} aria-label={name} onClick={() => onOrder(order())}>
      {label}…
    </button>
  );
}

/** The item that a record is about, as part of a line of facts. */
export function About({ item }: { readonly item: string | null }) {
  return item === null ? null : (
    <span>
      about <span class="mono">{item}</span>
    </span>
  );
}

interface SinceProps {
  readonly sinceMs: number;
  /** The end; null or undefined: not over. */
  readonly endedAtMs?: number | null;
}

/** The time since something began, or the moment at which it ended. */
export function Since({ sinceMs, endedAtMs = null }: SinceProps) {
  if (endedAtMs !== null) return <span>ended {moment(endedAtMs, kernelMs())}</span>;
  return (
    <span>
      for <Age sinceMs={sinceMs} />
    </span>
  );
}

/** A name, as a link to its actor while that exists. */
export function ActorName({ name, actor }: { readonly name: string; readonly actor: ShownRef | null }) {
  return (
    <ActorLink address={actor?.actor ?? null} none={<span class="mono">{name}</span>}>
      {name}
    </ActorLink>
  );
}

/** Buttons of orders about a record. */
export function Orders({ about, children }: { readonly about?: string; readonly children: ComponentChildren }) {
  return (
    <div class="row" role="group" aria-label={about === undefined ? 'Orders' : `Orders about ${about}`}>
      {children}
    </div>
  );
}

/** The notice for a record that is not there; `kept`: the number of closed ones that are. */
export function Nowhere({ noun, id, kept = '1,000' }: Record<'noun' | 'id', string> & { readonly kept?: string }) {
  return (
    <section class="sheet">
      <h1>
        No {noun} “{id}”
      </h1>
      <p class="quiet">{`The desk keeps every open ${noun} and the last ${kept} others.`}</p>
    </section>
  );
}
