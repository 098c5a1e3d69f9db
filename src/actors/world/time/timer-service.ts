/**
 * Timers and schedules: arming, cancelling, firing and consuming them, each entered into the epoch in the making. No
 * policy: a machine's turn decides what to arm, recovery.ts what a start does with them.
 */
import { type EventObject } from 'xstate';
import { BosunError } from '../../../errors.ts';
import { HEARTBEAT_MS, TIMERS_PER_ACTOR_MAX, TIMERS_PER_SLICE } from '../../../limits.ts';
import { type Cell } from '../cell.ts';
import { messageOfTimer } from '../mailbox/message.ts';
import { dueEvent, planAfter, planNext, type Schedule, timerIdOf } from '../../model/schedules.ts';
import { newTimer, type Timer, TimerQueue } from '../../model/timers.ts';
import { policyOf } from '../../model/timing.ts';
import { type Surroundings } from '../surroundings.ts';

type Needs = Pick<
  Surroundings,
  'backpressure' | 'cells' | 'draft' | 'letters' | 'next' | 'post' | 'schedule' | 'shards' | 'time' | 'tracing' | 'wake'
>;

export class TimerService {
  readonly #world: Needs;
  readonly queue = new TimerQueue();
  /** Number of armed timers that keep their remaining time: while there are any, the time is stored regularly. */
  timed = 0;
  /** Whether more timers are due than one slice takes. */
  isBehind = false;

  constructor(world: Needs) {
    this.#world = world;
  }

  /** Arms a timer under an id of its owner; one armed before under the same id is replaced. */
  arm(owner: Cell, facts: { id: string; delayMs: number; delay: string | null; to: number; event: EventObject }): void {
    const before = owner.timers.get(facts.id);
    if (before !== undefined) this.disarm(owner, before);
    const { id, delayMs, delay, to, event } = facts;
    const timer = newTimer({
      number: this.#world.next('timer'),
      owner: owner.life,
      id,
      deadlineMs: Math.ceil(this.#world.time.nowMs() + Math.max(0, delayMs)),
      to,
      event,
      delayMs,
      delay,
      keepsRemaining: policyOf(owner.definition.timing, delay) === 'remaining',
    });
    this.#enter(owner, timer);
  }

  /** Takes a timer into the indexes; for arming and recovery. */
  add(owner: Cell, timer: Timer): void {
    owner.addTimer(timer);
    this.queue.push(timer);
    if (timer.keepsRemaining) this.timed += 1;
  }

  /** Replaces a timer that recovery found; null removes it. The caller writes the rows. */
  replace(owner: Cell, timer: Timer, next: Timer | null): void {
    if (next === timer) return;
    this.queue.remove(timer);
    owner.removeTimer(timer);
    if (timer.keepsRemaining) this.timed -= 1;
    if (next !== null) this.add(owner, next);
  }

  /** Arms the schedules of a cell's agent that are not armed yet. */
  plan(cell: Cell): void {
    const { schedules } = cell.definition.timing;
    if (schedules.size === 0) return;
    for (const schedule of schedules.values()) {
      if (!cell.timers.has(timerIdOf(schedule)))
        this.#armSchedule(cell, schedule, planAfter(schedule, this.#world.time.nowMs()));
    }
  }

  /** Cancels a timer. If it is due and its message is unread, the message is dropped. */
  disarm(owner: Cell, timer: Timer): void {
    if (timer.gone) return;
    this.#end(owner, timer);
    if (timer.due) {
      owner.mailbox.forget();
      this.#world.backpressure.eased(owner);
    } else this.queue.remove(timer);
  }

  /** Ends a timer whose event has been read; a schedule's next time is planned in the same epoch. */
  consume(owner: Cell, timer: Timer, event: EventObject): void {
    this.#end(owner, timer);
    if (timer.schedule !== null) this.#armSchedule(owner, timer.schedule, planNext(timer.schedule, event));
  }

  /** Checks, while a turn may still throw, that this many more timers may be armed. Throws BOSUN_VALUE_REFUSED. */
  check(owner: Cell, more: number): void {
    if (owner.timers.size + more <= TIMERS_PER_ACTOR_MAX) return;
    throw new BosunError('BOSUN_VALUE_REFUSED', `${owner.address} would have more than ${TIMERS_PER_ACTOR_MAX} timers`);
  }

  /** The time of the next timer or stored time; undefined for never. */
  nextAlarmMs(): number | undefined {
    const nextMs = this.queue.nextDeadlineMs();
    if (this.timed === 0) return nextMs;
    // If the epoch is due and not written, the store is out of order: check later, or the kernel would do nothing else.
    const beatMs = this.isBeatDue ? this.#world.time.nowMs() + HEARTBEAT_MS : this.#world.time.beatAtMs;
    return Math.min(nextMs ?? Infinity, beatMs);
  }

  /** Whether an epoch is due only to store the time. */
  get isBeatDue(): boolean {
    return this.timed > 0 && this.#world.time.nowMs() >= this.#world.time.beatAtMs;
  }

  /** Moves due timers into mailboxes, in deadline order, as many as a slice takes. */
  fireDue(): void {
    const nowMs = this.#world.time.nowMs();
    for (let n = 0; n < TIMERS_PER_SLICE; n++) {
      const timer = this.queue.popDue(nowMs);
      if (timer === undefined) break;
      const owner = this.#world.cells.get(timer.owner);
      if (owner !== undefined) this.#fire(owner, timer, nowMs);
    }
    this.isBehind = (this.queue.nextDeadlineMs() ?? Infinity) <= nowMs;
  }

  /** A timer to its own owner stays on disk until the turn that consumes it; one to another becomes a message here. */
  #fire(owner: Cell, timer: Timer, nowMs: number): void {
    if (timer.to === timer.owner) {
      timer.due = true;
      owner.receive(
        messageOfTimer(timer, timer.schedule === null ? timer.event : dueEvent(timer.schedule, timer, nowMs)),
      );
      this.#world.schedule(owner);
      return;
    }
    const target = this.#world.cells.get(timer.to);
    this.#world.tracing.fired(timer);
    const to = { life: timer.to, address: `life:${timer.to}` };
    if (target !== undefined) this.#world.post(target, timer.event, timer.owner);
    else if (this.#world.shards?.send(to, timer.event, timer.owner) !== true)
      this.#world.letters.undeliverable(to, timer.event, timer.owner);
    this.#end(owner, timer);
  }

  /** Arms a schedule, unless it has no further planned time. */
  #armSchedule(owner: Cell, schedule: Schedule, plan: ReturnType<typeof planAfter>): void {
    if (plan.deadlineMs === Infinity) return;
    const { life } = owner;
    this.#enter(
      owner,
      newTimer({
        ...plan,
        number: this.#world.next('timer'),
        owner: life,
        id: timerIdOf(schedule),
        to: life,
        delayMs: 0,
        schedule,
      }),
    );
  }

  #enter(owner: Cell, timer: Timer): void {
    this.add(owner, timer);
    this.#world.draft.armed(timer);
    this.#world.wake();
  }

  #end(owner: Cell, timer: Timer): void {
    timer.gone = true;
    if (timer.keepsRemaining) this.timed -= 1;
    owner.removeTimer(timer);
    this.#world.draft.disarmed(timer);
  }
}
