/**
 * The statechart of an actor: the gateway's drawing as SVG elements, with the active states and the last transition
 * marked.
 */
import { useEffect, useState } from 'preact/hooks';
import { activeStates } from '../../gateway/charts/active.ts';
import { lines } from '../link.ts';
import type { InspectionView } from '../../gateway/protocol/views.ts';
import { Panel } from '../sheet.tsx';
import { chartAtHand, chartOf, type KnownChart } from './charts.ts';
import { ChartDrawing } from './chart-drawing.tsx';

export interface ChartProps {
  readonly address: string;
  /** The agent that the actor runs, or has run that has ended; undefined until known. */
  readonly inspection: Runs | undefined;
  /** State value whose states are shown as active. */
  readonly value: unknown;
  /** The step that led to that state; null if unknown. */
  readonly last: TakenStep | null;
  /** Whether a past state is shown. */
  readonly isPast?: boolean;
  /** Types of events that can be sent now. */
  readonly sendable: readonly string[];
  readonly onEvent: (type: string) => void;
}

type Runs = Pick<InspectionView, 'agent' | 'version'> & Partial<Pick<InspectionView, 'kind'>>;

interface TakenStep {
  readonly event: string | null;
  readonly edges: readonly string[];
}

type Found = { readonly chart: KnownChart } | { readonly why: string } | undefined;

export function Chart({ address, inspection, value, last, isPast = false, sendable, onEvent }: ChartProps) {
  const [found, isMachine] = useChart(address, inspection);
  if (!isMachine) return null;
  return (
    <Panel id="chart" title="Statechart" kind="chart-sheet">
      {found === undefined && <p class="quiet">Drawing…</p>}
      {found !== undefined && 'why' in found && <p class="quiet">{found.why}</p>}
      {found !== undefined && 'chart' in found && (
        <>
          {found.chart.drawing.because !== null && <p class="quiet">{WHY_LISTED[found.chart.drawing.because]}</p>}
          <div class="chart-frame" tabIndex={0} role="region" aria-label="Statechart, scrolls">
            <ChartDrawing
              chart={found.chart}
              title={`Statechart of ${address}`}
              when={isPast ? 'then' : 'now'}
              active={activeStates(found.chart.drawing, value)}
              taken={new Set(last?.edges ?? [])}
              sendable={sendable}
              onEvent={onEvent}
            />
          </div>
          <Legend last={last} isPast={isPast} />
        </>
      )}
    </Panel>
  );
}

const WHY_LISTED = {
  size: 'Too many states to be drawn: they are listed.',
  time: 'The layout took too long: the states are listed.',
  load: 'The server was busy with other charts: the states are listed.',
  failure: 'The layout failed: the states are listed.',
} as const;

function Legend({ last, isPast }: { readonly last: TakenStep | null; readonly isPast: boolean }) {
  return (
    <p class="row legend">
      <span>
        <i class="swatch active" aria-hidden="true" /> active{isPast && ' then'}
      </span>
      <span>
        <i class="swatch taken" aria-hidden="true" /> {isPast ? 'taken by this turn' : 'taken last'}
        {last !== null && last.event !== null && (
          <>
            : <code>{last.event}</code>
          </>
        )}
      </span>
      {!isPast && (
        <span>
          <i class="swatch button" aria-hidden="true" /> click to send
        </span>
      )}
    </p>
  );
}

/**
 * Loads a chart.
 *
 * @returns The chart if known, and whether the actor has one.
 */
function useChart(address: string, inspection: Runs | undefined): [found: Found, isMachine: boolean] {
  const isMachine = (inspection?.kind ?? 'machine') === 'machine';
  const runs = inspection === undefined ? undefined : `${inspection.agent} ${inspection.version}`;
  const asked = `${address} ${runs}`;
  const [found, setFound] = useState<{ readonly asked: string; readonly what: Found }>({ asked: '', what: undefined });
  const line = lines.value;
  useEffect(() => {
    if (runs === undefined || !isMachine) return undefined;
    let isOver = false;
    chartOf(address, runs).then(
      (chart) => !isOver && setFound({ asked, what: { chart } }),
      (error: unknown) => !isOver && setFound({ asked, what: { why: (error as Error).message } }),
    );
    return () => {
      isOver = true;
    };
  }, [asked, line]);
  const atHand = chartAtHand(address);
  return [found.asked === asked ? found.what : atHand === undefined ? undefined : { chart: atHand }, isMachine];
}
