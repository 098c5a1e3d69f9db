/**
 * Performs the effects of a turn: the described effects become messages, timers, orders and outputs of the epoch in the
 * making. All of them have been admitted (prepare.ts), so nothing here throws. The engine decides which effects there
 * are.
 */
import { messageOf } from '../../errors.ts';
import { handed, shown } from '../../lending.ts';
import { disown, watch } from '../../user-code.ts';
import { type Bosses } from '../world/bosses.ts';
import { type Cell } from '../world/cell.ts';
import { type Effect } from '../model/step-engine.ts';
import { type ChildCommand } from '../model/supervision.ts';
import { type DurableActions } from './durable-actions.ts';
import { performTalk } from './talk-commands.ts';
import { type World } from '../world/world.ts';

/** The custom actions of one turn: after one that throws, the rest is not run, as in XState. */
export interface Calls {
  failed: boolean;
  /** Whether the turn took a client's message. */
  readonly byClient: boolean;
  /** Type of the event that the turn took; null for the first turn. */
  readonly event: string | null;
}

export class Performer {
  readonly #world: World;
  readonly #bosses: Bosses;
  readonly #outbox: DurableActions;
  readonly #log: (...args: unknown[]) => void;
  readonly #fail: (cell: Cell, error: unknown, turn: Calls) => void;

  /** Performs effects of turns. `fail`: fails an actor whose custom action threw. */
  constructor(parts: {
    world: World;
    bosses: Bosses;
    outbox: DurableActions;
    fail: (cell: Cell, error: unknown, turn: Calls) => void;
  }) {
    this.#world = parts.world;
    this.#bosses = parts.bosses;
    this.#outbox = parts.outbox;
    this.#log = parts.world.log;
    this.#fail = parts.fail;
  }

  perform(cell: Cell, effect: Effect, calls: Calls): void {
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
      case 'log':
      case 'call':
        this.#output(cell, effect, calls);
        return;
      case 'durable':
        this.#outbox.add(cell, effect);
        return;
      case 'command':
        if (cell.role.supervises) this.#bosses.perform(cell, commandOf(effect));
        else performTalk(this.#world, cell, effect);
        return;
    }
  }

  /** The sends to living actors. */
  toTheLiving(effects: readonly Effect[]): readonly Effect[] {
    return effects.filter((effect) => effect.kind === 'send' && this.#target(effect.to) !== undefined);
  }

  /** Runs an effect outside, once the epoch is durable. */
  #output(cell: Cell, effect: Extract<Effect, { kind: 'emit' | 'log' | 'call' }>, calls: Calls): void {
    this.#world.draft.output(() => {
      if (effect.kind === 'emit') this.#world.audience.tellEmitted(cell, effect.event);
      else if (effect.kind === 'call') this.#call(cell, effect, calls);
      else this.#print(effect);
    });
  }

  #print({ label, value }: Extract<Effect, { kind: 'log' }>): void {
    // A promise is logged as one, and nobody awaits it.
    disown(value);
    disown(label);
    this.#log(...(label === undefined ? [] : [label]), handed(value));
  }

  #arm(cell: Cell, effect: Extract<Effect, { kind: 'arm' }>): void {
    const { own, cells, shards } = this.#world;
    const to = own(effect.to);
    if (to === undefined || (!cells.has(to.life) && shards?.isElsewhere(to) !== true)) return;
    // XState names unnamed timers randomly; a number works as well and is the same in every replay.
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
    const { incarnation } = cell.state;
    watch(
      () => exec(shownInfo(info), handed(params)),
      (error) => {
        calls.failed = true;
        const isThere = !cell.gone && cell.status === 'active' && cell.state.incarnation === incarnation;
        // The turn stands, but the actor fails all the same (design P1).
        if (isThere && !this.#outbox.isClosed) this.#fail(cell, error, calls);
        else this.#log(`an action of ${cell.address} failed after its end: ${messageOf(error)}`);
      },
    );
  }
}

/** The first argument of an action, whose context and event are stored values. */
function shownInfo(info: object): object {
  const given = info as { readonly context: unknown; readonly event: unknown };
  const [context, event] = [shown(given.context), handed(given.event)];
  return context === given.context && event === given.event ? info : { ...info, context, event };
}

/**
 * Converts a command. Only the machine of Bosses can have such actions (machine-rules.ts), and its own are typed as
 * commands.
 */
function commandOf({ name: type, params }: Extract<Effect, { kind: 'command' }>): ChildCommand {
  return { type, params } as ChildCommand;
}
