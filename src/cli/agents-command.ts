/**
 * `bosun agents ...`: from agent files, from the registry of a running system, or else from the profiles of the
 * package.
 */
import { resolve } from 'node:path';
import { shortRow } from '../crew-agents.ts';
import { BosunError } from '../errors.ts';
import { capabilitiesOf } from '../machines/agents/capabilities.ts';
import { guardReport, type GuardReport } from '../machines/agents/guard.ts';
import {
  type AgentProfile,
  byCodeUnit,
  type CapabilitiesRequest,
  type CapabilitiesResult,
  type RecommendRequest,
  type RecommendResult,
} from '../machines/agents/profile.ts';
import { cardOf, catalogOf, markdownOf, systemCard } from '../machines/agents/profile-export.ts';
import { recommend } from '../machines/agents/recommend.ts';
import { indexFor } from '../machines/agents/retrieval.ts';
import { type RosterRow, rosterOf, SHIPPED_ROSTER } from '../machines/agents/roster.ts';
import { didYouMean } from '../near-names.ts';
import { plainLine, plainText } from '../plain-text.ts';
import { readAgentFiles } from './agent-files.ts';
import { carriedOut, EXIT, type ExitCode, writeError } from './exit-codes.ts';
import { LiveGateway, type OfferedMethod } from './live-gateway.ts';
import { writeOutput } from './output-file.ts';
import { jsonLine } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';
import { factsText, tableText } from './table.ts';

/** A verb on agents. */
export interface AgentsCommand extends DataCommand {
  /** A file or folder of agent files; undefined for a running system or the package. */
  readonly from: string | undefined;
}

/** Answers questions about agents, from a running system or from a set of profiles. */
interface Registry {
  recommend(request: Fields): Promise<RecommendResult>;
  capabilities(request: Fields): Promise<CapabilitiesResult>;
  guard(): Promise<GuardReport>;
  rows(): Promise<readonly ReturnType<typeof shortRow>[]>;
  show(agentId: string): Promise<RosterRow>;
  all(): Promise<readonly AgentProfile[]>;
}

type Fields = Readonly<Record<string, unknown>>;

export function listAgents(command: AgentsCommand): Promise<ExitCode> {
  return withRegistry(command, async (registry) => {
    const rows = await registry.rows();
    if (command.json) return void command.out.write(rows.map(jsonLine).join(''));
    const cells = rows.map(({ agentId, role, team, category, enabled, source }) => [
      agentId,
      role ?? '',
      team ?? '',
      category ?? '',
      enabled ? source : `${source}, disabled`,
    ]);
    command.out.write(tableText([['AGENT', 'ROLE', 'TEAM', 'CATEGORY', 'SOURCE'], ...cells]));
  });
}

export function showAgent(command: AgentsCommand, agentId: string): Promise<ExitCode> {
  return withRegistry(command, async (registry) => {
    const row = await registry.show(agentId);
    if (command.json) return void command.out.write(jsonLine(row));
    const { profile, source } = row;
    const { selectionMetadata: meta = {} } = profile;
    const facts = factsText([
      ['agent', profile.agentId],
      ['role', profile.role ?? null],
      ['team', profile.team ?? null],
      ['category', meta.agentCategory ?? null],
      ['source', profile.enabled ? source : `${source}, disabled`],
      ['description', profile.description],
      ['capabilities', (profile.capabilities ?? []).join(', ')],
      ['examples', (meta.exampleTasks ?? []).join('; ')],
      ['not for', (meta.notForTasks ?? []).join('; ')],
    ]);
    command.out.write(facts);
  });
}

export function recommendAgent(command: AgentsCommand, request: Fields): Promise<ExitCode> {
  return withRegistry(command, async (registry) => {
    const result = await registry.recommend(request);
    if (command.json) return void command.out.write(jsonLine(result));
    const { recommended, confidence, reason, alternatives, explanation = [] } = result;
    const rows = [{ agentId: recommended, confidence, reason }, ...alternatives];
    command.out.write(tableText(rows.map((row) => [row.agentId, row.confidence.toFixed(2), row.reason ?? ''])));
    for (const { agentId, points, factors } of explanation) {
      const lines = factors.map((factor) => [String(factor.points).padStart(6), factor.kind, factor.evidence]);
      command.out.write(`\n${agentId}: ${points} points\n${lines.length === 0 ? '' : tableText(lines)}`);
    }
  });
}

export function listCapabilities(command: AgentsCommand, request: Fields): Promise<ExitCode> {
  return withRegistry(command, async (registry) => {
    const result = await registry.capabilities(request);
    if (command.json) return void command.out.write(jsonLine(result));
    const rows = result.capabilities.map((name) => [name, result.agentsByCapability[name]!.join(', ')]);
    command.out.write(tableText([['CAPABILITY', 'AGENTS'], ...rows]));
  });
}

/** Checks a roster. Resolves to exit code 1 if the gate warns, like other checks. */
export function guardAgents(command: AgentsCommand): Promise<ExitCode> {
  return withRegistry(command, async (registry) => {
    const report = await registry.guard();
    if (command.json) command.out.write(jsonLine(report));
    else
      for (const { agentId, status, issues, remarks } of report.agents)
        command.out.write(`${plainLine([status, agentId, [...issues, ...remarks].join('; ')].join('  ').trimEnd())}\n`);
    return report.status === 'PASS' ? EXIT.completed : EXIT.failed;
  });
}

