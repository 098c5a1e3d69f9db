/**
 * The supervision tree for people: the kernel's facts about each actor, and those of its Boss. As of the last durable
 * epoch.
 */
import { statusOf, viewOf } from './actors/world/actor-view.ts';
import { type Cell } from './actors/world/cell.ts';
import { checkBoss } from './actors/world/role.ts';
import { ageOf } from './actors/api/actor-inspection.ts';
import { type ListedPart } from './actors/loop/address-index.ts';
import { type Kernel } from './actors/loop/kernel.ts';
import { type BossContext } from './supervisor/boss.ts';
import { standingOf } from './supervisor/boss-handle.ts';
import { type ChildRecord } from './supervisor/decision.ts';
import { type ListedRow, type TreeNode } from './system-options.ts';

/** The agent of a Boss, as people see it. */
const SHOWN_BOSS = 'boss';

/** Returns the tree under an address. Throws BOSUN_ACTOR_UNKNOWN. */
export function treeUnder(kernel: Kernel, address: string): TreeNode {
  const top = kernel.directory.observed(address);
  return branchOf(kernel, top, kernel.shown.families(top));
}

/** An actor as one row of a page. */
export class ListedActor {
  readonly #kernel: Kernel;
  readonly #cell: Cell;

  constructor(kernel: Kernel, cell: Cell) {
    this.#kernel = kernel;
    this.#cell = cell;
  }

  get address(): string {
    return this.#cell.address;
  }

  /** The actor's place in the order of births. */
  get life(): number {
    return this.#cell.life;
  }

  get agent(): string {
    return shownAgent(this.#cell);
  }

  get parent(): ListedActor | undefined {
    const { parent } = this.#cell;
    return parent && new ListedActor(this.#kernel, parent);
  }

  row(): ListedRow {
    return rowOf(this.#kernel, this.#cell, recordOf(this.#kernel, this.#cell));
  }

  node(): Omit<TreeNode, 'children'> {
    return nodeOf(this.#kernel, this.#cell);
  }
}

/** Which actors of a part of the population are listed. */
export interface Listed extends ListedPart {
  /** The agent of the actors: others may be listed too where it is that of Bosses. Default: any. */
  readonly agent?: string | undefined;
}

/**
 * Lists an actor and all below it, ordered by address, or those of them that are asked for; undefined for each that was
 * looked at in vain. Throws BOSUN_ACTOR_UNKNOWN.
 */
export function listedUnder(
  kernel: Kernel,
  address: string,
  { agent, ...part }: Listed = {},
): Iterable<ListedActor | undefined> {
  const top = kernel.directory.observed(address);
  // An agent of the host may have the name under which Bosses are listed.
  return rows(kernel, kernel.shown.below(top, part, agent === SHOWN_BOSS ? undefined : agent));
}

function* rows(kernel: Kernel, cells: Iterable<Cell | undefined>): Generator<ListedActor | undefined> {
  for (const cell of cells) yield cell?.durable === undefined ? undefined : new ListedActor(kernel, cell);
}

/** Returns the data that a handle on a Boss reads. Throws BOSUN_ACTOR_UNKNOWN. */
export function bossAt(kernel: Kernel, address: string) {
  const cell = kernel.directory.observed(address);
  checkBoss(cell);
  const recordOf = (id: string) => kernel.shown.childRow(cell, id) as ChildRecord | undefined;
  const records = () => [...cell.table.keys()].flatMap((id) => recordOf(id) ?? []);
  return { context: viewOf(kernel.engine, cell)?.context as BossContext, records, recordOf };
}

function branchOf(kernel: Kernel, cell: Cell, families: ReadonlyMap<Cell, readonly Cell[]>): TreeNode {
  const children = (families.get(cell) ?? []).map((child) => branchOf(kernel, child, families));
  return { ...nodeOf(kernel, cell), children };
}

function shownAgent({ role, agent }: Cell): string {
  return role.supervises ? SHOWN_BOSS : agent;
}

function nodeOf(kernel: Kernel, cell: Cell): Omit<TreeNode, 'children'> {
  const record = recordOf(kernel, cell);
  const { address, agent, status, state, mailbox, restarts } = rowOf(kernel, cell, record);
  const nowMs = kernel.world?.time.nowMs() ?? 0;
  const oldestMessageMs = ageOf(cell, nowMs);
  const lastError = status === 'suspended' ? cell.durable?.suspension : record?.lastError;
  const context = cell.role.supervises ? cell.durable?.snapshot?.context : undefined;
  const { restartInMs, boss } = standingOf({ record, context }, nowMs);
  // Named one by one: spreading objects into this one took as long as all the rest.
  const node = { address, agent, status, state, mailbox, oldestMessageMs, restarts, lastError, restartInMs, boss };
  return kernel.shown.isPartial(cell) ? { ...node, isPartial: true } : node;
}

/** The fields of an actor in a list. Lists are long, so no more than that is read. */
function rowOf(kernel: Kernel, cell: Cell, record: ChildRecord | undefined): ListedRow {
  const snapshot = cell.durable?.snapshot;
  return {
    address: cell.address,
    agent: shownAgent(cell),
    status: statusOf(cell),
    state: snapshot === undefined ? null : kernel.engine.valueOf(cell.definition, snapshot),
    mailbox: cell.mailbox.size,
    restarts: record?.restarts ?? null,
    startedAtMs: record?.bornAtMs ?? null,
  };
}

/** The record of a supervised actor at its Boss. */
function recordOf(kernel: Kernel, { bond, childId, parent }: Cell): ChildRecord | undefined {
  if (bond !== 'supervised' || parent === undefined) return undefined;
  return kernel.shown.childRow(parent, childId) as ChildRecord | undefined;
}
