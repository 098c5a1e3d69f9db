/** The page of one actor: its chart with the active state, its orders, its contents, and what it waits for. */
import { useState } from 'preact/hooks';
import type { RunView } from '../../gateway/protocol/run-view.ts';
import type { ActorView, AgentListView, InspectionView, TreeBranch, TreeView } from '../../gateway/protocol/views.ts';
import { stateText } from '../format.ts';
import { maySend } from '../link.ts';
import { Looking, Panel } from '../sheet.tsx';
import { nodeAt } from '../tree/find.ts';
import { badgeOf, BY_ENDING } from '../tree/status-badge.ts';
import { useAnswer, useTopic } from '../use.ts';
import { type JsonSchema } from '../json-schema.ts';
import { ActorHead } from './actor-head.tsx';
import { Chart } from './chart.tsx';
import { EndedActor, Outcome, useEnded } from './ended-actor.tsx';
import { EventDialog } from './event-dialog.tsx';
import { Children, Facts, Mailbox, Timers } from './facts.tsx';
import { ErrorBox, JsonTree } from './json-tree.tsx';
import { OrderBar } from './order-bar.tsx';
import { Records } from './records.tsx';

/** Interval of loading the agents. It is long, since agents change only when the server is deployed anew. */
const AGENTS_EVERY_MS = 60_000;

export function ActorPage({ rest: address }: { readonly rest: string }) {
  const { view, error } = useTopic<ActorView>(`actor/${address}`);
  const { view: inspection } = useTopic<InspectionView>(`inspection/${address}`);
  const { view: tree } = useTopic<TreeBranch>('tree');
  const { result: list } = useAnswer<AgentListView>('agent.list', {}, AGENTS_EVERY_MS);
  const [event, setEvent] = useState<string | undefined>(undefined);
  const { run, error: noRun } = useEnded(address, error !== undefined);
  if (view === undefined)
    return run === undefined ? <Missing address={address} error={noRun} /> : <EndedActor run={run} />;
  const node = tree === undefined ? undefined : nodeAt(tree, address);
  const schemas = list?.agents.find(({ name }) => name === view.agent)?.events ?? {};
  const isGone = error !== undefined;
  const mayBeSent = !isGone && maySend() ? view.accepts : [];
  return (
    <article class="actor" aria-labelledby="actor-title" data-stale={isGone ? '' : undefined}>
      <Head view={view} node={node} suspended={inspection?.suspended ?? null} isGone={isGone} run={run} />
      {!isGone && <OrderBar address={address} view={view} node={node} />}
      <div class="columns">
        <div class="wide">
          <Chart
            address={address}
            inspection={inspection}
            value={view.value}
            last={lastOf(view, inspection)}
            sendable={mayBeSent}
            onEvent={setEvent}
          />
        </div>
        <div class="narrow">
          {!isGone && (
            <Events
              accepts={mayBeSent}
              schemas={schemas}
              isSuspended={view.status === 'suspended'}
              onEvent={setEvent}
            />
          )}
          {isGone && run !== undefined && <Outcome run={run} />}
          <Context view={view} />
          <Records address={address} names={isGone ? run?.records : inspection?.records} />
          <Timers inspection={isGone ? undefined : inspection} />
          <Mailbox inspection={inspection} />
          <Children inspection={inspection} tree={tree} />
          <Facts view={view} inspection={inspection} node={node} />
        </div>
      </div>
      {event !== undefined && (
        <EventDialog
          key={`${event} ${event in schemas}`}
          address={address}
          type={event}
          schema={schemas[event]}
          onClose={() => setEvent(undefined)}
        />
      )}
    </article>
  );
}

/** The step that led to the shown state. State and step come from two topics, of which one may be behind. */
function lastOf({ sequence }: ActorView, inspection: InspectionView | undefined): InspectionView['last'] {
  const last = inspection?.last ?? null;
  return last?.sequence === sequence ? last : null;
}

function Missing({ address, error }: { readonly address: string; readonly error: Error | undefined }) {
  return (
    <section class="sheet">
      <h1 class="mono">{address}</h1>
      <Looking error={error} />
      <p>
        <a href="#/">All actors</a>
      </p>
    </section>
  );
}

const GONE = { word: 'gone', sign: '\u25cb', tone: 'calm' } as const;

interface HeadProps {
  readonly view: ActorView;
  readonly node: TreeView | undefined;
  readonly suspended: InspectionView['suspended'];
  readonly isGone: boolean;
  /** The result, if it has ended. */
  readonly run: RunView | undefined;
}

function Head({ view, node, suspended, isGone, run }: HeadProps) {
  const { address, agent, value, tags } = view;
  const badge = run
    ? BY_ENDING[run.status]
    : isGone
      ? GONE
      : badgeOf(node ?? { status: view.status, restartInMs: null });
  const failure = view.error ?? node?.lastError ?? null;
  return (
    <ActorHead
      address={address}
      badge={badge}
      state={
        stateText(value) !== '' && (
          <span class="value" data-testid="state">
            {stateText(value)}
          </span>
        )
      }
      agent={agent}
      tags={tags}
      current="actor"
      hasEnded={run !== undefined}
    >
      {isGone && <p class="note">No actor is here now: it has ended, or was removed. Below is its last known state.</p>}
      {suspended !== null && suspended.by !== null && (
        <p class="note">
          Suspended by {suspended.by}
          {suspended.reason === null ? '' : `: ${suspended.reason}`}
        </p>
      )}
      {failure !== null && failure !== undefined && (suspended === null || suspended.by === null) && (
        <ErrorBox error={failure} />
      )}
    </ActorHead>
  );
}

interface EventsProps {
  readonly accepts: readonly string[];
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly isSuspended: boolean;
  readonly onEvent: (type: string) => void;
}

function Events({ accepts, schemas, isSuspended, onEvent }: EventsProps) {
  return (
    <Panel id="events" title="Events that it takes now">
      {accepts.length === 0 && (
        <p class="quiet">{isSuspended ? 'None: it is suspended.' : 'None from outside, in this state.'}</p>
      )}
      <div class="row" role="group" aria-labelledby="events-title">
        {accepts.map((type) => (
          <button key={type} type="button" onClick={() => onEvent(type)} title={schemas[type]?.description}>
            {type}
          </button>
        ))}
      </div>
    </Panel>
  );
}

function Context({ view: { context, output } }: { readonly view: ActorView }) {
  return (
    <Panel id="context" title="Context">
      <JsonTree value={context} name="context" />
      {output !== null && <JsonTree value={output} name="output" />}
    </Panel>
  );
}
