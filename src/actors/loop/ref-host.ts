/**
 * Entry points into the kernel outside of a step: references held by user code, running effects, custom actions. Also
 * the queries of the engine and of references: identities and snapshots of actors.
 */
import { type EventObject } from 'xstate';
import { BosunError, messageOf } from '../../errors.ts';
import { handed } from '../../lending.ts';
import { type AskInput } from '../model/ask.ts';
import { type Cell } from '../world/cell.ts';
import { type Effects } from '../world/effects/effects.ts';
import { type HostEngine, type StepEngineName } from '../model/step-engine.ts';
import { PlanEngine } from '../xstate/plan-engine.ts';
import { type ReferenceCoding } from '../model/ports.ts';
import { admitSent } from '../turn/prepare.ts';
import { EffectRef, Ref, type RefHost } from '../model/ref.ts';
import { lentSnapshot, shownSnapshot } from '../model/shown-snapshot.ts';
import { type Elsewhere } from '../world/shards/other-shards.ts';
import { type Residency } from './residency/residency.ts';
import { type Turns } from '../turn/turn.ts';
import { type World } from '../world/world.ts';
import { refOf } from '../xstate/births.ts';
import { XstateEngine } from '../xstate/xstate-engine.ts';
import { type EngineHost } from '../xstate/step.ts';

/** The snapshot of an actor that has not begun. */
const UNBEGUN = Object.freeze({
  status: 'active',
  output: undefined,
  error: undefined,
  context: undefined,
  children: {},
});

export class KernelRefHost implements RefHost, EngineHost {
  readonly engine: HostEngine;
  readonly log: (...args: unknown[]) => void;
  readonly #isOpen: () => boolean;
  #world!: World;
  #turns!: Turns;
  #effects!: Effects;
  #residency: Residency | undefined;
  /** References read from disk before the population exists, so that there is one per life; null afterwards. */
  #read: Map<number, Ref> | null = new Map();

  constructor(log: (...args: unknown[]) => void, stepEngine: StepEngineName | undefined, isOpen: () => boolean) {
    this.log = log;
    this.#isOpen = isOpen;
    this.engine = stepEngine === 'xstate' ? new XstateEngine(this) : new PlanEngine(this);
  }

  connect(parts: { world: World; effects: Effects; turns: Turns; residency: Residency | undefined }): void {
    this.#world = parts.world;
    this.#effects = parts.effects;
    this.#turns = parts.turns;
    this.#residency = parts.residency;
  }

