/**
 * Running what is not durable: promises, callbacks and observables that machines invoke or spawn, and custom actions.
 * Everything here is an output: it happens after the epoch that caused it (design P2). Its results come back as
 * completions that name the start they belong to; those of an older start are ignored (design P7).
 */
import { type AnyActorLogic, type EventObject } from 'xstate';
import { messageOf } from '../errors.ts';
import { admit, admitChange, admitError } from './admission.ts';
import { type Cell } from './cell.ts';
import { type Snapshot } from './engine.ts';
import { EffectRef, type RefHost } from './ref.ts';
import { rowKey } from './rows.ts';
import { type StateChange } from './state.ts';
import { type World } from './world.ts';
import { isEndOfEffect, type XstateDefinition } from './xstate-definition.ts';
import { type XstateEngine } from './xstate-engine.ts';

/** What an effect that threw while it started or received reports about itself. */
export const EFFECT_FAILED = 'bosun.effect.failed';

type Scope = Parameters<NonNullable<AnyActorLogic['start']>>[1];

export class Effects {
  readonly #world: World;
  readonly #engine: XstateEngine;
  readonly #refHost: RefHost;
  readonly #log: (...args: unknown[]) => void;
  readonly #scopes = new WeakMap<EffectRef, Scope>();
  #isClosed = false;

  constructor(world: World, engine: XstateEngine, refHost: RefHost, log: (...args: unknown[]) => void) {
    this.#log = log;
    this.#world = world;
    this.#engine = engine;
    this.#refHost = refHost;
  }

  /** Enters a start of the effect into the epoch; it runs once that is durable. Throws what admission throws. */
  start(cell: Cell, snapshot: Snapshot): void {
    this.#enter(cell, snapshot, admitChange(this.#world.engine.changeOf(cell.definition, undefined, snapshot), this.#world.own));
  }

  /** Enters the start of an effect that was live when the host went down. If its end had arrived, only its turn is missing. */
  resume(cell: Cell): void {
    const arrived = cell.mailbox.unread().filter(({ kind, attempt }) => kind === 'completion' && attempt === cell.state.attempt);
    if (arrived.some(({ event }) => event.type === EFFECT_FAILED || isEndOfEffect(event.type))) return;
    this.#enter(cell, cell.snapshot!, {});
    for (const message of arrived) {
      message.attempt = cell.state.attempt;
      this.#world.draft.unread(message);
    }
  }

  /** Enters the delivery of an event to a callback: its receivers run after the epoch, at most once. */
  deliver(cell: Cell, event: EventObject): void {
    const attempt = cell.state.attempt;
    this.#world.draft.output(() => {
      const { running } = cell;
      if (running?.attempt !== attempt) return;
      this.#guarded(cell, running, () => {
        (cell.definition as XstateDefinition).logic.transition(cell.snapshot as never, event as never, this.#scopes.get(running)!);
      });
    });
  }

  /** Enters the end of a running effect: abort signal, cleanup, unsubscribe. */
  stop(cell: Cell): void {
    const { running, snapshot } = cell;
    if (running !== undefined) this.#world.draft.output(() => this.#stopNow(cell, running, snapshot));
  }

  /** The system is closing: stops what runs and lets nothing start. The next start of the system starts them again. */
  close(): void {
    this.#isClosed = true;
    for (const cell of this.#world.cells.values()) {
      if (cell.running !== undefined) this.#stopNow(cell, cell.running, cell.snapshot);
    }
  }

  /** The running effect that `source` is, if it is one and still the current start. */
  current(source: EffectRef): Cell | undefined {
    const cell = this.#world.cells.get(source.life);
    return cell?.running === source && cell.state.status === 'active' ? cell : undefined;
  }

  /** Takes what an effect says about itself as a message to itself. What is not data makes it fail. */
  complete(cell: Cell, source: EffectRef, event: EventObject): void {
    const { life: from, attempt, address } = source;
    let admitted: EventObject;
    try {
      admitted = admit(event, `result of ${address}`, this.#world.own);
    } catch (error) {
      admitted = admit({ type: EFFECT_FAILED, error: admitError(error) } as EventObject, 'failure');
    }
    this.#world.enqueue(cell, admitted, 'completion', from, attempt);
  }

  /** Enters the failure of an effect. */
  fail(cell: Cell, source: EffectRef, error: unknown): void {
    this.complete(cell, source, { type: EFFECT_FAILED, error: admitError(error) } as EventObject);
  }

  #enter(cell: Cell, snapshot: Snapshot, change: StateChange): void {
    const attempt = cell.state.attempt + 1;
    this.#world.change(cell, { ...change, status: 'active', attempt }, snapshot);
    this.#world.draft.put(rowKey('f', cell.identity.life), attempt);
    this.#world.draft.output(() => this.#run(cell, attempt));
  }

  #stopNow(cell: Cell, self: EffectRef, snapshot: Snapshot | undefined): void {
    if (cell.running === self) cell.running = undefined;
    // An observable that has completed, or was never subscribed to, has nothing to unsubscribe from.
    if (cell.definition.kind === 'observable' && !isSubscribed(snapshot)) return;
    const { logic } = cell.definition as XstateDefinition;
    try {
      logic.transition({ ...snapshot, status: 'active' } as never, { type: 'xstate.stop' } as never, this.#scopes.get(self)!);
    } catch (error) {
      // The effect is over either way; its cleanup has nobody left to tell.
      this.#log(`cleanup of ${cell.identity.address} threw: ${messageOf(error)}`);
    }
  }

  #run(cell: Cell, attempt: number): void {
    if (this.#isClosed || cell.gone || cell.state.attempt !== attempt || cell.state.status !== 'active') return;
    const { life, address, effectId } = cell.identity;
    const self = new EffectRef(this.#refHost, { life, address, attempt, effectId });
    const scope = this.#engine.effectScope(self, (event) => this.#world.tellEmitted(cell, event)) as Scope;
    this.#scopes.set(self, scope);
    cell.running = self;
    this.#guarded(cell, self, () => (cell.definition as XstateDefinition).logic.start?.(cell.snapshot as never, scope));
  }

  #guarded(cell: Cell, self: EffectRef, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.fail(cell, self, error);
    }
  }
}

function isSubscribed(snapshot: Snapshot | undefined): boolean {
  return (snapshot as { _subscription?: unknown } | undefined)?._subscription !== undefined;
}
