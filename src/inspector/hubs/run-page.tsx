/** The page of one run of a hub: its goal, its budget, its open questions, orders about it, and its lineage tree. */
import { Fact } from '../actor/facts.tsx';
import { ActorLink } from '../actor-link.tsx';
import { OrderButton, Orders, type RecordProps } from '../desks/desk-page.tsx';
import { type RunRow } from '../desks/desk-shapes.ts';
import { useShown } from '../desks/use-desk.ts';
import { moment } from '../format.ts';
import { Figures, Looking, Panel, RecordHead } from '../sheet.tsx';
import { Standing } from '../signed.tsx';
import { kernelMs } from '../time.ts';
import { LineageTree } from './lineage-tree.tsx';
import { Questions } from './questions.tsx';
import { resumeRun, stopRun } from './run-orders.ts';
import { budgetOf, type HubShown, type PlanShown, runState } from './sessions.ts';
import { useRun } from './use-run.ts';

export function RunPage({ row, desk }: RecordProps<RunRow>) {
  const { plan, sessions, error } = useRun(row, desk);
  const hub = useShown<HubShown>(row.ref);
  return (
    <article class="actor" aria-labelledby="run-title">
      <RecordHead id="run" list="Hubs" crumb={row.id} title={row.title}>
        <p class="row facts-line">
          <Standing of={runState(row)} />
          <span>{row.hub}</span>
          <ActorLink address={plan.address}>{row.plan}</ActorLink>
          <span>since {moment(row.startedAtMs, kernelMs())}</span>
        </p>
        <p>{row.because}</p>
        {!row.isOver && <RunOrders row={row} desk={desk} />}
      </RecordHead>
      {!row.isOver && <Questions row={row} />}
      <section class="sheet split" aria-label="Budget and goal">
        <Figures of={budgetOf(row, hub, kernelMs())} />
        <Goal plan={plan.context} />
      </section>
      <Panel id="lineage" title="Lineage" count={sessions?.filter(({ session }) => session !== row.id).length ?? 0}>
        {sessions === undefined ? <Looking error={error} /> : <LineageTree row={row} desk={desk} sessions={sessions} />}
      </Panel>
    </article>
  );
}

function Goal({ plan }: { readonly plan: PlanShown | undefined }) {
  const { description = '', goals = [], success_criteria = [] } = plan ?? {};
  return (
    <dl class="facts">
      <Fact name="task">{description !== '' && <span class="lines">{description}</span>}</Fact>
      <Fact name="goals">{goals.length > 0 && goals.join('; ')}</Fact>
      <Fact name="done when">{success_criteria.length > 0 && success_criteria.join('; ')}</Fact>
    </dl>
  );
}

function RunOrders({ row: { id, status }, desk }: RecordProps<RunRow>) {
  return (
    <Orders>
      {status === 'paused' && <OrderButton kind="small primary" label="Resume" order={() => resumeRun(desk, id)} />}
      <OrderButton kind="small" label="Stop" order={() => stopRun(desk, id, 'graceful')} />
      <OrderButton kind="small quiet-danger" label="Stop now" order={() => stopRun(desk, id, 'immediate')} />
      <OrderButton kind="small quiet-danger" label="Kill" order={() => stopRun(desk, id, 'terminated')} />
    </Orders>
  );
}
