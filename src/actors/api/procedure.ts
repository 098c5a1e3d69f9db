/**
 * Procedures: what a system offers its callers beside events, a row each. The type of a row and the function that makes
 * one; the gateway checks its callers and carries it out (gateway/calls/procedures.ts).
 */
import { type EventObject } from 'xstate';
import { type z } from 'zod';
import { type OrderedRange, type TablePage } from '../../table.ts';
import { BosunError } from '../../errors.ts';
import {
  type FindRecordsOptions,
  type FoundRecords,
  type RecordKey,
  type RecordPage,
  type RecordsOptions,
} from './record-pages.ts';

/**
 * Scopes of callers. `actor:read`: look at actors and subscribe. `actor:send`: send and ask. `actor:admin`: start, stop
 * and repair actors. `system:read`: look at the system as a whole.
 */
export const SCOPES = ['actor:read', 'actor:send', 'actor:admin', 'system:read'] as const;
/** A right of a caller. */
export type Scope = (typeof SCOPES)[number];
/** The rights of a program for which nobody has chosen any: to read, and to send to actors. */
export const PROGRAM_SCOPES: readonly Scope[] = ['actor:read', 'actor:send', 'system:read'];

/**
 * The effect of a procedure or method. `nothing`: it reads. `changes`: it changes state and may be repeated with a key.
 * `destroys`: as `changes`, and refused unless the gateway was made with `destructive: true`.
 */
export type Does = 'nothing' | 'changes' | 'destroys';

/** The HTTP route of a procedure. `{name}` in the path is a parameter, percent-encoded as one segment. */
export interface Route {
  readonly verb: 'GET' | 'POST';
  readonly path: string;
}

/** The facts about a caller that a procedure is given. */
export interface ProcedureCaller {
  /** The caller's id: rates, sessions and keys belong to it. */
  readonly id: string;
  /** The person in whose name the caller speaks. Undefined for a program and for the operator. */
  readonly person?: string;
  /** Facts about the caller that the issuer of its token has signed. Undefined for other callers. */
  readonly claims?: Readonly<Record<string, string>>;
}

/**
 * Sets of tools for coding agents (MCP), named after the work that they serve. `runtime`: watching and driving actors.
 * `coder`: a coding agent's own work. `hub`: agents that delegate work to others.
 */
export const TOOL_PROFILES = ['runtime', 'coder', 'hub'] as const;
/** A set of tools. */
export type ToolProfile = (typeof TOOL_PROFILES)[number];

