/** Parts of the pages of tasks and of the organisation: the frame with its notice, links, and hand-offs. */
import { type ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Shown } from '../../client/contract.ts';
import type { OrchestratorContext } from '../../machines/delivery/tasks/orchestrator-state.ts';
import { DeskPage, type Wanted } from '../desks/desk-page.tsx';
import { Readable } from '../desks/readable.tsx';
import { useDeskOf } from '../desks/use-desk.ts';
import { moment } from '../format.ts';
import { hrefOf } from '../route.ts';
import { Looking, Panel } from '../sheet.tsx';
import { More } from '../shown-rows.tsx';
import { kernelMs } from '../time.ts';
import { useAnswer } from '../use.ts';
import { isNotOffered } from '../use-window.ts';
import { type HandoffShown, type ListedHandoffs } from './delivery-shapes.ts';

/** Answers are read again when the organisation or its orchestrator has changed, and at this interval. */
export const EVERY_MS = 5_000;

/** Hand-offs of one page. */
const PAGE = 50;

const WANTED: Wanted = ['no delivery organisation', [<>run </>, <code>bosun desk .</code>]];

/** The organisation and the answer of a read call to it; `version` differs when others may have changed, too. */
export function useDelivery<Result>(method: string | undefined, params: Readonly<Record<string, unknown>>) {
  const orchestrator = useDeskOf<Shown<OrchestratorContext>>('orchestrator');
  const organisation = useDeskOf('organisation');
  const version = JSON.stringify([orchestrator.context, organisation.context]);
  const asked = orchestrator.context === undefined ? undefined : method;
  return { orchestrator, organisation, version, ...useAnswer<Result>(asked, params, EVERY_MS, version) };
}

interface DeliveryPageProps {
  readonly title: string;
  readonly of: ReturnType<typeof useDelivery>;
  readonly children: ComponentChildren;
}

/** A page of the delivery organisation; if the system or its gateway has none, a notice instead. */
export function DeliveryPage({ title, of: { orchestrator, error }, children }: DeliveryPageProps) {
  const desk = isNotOffered(error) ? ({ presence: 'absent' } as const) : orchestrator;
  return (
    <DeskPage desk={desk} title={title} wanted={WANTED} isThere={'context' in desk && desk.context !== undefined}>
      {children}
    </DeskPage>
  );
}

export function Chip({ of: [words, tone] }: { readonly of: readonly [words: string, tone: string] }) {
  return <span class={`chip-plain ${tone}`}>{words.replace('_', ' ')}</span>;
}

/** The log of hand-offs, the latest first: those of all tasks, or of one. */
export function Handoffs({ task, version }: { readonly task?: string; readonly version: string }) {
  const [before, setBefore] = useState<number | undefined>(undefined);
  const params = { limit: PAGE, ...(task && { task_id: task }), ...(before && { before }) };
  const { result, error } = useAnswer<ListedHandoffs>('org.handoffs', params, EVERY_MS, version);
  const { handoffs = [], next = null } = result ?? {};
  return (
    <Panel id="handoffs" title="Hand-offs" count={handoffs.length}>
      {result === undefined && <Looking error={error} />}
      {result && handoffs.length === 0 && <p class="quiet">Nothing was handed over yet.</p>}
      <div class="plain">{handoffs.map(handed)}</div>
      {before !== undefined && <More onMore={() => setBefore(undefined)}>The latest ones</More>}
      {next !== null && <More onMore={() => setBefore(next)}>Older ones</More>}
    </Panel>
  );
}

/** A hand-off with the decisions of its gates. */
function handed({ number, atMs, item, title, from, to, row, isAccepted, decisions, ...said }: HandoffShown) {
  const gates = decisions.map(({ gate, value, threshold, passes, isPassed }) => ({
    ...{ gate, value: value ?? 'not known', threshold: `${passes === 'atMost' ? 'at most' : 'at least'} ${threshold}` },
    passed: isPassed,
  }));
  return (
    <details key={number} class="twins">
      <summary>
        <Chip of={isAccepted ? ['accepted', 'good'] : ['refused', 'bad']} /> <b>{`${from} \u2192 ${to ?? 'nobody'}`}</b>
        {` ${said.occasion} \u00b7 ${item}: ${title} \u00b7 ${moment(atMs, kernelMs())}`}
      </summary>
      <p class="row facts-line">
        <a href={hrefOf('tasks', item)}>{item}</a> {row !== null && `row ${row} of the matrix`}
        <span class="bad">{said.because}</span>
      </p>
      <Readable value={gates} />
    </details>
  );
}
