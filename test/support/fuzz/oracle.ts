/**
 * One random machine under createActor: the reference for the kernel. Besides playing it, the oracle watches for the
 * few intended differences of Bosun (docs/semantics.md, Differences to createActor). At such a departure the comparison
 * of this machine ends, because from there on the two may differ:
 *
 * `order`: two messages whose order is free came to one actor (causality.ts).
 *
 * `accident`: a custom action threw amid others, or effects had left before a guard or assign threw: the kernel runs
 * actions after the turn, and a turn that throws leaves nothing behind.
 *
 * `orphan`: an id was used again, and createActor lets the first child run on unseen.
 *
 * `rearmed`: the id of a delayed event was used again.
 *
 * `stillborn`: a machine stopped a child in its initial step, which createActor starts before it stops it.
 *
 * `stale`: a machine was told of the end or a snapshot of a child that it no longer has.
 *
 * `posthumous`: a machine told a child something that it had stopped in the same step. The kernel still delivers it.
 *
 * `records`: a step recorded more values than a turn of the kernel may, which createActor does not bound.
 */
import {
  type AnyActor,
  type AnyActorRef,
  type AnyStateMachine,
  createActor,
  type EventObject,
  type InspectionEvent,
} from 'xstate';
import { RECORDS_PER_TURN_MAX } from '../../../src/limits.ts';
import { FUEL_MAX } from './build.ts';
import { FROM_OUTSIDE, Party, type Sent } from './causality.ts';
import { pathOf } from './exact-text.ts';
import { type Carrier, emittedLine, type Holder, receivedLine } from './holding.ts';
import { type Coverage, type Recorder } from './record.ts';
import { StepClock } from './step-clock.ts';
import { kindOf } from './value-work.ts';
import { type View, viewOf } from './view.ts';

export type Departure = 'order' | 'accident' | 'orphan' | 'rearmed' | 'stale' | 'stillborn' | 'posthumous' | 'records';

/** Internals of XState that it does not publish. */
interface Inside {
  readonly _parent: AnyActor | undefined;
  readonly _processingStatus: 0 | 1 | 2;
  readonly system: {
    _relay: (source: AnyActor | undefined, target: AnyActor, event: EventObject) => void;
    readonly _snapshot: { readonly _scheduledEvents: Readonly<Record<string, unknown>> };
    readonly scheduler: {
      schedule: (source: AnyActor, target: AnyActor, event: EventObject, delay: number, id?: string) => void;
    };
  };
  readonly mailbox: { _process: (event: EventObject) => void };
  readonly _syncSnapshot?: boolean;
  readonly _stop: () => void;
}

interface Member extends Party {
  readonly actor: AnyActor;
  readonly path: string;
  /** Events that left the actor in its present turn. */
  leaks: number;
  /** Whether a custom action failed the actor. The kernel runs it after the turn, so the actor reads on until then. */
  isLate: boolean;
  /** Whether its parent has stopped it in this step. */
  isStopped: boolean;
  /** Whether its initial step is complete. */
  hasBegun: boolean;
}

const RUNNING = 1;

/** Bound on turns per step: generated machines stay far below it, and one that did not would fill the memory. */
const TURNS_PER_STEP_MAX = 2_000;

