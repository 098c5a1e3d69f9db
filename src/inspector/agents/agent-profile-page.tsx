/** The page of one agent's profile: what it is for, what it leaves to others, and how it is found. */
import { Looking, Panel } from '../sheet.tsx';
import type { AgentProfile } from '../../machines/agents/profile.ts';
import { useAnswer } from '../use.ts';

const EVERY_MS = 30_000;

interface ProfileProps {
  readonly agentId: string;
  readonly version: string;
}

export function AgentProfilePage({ agentId, version }: ProfileProps) {
  const { result, error } = useAnswer<{
    readonly profile: AgentProfile;
    readonly source: string;
    readonly runs: string;
  }>('agents.show', { agentId }, EVERY_MS, version);
  if (result === undefined)
    return (
      <section class="sheet">
        <h1>{agentId}</h1>
        <Looking error={error} kind="empty" />
      </section>
    );
  const { profile, source, runs } = result;
  const {
    displayName = agentId,
    role,
    team,
    description,
    selectionMetadata: meta = {},
    enabled,
    systemPrompt,
  } = profile;
  return (
    <article class="actor" aria-labelledby="agent-title">
      <header class="actor-head">
        <p class="crumbs">
          <a href="#/agents">Agents</a> · <span class="mono">{agentId}</span>
        </p>
        <h1 id="agent-title">{displayName}</h1>
        <p class="row facts-line">
          {[role, team, meta.agentCategory, source, runs].map(
            (fact) => fact !== undefined && <span key={fact}>{fact}</span>,
          )}
          {!enabled && <span class="warn">disabled</span>}
        </p>
        <p>{description}</p>
      </header>
      <div class="columns even">
        <Lines id="examples" title="For" lines={meta.exampleTasks} none="No example says what it is for." />
        <Lines id="not-for" title="Not for" lines={meta.notForTasks} none="Nothing is left to others." />
      </div>
      <div class="columns even">
        <Lines id="capabilities" title="Capabilities" lines={profile.capabilities} none="None are named." />
        <Lines id="keywords" title="Keywords" lines={meta.keywords} none="None are named." />
      </div>
      {systemPrompt !== undefined && (
        <Panel id="prompt" title="System prompt">
          <pre class="prompt" tabIndex={0} aria-label="System prompt">
            {systemPrompt}
          </pre>
        </Panel>
      )}
    </article>
  );
}

interface LinesProps {
  readonly id: string;
  readonly title: string;
  readonly lines: readonly string[] | undefined;
  /** Shown where there is no line. */
  readonly none: string;
}

function Lines({ id, title, lines = [], none }: LinesProps) {
  return (
    <Panel id={id} title={title} count={lines.length}>
      {lines.length === 0 && <p class="quiet">{none}</p>}
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Panel>
  );
}
