/** A plan under way: items by stages, what pauses and what goes on, and the timetable that it follows. */
import { useState } from 'preact/hooks';
import { type ActorView } from '../../client/remote-snapshot.ts';
import { EventDialog } from '../actor/event-dialog.tsx';
import { counted } from '../format.ts';
import { principal } from '../link.ts';
import { actorHref } from '../route.ts';
import { findNode } from '../tree/find.ts';
import { useAnswer, useTopic } from '../use.ts';
import { type AgentList, type JsonSchema, type TreeNode } from '../wire.ts';
import { Gantt } from './gantt.tsx';
import { type ItemRow, planProgress, type PlanProgress, type TaskState } from './plan-progress.ts';

const COORDINATOR = 'lead-coordinator';
const AGENTS_EVERY_MS = 60_000;

/** Items that are shown at once. */
const ITEMS_SHOWN = 200;

/** Where the caller may not read the agents' schemas. */
const ITEM_ONLY: JsonSchema = { properties: { item: { type: 'string' } }, required: ['item'] };

interface PlanOrder {
  readonly type: 'plan.pause' | 'plan.resume';
  readonly item: string;
}

export function PlanView() {
  const { view: tree } = useTopic<TreeNode>('tree');
  const address = tree === undefined ? undefined : findNode(tree, ({ agent }) => agent === COORDINATOR)?.address;
  const { view } = useTopic<ActorView>(address === undefined ? undefined : `actor/${address}`);
  const { result: list } = useAnswer<AgentList>('agent.list', {}, AGENTS_EVERY_MS);
  const [asked, setAsked] = useState<PlanOrder | undefined>(undefined);
  const progress = planProgress(view?.context);
  if (address === undefined || view === undefined || progress === undefined) {
    return (
      <section class="sheet">
        <h1>Plan</h1>
        <p class="empty">{tree === undefined ? 'Looking…' : 'This system carries out no plan.'}</p>
      </section>
    );
  }
  const schema =
    asked === undefined ? undefined : list?.agents.find(({ name }) => name === COORDINATOR)?.events[asked.type];
  return (
    <>
      <section class="sheet flush" aria-labelledby="plan-title">
        <Head progress={progress} address={address} state={String(view.value)} />
        <Items progress={progress} onAsk={setAsked} />
      </section>
      <Gantt progress={progress} />
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

function Head({
  progress: { plan, done, running, total },
  address,
  state,
}: {
  readonly progress: PlanProgress;
  readonly address: string;
  readonly state: string;
}) {
  return (
    <div class="sheet-head">
      <h1 id="plan-title">{plan.name}</h1>
      <p class="quiet">
        <span data-testid="plan-state">{state}</span>,{' '}
        {`${done} of ${counted(total, 'task')} done, ${running} under way · by `}
        <a class="mono" href={actorHref(address)}>
          {address}
        </a>
      </p>
      <progress max={total} value={done} aria-label="Tasks done" />
    </div>
  );
}

function Items({
  progress: { items, stages },
  onAsk,
}: {
  readonly progress: PlanProgress;
  readonly onAsk: (asked: PlanOrder) => void;
}) {
  const [shown, setShown] = useState(ITEMS_SHOWN);
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
            {items.slice(0, shown).map((row) => (
              <Item key={row.item} row={row} columns={columns} onAsk={onAsk} />
            ))}
          </tbody>
        </table>
      </div>
      {items.length > shown && (
        <p class="empty">
          <button type="button" class="link" onClick={() => setShown(shown + ITEMS_SHOWN)}>
            {counted(items.length - shown, 'more item')}
          </button>
        </p>
      )}
    </>
  );
}

const SIGNS: Readonly<Record<TaskState, string>> = {
  done: '\u2713',
  running: '\u25b6',
  failed: '\u2715',
  waiting: '\u00b7',
};

const PHASES: Readonly<Record<ItemRow['phase'], { readonly sign: string; readonly tone: string }>> = {
  running: { sign: '\u25cf', tone: 'good' },
  completed: { sign: '\u2713', tone: 'calm' },
  pausing: { sign: '\u275a\u275a', tone: 'warn' },
  paused: { sign: '\u275a\u275a', tone: 'warn' },
  resuming: { sign: '\u21bb', tone: 'warn' },
};

function Item({
  row,
  columns,
  onAsk,
}: {
  readonly row: ItemRow;
  readonly columns: readonly string[];
  readonly onAsk: (asked: PlanOrder) => void;
}) {
  const { item, phase, reason, tasks } = row;
  const { sign, tone } = PHASES[phase];
  const maySend = principal.value?.scopes.includes('actor:send') === true;
  return (
    <tr data-item={item}>
      <th scope="row">{item}</th>
      {columns.map((stage) => {
        const { state, error } = tasks.get(stage) ?? { state: undefined, error: null };
        if (state === undefined) return <td key={stage} />;
        return (
          <td key={stage} title={error ?? undefined}>
            <span class={`task ${state}`}>
              <span class="sign" aria-hidden="true">
                {SIGNS[state]}
              </span>
              {state}
            </span>
          </td>
        );
      })}
      <td>
        <span class={`standing ${tone}`}>
          <span class="sign" aria-hidden="true">
            {sign}
          </span>
          {phase}
        </span>
        {reason !== null && <span class="quiet reason"> {reason}</span>}
      </td>
      <td class="end">
        {maySend && phase === 'running' && (
          <button
            type="button"
            class="small"
            aria-label={`Pause ${item}`}
            onClick={() => onAsk({ type: 'plan.pause', item })}
          >
            Pause
          </button>
        )}
        {maySend && phase === 'paused' && (
          <button
            type="button"
            class="small"
            aria-label={`Resume ${item}`}
            onClick={() => onAsk({ type: 'plan.resume', item })}
          >
            Resume
          </button>
        )}
      </td>
    </tr>
  );
}
