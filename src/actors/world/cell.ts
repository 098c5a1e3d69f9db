/** A cell: one actor's durable state, snapshot, mailbox and possessions. Data only. */
import { type ErrorCode } from '../../error-codes.ts';
import type { Ask } from './talk/ask-record.ts';
import { type Definition } from '../model/step-engine.ts';
import { type Held } from './held.ts';
import { Mailbox } from './mailbox/mailbox.ts';
import { type Message } from './mailbox/message.ts';
import { levelOf } from '../model/priorities.ts';
import { type EffectRef, type Ref } from '../model/ref.ts';
import { type Observer } from './observer.ts';
import { type Role, roleOf } from './role.ts';
import { Standing } from './standing.ts';
import { NOTHING, Possessions } from './possessions.ts';
import { ChildTable } from './residency/child-table.ts';
import { type ChildRow } from '../model/supervision.ts';
import { type ActorState, type ActorStatus, type Identity } from '../model/state.ts';
import { EVENT_TIMEOUT_ID, type Timer } from '../model/timers.ts';

/** A value that an effect keeps, and its encoded length. */
export interface EffectCheckpoint {
  readonly value: unknown;
  readonly bytes: number;
}

/** The kept turns of an actor, and the facts for the next one. */
export interface Trail {
  /** The number of the first kept turn; `next` is excluded. */
  first: number;
  next: number;
  /** Turns kept since the last one with the whole context. */
  sinceWhole: number;
  /** Number of changes after the last kept turn; -1 where that was before the actor came into memory. */
  sequence: number;
}

/** One empty map, shared by all actors without children or timers, since a map takes a tenth of a cell. */
const NONE: ReadonlyMap<string, never> = new Map<string, never>();

/** The codes of suspensions that are no matter of the code: the actor can be read, and be resumed. */
const READABLE: ReadonlySet<ErrorCode> = new Set([
  'BOSUN_STATE_SUSPECT',
  'BOSUN_ACTOR_FAILING',
  'BOSUN_ACTOR_SUSPENDED',
]);

/** A shared empty mailbox, which is never changed. */
const EMPTY = new Mailbox();

export class Cell extends Standing {
  #definition: Definition;
  readonly life: number;
  readonly ref: Ref;
  readonly parent: Cell | undefined;
  readonly role: Role;
  /** Whether its parent wants `xstate.snapshot.*` events. Copied, because a turn needs nothing else of the identity. */
  readonly syncSnapshot: boolean;
  #mailbox: Mailbox | undefined;
  #rare: Possessions = NOTHING;
  /** Host events that wait to enter the mailbox. */
  incoming = 0;
  /** Whether the actor is in the run queue. */
  queued = false;
  /** Whether the epoch in the making lists it as changed. */
  isTouched = false;

  constructor(facts: {
    identity: Identity;
    definition: Definition;
    ref: Ref;
    parent: Cell | undefined;
    state: ActorState;
  }) {
    super(facts.identity, facts.state);
    this.life = facts.identity.life;
    this.role = roleOf(facts.identity.agent);
    this.syncSnapshot = facts.identity.syncSnapshot;
    this.#definition = facts.definition;
    this.ref = facts.ref;
    this.parent = facts.parent;
  }

  get cell(): Cell {
    return this;
  }

