/**
 * The rare possessions of an actor. Most have none of them while they are idle, and fields for each would be half of
 * the memory of a cell.
 */
import type { Ask } from './talk/ask-record.ts';
import type { Cell, EffectCheckpoint, Trail } from './cell.ts';
import type { Held } from './held.ts';
import type { Observer } from './observer.ts';
import type { EffectRef } from '../model/ref.ts';
import type { ChildRow } from '../model/supervision.ts';
import type { Timer } from '../model/timers.ts';

/** The possessions of one actor; cell.ts says what each is. */
export class Possessions {
  children: Map<string, Cell> | undefined;
  timers: Map<string, Timer> | undefined;
  table: Map<string, ChildRow> | undefined;
  held: Held | undefined;
  running: EffectRef | undefined;
  failures = 0;
  ends = 0;
  kept: Map<string, EffectCheckpoint> | undefined;
  asked: Ask | undefined;
  trail: Trail | undefined;
  waitsFor: Cell | undefined;
  isHeldUp = false;
  crowd: Set<Cell> | undefined;
  unsent = 0;
  observers: Set<Observer> | undefined;
}

/** Shared by all actors without possessions, and never changed. */
export const NOTHING: Possessions = Object.freeze(new Possessions());
