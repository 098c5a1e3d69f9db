/**
 * The kernel's hands for Bosses. A Boss decides (src/supervisor, a machine like any other); what it decides arrives here
 * as commands, is performed within its turn, and so is durable with the decision. The child table is kept here too, one
 * record a child, so that a Boss with many children changes one record at a time.
 *
 * Commands (custom actions of these names): `bosun.child.start {id, agent, input, systemId}`,
 * `.restart {id, agent, input, systemId, mode}`, `.declare {id, input}`, `.remove {id}`, `.put {id, row}`, `.forget {id}`.
 */
import { type EventObject } from 'xstate';
import { unreachable } from '../assert.ts';
import { BosunError, messageOf } from '../errors.ts';
import { childAddress } from './address.ts';
import { admitError } from './admission.ts';
import { type Cell } from './cell.ts';
import { type Definition } from './engine.ts';
import { type Effects } from './effects.ts';
import { type Random } from './ports.ts';
import { type World } from './world.ts';

/** How a child of a Boss ended. */
export interface Exit {
  /** `shutdown`: a Boss below gave up. */
  readonly reason: 'normal' | 'error' | 'shutdown';
  readonly error: unknown;
  /** The message that it crashed on has crashed it before: this restart was counted then. */
  readonly redelivery: boolean;
  /** Of a Boss that gave up: the child that it gave up over, as an address below it. */
  readonly over?: string;
}

type Command = 'start' | 'restart' | 'declare' | 'remove' | 'put' | 'forget';

interface CommandParams {
  readonly id: string;
  readonly agent: string;
  readonly input?: unknown;
  readonly systemId?: string | null;
  readonly row?: unknown;
  /** Of a restart: go on from the last committed state, or begin anew. */
  readonly mode?: 'committed' | 'initial';
}

export class Bosses {
  readonly #world: World;
  readonly #effects: Effects;
  readonly #random: Random;
  readonly #definitionOf: (agent: string) => Definition | undefined;
  readonly #onRootGone: (error: unknown) => void;

  constructor(parts: {
    world: World;
    effects: Effects;
    random: Random;
    definitionOf: (agent: string) => Definition | undefined;
    onRootGone: (error: unknown) => void;
  }) {
    this.#world = parts.world;
    this.#effects = parts.effects;
    this.#random = parts.random;
    this.#definitionOf = parts.definitionOf;
    this.#onRootGone = parts.onRootGone;
  }

