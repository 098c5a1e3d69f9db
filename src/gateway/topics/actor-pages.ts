/**
 * Pages of actors, as a list and as a part of the tree, in order of addresses. Actors are read in slices, between which
 * other work gets its turn, so a page blocks nobody, however many actors there are and however few of them the caller
 * may see. Actors before the start of a page are not read.
 */
import { BosunError } from '../../errors.ts';
import { PAGE_SLICE, SHOWN_ACTOR_COST } from '../limits.ts';
import { type ListedRow, type TreeNode } from '../../system-options.ts';
import { type Caller, mayReach } from '../callers/callers.ts';
import { checkLooks, type ReadingCall } from '../callers/looks.ts';
import { type ListedActor, type PagedTree, type TreeBranch } from '../protocol/views.ts';
import { type PageTurns } from './page-turns.ts';
import { shownError } from './wire-values.ts';

/** A request for a page, and the queue in which it waits. */
export interface PageCall {
  readonly turns: PageTurns;
  readonly call: ReadingCall;
}

/** Takes actors in order of addresses until it is full. */
interface Page<Result> {
  /** Whether one more actor was taken than the page has room for. */
  readonly isFull: boolean;
  /**
   * Takes the next actor.
   *
   * @returns The cost of reading it.
   */
  take(actor: ListedActor): number;
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
 * Fills a page. The rows read are charged to the caller. Rejects with BOSUN_RATE_LIMITED if the caller has overdrawn
 * its budget while the page waited for its turn.
 */
export async function paged<Result>(
  { turns, call }: PageCall,
  actors: Iterable<ListedActor>,
  page: Page<Result>,
): Promise<Result> {
  const rest = actors[Symbol.iterator]();
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

/** A list of the actors that the caller may reach. */
export class ListPage implements Page<ActorPage> {
  readonly #caller: Caller;
  readonly #query: ListQuery;
  readonly #rows: ListedRow[] = [];
  isFull = false;

  constructor(caller: Caller, query: ListQuery) {
    this.#caller = caller;
    this.#query = query;
  }

  take(actor: ListedActor): number {
    const { agent: only, status: wanted, limit } = this.#query;
    if (!mayReach(this.#caller, actor.address) || (only !== undefined && actor.agent !== only)) return 1;
    const row = actor.row();
    if (wanted !== undefined && row.status !== wanted) return SHOWN_ACTOR_COST;
    if (this.#rows.length === limit) this.isFull = true;
    else this.#rows.push(row);
    return SHOWN_ACTOR_COST;
  }

  result(): ActorPage {
    return { actors: this.#rows, next: this.isFull ? this.#rows.at(-1)!.address : null };
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
export class TreePage implements Page<PagedTree> {
  readonly #caller: Caller;
  readonly #top: string;
  readonly #query: TreeQuery;
  readonly #twigs = new Map<string, Twig>();
  #shown = 0;
  #last = '';
  isFull = false;

  constructor(caller: Caller, top: string, query: TreeQuery) {
    this.#caller = caller;
    this.#top = top;
    this.#query = query;
  }

  take(actor: ListedActor): number {
    const { depth: depthMax, limit } = this.#query;
    const { address, life } = actor;
    if (!mayReach(this.#caller, address)) return 1;
    const depth = this.#depthOf(actor);
    if (depth > depthMax) return 1;
    if (this.#shown === limit) {
      this.isFull = true;
      return 1;
    }
    this.#shown += 1;
    this.#last = address;
    this.#grow(actor, { node: actor.node(), address, life, depth, children: [] });
    return SHOWN_ACTOR_COST;
  }

  result(): PagedTree {
    const top = this.#twigs.get(this.#top);
    if (top === undefined && this.#query.after === undefined)
      throw new BosunError('BOSUN_FORBIDDEN', 'this address is not among those that the caller may reach');
    const branch = top === undefined ? { address: this.#top, hidden: true as const, children: [] } : this.#branch(top);
    return this.isFull ? { ...branch, next: this.#last } : branch;
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
