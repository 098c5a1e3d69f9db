/**
 * All that can be called at one gateway: the methods of methods.ts and the procedures of its host, by name and by HTTP
 * route. Every door and every document is made from it.
 */
import { type Procedures } from '../../actors/api/procedure.ts';
import { BosunError } from '../../errors.ts';
import { type McpRows, promptsOf, resourcesOf } from './resource-row.ts';
import { type ToolRow, toolsOf } from './tool-row.ts';
import { type MethodRow } from './method-row.ts';
import { METHODS } from './methods.ts';
import { rowsOf } from './procedures.ts';
import { invalid } from '../callers/wire-errors.ts';

export type NamedRow = readonly [name: string, row: MethodRow];

interface HttpRoute {
  readonly name: string;
  readonly verb: string;
  readonly segments: readonly string[];
}

/** Beginnings of the routes of a host: those of Bosun, and the addresses at which others look (RFC 8615). */
const ROUTES = ['/v1/', '/.well-known/'] as const;

export class MethodTable implements McpRows {
  /** The rows of all methods, the gateway's own first. */
  readonly rows: readonly NamedRow[];
  /** The rows that are tools of MCP. */
  readonly tools: readonly ToolRow[];
  /** The resources of MCP that rows read, and the prompts that go with rows. */
  readonly resources: McpRows['resources'];
  readonly prompts: McpRows['prompts'];
  readonly #byName: ReadonlyMap<string, MethodRow>;
  readonly #routes: readonly HttpRoute[];

  /**
   * Makes the table. Throws BOSUN_CONFIG_INVALID for a duplicate name or route, and for a route that lacks its
   * parameter.
   */
  constructor(procedures: Procedures = {}) {
    this.rows = [...Object.entries(METHODS), ...rowsOf(procedures)];
    this.#byName = new Map(this.rows);
    this.#routes = this.rows.map(([name, { http }]) => ({
      name,
      verb: http.verb,
      segments: http.path.split('/'),
    }));
    this.#check(procedures);
    this.tools = toolsOf(this.rows, (name) => Object.hasOwn(METHODS, name));
    this.resources = resourcesOf(this.rows);
    this.prompts = promptsOf(this.rows);
  }

  /** The row of a method or procedure; undefined if there is none. */
  row(name: string): MethodRow | undefined {
    return this.#byName.get(name);
  }

  /** The method of an HTTP request, and its parameters in the path; undefined if there is none. */
  routed(verb: string, path: string): { readonly name: string; readonly inPath: Record<string, string> } | undefined {
    const parts = path.split('/');
    for (const { name, verb: wanted, segments } of this.#routes) {
      if (verb !== wanted || parts.length !== segments.length) continue;
      const inPath: Record<string, string> = {};
      const fits = segments.every((segment, index) => {
        const part = parts[index]!;
        if (!segment.startsWith('{')) return segment === part;
        inPath[segment.slice(1, -1)] = decoded(part);
        return part !== '';
      });
      if (fits) return { name, inPath };
    }
    return undefined;
  }

  #check(procedures: Procedures): void {
    for (const [name, { params }] of Object.entries(procedures)) {
      if (Object.hasOwn(METHODS, name)) throw refused(name, 'has the name of a method of the gateway');
      const { verb, path } = this.row(name)!.http;
      if (!ROUTES.some((prefix) => path.startsWith(prefix)))
        throw refused(name, `has the route ${path}: a route begins with ${ROUTES.join(' or ')}`);
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key!);
      const missing = named.find((key) => !Object.hasOwn(params.shape, key));
      if (missing !== undefined) throw refused(name, `has the route ${path}, and no parameter ${missing}`);
      const twin = this.routed(verb, path)!.name;
      if (twin !== name) throw refused(name, `has the route of ${twin}: ${verb} ${path}`);
    }
  }
}

function refused(name: string, why: string): BosunError {
  return new BosunError('BOSUN_CONFIG_INVALID', `the procedure ${name} ${why}`);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalid('the percent-encoding of the path is not valid');
  }
}
