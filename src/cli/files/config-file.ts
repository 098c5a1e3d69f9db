/**
 * `bosun.config.ts`, `.mts`, `.mjs`, `.js`, `.yaml`, `.yml` or `.json`: what `bosun serve` serves, and to whom. A
 * module can contain everything; YAML contains data, and names a module for its agents. Errors name their place in the
 * file.
 */
import { existsSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { createJiti } from 'jiti';
import { z } from 'zod';
import { isAgent } from '../../actors/api/agent-rules.ts';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { BosunError } from '../../errors.ts';
import { isProcedure, type Procedure, SCOPES } from '../../actors/api/procedure.ts';
import { type TokenOptions } from '../../gateway/callers/callers.ts';
import { type GatewayOptions } from '../../gateway/network/server.ts';
import { WORKERS_MAX } from '../../limits.ts';
import { agentProcedures, registryOf } from '../../crew-agents.ts';
import { PACKAGE_SOURCE, type RosterSource, SHIPPED_ROSTER } from '../../machines/agents/roster.ts';
import { crewAgents } from '../../machines/crew.ts';
import { closed } from '../../closed-object.ts';
import { type BossOptions } from '../../supervisor/child-spec.ts';
import { unknownAgent } from '../../supervisor/named-agents.ts';
import { readAgentFiles } from './agent-files.ts';
import { exportedAgents, reasonOf } from './agents-module.ts';
import { type Environment } from '../surroundings.ts';
import { explain, type Problem, problemOf, readYaml, sentence } from './yaml-source.ts';

/** File names in the order in which they are tried. */
export const CONFIG_FILES = ['ts', 'mts', 'mjs', 'js', 'yaml', 'yml', 'json'].map((ending) => `bosun.config.${ending}`);

export interface Config {
  /** The path as the user wrote it. */
  readonly file: string;
  /** Absolute path of the data directory; undefined if the file does not name one. */
  readonly data: string | undefined;
  /** Absolute path of the plan; undefined if the file does not name one. */
  readonly plan: string | undefined;
  readonly agents: readonly AnyAgent[];
  readonly tree: BossOptions | undefined;
  /** The sources of agent profiles; undefined if the file names none. */
  readonly roster: readonly RosterSource[] | undefined;
  readonly residentActors: number | undefined;
  /** Number of worker threads for agents and tree; undefined: none. */
  readonly workers: number | undefined;
  readonly gateway: Omit<GatewayOptions, 'log' | 'clock' | 'operator' | 'announce'>;
}

const text = z.string().min(1);
const count = z.number().int().min(1);
const rate = closed({ burst: z.number().positive(), perSecond: z.number().positive() });

const token = closed({
  id: text,
  token: z.string().min(16).optional(),
  tokenEnv: text.optional().describe('Name of the variable of the environment that has the token.'),
  scopes: z.array(z.enum(SCOPES)).optional(),
  addresses: z.array(text).optional(),
  person: text.optional().describe('The person who holds the token, in whose name alone its caller speaks.'),
  isAgent: z.boolean().optional().describe('Whether a coding agent holds the token.'),
});

const gateway = closed({
  port: z.number().int().min(0).max(65_535).optional(),
  host: text.optional(),
  hosts: z.array(text).optional(),
  origins: z.array(text).optional(),
  tokens: z.array(token).optional(),
  jwt: z
    .custom<GatewayOptions['jwt']>(
      (value) => isRecord(value) && 'key' in value && 'audience' in value,
      'must have a key and an audience',
    )
    .optional(),
  procedures: z
    .record(z.string(), z.custom<Procedure>(isProcedure, 'must be made by procedure() of this copy of bosun'))
    .optional(),
  destructive: z.boolean().optional(),
  rate: rate.optional(),
  mcpRate: closed({ perSecond: count.optional(), perMinute: count.optional(), allPerMinute: count.optional() })
    .optional()
    .describe("Rates of tools' calls by coding agents."),
  connectRate: rate.optional(),
});

const schema = closed({
  data: text.optional(),
  plan: text.optional(),
  agents: z
    .custom<string | readonly AnyAgent[]>(
      (value) => typeof value === 'string' || (Array.isArray(value) && value.every(isAgent)),
      'must be a list of agents made by defineAgent, or the path of a module that exports them',
    )
    .optional(),
  tree: z.custom<BossOptions>(isRecord, 'must be the options of the root Boss').optional(),
  roster: z
    .union([text, z.array(text).min(1)])
    .optional()
    .describe('Agent files, folders of them, or "package": what the registry of agents begins with.'),
  residentActors: z.number().int().min(1).optional(),
  workers: z.number().int().min(1).max(WORKERS_MAX).optional(),
  gateway: gateway.optional(),
});

type Written = z.output<typeof schema>;

export interface ConfigPlace {
  /** The path as the user wrote it; undefined to search for a config in `cwd`. */
  readonly file: string | undefined;
  readonly cwd: string;
  readonly env: Environment;
}

/** Reads the config; undefined if none is named and none exists. Rejects with BOSUN_CONFIG_INVALID. */
export async function readConfig({ file, cwd, env }: ConfigPlace): Promise<Config | undefined> {
  const found = file ?? CONFIG_FILES.find((name) => existsSync(join(cwd, name)));
  if (found === undefined) return undefined;
  const path = resolve(cwd, found);
  const { value, refuse } = ['.yaml', '.yml', '.json'].includes(extname(path))
    ? await readYaml({ file: found, path, kind: 'config file', code: 'BOSUN_CONFIG_INVALID' })
    : await readModule(found, path);
  const parsed = schema.safeParse(value, { error: explain });
  if (!parsed.success) throw refuse(parsed.error.issues.map(problemOf));
  const { data, plan, agents = [], tree, residentActors, workers, gateway: door = {} } = parsed.data;
  const tokens = tokensOf(door.tokens ?? [], env, refuse);
  const from = dirname(path);
  const registry = await registryFor(parsed.data.roster, from);
  const own = [
    ...(typeof agents === 'string' ? await exportedAgents(agents, { cwd: from }) : agents),
    ...(registry?.agents ?? []),
  ];
  const names = new Set([...own, ...crewAgents].map(({ name }) => name));
  const unknown = unknownAgent(tree, { isKnown: (name) => names.has(name), names });
  if (unknown !== undefined) throw refuse([unknown]);
  return {
    file: found,
    data: data && resolve(from, data),
    plan: plan && resolve(from, plan),
    agents: own,
    tree: registry === undefined ? tree : beside(registry.tree, tree),
    roster: registry?.roster,
    residentActors,
    workers,
    gateway: given({
      ...door,
      procedures: { ...registry?.procedures, ...door.procedures },
      tokens,
    }) as Config['gateway'],
  };
}

/** The registry of agents that a config asks for; undefined if it names no roster. */
async function registryFor(roster: string | readonly string[] | undefined, cwd: string) {
  if (roster === undefined) return undefined;
  const sources: RosterSource[] = [];
  for (const source of [roster].flat()) {
    if (source === PACKAGE_SOURCE) sources.push(SHIPPED_ROSTER);
    else {
      const { sources: files, problems } = await readAgentFiles(source, cwd);
      // A service does not begin with half of its agents.
      if (problems.length > 0) throw new BosunError('BOSUN_CONFIG_INVALID', problems[0]!, { details: { problems } });
      sources.push(...files);
    }
  }
  return { ...registryOf({ roster: sources }), roster: sources, procedures: agentProcedures() };
}

/** Options with the children of one tree before those of another. The other's options apply. */
function beside(first: BossOptions, tree: BossOptions = {}): BossOptions {
  return { ...tree, children: [...(first.children ?? []), ...(tree.children ?? [])] };
}

interface Source {
  readonly value: unknown;
  refuse(problems: readonly Problem[]): BosunError;
}

async function readModule(file: string, path: string): Promise<Source> {
  const refuse = (problems: readonly Problem[]): BosunError => {
    const lines = problems.map((problem) => `${file}: ${sentence(problem)}`);
    return new BosunError(
      'BOSUN_CONFIG_INVALID',
      `${lines[0]}${lines.length > 1 ? ` (and ${lines.length - 1} more)` : ''}`,
      { details: { file, line: null, column: null, problems: lines } },
    );
  };
  let module: { readonly default?: unknown };
  try {
    module = await createJiti(import.meta.url, { interopDefault: false }).import<{ default?: unknown }>(path);
  } catch (error) {
    throw loadFailure(file, path, error);
  }
  if (!isRecord(module.default)) throw refuse([{ path: [], message: 'must export its settings as default' }]);
  return { value: module.default, refuse };
}

/** The error of a config that cannot be loaded; a syntax error has its place in the file. */
function loadFailure(file: string, path: string, error: unknown): BosunError {
  const message = reasonOf(error);
  const at = message.indexOf(`${path}:`);
  const [, line, column] = at < 0 ? [] : (/^:(\d+):(\d+)/.exec(message.slice(at + path.length)) ?? []);
  const place = line === undefined ? '' : `:${line}:${column}`;
  const details = {
    file,
    line: line === undefined ? null : Number(line),
    column: column === undefined ? null : Number(column),
  };
  return new BosunError(
    'BOSUN_CONFIG_INVALID',
    `${file}${place}: cannot be loaded: ${sentenceOf(message).replaceAll(path, file).trim()}`,
    { cause: error, details },
  );
}

/** The sentence with which a message begins. One that ends with a colon goes on in the next line, as XState's do. */
function sentenceOf(message: string): string {
  const [first = '', second = ''] = message.split('\n');
  return first.endsWith(':') ? `${first} ${second.trim()}` : first;
}

function tokensOf(
  written: NonNullable<NonNullable<Written['gateway']>['tokens']>,
  env: Environment,
  refuse: Source['refuse'],
): TokenOptions[] {
  return written.map(({ token: plain, tokenEnv, ...rest }, index) => {
    const path = ['gateway', 'tokens', index];
    if ((plain === undefined) === (tokenEnv === undefined))
      throw refuse([{ path, message: 'needs either a token or a tokenEnv' }]);
    const secret = plain ?? env[tokenEnv!];
    if (secret === undefined || secret === '')
      throw refuse([{ path: [...path, 'tokenEnv'], message: `the environment variable ${tokenEnv} is not set` }]);
    return given({ ...rest, token: secret }) as TokenOptions;
  });
}

/** Options without undefined values: an option passed as undefined differs from an absent one. */
function given(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