/** Hints for clients about a tool, in the fields of MCP. They grant no rights. */
export interface ToolHints {
  /** The display name of the tool. */
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** The resources of MCP that a procedure reads, one for each value of a parameter. */
export interface ResourceMark {
  /** The URI, which ends in the parameter: `ticket://{ticket}`; with `{+ticket}` where a value may have slashes. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  /** The field of the result that is null where there is no such resource. Default: there is always one. */
  readonly needs?: string;
  /** The field of the result that is the text, and its media type. Default: the whole result, as JSON. */
  readonly text?: { readonly field: string; readonly mimeType: string };
}

/** A prompt of MCP, which a person chooses in the host of a coding agent. */
export interface PromptMark {
  /** Lower-case words with hyphens. */
  readonly name: string;
  readonly description: string;
  /** The arguments, all of which have to be given. Default: none. */
  readonly arguments?: readonly { readonly name: string; readonly description: string }[];
  /** The text, in which `{name}` stands for the value of an argument. */
  readonly text: string;
}

/** The part of a mark that does not depend on whether the method is a tool. */
interface ReadMark {
  /** The resources that the method reads. Default: none. */
  readonly resource?: ResourceMark;
  /** The prompts that need the method, and are listed where it is. Default: none. */
  readonly prompts?: readonly PromptMark[];
}

/** How often and when callers make a failed call of a tool again. The delay doubles with each attempt. */
export interface RetryMark {
  /** Most attempts, with the first one: 1 to 20. */
  readonly attemptsMax: number;
  /** Seconds before the second attempt. */
  readonly baseSeconds: number;
  /** Most seconds between two attempts. Default: 60. */
  readonly maxSeconds?: number;
}

/** The mark of a method or procedure that is a tool of MCP. */
export interface ToolMark extends ReadMark {
  /** The name of the tool: letters, digits, `_` and `-`, at most 64. */
  readonly tool: string;
  readonly profiles: readonly ToolProfile[];
  /**
   * The hints. By default they follow from the effect of the method, and from whether a repeat with a key counts once.
   */
  readonly annotations?: ToolHints;
  /**
   * Whether the tool is only for callers that speak as a person, and for the operator. Default: for every caller with
   * the scope.
   */
  readonly isForPeople?: true;
  /** Whether the tool is listed last: it shows one row of a list that another tool gives, or few tasks need it. */
  readonly isDetail?: true;
  /**
   * Whether callers cannot go on without the answer. A call that failed is then not to be repeated: a person is asked.
   */
  readonly isUrgent?: true;
  /** How often and when a failed call may be made again. Default: three times in all, after 5 s and up to 60 s. */
  readonly retry?: RetryMark;
}

/** The mark of a method or procedure that MCP has only as a resource. */
export interface ResourceOnlyMark extends ReadMark {
  readonly resource: ResourceMark;
  readonly tool?: never;
  readonly isForPeople?: never;
}

/** The mark of a method or procedure that clients of MCP see: as a tool, as a resource, or as both. */
export type McpMark = ToolMark | ResourceOnlyMark;

/** An actor as readers see it: its durable state, without fields that its schemas mark as secret. */
export interface ShownActor {
  readonly address: string;
  readonly agent: string;
  readonly status: 'active' | 'done' | 'error' | 'stopped' | 'suspended';
  readonly value: unknown;
  /** The context. A table in it is a view of its first rows. */
  readonly context: unknown;
  readonly tags: readonly string[];
  readonly output: unknown;
  /** Number of changes so far. */
  readonly sequence: number;
}

/** An actor of a list. */
export interface ActorRow {
  readonly address: string;
  readonly agent: string;
  readonly status: ShownActor['status'];
  readonly state: unknown;
}

/**
 * Reads durable state, over one kernel or several workers, restricted to the actors that the caller may reach. No read
 * takes a turn or writes. Each rejects with the codes of the gateway's corresponding method.
 */
export interface DurableReader {
  /** The kernel time of the system, in milliseconds since 1970. */
  readonly nowMs: number;
  /** Reads an actor, like `actor.get`. Rejects with BOSUN_ACTOR_UNKNOWN. */
  actor(address: string): Promise<ShownActor>;
  /** Lists actors in order of addresses, like `actor.list`, page after page. */
  actors(which?: { readonly under?: string; readonly agent?: string }): AsyncIterable<ActorRow>;
  /** Reads a page of rows, like `table.read`. */
  table(
    address: string,
    table: string,
    page?: OrderedRange & { readonly cursor?: string | undefined; readonly limit?: number },
  ): Promise<TablePage>;
  /** Lists records, like `record.list`. */
  records(address: string, name: string, which?: RecordsOptions): Promise<RecordPage>;
  /** Finds records, like `record.find`, for callers that may reach every address. */
  findRecords(agent: string, name: string, key: RecordKey, which?: FindRecordsOptions): Promise<FoundRecords>;
}

/** The state of an actor for which a procedure waits, and the answer that it then gives. */
export interface AwaitedState<Answer> {
  readonly address: string;
  /** A state value, or a part of one, as in XState's `matches`. */
  readonly value?: unknown;
  readonly tag?: string;
  readonly status?: ShownActor['status'];
  readonly answer: (shown: ShownActor) => Answer;
}

/** The actor that a procedure asks, the event that it asks with, and the answer that it then gives. */
export interface AskedActor<Answer> {
  readonly address: string;
  readonly event: EventObject;
  /** Turns the actor's reply into the answer, also for a repeat with the same key. Default: the reply is the answer. */
  readonly answer?: (reply: unknown) => Answer | Promise<Answer>;
}

type OneOf<Ways> = {
  [Way in keyof Ways]: { readonly [Key in Way]: Ways[Key] } & { readonly [Key in Exclude<keyof Ways, Way>]?: never };
}[keyof Ways];

/** The ways in which a procedure can be carried out. */
interface Ways<Params, Answer> {
  /** Reads durable state, without a turn or an epoch. */
  readonly read: (params: Params, reader: DurableReader, caller: ProcedureCaller) => Answer | Promise<Answer>;
  /** Asks an actor with an event that its agent declares. */
  readonly ask: (params: Params, caller: ProcedureCaller) => AskedActor<Answer>;
  /** Waits for a state of an actor, until the deadline of the call. */
  readonly wait: (params: Params, caller: ProcedureCaller) => AwaitedState<Answer>;
  /** Calls a function of the host, without a turn. */
  readonly port: (params: Params, caller: ProcedureCaller) => Answer | Promise<Answer>;
}

/** The actor whose changes alter the answer of a reading procedure, so that clients may subscribe to the answer. */
export interface Watched {
  readonly address: string;
  /** Milliseconds after which the answer is read again without a change, where time alone alters it. Default: never. */
  readonly everyMs?: number;
  /**
   * Whether the answer depends on nothing of its caller but its rights: `read` ignores its third argument. Watchers
   * with equal parameters and rights then share one reading. Default: each watcher has its own; `window` sets it.
   */
  readonly isShared?: true;
}

/** A row of the table of procedures. Exactly one of `read`, `ask`, `wait` and `port` carries it out. */
export type ProcedureRow<
  Params extends z.ZodObject,
  Result extends z.ZodType,
  Window extends Watched | undefined = Watched | undefined,
> = {
  /** One or two sentences for callers. */
  readonly means: string;
  /** The right that a caller needs. Default: `actor:read` for `read` and `wait`, else `actor:send`. */
  readonly scope?: Scope;
  /** The effect of the procedure. Default: `nothing` for `read` and `wait`, else `changes`. */
  readonly does?: Does;
  /** How many calls of the caller's rate one call takes, 1 to 1,000. Default: 1. */
  readonly cost?: number;
  /** Only for callers whose token names the procedure. Default: for every caller with the scope. */
  readonly isGranted?: true;
  readonly params: Params;
  readonly result: Result;
  readonly example: { readonly p: z.input<Params>; readonly r: z.input<Result> };
  /** The HTTP route. Default: POST of `/v1/procedures/` and the name. */
  readonly http?: Route;
  /** Makes the procedure a tool or a resource of MCP. Default: clients of MCP do not see it. */
  readonly mcp?: McpMark;
  /** Lets clients subscribe to the answer (topic `window/{procedure}`). For `read` only. Default: they cannot. */
  readonly window?: Window;
} & OneOf<Ways<z.output<Params>, z.input<Result>>>;

/** The implementation of one procedure, without the types of its row: its schemas check the values. */
export type Way = { [Kind in keyof AnyWays]: { readonly kind: Kind; readonly run: AnyWays[Kind] } }[keyof AnyWays];
type AnyWays = Ways<unknown, unknown>;

/** A procedure of a host, made by `procedure`. */
export interface Procedure<
  Params extends z.ZodObject = z.ZodObject,
  Result extends z.ZodType = z.ZodType,
  Window extends Watched | undefined = Watched | undefined,
> {
  readonly means: string;
  readonly scope: Scope;
  readonly does: Does;
  readonly cost: number;
  /** Whether the procedure is only for callers whose token names it. */
  readonly isGranted: boolean;
  readonly params: Params;
  readonly result: Result;
  readonly example: { readonly p: Readonly<Record<string, unknown>>; readonly r: unknown };
  readonly http: Route | undefined;
  readonly mcp: McpMark | undefined;
  readonly window: Window;
  readonly way: Way;
}

/** Procedures by name: `shop.stock`. */
export type Procedures = Readonly<Record<string, Procedure>>;

/** Whether a value was made by `procedure`. */
export function isProcedure(value: unknown): value is Procedure {
  return made.has(value as Procedure);
}

const made = new WeakSet<Procedure>();

/** Most calls of a rate that one call takes. */
const COST_MAX = 1_000;

const KINDS = ['read', 'ask', 'wait', 'port'] as const;

/**
 * Makes a procedure, with types inferred from its schemas, so that an answer of another type does not compile.
 *
 * @throws BOSUN_CONFIG_INVALID for a row with none of `read`, `ask`, `wait` and `port`, or with several, for a cost
 *   out of range, and for a `window` beside another than `read`.
 */
export function procedure<
  Params extends z.ZodObject,
  Result extends z.ZodType,
  Window extends Watched | undefined = undefined,
>(row: ProcedureRow<Params, Result, Window>): Procedure<Params, Result, Window> {
  const { means, params, result, example, http, mcp, cost = 1, isGranted = false } = row;
  const [kind, ...others] = KINDS.filter((one) => row[one] !== undefined);
  if (kind === undefined || others.length > 0)
    throw new BosunError('BOSUN_CONFIG_INVALID', 'procedure: give it one of read, ask, wait and port');
  if (!Number.isInteger(cost) || cost < 1 || cost > COST_MAX)
    throw new BosunError('BOSUN_CONFIG_INVALID', `procedure: cost must be an integer from 1 to ${COST_MAX}`);
  if (row.window !== undefined && kind !== 'read')
    throw new BosunError('BOSUN_CONFIG_INVALID', 'procedure: only a procedure with read can have a window');
  const isReading = kind === 'read' || kind === 'wait';
  const { scope = isReading ? 'actor:read' : 'actor:send', does = isReading ? 'nothing' : 'changes' } = row;
  const way = { kind, run: row[kind] } as unknown as Way;
  const window = row.window as Window;
  const rules = { means, scope, does, cost, isGranted };
  const one = Object.freeze({ ...rules, params, result, example, http, mcp, window, way });
  made.add(one);
  return one;
}
