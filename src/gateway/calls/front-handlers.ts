/** The handlers in front of a backend, which is one kernel or several workers: of every method, and of procedures. */
import { type Handler } from './call.ts';
import { type FrontParts } from './call-parts.ts';
import { type BackendHandlers } from './methods.ts';
import { type MethodWay } from './method-row.ts';
import { type NamedRow } from './method-table.ts';
import { procedureHandler } from './procedures.ts';

interface AllParts extends FrontParts {
  readonly backend: BackendHandlers;
}

/** Makes the handler of each row. */
export function frontHandlers(rows: readonly NamedRow[], parts: AllParts): Readonly<Record<string, Handler>> {
  return Object.fromEntries(rows.map((row) => [row[0], handlerOf(row, parts)]));
}

function handlerOf([name, row]: NamedRow, parts: AllParts): Handler {
  const { way } = row;
  if (way.kind !== 'kernel' && way.kind !== 'front') return procedureHandler(name, { ...row, way }, parts);
  const run = frontOf(way);
  if (run === undefined) return (parts.backend as Readonly<Record<string, Handler>>)[name]!;
  return (params, call) => run(params as never, call, parts);
}

function frontOf(way: Extract<MethodWay, { readonly kind: 'kernel' | 'front' }>) {
  return way.kind === 'front' ? way.run : way.front;
}
