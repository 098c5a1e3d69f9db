/**
 * Windows: reading procedures that show a durable table page by page, in the order of its keys. A window has one budget
 * of bytes, and clients may subscribe to a page (topic `window/{procedure}`), which a change of the table patches.
 */
import { z } from 'zod';
import { TABLE_KEY_CHARS_MAX } from '../../limits.ts';
import { type KeyRange, type TablePage } from '../../table.ts';
import { type DurableReader, type Procedure, procedure, type Watched } from './procedure.ts';
import { type McpMark, type Route, type Scope } from './procedure.ts';
import { type WindowPage } from './window-page.ts';

/** Most rows of a page of a window: more than a person reads at once. */
export const WINDOW_ROWS_MAX = 100;

/** Most bytes of a page of a window as JSON, so that with the frame around it a page stays below 64 KiB. */
export const WINDOW_BYTES_MAX = 60 * 1024;

/** Most rows that are read for one page of a window whose filter leaves rows out. */
export const WINDOW_READ_MAX = 1_000;

/** The table that a window shows. */
export interface WindowTable<Params> {
  /** Address of the actor whose context has the table. */
  readonly address: string;
  /** Key of the table in the context, which may depend on the parameters. */
  readonly table: string | ((params: Params) => string);
  /** Whether the window is in descending order of keys. Default: ascending. */
  readonly reverse?: boolean;
}

/** A row of the table of procedures that is a window. */
export interface WindowRow<Shape extends z.ZodRawShape, Row extends z.ZodType, Stored> {
  /** One or two sentences for callers. */
  readonly means: string;
  /** The right that a caller needs. Default: `actor:read`. */
  readonly scope?: Scope;
  /** The HTTP route. Default: POST of `/v1/procedures/` and the name. */
  readonly http?: Route;
  /** Makes the window a tool or a resource of MCP. Default: clients of MCP do not see it. */
  readonly mcp?: McpMark;
  readonly example: { readonly p: z.input<PagedParams<Shape>>; readonly r: WindowPage<z.input<Row>> };
  /** The filters of the window. `window` adds `after` and `limit`. */
  readonly params: z.ZodObject<Shape>;
  /** The schema of a shown row. */
  readonly row: Row;
  readonly of: WindowTable<z.output<z.ZodObject<Shape>>>;
  /** The keys of the window. Default: all keys of the table. */
  readonly range?: (params: z.output<z.ZodObject<Shape>>) => KeyRange;
  /** Makes the shown row of a stored one; undefined leaves it out. */
  readonly shows: (
    row: Stored,
    key: string,
    params: z.output<z.ZodObject<Shape>>,
    reader: DurableReader,
  ) => z.input<Row> | undefined | Promise<z.input<Row> | undefined>;
}

const PAGING = {
  after: z.string().max(TABLE_KEY_CHARS_MAX).optional().describe('`next` of the previous page.'),
  limit: z.int().min(1).max(WINDOW_ROWS_MAX).default(WINDOW_ROWS_MAX),
};

/** The parameters of a window: its filters, and those of its pages. */
export type PagedParams<Shape extends z.ZodRawShape> = z.ZodObject<Omit<Shape, keyof typeof PAGING> & typeof PAGING>;

/** The result of a window. */
export type PageSchema<Row extends z.ZodType> = z.ZodType<WindowPage<z.output<Row>>, WindowPage<z.input<Row>>>;

/** A window of a host, made by `window`. */
export type WindowProcedure<Shape extends z.ZodRawShape, Row extends z.ZodType> = Procedure<
  PagedParams<Shape>,
  PageSchema<Row>,
  Watched
>;

/**
 * Makes a window, with types inferred from its schemas. `shows` names the type of the rows that the table holds.
 *
 * A page has at most 100 rows and 60 KiB of JSON, and at least one row where there is one. Where `shows` leaves out
 * many rows, a page is short after 1,000 rows were read, and `next` says that there may be more.
 */