  /** The code that it runs; set by World.redefine. */
  get definition(): Definition {
    return this.#definition;
  }
  set definition(definition: Definition) {
    this.#definition = definition;
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

  /** The state as of the last durable epoch; undefined while its birth is not durable. */
  get durableState(): { readonly address: string; readonly state: ActorState } | undefined {
    return this.durable && { address: this.address, state: this.durable.state };
  }

  /** Whether the actor takes no more turns, unless its Boss restarts it. */
  get isOver(): boolean {
    const { status } = this.state;
    return status === 'done' || status === 'error' || status === 'stopped';
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

  /** Strikes and orders against the actor, set by World.hold. */
  get held(): Held | undefined {
    return this.#rare.held;
  }
  set held(value: Held | undefined) {
    this.#set('held', value);
  }

  /** Effects: the `self` of the current start. */
  get running(): EffectRef | undefined {
    return this.#rare.running;
  }
  set running(value: EffectRef | undefined) {
    this.#set('running', value);
  }

  /** Effects: failed tries since it was begun or restarted by its Boss. */
  get failures(): number {
    return this.#rare.failures;
  }
  set failures(value: number) {
    this.#set('failures', value);
  }

  /** Effects: failures in a row that ended it, and after which its machine went on without handling them. */
  get ends(): number {
    return this.#rare.ends;
  }
  set ends(value: number) {
    this.#set('ends', value);
  }

  /** Effects: sets the failed tries and the failed ends that are stored. */
  recount(failures: number, ends: number): void {
    this.failures = failures;
    this.ends = ends;
  }

  /** Effects: checkpoint and memos, by name. */
  get kept(): Map<string, EffectCheckpoint> | undefined {
    return this.#rare.kept;
  }
  set kept(value: Map<string, EffectCheckpoint> | undefined) {
    this.#set('kept', value);
  }

  keep(name: string, value: EffectCheckpoint): void {
    (this.kept ??= new Map()).set(name, value);
  }

  /** Effects: asks that it has made and not forgotten. */
  get asked(): Ask | undefined {
    return this.#rare.asked;
  }
  set asked(value: Ask | undefined) {
    this.#set('asked', value);
  }

  /** The trail of kept turns; undefined until it has kept a turn while in memory. */
  get trail(): Trail | undefined {
    return this.#rare.trail;
  }
  set trail(value: Trail | undefined) {
    this.#set('trail', value);
  }

  /** The actor whose full mailbox it waits for before it takes another turn. */
  get waitsFor(): Cell | undefined {
    return this.#rare.waitsFor;
  }
  set waitsFor(value: Cell | undefined) {
    this.#set('waitsFor', value);
  }

  /** Whether the actor waits until another shard has taken the messages sent there. */
  get isHeldUp(): boolean {
    return this.#rare.isHeldUp;
  }
  holdUp(): void {
    this.#set('isHeldUp', true);
  }
  letGo(): void {
    this.#set('isHeldUp', false);
  }

  /** Actors that wait for room in the mailbox of this one. */
  get crowd(): Set<Cell> | undefined {
    return this.#rare.crowd;
  }
  set crowd(value: Set<Cell> | undefined) {
    this.#set('crowd', value);
  }

  /** Number of durable actions that have not succeeded yet. */
  get unsent(): number {
    return this.#rare.unsent;
  }
  set unsent(value: number) {
    this.#set('unsent', value);
  }

  /** Readers who are notified of its changes. */
  get observers(): Set<Observer> | undefined {
    return this.#rare.observers;
  }
  set observers(value: Set<Observer> | undefined) {
    this.#set('observers', value);
  }

  /** Sets a possession. Clearing one that was never set allocates no memory. */
  #set<Name extends keyof Possessions>(name: Name, value: Possessions[Name]): void {
    if (this.#rare[name] !== value) this.#possessions()[name] = value;
  }

  #possessions(): Possessions {
    return this.#rare === NOTHING ? (this.#rare = new Possessions()) : this.#rare;
  }

  /** The actor's own mailbox, created with its first message; most actors of a large system have none. */
  get mailbox(): Mailbox {
    return this.#mailbox ?? EMPTY;
  }

  /**
   * Children by id; a machine's in order of birth, a Boss's that are in memory, in order of arrival. World.family has
   * all.
   */
  get children(): ReadonlyMap<string, Cell> {
    return this.#rare.children ?? NONE;
  }

  /** Timers by the id that their owner gave them. */
  get timers(): ReadonlyMap<string, Timer> {
    return this.#rare.timers ?? NONE;
  }

  /** Bosses: the record of each child. */
  get table(): ReadonlyMap<string, ChildRow> {
    return this.#rare.table ?? NONE;
  }

  addChild(child: Cell): void {
    (this.#possessions().children ??= new Map<string, Cell>()).set(child.childId, child);
  }

  /** Removes a child, unless another child has its id by now. */
  removeChild(child: Cell): void {
    const { childId } = child;
    const { children } = this.#rare;
    if (children?.get(childId) === child) children.delete(childId);
  }

  addTimer(timer: Timer): void {
    (this.#possessions().timers ??= new Map<string, Timer>()).set(timer.id, timer);
  }

  /** Removes a timer, unless another timer has its id by now. */
  removeTimer(timer: Timer): void {
    const armed = this.#rare.timers;
    if (armed?.get(timer.id) === timer) armed.delete(timer.id);
  }

  /** Sets a partial child table, before it has any row. */
  keepTable(table: ChildTable): void {
    this.#possessions().table = table;
  }

  /** The child table, where it need not be in memory as a whole. */
  get childTable(): ChildTable | undefined {
    const { table } = this.#rare;
    return table instanceof ChildTable ? table : undefined;
  }

  putRow(childId: string, row: ChildRow): void {
    (this.#possessions().table ??= new Map<string, ChildRow>()).set(childId, row);
  }

  removeRow(childId: string): void {
    this.#rare.table?.delete(childId);
  }

  /** The timer that the next message disarms. A Boss has none: its timers belong to its children. */
  get eventTimeout(): Timer | undefined {
    const armed = this.#rare.timers;
    return armed === undefined || this.role.isOfRuntime ? undefined : armed.get(EVENT_TIMEOUT_ID);
  }

  /**
   * Puts a message into the mailbox, with the priority of its event. A message that recovery found deferred goes first.
   */
  receive(message: Message): void {
    const { priorities } = this.definition;
    if (priorities !== undefined) message.level = levelOf(priorities, message);
    const mailbox = (this.#mailbox ??= new Mailbox());
    if (message.deferral === 0) mailbox.push(message);
    else if (message.deferral > 0) mailbox.defer(message);
    else mailbox.pushFirst(message);
  }

  /** Whether the actor may take a turn now: a crashed child of a Boss waits for the Boss's decision. */
  get isRunnable(): boolean {
    const { waitsFor, isHeldUp } = this.#rare;
    if (this.gone || this.suspension !== undefined || waitsFor !== undefined || isHeldUp) return false;
    if (this.role.supervises && this.childTable?.isAwaited === true) return false;
    return this.state.status === 'starting' || (this.state.status === 'active' && this.mailbox.peek() !== null);
  }

  /** Announces an event of a host that waits to enter the mailbox. */
  expect(): void {
    this.incoming += 1;
  }

  /** Ends what `expect` has announced: the event enters. */
  arrived(): void {
    this.incoming -= 1;
  }

  /** Whether hosts may send it no more: so many events wait in or before the mailbox, and the oldest gives not way. */
  isFullForHosts(messages: number): boolean {
    const { size, deferred } = this.mailbox;
    return (this.definition.overflow.policy === 'drop-oldest' ? 0 : size - deferred) + this.incoming >= messages;
  }

  /** Whether its mailbox is full. Deferred messages have a bound of their own. */
  get isFull(): boolean {
    return this.mailbox.size - this.mailbox.deferred >= this.definition.overflow.messages;
  }

  /**
   * Whether its record is damaged, or encrypted with a missing key. Then none of it may be shown, and no message may be
   * accepted for it.
   */
  get isIllegible(): boolean {
    return this.suspension?.code === 'BOSUN_STORE_DAMAGED' || this.suspension?.code === 'BOSUN_SECRET_KEY';
  }

  /** Whether the code cannot read it: then only its mailbox may be changed. */
  get isUnreadable(): boolean {
    return this.suspension !== undefined && !READABLE.has(this.suspension.code);
  }
}

/** An actor that has ended; `cell` if it ends only now. */
export interface EndedActor {
  readonly life: number;
  readonly agent: string;
  readonly cell?: Cell | undefined;
}
