/** Debates between agents, provisional values, and the experts with their work. */
import { counted } from '../format.ts';
import { hrefOf } from '../route.ts';
import { Panel, Sheet } from '../sheet.tsx';
import { type Column } from '../table.tsx';
import { Age, Countdown } from './clock.tsx';
import { LEVEL_NAMES } from './debate-levels.ts';
import { DebatePage } from './debate-page.tsx';
import { reviewNow, setExpert } from './desk-orders.ts';
import { OrderButton } from './desk-page.tsx';
import { debateRows, expertRows, type ExpertRow } from './desk-records.ts';
import { type AroundProps, recordCalls, recordOf, viewOf } from './desk-tables.tsx';
import { DESK_AGENTS, type DebateRow, type FacilitatorShown } from './desk-shapes.ts';

const COLUMNS: readonly Column<DebateRow>[] = [
  { title: 'Topic', cell: ({ id, topic }) => <a href={hrefOf('debates', id)}>{topic}</a> },
  { title: 'Disputes between agents', cell: ({ challenger, challenged }) => `${challenger}, ${challenged}` },
  { title: 'Priority', cell: ({ priority }) => priority.replace('-', ' ') },
  { title: 'Level', cell: ({ level }) => LEVEL_NAMES[level] ?? level.replaceAll('_', ' ') },
  { title: 'Expert', cell: ({ expert }) => expert },
  { title: 'Since', isNumber: true, cell: ({ isOver, openedAtMs }) => !isOver && <Age sinceMs={openedAtMs} /> },
];

export const DEBATES = viewOf<DebateRow, FacilitatorShown>({
  name: 'debates',
  title: 'Debates',
  agent: DESK_AGENTS.debates,
  wanted: ['no Debate Facilitator', 'debateAgents()', 'debateChildren()'],
  empty: 'No debates.',
  rows: debateRows,
  columns: () => COLUMNS,
  one: {
    noun: 'debate',
    page: DebatePage,
    calls: recordCalls,
    rowOf: recordOf<DebateRow>,
  },
  around: ProvisionalsAndExperts,
});

function ProvisionalsAndExperts({ context, desk, children }: AroundProps<FacilitatorShown>) {
  const provisional = debateRows(context).rows.filter((row) => !row.isOver && row.provisional !== null);
  const { nextGate } = context;
  return (
    <>
      {provisional.length > 0 && <Provisionals rows={provisional} nextGate={nextGate} desk={desk} />}
      {children}
      <Experts rows={expertRows(context)} desk={desk} />
    </>
  );
}

interface ProvisionalsProps {
  readonly rows: readonly DebateRow[];
  readonly nextGate: FacilitatorShown['nextGate'];
  readonly desk: string;
}

function Provisionals({ rows, nextGate, desk }: ProvisionalsProps) {
  const lead = (
    <>
      <p class="quiet">
        {nextGate === null ? (
          'No gate is planned'
        ) : (
          <>
            Gate {nextGate.gate} <Countdown untilMs={nextGate.atMs} />
          </>
        )}
      </p>
      <OrderButton label="Review now" order={() => reviewNow(desk)} />
    </>
  );
  return (
    <Sheet id="provisional" title={counted(rows.length, 'provisional decision')} lead={lead}>
      <ol class="cards">
        {rows.map(({ id, topic, provisional, level }) => (
          <li key={id} class="card">
            <div class="split">
              <h2>
                <a href={hrefOf('debates', id)}>{topic}</a>
              </h2>
              <span class="chip-plain warn">{level === 'L5' ? 'under review' : 'provisional'}</span>
            </div>
            <p>
              Goes on with “{provisional!.position.statement}”, the {provisional!.side}’s.
            </p>
            <p class="quiet">{provisional!.rationale}</p>
          </li>
        ))}
      </ol>
    </Sheet>
  );
}

interface ExpertsProps {
  readonly rows: readonly ExpertRow[];
  readonly desk: string;
}

function Experts({ rows, desk }: ExpertsProps) {
  return (
    <Panel id="experts" title="Experts">
      {rows.length === 0 && <p class="quiet">None. Until people decide, work proceeds with the cautious position.</p>}
      <ul class="plain">
        {rows.map((row) => (
          <li key={row.expert} class="split">
            <span>
              {row.expert}{' '}
              <span class={row.isAvailable ? 'quiet' : 'warn'}>
                {row.isAvailable ? `${row.debates} of ${row.max} debates` : 'away'}
              </span>
            </span>
            <OrderButton
              kind="small"
              label={row.isAvailable ? 'Is away' : 'Is back'}
              order={() => setExpert(desk, row)}
            />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
