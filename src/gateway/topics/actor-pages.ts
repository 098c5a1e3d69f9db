/**
 * Pages of actors, as a list and as a part of the tree, in order of addresses. Actors are read in slices, between which
 * other work gets its turn, so a page blocks nobody, however many actors there are and however few of them the caller
 * may see. Actors before the start of a page are not read, and a page for which too many have been read in vain ends
 * early.
 */
import { longestFirst } from '../../actors/api/waits.ts';
import { BosunError } from '../../errors.ts';
import { ACTORS_EXAMINED_MAX, PAGE_SLICE, SHOWN_ACTOR_COST } from '../limits.ts';
import { type ListedRow, type TreeNode } from '../../system-options.ts';
import { type Caller, mayReach } from '../callers/callers.ts';
import { checkLooks, type ReadingCall } from '../callers/looks.ts';
import { type ListedActor, type PagedTree, type TreeBranch, type WaitView } from '../protocol/views.ts';
import { type PageTurns } from './page-turns.ts';
import { shownError } from './wire-values.ts';

/** A request for a page, and the queue in which it waits. */
export interface PageCall {
  readonly turns: PageTurns;
  readonly call: ReadingCall;
}

/** Takes rows in their order until it is full. */
interface Page<Row, Result> {
  /** Whether it takes no further rows. */
  readonly isFull: boolean;
  /**
   * Takes the next row.
   *
   * @returns The cost of reading it.
   */
  take(row: Row): number;
  /** The finished page. Throws BOSUN_FORBIDDEN. */
  result(): Result;
}

