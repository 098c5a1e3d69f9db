/**
 * The kernel's side of supervision. A Boss decides (src/supervisor, a machine like any other); its commands are
 * performed here, within its turn, and so are durable with the decision. The child table is kept here too, one record
 * per child, so that a Boss with many children changes one record at a time.
 */
import { type EventObject } from 'xstate';
import { unreachable } from '../../assert.ts';
import { BosunError } from '../../errors.ts';
import { childAddress, ROOT } from '../model/address.ts';
import { type Aftermath, type Supervision } from '../model/incident-lines.ts';
import { admitError } from '../model/thrown.ts';
import { Answers } from './talk/answers.ts';
import { type Cell } from './cell.ts';
import { type Held } from './held.ts';
import { refusalOf } from './child-refusals.ts';
import { type Definition, resumedSnapshot, SHUTDOWN } from '../model/step-engine.ts';
import { identityOf } from '../model/state.ts';
import { type Effects } from './effects/effects.ts';
import { delayStart } from './effects/effect-waits.ts';
import { type Message } from './mailbox/message.ts';
import { type Random } from '../model/ports.ts';
import {
  type BossFacts,
  type BossSignal,
  type BossView,
  type ChildCommand,
  type ChildExit,
  type ChildRow,
  type ChildStart,
  type ExitSignal,
  type RestartMode,
} from '../model/supervision.ts';
import { suspicion } from './suspension.ts';
import { type World } from './world.ts';

/** Why the root has ended: `over` is the address of the actor that made it give up, undefined if it failed itself. */
export type RootEnd = Pick<ChildExit, 'error' | 'over'>;

export class Bosses {
  readonly #world: World;
  readonly #effects: Effects;
  readonly #random: Random;
  readonly #definitionOf: (agent: string) => Definition | undefined;
  readonly #onRootGone: (end: RootEnd) => void;
  readonly #answers: Answers;

  constructor(parts: {
    world: World;
    effects: Effects;
    random: Random;
    definitionOf: (agent: string) => Definition | undefined;
    onRootGone: (end: RootEnd) => void;
  }) {
    this.#world = parts.world;
    this.#effects = parts.effects;
    this.#random = parts.random;
    this.#definitionOf = parts.definitionOf;
    this.#onRootGone = parts.onRootGone;
    this.#answers = new Answers(parts.world.draft);
  }

