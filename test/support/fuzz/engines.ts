/**
 * Compares the plan engine with the XState engine, step by step and without a kernel. This is fast and sees more than
 * the kernel shows: the order of nodes and effects, remembered history, whether the snapshot is new, error messages.
 */
import { type AnyStateMachine, type AnyStateNode, type EventObject } from 'xstate';
import { Newborn } from '../../../src/actors/xstate/births.ts';
import { type Definition, type HostEngine, type Snapshot, type Step } from '../../../src/actors/model/step-engine.ts';
import { PlanEngine } from '../../../src/actors/xstate/plan-engine.ts';
import { Ref, type RefHost } from '../../../src/actors/model/ref.ts';
import { type ActorState } from '../../../src/actors/model/state.ts';
import { Definitions } from '../../../src/actors/xstate/definition.ts';
import { XstateEngine } from '../../../src/actors/xstate/xstate-engine.ts';
import { type MachineSnapshot } from '../../../src/actors/xstate/machine-state.ts';
import { type EngineHost } from '../../../src/actors/xstate/step.ts';
import { SeededRandom } from '../../../src/testing/seeded-random.ts';
import { build, FUEL_MAX } from './build.ts';
import { Census } from './census.ts';
import { randomCargo } from './differential.ts';
import { exactTextOf } from './exact-text.ts';
import { randomMachine } from './generator.ts';
import { EVENT_TYPES, type MachineSpec, toCode } from './machine-spec.ts';
import { laden } from './laden.ts';
import { isFailure, made } from './value-spec.ts';
import { recording } from './recording.ts';
import { Recorder } from './record.ts';

const EVENTS_PER_MACHINE = 30;
/** Share of steps at which the machine is stored and restored. */
const RESTORES = 0.05;
const SEEDS_PER_REPORT = 1_000;

export interface Comparison {
  readonly steps: number;
  /** Distinct machines. */
  readonly machines: number;
  /** The first difference in readable form. */
  readonly difference: string | undefined;
}

/**
 * Plays machines of seeds from `first` on until `steps` steps were compared, or something differs.
 *
 * @param progress Called with the progress from time to time.
 */
export async function compareEngines(
  first: number,
  steps: number,
  progress?: (line: string) => void,
): Promise<Comparison> {
  const census = new Census();
  let taken = 0;
  for (let seed = first; taken < steps; seed++) {
    const random = new SeededRandom(seed);
    const spec = laden(recording(randomMachine(random), seed), seed);
    for (const machine of [spec, ...Object.values(spec.kids)]) {
      census.count(machine);
      const story = new Story(machine, random, new SeededRandom(~seed));
      const difference = story.play();
      taken += story.events.length;
      if (difference === undefined) continue;
      const shown = [`seed ${seed}`, difference, toCode(machine), ...story.events.map(textOf)].join('\n');
      return { steps: taken, machines: census.size, difference: shown };
    }
    if (seed % SEEDS_PER_REPORT > 0) continue;
    progress?.(`${taken} steps, ${census.size} machines`);
    // The test runner takes a process that is silent for minutes for dead.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { steps: taken, machines: census.size, difference: undefined };
}

class Story {
  readonly events: EventObject[] = [];
  readonly #random: SeededRandom;
  /** Draws the values that events carry, if the machine is laden. */
  readonly #values: SeededRandom | undefined;
  readonly #plan: Side;
  readonly #xstate: Side;

  constructor(spec: MachineSpec, random: SeededRandom, values: SeededRandom) {
    this.#random = random;
    this.#values = spec.load && values;
    // Each side prepares a copy of its own, with nodes of its own.
    const machine = build(spec, 'm', new Recorder());
    this.#plan = new Side(PlanEngine, machine);
    this.#xstate = new Side(XstateEngine, machine);
  }

  play(): string | undefined {
    const both = (take: (side: Side) => unknown): string | undefined => {
      const [expected, actual] = [take(this.#xstate), take(this.#plan)];
      return isSame(expected, actual) ? undefined : `  XState: ${textOf(expected)}\n  plan:   ${textOf(actual)}`;
    };
    let difference = both((side) => side.begin());
    for (let i = 0; i < EVENTS_PER_MACHINE && difference === undefined && this.#xstate.isActive; i++) {
      const event = this.#event();
      this.events.push(event);
      difference = both((side) => side.take(event));
      if (this.#random.next() < RESTORES) difference ??= both((side) => side.restore());
    }
    return difference;
  }

  /** An event from a host, or one that the runtime would send to a machine in this state. */
  #event(): EventObject {
    const random = this.#random;
    const { _nodes: nodes, children } = this.#xstate.snapshot;
    const own = nodes.flatMap((node) => [...node.transitions.keys()]).filter((type) => !type.includes('*'));
    const ofChildren = Object.keys(children).flatMap((id) =>
      ['done', 'error'].map((end) => `xstate.${end}.actor.${id}`),
    );
    const type = random.next() < 0.5 ? random.pick(EVENT_TYPES) : random.pick([...own, ...ofChildren, 'x.y.w']);
    const { cargo } = this.#values ? randomCargo(this.#values) : {};
    // Both sides are given the same object.
    return Object.freeze({
      type,
      v: random.integer(9),
      ext: true,
      ...(cargo && { cargo: made(cargo) }),
      ...(type.startsWith('xstate.error') && { error: 'it broke' }),
    }) as EventObject;
  }
}

/** One engine with one machine. */
class Side {
  readonly #engine: HostEngine;
  readonly #definition: Definition;
  readonly #self: Ref;
  snapshot!: MachineSnapshot;

  constructor(Engine: new (host: EngineHost) => HostEngine, machine: AnyStateMachine) {
    let life = 2;
    const refs = new Map<number, Ref>();
    const refHost = {
      factsOf: (life: number) => (life === 2 ? { childId: 'm', parent: refs.get(1) } : undefined),
    } as unknown as RefHost;
    const ref = (life: number, address: string) =>
      refs.get(life) ?? refs.set(life, new Ref(refHost, life, address)).get(life)!;
    const nothing = () => {};
    this.#engine = new Engine({
      nextLife: () => ++life,
      ref,
      named: () => undefined,
      allNamed: () => ({}),
      namesUnder: () => [],
      relay: nothing,
      log: nothing,
    });
    Object.assign(refHost, { system: this.#engine.system });
    ref(1, 'parent');
    this.#self = ref(2, 'm');
    this.#definition = new Definitions().prepare('m', machine, 1);
  }

  get isActive(): boolean {
    return this.snapshot?.status === 'active';
  }

  begin(): unknown {
    return this.#step(undefined, () => this.#engine.initial(this.#definition, this.#self, { me: 'm', fuel: FUEL_MAX }));
  }

  take(event: EventObject): unknown {
    return this.#step(this.snapshot, () => this.#engine.transition(this.#definition, this.#self, this.snapshot, event));
  }

  restore(): unknown {
    const { status, configuration, history, context } = this.#engine.changeOf(
      this.#definition,
      undefined,
      this.snapshot,
    );
    const state = {
      status,
      configuration,
      history: history ?? null,
      context: context?.value,
      output: this.snapshot.output,
      error: this.snapshot.error,
    };
    this.snapshot = this.#engine.restore(
      this.#definition,
      this.#self,
      state as unknown as ActorState,
      this.snapshot.children as Record<string, Ref>,
    ) as MachineSnapshot;
    return { snapshot: shown(this.snapshot) };
  }

  #step(before: Snapshot | undefined, take: () => Step): unknown {
    try {
      const { snapshot, effects, births, dropped } = take();
      this.snapshot = snapshot as MachineSnapshot;
      // XState reports an equal, newly made history as changed; the snapshot shows its content.
      const { history: _, ...change } = this.#engine.changeOf(this.#definition, before, snapshot);
      const isNew = snapshot !== before;
      return {
        snapshot: shown(this.snapshot),
        isNew,
        change,
        effects,
        births: births.map(({ definition, life: _life, ...rest }) => ({ ...rest, definition: definition.name })),
        dropped,
      };
    } catch (error) {
      return `throws ${String(error)}`;
    }
  }
}

