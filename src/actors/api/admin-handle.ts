/**
 * Administration for hosts: inspect an actor, suspend it, step it, end it, trace its turns; and read the audit. Every
 * order names who gives it, and leaves a record in the same epoch as its effect. Everything shown is durable.
 */
import { type EventObject, type StateValue } from 'xstate';
import { BosunError } from '../../errors.ts';
import { disown, due } from '../../user-code.ts';
import { type RowPlace, type StateReplacement } from '../loop/administration.ts';
import { type Subscription } from '../world/actor-view.ts';
import { checkAddress } from '../model/address.ts';
import { type AuditOptions } from '../world/audit.ts';
import { type AuditRecord, type OrderedBy } from '../world/audit-record.ts';
import { carryOut, carryOutStep } from './audited-order.ts';
import { type Cell } from '../world/cell.ts';
import { type Inspection, inspect } from './actor-inspection.ts';
import { type Kernel } from '../loop/kernel.ts';
import { lifeOfEnd } from '../model/results.ts';
import { type KeptTurn, type TraceRecord } from '../model/trace-record.ts';
import { type Trace } from '../world/tracing/trace.ts';
import { type StoredState } from '../model/version-rules.ts';
import { type Wait, waitsOf } from './waits.ts';

/**
 * The administrator's handle on a system. Orders reject with BOSUN_ACTOR_UNKNOWN, BOSUN_ADDRESS_INVALID,
 * BOSUN_ORDER_REFUSED for an order that does not fit, the reason why the code cannot read the actor,
 * BOSUN_VALUE_REFUSED if the order names nobody who gives it, BOSUN_STORE_UNAVAILABLE and BOSUN_SYSTEM_CLOSED. All
 * but the last three are recorded. Orders resolve when they are durable.
 */