export function importAgents(
  command: AgentsCommand,
  { path, replace }: { readonly path: string; readonly replace: boolean },
): Promise<ExitCode> {
  const { cwd, out } = command;
  return carriedOut(command, async () => {
    const { profiles, problems } = await readAgentFiles(path, cwd);
    tellProblems(command, problems);
    const live = await liveRegistry(command);
    let refusals = problems.length;
    for (const profile of profiles) {
      if (live === undefined) {
        out.write(jsonLine(profile));
        continue;
      }
      const { taken, problems: why } = await live.put({ profile, source: path, replace });
      if (!taken) refusals += 1;
      const said = taken ? 'registered' : why.join('; ');
      out.write(
        command.json ? jsonLine({ agentId: profile.agentId, taken, problems: why }) : `${profile.agentId}  ${said}\n`,
      );
    }
    return refusals === 0 ? EXIT.completed : EXIT.failed;
  });
}

/** The profiles to export, and where to write them. */
export interface Export {
  /** The agent to export; undefined for all agents. */
  readonly agentId: string | undefined;
  readonly form: 'profile' | 'markdown' | 'card' | 'catalog';
  /** The file to write; undefined for the stream of data. */
  readonly file: string | undefined;
}

export function exportAgents(command: AgentsCommand, { agentId, form, file }: Export): Promise<ExitCode> {
  return withRegistry(command, async (registry) => {
    const text = await exported(registry, agentId, form);
    if (file === undefined) command.out.write(text);
    else await writeOutput(resolve(command.cwd, file), text);
  });
}

async function exported(registry: Registry, agentId: string | undefined, form: Export['form']): Promise<string> {
  if (form === 'catalog') return pretty(catalogOf(await registry.all(), ''));
  if (agentId === undefined) {
    if (form === 'card') return pretty(systemCard(await registry.all(), '1.0.0'));
    if (form === 'profile') return pretty({ agents: await registry.all() });
    throw new BosunError('BOSUN_CALL_INVALID', 'name one agent, since a Markdown file holds a single one');
  }
  const { profile } = await registry.show(agentId);
  if (form === 'markdown') return plainText(markdownOf(profile));
  return pretty(form === 'card' ? cardOf(profile) : profile);
}

function pretty(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Prints a line for each agent file that was refused. */
function tellProblems(command: DataCommand, problems: readonly string[]): void {
  for (const problem of problems) writeError(command, 'BOSUN_PROFILE_INVALID', problem);
}

/** Runs work with a registry: of the named files, else of a running system, else of the package. */
function withRegistry(
  command: AgentsCommand,
  work: (registry: Registry) => Promise<ExitCode | void>,
): Promise<ExitCode> {
  return carriedOut(command, async () => {
    const { from, cwd } = command;
    if (from === undefined) return work((await liveRegistry(command)) ?? localRegistry(rosterOf([SHIPPED_ROSTER])));
    const { profiles, problems } = await readAgentFiles(from, cwd);
    tellProblems(command, problems);
    return work(localRegistry(rosterOf([{ source: from, profiles }])));
  });
}

function localRegistry(roster: readonly RosterRow[]): Registry {
  const rows = [...roster].sort((a, b) => byCodeUnit(a.profile.agentId, b.profile.agentId));
  const profiles = rows.map(({ profile }) => profile);
  return {
    // The request is checked by the rules themselves.
    recommend: async (request) => recommend(indexFor(profiles), request as RecommendRequest),
    capabilities: async (request) => capabilitiesOf(profiles, request as CapabilitiesRequest),
    guard: async () => guardReport(profiles),
    rows: async () => rows.map(shortRow),
    all: async () => profiles,
    async show(agentId) {
      const found = rows.find(({ profile }) => profile.agentId === agentId);
      if (found !== undefined) return found;
      const near = didYouMean(
        agentId,
        profiles.map((profile) => profile.agentId),
      );
      throw new BosunError('BOSUN_CALL_INVALID', `there is no agent ${agentId}${near}`);
    },
  };
}

interface LiveRegistry extends Registry {
  put(params: Fields): Promise<{ readonly taken: boolean; readonly problems: readonly string[] }>;
}

/** The registry of the running system; undefined if none runs, or if it offers none. */
async function liveRegistry(command: DataCommand): Promise<LiveRegistry | undefined> {
  const gateway = await LiveGateway.of(command);
  if (gateway === undefined) return undefined;
  const offers = new Map((await gateway.offers()).map((offer): [string, OfferedMethod] => [offer.name, offer]));
  if (!offers.has('agents.recommend')) return undefined;
  // The procedure's own schema checks what it answers.
  const call = async <Result>(name: string, params: Fields = {}) =>
    (await gateway.callOffered(offers.get(name)!, params)) as Result;
  const rows = async () => (await call<{ readonly agents: ReturnType<typeof shortRow>[] }>('agents.list')).agents;
  const show = (agentId: string) => call<RosterRow>('agents.show', { agentId });
  return {
    recommend: (request) => call('agents.recommend', request),
    capabilities: (request) => call('agents.capabilities', request),
    guard: () => call('agents.guard'),
    rows,
    show,
    async all() {
      const shown: AgentProfile[] = [];
      for (const { agentId } of await rows()) shown.push((await show(agentId)).profile);
      return shown;
    },
    put: (params) => call('agents.put', params),
  };
}
