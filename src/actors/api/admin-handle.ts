/**
 * Administration for hosts: look into an actor, hold it, move it on by hand, end it, follow what it does; and read who
 * did so. Every order says who gives it, and leaves a record in the epoch of what it did. What is shown is durable.
 */
import { type EventObject, type StateValue } from 'xstate';
import { BosunError } from '../../errors.ts';
import { type StateReplacement } from '../loop/administration.ts';
import { type Subscription } from '../world/actor-view.ts';
import { checkAddress } from '../model/address.ts';
import { type AuditRecord, type OrderedBy } from '../world/audit-record.ts';
import { carryOut, carryOutStep } from './audited-order.ts';
import { type Cell } from '../world/cell.ts';
import { type Inspection, inspect } from './actor-inspection.ts';
import { type Kernel } from '../loop/kernel.ts';
import { type KeptTurn, type TraceRecord } from '../model/trace-record.ts';
import { type Trace } from '../world/tracing/trace.ts';
import { type StoredState } from '../model/version-rules.ts';
import { type Wait, waitsOf } from './waits.ts';

/**
 * Orders reject with BOSUN_ACTOR_UNKNOWN, BOSUN_ADDRESS_INVALID, BOSUN_ORDER_REFUSED for one that does not fit, why the
 * code cannot read the actor where that is so, BOSUN_VALUE_REFUSED where nobody gives the order,
 * BOSUN_STORE_UNAVAILABLE and BOSUN_SYSTEM_CLOSED. All but the last three are recorded. They resolve when they are
 * durable.
 */
export class AdminHandle {
  readonly #kernel: Kernel;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /**
   * Has an actor take no turns until it is resumed, over crashes and restarts by its Boss: its mailbox fills, its
   * timers come due and wait, its effects run on and their results wait, asks to it time out. Does nothing for one that
   * is suspended by an order already. Not for the root.
   */
  async suspend(address: string, as: OrderedBy): Promise<void> {
    const { administration } = this.#kernel.machinery;
    await carryOut(this.#kernel, { order: 'suspend', address, as }, () =>
      administration.suspend(this.#cell(address), as),
    );
  }

  /**
   * Lets an actor go on that was suspended, by an order or with BOSUN_STATE_SUSPECT. Does nothing for one that is not.
   */
  async resume(address: string, as: OrderedBy): Promise<void> {
    const { administration } = this.#kernel.machinery;
    await carryOut(this.#kernel, { order: 'resume', address, as }, () => administration.resume(this.#cell(address)));
  }

  /**
   * Has a suspended actor take exactly one message, or its first turn, and stay suspended. Resolves with the event;
   * null where there was none to take.
   */
  step(address: string, as: OrderedBy): Promise<EventObject | null> {
    return carryOutStep(this.#kernel, { order: 'step', address, as });
  }

  /** What an actor is and has. Throws BOSUN_ACTOR_UNKNOWN, BOSUN_STORE_DAMAGED. */
  getState(address: string): Inspection {
    return inspect(this.#kernel, checkAddress(address));
  }

  /**
   * Puts a suspended machine into another state value, gives it another context, or both; a function is given the
   * present ones. Effects, children and delayed transitions of states that stay go on, those of states that are left
   * end, those of states that are entered begin; entry and exit actions do not run. Resolves with what it has now.
   * Rejects with BOSUN_ACTOR_CHANGED where it is not at `ifSequence` any more.
   */
  replaceState(
    address: string,
    next: StateReplacement | ((state: StoredState<unknown>) => StateReplacement),
    as: OrderedBy,
    { ifSequence }: { readonly ifSequence?: number | undefined } = {},
  ): Promise<StoredState<unknown>> {
    const { administration, world } = this.#kernel.machinery;
    const args = typeof next === 'function' ? { by: 'a function' } : next;
    return carryOut(this.#kernel, { order: 'replaceState', address, args, as }, () => {
      const cell = this.#cell(address);
      if (ifSequence !== undefined && cell.seq !== ifSequence) throw changed(cell, ifSequence);
      administration.replaceState(cell, next);
      const { value, context } = world.engine.view(cell.definition, cell.snapshot!);
      return { value: value as StateValue, context };
    });
  }

  /**
   * Fails an actor with BOSUN_KILLED, as OTP's `exit(Pid, kill)`: its Boss, or the machine that it belongs to, deals
   * with it as with a crash. Not for the root.
   */
  async kill(address: string, as: OrderedBy): Promise<void> {
    const { administration, world } = this.#kernel.machinery;
    const cell = this.#kernel.find(address);
    // What ends it ends everybody below it, of whom some may be on disk.
    if (cell !== undefined) await world.residency?.readBelow(cell);
    await carryOut(this.#kernel, { order: 'kill', address, as }, () => administration.kill(this.#cell(address), as));
  }

  /**
   * One record for every turn from now on of the actor at an address and of all below it, once it is durable. Break off
   * the loop, or call `return`, to end it. A reader that is behind by more than `buffer` records (10,000, which is the
   * most) loses the oldest and is told how many. Throws BOSUN_ACTOR_UNKNOWN, BOSUN_SYSTEM_CLOSED.
   */
  trace(address: string, { buffer }: { readonly buffer?: number } = {}): Trace {
    const { world } = this.#kernel.machinery;
    return world.tracing.open(this.#kernel.observed(address).address, buffer);
  }

  /**
   * The last turns of the actor at an address and of all below it, oldest first: of the last 10,000 durable ones of the
   * system since its start. Of events only types are there, of contexts nothing. Throws BOSUN_ACTOR_UNKNOWN,
   * BOSUN_SYSTEM_CLOSED.
   */
  recent(address: string, options: { readonly limit?: number; readonly after?: number } = {}): readonly TraceRecord[] {
    return this.#kernel.machinery.world.tracing.recent(this.#kernel.observed(address).address, options);
  }

  /**
   * The last turns of one actor whose agent keeps them (`trace: { keep }`), oldest first, over crashes and restarts,
   * each with the context after it; empty for other agents. Throws BOSUN_ACTOR_UNKNOWN, BOSUN_STORE_DAMAGED,
   * BOSUN_SYSTEM_CLOSED.
   */
  history(address: string): readonly KeptTurn[] {
    return this.#kernel.machinery.world.tracing.kept.list(this.#kernel.observed(address));
  }

  /**
   * Calls back for every turn from now on of the actor at an address and of all below it, once it is durable: a `trace`
   * for those who never fall behind. @returns What ends it. Throws BOSUN_ACTOR_UNKNOWN, BOSUN_SYSTEM_CLOSED.
   */
  onTurn(address: string, handler: (record: TraceRecord) => void): Subscription {
    const unsubscribe = this.#kernel.machinery.world.tracing.listen(this.#kernel.observed(address).address, handler);
    return { unsubscribe };
  }

  /** Every actor that waits for somebody, the longest waiting first. Throws BOSUN_SYSTEM_CLOSED before the start. */
  waiting(): readonly Wait[] {
    return waitsOf(this.#kernel);
  }

  /** Who ordered what, newest first: all that is kept, or what is about one address. */
  audit(options: { readonly address?: string; readonly limit?: number } = {}): readonly AuditRecord[] {
    return this.#kernel.machinery.world.audit.list(options);
  }

  #cell(address: string) {
    return this.#kernel.cell(address);
  }
}

function changed({ address, seq }: Cell, wanted: number): BosunError {
  return new BosunError('BOSUN_ACTOR_CHANGED', `${address} is at ${seq}, and not at ${wanted}`, {
    details: { address, sequence: seq },
  });
}
