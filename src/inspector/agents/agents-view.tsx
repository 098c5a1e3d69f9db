/** The agents of a system: which one fits a task and why, all profiles with a search, what they can do, their guard. */
import { useState } from 'preact/hooks';
import { DESK_AGENTS } from '../desks/desk-shapes.ts';
import { Missing } from '../desks/desk-page.tsx';
import { useDesk } from '../desks/use-desk.ts';
import { counted } from '../format.ts';
import { hrefOf } from '../route.ts';
import { Looking, Panel, Sheet } from '../sheet.tsx';
import { SearchForm } from '../search-form.tsx';
import { useShownRows } from '../shown-rows.tsx';
import { type Column, Table } from '../table.tsx';
import { useAnswer } from '../use.ts';
import { Capabilities } from './capabilities-panel.tsx';
import { AgentProfilePage } from './agent-profile-page.tsx';
import { Guard } from './guard-panel.tsx';
import {
  type AgentRow,
  agentsLike,
  BAR_HALF,
  barOf,
  type Candidate,
  candidatesOf,
  CANDIDATES_MAX,
  factorName,
  type FactorShown,
  isFallback,
  pointsText,
  type Recommendation,
} from './agents.ts';

/** Profiles are read again when the registry has changed, and at this interval. */
const EVERY_MS = 30_000;

const SHOWN = 100;

const COLUMNS: readonly Column<AgentRow>[] = [
  { title: 'Agent', cell: ({ agentId }) => <a href={hrefOf('agents', agentId)}>{agentId}</a> },
  { title: 'Role', cell: ({ role }) => role },
  { title: 'Team', cell: ({ team }) => team },
  { title: 'Category', cell: ({ category }) => category },
  { title: 'State', cell: ({ enabled }) => (enabled ? '' : <span class="warn">disabled</span>) },
  { title: 'Source', cell: ({ source }) => <span class="quiet">{source}</span> },
  { title: 'Runs', cell: ({ runs }) => <span class="quiet">{runs}</span> },
];

const FACTOR_COLUMNS: readonly Column<FactorShown>[] = [
  { title: 'Factor', cell: factorName },
  { title: 'Found in', cell: ({ evidence }) => evidence },
  { title: 'Points', isNumber: true, cell: (factor) => <Points factor={factor} /> },
  { title: 'Weight', kind: 'weight', cell: (factor) => <Bar factor={factor} /> },
];

export function AgentsView({ rest }: { readonly rest: string }) {
  const { presence, context } = useDesk(DESK_AGENTS.agents);
  if (context === undefined)
    return (
      <Missing title="Agents" isKnown={presence === 'absent'} what="no registry of agents">
        name a <code>roster</code> in the config of <code>bosun serve</code>, or give <code>createSystem</code> the{' '}
        <code>registryOf()</code> of <code>bosun/crew</code> and the gateway its <code>agentProcedures()</code>
      </Missing>
    );
  const version = context.digest;
  if (rest !== '') return <AgentProfilePage key={rest} agentId={rest} version={version} />;
  return (
    <>
      <Recommend version={version} />
      <Catalogue version={version} />
      <Capabilities version={version} />
      <Guard version={version} />
    </>
  );
}

function Recommend({ version }: { readonly version: string }) {
  const [text, setText] = useState('');
  const [task, setTask] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    setTask(text.trim());
  };
  return (
    <Sheet id="recommend" title="Which agent?">
      <form class="row ask" onSubmit={submit}>
        <input
          type="text"
          aria-label="The task, in words"
          placeholder="The task, in words"
          maxLength={2000}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={text.trim() === ''}>
          Ask
        </button>
      </form>
      {task !== '' && <Candidates task={task} version={version} />}
    </Sheet>
  );
}

function Candidates({ task, version }: { readonly task: string; readonly version: string }) {
  const params = { task, maxResults: CANDIDATES_MAX, explain: true };
  const { result, error } = useAnswer<Recommendation>('agents.recommend', params, EVERY_MS, version);
  if (result === undefined) return <Looking error={error} />;
  const candidates = candidatesOf(result);
  return (
    <div role="status">
      <p class="quiet">
        {isFallback(candidates)
          ? 'No agent matches: the one for any other task is recommended.'
          : `${counted(candidates.length, 'agent')} for “${task}”, the best first`}
      </p>
      <ol class="cards">
        {candidates.map((candidate, at) => (
          <CandidateCard key={candidate.agentId} candidate={candidate} isFirst={at === 0} />
        ))}
      </ol>
    </div>
  );
}

function CandidateCard({ candidate, isFirst }: { readonly candidate: Candidate; readonly isFirst: boolean }) {
  const { agentId, confidence, reason, factors } = candidate;
  const percent = Math.round(confidence * 100);
  return (
    <li class="card" data-agent={agentId}>
      <div class="split">
        <h2>
          <a href={hrefOf('agents', agentId)}>{agentId}</a>
        </h2>
        <span>
          <meter min={0} max={100} value={percent} aria-label={`Confidence in ${agentId}`} /> {percent} %
        </span>
      </div>
      <p>{reason}</p>
      {factors.length > 0 && (
        <details open={isFirst}>
          <summary>Why, in points</summary>
          <Table columns={FACTOR_COLUMNS} rows={factors} keyOf={({ kind, evidence }) => `${kind} ${evidence}`} />
        </details>
      )}
    </li>
  );
}

function Points({ factor }: { readonly factor: FactorShown }) {
  return <span class={factor.points < 0 ? 'bad' : 'good'}>{pointsText(factor)}</span>;
}

/** The points of a factor as a bar from the middle. The column beside it says the same as text. */
function Bar({ factor }: { readonly factor: FactorShown }) {
  const { x, width } = barOf(factor);
  return (
    <svg class="points" viewBox={`0 0 ${2 * BAR_HALF} 10`} aria-hidden="true">
      <rect class={factor.points < 0 ? 'against' : 'for'} x={x} y={1} width={width} height={8} />
      <line x1={BAR_HALF} x2={BAR_HALF} y1={0} y2={10} />
    </svg>
  );
}

function Catalogue({ version }: { readonly version: string }) {
  const [search, setSearch] = useState('');
  const { result, error } = useAnswer<{ readonly agents: readonly AgentRow[] }>('agents.list', {}, EVERY_MS, version);
  const found = agentsLike(result?.agents ?? [], search);
  const [visible, more] = useShownRows(found, SHOWN, 'agent');
  return (
    <Panel id="catalogue" title="Catalogue" kind="flush padded" count={found.length}>
      <SearchForm
        label="Search agents by id, role, team, category or source"
        hint="Search agents"
        text={search}
        onText={setSearch}
      />
      {result === undefined && <Looking error={error} kind="empty" />}
      {result !== undefined && found.length === 0 && <p class="empty">No agent has these words.</p>}
      {visible.length > 0 && <Table columns={COLUMNS} rows={visible} keyOf={({ agentId }) => agentId} />}
      {more}
    </Panel>
  );
}
