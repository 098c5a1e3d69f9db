/**
 * The ways into the kernel that no step described: references in the hands of user code, running effects, custom
 * actions. Also what the engine and references ask back: who is who, and what can be seen of them.
 */
import { type EventObject } from 'xstate';
import { BosunError } from '../../errors.ts';
import { type AskInput } from '../model/ask.ts';
import { type Cell } from '../world/cell.ts';
import { type Effects } from '../world/effects/effects.ts';
import { type HostEngine, type StepEngineName } from '../model/step-engine.ts';
import { PlanEngine } from '../xstate/plan-engine.ts';
import { type ReferenceCoding } from '../model/ports.ts';
import { admitEvent } from '../turn/prepare.ts';
import { EffectRef, Ref, type RefHost } from '../model/ref.ts';
import { type Elsewhere } from '../world/shards/other-shards.ts';
import { type Residency } from './residency/residency.ts';
import { type Turns } from '../turn/turn.ts';
import { type World } from '../world/world.ts';
import { refOf } from '../xstate/births.ts';
import { XstateEngine } from '../xstate/xstate-engine.ts';
import { type EngineHost } from '../xstate/step.ts';

/** What a reference sees of an actor that has no snapshot yet. */
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
  /** References read from disk before the population exists, so that each life has one; null once it does. */
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

  /** The population exists. */
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

  /** The one reference to a living actor; to the dead there may be several. */
  ref(life: number, address: string): Ref {
    // Wakes nobody: reading one actor must not read all whom it knows.
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

  /** Within a step the send belongs to it; otherwise it is a message of its own. Throws BOSUN_VALUE_REFUSED. */
  relay(from: object | undefined, to: object, event: EventObject): void {
    if (this.#turns.isStepping) this.#turns.stray({ kind: 'send', to, event });
    else if (!this.#isOpen()) return;
    else if (from instanceof EffectRef) this.#relayEffect(from, to, event);
    else this.#post(to, admitEvent(event, { address: 'a reference' }, this.own), from instanceof Ref ? from.life : 0);
  }

  tellParent(from: EffectRef, event: EventObject): Promise<void> {
    return new Promise((resolve) => {
      const parent = this.#effects.current(from)?.parent;
      if (parent === undefined || !this.#isOpen()) return;
      const admitted = admitEvent(event, { address: from.address }, this.own);
      if (parent.isFull) throw new BosunError('BOSUN_MAILBOX_FULL', `${parent.address} has too many unread messages`);
      this.#world.post(parent, admitted, from.life);
      this.#effects.heard(from);
      this.#world.draft.output(resolve);
    });
  }

  ask(from: EffectRef, { to, event, ...options }: AskInput): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const asker = this.#effects.current(from);
      // What an older start asked is the business of the present one.
      if (asker === undefined || !this.#isOpen()) return;
      const target = this.#askable(to, asker.life);
      if (target === undefined && asker.asked === undefined) {
        const address = typeof to === 'string' ? to : (this.own(to)?.address ?? String(to));
        throw new BosunError('BOSUN_ACTOR_UNKNOWN', `nobody lives at ${address} to be asked`, { details: { address } });
      }
      const request = (replyTo: Ref) =>
        admitEvent({ ...event, replyTo } as EventObject, { address: from.address }, this.own);
      this.#world.asks.fromEffect(asker, target ?? asker, options, request).then(resolve, reject);
    });
  }

  /**
   * Inside a step, and for an effect about itself, as of now; otherwise as of the last durable epoch. A start of an
   * effect that is not over is in memory. XState asks for one that is over when its promise settles, whenever that is:
   * a throw because the store is away would end the process.
   */
  snapshotOf(life: number, attempt?: number): unknown {
    const { cells } = this.#world;
    const cell = attempt === undefined ? cells.get(life) : cells.resident(life);
    if (attempt !== undefined && (cell === undefined || cell.attempt !== attempt || cell.running === undefined)) {
      return { status: 'stopped' };
    }
    if (cell === undefined) return undefined;
    const seen = this.#turns.isStepping || attempt !== undefined ? cell : cell.durable;
    return seen?.snapshot ?? UNBEGUN;
  }

  factsOf(life: number): ReturnType<RefHost['factsOf']> {
    const cell = this.#world.cells.get(life);
    if (cell === undefined) return undefined;
    const { childId, systemId, agent } = cell;
    return { childId, parent: cell.parent?.ref, systemId: systemId ?? undefined, src: agent };
  }

  /**
   * An effect that sends what is not data fails by it: it may be in a callback of a timer, where a throw ends the
   * process.
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
      admitted = admitEvent(event, { address: from.address }, this.own);
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

  /** Who is asked, here or on another shard; undefined where there is nobody. */
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
