/** The page of one agent's profile: what it is for, what it leaves to others, and how it is found. */
import { Lines, Panel, RecordHead, Text, Unread } from '../sheet.tsx';
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
  if (result === undefined) return <Unread title={agentId} error={error} />;
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
      <RecordHead id="agent" list="Agents" crumb={agentId} title={displayName}>
        <p class="row facts-line">
          {[role, team, meta.agentCategory, source, runs].map(
            (fact) => fact !== undefined && <span key={fact}>{fact}</span>,
          )}
          {!enabled && <span class="warn">disabled</span>}
        </p>
        <p>{description}</p>
      </RecordHead>
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
          <Text name="System prompt" text={systemPrompt} />
        </Panel>
      )}
    </article>
  );
}
