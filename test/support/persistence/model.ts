/** A miniature kernel for tests of the journal: makes random but consistent epochs, and knows the resulting facts. */
import {
  type ActorImage,
  type ActorState,
  type Codec,
  type Configuration,
  type Counters,
  type Deltas,
  type Epoch,
  type Identity,
  type Keyspace,
  KEYSPACE,
  keyspaceOf,
  KEYSPACES,
  keyWithin,
  type NewConfiguration,
  type Recovered,
  type ReferenceCoding,
  type RowKey,
  type Store,
} from '../../../src/actors/model/ports.ts';
import { applyChange, Change, type StateChange, UNBORN } from '../../../src/actors/model/state.ts';
import { createJournal, type JournalOptions } from '../../../src/persistence/journal/journal.ts';
import { hex, numberedKey } from '../../../src/persistence/format/keys.ts';

export class Reference {
  readonly life: number;
  readonly address: string;
  constructor(life: number, address: string) {
    this.life = life;
    this.address = address;
  }
}

export const references: ReferenceCoding = {
  Class: Reference,
  encode: (reference) => reference as Reference,
  decode: ({ life, address }) => new Reference(life, address),
};

/** One step of an epoch. `pick` chooses among the existing rows. */
export type Step =
  | { readonly kind: 'birth'; readonly initial: StateChange | null }
  | { readonly kind: 'change'; readonly pick: number; readonly change: StateChange }
  | { readonly kind: 'death'; readonly pick: number }
  | { readonly kind: 'arrival'; readonly keyspace: Keyspace; readonly row: unknown; readonly times?: number }
  | { readonly kind: 'rewrite'; readonly pick: number; readonly row: unknown }
  | { readonly kind: 'removal'; readonly pick: number; readonly net: boolean; readonly times?: number }
  | { readonly kind: 'named row'; readonly name: string; readonly row: unknown }
  | { readonly kind: 'configuration'; readonly definition: string; readonly nodes: readonly string[] };

/** All facts as of one epoch. */
export interface Facts {
  readonly epoch: number;
  readonly kernelTimeMs: number;
  readonly counters: Counters;
  readonly states: ReadonlyMap<number, ActorState>;
  readonly rows: ReadonlyMap<RowKey, unknown>;
  readonly configurations: ReadonlyMap<string, readonly Configuration[]>;
}

export const NOTHING: Facts = {
  epoch: 0,
  kernelTimeMs: 0,
  counters: { life: 1, message: 1, timer: 1, quarantine: 1 },
  states: new Map(),
  rows: new Map(),
  configurations: new Map(),
};

/** Keyspaces of arrivals, with the counter that numbers each. */
const COUNTERS = new Map<Keyspace, keyof Counters>([
  [KEYSPACE.mailboxes, 'message'],
  [KEYSPACE.timers, 'timer'],
  [KEYSPACE.deadLetters, 'quarantine'],
]);

/** @returns The epoch that the steps make, and the facts after it. Facts are never changed in place. */
export function nextEpoch(before: Facts, steps: readonly Step[], codec: Codec): { epoch: Epoch; after: Facts } {
  const draft = new Draft(before, codec);
  for (const step of steps) draft.take(step);
  return draft.finish();
}

/**
 * Opens a journal over the store, commits one epoch per list of steps, starting from the given facts, and closes it.
 * @returns The facts after the last epoch.
 */
export async function written(
  store: Store,
  epochs: readonly (readonly Step[])[],
  { facts = NOTHING, ...options }: JournalOptions & { readonly facts?: Facts } = {},
): Promise<Facts> {
  const journal = createJournal(store, options);
  await journal.open(references);
  for (const steps of epochs) {
    const { epoch, after } = nextEpoch(facts, steps, journal.codec);
    await journal.commit(epoch);
    facts = after;
  }
  await journal.close();
  return facts;
}

class Draft {
  readonly #before: Facts;
  readonly #counters: { -readonly [K in keyof Counters]: number };
  readonly #states: Map<number, ActorState>;
  readonly #rows: Map<RowKey, unknown>;
  readonly #configurations: Map<string, readonly Configuration[]>;
  readonly #deltas: Deltas;
  readonly #netRows = new Map<RowKey, unknown>();
  readonly #netStates = new Map<number, ActorState | null>();
  readonly #newConfigurations: NewConfiguration[] = [];

  constructor(before: Facts, codec: Codec) {
    this.#before = before;
    this.#deltas = codec.deltas();
    this.#counters = { ...before.counters };
    this.#states = new Map(before.states);
    this.#rows = new Map(before.rows);
    this.#configurations = new Map(before.configurations);
  }

