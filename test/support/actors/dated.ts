/** A subject whose context holds what JavaScript cannot freeze: dates and bytes, and values that contain them. */
import { inspect } from 'node:util';
import { assign, setup } from 'xstate';
import { table, type Table } from '../../../src/table.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { contextOf } from './subject.ts';

/** A context that holds dates and bytes wherever one can. */
export interface Context {
  readonly due: Date;
  readonly bytes: Uint8Array;
  readonly nested: ReadonlyMap<string, readonly { readonly at: Date }[]>;
  readonly rows: Table<{ readonly at: Date; readonly bytes: Uint8Array }>;
  readonly inner: { readonly rows: Table<readonly Date[]>; readonly list: readonly Date[] };
  readonly got: unknown;
  readonly seen: Date | null;
}

export function fresh(): Context {
  return {
    due: new Date(5),
    bytes: new Uint8Array([1, 2]),
    nested: new Map([['a', [{ at: new Date(6) }]]]),
    rows: table([['k', { at: new Date(7), bytes: new Uint8Array([3]) }]]),
    inner: { rows: table([['k', [new Date(8)]]]), list: [new Date(9)] },
    got: null,
    seen: null,
  };
}

/** The fresh context, as a text that tells any difference. */
export const FRESH = inspect(fresh(), { depth: 9 });

export function shownContext(test: TestSystem): string {
  return inspect(contextOf(test), { depth: 9 });
}

export type Change = (context: Context, event: { readonly at: Date }) => unknown;

/** A machine that makes the change in a turn. */
export function changing(change: Change) {
  return setup({ types: {} as { context: Context; events: { type: 'go'; at: Date } } }).createMachine({
    context: fresh,
    on: { go: { actions: assign(({ context, event }) => (change(context, event), { got: 'changed' })) } },
  });
}
