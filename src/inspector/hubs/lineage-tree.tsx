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
import { Standing } from '../signed.tsx';
import {
  type Branch,
  dollars,
  lineageOf,
  runState,
  type SessionShown,
  sessionState,
  type SpokeShown,
} from './sessions.ts';
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
  const spawned = sessions.filter((one) => one !== own);
  const { below, columns, left } = lineageOf(spawned, shown);
  return (
    <>
      {left > 0 && <More onMore={() => setShown(shown + SHOWN)}>{counted(left, 'earlier session')}</More>}
      <ol class="lineage" style={{ '--columns': columns }} aria-label="Sessions, each behind the hub that spawned it">
        <li class="hub">
          <Card isAtWork={row.status === 'running' && spawned.every(({ closed }) => closed !== undefined)}>
            <h3>{own === undefined ? row.hub : <a href={hrefOf('hubs', `${row.id}/${row.id}`)}>{row.hub}</a>}</h3>
            <p class="facts-line">
              <Standing of={runState(row)} />
            </p>
          </Card>
          <Spawned row={row} desk={desk} below={below} />
        </li>
      </ol>
      {below.length === 0 && <p class="quiet">No session yet.</p>}
    </>
  );
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

interface SpawnedProps extends RecordProps<RunRow> {
  readonly below: readonly Branch<SessionShown>[];
  /** The role of the session that spawned them; undefined for the hub of the run. */
  readonly hub?: string | undefined;
}

function Spawned({ below, hub, ...props }: SpawnedProps) {
  if (below.length === 0) return null;
  return (
    <ol>
      {below.map(({ of, below }) => (
        <li key={of.session}>
          <Session of={of} hub={hub} {...props} />
          <Spawned below={below} hub={of.role} {...props} />
        </li>
      ))}
    </ol>
  );
}

function Session({ of, hub, row, desk }: Omit<SpawnedProps, 'below'> & { readonly of: SessionShown }) {
  const { session, parent, role, step, closed } = of;
  return (
    <div class="session" data-session={session}>
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
    </div>
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
  const { session, startedAtMs, closed } = of;
  const live = useShown<SpokeShown>(closed === undefined ? { actor: besideDesk(desk, `spokes/${session}`) } : null);
  const { steps = 0, costUsd = 0, tokens = 0 } = (closed ?? live)?.usage ?? {};
  const tries = closed === undefined ? live?.round : closed.output?.round;
  return (
    <p class="row facts-line">
      <Standing of={sessionState(of)} />
      {children}
      {tries !== undefined && tries > 1 && <span>try {tries}</span>}
      {closed === undefined ? <Age sinceMs={startedAtMs} /> : <span>{duration(closed.usage.ms)}</span>}
      {steps > 0 && <span>{counted(steps, 'step')}</span>}
      {tokens > 0 && <span>{counted(tokens, 'token')}</span>}
      {costUsd > 0 && <span>{dollars(costUsd)}</span>}
    </p>
  );
}
