/** Tasks of plans by status, with the places of coding sessions; and the page of each task. */
import { route } from '../address-bar.ts';
import { OrderButton } from '../desks/desk-page.tsx';
import { hrefOf } from '../route.ts';
import { Choice } from '../runs/runs-view.tsx';
import { Figures, Ledger } from '../sheet.tsx';
import { useShownRows } from '../shown-rows.tsx';
import { type Column } from '../table.tsx';
import { Chip, DeliveryPage, useDelivery } from './delivery-page.tsx';
import { type ListedTasks, type TaskShown } from './delivery-shapes.ts';
import { onBoard, setPlaces, STATUSES, TONES, whyOf } from './delivery.ts';
import { TaskPage } from './task-page.tsx';

/** Tasks that are read, and those shown at first. */
const TASKS_MAX = 1_000;
const SHOWN = 100;

/** Statuses in words. */
const WORDS = Object.fromEntries(STATUSES.map((one) => [one, one.replace('_', ' ')]));

const COLUMNS: readonly Column<TaskShown>[] = [
  { title: 'Task', cell: ({ id, title }) => <a href={hrefOf('tasks', id)}>{`${id}: ${title}`}</a> },
  { title: 'Status', cell: ({ status }) => <Chip of={[status, TONES[status]]} /> },
  { title: 'Coder', cell: ({ coder }) => coder },
  { title: 'Priority', cell: ({ priority }) => `P${priority}` },
  { title: 'Minutes', isNumber: true, cell: ({ minutes }) => minutes },
  { title: 'Done', isNumber: true, cell: ({ percent }) => percent !== null && `${percent} %` },
  { title: 'Because', cell: whyOf },
];

export function TasksView({ rest }: { readonly rest: string }) {
  const status = STATUSES.find((one) => one === route.value.query['status']);
  const params = { limit: TASKS_MAX, ...(status && { status }) };
  const delivery = useDelivery<ListedTasks>(rest === '' ? 'tasks.list' : undefined, params);
  const { result, error, orchestrator } = delivery;
  const { context, address } = orchestrator;
  const { counts = {}, sessionsMax: places = 0, working, queue, isDrained } = context ?? {};
  const [rows, more] = useShownRows(onBoard(result?.tasks ?? []), SHOWN, 'task');
  if (rest !== '')
    return (
      <DeliveryPage title={rest} of={delivery}>
        <TaskPage key={rest} id={rest} desk={address} version={delivery.version} />
      </DeliveryPage>
    );
  const present = STATUSES.filter((one) => counts[one]).map((one) => [WORDS[one]!, counts[one]] as const);
  return (
    <DeliveryPage title="Tasks" of={delivery}>
      <section class="sheet split" aria-label="Places and counts">
        <Figures of={[['at work', `${working?.size} of ${places}`], ['in the queue', queue?.size], ...present]} />
        {isDrained && <span class="warn">Coding sessions are drained.</span>}
        <OrderButton kind="small" label="Places" order={() => setPlaces(address, places)} />
      </section>
      <Ledger
        {...{ id: 'tasks', title: 'Tasks', rows: result && rows, error, columns: COLUMNS }}
        keyOf={({ id }) => id}
        lead={<Choice name="status" choices={WORDS} />}
        empty={status ? 'No task has this status.' : 'No task yet. A plan makes some: bosun tasks add plan.json'}
      >
        {more && <p class="empty">{more}</p>}
        {result?.next && <p class="empty">Only the first 1,000 are shown. Choose a status to see others.</p>}
      </Ledger>
    </DeliveryPage>
  );
}
