/**
 * The kernel: runs turns back to back, freezes what they changed into an epoch, has the journal make it durable, and
 * only then releases what the epoch causes outside (design: the epoch). Owns the loop, the commit line and recovery;
 * knows no domain, no LevelDB, no sockets.
 */
import { type EventObject } from 'xstate';
import { BosunError, messageOf } from '../../errors.ts';
import { checkAddress, ROOT } from '../model/address.ts';
import { assemble, checkParts, type KernelParts, type Machinery, setGoing } from './assembly.ts';
import { type CheckedActor, checkPopulation } from './versions/check.ts';
import { CrashLoopGuard } from '../world/crash-loop-guard.ts';
import { type Cell, stands } from '../world/cell.ts';
import { CommitLine } from './commit-line.ts';
import { DurableView } from './durable-view.ts';
import { type StepEngine } from '../model/step-engine.ts';
import { erase } from './erasure.ts';
import { type Frozen } from '../world/epoch-draft.ts';
import { type Ingress } from './inbound/ingress.ts';
import { Alarm } from '../world/time/kernel-time.ts';
import { type Recovered } from '../model/ports.ts';
import { letOut } from './release.ts';
import { startRoot, rootFailure } from './root.ts';
import { Roster } from './versions/roster.ts';
import { admitShard } from './shards/shard.ts';
import { KernelRefHost } from './ref-host.ts';
import { type World } from '../world/world.ts';

export class Kernel {
  readonly #parts: KernelParts;
  readonly #roster: Roster;
  readonly #refHost: KernelRefHost;
  /** As of the last durable epoch: what readers see. */
  readonly shown = new DurableView();
  readonly #onFailure: (error: BosunError) => void;
  /** Since the start. */
  #machinery: Machinery | undefined;
  /** Until the first epoch is durable. */
  #hasMigrated = false;
  #epoch = 0;
  #awake = false;
  readonly #line: CommitLine;
  readonly #caution: CrashLoopGuard;
  /** The write under way. */
  #commit: Promise<void> | null = null;
  #alarm!: Alarm;
  #phase: 'new' | 'running' | 'draining' | 'closed' = 'new';
  #rootFailure: BosunError | undefined;
  #idle: (() => void)[] = [];
  #stopping: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  readonly #watchers: World['watchers'] = new Set();
  /** Who waits for the next epoch to be durable. */
  #next: (() => void)[] = [];
  /** The next epoch is to leave nothing deleted on the medium. */
  #purgeDue = false;

  /** @param onFailure Told why it has closed by itself. */
  constructor(parts: KernelParts, onFailure: (error: BosunError) => void) {
    this.#parts = parts;
    this.#roster = new Roster(parts.logicOf);
    this.#onFailure = onFailure;
    this.#line = new CommitLine(parts, () => this.#tellIdle());
    this.#caution = new CrashLoopGuard(() => (parts.caution && !parts.hold ? parts.journal.notes : undefined));
    this.#refHost = new KernelRefHost(parts.log, parts.stepEngine, () => this.#phase === 'running');
  }

