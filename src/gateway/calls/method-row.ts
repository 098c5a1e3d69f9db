/** The shape of a row of the table of methods. Types only. */
import { type z } from 'zod';
import { type Does, type Route, type Scope, type ToolMark, type Watched } from '../../actors/api/procedure.ts';

/** A method of the gateway: meaning, scope, parameters, result, and HTTP route. */
export interface MethodRow {
  readonly means: string;
  readonly scope: Scope;
  readonly does: Does;
  readonly params: z.ZodObject;
  readonly result: z.ZodType;
  /** The HTTP route. Parameters outside of the path go into the query of a GET and into the body of a POST. */
  readonly http: Route;
  readonly example: { readonly p: Readonly<Record<string, unknown>>; readonly r: unknown };
  /** Makes the method a tool of MCP; undefined if it is none. */
  readonly mcp?: ToolMark | undefined;
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
