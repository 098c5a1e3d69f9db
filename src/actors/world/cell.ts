/** The kernel's box round one actor: its durable state, its snapshot, its mailbox and what it owns. Data only. */
import { type BosunError } from '../../errors.ts';
import { BOSS_AGENT } from '../model/agent.ts';
import type { Ask } from './talk/ask-record.ts';
import { type Definition, type Snapshot } from '../model/step-engine.ts';
import { Mailbox } from './mailbox/mailbox.ts';
import { type Message } from './mailbox/message.ts';
import { levelOf } from '../model/priorities.ts';
import { type EffectRef, type Ref } from '../model/ref.ts';
import { ChildTable } from './residency/child-table.ts';
import { type ChildRow, type RestartMode } from '../model/supervision.ts';
import { type ActorImage, type ActorState, type ActorStatus, type Identity } from '../model/state.ts';
import { EVENT_TIMEOUT_ID, type Timer } from '../model/timers.ts';

/** What an epoch makes of an actor: a state together with the snapshot that belongs to it. */
export interface Image extends ActorImage {
  readonly cell: Cell;
  readonly snapshot: Snapshot | undefined;
  readonly suspension: BosunError | undefined;
}

/** A value that an effect keeps, and how long it is as written. */
export interface EffectCheckpoint {
  readonly value: unknown;
  readonly bytes: number;
}

/** What is held against an actor: a row. */
export interface Held {
  /** Messages quarantined since one was processed. */
  readonly strikes: number;
  /** The last one's. */
  readonly error: unknown;
  /** Its Boss had it restarted while the code could not read it; done by the first start that can. */
  readonly restart: RestartMode | null;
  /** An administrator suspended it. */
  readonly order?: { readonly by: string; readonly reason: string | null; readonly atMs: number };
}

/** What outside observers of one actor registered. */
export interface Observer {
  changed?(): void;
  emitted?(event: { readonly type: string }): void;
  ended?(): void;
  /** The system has stopped or failed; nothing more will be told. */
  closed?(reason: BosunError): void;
}

/**
 * What the many actors without children, or without timers, share: an empty map of its own would be a tenth of a cell.
 */
const NONE: ReadonlyMap<string, never> = new Map<string, never>();

/** Nothing is ever put into it. */
const EMPTY = new Mailbox();

export class Cell {
  /** This and the definition change together, by World.redefine. */
  identity: Identity;
  definition: Definition;
  readonly life: number;
  readonly ref: Ref;
  readonly parent: Cell | undefined;
  readonly isBoss: boolean;
  /** Its parent wants `xstate.snapshot.*` events. From the identity, which a turn has no other reason to touch. */
  readonly syncSnapshot: boolean;
  #mailbox: Mailbox | undefined;
  #children: Map<string, Cell> | undefined;
  #timers: Map<string, Timer> | undefined;
  #table: Map<string, ChildRow> | undefined;
  state: ActorState;
  /** Undefined until the first turn. */
  snapshot: Snapshot | undefined;
  /** As of the last durable epoch; undefined until the birth is durable. What reads see. */
  durable: Image | undefined;
  /** Events of hosts that wait to enter the mailbox. */
  incoming = 0;
  /** In the run queue. */
  queued = false;
  /** In the list of those that the epoch in the making changes. */
  isTouched = false;
  /**
   * Why it takes no turns though it lives: the code cannot read it, its state is suspect, or somebody suspended it. Its
   * mailbox fills.
   */
  suspension: BosunError | undefined;
  /** Set by World.hold. */
  held: Held | undefined;
  /** No longer in the population. */
  gone = false;
  /** Effects: what the start under way calls `self`. */
  running: EffectRef | undefined;
  /** Effects: tries that failed, since it was begun or its Boss had it begin again. */
  failures = 0;
  /** Effects: what they keep for their later starts, by name. */
  kept: Map<string, EffectCheckpoint> | undefined;
  /** Effects: what they have asked, and have not forgotten. */
  asked: Ask | undefined;
  /** Whose full mailbox it waits for before it takes another turn. */
  waitsFor: Cell | undefined;
  /** It takes no turn until another shard has caught up with what was sent to it. */
  isHeldUp = false;
  /** Who waits for room in its mailbox. */
  crowd: Set<Cell> | undefined;
  /** Durable actions that have not been run yet. */
  unsent = 0;
  observers: Set<Observer> | undefined;

  constructor(facts: {
    identity: Identity;
    definition: Definition;
    ref: Ref;
    parent: Cell | undefined;
    state: ActorState;
  }) {
    this.identity = facts.identity;
    this.life = facts.identity.life;
    this.isBoss = facts.identity.agent === BOSS_AGENT;
    this.syncSnapshot = facts.identity.syncSnapshot;
    this.definition = facts.definition;
    this.ref = facts.ref;
    this.parent = facts.parent;
    this.state = facts.state;
  }

  get address(): string {
    return this.identity.address;
  }

  get childId(): string {
    return this.identity.childId;
  }

