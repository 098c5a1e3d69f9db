/**
 * Resources and prompts of MCP as plain data, made from the marked rows of the table of methods beside the tools
 * (tool-row.ts), so that a program that serves them elsewhere can be told of them too.
 */
import { type Does, type PromptMark, type ResourceMark, type Scope } from '../../actors/api/procedure.ts';
import { BosunError } from '../../errors.ts';
import { type Caller } from '../callers/callers.ts';
import { type GrantableRow, isOpenTo } from '../callers/grants.ts';
import { type MethodRow } from './method-row.ts';
import { mayCall, type ToolReader, type ToolRow } from './tool-row.ts';

/** Resources of one kind, and the method that reads them. */
export interface ResourceRow extends ResourceMark, GrantableRow {
  /** The beginning of their URIs, before the value of the parameter. */
  readonly prefix: string;
  readonly parameter: string;
  readonly scope: Scope;
  readonly does: Does;
}

/** A prompt with the scope of the method that it needs. */
export interface PromptRow extends PromptMark, GrantableRow {
  readonly scope: Scope;
}

/** All that clients of MCP see of a system. */
export interface McpRows {
  readonly tools: readonly ToolRow[];
  readonly resources: readonly ResourceRow[];
  readonly prompts: readonly PromptRow[];
  /**
   * Whether these are the rows of a caller whose token names its methods: all of its tools are listed, and the guide is
   * not. Default: false.
   */
  readonly areGranted?: boolean;
}

type NamedRow = readonly [method: string, row: MethodRow];

/** Matches a URI that ends in its only parameter: the prefix, and the name of the parameter. */
const URI = /^([a-z][a-z0-9+.-]*:\/\/[^{}]*)\{\+?(\w+)\}$/;

const PROMPT_NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** The kinds of resources among rows. Throws BOSUN_CONFIG_INVALID for a URI that is invalid or taken. */
export function resourcesOf(rows: readonly NamedRow[]): readonly ResourceRow[] {
  const resources = rows.flatMap(([method, row]) =>
    row.mcp?.resource === undefined ? [] : [resourceOf(method, row, row.mcp.resource)],
  );
  const twin = twinIn(resources, (one, other) => one.prefix.startsWith(other.prefix));
  if (twin !== undefined) throw refused(twin.method, `reads ${twin.uri}, and so does another one`);
  return resources;
}

function resourceOf(method: string, row: MethodRow, mark: ResourceMark): ResourceRow {
  const [, prefix, parameter] = URI.exec(mark.uri) ?? [];
  if (prefix === undefined || parameter === undefined)
    throw refused(method, `reads ${JSON.stringify(mark.uri)}: write a URI that ends in its parameter, scheme://{name}`);
  if (!Object.hasOwn(row.params.shape, parameter))
    throw refused(method, `reads ${mark.uri}, and has no parameter ${parameter}`);
  const { scope, does, isGranted = false } = row;
  if (does !== 'nothing') throw refused(method, `reads ${mark.uri}, and changes something: reading must not`);
  return { ...mark, method, prefix, parameter, scope, does, isGranted };
}

/** The prompts of rows. Throws BOSUN_CONFIG_INVALID for a name that is invalid or taken, and for an unused argument. */
export function promptsOf(rows: readonly NamedRow[]): readonly PromptRow[] {
  const prompts = rows.flatMap(([method, { mcp, scope, isGranted = false }]) =>
    (mcp?.prompts ?? []).map((prompt) => ({ ...prompt, method, scope, isGranted })),
  );
  for (const row of prompts) {
    const { method } = row;
    if (!PROMPT_NAME.test(row.name))
      throw refused(method, `has the prompt ${JSON.stringify(row.name)}: up to 64 lower-case letters, digits and -`);
    const unused = (row.arguments ?? []).find(({ name }) => !row.text.includes(`{${name}}`));
    if (unused !== undefined) throw refused(method, `has the prompt ${row.name}, whose text has no {${unused.name}}`);
  }
  const twin = twinIn(prompts, (one, other) => one.name === other.name);
  if (twin !== undefined) throw refused(twin.method, `has the prompt ${twin.name}, and so has another one`);
  return prompts;
}

/** The rows that exist for a caller. One whose token names its methods has those that it may call, and no others. */
export function rowsFor({ methods, scopes }: Pick<Caller, 'methods' | 'scopes'>, rows: McpRows): McpRows {
  const isOpen = (row: GrantableRow) => isOpenTo(methods, row);
  const tools = rows.tools.filter(isOpen);
  const resources = rows.resources.filter(isOpen);
  const prompts = rows.prompts.filter(isOpen);
  if (methods === undefined) return { tools, resources, prompts };
  const reader = { scopes, isPerson: false };
  return {
    tools: tools.filter((tool) => mayCall(tool, reader)),
    resources: permitted(resources, reader),
    prompts: permitted(prompts, reader),
    areGranted: true,
  };
}

/** The rows whose method the reader may call. */
export function permitted<Row extends Pick<PromptRow, 'scope'>>(
  rows: readonly Row[],
  { scopes }: ToolReader,
): readonly Row[] {
  return rows.filter(({ scope }) => scopes === undefined || scopes.has(scope));
}

/** The first row that is too like one before it, or that one before it is too like. */
function twinIn<Row>(rows: readonly Row[], isLike: (one: Row, other: Row) => boolean): Row | undefined {
  return rows.find((row, index) => rows.slice(0, index).some((other) => isLike(row, other) || isLike(other, row)));
}

function refused(method: string, why: string): BosunError {
  return new BosunError('BOSUN_CONFIG_INVALID', `the procedure ${method} ${why}`);
}
