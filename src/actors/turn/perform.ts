/**
 * The effects of a turn, performed: what a step described becomes messages, timers, orders and outputs of the epoch in
 * the making. All of it has been admitted (prepare.ts), so nothing here throws; which effects there are is the engine's
 * affair.
 */
import { messageOf } from '../../errors.ts';
import { type Bosses } from '../world/bosses.ts';
import { type Cell } from '../world/cell.ts';
import { type Effect } from '../model/step-engine.ts';
import { type ChildCommand } from '../model/supervision.ts';
import { type DurableActions } from './durable-actions.ts';
import { performTalk } from './talk-commands.ts';
import { type World } from '../world/world.ts';

/** Custom actions of one turn: where one throws, those behind it are not run, as in XState. */
export interface Calls {
  failed: boolean;
  /** The turn was that of a client's message. */
  readonly byClient: boolean;
}

export class Performer {
  readonly #world: World;
  readonly #bosses: Bosses;
  readonly #outbox: DurableActions;
  readonly #log: (...args: unknown[]) => void;
  readonly #fail: (cell: Cell, error: unknown, byClient: boolean) => void;

  /** `fail`: has an actor fail whose custom action threw. */
  constructor(parts: {
    world: World;
    bosses: Bosses;
    outbox: DurableActions;
    fail: (cell: Cell, error: unknown, byClient: boolean) => void;
  }) {
    this.#world = parts.world;
    this.#bosses = parts.bosses;
    this.#outbox = parts.outbox;
    this.#log = parts.world.log;
    this.#fail = parts.fail;
  }

  perform(cell: Cell, effect: Effect, calls: Calls): void {
    const { draft } = this.#world;
    switch (effect.kind) {
      case 'send': {
        const target = this.#target(effect.to);
        if (target !== undefined) this.#world.post(target, effect.event, cell.life);
        else this.#world.postAway(effect.to, effect.event, cell.life);
        return;
      }
      case 'arm':
        this.#arm(cell, effect);
        return;
      case 'cancel': {
        const timer = cell.timers.get(effect.id);
        if (timer !== undefined) this.#world.timers.disarm(cell, timer);
        return;
      }
      case 'emit':
        draft.output(() => this.#world.tellEmitted(cell, effect.event));
        return;
      case 'log':
        draft.output(() => this.#log(...(effect.label === undefined ? [] : [effect.label]), effect.value));
        return;
      case 'call':
        draft.output(() => this.#call(cell, effect, calls));
        return;
      case 'durable':
        this.#outbox.add(cell, effect);
        return;
      case 'command':
        if (cell.isBoss) this.#bosses.perform(cell, commandOf(effect));
        else performTalk(this.#world, cell, effect);
        return;
    }
  }

  isToTheLiving(effect: Effect): boolean {
    return effect.kind === 'send' && this.#target(effect.to) !== undefined;
  }

  #arm(cell: Cell, effect: Extract<Effect, { kind: 'arm' }>): void {
    const { own, cells, shards } = this.#world;
    const to = own(effect.to);
    if (to === undefined || (!cells.has(to.life) && shards?.isElsewhere(to) !== true)) return;
    // XState names unnamed timers by chance; a number of ours is as good and the same in every replay.
    const id = effect.id ?? `timer:${this.#world.counters.timer}`;
    this.#world.timers.arm(cell, {
      id,
      delayMs: effect.delayMs,
      delay: effect.delay,
      to: to.life,
      event: effect.event,
    });
  }

  #target(to: object): Cell | undefined {
    const ref = this.#world.own(to);
    return ref && this.#world.cells.get(ref.life);
  }

  #call(cell: Cell, { exec, info, params }: Extract<Effect, { kind: 'call' }>, calls: Calls): void {
    if (calls.failed) return;
    try {
      exec(info, params);
    } catch (error) {
      calls.failed = true;
      // The turn stands; the failure is the actor's all the same (design P1).
      if (!cell.gone && cell.status === 'active') this.#fail(cell, error, calls.byClient);
      else this.#log(`an action of ${cell.address} threw after its end: ${messageOf(error)}`);
    }
  }
}

/** Only the machine of Bosses can have such actions (machine-rules.ts), and its own are typed as commands. */
function commandOf({ name: type, params }: Extract<Effect, { kind: 'command' }>): ChildCommand {
  return { type, params } as ChildCommand;
}
