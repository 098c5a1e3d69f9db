/**
 * The kernel: runs turns back to back, freezes their changes into an epoch, has the journal make it durable, and only
 * then releases its outputs (design: the epoch). Owns the loop, the commit line and recovery; independent of any
 * domain, of LevelDB and of sockets.
 */
import { type EventObject } from 'xstate';
import { BosunError, isBosunError, messageOf } from '../../errors.ts';
import { assemble, checkParts, type KernelParts, type Machinery, setGoing } from './assembly.ts';
import { type CheckedActor, checkPopulation } from './versions/check.ts';
import { Audience } from '../world/audience.ts';
import { CrashLoopGuard } from '../world/crash-loop-guard.ts';
import { type Cell } from '../world/cell.ts';
import { CommitLine } from './commit-line.ts';
import { Directory } from './directory.ts';
import { DurableView } from './durable-view.ts';
import { type StepEngine } from '../model/step-engine.ts';
import { erase } from './erasure.ts';
import { type Frozen } from '../world/epoch-draft.ts';
import { type Ingress } from './inbound/ingress.ts';
import { Alarm } from '../world/time/kernel-time.ts';
import { type Recovered } from '../model/ports.ts';
import { causeOf } from '../model/thrown.ts';
import { closedLine } from '../model/incident-lines.ts';
import { letOut } from './release.ts';
import { startRoot, rootFailure, rootStands } from './root.ts';
import { Roster } from './versions/roster.ts';
import { admit } from './admission.ts';
import { KernelRefHost } from './ref-host.ts';
import { type World } from '../world/world.ts';

export class Kernel {
  readonly #parts: KernelParts;
  readonly #roster: Roster;
  readonly #refHost: KernelRefHost;
  /** The last durable epoch, for readers. */
  readonly shown = new DurableView();
  readonly directory = new Directory(this.shown, () => this.world);
  readonly #onFailure: (error: BosunError) => void;
  /** The kernel's parts, set at the start. */
  #machinery: Machinery | undefined;
  /** Whether a migration has not become durable yet. */
  #hasMigrated = false;
  #epoch = 0;
  #awake = false;
  readonly #line: CommitLine;
  readonly #caution: CrashLoopGuard;
  /** The write in progress. */
  #commit: Promise<void> | null = null;
  #alarm!: Alarm;
  #phase: 'new' | 'running' | 'draining' | 'closed' = 'new';
  #rootFailure: BosunError | undefined;
  #idle: (() => void)[] = [];
  #stopping: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  readonly #audience: Audience;
  /** Callers that wait for the next epoch to be durable. */
  #next: (() => void)[] = [];
  /** Whether the next epoch has to leave nothing deleted on the medium. */
  #purgeDue = false;

  /** Makes a kernel. `onFailure` is called with the reason when it has closed by itself. */
  constructor(parts: KernelParts, onFailure: (error: BosunError) => void) {
    this.#parts = parts;
    this.#roster = new Roster(parts.logicOf);
    this.#onFailure = onFailure;
    this.#audience = new Audience(parts.log);
    this.#line = new CommitLine(parts, () => this.#tellIdle());
    this.#caution = new CrashLoopGuard(() => (parts.caution && !parts.hold ? parts.journal.notes : undefined));
    this.#refHost = new KernelRefHost(parts.log, parts.stepEngine, () => this.#phase === 'running');
  }