  /** Gives a Boss's event what its decision needs: its child table, the kernel time, one random number. */
  decorate(boss: Cell, event: EventObject): EventObject {
    return { ...event, children: boss.table, nowMs: this.#world.time.nowMs(), random: this.#random.next() } as EventObject;
  }

  /** Performs a command of a Boss's turn. */
  perform(boss: Cell, name: string, params: unknown): void {
    const command = name.slice('bosun.child.'.length) as Command;
    const { id, input, row, mode } = params as CommandParams;
    const child = boss.children.get(id);
    switch (command) {
      case 'start':
        this.#start(boss, params as CommandParams);
        return;
      case 'restart':
        // What the code cannot read is left as it is, until a start that can.
        if (this.#world.unreadableAt(childAddress(boss.identity.address, id)) !== undefined) return;
        if (child?.isUnreadable === true) this.#world.hold(child, { strikes: 0, error: undefined, ...child.held, restart: mode ?? 'initial' });
        // One that could not be born is started, not restarted.
        else if (child === undefined) this.#start(boss, params as CommandParams);
        else if (mode === 'committed') this.resume(child);
        else this.reset(child);
        return;
      case 'declare':
        if (child?.isUnreadable === false) this.#order(child, Object.freeze({ type: 'bosun.declare', input }));
        return;
      case 'remove':
        if (child !== undefined) this.remove(child);
        return;
      case 'put':
        this.#world.putChildRow(boss, id, row);
        return;
      case 'forget':
        this.#world.removeChildRow(boss, id);
        return;
      default:
        unreachable(command);
    }
  }

  /** A child of a Boss, or a Boss, failed and waits. The root has nobody to wait for. */
  crashed(cell: Cell, exit: Exit): void {
    // A Boss that throws ends its children: it can no longer be trusted to look after them.
    if (cell.isBoss && cell.parent !== undefined) this.removeChildren(cell);
    this.exited(cell, exit);
  }

  /** Tells the Boss how its child ended. */
  exited(cell: Cell, exit: Exit): void {
    const { parent, identity } = cell;
    if (parent === undefined) {
      const { error, over } = exit;
      this.#onRootGone(over === undefined ? error : new Error(`${over}: ${messageOf(error)}`, { cause: error }));
      return;
    }
    this.#tellExit(parent, identity.childId, { life: identity.life, generation: cell.state.incarnation }, exit);
  }

  /** Goes on from the last committed state: mailbox, timers and live effects as they are; failed effects start again. */
  resume(cell: Cell): void {
    if (cell.snapshot === undefined) {
      this.#world.change(cell, { status: 'starting', error: { value: undefined } });
    } else {
      this.#world.change(cell, { status: 'active', error: { value: undefined } }, { ...cell.snapshot, status: 'active', error: undefined });
      // A failure that the machine has not been told of yet is still to be handled by it.
      const untold = new Set(cell.mailbox.unread().map(({ kind, from }) => (kind === 'signal' ? from : 0)));
      // Children of a Boss wait for what it decides.
      for (const child of cell.children.values()) {
        if (child.identity.bond === 'invoked' && child.state.status === 'error' && !untold.has(child.identity.life)) this.#restartFailed(child);
      }
    }
    // The root is resumed by the first start after it gave up, with a fresh window (design P5).
    if (cell.parent === undefined) this.#order(cell, Object.freeze({ type: 'bosun.resumed' }));
    this.#world.schedule(cell);
  }

  /** Does the restart that was ordered while the code could not read the cell. */
  makeUp(cell: Cell, mode: 'committed' | 'initial'): void {
    const { held } = cell;
    this.#world.hold(cell, held !== undefined && held.strikes > 0 ? { ...held, restart: null } : undefined);
    if (mode === 'committed') this.resume(cell);
    else this.reset(cell);
  }

  /** Starts anew from the initial state, by the definition of today, under the same address and life. The mailbox stays. */
  reset(cell: Cell): void {
    const { bond, agent } = cell.identity;
    this.#world.redefine(cell, (bond === 'supervised' ? this.#definitionOf(agent) : undefined) ?? cell.definition);
    this.removeChildren(cell);
    for (const id of [...cell.table.keys()]) this.#world.removeChildRow(cell, id);
    // Schedules are the actor's, not its state's: they go on as planned.
    for (const timer of [...cell.timers.values()]) if (timer.schedule === null) this.#world.agenda.disarm(cell, timer);
    const incarnation = cell.state.incarnation + 1;
    this.#world.revive(cell);
    const blank = { error: { value: undefined }, output: { value: undefined }, ...(cell.state.history && { history: {} }) };
    this.#world.change(cell, { status: 'starting', incarnation, ...blank });
    cell.snapshot = undefined;
    this.#world.schedule(cell);
  }

  /** Ends a cell and everything below it, children first. */
  remove(cell: Cell): void {
    this.removeChildren(cell);
    this.#effects.stop(cell);
    this.#world.bury(cell);
  }

  removeChildren(cell: Cell): void {
    const children = [...cell.children.values()];
    // A Boss ends the youngest first, as OTP does; a machine its children in their order, as XState does.
    for (const child of cell.isBoss ? children.reverse() : children) this.remove(child);
  }

  #restartFailed(child: Cell): void {
    if (child.definition.isEffect) {
      this.#world.revive(child);
      this.#world.change(child, { status: 'starting', error: { value: undefined } });
      this.#world.schedule(child);
    } else this.reset(child);
  }

  #start(boss: Cell, { id, agent, input, systemId = null }: CommandParams): void {
    const definition = this.#definitionOf(agent);
    const life = this.#world.next('life');
    try {
      const address = childAddress(boss.identity.address, id);
      const unreadable = this.#world.unreadableAt(address);
      if (unreadable !== undefined) throw unreadable;
      if (definition === undefined) throw new BosunError('BOSUN_AGENT_UNKNOWN', `${address}: no agent "${agent}"`);
      const isTaken = this.#world.addresses.has(address) || (systemId !== null && this.#world.names.has(systemId));
      if (isTaken) throw new BosunError('BOSUN_CHILD_SPEC_INVALID', `${address}: its address or system id is taken`);
      const { hash, version } = definition;
      const parent = boss.identity.life;
      const identity = { life, address, agent, definition: hash, version, parent, bond: 'supervised' as const };
      const rest = { childId: id, systemId, syncSnapshot: false, effectId: `${life}`, input };
      this.#world.bear({ ...identity, ...rest }, definition, boss);
    } catch (error) {
      this.#tellExit(boss, id, { life: 0, generation: boss.state.incarnation }, { reason: 'error', error: admitError(error), redelivery: false });
    }
  }

  #order(boss: Cell, event: EventObject): void {
    this.#world.enqueue(boss, event, 'command', 0);
  }

  #tellExit(boss: Cell, id: string, from: { life: number; generation: number }, exit: Exit): void {
    const event = Object.freeze({ type: 'bosun.exit', id, ...exit });
    this.#world.enqueue(boss, event, 'exit', from.life, from.generation);
  }
}