  get agent(): string {
    return this.identity.agent;
  }

  get systemId(): string | null {
    return this.identity.systemId;
  }

  get bond(): Identity['bond'] {
    return this.identity.bond;
  }

  get status(): ActorStatus {
    return this.state.status;
  }

  get seq(): number {
    return this.state.seq;
  }

  get configuration(): number | null {
    return this.state.configuration;
  }

  get context(): unknown {
    return this.state.context;
  }

  get attempt(): number {
    return this.state.attempt;
  }

  /** Its own from the first message on: most actors of a large system wait for theirs. */
  get mailbox(): Mailbox {
    return this.#mailbox ?? EMPTY;
  }

  /**
   * By child id; of a machine in order of birth, of a Boss those in memory, in the order in which they came.
   * World.family has all.
   */
  get children(): ReadonlyMap<string, Cell> {
    return this.#children ?? NONE;
  }

  /** By the id that their owner gave them. */
  get timers(): ReadonlyMap<string, Timer> {
    return this.#timers ?? NONE;
  }

  /** Bosses: one record per child, what the Boss put there. */
  get table(): ReadonlyMap<string, ChildRow> {
    return this.#table ?? NONE;
  }

  addChild(child: Cell): void {
    (this.#children ??= new Map<string, Cell>()).set(child.childId, child);
  }

  /** Does nothing where another child has taken the id over. */
  removeChild(child: Cell): void {
    const { childId } = child;
    if (this.#children?.get(childId) === child) this.#children.delete(childId);
  }

  addTimer(timer: Timer): void {
    (this.#timers ??= new Map<string, Timer>()).set(timer.id, timer);
  }

  /** Does nothing where another timer has taken the id over. */
  removeTimer(timer: Timer): void {
    if (this.#timers?.get(timer.id) === timer) this.#timers.delete(timer.id);
  }

  /** Before it has any row. */
  keepTable(table: ChildTable): void {
    this.#table = table;
  }

  /** Its table, where not all of it has to be in memory. */
  get childTable(): ChildTable | undefined {
    return this.#table instanceof ChildTable ? this.#table : undefined;
  }

  putRow(childId: string, row: ChildRow): void {
    (this.#table ??= new Map<string, ChildRow>()).set(childId, row);
  }

  removeRow(childId: string): void {
    this.#table?.delete(childId);
  }

  /** The timer that the next message disarms. Those of a Boss are all its children's. */
  get eventTimeout(): Timer | undefined {
    return this.#timers === undefined || this.isBoss ? undefined : this.#timers.get(EVENT_TIMEOUT_ID);
  }

  /**
   * Puts a message into the mailbox, at the level that the agent gives its event. One that recovery found deferred
   * stands first.
   */
  receive(message: Message): void {
    const { priorities } = this.definition;
    if (priorities !== undefined) message.level = levelOf(priorities, message);
    const mailbox = (this.#mailbox ??= new Mailbox());
    if (message.deferral === 0) mailbox.push(message);
    else if (message.deferral > 0) mailbox.defer(message);
    else mailbox.pushFirst(message);
  }

  /** Whether it may take a turn now: a crashed child of a Boss waits for the Boss's decision. */
  get isRunnable(): boolean {
    if (this.gone || this.suspension !== undefined || this.waitsFor !== undefined || this.isHeldUp) return false;
    if (this.isBoss && this.childTable?.isAwaited === true) return false;
    return this.state.status === 'starting' || (this.state.status === 'active' && this.mailbox.peek() !== null);
  }

  /** Whether its mailbox has as many messages as it should have. What is deferred has a bound of its own. */
  get isFull(): boolean {
    return this.mailbox.size - this.mailbox.deferred >= this.definition.overflow.messages;
  }

  /**
   * Whether its record is damaged, or encrypted under a key that is missing: then nothing of it may be served, and
   * nothing taken for it.
   */
  get isIllegible(): boolean {
    return this.suspension?.code === 'BOSUN_STORE_DAMAGED' || this.suspension?.code === 'BOSUN_SECRET_KEY';
  }

  /** Whether the code cannot read it: then nothing of it may be touched but its mailbox. */
  get isUnreadable(): boolean {
    return (
      this.suspension !== undefined &&
      this.suspension.code !== 'BOSUN_STATE_SUSPECT' &&
      this.suspension.code !== 'BOSUN_ACTOR_SUSPENDED'
    );
  }
}

/** What the cell is now. */
export function imageOf(cell: Cell): Image {
  return {
    cell,
    life: cell.life,
    state: cell.state,
    snapshot: cell.snapshot,
    isGone: cell.gone,
    suspension: cell.suspension,
  };
}

/** Whether an actor and, for a Boss, those below it have begun, for readers to see. */
export function stands(cell: Cell | undefined): boolean {
  if (cell?.durable === undefined) return false;
  if (cell.suspension !== undefined) return true;
  if (cell.durable.state.status === 'starting') return false;
  return !cell.isBoss || [...cell.children.values()].every(stands);
}
