/**
 * The turn loop: which actor is next, how long a slice of turns lasts, and, after a run that died, what may be begun at
 * all. When a slice begins, and what is written after it, is the kernel's.
 */
import { type Clock } from '../../clock.ts';
import {
  EPOCH_BYTES_MAX,
  MESSAGES_PER_VISIT,
  SLICE_MS,
  TURNS_PER_AWAITED_EPOCH,
  TURNS_PER_EPOCH,
} from '../../limits.ts';
import { type Administration } from './administration.ts';
import { type CrashLoopGuard, type Deed } from '../world/crash-loop-guard.ts';
import { type Cell } from '../world/cell.ts';
import { type Ingress } from './inbound/ingress.ts';
import { type Turns } from '../turn/turn.ts';
import { type World } from '../world/world.ts';

/** Events of hosts taken in at a time: enough to keep a slice busy, few enough to be processed in the same epoch. */
const INTAKE = 64;

interface Parts {
  readonly world: World;
  readonly turns: Turns;
  readonly ingress: Ingress;
  readonly administration: Administration;
  readonly clock: Clock;
  readonly caution: CrashLoopGuard;
  /** For how long an epoch waits for further turns while there are some to take. */
  readonly epochMs: number;
  /** The root has given up: no further turn in this run. */
  readonly isHalted: () => boolean;
}

export class TurnLoop {
  readonly #parts: Parts;
  /** When the epoch in the making began, by the monotonic clock. */
  #sinceMs = -Infinity;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether turns are waiting, or events or timers that cause some. */
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

  /** The epoch in the making is a new one. */
  epochBegins(): void {
    this.#sinceMs = this.#parts.clock.monotonicMs();
  }

  /**
   * Whether the epoch in the making waits for further turns: what an epoch costs is shared by all that are in it. One
   * that somebody outside waits for does so only while others stand at the door.
   */
  get isGathering(): boolean {
    const { world, ingress } = this.#parts;
    if (world.draft.awaited > 0 && ingress.size === 0) return false;
    return this.hasWork && this.hasRoom && this.#parts.clock.monotonicMs() - this.#sinceMs < this.#parts.epochMs;
  }

  /** One slice. */
  run(): void {
    const { world, turns, administration, clock, isHalted } = this.#parts;
    let nowMs = clock.monotonicMs();
    const untilMs = nowMs + SLICE_MS;
    if (this.hasRoom) this.#takeIn();
    if (administration.hasSteps) administration.takeSteps();
    while (this.hasRoom && !isHalted()) {
      if (world.runnable.size === 0) {
        this.#takeIn();
        nowMs = clock.monotonicMs();
      }
      const cell = world.runnable.shift();
      if (cell === undefined) return;
      cell.queued = false;
      for (let n = 0; n < MESSAGES_PER_VISIT && cell.isRunnable && !isHalted(); n++) nowMs = turns.take(cell, nowMs);
      world.schedule(cell);
      if (nowMs > untilMs) return;
    }
  }

  #takeIn(): void {
    const { world, ingress } = this.#parts;
    ingress.takeIn(Math.min(INTAKE, TURNS_PER_AWAITED_EPOCH - world.draft.awaited), EPOCH_BYTES_MAX);
  }

  /**
   * One slice of turns for what is durable, each of them noted first. Only between two writes, with nothing to be
   * written.
   */
  runCautiously(): void {
    const { world, turns, ingress, administration, caution, isHalted } = this.#parts;
    administration.takeSteps({ isReady: isDurable, begin: (cell) => caution.enter(deedOf(cell)) });
    for (let left = world.runnable.size; left > 0 && this.hasRoom && !isHalted(); left--) {
      const cell = world.runnable.shift()!;
      cell.queued = false;
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

/** Whether what its next turn is about is on disk. */
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