  /**
   * Lets a Boss take its next message. While it waits for children to end, it takes only signals of their ends; other
   * messages are held back, and stay unchanged on disk.
   */
  attend(boss: Cell, take: (message: Message) => void): void {
    const { mailbox } = boss;
    for (let next = mailbox.peek(); next !== null; next = mailbox.peek()) {
      if (isHeldBack(boss, next)) {
        mailbox.holdBack();
        continue;
      }
      if (this.#world.residency?.mayTake(boss, next) === false) return;
      this.#answers.begin(next);
      take(next);
      const isBusy = boss.status === 'active' && isWaiting(boss);
      this.#answers.end(boss.life, isBusy);
      if (!isBusy && mailbox.isHolding) mailbox.release();
      return;
    }
  }

  /** Refuses the current order. */
  refuse(error: unknown): void {
    this.#answers.refuse(error);
  }

  /** Answers the order that started an actor, after its first turn. */
  begun(cell: Cell): void {
    this.#answers.begun(cell.life);
  }

  /** Adds the facts for a Boss's decision to its event. */
  withFacts(boss: Cell, event: EventObject): EventObject {
    const facts: BossFacts = {
      children: boss.table,
      lingers: (id) => isLingering(this.#world, this.#world.child(boss, id)),
      hasResult: (id) => this.#world.results.has(childAddress(boss.address, id)),
      isRoot: boss.parent === undefined,
      nowMs: this.#world.time.nowMs(),
      random: this.#random.next(),
    };
    return { ...event, ...this.#world.shards?.withId(boss, event), ...facts };
  }

  /** Performs a command of a Boss's turn. */
  perform(boss: Cell, command: ChildCommand): void {
    const { type, params } = command;
    const { id } = params;
    const child = this.#world.child(boss, id);
    this.#report(boss, child, command);
    switch (type) {
      case 'bosun.child.start':
        this.#start(boss, params);
        break;
      case 'bosun.child.restart':
        this.#restart(boss, child, params);
        break;
      case 'bosun.child.declare':
        if (child?.isUnreadable === false) this.#signal(child, { type: 'bosun.declare', input: params.input });
        break;
      case 'bosun.child.shutdown':
        if (child !== undefined) this.#signal(child, { type: SHUTDOWN });
        break;
      case 'bosun.child.halt':
        if (child?.isUnreadable === false) this.#halt(child);
        break;
      case 'bosun.child.suspend':
        if (child !== undefined) this.#suspend(boss, child, params);
        break;
      case 'bosun.child.terminate':
        if (child !== undefined) this.remove(child);
        break;
      case 'bosun.child.record':
        break;
      case 'bosun.child.awaitStart':
        if (child?.state.status === 'starting') this.#answers.awaitStart(child.life, child.address);
        break;
      case 'bosun.child.refuse':
        this.#answers.refuse(refusalOf(boss.address, id, params.code));
        break;
      default:
        unreachable(type);
    }
    if (!('record' in params)) return;
    const isFirst = type === 'bosun.child.start' && params.record.bornAtMs === undefined;
    this.#world.setChildRow(
      boss,
      id,
      isFirst ? { ...params.record, bornAtMs: Math.floor(this.#world.time.nowMs()) } : params.record,
    );
  }

  /** Logs the consequence of a decision for a child that failed, or that is restarted with others. */
  #report(boss: Cell, child: Cell | undefined, { type, params }: ChildCommand): void {
    const { incidents } = this.#world;
    const { id } = params;
    const address = placeOf(boss, id);
    if (type === 'bosun.child.restart') {
      const { agent, mode, record } = params;
      const isHeld = child?.isUnreadable === true || this.#world.unreadable.at(address) !== undefined;
      const aftermath: Aftermath = isHeld ? { is: 'held' } : { is: 'restarted', from: mode };
      const supervision = supervisionOf(boss, record);
      if (incidents.decided(address, aftermath, supervision) || isHeld) return;
      const who = child?.identity ?? { address, agent, version: null };
      incidents.say({ kind: 'restarted', who, error: undefined, aftermath, supervision });
    } else if (type === 'bosun.child.record' && params.record?.status === 'waiting') {
      const { record } = params;
      incidents.decided(address, { is: 'waits', atMs: record.retry!.atMs }, supervisionOf(boss, record));
    } else if (type === 'bosun.child.terminate' && child === undefined) incidents.decided(address, { is: 'ended' });
  }

  /** Reports that an actor has ended, or has failed and waits: to its Boss, or to the system if it is the root. */
  childEnded(cell: Cell, exit: ChildExit): void {
    const { parent, identity, state } = cell;
    const { error, over } = exit;
    if (over !== undefined || (parent === undefined && exit.reason !== 'error'))
      this.#world.incidents.failed(identity, { error, over: over ?? null }, 'gaveUp');
    if (parent === undefined) {
      this.#world.incidents.allClose();
      this.#onRootGone({ error, over });
      return;
    }
    // A machine that failed may go on with its children. A Boss that throws cannot be trusted to look after them.
    if (exit.reason !== 'error' || cell.role.takesChildrenAlong) this.removeChildren(cell);
    const isUnborn = cell.snapshot === undefined && state.incarnation === 0;
    const from = { life: identity.life, generation: state.incarnation };
    this.#tellExit(parent, identity.childId, from, isUnborn ? { ...exit, isUnborn } : exit);
  }

  /**
   * Continues from the last committed state: mailbox, timers and live effects are kept; failed effects start again.
   *
   * @param isDelayed Whether the restart was delayed: otherwise failed effects wait before they start.
   */
  resume(cell: Cell, isDelayed = false): void {
    if (cell.snapshot === undefined) {
      this.#world.change(cell, { status: 'starting', error: { value: undefined } });
    } else {
      this.#world.change(cell, { status: 'active', error: { value: undefined } }, resumedSnapshot(cell.snapshot));
      // A failure that the machine has not been told of yet is still to be handled by it.
      const untold = new Set(cell.mailbox.unread().map(({ kind, from }) => (kind === 'signal' ? from : 0)));
      // Children of a Boss wait for its decision.
      for (const child of cell.children.values()) {
        if (child.bond === 'invoked' && child.status === 'error' && !untold.has(child.life))
          this.#restartFailed(child, isDelayed);
      }
    }
    // The root is resumed by the first start after it gave up, with an empty window (design P5).
    if (cell.parent === undefined) this.#signal(cell, { type: 'bosun.resumed' });
    this.#world.schedule(cell);
  }

  /**
   * Carries out a restart that the Boss ordered while the code could not read the cell, or before it was resumed. Does
   * nothing while it is suspended for its failures.
   */
  restartHeld(cell: Cell, mode: RestartMode): void {
    const { held } = cell;
    if (held?.failures !== undefined) return;
    this.#world.hold(
      cell,
      held !== undefined && (held.strikes > 0 || held.order !== undefined) ? { ...held, restart: null } : undefined,
    );
    if (mode === 'committed') this.resume(cell);
    else this.reset(cell);
  }

  /**
   * Restarts a cell from the initial state, with the present definition and the same address and life. The mailbox
   * stays.
   */
  reset(cell: Cell): void {
    const { bond, agent } = cell;
    this.#world.redefine(cell, (bond === 'supervised' ? this.#definitionOf(agent) : undefined) ?? cell.definition);
    this.removeChildren(cell);
    for (const id of [...cell.table.keys()]) this.#world.setChildRow(cell, id, null);
    // Schedules belong to the actor, not to its state: they go on as planned.
    for (const timer of [...cell.timers.values()]) if (timer.schedule === null) this.#world.timers.disarm(cell, timer);
    this.#forgetShutdown(cell);
    const incarnation = cell.state.incarnation + 1;
    this.#world.revive(cell);
    const blank = {
      error: { value: undefined },
      output: { value: undefined },
      ...(cell.state.history && { history: {} }),
    };
    this.#world.change(cell, { status: 'starting', incarnation, ...blank });
    cell.snapshot = undefined;
    this.#world.schedule(cell);
  }

  /** Ends a cell and everything below it, children first. */
  remove(cell: Cell): void {
    this.removeChildren(cell);
    this.#world.incidents.decided(cell.address, {
      is: (viewOf(cell.parent)?.failed ?? null) === null ? 'ended' : 'gaveUp',
    });
    this.#effects.stop(cell);
    this.#answers.gone(cell.life, cell.address);
    this.#world.remove(cell);
  }

