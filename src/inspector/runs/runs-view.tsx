/** Runs: which actors are at work, and what became of those that have ended, newest first. */
import { useMemo, useState } from 'preact/hooks';
import type { AgentListView, ListedRow } from '../../gateway/protocol/views.ts';
import { ActorLink } from '../actor-link.tsx';
import { route, setQuery } from '../address-bar.ts';
import { brief, duration, errorText, moment, stateText } from '../format.ts';
import { lines } from '../link.ts';
import { Ledger, Looking } from '../sheet.tsx';
import { More } from '../shown-rows.tsx';
import { Signed } from '../signed.tsx';
import { type Column } from '../table.tsx';
import { kernelMs } from '../time.ts';
import { useAnswer } from '../use.ts';
import { endedRuns, openRuns, type RunRow, sinceMs, STATES, TIMES } from './runs.ts';
import { EVERY_MS, useEndedRuns } from './use-runs.ts';

/** Actors that are read, at first and with each further page, and at most in one answer. */
const ACTORS = 200;
const ACTORS_MAX = 1_000;

/** Running ones above the ended ones. */
const OPEN_SHOWN = 20;

/** Agents change only when the server is deployed anew. */
const AGENTS_EVERY_MS = 60_000;

const COLUMNS: readonly Column<RunRow>[] = [
  { title: 'Address', cell: ({ address }) => <ActorLink address={address} /> },
  { title: 'Agent', cell: ({ agent }) => <span class="agent">{agent}</span> },
  {
    title: 'State',
    cell: ({ badge: { word, sign, tone } }) => (
      <Signed kind={`standing ${tone}`} sign={sign}>
        {word}
      </Signed>
    ),
  },
  {
    title: 'Started',
    isNumber: true,
    cell: ({ startedAtMs }) => startedAtMs !== null && moment(startedAtMs, kernelMs()),
  },
  { title: 'Ended', isNumber: true, cell: ({ endedAtMs }) => endedAtMs !== null && moment(endedAtMs, kernelMs()) },
  {
    title: 'Took',
    isNumber: true,
    cell: ({ startedAtMs, endedAtMs }) =>
      startedAtMs !== null &&
      duration(endedAtMs === null ? Math.floor((kernelMs() - startedAtMs) / 1_000) * 1_000 : endedAtMs - startedAtMs),
  },
  { title: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
  { title: 'Result', kind: 'value', cell: ({ outcome }) => <Brief outcome={outcome} /> },
];

interface ActorPage {
  readonly actors: readonly ListedRow[];
  readonly next: string | null;
}

export function RunsView() {
  const { agent, state, time } = route.value.query;
  const [limit, setLimit] = useState(ACTORS);
  const isRunning = state === 'running';
  const line = lines.value;
  // The gateway is asked since a fixed time, so that the question stays the same; what is too old by now is left out.
  const fromMs = useMemo(() => sinceMs(time, kernelMs()), [time, line]);
  const method = state === undefined || isRunning ? 'actor.list' : undefined;
  const living = useAnswer<ActorPage>(method, { agent, limit }, EVERY_MS);
  const ended = useEndedRuns(isRunning ? undefined : { agent, status: state, sinceMs: fromMs });
  const open = openRuns(living.result?.actors ?? []);
  const shown = isRunning ? open : open.slice(0, OPEN_SHOWN);
  const young = ended.pages?.runs.filter(({ endedAtMs }) => endedAtMs >= sinceMs(time, kernelMs())) ?? [];
  const error = (living.result ? undefined : living.error) ?? (ended.pages ? undefined : ended.error);
  const isLoading = error === undefined && ((method && !living.result) || (!isRunning && !ended.pages));
  return (
    <Ledger
      id="runs"
      title="Runs"
      lead={<Filters />}
      rows={isLoading ? undefined : [...shown, ...endedRuns(young)]}
      empty={
        (agent ?? state ?? time) ? 'No run matches.' : 'No actor is at work, and no result of an ended one is kept.'
      }
      columns={COLUMNS}
      keyOf={({ key }) => key}
    >
      <div class="row empty">
        {error?.code === 'BOSUN_FORBIDDEN'
          ? 'Ended ones are shown only to those who may reach every address.'
          : error && <Looking error={error} />}
        {open.length > shown.length && (
          <More onMore={() => setQuery({ ...route.value.query, state: 'running' })}>
            {open.length - shown.length} more at work
          </More>
        )}
        {isRunning && living.result?.next && limit < ACTORS_MAX && (
          <More onMore={() => setLimit(limit + ACTORS)}>More</More>
        )}
        {ended.pages?.next && <More onMore={ended.more}>Older ones</More>}
      </div>
    </Ledger>
  );
}

/** A run in a line: its state, its result, or its error. */
function Brief({ outcome }: Pick<RunRow, 'outcome'>) {
  if ('state' in outcome) return <>{stateText(outcome.state)}</>;
  const { status, output, error } = outcome;
  if (error !== null) return <span class="bad">{brief(errorText(error))}</span>;
  return <>{status === 'done' && output !== null && brief(JSON.stringify(output))}</>;
}

function Filters() {
  const { result } = useAnswer<AgentListView>('agent.list', {}, AGENTS_EVERY_MS);
  const { agent } = route.value.query;
  const names = new Set([...(result?.agents.map(({ name }) => name) ?? []), ...(agent === undefined ? [] : [agent])]);
  return (
    <div class="row chips" role="group" aria-label="Show only">
      <Choice name="agent" choices={Object.fromEntries([...names].map((name) => [name, name]))} />
      <Choice name="state" choices={STATES} />
      <Choice name="time" choices={TIMES} />
    </div>
  );
}

interface ChoiceProps {
  /** Name in the address, and for people. */
  readonly name: string;
  /** Words by the values that they stand for. */
  readonly choices: Readonly<Record<string, string>>;
}

export function Choice({ name, choices }: ChoiceProps) {
  const { query } = route.value;
  return (
    <select
      aria-label={name}
      value={query[name] ?? ''}
      onChange={({ currentTarget }) => setQuery({ ...query, [name]: currentTarget.value })}
    >
      <option value="">any {name}</option>
      {Object.entries(choices).map(([value, word]) => (
        <option key={value} value={value}>
          {word}
        </option>
      ))}
    </select>
  );
}