function shown({
  status,
  value,
  context,
  tags,
  output,
  error,
  children,
  _nodes,
  historyValue,
}: MachineSnapshot): object {
  const ids = (nodes: readonly AnyStateNode[]) => nodes.map(({ id }) => id);
  const history = Object.fromEntries(Object.entries(historyValue).map(([id, nodes]) => [id, ids(nodes)]));
  return { status, value, context, tags: [...tags], output, error, children, nodes: ids(_nodes), history };
}

/** Whether two values have equal texts, without making the texts. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const [first, second] = [bare(a), bare(b)];
  if (typeof first !== 'object' || typeof second !== 'object' || first === null || second === null)
    return Object.is(first, second);
  if (Array.isArray(first) !== Array.isArray(second)) return false;
  const [keys, others] = [Object.keys(first), Object.keys(second)];
  if (keys.length !== others.length) return false;
  return keys.every((key, index) => key === others[index] && isSame(first[key as never], second[key as never]));
}

function textOf(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key) {
    // The value itself, before JSON takes its `toJSON`.
    return bare(this[key]);
  });
}

/** Whether an object is data of a class, which only its exact text shows. */
function isOfClass(item: object): boolean {
  const isData = CLASSES.has(Object.getPrototypeOf(item) as object);
  return isData || isFailure(item);
}

const CLASSES: ReadonlySet<object> = new Set([Date, Uint8Array, Map, Set].map(({ prototype }) => prototype as object));

/** The comparable part of a value that is not data. */
function bare(item: unknown): unknown {
  if (typeof item === 'function') return `function ${item.name}`;
  if (typeof item === 'bigint') return exactTextOf(item);
  if (typeof item !== 'object' || item === null) return item;
  if (isOfClass(item)) return exactTextOf(item);
  if ('toJSON' in item && typeof item.toJSON === 'function') return bare((item.toJSON as () => unknown)());
  // A repeated step assigns life numbers twice, so they are not compared.
  if ('life' in item && 'address' in item) return `reference to ${String(item.address)}`;
  if ('xstate$$type' in item || item instanceof Newborn) return `child ${(item as { id: string }).id} in the making`;
  if (item instanceof Error) return `error ${item.name}: ${item.message}`;
  return '_bookId' in item ? 'the system' : item;
}