  take(step: Step): void {
    if (step.kind === 'birth') this.#bear(step.initial);
    else if (step.kind === 'change') this.#change(choose([...this.#states.keys()], step.pick), step.change);
    else if (step.kind === 'death') this.#bury(choose([...this.#states.keys()], step.pick));
    else if (step.kind === 'arrival') {
      for (let n = 0; n < (step.times ?? 1); n++)
        this.#put(numberedKey(step.keyspace, this.#counters[COUNTERS.get(step.keyspace)!]++), step.row);
    } else if (step.kind === 'rewrite') {
      const key = choose(this.#numberedRows(), step.pick);
      if (key !== undefined) this.#put(key, step.row);
    } else if (step.kind === 'removal') {
      for (let n = 0; n < (step.times ?? 1); n++) this.#remove(choose(this.#numberedRows(), step.pick), step.net);
    } else if (step.kind === 'named row') this.#put(`${KEYSPACE.sessions}!${step.name}`, step.row);
    else this.#configure(step.definition, step.nodes);
  }

  finish(): { epoch: Epoch; after: Facts } {
    const number = this.#before.epoch + 1;
    const kernelTimeMs = this.#before.kernelTimeMs + 1.5;
    const counters = { ...this.#counters };
    const epoch: Epoch = {
      number,
      kernelTimeMs,
      counters,
      deltas: this.#deltas.take(),
      rows: this.#netRows,
      concealed: new Map(),
      images: imagesOf(this.#netStates),
      configurations: this.#newConfigurations,
    };
    const { states, rows, configurations } = {
      states: this.#states,
      rows: this.#rows,
      configurations: this.#configurations,
    };
    return { epoch, after: { epoch: number, kernelTimeMs, counters, states: new Map(states), rows, configurations } };
  }

  #bear(initial: StateChange | null): void {
    const life = this.#counters.life++;
    this.#put(numberedKey(KEYSPACE.identities, life), identityAt(life));
    this.#put(`${KEYSPACE.addresses}!crew/${life}`, life);
    this.#states.set(life, UNBORN);
    this.#netStates.set(life, UNBORN);
    if (initial !== null) this.#change(life, initial);
  }

  #change(life: number | undefined, change: StateChange): void {
    if (life === undefined) return;
    const before = this.#states.get(life) ?? UNBORN;
    const state = applyChange(before, Change.of(change), this.#deltas.add(life, before, change));
    this.#states.set(life, state);
    this.#netStates.set(life, state);
  }

  #bury(life: number | undefined): void {
    if (life === undefined) return;
    this.#states.delete(life);
    this.#netStates.set(life, null);
    this.#remove(numberedKey(KEYSPACE.identities, life), false);
    this.#remove(`${KEYSPACE.addresses}!crew/${life}`, false);
  }

  #numberedRows(): RowKey[] {
    return [...this.#rows.keys()].filter((key) => COUNTERS.has(keyspaceOf(key)));
  }

  #put(key: RowKey, row: unknown): void {
    this.#rows.set(key, row);
    this.#netRows.set(key, row);
  }

  /** @param net Leaves no trace of rows that were added in the same epoch, as the kernel does with messages. */
  #remove(key: RowKey | undefined, net: boolean): void {
    if (key === undefined) return;
    this.#rows.delete(key);
    if (net && !this.#before.rows.has(key)) this.#netRows.delete(key);
    else this.#netRows.set(key, null);
  }

  #configure(definition: string, nodes: readonly string[]): void {
    const table = this.#configurations.get(definition) ?? [];
    this.#newConfigurations.push({ definition, id: table.length, nodes });
    this.#configurations.set(definition, [...table, { nodes }]);
  }
}

function choose<T>(items: readonly T[], pick: number): T | undefined {
  return items[pick % Math.max(1, items.length)];
}

/** The result that recovery must have for these facts, in a form that shows the order of rows too. */
export function expected(facts: Facts): unknown {
  const rows = KEYSPACES.map((keyspace) => [
    keyspace,
    [...facts.rows].filter(([key]) => keyspaceOf(key) === keyspace).map(([key, row]) => [keyWithin(key), row] as const),
  ]) as [Keyspace, [string, unknown][]][];
  for (const [, entries] of rows) entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    epoch: facts.epoch,
    kernelTimeMs: facts.kernelTimeMs,
    counters: facts.counters,
    states: [...facts.states].sort(([a], [b]) => a - b),
    rows,
    configurations: [...facts.configurations].sort(),
  };
}

export function found(recovered: Recovered): unknown {
  return {
    epoch: recovered.epoch,
    kernelTimeMs: recovered.kernelTimeMs,
    counters: recovered.counters,
    states: [...recovered.states],
    rows: [...recovered.rows].map(([table, rows]) => [
      table,
      table === KEYSPACE.identities
        ? [...recovered.identities].map(([life, identity]) => [hex(life), identity])
        : [...rows],
    ]),
    configurations: [...recovered.configurations].sort(),
  };
}

/** Net states as a kernel hands them over; null is a removed actor. */
export function imagesOf(states: Iterable<readonly [number, ActorState | null]>): ActorImage[] {
  return [...states].map(([life, state]) => ({
    life,
    identity: identityAt(life),
    state: state ?? UNBORN,
    isGone: state === null,
  }));
}

/** The identity of an actor without a parent: the model has no Bosses. */
export function identityAt(life: number): Identity {
  const names = { address: `crew/${life}`, childId: `${life}`, agent: 'crew', systemId: null, effectId: null };
  const rest = { definition: '', version: 1, parent: 0, syncSnapshot: false, input: undefined };
  return { life, ...names, ...rest, bond: 'supervised' };
}
