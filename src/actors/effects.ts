/**
 * Running what is not durable: promises, callbacks and observables that machines invoke or spawn, and custom actions.
 * Everything here is an output: it happens after the epoch that caused it (design P2). Its results come back as
 * completions that name the start they belong to; those of an older start are ignored (design P7).
 */
import { type AnyActorLogic, type EventObject } from 'xstate';
import { messageOf } from '../errors.ts';
import { admit } from './admission.ts';
import { type Cell } from './cell.ts';
import { type Snapshot } from './engine.ts';
import { EffectRef, type RefHost } from './ref.ts';
import { rowKey } from './rows.ts';
import { type World } from './world.ts';
import { type XstateEngine } from './xstate-engine.ts';
import { type XstateDefinition } from './xstate-definition.ts';

/** What an effect that threw while it started or received reports about itself. */
export const EFFECT_FAILED = 'bosun.effect.failed';

type Scope = Parameters<NonNullable<AnyActorLogic['start']>>[1];

export class Effects {
  readonly #world: World;
  readonly #engine: XstateEngine;
  readonly #refHost: RefHost;
  readonly #log: (...args: unknown[]) => void;
  readonly #scopes = new WeakMap<EffectRef, Scope>();

  constructor(world: World, engine: XstateEngine, refHost: RefHost, log: (...args: unknown[]) => void) {
    this.#log = log;
    this.#world = world;
    this.#engine = engine;
    this.#refHost = refHost;
  }

  /** Enters a start of the effect into the epoch; it runs once that is durable. `snapshot` is its initial or restored one. */
  start(cell: Cell, snapshot: Snapshot): void {
    const attempt = cell.state.attempt + 1;
    const change = this.#world.engine.changeOf(cell.definition, undefined, snapshot);
    this.#world.change(cell, { ...admit(change, 'input'), status: 'active', attempt }, snapshot);
    this.#world.draft.put(rowKey('f', cell.identity.life), attempt);
    this.#world.draft.output(() => this.#run(cell, attempt));
  }

  /** Starts again an effect that has failed, because the machine that it belongs to goes on as if it had not. */
  startAgain(cell: Cell): void {
    const { logic } = cell.definition as XstateDefinition;
    this.start(cell, logic.getInitialSnapshot(this.#engine.effectScope(cell.ref, () => {}), cell.identity.input as never) as Snapshot);
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
    this.#world.draft.output(() => this.stopNow(cell));
  }

  /** Stops without an epoch: the system is closing, and the effect will be started again by the next one. */
  stopNow(cell: Cell): void {
    const { running, snapshot } = cell;
    if (running === undefined) return;
    cell.running = undefined;
    const { logic } = cell.definition as XstateDefinition;
    try {
      logic.transition({ ...snapshot, status: 'active' } as never, { type: 'xstate.stop' } as never, this.#scopes.get(running)!);
    } catch (error) {
      // The effect is over either way; its cleanup has nobody left to tell.
      this.#log(`cleanup of ${cell.identity.address} threw: ${messageOf(error)}`);
    }
  }

  /** The running effect that `source` is, if it is one and still the current start. */
  current(source: EffectRef): Cell | undefined {
    const cell = this.#world.cells.get(source.life);
    return cell?.running === source && cell.state.status === 'active' ? cell : undefined;
  }

  /** Takes what an effect says about itself as a message to itself. What is not data makes it fail. */
  complete(cell: Cell, source: EffectRef, event: EventObject): void {
    let admitted: EventObject;
    try {
      admitted = admit(event, 'result');
    } catch (error) {
      admitted = { type: EFFECT_FAILED, error } as EventObject;
    }
    const { life: from } = source;
    this.#world.enqueue(cell, admitted, { kind: 'completion', from, attempt: source.attempt });
  }

  #run(cell: Cell, attempt: number): void {
    if (cell.gone || cell.state.attempt !== attempt || cell.state.status !== 'active') return;
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
      this.complete(cell, self, { type: EFFECT_FAILED, error } as EventObject);
    }
  }
}
