/**
 * A tree in code meets a child table on disk (design P13): static children come from code, dynamic ones from the store.
 * Pure.
 */
import { type ChildSpec } from './child-spec.ts';
import { type ChildRecord } from './exit-rules.ts';
import { keepOrders, type Order, startOrders, terminateOrders } from './orders.ts';

export interface Declaration {
  /** What the code declared when the Boss last heard of it. */
  readonly before: readonly ChildSpec[];
  /** What it declares now. */
  readonly now: readonly ChildSpec[];
  readonly records: ReadonlyMap<string, ChildRecord>;
  readonly nextPosition: number;
  readonly nowMs: number;
}

/**
 * New children start; removed ones stop and keep their record; one whose agent is another now is replaced; the others go
 * on under today's spec. A declared child that has ended stays ended, as the store knows it.
 */
export function declarationOrders({ before, now, records, nextPosition, nowMs }: Declaration): Order[] {
  const declared = new Set(now.map(({ id }) => id));
  const known = new Set(before.map(({ id }) => id));
  const removed = before.filter(({ id }) => !declared.has(id)).flatMap(({ id }) => records.get(id) ?? []);
  return [
    ...removed.flatMap(terminateOrders),
    ...now.flatMap((spec, index) => {
      const record = records.get(spec.id);
      const position = record?.position ?? nextPosition + index;
      if (record === undefined) return known.has(spec.id) ? [] : startOrders(spec, { position, nowMs });
      if (record.status === 'ended') return known.has(spec.id) ? keepOrders(record, spec) : startOrders(spec, { position, nowMs });
      if (isSameLogic(record.spec, spec)) return keepOrders(record, spec);
      return [...terminateOrders(record), ...startOrders(spec, { position, nowMs })];
    }),
  ];
}

function isSameLogic(before: ChildSpec, now: ChildSpec): boolean {
  if ('boss' in before || 'boss' in now) return 'boss' in before && 'boss' in now;
  return before.agent === now.agent;
}