  removeChildren(cell: Cell): void {
    const children = this.#world.family(cell);
    // A Boss ends the youngest first, as OTP does; a machine its children in order, as XState does.
    for (const child of cell.role.takesChildrenAlong ? children.reverse() : children) this.remove(child);
  }

  /** Ends a cell that a later command starts again: its mailbox, name and address are kept until then. */
  #halt(cell: Cell): void {
    this.removeChildren(cell);
    for (const timer of [...cell.timers.values()]) this.#world.timers.disarm(cell, timer);
    this.#world.change(cell, { status: 'stopped' });
  }

  /** Removes a `bosun.shutdown` meant for the earlier run. Messages that a Boss held back are meant for the new one. */
  #forgetShutdown(cell: Cell): void {
    // It is a command, and a restart must not cost more with a fuller mailbox.
    if (!cell.role.supervises && !cell.mailbox.hasCommands) return;
    cell.mailbox.removeWhere((message) => {
      const isOld = message.event.type === SHUTDOWN;
      if (isOld) this.#world.draft.read(message);
      return isOld;
    });
    cell.mailbox.release();
  }

  #restartFailed(child: Cell, isDelayed: boolean): void {
    if (child.definition.isEffect) {
      this.#world.revive(child);
      this.#world.change(child, { status: 'starting', error: { value: undefined } });
      if (!isDelayed) delayStart(this.#world, child, this.#random.next());
      this.#world.schedule(child);
    } else this.reset(child);
  }

  /** Suspends a child that failed again and again. One that the code cannot read is suspended once it can. */
  #suspend(boss: Cell, child: Cell, facts: Extract<ChildCommand, { type: 'bosun.child.suspend' }>['params']): void {
    const { mode, failures, error, record } = facts;
    const held: Held = { strikes: 0, ...child.held, error, restart: mode, failures };
    this.#world.hold(child, held);
    if (!child.isUnreadable) child.suspension = suspicion(child, held);
    const { incidents } = this.#world;
    const isSaid = incidents.decided(child.address, { is: 'suspended', failures }, supervisionOf(boss, record));
    // A child that ended each time without an error has no line yet.
    if (!isSaid && child.suspension !== undefined) incidents.suspended(child, child.suspension);
  }

  #start(boss: Cell, { id, agent, input, systemId }: ChildStart): void {
    const life = this.#world.next('life');
    try {
      const definition = this.#definitionOf(agent);
      const address = childAddress(boss.address, id);
      const unreadable = this.#world.unreadable.at(address);
      if (unreadable !== undefined) throw unreadable;
      if (definition === undefined)
        throw new BosunError('BOSUN_AGENT_UNKNOWN', `${address}: there is no agent "${agent}"`);
      const isTaken =
        this.#world.addresses.has(address) ||
        (systemId !== null && (this.#world.names.has(systemId) || this.#world.shards?.holder(systemId) !== undefined));
      if (isTaken) throw new BosunError('BOSUN_CHILD_SPEC_INVALID', `${address}: its address or system id is taken`);
      const { hash, version } = definition;
      const parent = boss.life;
      const identity = { life, address, agent, definition: hash, version, parent, bond: 'supervised' as const };
      const rest = { childId: id, systemId, syncSnapshot: false, effectId: null, input };
      this.#world.spawn(identityOf({ ...identity, ...rest }), definition, boss);
      this.#answers.awaitStart(life, address);
    } catch (thrown) {
      const error = admitError(thrown);
      this.#world.incidents.failed({ address: placeOf(boss, id), agent, version: null }, { error });
      this.#tellExit(
        boss,
        id,
        { life: 0, generation: boss.state.incarnation },
        { reason: 'error', error, redelivery: false, isUnborn: true, isAbsent: true },
      );
    }
  }

  #restart(
    boss: Cell,
    child: Cell | undefined,
    start: ChildStart & { readonly mode: RestartMode; readonly isDelayed: boolean },
  ): void {
    const { id, mode, isDelayed } = start;
    // An unreadable actor is left unchanged, until a start that can read it.
    if (this.#world.unreadable.at(childAddress(boss.address, id)) !== undefined) return;
    if (child?.isUnreadable === true)
      this.#world.hold(child, { strikes: 0, error: undefined, ...child.held, restart: mode });
    // A child that could not be born is started, not restarted.
    else if (child === undefined) this.#start(boss, start);
    else if (mode === 'committed') this.resume(child, isDelayed);
    else this.reset(child);
  }

  #signal(cell: Cell, signal: BossSignal): void {
    this.#world.enqueue(cell, Object.freeze(signal), 'command', 0);
  }

  #tellExit(boss: Cell, id: string, from: { life: number; generation: number }, exit: ChildExit): void {
    const event: ExitSignal = Object.freeze({ type: 'bosun.exit', id, ...exit });
    const order = exit.isUnborn === true ? this.#answers.startFailed(from.life, exit.error) : null;
    this.#world.enqueue(boss, event, 'exit', from.life, from.generation, order);
  }
}

