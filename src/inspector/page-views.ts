/** Every view of the page, in the order of the menu. A new view is a row here and a file of its own. */
import { type ComponentType } from 'preact';
import { ActorPage } from './actor/actor-page.tsx';
import { AlertsView } from './desks/alerts-view.tsx';
import { BatchesView } from './desks/batches-view.tsx';
import { DEBATES } from './desks/debates-view.tsx';
import { DESK_TABLES } from './desks/desk-tables.tsx';
import { InboxView } from './desks/inbox-view.tsx';
import { PausesView } from './desks/pauses-view.tsx';
import { AuditView } from './ledgers/audit-view.tsx';
import { DeadLettersView } from './ledgers/dead-letters-view.tsx';
import { WaitsView } from './ledgers/waits-view.tsx';
import { PlanView } from './plan/plan-view.tsx';
import { TreeView } from './tree/tree-view.tsx';
import { HistoryView } from './turns/history-view.tsx';
import { SequenceView } from './turns/sequence-view.tsx';

export interface PageView {
  /** As in the address bar. */
  readonly name: string;
  readonly title: string;
  /** In the menu. Others are led to by links. */
  readonly isListed: boolean;
  /** The listed one that it belongs to. */
  readonly under?: string;
  /** Given what follows its name in the address bar. */
  readonly component: ComponentType<{ readonly rest: string }>;
}

/** What waits for people; the pages of the desks are under it. */
export const INBOX = 'inbox';

export const VIEWS: readonly PageView[] = [
  { name: 'tree', title: 'Actors', isListed: true, component: TreeView },
  { name: 'actor', title: 'Actor', isListed: false, under: 'tree', component: ActorPage },
  { name: 'history', title: 'History', isListed: false, under: 'tree', component: HistoryView },
  { name: 'sequence', title: 'Sequence', isListed: false, under: 'tree', component: SequenceView },
  { name: 'plan', title: 'Plan', isListed: true, component: PlanView },
  { name: INBOX, title: 'Inbox', isListed: true, component: InboxView },
  ...DESK_TABLES.map((desk) => ({ ...desk, isListed: false, under: INBOX })),
  { name: 'alerts', title: 'Alerts', isListed: false, under: INBOX, component: AlertsView },
  { name: 'batches', title: 'Batches', isListed: false, under: INBOX, component: BatchesView },
  { name: 'pauses', title: 'Pauses', isListed: false, under: INBOX, component: PausesView },
  { ...DEBATES, isListed: false, under: INBOX },
  { name: 'waits', title: 'Waits', isListed: true, component: WaitsView },
  { name: 'dead-letters', title: 'Dead letters', isListed: true, component: DeadLettersView },
  { name: 'audit', title: 'Audit', isListed: true, component: AuditView },
];

export function viewNamed(name: string): PageView | undefined {
  return VIEWS.find((view) => view.name === name);
}
