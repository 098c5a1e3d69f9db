/**
 * The step engine that takes steps of machines by plans. What XState would do in a microstep from one position is
 * recorded once (plan-probe.ts) and then performed without XState: guards of the candidates in order, the plan's
 * operations, the next position; then the same for eventless transitions and raised events. Snapshots share the parts
 * that depend on the position alone.
 *
 * Planned: nested and parallel states, history, final states and output, guards of every kind, all actions of XState
 * and of users, `always`, `after`, raised events, invokes and spawns, the initial step. Left to the XState engine, step
 * by step: `xstate.stop`, unhandled failures of children, machines that are not active, endless loops (for XState's
 * error), everything beyond PLANS_MAX, and all logic other than machines.
 *
 * If a step turns out not to be covered by a plan, XState repeats it from the start, so guards and assigners may run
 * twice. Nothing of the first run is kept.
 */
import { type EventObject, stopChild } from 'xstate';
import { disown } from '../../user-code.ts';
import { type Definition, type Snapshot, type Step } from '../model/step-engine.ts';
import { guardError } from './plan-guards.ts';
import { operationsOf } from './plan-operations.ts';
import { NO_CHILDREN, PlanSnapshot } from './plan-snapshot.ts';
import { type Candidate, type Plan, Plans, Position } from './plan-table.ts';
import { Work } from './plan-work.ts';
import { type Ref } from '../model/ref.ts';
import { type ActorState, type Change } from '../model/state.ts';
import { NO_FAMILY_CHANGE } from './births.ts';
import { type XstateDefinition } from './definition.ts';
import { XstateEngine } from './xstate-engine.ts';
import { marked } from './family.ts';
import {
  changeOf,
  type MachineSnapshot,
  numberByNodes,
  type Numbering,
  standingNodes,
  statusOf,
} from './machine-state.ts';
import { type EngineHost } from './step.ts';

/** Signals that no plan covers a step. It is thrown and caught in this file only. */
const UNPLANNED = Symbol('left to XState');

const NONE: readonly never[] = [];

/**
 * Plans by hosted machine; null for a machine without plans. Systems share plans, since XState's microsteps are the
 * same in all of them.
 */
const PLANS = new WeakMap<XstateDefinition['logic'], Plans | null>();

export class PlanEngine extends XstateEngine {
  readonly #work: Work;

  constructor(host: EngineHost) {
    super(host);
    this.#work = new Work(this.step);
  }

