/**
 * The turn loop: which actor is next, how long a slice of turns lasts, and, after a run that died, what may begin at
 * all. The kernel decides when a slice begins and what is written after it.
 */
import { type Clock } from '../../clock.ts';
import {
  EPOCH_BYTES_MAX,
  MESSAGES_PER_VISIT,
  SLICE_MS,
  TURNS_PER_AWAITED_EPOCH,
  TURNS_PER_EPOCH,
  UNAWAITED_EPOCH_FACTOR,
} from '../../limits.ts';
import { type Administration } from './administration.ts';
import { type CrashLoopGuard, type Deed } from '../world/crash-loop-guard.ts';
import { type Cell } from '../world/cell.ts';
import { type Ingress } from './inbound/ingress.ts';
import { type TurnOrder } from '../model/ports.ts';
import { type Turns } from '../turn/turn.ts';
import { type World } from '../world/world.ts';

/** Host events accepted at a time: enough to keep a slice busy, few enough to be processed in the same epoch. */
const INTAKE = 64;

/** Host events accepted once a slice, beside actors that have enough to do. */
const INTAKE_BESIDE_OTHERS = 16;

interface Parts {
  readonly world: World;
  readonly turns: Turns;
  readonly ingress: Ingress;
  readonly administration: Administration;
  readonly clock: Clock;
  readonly caution: CrashLoopGuard;
  /** Milliseconds for which an awaited epoch takes further turns while there are some. */
  readonly epochMs: number;
  /** Whether the root has given up: no further turn in this run. */
  readonly isHalted: () => boolean;
  /** The order of turns. Default: the actor that has waited longest, for {@link MESSAGES_PER_VISIT}. */
  readonly order: TurnOrder | undefined;
}

export class TurnLoop {
  readonly #parts: Parts;
  /** The time at which the epoch in the making began, by the monotonic clock. */
  #sinceMs = -Infinity;
  /** The time since when a caller waits for the epoch, as seen at the end of a slice; undefined if none does. */
  #awaitedSinceMs: number | undefined;
  /** The time since when the epoch accepts nothing more; undefined while it still does. */
  #closingSinceMs: number | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether turns wait, or events or timers that cause some. */
  get hasWork(): boolean {
    const { world, ingress, administration } = this.#parts;
    return world.runnable.size > 0 || ingress.size > 0 || administration.hasSteps || world.timers.isBehind;
  }

  /** Whether the epoch in the making takes further turns. */
  get hasRoom(): boolean {
    const { draft, runnable } = this.#parts.world;
    const turnsMax = draft.awaited > 0 ? TURNS_PER_AWAITED_EPOCH : TURNS_PER_EPOCH;
    return (
      draft.turns < turnsMax &&
      draft.bytes < EPOCH_BYTES_MAX &&
      (runnable.size > 0 || draft.awaited < TURNS_PER_AWAITED_EPOCH)
    );
  }

  /** Begins a new epoch. */
  epochBegins(): void {
    this.#sinceMs = this.#parts.clock.monotonicMs();
    this.#awaitedSinceMs = undefined;
    this.#closingSinceMs = undefined;
  }

  /**
   * Whether the epoch in the making continues. When its time is over, it accepts no further event. It then ends when
   * its events are processed, or a slice later: a message unread at the end costs a row, and another to delete it.
   */
  goesOn(): boolean {
    const { world, clock, epochMs } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (this.#closingSinceMs === undefined && this.#gathers(nowMs)) return true;
    this.#closingSinceMs ??= nowMs;
    return epochMs > 0 && world.runnable.size > 0 && this.hasRoom && nowMs - this.#closingSinceMs < SLICE_MS;
  }

  /**
   * Whether the epoch in the making waits for further turns, which share its cost. If a host waits for the epoch, it
   * goes on only while events of other hosts are queued. If a host, an effect or a reader waits for it, it goes on for
   * at most `epochMs`; otherwise for longer, since actors do not notice the wait.
   */
  #gathers(nowMs: number): boolean {
    const { world, ingress, epochMs } = this.#parts;
    if (world.draft.awaited > 0 && ingress.size === 0) return false;
    if (!this.hasWork || !this.hasRoom) return false;
    return this.#awaitedSinceMs === undefined
      ? nowMs - this.#sinceMs < epochMs * UNAWAITED_EPOCH_FACTOR
      : nowMs - this.#awaitedSinceMs < epochMs;
  }

  /** Runs one slice. */
  run(): void {
    const { world, administration, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (this.hasRoom) this.#takeIn(Math.max(INTAKE - world.runnable.size, INTAKE_BESIDE_OTHERS));
    if (administration.hasSteps) administration.takeSteps();
    const endMs = this.#takeTurns(nowMs, nowMs + SLICE_MS);
    if (this.#awaitedSinceMs === undefined && world.draft.isAwaited) this.#awaitedSinceMs = endMs;
  }

  /**
   * Takes turns.
   *
   * @returns When the last of them ended.
   */
  #takeTurns(beginMs: number, untilMs: number): number {
    const { world, turns, clock, isHalted, order } = this.#parts;
    let nowMs = beginMs;
    while (this.hasRoom && !isHalted()) {
      if (world.runnable.size === 0) {
        this.#takeIn(INTAKE);
        nowMs = clock.monotonicMs();
      }
      const { runnable } = world;
      const cell = order === undefined ? runnable.shift() : runnable.take(order.next(runnable.size));
      if (cell === undefined) break;
      const messages = order === undefined ? MESSAGES_PER_VISIT : order.messages();
      for (let n = 0; n < messages && cell.isRunnable && !isHalted(); n++) nowMs = turns.take(cell, nowMs);
      world.schedule(cell);
      if (nowMs > untilMs || order?.endsSlice() === true) break;
    }
    return nowMs;
  }

  #takeIn(count: number): void {
    const { world, ingress } = this.#parts;
    if (this.#closingSinceMs !== undefined) return;
    ingress.takeIn(Math.min(count, TURNS_PER_AWAITED_EPOCH - world.draft.awaited), EPOCH_BYTES_MAX);
  }

  /**
   * Runs one slice of turns for durable messages only, each recorded first. Called only between two writes, with
   * nothing to be written.
   */
  runCautiously(): void {
    const { world, turns, ingress, administration, caution, isHalted } = this.#parts;
    administration.takeSteps({ isReady: isDurable, begin: (cell) => caution.enter(deedOf(cell)) });
    for (let left = world.runnable.size; left > 0 && this.hasRoom && !isHalted(); left--) {
      const cell = world.runnable.shift()!;
      for (let n = 0; n < MESSAGES_PER_VISIT && cell.isRunnable && isDurable(cell) && !isHalted(); n++) {
        caution.enter(deedOf(cell));
        turns.take(cell);
      }
      world.schedule(cell);
    }
    caution.leave();
    ingress.takeIn(INTAKE);
  }
}

/** Whether the message of its next turn is on disk. */
function isDurable(cell: Cell): boolean {
  if (cell.status === 'starting') return cell.durable !== undefined;
  const next = cell.mailbox.peek();
  return next !== null && next.key !== null;
}

function deedOf(cell: Cell): Deed {
  if (cell.status === 'starting') return `birth ${cell.life}`;
  const { id, timer } = cell.mailbox.peek()!;
  return timer === null ? `message ${id}` : `timer ${timer.number}`;
}
