/**
 * The one table of what a client can call. WebSocket, HTTP, the documents and the command line are fed by it; what each
 * method does is in handlers.ts. A new method is a row here and a handler there.
 */
import { type z } from 'zod';
import { ACTOR_METHODS } from './actor-methods.ts';
import { type MethodRow } from './method-row.ts';
import { ORDER_METHODS } from './order-methods.ts';
import { SYSTEM_METHODS } from './system-methods.ts';

export const METHODS = { ...ACTOR_METHODS, ...ORDER_METHODS, ...SYSTEM_METHODS };

export type MethodName = keyof typeof METHODS;
export type ParamsOf<Name extends MethodName> = z.output<(typeof METHODS)[Name]['params']>;

export function rowOf(method: string): MethodRow | undefined {
  return Object.hasOwn(METHODS, method) ? METHODS[method as MethodName] : undefined;
}