  override initial(definition: Definition, self: Ref, input: unknown): Step {
    const beginning = this.#plansOf(definition)?.beginning;
    if (!beginning) return this.#adopted(definition, undefined, super.initial(definition, self, input));
    const { position, context, plan } = beginning;
    this.step.begin(definition, self);
    try {
      this.#work.begin(position, { context, children: NO_CHILDREN }, { type: 'xstate.init', input } as EventObject);
      take(this.#work, plan);
      settle(this.#work, plan.next);
      return this.#finished(definition, self, undefined);
    } catch (thrown) {
      this.#dropped(thrown);
    } finally {
      this.#end();
    }
    return this.#adopted(definition, undefined, super.initial(definition, self, input));
  }

  override transition(definition: Definition, self: Ref, before: Snapshot, event: EventObject): Step {
    const place = PlanSnapshot.placeOf(before);
    if (
      !(place instanceof Position) ||
      place.machine !== (definition as XstateDefinition).logic ||
      before.status !== 'active' ||
      isReserved(event.type)
    ) {
      return this.#adopted(definition, before, super.transition(definition, self, before, event));
    }
    this.step.begin(definition, self);
    try {
      if (this.#transition(place, before as PlanSnapshot, event))
        return this.#finished(definition, self, before as PlanSnapshot);
      const { effects } = this.#work;
      return { snapshot: before, effects, births: NO_FAMILY_CHANGE.births, dropped: NO_FAMILY_CHANGE.dropped };
    } catch (thrown) {
      this.#dropped(thrown);
    } finally {
      this.#end();
    }
    return this.#adopted(definition, before, super.transition(definition, self, before, event));
  }

  override changeOf(definition: Definition, before: Snapshot | undefined, after: Snapshot): Change {
    return changeOf(definition as XstateDefinition, before, after, numberOf);
  }

  override restore(
    definition: Definition,
    self: Ref,
    state: ActorState,
    children: Readonly<Record<string, Ref>>,
  ): Snapshot {
    const plans = this.#plansOf(definition);
    if (!plans) return super.restore(definition, self, state, children);
    const { nodes, history } = standingNodes(definition as XstateDefinition, state, self.address);
    const position = plans.positionOf(nodes, history);
    if (position === undefined) return super.restore(definition, self, state, children);
    const snapshot = new PlanSnapshot(
      position,
      state.context,
      isEmpty(children) ? NO_CHILDREN : marked({ ...children }),
    );
    return Object.assign(snapshot, { status: statusOf(state), output: state.output, error: state.error });
  }

  /** Ends a step that has no effect: what it made is dropped. */
  #dropped(thrown: unknown): void {
    const { snapshot, effects } = this.#work;
    disown(snapshot.context);
    for (const effect of effects) if ('event' in effect) disown(effect.event);
    if (thrown !== UNPLANNED) throw thrown;
    this.#work.tookNothing();
  }

  #end(): void {
    if (this.step.onMicrostep !== undefined) this.#work.tellMicrosteps(this.step.onMicrostep);
    this.step.end();
    this.#work.end();
  }

  /**
   * Takes a transition.
   *
   * @returns Whether XState would have created a new snapshot.
   */
  #transition(position: Position, before: PlanSnapshot, event: EventObject): boolean {
    const work = this.#work;
    work.begin(position, before, event);
    const plan = selected(work, position);
    // An unhandled failure of a child fails its machine, which XState does.
    if (plan === undefined && event.type.startsWith('xstate.error.actor')) throw UNPLANNED;
    const isTouched = plan !== undefined && take(work, plan);
    work.took(plan?.transitions ?? NONE);
    return settle(work, plan?.next ?? position) || isTouched;
  }

  #finished(definition: Definition, self: Ref, before: PlanSnapshot | undefined): Step {
    const { snapshot, effects } = this.#work;
    if (snapshot.status !== 'active') this.#stopChildren();
    const { births, dropped } =
      snapshot.children === (before?.children ?? NO_CHILDREN)
        ? NO_FAMILY_CHANGE
        : this.step.familyChange(definition, self, before?.children, snapshot);
    return { snapshot, effects, births, dropped };
  }

  /** Describes the stops of all children. As in XState, the children stay in the snapshot. */
  #stopChildren(): void {
    const { snapshot } = this.#work;
    const { children } = snapshot;
    if (children === NO_CHILDREN) return;
    const stops = Object.values(children).map((child) => stopChild(child as never));
    for (const operation of operationsOf(snapshot.machine, stops)) operation.perform(this.#work);
    snapshot.children = children;
  }

  /** Converts XState's result into a snapshot of this engine, if there is room for its position. */
  #adopted(definition: Definition, before: Snapshot | undefined, step: Step): Step {
    const plans = step.snapshot === before ? undefined : this.#plansOf(definition);
    if (!plans) return step;
    const { _nodes: nodes, historyValue, context, children, status, output, error } = step.snapshot as MachineSnapshot;
    const position = plans.positionOf(nodes, historyValue);
    if (position === undefined) return step;
    return {
      ...step,
      snapshot: Object.assign(new PlanSnapshot(position, context, children), { status, output, error }),
    };
  }

  #plansOf(definition: Definition): Plans | null {
    if (definition.kind !== 'machine') return null;
    const { logic } = definition as XstateDefinition;
    let plans = PLANS.get(logic);
    if (plans === undefined) PLANS.set(logic, (plans = plansFor(definition as XstateDefinition)));
    return plans;
  }
}

/** Numbers a configuration. The position caches the number with the table that it belongs to. */
const numberOf: Numbering = (definition, snapshot) => {
  const place = PlanSnapshot.placeOf(snapshot);
  if (!(place instanceof Position)) return numberByNodes(definition, snapshot);
  const { configurations } = definition;
  if (place.numberedIn !== configurations) {
    place.configuration = numberByNodes(definition, snapshot);
    place.numberedIn = configurations;
  }
  return place.configuration;
};

