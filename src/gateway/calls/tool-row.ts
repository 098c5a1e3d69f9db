/**
 * Tools of MCP as plain data, made from the marked rows of the table of methods. A gateway makes them for its own
 * callers, and tells them in its OpenAPI document to programs that serve them elsewhere.
 */
import {
  type Does,
  type RetryMark,
  type Scope,
  type ToolHints,
  type ToolMark,
  type ToolProfile,
} from '../../actors/api/procedure.ts';
import { BosunError } from '../../errors.ts';
import { type GrantableRow } from '../callers/grants.ts';
import { TOOL_KEY_CHARS_MAX, TOOL_MS, TOOL_MS_MAX, TOOLS_LISTED_MAX } from '../limits.ts';
import { type Json, schemaOf } from './json-schema.ts';
import { type MethodRow } from './method-row.ts';

/** A tool with its method. */
export interface ToolRow extends GrantableRow {
  readonly tool: string;
  readonly means: string;
  readonly scope: Scope;
  readonly does: Does;
  readonly profiles: readonly ToolProfile[];
  readonly annotations: ToolHints;
  readonly isForPeople: boolean;
  /** Whether the tool is listed last. */
  readonly isDetail: boolean;
  /** Whether a person is asked instead of calling it again. */
  readonly isUrgent: boolean;
  /** How often and when a failed call is made again; null for the default. */
  readonly retry: RetryMark | null;
  /** Whether the store remembers the outcome of a call with a key, so that a repeat counts once even after a crash. */
  readonly keepsKeys: boolean;
  /** JSON Schema of the arguments: the parameters of the method, and the options of the call. */
  readonly input: Json;
  /** JSON Schema of the result. */
  readonly output: Json;
}

/** The arguments of a tool that are options of the call instead of parameters of its method. */
const TIMEOUT: Json = {
  type: 'integer',
  minimum: 1,
  maximum: TOOL_MS_MAX,
  default: TOOL_MS,
  description: 'Longest time until the answer, in milliseconds. BOSUN_TIMEOUT then: call the tool again.',
};
const KEY: Json = {
  type: 'string',
  minLength: 1,
  maxLength: TOOL_KEY_CHARS_MAX,
  description: 'A repeat of the call with the same key and arguments takes effect once.',
};

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Most seconds between two attempts of a call, where the row of its tool does not say. */
export const RETRY_SECONDS_MAX = 60;

/** The names of call options. No parameter of a tool may have one of them. */
const CALL_FIELDS = ['timeoutMs', 'idempotencyKey'];

/**
 * The tools among rows, the most useful first: those of the host; the gateway's own, those of many profiles before
 * those of few; and those of either that show details.
 *
 * @throws BOSUN_CONFIG_INVALID for a name that is invalid or taken, and for a parameter named like an option of the
 * call.
 */
export function toolsOf(
  rows: readonly (readonly [method: string, row: MethodRow])[],
  isOwn: (method: string) => boolean,
): readonly ToolRow[] {
  const tools = rows.flatMap(([method, row]) => (row.mcp?.tool === undefined ? [] : [toolOf(method, row, row.mcp)]));
  const twin = tools.find(({ tool }, index) => tools.findIndex((other) => other.tool === tool) < index);
  if (twin !== undefined) throw refused(twin.method, `is the tool ${twin.tool}, and so is another one`);
  const own = tools.filter(({ method }) => isOwn(method));
  const sorted = [
    ...tools.filter(({ method }) => !isOwn(method)),
    ...own.sort((a, b) => b.profiles.length - a.profiles.length),
  ];
  return [...sorted.filter(({ isDetail }) => !isDetail), ...sorted.filter(({ isDetail }) => isDetail)];
}

function toolOf(
  method: string,
  row: MethodRow,
  { tool, profiles, annotations, isForPeople, isDetail, isUrgent, retry }: ToolMark,
): ToolRow {
  if (!NAME.test(tool))
    throw refused(method, `has the tool name ${JSON.stringify(tool)}: up to 64 letters, digits, _ and -`);
  const taken = CALL_FIELDS.find((field) => Object.hasOwn(row.params.shape, field));
  if (taken !== undefined) throw refused(method, `is a tool with the parameter ${taken}, which every tool has`);
  if (retry !== undefined && !isSound(retry))
    throw refused(
      method,
      'has a retry policy with other than 1 to 20 attempts, no base delay, or a longest one below it',
    );
  const { means, scope, does, isGranted = false, keepsKeys = false } = row;
  return {
    ...{ tool, method, means, scope, does, isGranted, profiles, keepsKeys },
    isForPeople: isForPeople === true,
    isDetail: isDetail === true,
    isUrgent: isUrgent === true,
    retry: retry ?? null,
    annotations: { ...hintsOf(row), ...annotations },
    input: inputOf(row),
    output: schemaOf(row.result, 'output'),
  };
}

function isSound({ attemptsMax, baseSeconds, maxSeconds = RETRY_SECONDS_MAX }: RetryMark): boolean {
  return (
    Number.isInteger(attemptsMax) &&
    attemptsMax >= 1 &&
    attemptsMax <= 20 &&
    baseSeconds > 0 &&
    maxSeconds >= baseSeconds
  );
}

/** The MCP annotations of a method, from its row. Only tools of the host can reach anything outside the system. */
function hintsOf({ does, keepsKeys }: MethodRow): ToolHints {
  if (does === 'nothing') return { readOnlyHint: true, openWorldHint: false };
  return {
    readOnlyHint: false,
    destructiveHint: does === 'destroys',
    idempotentHint: false,
    openWorldHint: keepsKeys !== true,
  };
}

function inputOf({ params, does }: MethodRow): Json {
  const { properties, ...schema } = schemaOf(params, 'input');
  const fields = { timeoutMs: TIMEOUT, ...(does !== 'nothing' && { idempotencyKey: KEY }) };
  return { ...schema, type: 'object', properties: { ...(properties as Json), ...fields } };
}

/** The facts about a caller that decide which tools are listed. */
export interface ToolReader {
  /** The scopes of the caller; undefined if only the gateway knows them. */
  readonly scopes: ReadonlySet<Scope> | undefined;
  /** Whether the caller speaks as a person, or is the operator. */
  readonly isPerson: boolean;
}

/** Whether a caller may call a tool. */
export function mayCall({ scope, isForPeople }: ToolRow, { scopes, isPerson }: ToolReader): boolean {
  return (scopes === undefined || scopes.has(scope)) && (isPerson || !isForPeople);
}

/**
 * The tools of the profiles that a caller names; without profiles, the first {@link TOOLS_LISTED_MAX}. Tools that are
 * not listed can still be called. All are listed that a token names.
 */
export function shownTools(
  { tools, areGranted = false }: { readonly tools: readonly ToolRow[]; readonly areGranted?: boolean },
  reader: ToolReader,
  profiles: readonly ToolProfile[] | undefined,
): readonly ToolRow[] {
  const callable = tools.filter((tool) => mayCall(tool, reader));
  if (areGranted) return callable;
  if (profiles === undefined) return callable.slice(0, TOOLS_LISTED_MAX);
  return callable.filter((tool) => tool.profiles.some((profile) => profiles.includes(profile)));
}

function refused(method: string, why: string): BosunError {
  return new BosunError('BOSUN_CONFIG_INVALID', `the procedure ${method} ${why}`);
}
