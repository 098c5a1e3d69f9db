/**
 * Merges the tree in code with the child table on disk (design P13): static children come from code, dynamic ones from
 * the store. Pure.
 */
import { keepOrders, type Order } from './boss-orders.ts';
import { type ChildSpec } from './child-spec.ts';
import { type ChildRecord } from './decision.ts';
import { type ScriptStep } from './script.ts';

export interface Declaration {
  /** The declaration in the code when the Boss last received it. */
  readonly before: readonly ChildSpec[];
  /** The current declaration. */
  readonly now: readonly ChildSpec[];
  readonly records: ReadonlyMap<string, ChildRecord>;
  readonly nextPosition: number;
}

/**
 * Plans the merge. New children start; removed ones stop and keep their record; one with another agent is replaced; the
 * others go on under the current spec. A declared child that has ended stays ended.
 *
 * @returns Immediate orders, and the steps to take one by one.
 */
export function declarationOrders({ before, now, records, nextPosition }: Declaration): {
  orders: Order[];
  steps: ScriptStep[];
} {
  const declared = new Set(now.map(({ id }) => id));
  const known = new Set(before.map(({ id }) => id));
  const orders: Order[] = [];
  const steps: ScriptStep[] = before.filter(({ id }) => !declared.has(id)).map(({ id }) => ({ do: 'terminate', id }));
  for (const [index, spec] of now.entries()) {
    const { id } = spec;
    const record = records.get(id);
    const start: ScriptStep = { do: 'start', id, position: record?.position ?? nextPosition + index };
    if (record === undefined || record.status === 'ended') {
      if (!known.has(id)) steps.push(start);
      else if (record !== undefined) orders.push(...keepOrders(record, spec));
    } else if (isSameLogic(record.spec, spec)) orders.push(...keepOrders(record, spec));
    else steps.push({ do: 'terminate', id }, start);
  }
  return { orders, steps };
}

function isSameLogic(before: ChildSpec, now: ChildSpec): boolean {
  if ('boss' in before || 'boss' in now) return 'boss' in before && 'boss' in now;
  return before.agent === now.agent;
}
