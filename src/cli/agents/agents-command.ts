/**
 * `bosun agents ...`: from agent files, from the registry of a running system, or else from the profiles of the
 * package.
 */
import { resolve } from 'node:path';
import { BosunError } from '../../errors.ts';
import { Catalogue, type Question } from '../../crew-catalogue.ts';
import { type CapabilitiesRequest, type RecommendRequest } from '../../machines/agents/profile.ts';
import { markdownOf } from '../../machines/agents/profile-export.ts';
import { type AgentRow, rosterOf, SHIPPED_ROSTER } from '../../machines/agents/roster.ts';
import { plainLine, plainText } from '../../plain-text.ts';
import { readAgentFiles } from '../files/agent-files.ts';
import { carriedOut, EXIT, type ExitCode, writeError } from '../exit-codes.ts';
import { LiveGateway } from '../reach/live-gateway.ts';
import { writeOutput } from '../output-file.ts';
import { jsonLine } from '../json-lines.ts';
import { type DataCommand } from '../surroundings.ts';
import { factsText, tableText } from '../table.ts';

/** A verb on agents. */
export interface AgentsCommand extends DataCommand {
  /** A file or folder of agent files; undefined for a running system or the package. */
  readonly from: string | undefined;
}

/** Answers a question about agents: from files, from the package, or from a running system. */
type Ask = <Asked extends Question>(
  question: Asked,
  params: Parameters<Catalogue[Asked]>[0],
) => Promise<Awaited<ReturnType<Catalogue[Asked]>>>;

type Fields = Readonly<Record<string, unknown>>;

export function listAgents(command: AgentsCommand): Promise<ExitCode> {
  return withAgents(command, async (ask) => {
    const { agents } = await ask('list', undefined);
    if (command.json) return void command.out.write(agents.map(jsonLine).join(''));
    const cells = agents.map((row) => [
      row.agentId,
      row.role ?? '',
      row.team ?? '',
      row.category ?? '',
      sourceOf(row),
      row.runs,
    ]);
    command.out.write(tableText([['AGENT', 'ROLE', 'TEAM', 'CATEGORY', 'SOURCE', 'RUNS'], ...cells]));
  });
}

function sourceOf({ enabled, source }: Pick<AgentRow, 'enabled' | 'source'>): string {
  return enabled ? source : `${source}, disabled`;
}

export function showAgent(command: AgentsCommand, agentId: string): Promise<ExitCode> {
  return withAgents(command, async (ask) => {
    const row = await ask('show', { agentId });
    if (command.json) return void command.out.write(jsonLine(row));
    const { profile, source, runs } = row;
    const { selectionMetadata: meta = {} } = profile;
    const facts = factsText([
      ['agent', profile.agentId],
      ['role', profile.role ?? null],
      ['team', profile.team ?? null],
      ['category', meta.agentCategory ?? null],
      ['source', sourceOf({ ...profile, source })],
      ['runs', runs],
      ['description', profile.description],
      ['capabilities', (profile.capabilities ?? []).join(', ')],
      ['examples', (meta.exampleTasks ?? []).join('; ')],
      ['not for', (meta.notForTasks ?? []).join('; ')],
    ]);
    command.out.write(facts);
  });
}

/** Recommends agents. Text also says what runs each; `--json` is the result as every door gives it. */
export function recommendAgent(command: AgentsCommand, request: Fields): Promise<ExitCode> {
  return withAgents(command, async (ask) => {
    // The request is checked by the rules themselves.
    const result = await ask('recommend', request as RecommendRequest);
    if (command.json) return void command.out.write(jsonLine(result));
    const { recommended, confidence, reason, alternatives, explanation = [] } = result;
    const runs = new Map((await ask('list', undefined)).agents.map((row) => [row.agentId, row.runs]));
    const rows = [{ agentId: recommended, confidence, reason }, ...alternatives].map((row) => [
      row.agentId,
      row.confidence.toFixed(2),
      runs.get(row.agentId) ?? '',
      row.reason ?? '',
    ]);
    command.out.write(tableText([['AGENT', 'CONFIDENCE', 'RUNS', 'REASON'], ...rows]));
    for (const { agentId, points, factors } of explanation) {
      const lines = factors.map((factor) => [String(factor.points).padStart(6), factor.kind, factor.evidence]);
      command.out.write(`\n${agentId}: ${points} points\n${lines.length === 0 ? '' : tableText(lines)}`);
    }
  });
}

