/**
 * The one table of callable methods. WebSocket, HTTP, the documents and the command line are made from it; handlers are
 * in handlers.ts.
 */
import { type z } from 'zod';
import { ACTOR_METHODS } from './actor-methods.ts';
import { JOINED_METHODS } from './joined-methods.ts';
import { type MethodRow } from './method-row.ts';
import { ORDER_METHODS } from './order-methods.ts';
import { RECORD_METHODS } from './record-methods.ts';
import { SYSTEM_METHODS } from './system-methods.ts';

/** All methods of the gateway by name. */
export const METHODS = { ...ACTOR_METHODS, ...RECORD_METHODS, ...JOINED_METHODS, ...ORDER_METHODS, ...SYSTEM_METHODS };

/** The name of a method of the gateway. */
export type MethodName = keyof typeof METHODS;
export type ParamsOf<Name extends MethodName> = z.output<(typeof METHODS)[Name]['params']>;

/** The row of a method; undefined if there is no such method. */
export function rowOf(method: string): MethodRow | undefined {
  return Object.hasOwn(METHODS, method) ? METHODS[method as MethodName] : undefined;
}