/** Creates the plans of a machine; null if it cannot be entered, which XState reports when an actor starts. */
function plansFor(definition: XstateDefinition): Plans | null {
  try {
    return new Plans(definition);
  } catch {
    return null;
  }
}

/** Whether XState handles the event without selecting transitions. */
function isReserved(type: string): boolean {
  return type === '*' || type === 'xstate.stop' || type === 'xstate.init';
}

/**
 * Takes further microsteps until the machine is stable: eventless transitions first, then raised events.
 *
 * @param from The current position.
 * @returns Whether XState would have created a new snapshot.
 */
function settle(work: Work, from: Position): boolean {
  let position = from;
  let isChanged = false;
  let looksForEventless = true;
  for (let microsteps = 1; work.snapshot.status === 'active'; microsteps++) {
    // XState also counts the iteration that finds no transition.
    if (microsteps > position.plans.microstepsMax) throw UNPLANNED;
    const eventless: Plan | undefined =
      looksForEventless && position.eventless.length > 0 ? eventlessPlan(work, position) : undefined;
    let plan: Plan | undefined = eventless;
    if (plan === undefined) {
      const raised = work.queue.shift();
      if (raised === undefined) break;
      work.event = raised;
      plan = selected(work, position);
    }
    const isTouched: boolean = plan !== undefined && take(work, plan);
    work.took(plan?.transitions ?? NONE);
    if (plan !== undefined) position = plan.next;
    isChanged ||= isTouched;
    looksForEventless = eventless === undefined || isTouched;
  }
  return isChanged;
}

function take(work: Work, { operations, next, moves }: Plan): boolean {
  work.isTouched = moves;
  for (let i = 0; i < operations.length; i++) operations[i]!.perform(work);
  if (moves) work.snapshot.moveTo(next);
  return work.isTouched;
}

/** Selects the plan for the current event; undefined if no transition takes it. */
function selected(work: Work, position: Position): Plan | undefined {
  const { plans } = position;
  const selection = plans.selection(position, work.event.type);
  if (selection === null) throw UNPLANNED;
  const { row, asked } = selection;
  if (row !== undefined) {
    const candidate = firstOf(work, row);
    return candidate && planned(plans.planOf(position, candidate));
  }
  let first: Candidate | undefined;
  let taken: Candidate[] | undefined;
  let last = -1;
  for (let i = 0; i < asked.length; i++) {
    const { candidates, from } = asked[i]!;
    const candidate = last >= from ? undefined : firstOf(work, candidates);
    if (candidate === undefined) continue;
    if (first === undefined) first = candidate;
    else (taken ??= [first]).push(candidate);
    last = i;
  }
  if (taken !== undefined) return planned(planOfAll(position, taken));
  return first && planned(plans.planOf(position, first));
}

function firstOf(work: Work, candidates: readonly Candidate[]): Candidate | undefined {
  for (let i = 0; i < candidates.length; i++) {
    const candidate = candidates[i]!;
    if (candidate.guard === undefined || accepts(work, candidate)) return candidate;
  }
  return undefined;
}

function accepts(work: Work, { guard, transition }: Candidate): unknown {
  try {
    return guard!(work);
  } catch (error) {
    throw guardError(transition.source, transition.guard, work.event, error);
  }
}

/**
 * The plan for the first enabled eventless transition of each active leaf, each transition once. XState does not reword
 * errors of these guards.
 */
function eventlessPlan(work: Work, position: Position): Plan | undefined {
  const taken: Candidate[] = [];
  for (const chain of position.eventless) {
    const candidate = chain.find(({ guard }) => guard === undefined || guard(work));
    if (candidate !== undefined && !taken.some(({ transition }) => transition === candidate.transition))
      taken.push(candidate);
  }
  return taken.length === 0 ? undefined : planned(planOfAll(position, taken));
}

function planOfAll(position: Position, taken: readonly Candidate[]): Plan | null {
  const [first] = taken;
  return taken.length === 1
    ? position.plans.planOf(position, first!)
    : position.plans.plan(
        position,
        taken.map(({ transition }) => transition),
      );
}

function planned(plan: Plan | null): Plan {
  if (plan === null) throw UNPLANNED;
  return plan;
}

function isEmpty(record: object): boolean {
  for (const _ in record) return false;
  return true;
}