export function listCapabilities(command: AgentsCommand, request: Fields): Promise<ExitCode> {
  return withAgents(command, async (ask) => {
    const result = await ask('capabilities', request as CapabilitiesRequest);
    if (command.json) return void command.out.write(jsonLine(result));
    const rows = result.capabilities.map((name) => [name, result.agentsByCapability[name]!.join(', ')]);
    command.out.write(tableText([['CAPABILITY', 'AGENTS'], ...rows]));
  });
}

/** Checks a roster. Resolves to exit code 1 if the gate warns, like other checks. */
export function guardAgents(command: AgentsCommand): Promise<ExitCode> {
  return withAgents(command, async (ask) => {
    const report = await ask('guard', undefined);
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
    const { sources, problems } = await readAgentFiles(path, cwd);
    tellProblems(command, problems);
    const live = await liveRegistry(command);
    let refusals = problems.length;
    for (const { source, profiles } of sources)
      for (const profile of profiles) {
        if (live === undefined) {
          out.write(jsonLine(profile));
          continue;
        }
        const params = { profile, source, replace };
        const { taken, problems: why } = await live<{ taken: boolean; problems: string[] }>('agents.put', params);
        if (!taken) refusals += 1;
        const { agentId } = profile;
        const said = taken ? 'registered' : why.join('; ');
        out.write(command.json ? jsonLine({ agentId, taken, problems: why }) : `${agentId}  ${said}\n`);
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
  return withAgents(command, async (ask) => {
    const text = await exported(ask, agentId, form);
    if (file === undefined) command.out.write(text);
    else await writeOutput(resolve(command.cwd, file), text);
  });
}

async function exported(ask: Ask, agentId: string | undefined, form: Export['form']): Promise<string> {
  if (form === 'catalog') return pretty(await ask('catalog', undefined));
  if (agentId !== undefined) {
    if (form === 'card') return pretty(await ask('card', { agentId }));
    const { profile } = await ask('show', { agentId });
    return form === 'markdown' ? plainText(markdownOf(profile)) : pretty(profile);
  }
  if (form === 'card') return pretty(await ask('systemCard', undefined));
  if (form === 'markdown')
    throw new BosunError('BOSUN_CALL_INVALID', 'name one agent, since a Markdown file holds a single one');
  const profiles: object[] = [];
  for (const row of (await ask('list', undefined)).agents) profiles.push((await ask('show', row)).profile);
  return pretty({ agents: profiles });
}

function pretty(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Prints a line for each agent file that was refused. */
function tellProblems(command: DataCommand, problems: readonly string[]): void {
  for (const problem of problems) writeError(command, 'BOSUN_PROFILE_INVALID', problem);
}

/** Runs work that asks about agents: those of the named files, else of a running system, else of the package. */
function withAgents(command: AgentsCommand, work: (ask: Ask) => Promise<ExitCode | void>): Promise<ExitCode> {
  return carriedOut(command, async () => {
    const { from, cwd } = command;
    if (from !== undefined) {
      const { sources, problems } = await readAgentFiles(from, cwd);
      tellProblems(command, problems);
      return work(askOf(new Catalogue(rosterOf(sources))));
    }
    const live = await liveRegistry(command);
    if (live === undefined) return work(askOf(new Catalogue(rosterOf([SHIPPED_ROSTER]))));
    return work((question, params) => live(`agents.${question}`, { ...params }));
  });
}

function askOf(catalogue: Catalogue): Ask {
  // The methods of a catalogue are a map from questions to functions, which TypeScript does not follow.
  return async (question, params) => (catalogue[question] as (asked: unknown) => never).call(catalogue, params);
}

type Live = <Result>(procedure: string, params: Fields) => Promise<Result>;

/**
 * Calls the registry of the running system. Undefined if none runs, or if the system on the data directory has no
 * registry. A gateway that is named by its URL must have one.
 */
async function liveRegistry(command: DataCommand): Promise<Live | undefined> {
  const gateway = await LiveGateway.of(command);
  if (gateway === undefined) return undefined;
  const offers = new Map((await gateway.offers()).map((offer) => [offer.name, offer]));
  // The procedure's own schema checks what it answers.
  if (offers.has('agents.recommend'))
    return async <Result>(name: string, params: Fields) =>
      (await gateway.callOffered(offers.get(name)!, params)) as Result;
  if (command.remote === undefined) return undefined;
  throw new BosunError(
    'BOSUN_CALL_INVALID',
    `the system at ${gateway.url} has no registry of agents: serve it with a roster, or leave out --url`,
  );
}
