/** A row of the table of methods. Shapes only. */
import { type z } from 'zod';
import { type Scope } from '../client/callers.ts';

/**
 * `nothing`: reads. `changes`: may be repeated with a key. `destroys`: the same, and off unless the gateway was made
 * with `destructive: true`.
 */
export type Does = 'nothing' | 'changes' | 'destroys';

export interface MethodRow {
  readonly means: string;
  readonly scope: Scope;
  readonly does: Does;
  readonly params: z.ZodObject;
  readonly result: z.ZodType;
  /**
   * In the path, `{address}` is a parameter, percent-encoded as one segment. Others are in the query of a GET and in
   * the body of a POST.
   */
  readonly http: { readonly verb: 'GET' | 'POST'; readonly path: string };
  readonly example: { readonly p: Readonly<Record<string, unknown>>; readonly r: unknown };
}
