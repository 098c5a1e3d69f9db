/**
 * The lineage tree of a run: its hub at the left, and a card for each session with an arrow from its hub and one back
 * for its hand-off. As text it is a list; on a narrow screen the list is indented.
 */
import { type ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Age } from '../desks/clock.tsx';
import { type RecordProps } from '../desks/desk-page.tsx';
import { type RunRow } from '../desks/desk-shapes.ts';
import { useShown } from '../desks/use-desk.ts';
import { counted, duration } from '../format.ts';
import { hrefOf } from '../route.ts';
import { More } from '../shown-rows.tsx';
import { lineageLayout, type Placed } from './lineage-layout.ts';
import { dollars, runState, type SessionShown, sessionState, type SpokeShown } from './sessions.ts';
import { besideDesk } from './use-run.ts';

/** Sessions shown at first and with each further press of the button. */
const SHOWN = 50;

/** The tree of the sessions of a run, which come in the order of their starts. */
export function LineageTree({
  row,
  desk,
  sessions,
}: RecordProps<RunRow> & { readonly sessions: readonly SessionShown[] }) {
  const [shown, setShown] = useState(SHOWN);
  const own = sessions.find(({ session }) => session === row.id);
  const { places, rows, columns, left } = lineageLayout(
    sessions.filter((one) => one !== own),
    { shown },
  );
  const roles = new Map(sessions.map(({ session, open, closed }) => [session, (open ?? closed)?.role]));
  return (
    <>
      {left > 0 && <More onMore={() => setShown(shown + SHOWN)}>{counted(left, 'earlier session')}</More>}
      <ol
        class="lineage"
        style={{ '--columns': Math.max(1, columns) }}
        aria-label="Sessions, each behind the hub that spawned it"
      >
        <li class="hub" style={{ '--column': 1, '--row': 1, '--rows': Math.max(1, rows) }}>
          <Card isAtWork={row.status === 'running' && sessions.every((one) => one === own || one.closed !== undefined)}>
            <h3>{own === undefined ? row.hub : <a href={hrefOf('hubs', `${row.id}/${row.id}`)}>{row.hub}</a>}</h3>
            <p class="facts-line">
              <RunState row={row} />
            </p>
          </Card>
        </li>
        {places.map((place) => (
          <Session key={place.of.session} place={place} row={row} desk={desk} hub={roles.get(place.of.parent)} />
        ))}
      </ol>
      {places.length === 0 && <p class="quiet">No session yet.</p>}
    </>
  );
}

/** How a run stands, in a word. */
export function RunState({ row }: { readonly row: RunRow }) {
  const [words, tone] = runState(row);
  return <span class={`standing ${tone}`}>{words}</span>;
}

function Card({ isAtWork, children }: { readonly isAtWork: boolean; readonly children: ComponentChildren }) {
  return (
    <div class={`card${isAtWork ? ' progress' : ''}`}>
      <div>
        {isAtWork && <span class="dot" aria-hidden="true" />}
        {children}
      </div>
    </div>
  );
}

interface SessionProps extends RecordProps<RunRow> {
  readonly place: Placed<SessionShown>;
  /** The role of the session that spawned it; undefined for the hub of the run. */
  readonly hub: string | undefined;
}

function Session({ place: { of, column, row: at, span }, row, desk, hub }: SessionProps) {
  const { session, parent, open, closed } = of;
  const { role = '', step = null } = closed ?? open ?? {};
  return (
    <li style={{ '--column': column + 1, '--row': at + 1, '--rows': span }} data-session={session}>
      <Card isAtWork={closed === undefined}>
        <h3>
          <a href={hrefOf('hubs', `${row.id}/${session}`)}>{role}</a> <span class="mono quiet">{session}</span>
          {parent !== row.id && <span class="unseen"> spawned by {hub ?? parent}</span>}
        </h3>
        <SessionFacts of={of} desk={desk}>
          {step !== null && <span>step {step}</span>}
        </SessionFacts>
      </Card>
      <Handoff of={of} />
    </li>
  );
}

/** The arrows between a session and its hub; without a hand-off, why it closed. */
function Handoff({ of: { handoff, closed } }: { readonly of: SessionShown }) {
  return (
    <div class="handoff">
      <div class="arrow" aria-hidden="true" />
      {handoff === undefined ? (
        <p class="quiet">{closed?.summary}</p>
      ) : (
        <>
          <div class="arrow back" aria-hidden="true" />
          <p>
            <span class="unseen">hands off to {handoff.to}, recommends </span>
            <b>{handoff.recommended ?? 'nobody'}</b>: <span class="quiet">{handoff.reason}</span>
          </p>
        </>
      )}
    </div>
  );
}

interface FactsProps {
  readonly of: SessionShown;
  readonly desk: string;
  readonly children?: ComponentChildren;
}

/** How a session stands: its state, its tries, and what it has used. */
export function SessionFacts({ of, desk, children }: FactsProps) {
  const { session, open, closed } = of;
  const live = useShown<SpokeShown>(closed === undefined ? { actor: besideDesk(desk, `spokes/${session}`) } : null);
  const { steps = 0, costUsd = 0, tokens = 0 } = (closed ?? live)?.usage ?? {};
  const tries = closed === undefined ? live?.round : closed.output?.round;
  const [words, tone] = sessionState(of);
  return (
    <p class="row facts-line">
      <span class={`standing ${tone}`}>{words}</span>
      {children}
      {tries !== undefined && tries > 1 && <span>try {tries}</span>}
      {closed === undefined ? <Age sinceMs={open!.startedAtMs} /> : <span>{duration(closed.usage.ms)}</span>}
      {steps > 0 && <span>{counted(steps, 'step')}</span>}
      {tokens > 0 && <span>{counted(tokens, 'token')}</span>}
      {costUsd > 0 && <span>{dollars(costUsd)}</span>}
    </p>
  );
}
