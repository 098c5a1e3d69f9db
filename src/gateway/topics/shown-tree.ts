/**
 * A tree as a client has it: pages are taken in one after the other, round after round, and each answers with the patch
 * that brings the client's copy up to date. The cost of a page depends on its own size. Siblings stand in the order in
 * which they came, so the patch for a new actor touches no other one.
 */
import { LISTED_MAX } from '../limits.ts';
import { diff, type PatchOp } from '../protocol/patch.ts';
import { type PagedTree, type TreeBranch } from '../protocol/views.ts';

type Node = Readonly<Record<string, unknown>>;

/** An actor of the tree. */
interface Twig {
  readonly address: string;
  readonly parent: Twig | undefined;
  /** The actor's fields without its children. */
  node: Node;
  children: Twig[];
  /** The index of the actor among its siblings. */
  at: number;
  /** The last round in which the actor was seen. */
  round: number;
}

export class ShownTree {
  readonly #twigs = new Map<string, Twig>();
  readonly #top: Twig;
  #round = 0;
  /** Number of pages of this round, and of actors that they showed. */
  #pages = 0;
  #shown = 0;
  /** The field `next` of the view. */
  #next: string | undefined;
  /** The address after which the next page of this round begins; undefined when the round is over. */
  after: string | undefined;

  /**
   * Makes a view.
   *
   * @param first The first page, which the client gets unchanged.
   */
  constructor(first: PagedTree) {
    this.#top = this.#grow(first, undefined);
    this.#next = first.next;
    this.#advance(first);
  }

  /** Whether the whole tree fits on one page, and did so in the last round. */
  get isOnePage(): boolean {
    return this.#pages === 1 && this.after === undefined;
  }

  /** The view that all patches so far have produced. */
  get view(): unknown {
    return viewOf(this.#top);
  }

  /**
   * Adds the page after {@link after}, or the first one if there is none. At the end of a round, actors not seen in it
   * are removed.
   */
  take(page: PagedTree): PatchOp[] {
    if (this.after === undefined) {
      this.#round += 1;
      this.#pages = 0;
      this.#shown = 0;
    }
    const ops: PatchOp[] = [];
    this.#visit(page, undefined, ops);
    this.#advance(page);
    if (this.after === undefined) this.#sweep(this.#top, ops);
    if (this.after === undefined || this.#round === 0) this.#point(page.next, ops);
    return ops;
  }

  #advance({ next }: PagedTree): void {
    this.#pages += 1;
    this.after = this.#shown < LISTED_MAX ? next : undefined;
  }

  #visit(branch: TreeBranch, parent: Twig | undefined, ops: PatchOp[]): void {
    const twig = this.#twigs.get(branch.address);
    if (twig === undefined || twig.parent !== parent) {
      // An actor of the same address under another parent is another one.
      if (twig !== undefined) this.#remove(twig, ops);
      ops.push({ op: 'add', path: `${pathOf(parent!)}/children/${parent!.children.length}`, value: branch });
      this.#grow(branch, parent);
      return;
    }
    twig.round = this.#round;
    // On later pages the ancestors of what these show are hidden.
    if (branch.hidden !== true) {
      this.#shown += 1;
      const node = nodeOf(branch);
      const changes = diff(twig.node, node);
      if (changes.length > 0) {
        const path = pathOf(twig);
        for (const op of changes) ops.push({ ...op, path: path + op.path });
        twig.node = node;
      }
    }
    for (const child of branch.children ?? []) this.#visit(child, twig, ops);
  }

  #grow(branch: TreeBranch, parent: Twig | undefined): Twig {
    const { address } = branch;
    const at = parent?.children.length ?? 0;
    const twig: Twig = { address, parent, node: nodeOf(branch), children: [], at, round: this.#round };
    if (branch.hidden !== true) this.#shown += 1;
    this.#twigs.set(address, twig);
    parent?.children.push(twig);
    for (const child of branch.children ?? []) this.#grow(child, twig);
    return twig;
  }

  #remove(twig: Twig, ops: PatchOp[]): void {
    ops.push({ op: 'remove', path: pathOf(twig) });
    this.#keep(twig.parent!, (other) => other !== twig);
  }

  /** Removes the actors that were not seen in this round. */
  #sweep(twig: Twig, ops: PatchOp[]): void {
    if (twig.children.some(({ round }) => round !== this.#round)) {
      const path = pathOf(twig);
      // From the end, so that each removal leaves the indexes of the next ones as they are.
      for (const { at, round } of twig.children.toReversed())
        if (round !== this.#round) ops.push({ op: 'remove', path: `${path}/children/${at}` });
      this.#keep(twig, ({ round }) => round === this.#round);
    }
    for (const child of twig.children) this.#sweep(child, ops);
  }

  #keep(parent: Twig, isKept: (child: Twig) => boolean): void {
    for (const child of parent.children) if (!isKept(child)) this.#forget(child);
    parent.children = parent.children.filter(isKept);
    parent.children.forEach((child, at) => (child.at = at));
  }

  #forget(twig: Twig): void {
    if (this.#twigs.get(twig.address) === twig) this.#twigs.delete(twig.address);
    for (const child of twig.children) this.#forget(child);
  }

  /** Sets the field `next` of the view. */
  #point(next: string | undefined, ops: PatchOp[]): void {
    if (next === this.#next) return;
    if (next === undefined) ops.push({ op: 'remove', path: '/next' });
    else ops.push({ op: this.#next === undefined ? 'add' : 'replace', path: '/next', value: next });
    this.#next = next;
  }
}

function nodeOf(branch: PagedTree): Node {
  const { children: _, next: __, ...node } = branch;
  return node;
}

function viewOf({ node, children }: Twig): unknown {
  return { ...node, children: children.map(viewOf) };
}

function pathOf({ parent, at }: Twig): string {
  return parent === undefined ? '' : `${pathOf(parent)}/children/${at}`;
}
