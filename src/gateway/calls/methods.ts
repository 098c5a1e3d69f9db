/**
 * The one table of callable methods, by name. WebSocket, HTTP, MCP, the documents, the command line, and the way over
 * workers are made from it.
 */
import { type z } from 'zod';
import { type Call } from './call.ts';
import { ACTOR_METHODS } from './actor-methods.ts';
import { JOINED_METHODS } from './joined-methods.ts';
import { type KernelWay, type MethodRow, type OverWorkers } from './method-row.ts';
import { ORDER_METHODS } from './order-methods.ts';
import { RECORD_METHODS } from './record-methods.ts';
import { RUN_METHODS } from './run-methods.ts';
import { SYSTEM_METHODS } from './system-methods.ts';
import { TALK_METHODS } from './talk-methods.ts';

/** All methods of the gateway by name. */
export const METHODS = {
  ...ACTOR_METHODS,
  ...TALK_METHODS,
  ...RECORD_METHODS,
  ...RUN_METHODS,
  ...JOINED_METHODS,
  ...ORDER_METHODS,
  ...SYSTEM_METHODS,
};

/** The name of a method of the gateway. */
export type MethodName = keyof typeof METHODS;
export type ParamsOf<Name extends MethodName> = z.output<(typeof METHODS)[Name]['params']>;

/** Methods that are carried out beside a kernel, over workers in one of these ways. */
export type KernelMethodName<Over extends OverWorkers = OverWorkers> = {
  [Name in MethodName]: (typeof METHODS)[Name]['way'] extends KernelWay<Over> ? Name : never;
}[MethodName];

/** Handlers of the methods that are carried out beside a kernel, in this thread or over workers. */
export type BackendHandlers = {
  readonly [Name in KernelMethodName]: (params: ParamsOf<Name>, call: Call) => unknown;
};

/** The row of a method; undefined if there is no such method. */
export function rowOf(method: string): MethodRow | undefined {
  return Object.hasOwn(METHODS, method) ? METHODS[method as MethodName] : undefined;
}

/** The methods that are carried out beside a kernel. */
export function kernelMethods(): readonly [KernelMethodName, MethodRow & { readonly way: KernelWay }][] {
  // The filter is the proof of the type.
  return Object.entries<MethodRow>(METHODS).filter(([, { way }]) => way.kind === 'kernel') as never;
}
