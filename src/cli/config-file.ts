/**
 * `bosun.config.ts`, `.mts`, `.mjs`, `.js`, `.yaml`, `.yml` or `.json`: what `bosun serve` serves, and to whom. A
 * module can give everything; YAML what is data, and its agents by the path of a module. What is wrong is said with its
 * place.
 */
import { existsSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { createJiti } from 'jiti';
import { z } from 'zod';
import { type AnyAgent } from '../actors/model/agent.ts';
import { BosunError } from '../errors.ts';
import { SCOPES, type TokenOptions } from '../gateway/client/callers.ts';
import { type GatewayOptions } from '../gateway/network/server.ts';
import { WORKERS_MAX } from '../limits.ts';
import { crewAgents } from '../machines/coordination/crew.ts';
import { closed } from '../machines/coordination/plan/closed-object.ts';
import { didYouMean } from '../near-names.ts';
import { type BossOptions } from '../supervisor/child-spec.ts';
import { reasonOf } from './agents-module.ts';
import { exportedAgents, isAgent } from './check-command.ts';
import { type Environment } from './surroundings.ts';
import { explain, type Problem, problemOf, readYaml, sentence } from './yaml-source.ts';

/** In the order in which they are looked for. */
export const CONFIG_FILES = ['ts', 'mts', 'mjs', 'js', 'yaml', 'yml', 'json'].map((ending) => `bosun.config.${ending}`);

export interface Config {
  /** As the user knows it. */
  readonly file: string;
  /** Absolute; undefined where the file does not say. */
  readonly data: string | undefined;
  /** Absolute. */
  readonly plan: string | undefined;
  readonly agents: readonly AnyAgent[];
  readonly tree: BossOptions | undefined;
  readonly residentActors: number | undefined;
  /** How many threads to spread agents and tree over; undefined: none. */
  readonly workers: number | undefined;
  readonly gateway: Omit<GatewayOptions, 'log' | 'clock' | 'operator'>;
}

const text = z.string().min(1);
const rate = closed({ burst: z.number().positive(), perSecond: z.number().positive() });

const token = closed({
  id: text,
  token: z.string().min(16).optional(),
  tokenEnv: text.optional().describe('Name of the variable of the environment that has the token.'),
  scopes: z.array(z.enum(SCOPES)).optional(),
  addresses: z.array(text).optional(),
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
  destructive: z.boolean().optional(),
  rate: rate.optional(),
  connectRate: rate.optional(),
});

const schema = closed({
  data: text.optional(),
  plan: text.optional(),
  agents: z
    .custom<string | readonly AnyAgent[]>(
      (value) => typeof value === 'string' || (Array.isArray(value) && value.every(isAgent)),
      'must be agents made by defineAgent, or the path of a module that exports them',
    )
    .optional(),
  tree: z.custom<BossOptions>(isRecord, 'must be the options of the root Boss').optional(),
  residentActors: z.number().int().min(1).optional(),
  workers: z.number().int().min(1).max(WORKERS_MAX).optional(),
  gateway: gateway.optional(),
});

type Written = z.output<typeof schema>;

export interface ConfigPlace {
  /** As the user wrote it; undefined to look for one in `cwd`. */
  readonly file: string | undefined;
  readonly cwd: string;
  readonly env: Environment;
}

/** Undefined where none is named and none is there. Rejects with BOSUN_CONFIG_INVALID. */
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
  const own = typeof agents === 'string' ? await exportedAgents(agents, { cwd: from }) : agents;
  const unknown = unknownAgent(tree, ['tree'], new Set([...own, ...crewAgents].map(({ name }) => name)));
  if (unknown !== undefined) throw refuse([unknown]);
  return {
    file: found,
    data: data && resolve(from, data),
    plan: plan && resolve(from, plan),
    agents: own,
    tree,
    residentActors,
    workers,
    gateway: given({ ...door, tokens }) as Config['gateway'],
  };
}

/**
 * The first child whose agent nobody has: at the start its Boss would give up for it. Whether the tree is one at all is
 * createSystem's to say.
 */
function unknownAgent(
  tree: unknown,
  path: readonly (string | number)[],
  known: ReadonlySet<string>,
): Problem | undefined {
  if (!isRecord(tree)) return undefined;
  const { children, template } = tree;
  const places = [
    ...(Array.isArray(children)
      ? children.map((child: unknown, index) => [child, [...path, 'children', index]] as const)
      : []),
    [template, [...path, 'template']] as const,
  ];
  for (const [child, place] of places) {
    if (!isRecord(child)) continue;
    const { agent, boss } = child;
    if (typeof agent === 'string' && !known.has(agent))
      return { path: [...place, 'agent'], message: `unknown agent "${agent}"${didYouMean(agent, known)}` };
    const below = unknownAgent(boss, [...place, 'boss'], known);
    if (below !== undefined) return below;
  }
  return undefined;
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
  if (!isRecord(module.default)) throw refuse([{ path: [], message: 'has to export its settings as default' }]);
  return { value: module.default, refuse };
}

/** Of a fault of syntax with its place in the file. */
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
    `${file}${place}: cannot be loaded: ${message.split('\n')[0]!.replaceAll(path, file).trim()}`,
    { cause: error, details },
  );
}

function tokensOf(
  written: NonNullable<NonNullable<Written['gateway']>['tokens']>,
  env: Environment,
  refuse: Source['refuse'],
): TokenOptions[] {
  return written.map(({ token: plain, tokenEnv, ...rest }, index) => {
    const path = ['gateway', 'tokens', index];
    if ((plain === undefined) === (tokenEnv === undefined))
      throw refuse([{ path, message: 'needs a token or a tokenEnv, and not both' }]);
    const secret = plain ?? env[tokenEnv!];
    if (secret === undefined || secret === '')
      throw refuse([{ path: [...path, 'tokenEnv'], message: `the environment has no ${tokenEnv}` }]);
    return given({ ...rest, token: secret }) as TokenOptions;
  });
}

/** Without what is undefined: an option that is given as undefined is not the same as one that is not given. */
function given(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
