/** The views of the page, in the order of the menu. A new view is a row here and a file of its own. */
import { type ComponentType } from 'preact';
import { ActorPage } from './actor/actor-page.tsx';
import { AgentsView } from './agents/agents-view.tsx';
import { AnswerDeskView } from './answers/answer-desk-view.tsx';
import { AnswersView } from './answers/answers-view.tsx';
import { AlertsView } from './desks/alerts-view.tsx';
import { OrganisationView } from './delivery/organisation-view.tsx';
import { TasksView } from './delivery/tasks-view.tsx';
import { BatchesView } from './desks/batches-view.tsx';
import { DEBATES } from './desks/debates-view.tsx';
import { DESK_TABLES } from './desks/desk-tables.tsx';
import { GATES } from './desks/gates-view.tsx';
import { InboxView } from './desks/inbox-view.tsx';
import { PausesView } from './desks/pauses-view.tsx';
import { HUBS } from './hubs/hubs-view.tsx';
import { AuditView } from './ledgers/audit-view.tsx';
import { DeadLettersView } from './ledgers/dead-letters-view.tsx';
import { WaitsView } from './ledgers/waits-view.tsx';
import { PlanView } from './plan/plan-view.tsx';
import { RunsView } from './runs/runs-view.tsx';
import { TreeView } from './tree/tree-view.tsx';
import { HistoryView } from './turns/history-view.tsx';
import { SequenceView } from './turns/sequence-view.tsx';

export interface PageView {
  /** Name in the address bar. */
  readonly name: string;
  readonly title: string;
  /** Whether it is in the menu. Other views are reached by links. */
  readonly isListed: boolean;
  /** Name of the menu entry to which it belongs. */
  readonly under?: string;
  /** Renders the view; `rest` is the part of the route after its name. */
  readonly component: ComponentType<{ readonly rest: string }>;
}

/** Name of the inbox view, to which the pages of the desks belong. */
export const INBOX = 'inbox';

/** Name of the view of answers, to which the page of their desk belongs. */
const ANSWERS = 'answers';

/** Name of the view of tasks, to which the page of the delivery organisation belongs. */
const TASKS = 'tasks';

export const VIEWS: readonly PageView[] = [
  { name: 'tree', title: 'Actors', isListed: true, component: TreeView },
  { name: 'runs', title: 'Runs', isListed: true, component: RunsView },
  { name: 'actor', title: 'Actor', isListed: false, under: 'tree', component: ActorPage },
  { name: 'history', title: 'History', isListed: false, under: 'tree', component: HistoryView },
  { name: 'sequence', title: 'Sequence', isListed: false, under: 'tree', component: SequenceView },
  { name: 'plan', title: 'Plan', isListed: true, component: PlanView },
  { name: INBOX, title: 'Inbox', isListed: true, component: InboxView },
  { ...GATES, isListed: false, under: INBOX },
  ...DESK_TABLES.map((desk) => ({ ...desk, isListed: false, under: INBOX })),
  { name: 'alerts', title: 'Alerts', isListed: false, under: INBOX, component: AlertsView },
  { name: 'batches', title: 'Batches', isListed: false, under: INBOX, component: BatchesView },
  { name: 'pauses', title: 'Pauses', isListed: false, under: INBOX, component: PausesView },
  { ...DEBATES, isListed: false, under: INBOX },
  { name: ANSWERS, title: 'Answers', isListed: true, component: AnswersView },
  { name: 'desk', title: 'Desk', isListed: false, under: ANSWERS, component: AnswerDeskView },
  { name: TASKS, title: 'Tasks', isListed: true, component: TasksView },
  { name: 'organisation', title: 'Organisation', isListed: false, under: TASKS, component: OrganisationView },
  { ...HUBS, isListed: true },
  { name: 'agents', title: 'Agents', isListed: true, component: AgentsView },
  { name: 'waits', title: 'Waits', isListed: true, component: WaitsView },
  { name: 'dead-letters', title: 'Dead letters', isListed: true, component: DeadLettersView },
  { name: 'audit', title: 'Audit', isListed: true, component: AuditView },
];

/** The views with tabs above them: the one of the menu, and those that belong to it. */
export function tabsOf(name: string): readonly PageView[] {
  const first = viewNamed(name)?.under ?? name;
  return [INBOX, ANSWERS, TASKS].includes(first)
    ? VIEWS.filter((view) => view.name === first || view.under === first)
    : [];
}

export function viewNamed(name: string): PageView | undefined {
  return VIEWS.find((view) => view.name === name);
}