export function window<Shape extends z.ZodRawShape, Row extends z.ZodType, Stored>(
  row: WindowRow<Shape, Row, Stored>,
): WindowProcedure<Shape, Row> {
  const { means, scope, http, mcp, example, params, of } = row;
  const page: PageSchema<Row> = z.object({
    rows: z.record(z.string(), row.row).describe('By key.'),
    size: z.number().describe('The number of rows in the whole window, before filters.'),
    next: z.string().nullable().describe('`after` of the next page; null on the last page.'),
    isReverse: z.boolean().describe('Whether the window is in descending order of keys.'),
  }) as never;
  return procedure({
    ...{ means, params: params.extend(PAGING) as unknown as PagedParams<Shape>, result: page, example },
    ...(scope !== undefined && { scope }),
    ...(http !== undefined && { http }),
    ...(mcp !== undefined && { mcp }),
    // Its functions are given no caller.
    window: { address: of.address, isShared: true },
    // The types of `after` and `limit` are hidden by the type of the other parameters.
    read: (given: unknown, reader: DurableReader) => pageOf(row, given as Paged<Shape>, reader),
  } as never) as WindowProcedure<Shape, Row>;
}

type Paged<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>> & {
  readonly after?: string | undefined;
  readonly limit: number;
};

async function pageOf<Shape extends z.ZodRawShape, Row extends z.ZodType, Stored>(
  { of: { address, table, reverse = false }, range, shows }: WindowRow<Shape, Row, Stored>,
  given: Paged<Shape>,
  reader: DurableReader,
): Promise<WindowPage<z.input<Row>>> {
  const { after, limit, ...filters } = given;
  const params = filters as unknown as z.output<z.ZodObject<Shape>>;
  const keys = { ...range?.(params), reverse };
  const name = typeof table === 'string' ? table : table(params);
  const page = new PageInMaking<z.input<Row>>(limit);
  let [cursor, read, isFull]: [string | null | undefined, number, boolean] = [after, 0, false];
  let size: number | undefined;
  while (cursor !== null && !isFull && read < WINDOW_READ_MAX) {
    const rest = Math.min(read === 0 ? limit : WINDOW_ROWS_MAX, WINDOW_READ_MAX - read);
    const part: TablePage = await reader.table(address, name, { ...keys, cursor, limit: rest });
    size ??= part.count;
    const inOrder = Object.keys(part.rows).sort();
    if (reverse) inOrder.reverse();
    read += inOrder.length;
    const shown = await Promise.all(inOrder.map(async (key) => shows(part.rows[key] as Stored, key, params, reader)));
    const unfit = inOrder.findIndex((key, at) => {
      const one = shown[at];
      return one !== undefined && !page.take(key, one, one === part.rows[key] ? bytesOfStored(one) : bytesOf(one));
    });
    [cursor, isFull] = unfit < 0 ? [part.next, page.isFull] : [inOrder[unfit]!, true];
  }
  return { rows: page.rows, size: size ?? 0, next: cursor ?? null, isReverse: reverse };
}

/** Characters of JSON around the rows of a page: names of fields, numbers, and a cursor. */
const FRAME_BYTES = 512;

/** The rows of a page, as long as they fit. */
class PageInMaking<Row> {
  readonly rows: Record<string, Row> = {};
  readonly #limit: number;
  #taken = 0;
  #bytes = FRAME_BYTES;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#taken >= this.#limit;
  }

  /** Adds a row, or returns false if the page has no room for it. */
  take(key: string, row: Row, bytes: number): boolean {
    this.#bytes += bytesOf(key) + bytes + 2;
    if (this.isFull || (this.#taken > 0 && this.#bytes > WINDOW_BYTES_MAX)) return false;
    this.rows[key] = row;
    this.#taken += 1;
    return true;
  }
}

/** Bytes of stored rows as JSON: a page is read again after each change, and most of its rows are what they were. */
const measured = new WeakMap<object, number>();

/** The bytes of a row that is shown as it is stored. */
function bytesOfStored(row: unknown): number {
  if (typeof row !== 'object' || row === null) return bytesOf(row);
  const bytes = measured.get(row) ?? bytesOf(row);
  measured.set(row, bytes);
  return bytes;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}
