/**
 * The step of a turn: the engine runs the user's pure code, which is lent the stored values that it reads (lending.ts).
 * A step that changes one of them in place is refused, and has changed nothing.
 */
import { type EventObject } from 'xstate';
import { assert } from '../../assert.ts';
import { beginStep, endStep } from '../../lending.ts';
import { type Part } from '../../unfreezable.ts';
import { changedInPlace } from '../model/changed-in-place.ts';
import { type Effect, type Step } from '../model/step-engine.ts';
import { type Cell } from '../world/cell.ts';
import { type World } from '../world/world.ts';

export class Stepper {
  readonly #world: Pick<World, 'engine'>;
  /** Whether user code of a step is running now. */
  isStepping = false;
  /** Events sent by user code inside the current step (`self.send` in an assign). */
  #strays: Effect[] = [];

  constructor(world: Pick<World, 'engine'>) {
    this.#world = world;
  }

  /** Adds an event that user code inside the current step has sent. */
  stray(effect: Effect): void {
    assert(this.isStepping, 'a stray send belongs to a step');
    this.#strays.push(effect);
  }

  /**
   * Takes a step.
   *
   * @param event The event; null for the initial step.
   * @throws The error of the user's code, or BOSUN_VALUE_REFUSED for a step that has changed a stored value in place.
   */
  step({ definition, ref, snapshot, identity: { input } }: Cell, event: EventObject | null): Step {
    const { engine } = this.#world;
    // Custom logic has its snapshot in its own hands: reading it may run code of the user.
    const context = definition.kind === 'custom' ? undefined : snapshot?.context;
    let step: Step;
    let changed: Part | undefined;
    this.isStepping = true;
    beginStep(context, event ?? input);
    try {
      step =
        event === null ? engine.initial(definition, ref, input) : engine.transition(definition, ref, snapshot!, event);
      if (this.#strays.length > 0) step = { ...step, effects: [...step.effects, ...this.#strays] };
    } finally {
      changed = endStep();
      this.isStepping = false;
      if (this.#strays.length > 0) this.#strays = [];
    }
    if (changed !== undefined) throw changedInPlace(changed, { context, event, input });
    return step;
  }
}