  /**
   * Opens the journal, rebuilds the population, and goes on. Resolves when every Boss has started its static children
   * and migrations are durable, so that nobody reads an old context as a new one. Rejects with BOSUN_STORE_* or
   * BOSUN_AGENT_*.
   */
  async start(): Promise<void> {
    checkParts(this.#parts);
    const { journal, residentActors, hold } = this.#parts;
    const recovered = await journal.open(this.#refHost.coding, { partly: residentActors !== undefined && !hold });
    try {
      if (this.#parts.shard !== undefined && !this.#parts.hold) await admitShard(this.#parts.shard, recovered);
      if (this.#phase !== 'new') throw new BosunError('BOSUN_SYSTEM_CLOSED', 'the system was stopped while it started');
      this.#rebuild(recovered);
    } catch (error) {
      this.#phase = 'closed';
      await this.#parts.journal.close();
      throw error;
    }
    this.#phase = 'running';
    this.#wake();
    while (
      this.#phase === 'running' &&
      !this.#parts.hold &&
      (this.#hasMigrated || !stands(this.#world.addresses.get(ROOT)))
    ) {
      await new Promise<void>((resolve) => this.#next.push(resolve));
      this.#hasMigrated = false;
    }
  }

  /**
   * Stops after the epoch in the making is durable. Running effects are aborted and will be started again by the next
   * start. Never rejects for a store that has failed already.
   */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#drain());
  }

  /** Ends as the death of the process does: nothing further is written, released or run. The store is left as it is. */
  abandon(): void {
    this.#phase = 'closed';
    this.#line.giveUp(true);
    this.#caution.abandon();
    this.#alarm?.set(undefined);
    this.#machinery?.outbox.halt();
    this.#machinery?.shardLink?.close();
  }

  /** Resolves when everything that is on its way to other shards has been taken there. */
  async shardsSettled(): Promise<void> {
    await this.#machinery?.shardLink?.settled();
  }

  async #drain(): Promise<void> {
    if (this.#phase === 'running') {
      this.#phase = 'draining';
      this.#alarm?.set(undefined);
      this.#line.giveUp(false);
      this.#require.effects.close();
      this.#require.outbox.close();
      this.#require.shardLink?.close();
      this.ingress.takeIn(Infinity);
      // Where timers keep what is left of them, the time of the stop is part of the state.
      let isOwed = this.#world.timers.timed > 0;
      while (this.#isOpen && (this.#commit !== null || !this.#world.draft.isEmpty || isOwed)) {
        if (this.#commit === null) {
          this.#beginCommit(isOwed);
          isOwed = false;
        }
        await this.#commit;
      }
    } else if (this.#phase === 'new') this.#phase = 'closed';
    if (this.#isOpen) await this.#close(new BosunError('BOSUN_SYSTEM_CLOSED', 'the system has stopped'));
    await this.#closing;
  }

  /** Resolves when nothing is to be done before time passes: no turn is waiting, and no write is under way. */
  idle(): Promise<void> {
    return this.#isIdle ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  /** The way in for hosts. Throws BOSUN_SYSTEM_CLOSED before the start. */
  get ingress(): Ingress {
    return this.#require.ingress;
  }

  /**
   * The living actor at an address. Throws BOSUN_ACTOR_UNKNOWN or, where nobody could live there,
   * BOSUN_ADDRESS_INVALID.
   */
  cell(address: string): Cell {
    return this.#known(address, this.world?.addresses.get(address));
  }

  /**
   * The actor that readers see at an address, or the one whose birth is not durable yet. Throws BOSUN_ACTOR_UNKNOWN.
   */
  observed(address: string): Cell {
    return this.#known(address, this.shown.at(address) ?? this.world?.addresses.get(address));
  }

  #known(address: string, cell: Cell | undefined): Cell {
    if (cell?.isIllegible === true) throw cell.suspension!;
    if (cell !== undefined) return cell;
    checkAddress(address);
    throw (
      this.world?.unreadable.at(address) ??
      new BosunError('BOSUN_ACTOR_UNKNOWN', `no actor at ${address}`, { details: { address } })
    );
  }

  /** The population, ahead of the last durable epoch; undefined before the start. */
  get world(): World | undefined {
    return this.#machinery?.world;
  }

  find(address: string): Cell | undefined {
    return this.#machinery?.world.addresses.get(address);
  }

  /** Resolves when the next epoch is durable, or the kernel has closed. */
  nextEpoch(): Promise<void> {
    return this.isRunning ? new Promise((resolve) => this.#next.push(resolve)) : Promise.resolve();
  }

  get isRunning(): boolean {
    return this.#phase === 'running';
  }

  /** Watches the emitted events of all actors. */
  onEmitted(handler: (address: string, event: EventObject) => void): { unsubscribe(): void } {
    this.#watchers.add(handler);
    return { unsubscribe: () => void this.#watchers.delete(handler) };
  }

  /** Why hosts are refused, while the store cannot be written. */
  get outage(): BosunError | undefined {
    return this.#line.outage;
  }

  /** What orders act on: enter changes by `ingress.enter`. Throws BOSUN_SYSTEM_CLOSED before the start. */
  get machinery(): Machinery {
    return this.#require;
  }

  /** How the code of today reads each stored actor. Only before anything has run. */
  readings(): CheckedActor[] {
    return checkPopulation(this.#world, this.#require.population, this.#roster);
  }

  get epoch(): number {
    return this.#epoch;
  }

  get engine(): StepEngine {
    return this.#refHost.engine;
  }

  #rebuild(recovered: Recovered): void {
    this.#epoch = recovered.epoch;
    this.#machinery = assemble(this.#parts, recovered, {
      refHost: this.#refHost,
      roster: this.#roster,
      shown: this.shown,
      watchers: this.#watchers,
      wake: () => this.#wake(),
      refusal: () =>
        this.#phase === 'running' ? this.outage : new BosunError('BOSUN_SYSTEM_CLOSED', 'the system is not running'),
      onRootGone: (error) => {
        this.#rootFailure = rootFailure(this.#world, error);
      },
      onFailure: (error) => this.#fail(error),
      isHalted: () => this.#rootFailure !== undefined,
      caution: this.#caution,
    });
    this.#world.tracing.epoch = this.#epoch + 1;
    this.#alarm = new Alarm(this.#parts.clock, this.#world.time, () => this.#wake());
    if (this.#parts.hold) return;
    this.#hasMigrated = setGoing(this.#machinery, this.#roster, {
      guilty: this.#caution.begin(),
      shard: this.#parts.shard,
    });
    this.#caution.relaxLater(this.#parts.clock, () => this.#commit === null && !this.#require.loop.hasWork);
    startRoot({ machinery: this.#machinery, roster: this.#roster, tree: this.#parts.root });
    this.#require.shardLink?.open();
  }

  #wake(): void {
    if (this.#awake || this.#phase !== 'running') return;
    this.#awake = true;
    this.#parts.clock.defer(() => this.#pump());
  }

  /**
   * One slice: due timers, turns, then the commit if none is under way. At most one epoch is written while one is made.
   */
  #pump(): void {
    if (this.#phase === 'running') {
      try {
        if (this.#parts.hold) this.ingress.takeIn(Infinity);
        else if (!this.#isBlind) {
          if (this.#commit === null) this.#require.residency?.evict();
          this.#world.timers.fireDue();
          this.#takeTurns();
        }
      } catch (error) {
        this.#fail(error);
      }
    }
    // Only now: what the turns themselves brought up is seen to below, and needs no further slice.
    this.#awake = false;
    if (this.#phase !== 'running') return;
    if (this.#commit === null && (!this.#world.draft.isEmpty || this.#world.timers.isBeatDue) && !this.#isGathering)
      this.#beginCommit();
    if (this.#rootFailure !== undefined) return;
    if (!this.#parts.hold) {
      const { hasWork, hasRoom } = this.#require.loop;
      // A cautious run takes no turns while it writes; the end of the write wakes it.
      if (hasWork && hasRoom && !this.#isBlind && !(this.#caution.isOn && this.#commit !== null)) this.#wake();
      // The end of a write that failed wakes it.
      const alarmMs = this.#isBlind ? undefined : this.#world.timers.nextAlarmMs();
      if (alarmMs !== undefined && alarmMs <= this.#world.time.nowMs()) this.#wake();
      else this.#alarm.set(alarmMs);
    }
    this.#tellIdle();
  }

  #takeTurns(): void {
    const { loop, ingress } = this.#require;
    if (!this.#caution.isOn) loop.run();
    else if (
      this.#commit === null &&
      this.#world.draft.isEmpty &&
      (this.#world.runnable.size > 0 || this.#require.administration.hasSteps)
    )
      loop.runCautiously();
    else ingress.takeIn(Infinity);
  }

  /** Removes an actor and all below it from population and medium. */
  erase(cell: Cell): Promise<void> {
    const terminate = (cell: Cell) =>
      this.ingress.order(cell.parent!, { type: 'child.terminate', id: cell.childId } as EventObject);
    const parts = {
      world: this.#world,
      bosses: this.#require.bosses,
      flush: (options?: { purge: boolean }) => this.#flush(options),
    };
    return erase(cell, { ...parts, terminate: this.#parts.hold ? undefined : terminate });
  }

  /** What changed until now is durable at the latest with the epoch after the one being written. */
  async #flush({ purge } = { purge: false }): Promise<void> {
    this.#purgeDue ||= purge;
    for (let n = 0; n < 2 && this.#isOpen; n++) {
      if (this.#commit === null && (this.#purgeDue || !this.#world.draft.isEmpty)) this.#beginCommit();
      await this.#commit;
    }
    if (!this.#isOpen) throw new BosunError('BOSUN_SYSTEM_CLOSED', 'the system closed before all was erased');
  }

  /** @param isOwed An epoch has to be written though nothing has changed. */
  #beginCommit(isOwed = this.#purgeDue || this.#world.timers.isBeatDue): void {
    const { draft, time, tracing, counters } = this.#world;
    const isVoid = draft.isVoid && !isOwed;
    this.#require.loop.epochBegins();
    if (!isVoid) this.#epoch += 1;
    const kernelTimeMs = isVoid ? time.lastMs : time.stamp();
    const configurations = isVoid ? [] : this.#roster.definitions.takeNewConfigurations();
    const frozen = draft.freeze({
      number: this.#epoch,
      kernelTimeMs,
      configurations,
      counters,
      isVoid,
      lastTurn: tracing.last,
    });
    tracing.epoch = this.#epoch + 1;
    this.#commit = this.#write(frozen).catch((error: unknown) => this.#fail(error));
  }

  async #write(frozen: Frozen): Promise<void> {
    // An ask that only reads leaves nothing behind. What it lets out follows from earlier epochs, and those are on the
    // medium.
    if (frozen.isVoid) await Promise.resolve();
    else {
      const isPurge = this.#purgeDue;
      this.#purgeDue = false;
      await this.#line.write(frozen, isPurge);
    }
    this.#commit = null;
    // Whoever waited has been told of the failure already.
    if (this.#isOpen) this.#release(frozen);
  }

  /** The epoch is durable: show it to readers, then let out what it caused, in order. */
  #release(frozen: Frozen): void {
    letOut(frozen, { world: this.#world, ingress: this.ingress, shown: this.shown, waiting: this.#next.splice(0) });
    this.#require.residency?.settle(frozen);
    this.#require.residency?.evict();
    if (this.#rootFailure !== undefined && this.#world.draft.isEmpty) this.#fail(this.#rootFailure);
    else this.#afterRelease();
  }

  #afterRelease(): void {
    if (this.#phase !== 'running') return;
    const { draft } = this.#world;
    const isRunning = this.#require.loop.hasWork && !this.#parts.hold;
    if (isRunning) this.#wake();
    if (draft.isEmpty && !this.#world.timers.isBeatDue) this.#tellIdle();
    // What only arrived is written together with the turns that it causes, unless it causes none.
    else if (!isRunning || (draft.turns > 0 && !this.#isGathering)) this.#beginCommit();
  }

  /** Memory may be ahead of disk, so nothing further is released: the next start goes on from the last epoch. */
  #fail(cause: unknown): void {
    if (this.#phase === 'closed') return;
    const error =
      cause instanceof BosunError
        ? cause
        : new BosunError('BOSUN_INTERNAL', `the kernel failed: ${messageOf(cause)}`, { cause });
    this.#require.effects.close();
    this.#require.outbox.close();
    this.#require.shardLink?.close();
    const tell = () => this.#onFailure(error);
    this.#close(error).then(tell, tell);
  }

  #close(reason: BosunError): Promise<void> {
    this.#phase = 'closed';
    this.#alarm?.set(undefined);
    this.#machinery?.ingress.rejectAll(reason, [
      ...(this.#line.writing?.settled ?? []),
      ...this.#world.draft.takeSettled(),
    ]);
    for (const cell of this.#world.cells.values()) this.#world.tell(cell, (observer) => observer.closed?.(reason));
    this.#world.tracing.close();
    for (const resolve of [...this.#idle.splice(0), ...this.#next.splice(0)]) resolve();
    return (this.#closing = this.#closeJournal());
  }

  /** A store must not be closed under a write; whether that one succeeds does not matter any more. */
  async #closeJournal(): Promise<void> {
    await this.#commit?.catch(() => {});
    this.#caution.stop();
    await this.#parts.journal.close();
  }

  get #require(): Machinery {
    if (this.#machinery === undefined) throw new BosunError('BOSUN_SYSTEM_CLOSED', 'the system has not been started');
    return this.#machinery;
  }

  get #world(): World {
    return this.#require.world;
  }

  /** There is more to do at once, and room for it in the epoch in the making. */
  get #isGathering(): boolean {
    if (this.#parts.hold || this.#isBlind || this.#caution.isOn || this.#rootFailure !== undefined) return false;
    return this.#require.loop.isGathering;
  }

  /** Nobody can be woken at present. */
  get #isBlind(): boolean {
    return this.#require.residency?.isBlind === true;
  }

  get #isOpen(): boolean {
    return this.#phase !== 'closed';
  }

  get #isIdle(): boolean {
    if (this.#phase !== 'running') return true;
    if (this.#require.residency?.isReading === true) return false;
    return (
      !this.#awake &&
      (this.#line.isWaiting || (this.#commit === null && (this.#parts.hold || !this.#require.loop.hasWork)))
    );
  }

  #tellIdle(): void {
    if (this.#isIdle) for (const resolve of this.#idle.splice(0)) resolve();
  }
}