export class ShardAdmin {
  readonly #kernel: Kernel;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /**
   * Suspends an actor: it takes no turns until it is resumed, over crashes and restarts by its Boss. Its mailbox fills,
   * its timers come due and wait, its effects run on and their results wait, asks to it time out. Does nothing for an
   * actor that is suspended by an order already. Refused for the root.
   */
  async suspend(address: string, as: OrderedBy): Promise<void> {
    const { administration } = this.#kernel.machinery;
    await carryOut(this.#kernel, { order: 'suspend', address, as }, () =>
      administration.suspend(this.#cell(address), as),
    );
  }

  /**
   * Resumes an actor that was suspended by an order, or with BOSUN_STATE_SUSPECT or BOSUN_ACTOR_FAILING. Does nothing
   * for one that is not suspended.
   */
  async resume(address: string, as: OrderedBy): Promise<void> {
    const { administration } = this.#kernel.machinery;
    await carryOut(this.#kernel, { order: 'resume', address, as }, () => administration.resume(this.#cell(address)));
  }

  /**
   * Lets a suspended actor take exactly one message, or its first turn, and stay suspended. Resolves with the event;
   * null if there was none.
   */
  step(address: string, as: OrderedBy): Promise<EventObject | null> {
    return carryOutStep(this.#kernel, { order: 'step', address, as });
  }

  /** Inspects an actor. Throws BOSUN_ACTOR_UNKNOWN, BOSUN_STORE_DAMAGED. */
  getState(address: string): Inspection {
    return inspect(this.#kernel, checkAddress(address));
  }

  /**
   * Replaces the state value of a suspended machine, its context, or both; a function is given the current ones.
   * Effects, children and delayed transitions of states that stay active go on, those of exited states end, those of
   * entered states begin; entry and exit actions do not run. Resolves with the new state. Rejects with
   * BOSUN_ACTOR_CHANGED if the actor is no longer at `ifSequence`.
   */
  replaceState(
    address: string,
    next: StateReplacement | ((state: StoredState<unknown>) => StateReplacement),
    as: OrderedBy,
    { ifSequence }: { readonly ifSequence?: number | undefined } = {},
  ): Promise<StoredState<unknown>> {
    const { administration, world } = this.#kernel.machinery;
    const args = typeof next === 'function' ? { by: 'a function' } : next;
    // What is refused may hold promises that reject.
    disown(next);
    const given = typeof next === 'function' ? (state: StoredState<unknown>) => replacementOf(next(state)) : next;
    return carryOut(this.#kernel, { order: 'replaceState', address, args, as }, () => {
      const cell = this.#cellAt(address, ifSequence);
      administration.replaceState(cell, given);
      const { value, context } = world.engine.view(cell.definition, cell.snapshot!);
      return { value: value as StateValue, context };
    });
  }

  /**
   * Sets one row of a table in a suspended machine's context, and leaves everything else unchanged. Rejects as
   * replaceState does, and with BOSUN_TABLE_UNKNOWN if the context has no such table.
   */
  async putRow(
    address: string,
    place: RowPlace,
    row: unknown,
    as: OrderedBy,
    { ifSequence }: { readonly ifSequence?: number | undefined } = {},
  ): Promise<void> {
    const { administration } = this.#kernel.machinery;
    disown(row);
    await carryOut(this.#kernel, { order: 'putRow', address, args: { ...place, row }, as }, () =>
      administration.putRow(this.#cellAt(address, ifSequence), place, row),
    );
  }

  /**
   * Removes one row, under the conditions of {@link putRow}. Rejects with BOSUN_ORDER_REFUSED if there is no such
   * row.
   */
  async deleteRow(
    address: string,
    place: RowPlace,
    as: OrderedBy,
    { ifSequence }: { readonly ifSequence?: number | undefined } = {},
  ): Promise<void> {
    const { administration } = this.#kernel.machinery;
    await carryOut(this.#kernel, { order: 'deleteRow', address, args: place, as }, () =>
      administration.deleteRow(this.#cellAt(address, ifSequence), place),
    );
  }

  /**
   * Fails an actor with BOSUN_KILLED, like OTP's `exit(Pid, kill)`: its Boss, or the machine that it belongs to,
   * handles it like a crash. Refused for the root.
   */
  async kill(address: string, as: OrderedBy): Promise<void> {
    const { administration, world } = this.#kernel.machinery;
    const cell = this.#kernel.directory.find(address);
    // The end of an actor ends everybody below it, and some of them may be on disk.
    if (cell !== undefined) await world.residency?.readBelow(cell);
    await carryOut(this.#kernel, { order: 'kill', address, as }, () => administration.kill(this.#cell(address), as));
  }

  /**
   * Traces the actor at an address and all below it: one record for every turn from now on, once it is durable. Break
   * out of the loop, or call `return`, to end it. A reader that is more than `buffer` records behind (10,000 by default
   * and at most) loses the oldest and is told how many. Throws BOSUN_ACTOR_UNKNOWN, BOSUN_SYSTEM_CLOSED.
   */
  trace(address: string, { buffer }: { readonly buffer?: number } = {}): Trace {
    const { world } = this.#kernel.machinery;
    return world.tracing.open(this.#kernel.directory.observed(address).address, buffer);
  }

  /**
   * The latest turns of the actor at an address and of all below it, oldest first, out of the last 10,000 durable turns
   * of the system since its start. They have the types of events only, and no contexts. Throws BOSUN_ACTOR_UNKNOWN,
   * BOSUN_SYSTEM_CLOSED.
   */
  recent(address: string, options: { readonly limit?: number; readonly after?: number } = {}): readonly TraceRecord[] {
    return this.#kernel.machinery.world.tracing.recent(this.#kernel.directory.observed(address).address, options);
  }

  /**
   * The kept turns of one actor (`trace: { keep }` of its agent), or of the last that ended at the address while its
   * result is kept, oldest first, over crashes and restarts, each with the context after it; empty for other agents. A
   * damaged turn is left out, and so are the turns after it up to the next with a whole context. Rejects with
   * BOSUN_ACTOR_UNKNOWN, BOSUN_STORE_DAMAGED for damage to the actor's own record, BOSUN_SYSTEM_CLOSED,
   * BOSUN_STORE_FAILED.
   */
  async history(address: string, { limit }: { readonly limit?: number } = {}): Promise<readonly KeptTurn[]> {
    const { tracing, results } = this.#kernel.machinery.world;
    const ended = this.#kernel.shown.at(address) === undefined ? results.at(checkAddress(address)) : undefined;
    if (ended === undefined) return await tracing.kept.list(this.#kernel.directory.observed(address), limit);
    const [agent, place] = ended;
    const identity = { address, agent };
    return await tracing.kept.list({ life: lifeOfEnd(place), identity, definition: { keptTurns: 0 } }, limit);
  }

  /**
   * Calls `handler` for every turn from now on of the actor at an address and of all below it, once it is durable: a
   * `trace` without a buffer.
   *
   * @returns The subscription that ends it. Throws BOSUN_ACTOR_UNKNOWN, BOSUN_SYSTEM_CLOSED.
   */
  onTurn(address: string, handler: (record: TraceRecord) => void): Subscription {
    const unsubscribe = this.#kernel.machinery.world.tracing.listen(
      this.#kernel.directory.observed(address).address,
      handler,
    );
    return { unsubscribe };
  }

  /** All actors that wait for another one, longest wait first. Throws BOSUN_SYSTEM_CLOSED before the start. */
  waiting(): readonly Wait[] {
    return waitsOf(this.#kernel);
  }

  /**
   * The audit of orders, newest first, as of the last durable epoch: all that is kept, or the orders about one address,
   * or those before a number. Rejects with BOSUN_SYSTEM_CLOSED before the start, and BOSUN_STORE_FAILED.
   */
  async audit(options: AuditOptions = {}): Promise<readonly AuditRecord[]> {
    return await this.#kernel.machinery.world.audit.list(options);
  }

  #cell(address: string) {
    return this.#kernel.directory.living(address);
  }

  /** The actor at an address. Throws BOSUN_ACTOR_CHANGED if it is no longer at the given sequence. */
  #cellAt(address: string, ifSequence: number | undefined): Cell {
    const cell = this.#cell(address);
    if (ifSequence !== undefined && cell.seq !== ifSequence) throw changed(cell, ifSequence);
    return cell;
  }
}

function replacementOf(given: StateReplacement): StateReplacement {
  disown(given);
  return due(given, 'the function of replaceState');
}

function changed({ address, seq }: Cell, wanted: number): BosunError {
  return new BosunError('BOSUN_ACTOR_CHANGED', `${address} is at sequence ${seq}, not at ${wanted}`, {
    details: { address, sequence: seq },
  });
}
