/** What two agents see differently: the debates, what is provisional, and whom the experts have at hand. */
import { useState } from 'preact/hooks';
import { hrefOf } from '../route.ts';
import { Age, Countdown } from './clock.tsx';
import { DebatePage } from './debate-page.tsx';
import { DeskDialog } from './desk-dialog.tsx';
import { DeskFrame, NoDesk } from './desk-frame.tsx';
import { type DeskOrder, reviewNow, setExpert } from './desk-orders.ts';
import { debateRows, expertRows, type ExpertRow } from './desk-records.ts';
import { type DebateRow, type FacilitatorShown } from './desk-shapes.ts';
import { LEVEL_NAMES } from './debate-levels.ts';
import { maySend, useDesk } from './use-desk.ts';

const SHOWN = 100;

export function DebatesView({ rest }: { readonly rest: string }) {
  const desk = useDesk('debates');
  const [order, setOrder] = useState<DeskOrder | undefined>(undefined);
  if (desk.context === undefined)
    return (
      <DeskFrame>
        <NoDesk name="debates" desk={desk} title="Debates" />
      </DeskFrame>
    );
  const rows = debateRows(desk.context);
  const { nextGate } = desk.context as FacilitatorShown;
  return (
    <DeskFrame>
      {rest !== '' && (
        <DebatePage
          key={rest}
          id={rest}
          row={rows.find(({ id }) => id === rest)}
          onReview={() => setOrder(reviewNow(desk.address))}
        />
      )}
      {rest === '' && (
        <>
          <Provisionals
            rows={rows.filter(({ isOver, provisional }) => !isOver && provisional !== null)}
            nextGate={nextGate}
            onReview={() => setOrder(reviewNow(desk.address))}
          />
          <DebateTable rows={rows} />
          <Experts rows={expertRows(desk.context)} onSet={(expert) => setOrder(setExpert(desk.address, expert))} />
        </>
      )}
      {order !== undefined && <DeskDialog key={order.title} order={order} onClose={() => setOrder(undefined)} />}
    </DeskFrame>
  );
}

function Provisionals({
  rows,
  nextGate,
  onReview,
}: {
  readonly rows: readonly DebateRow[];
  readonly nextGate: FacilitatorShown['nextGate'];
  readonly onReview: () => void;
}) {
  if (rows.length === 0) return null;
  return (
    <section class="sheet" aria-labelledby="provisional-title">
      <div class="sheet-head">
        <h1 id="provisional-title">
          {rows.length === 1 ? '1 provisional decision' : `${rows.length} provisional decisions`}
        </h1>
        <p class="quiet">
          {nextGate === null ? (
            'No gate is planned'
          ) : (
            <>
              Gate {nextGate.gate} <Countdown untilMs={nextGate.atMs} />
            </>
          )}
        </p>
        {maySend() && (
          <button type="button" onClick={onReview}>
            Review now…
          </button>
        )}
      </div>
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
    </section>
  );
}

function DebateTable({ rows }: { readonly rows: readonly DebateRow[] }) {
  return (
    <section class="sheet flush" aria-labelledby="debates-title">
      <div class="sheet-head">
        <h1 id="debates-title">Debates</h1>
      </div>
      {rows.length === 0 && <p class="empty">No debates. Nobody doubts anybody.</p>}
      {rows.length > 0 && (
        <table class="stack">
          <thead>
            <tr>
              <th scope="col">Topic</th>
              <th scope="col">Who doubts whom</th>
              <th scope="col">Priority</th>
              <th scope="col">Level</th>
              <th scope="col">Expert</th>
              <th scope="col" class="number">
                Since
              </th>
            </tr>
          </thead>
          <tbody>
            {rows
              .slice(0, SHOWN)
              .map(({ id, topic, challenger, challenged, priority, level, expert, isOver, openedAtMs }) => (
                <tr key={id}>
                  <th scope="row">
                    <a href={hrefOf('debates', id)}>{topic}</a>
                  </th>
                  <td>
                    {challenger}, {challenged}
                  </td>
                  <td>{priority.replace('-', ' ')}</td>
                  <td>{LEVEL_NAMES[level] ?? level.replaceAll('_', ' ')}</td>
                  <td>{expert ?? ''}</td>
                  <td class="number" data-name="since">
                    {isOver ? '' : <Age sinceMs={openedAtMs} />}
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Experts({
  rows,
  onSet,
}: {
  readonly rows: readonly ExpertRow[];
  readonly onSet: (expert: ExpertRow) => void;
}) {
  return (
    <section class="sheet" aria-labelledby="experts-title">
      <h2 id="experts-title">Experts</h2>
      {rows.length === 0 && <p class="quiet">None. What only people can decide goes on with the cautious position.</p>}
      <ul class="plain">
        {rows.map((row) => (
          <li key={row.expert} class="split">
            <span>
              {row.expert}{' '}
              <span class={row.isAvailable ? 'quiet' : 'warn'}>
                {row.isAvailable ? `${row.debates} of ${row.max} debates` : 'away'}
              </span>
            </span>
            {maySend() && (
              <button type="button" class="small" onClick={() => onSet(row)}>
                {row.isAvailable ? 'Is away…' : 'Is back…'}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