  /** Ends recovery: the population exists. */
  recovered(): void {
    for (const [life, ref] of this.#read ?? [])
      if (this.#world.cells.resident(life) === undefined) this.#residency?.keepRef(ref);
    this.#read = null;
  }

  get effects(): Effects {
    return this.#effects;
  }

  get system(): object {
    return this.engine.system;
  }

  nowMs(): number {
    return Math.floor(this.#world.time.nowMs());
  }

  get coding(): ReferenceCoding {
    return {
      Class: Ref,
      encode: (ref) => ({ life: (ref as Ref).life, address: (ref as Ref).address }),
      decode: ({ life, address }) => this.ref(life, address),
    };
  }

  /** The one reference to a living actor; there may be several to an ended one. */
  ref(life: number, address: string): Ref {
    // Wakes no actor: reading one actor must not read all those it refers to.
    const known = this.#world?.cells.resident(life)?.ref ?? this.#read?.get(life) ?? this.#residency?.refTo(life);
    if (known !== undefined) return known;
    const ref = new Ref(this, life, address);
    this.#read?.set(life, ref);
    this.#residency?.keepRef(ref);
    return ref;
  }

  readonly own = (object: object): Ref | undefined => {
    const ref = refOf(object);
    return ref?.isOf(this) === true ? ref.ref : undefined;
  };

  nextLife(): number {
    return this.#world.next('life');
  }

  named(systemId: string): Ref | undefined {
    return (
      (this.#world.names.get(systemId) ?? this.#world.groups.holder(systemId))?.ref ??
      this.#world.shards?.holder(systemId)
    );
  }

  allNamed(): Record<string, Ref> {
    const { shards } = this.#world;
    const elsewhere =
      shards === undefined ? [] : [...shards.names()].map((name) => [name, shards.holder(name)!] as const);
    return Object.fromEntries([
      ...elsewhere,
      ...[...this.#world.systemIds()].map(([name, cell]) => [name, cell.ref] as const),
    ]);
  }

  namesUnder(child: Ref): readonly string[] {
    return namesUnder(this.#world.cells.get(child.life));
  }

  /**
   * Sends an event. Within a step the send belongs to the step; otherwise it is a message of its own. Throws
   * BOSUN_VALUE_REFUSED.
   */
  relay(from: object | undefined, to: object, event: EventObject): void {
    if (this.#turns.stepper.isStepping) this.#turns.stepper.stray({ kind: 'send', to, event });
    else if (!this.#isOpen()) return;
    else if (from instanceof EffectRef) this.#relayEffect(from, to, event);
    else this.#post(to, admitSent(event, { address: 'a reference' }, this.own), from instanceof Ref ? from.life : 0);
  }

  tellParent(from: EffectRef, event: EventObject): Promise<void> {
    return new Promise((resolve) => {
      const parent = this.#effects.current(from)?.parent;
      if (parent === undefined || !this.#isOpen()) return;
      const admitted = admitSent(event, { address: from.address }, this.own);
      if (parent.isFull) throw new BosunError('BOSUN_MAILBOX_FULL', `${parent.address} has too many unread messages`);
      this.#world.post(parent, admitted, from.life);
      this.#effects.heard(from);
      this.#world.draft.output(resolve);
    });
  }

  ask(from: EffectRef, { to, event, ...options }: AskInput, often: 'once' | 'everyCall'): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const asker = this.#effects.current(from);
      // An ask of an older start is continued by the current one.
      if (asker === undefined || !this.#isOpen()) return;
      const target = this.#askable(to, asker.life);
      if (target === undefined && (often === 'everyCall' || asker.asked === undefined)) {
        const address = typeof to === 'string' ? to : (this.own(to)?.address ?? messageOf(to));
        throw new BosunError('BOSUN_ACTOR_UNKNOWN', `no actor at ${address} to ask`, { details: { address } });
      }
      const request = (replyTo: Ref) =>
        admitSent({ ...event, replyTo } as EventObject, { address: from.address }, this.own);
      this.#world.asks
        .fromEffect(asker, target ?? asker, { ...options, often }, request)
        .then((reply) => resolve(handed(reply)), reject);
      this.#effects.heard(from);
    });
  }

  /**
   * The snapshot of a life: inside a step, and for an effect about itself, as of now; otherwise as of the last durable
   * epoch. A running start of an effect is in memory. XState asks for an ended one when its promise settles, at any
   * time: a throw during an outage of the store would end the process.
   */
  snapshotOf(life: number, attempt?: number): unknown {
    const { cells } = this.#world;
    const cell = attempt === undefined ? cells.get(life) : cells.resident(life);
    if (attempt !== undefined && (cell === undefined || cell.attempt !== attempt || cell.running === undefined)) {
      return { status: 'stopped' };
    }
    if (cell === undefined) return undefined;
    const seen = this.#turns.stepper.isStepping || attempt !== undefined ? cell : cell.durable;
    if (seen?.snapshot === undefined) return UNBEGUN;
    // Custom logic has its snapshot in its own hands: reading it may run code of the user.
    if (cell.definition.kind === 'custom') return seen.snapshot;
    const snapshot = this.engine.closed(cell.definition, seen.snapshot);
    return this.#turns.stepper.isStepping ? lentSnapshot(snapshot) : shownSnapshot(snapshot);
  }

  factsOf(life: number): ReturnType<RefHost['factsOf']> {
    const cell = this.#world.cells.get(life);
    if (cell === undefined) return undefined;
    const { childId, systemId, agent } = cell;
    return { childId, parent: cell.parent?.ref, systemId: systemId ?? undefined, src: agent };
  }

  /**
   * Sends an event of an effect. An effect that sends a value that is not data fails: the send may be in a callback of
   * a timer, where a throw ends the process.
   */
  #relayEffect(from: EffectRef, to: object, event: EventObject): void {
    const source = this.#effects.current(from);
    if (source === undefined) return;
    if (from === to) {
      this.#effects.complete(source, from, event);
      return;
    }
    let admitted: EventObject;
    try {
      admitted = admitSent(event, { address: from.address }, this.own);
    } catch (error) {
      this.#effects.fail(source, from, error);
      return;
    }
    this.#effects.heard(from);
    this.#post(to, admitted, from.life);
  }

  #post(to: object, event: EventObject, from: number): void {
    if (this.#residency?.isBlind === true) {
      this.#residency.postpone(() => this.#post(to, event, from));
      return;
    }
    const target = this.#world.cells.get(this.own(to)?.life ?? 0);
    if (target !== undefined) this.#world.post(target, event, from);
    else if (this.#world.shards !== undefined) this.#world.postAway(to, event, from);
  }

  /** The receiver of an ask, here or on another shard; undefined if there is none. */
  #askable(to: object | string, asker: number): Cell | Elsewhere | undefined {
    if (typeof to === 'string') return this.#world.addresses.get(to) ?? this.#world.shards?.askable(to, asker);
    const ref = this.own(to);
    return ref && (this.#world.cells.get(ref.life) ?? this.#world.shards?.askable(ref, asker));
  }
}

function namesUnder(cell: Cell | undefined): string[] {
  if (cell === undefined) return [];
  const below = [...cell.children.values()].flatMap(namesUnder);
  return cell.systemId === null ? below : [cell.systemId, ...below];
}