function viewOf(boss: Cell | undefined): BossView | undefined {
  return boss?.role.supervises === true ? (boss.snapshot?.context as BossView | undefined) : undefined;
}

function isWaiting(boss: Cell): boolean {
  const context = viewOf(boss);
  return context !== undefined && context.script !== null;
}

function supervisionOf(boss: Cell, { restarts }: ChildRow): Supervision {
  const { intensity, periodMs } = viewOf(boss)!;
  return { restarts, intensity, periodMs };
}

/** The address of a child, whether it exists or not. */
function placeOf({ address }: Cell, id: string): string {
  return address === ROOT ? id : `${address}/${id}`;
}

function isHeldBack(boss: Cell, message: Message): boolean {
  if (!isWaiting(boss) || message.event.type === 'bosun.overdue') return false;
  return message.kind !== 'exit' || boss.table.get((message.event as ExitSignal).id)?.status !== 'stopping';
}

/** Whether an actor has work to do before it ends. One that takes no turns has none. */
function isLingering(world: World, cell: Cell | undefined): boolean {
  if (cell === undefined || cell.suspension !== undefined) return false;
  const { status } = cell.state;
  if (status !== 'active' && status !== 'starting') return false;
  if (!cell.role.supervises) return cell.definition.endsByItself;
  return world.family(cell).some((child) => isLingering(world, child));
}