export interface ListQuery {
  readonly agent?: string | undefined;
  readonly status?: TreeNode['status'] | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface TreeQuery {
  readonly depth: number;
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface ActorPage {
  readonly actors: readonly ListedRow[];
  /** Address of the last actor of the page; null on the last page. */
  readonly next: string | null;
}

/**
 * Fills a page. The rows read are charged to the caller, also those that were looked at in vain (undefined). Rejects
 * with BOSUN_RATE_LIMITED if the caller has overdrawn its budget while the page waited for its turn.
 */
export async function paged<Row, Result>(
  { turns, call }: PageCall,
  rows: Iterable<Row>,
  page: Page<Row, Result>,
): Promise<Result> {
  const rest = rows[Symbol.iterator]();
  let hasBegun = false;
  await turns.read(call.caller.id, () => {
    if (!hasBegun) checkLooks(call.looks);
    hasBegun = true;
    let [cost, looked, isDone] = [0, 0, call.isOver];
    while (!isDone && cost < PAGE_SLICE) {
      const { done, value } = rest.next();
      if (done === true) isDone = true;
      else {
        cost += page.take(value);
        looked += 1;
        isDone = page.isFull;
      }
    }
    call.looks.charge(looked);
    return { cost, isDone };
  });
  return page.result();
}

/** The end of a page: where it is full, or at the first actor that may be named after too many were looked at. */
class PageEnd {
  readonly #caller: Caller;
  #looked = 0;
  /** Address of the last actor of the page; undefined while it goes on. */
  after: string | undefined;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Counts an actor that is looked at. @returns Whether the caller may reach it. */
  look(actor: ListedActor | undefined): actor is ListedActor {
    this.#looked += 1;
    return actor !== undefined && mayReach(this.#caller, actor.address);
  }

  /** Ends the page at an actor that the caller may reach, if it has looked at too many. */
  pass({ address }: ListedActor): void {
    if (this.#looked >= ACTORS_EXAMINED_MAX) this.after = address;
  }
}

/** A list of the actors that the caller may reach. */
export class ListPage implements Page<ListedActor | undefined, ActorPage> {
  readonly #query: ListQuery;
  readonly #rows: ListedRow[] = [];
  readonly #end: PageEnd;

  constructor(caller: Caller, query: ListQuery) {
    this.#query = query;
    this.#end = new PageEnd(caller);
  }

  get isFull(): boolean {
    return this.#end.after !== undefined;
  }

  take(actor: ListedActor | undefined): number {
    if (!this.#end.look(actor)) return 1;
    const { agent: only, status: wanted, limit } = this.#query;
    const row = only === undefined || actor.agent === only ? actor.row() : undefined;
    if (row === undefined || (wanted !== undefined && row.status !== wanted)) this.#end.pass(actor);
    else if (this.#rows.length === limit) this.#end.after = this.#rows.at(-1)!.address;
    else {
      this.#rows.push(row);
      this.#end.pass(actor);
    }
    return row === undefined ? 1 : SHOWN_ACTOR_COST;
  }

  result(): ActorPage {
    return { actors: this.#rows, next: this.#end.after ?? null };
  }
}

/** All waits, the longest first: each row has those of one actor. */
export class WaitPage implements Page<readonly WaitView[], WaitView[]> {
  readonly isFull = false;
  readonly #waits: WaitView[] = [];

  take(waits: readonly WaitView[]): number {
    this.#waits.push(...waits);
    return 1 + waits.length * SHOWN_ACTOR_COST;
  }

  result(): WaitView[] {
    return longestFirst(this.#waits);
  }
}

/** A branch under construction. */
interface Twig {
  readonly node: Omit<TreeNode, 'children'> | undefined;
  readonly address: string;
  readonly life: number;
  readonly depth: number;
  readonly children: Twig[];
}

/** A tree of the actors that the caller may reach, from the top; siblings in the order of their births. */
export class TreePage implements Page<ListedActor | undefined, PagedTree> {
  readonly #top: string;
  readonly #query: TreeQuery;
  readonly #twigs = new Map<string, Twig>();
  readonly #end: PageEnd;
  #shown = 0;
  #last = '';

  constructor(caller: Caller, top: string, query: TreeQuery) {
    this.#top = top;
    this.#query = query;
    this.#end = new PageEnd(caller);
  }

  get isFull(): boolean {
    return this.#end.after !== undefined;
  }

  take(actor: ListedActor | undefined): number {
    if (!this.#end.look(actor)) return 1;
    const { depth: depthMax, limit } = this.#query;
    const { address, life } = actor;
    const depth = this.#depthOf(actor);
    if (depth > depthMax) {
      this.#end.pass(actor);
      return 1;
    }
    if (this.#shown === limit) {
      this.#end.after = this.#last;
      return 1;
    }
    this.#shown += 1;
    this.#last = address;
    this.#grow(actor, { node: actor.node(), address, life, depth, children: [] });
    this.#end.pass(actor);
    return SHOWN_ACTOR_COST;
  }

  result(): PagedTree {
    const top = this.#twigs.get(this.#top);
    const { after: next } = this.#end;
    if (top === undefined && this.#query.after === undefined && next === undefined)
      throw new BosunError('BOSUN_FORBIDDEN', 'this address is not among those that the caller may reach');
    const branch = top === undefined ? { address: this.#top, hidden: true as const, children: [] } : this.#branch(top);
    return next === undefined ? branch : { ...branch, next };
  }

  #depthOf({ address, parent }: ListedActor): number {
    if (address === this.#top || parent === undefined) return 0;
    return (this.#twigs.get(parent.address)?.depth ?? this.#depthOf(parent)) + 1;
  }

  /** Adds a node. Ancestors that are not on this page are added as hidden ones. */
  #grow({ address, parent }: ListedActor, twig: Twig): void {
    this.#twigs.set(address, twig);
    if (address === this.#top || parent === undefined) return;
    if (!this.#twigs.has(parent.address)) {
      const { life } = parent;
      this.#grow(parent, { node: undefined, address: parent.address, life, depth: twig.depth - 1, children: [] });
    }
    this.#twigs.get(parent.address)!.children.push(twig);
  }

  #branch({ node, address, depth, children }: Twig): TreeBranch {
    const below = children.sort((a, b) => a.life - b.life).map((child) => this.#branch(child));
    if (node === undefined) return { address, hidden: true, children: below };
    const isCut = depth === this.#query.depth;
    return { ...node, lastError: shownError(node.lastError), children: isCut ? undefined : below } as TreeBranch;
  }
}