  /**
   * Opens the journal, rebuilds the population, and continues. Resolves when every Boss has started its static children
   * and migrations are durable, so that no reader takes an old context for a new one. Rejects with BOSUN_STORE_* or
   * BOSUN_AGENT_*.
   */
  async start(): Promise<void> {
    checkParts(this.#parts);
    const { journal, residentActors, hold } = this.#parts;
    const recovered = await journal.open(this.#refHost.coding, { partly: residentActors !== undefined && !hold });
    try {
      if (!hold) await admit(this.#parts, recovered);
      if (this.#phase !== 'new') throw new BosunError('BOSUN_SYSTEM_CLOSED', 'the system was stopped while it started');
      this.#rebuild(recovered);
    } catch (error) {
      this.#phase = 'closed';
      await this.#parts.journal.close();
      throw error;
    }
    this.#phase = 'running';
    this.#wake();
    while (this.#phase === 'running' && !this.#parts.hold && (this.#hasMigrated || !rootStands(this.#world))) {
      await new Promise<void>((resolve) => this.#next.push(resolve));
      this.#hasMigrated = false;
    }
  }

  /**
   * Stops after the epoch in the making is durable. Running effects are aborted, and started again by the next start.
   * Never rejects for a store that has failed already.
   */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#drain());
  }

  /** Ends as the death of the process would: nothing is written, released or run any more. */
  abandon(): void {
    this.#phase = 'closed';
    this.#line.giveUp(true);
    this.#caution.abandon();
    this.#alarm?.set(undefined);
    this.#machinery?.outbox.halt();
    this.#machinery?.world.incidents.halt();
    this.#machinery?.shardLink?.close();
  }

  /** Resolves when the other shards have taken everything in transit to them. */
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
      // Where timers keep their remaining time, the time of the stop is part of the state.
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

  /** Resolves when nothing happens until time passes: no turn waits, and no write is under way. */
  idle(): Promise<void> {
    return this.#isIdle ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  /** The entrance for hosts. Throws BOSUN_SYSTEM_CLOSED before the start. */
  get ingress(): Ingress {
    return this.#require.ingress;
  }

  /** The actors in memory, whose state is ahead of the last durable epoch; undefined before the start. */
  get world(): World | undefined {
    return this.#machinery?.world;
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
    const { watchers } = this.#audience;
    watchers.add(handler);
    return { unsubscribe: () => void watchers.delete(handler) };
  }

  /** The reason why hosts are refused while the store cannot be written. */
  get outage(): BosunError | undefined {
    return this.#line.outage;
  }

  /** The parts for orders, which make changes through `ingress.enter`. Throws BOSUN_SYSTEM_CLOSED before the start. */
  get machinery(): Machinery {
    return this.#require;
  }

  /** Checks how the present code reads each stored actor. Must be called before anything has run. */
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
      audience: this.#audience,
      wake: () => this.#wake(),
      refusal: () =>
        this.#phase === 'running' ? this.outage : new BosunError('BOSUN_SYSTEM_CLOSED', 'the system is not running'),
      onRootGone: (end) => {
        this.#rootFailure = rootFailure(this.#world, end);
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
    this.#parts.clock.defer(this.#pump);
  }

  /**
   * Runs one slice: due timers, turns, then the commit if none is under way, so that only one epoch is written at a
   * time.
   */
  readonly #pump = (): void => {
    if (this.#phase === 'running') {
      try {
        if (this.#parts.hold) this.ingress.takeIn(Infinity);
        else if (!this.#isBlind) {
          if (this.#commit === null) {
            this.#require.residency?.evict();
            if (!this.#caution.isOn) this.#world.leftovers.tidy();
          }
          this.#world.timers.fireDue();
          this.#takeTurns();
        }
      } catch (error) {
        this.#fail(error);
      }
    }
    // Only now: work that the turns caused is handled below, without another slice.
    this.#awake = false;
    if (this.#phase !== 'running') return;
    if (this.#commit === null && (!this.#world.draft.isEmpty || this.#world.timers.isBeatDue) && !this.#goesOn())
      this.#beginCommit();
    if (this.#rootFailure !== undefined) return;
    if (!this.#parts.hold) {
      const { hasWork, hasRoom } = this.#require.loop;
      // A cautious run takes no turns while it writes; the end of the write wakes it.
      if (hasWork && hasRoom && !this.#isBlind && !(this.#caution.isOn && this.#commit !== null)) this.#wake();
      // The end of a failed write wakes it.
      const alarmMs = this.#isBlind ? undefined : this.#world.timers.nextAlarmMs();
      if (alarmMs !== undefined && alarmMs <= this.#world.time.nowMs()) this.#wake();
      else this.#alarm.set(alarmMs);
    }
    this.#tellIdle();
  };

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

  /** Removes an actor and all below it, living or ended, from population and medium. Throws BOSUN_ACTOR_UNKNOWN. */
  erase(address: string): Promise<void> {
    const terminate = (cell: Cell) =>
      this.ingress.order(cell.parent!, { type: 'child.terminate', id: cell.childId } as EventObject);
    const parts = {
      world: this.#world,
      bosses: this.#require.bosses,
      flush: (options?: { purge: boolean }) => this.#flush(options),
    };
    const cell = this.directory.eraseable(address);
    return erase(address, cell, { ...parts, terminate: this.#parts.hold ? undefined : terminate });
  }

  /** Makes all changes so far durable, at the latest with the epoch after the one being written. */
  async #flush({ purge } = { purge: false }): Promise<void> {
    this.#purgeDue ||= purge;
    for (let n = 0; n < 2 && this.#isOpen; n++) {
      if (this.#commit === null && (this.#purgeDue || !this.#world.draft.isEmpty)) this.#beginCommit();
      await this.#commit;
    }
    if (!this.#isOpen) throw new BosunError('BOSUN_SYSTEM_CLOSED', 'the system closed before the erasure was complete');
  }

  /** Begins to write the epoch. `isOwed`: it has to be written although nothing has changed. */
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
    // An ask that only reads changes nothing. Its outputs follow from earlier epochs, which are on the medium.
    if (frozen.isVoid) await Promise.resolve();
    else {
      const isPurge = this.#purgeDue;
      this.#purgeDue = false;
      if (await this.#line.write(frozen, isPurge)) this.ingress.outageEnds();
    }
    this.#commit = null;
    // After a failure everybody who waits has been told already.
    if (this.#isOpen) this.#release(frozen);
  }

  /** Releases a durable epoch: shows it to readers, then lets out its outputs, in order. */
  #release(frozen: Frozen): void {
    letOut(frozen, { world: this.#world, ingress: this.ingress, shown: this.shown, waiting: this.#next });
    this.#require.residency?.settle(frozen);
    this.#require.residency?.evict();
    if (this.#rootFailure !== undefined && this.#world.draft.isEmpty) this.#fail(this.#rootFailure);
    else this.#afterRelease();
  }

  #afterRelease(): void {
    if (this.#phase !== 'running') return;
    const { draft } = this.#world;
    const isRunning = this.#require.loop.hasWork && !this.#parts.hold;
    if (isRunning || this.#world.leftovers.isBusy) this.#wake();
    if (draft.isEmpty && !this.#world.timers.isBeatDue) this.#tellIdle();
    // Newly arrived messages are written together with the turns that they cause, unless they cause none.
    else if (!isRunning || (draft.turns > 0 && !this.#goesOn())) this.#beginCommit();
  }

  /** Closes after a failure. Memory may be ahead of disk, so nothing further is released. */
  #fail(cause: unknown): void {
    if (this.#phase === 'closed') return;
    const error = isBosunError(cause)
      ? cause
      : new BosunError('BOSUN_INTERNAL', `the kernel failed: ${messageOf(cause)}`, { cause: causeOf(cause) });
    const { effects, outbox, shardLink } = this.#require;
    for (const part of [effects, outbox, shardLink]) this.#audience.guarded(() => part?.close());
    if (error !== this.#rootFailure) this.#parts.log(closedLine(error));
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
    for (const cell of this.#world.cells.values())
      this.#world.audience.tell(cell, (observer) => observer.closed?.(reason));
    this.#world.tracing.close();
    this.#world.incidents.close();
    for (const resolve of [...this.#idle.splice(0), ...this.#next.splice(0)]) resolve();
    return (this.#closing = this.#closeJournal());
  }

  /** Closes the journal after the current write: a store must not be closed under one, whatever its outcome. */
  async #closeJournal(): Promise<void> {
    this.#caution.stop();
    await Promise.all([this.#commit?.catch(() => {}), this.#parts.beforeClose?.()]);
    await this.#parts.journal.close();
  }

  get #require(): Machinery {
    if (this.#machinery === undefined) throw new BosunError('BOSUN_SYSTEM_CLOSED', 'the system has not been started');
    return this.#machinery;
  }

  get #world(): World {
    return this.#require.world;
  }

  /** Whether there is more to do at once, and room for it in the epoch in the making. */
  #goesOn(): boolean {
    if (this.#parts.hold || this.#isBlind || this.#caution.isOn || this.#rootFailure !== undefined) return false;
    return this.#require.loop.goesOn();
  }

  /** Whether no actor can be woken at present. */
  get #isBlind(): boolean {
    return this.#require.residency?.isBlind === true;
  }

  get #isOpen(): boolean {
    return this.#phase !== 'closed';
  }

  get #isIdle(): boolean {
    if (this.#phase !== 'running') return true;
    if (this.#require.residency?.isReading === true || this.#world.leftovers.isReading) return false;
    return (
      !this.#awake &&
      (this.#line.isWaiting || (this.#commit === null && (this.#parts.hold || !this.#require.loop.hasWork)))
    );
  }

  #tellIdle(): void {
    if (this.#isIdle) for (const resolve of this.#idle.splice(0)) resolve();
  }
}
