/**
 * Reads the file of a run, YAML or JSON, with the functions of its module. Parsing is in yaml-source.ts, the meaning in
 * machines/hub/hub-file.ts.
 */
import { statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createJiti } from 'jiti';
import { type ModelFunction, type SpokeFunction } from '../../crew-hub.ts';
import { PROBLEMS_MAX } from '../../machines/coordination/plan/plan.ts';
import { type HubFile, hubFileSchema, hubOfForm, type HubOrder } from '../../machines/hub/hub-file.ts';
import { PRESETS } from '../../machines/hub/presets.ts';
import { didYouMean } from '../../near-names.ts';
import { messageOf } from '../../errors.ts';
import { Git } from '../../spokes/git.ts';
import { reasonOf } from '../files/agents-module.ts';
import { mcpClient } from '../sessions/session-tool.ts';
import { type Environment } from '../surroundings.ts';
import { explain, type Problem, problemOf, readYaml, type YamlSource } from '../files/yaml-source.ts';

export interface HubSource {
  /** The path as given. */
  readonly file: string;
  /** The name of the run, and the id of its work plan. */
  readonly plan: string;
  readonly order: HubOrder;
  /** Functions by name, as the module exports them. */
  readonly functions: Readonly<Record<string, SpokeFunction & ModelFunction>>;
  /** Names that worktrees share with the workspace. */
  readonly links: readonly string[];
  /** The command that reports errors when a session was interrupted. */
  readonly check: HubFile['check'];
}

interface HubFilePlace {
  readonly file: string;
  readonly cwd: string;
  /** The environment of the run, which has to have the programs of its agents. Default: they are not looked for. */
  readonly env?: Environment;
}

/**
 * Reads the file of a run. `file` is as the user wrote it and may be relative to `cwd`. Rejects with
 * BOSUN_CONFIG_INVALID; details: `file`, `line` and `column` (from 1; null without a place), `problems` (all lines).
 */
export async function readHubFile({ file, cwd, env }: HubFilePlace): Promise<HubSource> {
  const path = resolve(cwd, file);
  const { value, refuse } = await readYaml({ file, path, kind: 'hub file', code: 'BOSUN_CONFIG_INVALID' });
  const parsed = hubFileSchema.safeParse(value, { error: explain });
  if (!parsed.success) throw refuse(parsed.error.issues.slice(0, PROBLEMS_MAX).map(problemOf));
  const form = parsed.data;
  const workspace = resolve(dirname(path), form.workspace);
  const normalised = hubOfForm(form, workspace);
  const problems: readonly Problem[] = [
    ...('problems' in normalised ? normalised.problems : []),
    ...(statSync(workspace, { throwIfNoEntry: false })?.isDirectory() === true
      ? []
      : [{ path: ['workspace'], message: `${workspace} is no directory` }]),
  ];
  if (problems.length > 0 || 'problems' in normalised) throw refuse(problems);
  const { order } = normalised;
  const homeless = await treeProblems(order);
  if (homeless.length > 0) throw refuse(homeless);
  const functions = await functionsOf(form.module, { folder: dirname(path), refuse });
  const programs = env === undefined ? [] : await missingPrograms(order, env);
  const missing = [...missingFunctions(order, { functions, module: form.module }), ...programs];
  if (missing.length > 0) throw refuse(missing);
  return { file, plan: form.hub, order, functions, links: form.links, check: form.check };
}

/** Problems of agents that need a worktree where none can be made. */
async function treeProblems({ agents, workspace }: HubOrder): Promise<Problem[]> {
  const roles = Object.entries(agents).flatMap(([role, { isIsolated }]) => (isIsolated ? [role] : []));
  if (roles.length === 0 || (await Git.at(workspace)) !== undefined) return [];
  const message =
    `${workspace} is in no git repository, and an agent that changes files gets a worktree of one: run "git init" ` +
    'there, or write "isolation: none", with which it changes the files of the workspace directly';
  return roles.map((role) => ({ path: ['agents', role, 'writes'], message }));
}

async function functionsOf(
  module: string | undefined,
  { folder, refuse }: { readonly folder: string } & Pick<YamlSource, 'refuse'>,
): Promise<HubSource['functions']> {
  if (module === undefined) return {};
  let loaded: Record<string, unknown>;
  try {
    loaded = await createJiti(import.meta.url).import<Record<string, unknown>>(resolve(folder, module));
  } catch (error) {
    throw refuse([{ path: ['module'], message: `cannot be loaded: ${reasonOf(error)}` }]);
  }
  const { default: main } = loaded;
  const exported = { ...(typeof main === 'object' ? main : {}), ...loaded };
  return Object.fromEntries(Object.entries(exported).filter(([, value]) => typeof value === 'function')) as Record<
    string,
    SpokeFunction & ModelFunction
  >;
}

/** Problems of agents whose function is not there. */
function missingFunctions(
  { agents, decides }: HubOrder,
  { functions, module }: Pick<HubSource, 'functions'> & { readonly module: string | undefined },
): Problem[] {
  const places = [
    { path: ['decides', 'function'], does: decides },
    ...Object.entries(agents).map(([role, { does }]) => ({ path: ['agents', role, does.kind], does })),
  ];
  return places.flatMap(({ path, does }) => {
    if ((does.kind !== 'function' && does.kind !== 'model') || Object.hasOwn(functions, does.name)) return [];
    const names = Object.keys(functions);
    const wayOut = didYouMean(does.name, names) || (names.length === 0 ? '' : `; it exports ${names.join(', ')}`);
    const message =
      module === undefined
        ? 'the file names no "module" that exports it'
        : `${module} exports no function "${does.name}"${wayOut}`;
    return [{ path, message }];
  });
}

/** Problems of agents that need a program or a package that is not here. */
async function missingPrograms({ agents }: HubOrder, { PATH = '' }: Environment): Promise<Problem[]> {
  const isThere = (program: string) =>
    PATH.split(delimiter).some((folder) => folder !== '' && isExecutable(join(folder, program)));
  const problems = Object.entries(agents).map(async ([role, { does }]): Promise<Problem[]> => {
    if (does.kind === 'mcp') {
      const problem = await mcpClient().then(
        () => [],
        (error: unknown) => [messageOf(error)],
      );
      return problem.map((message) => ({ path: ['agents', role, 'mcp'], message }));
    }
    const program = does.kind === 'command' ? does.usage : undefined;
    if (program === undefined || isThere(program)) return [];
    const message = `there is no program "${program}" in PATH: ${PRESETS[program].install}`;
    return [{ path: ['agents', role, 'preset'], message }];
  });
  return (await Promise.all(problems)).flat();
}

function isExecutable(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts?.isFile() === true && (facts.mode & 0o111) !== 0;
}
