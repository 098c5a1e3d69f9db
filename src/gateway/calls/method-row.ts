/**
 * A row of the table of methods: everything about one method of the gateway, from its meaning to the function that
 * carries it out and its way over workers. Procedures of the host are rows of the same shape.
 */
import { type z } from 'zod';
import { type Does, type McpMark, type Route, type Scope, type Watched, type Way } from '../../actors/api/procedure.ts';
import { type Call } from './call.ts';
import { type CallParts, type FrontParts } from './call-parts.ts';

/** The facts about a method, from which every document is made. */
interface MethodFacts<Params extends z.ZodObject, Result extends z.ZodType> {
  readonly means: string;
  readonly scope: Scope;
  readonly does: Does;
  /** How many calls of the caller's rate one takes. Default: 1. */
  readonly cost?: number | undefined;
  /** Whether the row is only for callers whose token names it. Default: false. */
  readonly isGranted?: boolean;
  readonly params: Params;
  readonly result: Result;
  /** The HTTP route. Parameters outside of the path go into the query of a GET and into the body of a POST. */
  readonly http: Route;
  readonly example: { readonly p: Readonly<Record<string, unknown>>; readonly r: unknown };
  /** Makes the method a tool or a resource of MCP; undefined if clients of MCP do not see it. */
  readonly mcp?: McpMark | undefined;
  /** The actor whose changes alter the answer, for the topic `window/{procedure}`; undefined if there is no topic. */
  readonly window?: Watched | undefined;
  /** Whether the store remembers the outcome of a call with a key, so that a repeat after a restart finds it. */
  readonly keepsKeys?: true;
  /** Whether the handler enforces the deadline itself, to report a more precise error. */
  readonly keepsTime?: true;
  /** Whether the cost depends on the number of rows read, which is known only afterwards. */
  readonly looks?: true;
  /** Whether the row is a procedure, whose schemas may hold any code of the host. */
  readonly isOfHost?: true;
}

/**
 * The workers that carry out a call. `address`: the one that has the actor `address`. `addresses`: each that has a part
 * of it, in case it is a Boss with partitions; the first answers. `child`: likewise for the child `id` of the Boss
 * `address`. `any`: any of them. `joined`: several whose answers are joined, as workers/routes.ts says.
 */
export type OverWorkers = 'address' | 'addresses' | 'child' | 'any' | 'joined';

/** A method that is carried out beside a kernel, in the thread that has the actor. */
export interface KernelWay<Over extends OverWorkers = OverWorkers> {
  readonly kind: 'kernel';
  readonly run: (params: never, call: Call, parts: CallParts) => unknown;
  readonly over: Over;
  /** Carries out the part of it that comes before, in front of the kernel or of the workers. Default: nothing. */
  readonly front?: FrontWay['run'];
}

/** A method that the gateway makes of others, in front of one kernel as of several workers. */
export interface FrontWay {
  readonly kind: 'front';
  readonly run: (params: never, call: Call, parts: FrontParts) => unknown;
}

/** The implementation of a method, without the types of its row: its schemas check the values. */
export type MethodWay = KernelWay | FrontWay | Way;

/** A method of the gateway, or a procedure of the host. */
export interface MethodRow<
  Params extends z.ZodObject = z.ZodObject,
  Result extends z.ZodType = z.ZodType,
  How extends MethodWay = MethodWay,
> extends MethodFacts<Params, Result> {
  readonly way: How;
}

type Given<Params extends z.ZodObject, Parts> = (params: z.output<Params>, call: Call, parts: Parts) => unknown;

/** Makes the row of a method that is carried out beside a kernel. */
export function kernelMethod<Params extends z.ZodObject, Result extends z.ZodType, Over extends OverWorkers>({
  run,
  over,
  front,
  ...facts
}: MethodFacts<Params, Result> & {
  readonly over: Over;
  readonly run: Given<Params, CallParts>;
  readonly front?: Given<Params, FrontParts>;
}): MethodRow<Params, Result, KernelWay<Over>> {
  return { ...facts, way: { kind: 'kernel', run, over, ...(front !== undefined && { front }) } };
}

/** Makes the row of a method that consists of others. */
export function frontMethod<Params extends z.ZodObject, Result extends z.ZodType>({
  run,
  ...facts
}: MethodFacts<Params, Result> & {
  readonly run: Given<Params, FrontParts>;
}): MethodRow<Params, Result, FrontWay> {
  return { ...facts, way: { kind: 'front', run } };
}