export class Oracle {
  readonly actor: AnyActor;
  readonly #recorder: Recorder;
  readonly #coverage: Coverage;
  readonly #clock = new StepClock((isOwn) => {
    // Due timers are in the mailbox already: only a timer's own turn can keep another timer from being read.
    if (!isOwn || this.#turnsSinceTimer !== 1) this.#depart('order');
  });
  readonly #members = new Map<AnyActor, Member>();
  readonly #byPath = new Map<string, Member>();
  #reborn = new Set<string>();
  #isFiring = false;
  #turns = 0;
  #turnsSinceTimer = 0;
  /** Why the comparison ends with this step. */
  departure: Departure | undefined;

  constructor(machine: AnyStateMachine, name: string, recorder: Recorder, coverage: Coverage) {
    this.#recorder = recorder;
    this.#coverage = coverage;
    recorder.onNote = (me) => {
      const member = this.#byPath.get(me);
      if (member !== undefined) member.leaks += 1;
    };
    const logger = (...line: unknown[]) => {
      const { me, line: text } = line.at(-1) as { me: string; line: string };
      recorder.note(me, 'log', line.length > 1 ? `${String(line[0])} ${text}` : text);
    };
    const inspect = (event: InspectionEvent) => this.#inspect(event);
    this.actor = createActor(machine, {
      id: name,
      input: { me: name, fuel: FUEL_MAX } as never,
      clock: this.#clock as never,
      logger,
      inspect,
    });
    this.actor.subscribe({ error: () => {} });
    this.actor.start();
    this.#endStep();
  }

  get isOver(): boolean {
    return this.actor.getSnapshot().status !== 'active';
  }

  /** Whether a custom action failed any actor. A power cut may take that failure with the action. */
  get hasFailedLate(): boolean {
    return [...this.#members.values()].some(({ isLate }) => isLate);
  }

  /** Paths at which another life has started since the last call. */
  takeReborn(): ReadonlySet<string> {
    const reborn = this.#reborn;
    this.#reborn = new Set();
    return reborn;
  }

  send(event: EventObject): void {
    this.actor.send(event);
    this.#endStep();
  }

  advance(ms: number): void {
    const fire = (run: () => void) => {
      this.#coverage.count('timers fired');
      this.#isFiring = true;
      this.#turnsSinceTimer = 0;
      run();
      this.#isFiring = false;
    };
    this.#clock.advance(ms, fire, () => this.#endStep());
  }

  /** The root and all descendants whose parents live, by path. */
  views(): Map<string, View> {
    const views = new Map<string, View>();
    const visit = (actor: AnyActorRef, path: string): void => {
      const snapshot = actor.getSnapshot();
      views.set(path, viewOf(snapshot));
      if (snapshot.status !== 'active') return;
      const { children = {} } = snapshot as { children?: Record<string, AnyActorRef | undefined> };
      for (const [id, child] of Object.entries(children)) if (child !== undefined) visit(child, `${path}/${id}`);
    };
    visit(this.actor, this.actor.id);
    return views;
  }

  /** Frees what the global scheduler of XState would otherwise keep. */
  dispose(): void {
    this.actor.stop();
  }

  #inspect(event: InspectionEvent): void {
    if (event.type === '@xstate.actor') this.#join(event.actorRef as AnyActor);
    else if (event.type === '@xstate.microstep') this.#countMicrostep(event);
  }

  #join(actor: AnyActor): void {
    const inside = actor as unknown as Inside;
    const parent = inside._parent && this.#members.get(inside._parent);
    if (parent === undefined) {
      this.#watchRelays(inside);
      this.#watchTimers(inside);
    } else {
      parent.leaks += 1;
      this.#coverage.count('children born');
    }
    const path = pathOf(inside as never);
    const member = Object.assign(new Party(this.#members.size + 1, parent), {
      actor,
      path,
      leaks: 0,
      isLate: false,
      isStopped: false,
      hasBegun: false,
    }) as Member;
    this.#members.set(actor, member);
    if (this.#byPath.has(path)) this.#reborn.add(path);
    this.#byPath.set(path, member);
    actor.on('*' as never, (emitted: { at: string; n: number }) =>
      this.#recorder.note(path, 'emitted', emittedLine(emitted)),
    );
    const process = inside.mailbox._process;
    inside.mailbox._process = (event) => this.#turn(member, event, process);
  }

  #watchRelays({ system }: Inside): void {
    const relay = system._relay;
    system._relay = (source, target, event) => {
      const sender = source && this.#members.get(source);
      if (sender !== undefined && !this.#isFiring) sender.leaks += 1;
      const sent = sender === undefined ? FROM_OUTSIDE : this.#isFiring ? sender.sendByTimer() : sender.send();
      this.#isFiring = false;
      if (this.#members.get(target)?.isStopped && isChildOf(target, source)) this.#depart('posthumous');
      if (isBetweenPeers(source, target)) this.#coverage.count('messages between peers');
      this.#members.get(target)?.unread.push(sent);
      relay(source, target, event);
    };
  }

  #watchTimers({ system }: Inside): void {
    const { schedule } = system.scheduler;
    system.scheduler.schedule = (source, target, event, delay, id) => {
      if (`${source.sessionId}.${id}` in system._snapshot._scheduledEvents) this.#depart('rearmed');
      this.#clock.owner = source;
      schedule(source, target, event, delay, id);
    };
  }

  #turn(member: Member, event: EventObject, process: (event: EventObject) => void): void {
    this.#turnsSinceTimer += 1;
    if (++this.#turns > TURNS_PER_STEP_MAX) throw new Error(`${member.path} runs away`);
    const isStop = event.type === 'xstate.stop';
    const above = (member.actor as unknown as Inside)._parent;
    const parent = above && this.#members.get(above);
    const sent = isStop ? parent?.send() : member.unread.shift();
    if (isStop && parent?.hasBegun === false) this.#depart('stillborn');
    member.hasBegun = true;
    if (member.receive(sent ?? FROM_OUTSIDE)) this.#depart('order');
    member.isStopped ||= isStop;
    if (isStop) this.#coverage.count('children stopped');
    else this.#recorder.note(member.path, 'received', receivedLine(event));
    if (isSignal(event) && this.#isStale(member.actor, sent)) this.#depart('stale');
    const before = member.actor.getSnapshot() as { status: string };
    member.leaks = 0;
    process(event);
    const after = member.actor.getSnapshot() as { status: string; context?: unknown };
    this.#countValues(event, after.context);
    if (!isStop && after !== before) this.#coverage.count('turns that changed something');
    if (before.status === 'active' && after.status === 'error') this.#judge(member);
    if (before.status === 'active' && after.status === 'done')
      this.#coverage.count(parent === undefined ? 'roots done' : 'children done');
  }

  /** Counts the kinds of the values that laden machines are given and hold. */
  #countValues({ cargo }: Carrier, context: unknown): void {
    if (cargo !== undefined) this.#coverage.count(`received: ${kindOf(cargo)}`);
    if (typeof context === 'object' && context !== null && 'held' in context)
      this.#coverage.count(`held: ${kindOf((context as Holder).held)}`);
  }

  #isStale(parent: AnyActor, sent: Sent | undefined): boolean {
    const child = [...this.#members.values()].find(({ index }) => index === sent?.by)?.actor;
    const { children } = parent.getSnapshot() as { children?: Record<string, unknown> };
    return child !== undefined && (child as unknown as Inside)._parent === parent && children?.[child.id] !== child;
  }

  /** Judges whether an accident leaves the same state on both sides. */
  #judge(member: Member): void {
    const isRoot = member.actor === this.actor;
    const accident = this.#recorder.accidentOf(member.path) ?? 'pure';
    this.#coverage.count(`${isRoot ? 'roots' : 'children'} failed: ${accident}`);
    const { _syncSnapshot: isShown } = member.actor as unknown as Inside;
    // The error reaches the parent in the same turn. If the turn stands, so does the snapshot reach its subscriber.
    const isClean =
      (accident === 'boom' && isShown !== true) || (accident === 'pure' && member.leaks <= (isRoot ? 0 : 1));
    if (!isClean) this.#depart('accident');
    member.isLate = accident !== 'pure';
    // createActor lets the children of a failed actor run on unseen; the kernel ends them.
    for (const below of [...this.#members.values()].filter(({ path }) => path.startsWith(`${member.path}/`))) {
      // How much of the children's pending work is still done is free.
      if (!below.hasBegun || below.last !== undefined) this.#depart('accident');
      (below.actor as unknown as Inside)._stop();
    }
  }

  #endStep(): void {
    this.#turns = 0;
    if (this.#recorder.recorded > RECORDS_PER_TURN_MAX) this.#depart('records');
    for (const member of this.#members.values()) {
      member.hasBegun = true;
      member.isStopped = false;
      if (member.isLate && member.unread.length > 0) this.#depart('accident');
      if (member.endStep()) this.#depart('order');
      if (isOrphan(member.actor)) this.#depart('orphan');
    }
  }

  #depart(why: Departure): void {
    this.departure ??= why;
  }

  #countMicrostep(event: Extract<InspectionEvent, { type: '@xstate.microstep' }>): void {
    this.#coverage.count('transitions taken', event._transitions.length);
    for (const { eventType, reenter, target, guard } of event._transitions) {
      if (eventType === '') this.#coverage.count('transitions: always');
      else if (eventType === '*') this.#coverage.count('transitions: *');
      else if (eventType.endsWith('.*')) this.#coverage.count('transitions: partial wildcard');
      else if (eventType.startsWith('xstate.'))
        this.#coverage.count(
          `transitions: ${eventType
            .split('.')
            .slice(0, 3)
            .join('.')
            .replace(/\.[^.]*\d.*$/, '')}`,
        );
      if (reenter) this.#coverage.count('transitions: reenter');
      if (guard !== undefined) this.#coverage.count('transitions: guarded');
      if ((target?.length ?? 0) > 1) this.#coverage.count('transitions: several targets');
      for (const { type, id } of target ?? []) if (type === 'history') this.#countHistory(event, id);
    }
  }

  #countHistory({ snapshot }: Extract<InspectionEvent, { type: '@xstate.microstep' }>, id: string): void {
    const past = (snapshot as unknown as { historyValue: Record<string, unknown> }).historyValue[id];
    this.#coverage.count(past === undefined ? 'history: default' : 'history: restored');
  }
}

/** Whether two actors are neither parent and child nor one and the same. */
function isBetweenPeers(source: AnyActor | undefined, target: AnyActor): boolean {
  return source !== undefined && source !== target && !isChildOf(source, target) && !isChildOf(target, source);
}

function isChildOf(actor: AnyActor, parent: AnyActor | undefined): boolean {
  return parent !== undefined && (actor as unknown as Inside)._parent === parent;
}

function isSignal({ type }: EventObject): boolean {
  return (
    type.startsWith('xstate.done.actor.') ||
    type.startsWith('xstate.error.actor.') ||
    type.startsWith('xstate.snapshot.')
  );
}

/** Whether an actor still runs though its living parent no longer has it. */
function isOrphan(actor: AnyActor): boolean {
  const { _parent: parent, _processingStatus: status } = actor as unknown as Inside;
  if (parent === undefined || status !== RUNNING) return false;
  if ((parent as unknown as Inside)._processingStatus !== RUNNING) return false;
  return (parent.getSnapshot() as { children: Record<string, unknown> }).children[actor.id] !== actor;
}
