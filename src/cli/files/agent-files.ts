/**
 * Agent files of a person or a team: Markdown as Claude Code has it, profiles and A2A cards in YAML or JSON, one file
 * or a folder with all below it. A file that is wrong is told with its line, and the others are read.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative, resolve } from 'node:path';
import { BosunError, isBosunError, messageOf } from '../../errors.ts';
import { type AgentProfile, agentProfileSchema } from '../../machines/agents/profile.ts';
import {
  type Imported,
  isAgentCard,
  profileFromCard,
  profileFromMarkdown,
} from '../../machines/agents/profile-import.ts';
import { profileProblem, type RosterSource } from '../../machines/agents/roster.ts';
import { plainLine } from '../../plain-text.ts';
import { explain, FILE_BYTES_MAX, problemOf, readYaml } from './yaml-source.ts';

/**
 * Most files of a folder that are read: a folder of agents has hundreds, a home directory given by mistake many more.
 */
const FILES_MAX = 10_000;

const DATA = ['.yaml', '.yml', '.json'];

/** Matches Markdown files that describe the folder instead of an agent. */
const NO_AGENTS = /^(readme|contributing|license|changelog|index|claude|agents)\.md$/i;

/** The profiles that were read, by file, and a line for each file that was refused. */
export interface AgentFiles {
  readonly sources: readonly RosterSource[];
  /** Problems as lines such as `reviewer.md:3: the agent has no description: ...`. */
  readonly problems: readonly string[];
}

/**
 * Reads a file or a folder. Rejects with BOSUN_PROFILE_INVALID if there is none, or if no file has an agent.
 *
 * @param path As the user wrote it.
 */
export async function readAgentFiles(path: string, cwd: string): Promise<AgentFiles> {
  const files = await filesAt(path, cwd);
  const sources: RosterSource[] = [];
  const fileOf = new Map<string, string>();
  const problems: string[] = [];
  for (const file of files) {
    const profiles: AgentProfile[] = [];
    for (const read of await readAgentFile(file, cwd)) {
      if (typeof read === 'string') {
        problems.push(plainLine(read));
        continue;
      }
      const before = fileOf.get(read.agentId);
      if (before !== undefined)
        problems.push(`${file}:1: the agent ${read.agentId} is in ${before} too: rename one of them`);
      else {
        fileOf.set(read.agentId, file);
        profiles.push(read);
      }
    }
    if (profiles.length > 0) sources.push({ source: file, profiles });
  }
  if (sources.length === 0)
    throw new BosunError(
      'BOSUN_PROFILE_INVALID',
      problems[0] ?? `${path}: there is no agent file (.md, .yaml or .json)`,
      {
        details: { problems },
      },
    );
  return { sources, problems };
}

async function filesAt(path: string, cwd: string): Promise<string[]> {
  const place = resolve(cwd, path);
  try {
    if (!(await stat(place)).isDirectory()) return [path];
    const entries = await readdir(place, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .filter(({ name }) => (extname(name) === '.md' ? !NO_AGENTS.test(name) : DATA.includes(extname(name))))
      .map((entry) => join(path, relative(place, join(entry.parentPath, entry.name))));
    if (files.length <= FILES_MAX) return files.sort();
    throw new BosunError(
      'BOSUN_PROFILE_INVALID',
      `${path}: ${files.length} files are too many: name a folder of agents`,
    );
  } catch (error) {
    if (isBosunError(error)) throw error;
    const why = (error as { readonly code?: unknown }).code === 'ENOENT' ? 'no such file or folder' : messageOf(error);
    throw new BosunError('BOSUN_PROFILE_INVALID', `${path}: ${why}`, { cause: error });
  }
}

/** The profiles of a file, or one line per problem. */
async function readAgentFile(file: string, cwd: string): Promise<(AgentProfile | string)[]> {
  const path = resolve(cwd, file);
  if (DATA.includes(extname(file))) return readData(file, path);
  let text: string;
  try {
    const bytes = await readFile(path);
    if (bytes.length > FILE_BYTES_MAX) return [`${file}:1: is larger than ${FILE_BYTES_MAX} bytes: shorten it`];
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const why =
      isBosunError(error) || error instanceof TypeError ? 'is no text in UTF-8: save it as UTF-8' : messageOf(error);
    return [`${file}:1: ${why}`];
  }
  return [resultOf(file, profileFromMarkdown({ file, text }))];
}

async function readData(file: string, path: string): Promise<(AgentProfile | string)[]> {
  try {
    const { value, refuse } = await readYaml({ file, path, kind: 'agent file', code: 'BOSUN_PROFILE_INVALID' });
    if (isAgentCard(value)) return [resultOf(file, profileFromCard(value))];
    const list = listIn(value);
    return list.map(({ profile, path: at }) => {
      const { data, error } = agentProfileSchema.safeParse(profile, { error: explain });
      if (error === undefined) return withinBounds(file, data);
      return messageOf(refuse(error.issues.map(problemOf).map((one) => ({ ...one, path: [...at, ...one.path] }))));
    });
  } catch (error) {
    if (!isBosunError(error)) throw error;
    return [error.message];
  }
}

/** The profiles of a file: one, a list, or a list under `agents`. */
function listIn(value: unknown): { readonly profile: unknown; readonly path: (string | number)[] }[] {
  if (Array.isArray(value)) return value.map((profile: unknown, index) => ({ profile, path: [index] }));
  const { agents } = (value ?? {}) as { readonly agents?: unknown };
  if (Array.isArray(agents)) return agents.map((profile: unknown, index) => ({ profile, path: ['agents', index] }));
  return [{ profile: value, path: [] }];
}

function resultOf(file: string, imported: Imported): AgentProfile | string {
  if ('problem' in imported) return `${file}:${imported.problem.line}: ${imported.problem.message}`;
  return withinBounds(file, imported.profile);
}

function withinBounds(file: string, profile: AgentProfile): AgentProfile | string {
  const problem = profileProblem(profile);
  return problem === undefined ? profile : `${file}:1: ${problem}`;
}
