/** The page of one task: what it is, how it stands and why, orders about it, what was said, and its hand-offs. */
import { Fact } from '../actor/facts.tsx';
import { Nowhere, OrderButton, Orders } from '../desks/desk-page.tsx';
import { Readable } from '../desks/readable.tsx';
import { useShown } from '../desks/use-desk.ts';
import { counted, moment } from '../format.ts';
import { besideDesk } from '../hubs/use-run.ts';
import { hrefOf } from '../route.ts';
import { Lines, Panel, RecordHead, Unread } from '../sheet.tsx';
import { kernelMs } from '../time.ts';
import { useAnswer } from '../use.ts';
import { Chip, EVERY_MS, Handoffs } from './delivery-page.tsx';
import { type ShownTask, type TaskOwn, type TaskShown } from './delivery-shapes.ts';
import { standsOf, taskOrders, TONES, whyOf } from './delivery.ts';

/** The page of a task; `desk`: the address of the orchestrator. */
export function TaskPage({ id, desk, version }: Readonly<Record<'id' | 'desk' | 'version', string>>) {
  const { result, error } = useAnswer<ShownTask>('tasks.show', { task_id: id }, EVERY_MS, version);
  const task = result?.task;
  const own = useShown<TaskOwn>(task && !task.isOver ? { actor: besideDesk(desk, `tasks/${id}`) } : null);
  if (task === null) return <Nowhere noun="task" id={id} kept="20,000" />;
  if (task === undefined) return <Unread title={id} error={error} />;
  const { title, status, isOver, coder, percent, priority, minutes } = task;
  const { unblock, change, fail } = taskOrders(desk, task);
  return (
    <article class="actor" aria-labelledby="task-title">
      <RecordHead id="task" list="Tasks" crumb={id} title={title}>
        <p class="row facts-line">
          <Chip of={[status, TONES[status]]} />
          <span>{['P', priority, minutes !== null && `, ${minutes} min`]}</span>
          <span>{[coder !== null && `with ${coder}`, percent !== null && `, ${percent} % done`]}</span>
        </p>
        <p>{whyOf(task)}</p>
        {!isOver && (
          <Orders>
            {status === 'blocked' && <OrderButton kind="small primary" label="Unblock" order={() => unblock} />}
            <OrderButton kind="small" label="Change" order={() => change} />
            <OrderButton kind="small quiet-danger" label="Give up" order={() => fail} />
          </Orders>
        )}
      </RecordHead>
      <div class="columns even">
        <Work task={task} />
        <div class="narrow">
          <Lines id="criteria" title="Acceptance criteria" lines={standsOf(task)} none="It has none." />
          <Lines id="notes" title="Notes" lines={own?.notes} none="Nobody has said anything about it." />
          <Panel id="report" title="As reported">
            <Readable value={own?.report} />
          </Panel>
        </div>
      </div>
      <Handoffs task={id} version={version} />
    </article>
  );
}

function Work({ task }: { readonly task: TaskShown }) {
  const { context, kind, concerns, owner, dependencies, parent, tickets, attempts, questions, fixes, pause } = task;
  const { checks = 0, isTimedOut = false, investigations = [] } = task.check ?? {};
  const links = (view: string, ids: readonly string[]) =>
    ids.length > 0 && ids.map((id) => [<a href={hrefOf(view, id)}>{id}</a>, ' ']);
  return (
    <Panel id="work" title="Work">
      <dl class="facts">
        <Fact name="task">{task.description !== '' && <span class="lines">{task.description}</span>}</Fact>
        <Fact name="plan">{`${context.plan}, of ${owner}`}</Fact>
        <Fact name="kind">{[kind, ...concerns].join(', ')}</Fact>
        <Fact name="files">{context.files.length > 0 && <span class="mono">{context.files.join(', ')}</span>}</Fact>
        <Fact name="style">{context.style}</Fact>
        <Fact name="part of">{links('tasks', parent === null ? [] : [parent])}</Fact>
        <Fact name="needs">{links('tasks', dependencies)}</Fact>
        <Fact name="tickets">{links('tickets', tickets)}</Fact>
        <Fact name="investigations">{links('tickets', investigations)}</Fact>
        <Fact name="fixes">{links('tasks', fixes)}</Fact>
        <Fact name="paused">{pause && moment(pause.pausedAtMs, kernelMs())}</Fact>
        <Fact name="so far">
          {[counted(attempts, 'attempt'), counted(questions, 'question'), counted(checks, 'check')].join(', ')}
          {isTimedOut && ', files were not quiet'}
        </Fact>
      </dl>
    </Panel>
  );
}
