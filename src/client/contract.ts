/**
 * Types only: what may be said to the actors of a system and what is seen of them, read off the system's type.
 * Structural, so that a client needs neither the kernel nor zod nor XState; for what is no machine and no schema it
 * knows nothing.
 */
import { type TableView } from '../gateway/protocol/actor-view.ts';

interface SchemaShape {
  readonly _zod: { readonly input: unknown };
}

/** An agent, as `defineAgent` gives it. */
export interface AgentShape {
  readonly name: string;
  readonly machine: object;
  readonly events: Readonly<Record<string, SchemaShape>>;
}

/** A system, as `createSystem` gives it. Its agents' types are all that a client takes from it. */
export interface SystemShape {
  readonly '~agents': AgentShape;
}

export type AgentsOf<S> = S extends SystemShape ? S['~agents'] : S extends AgentShape ? S : never;

export type AgentName<S> = AgentsOf<S>['name'];

export type AgentNamed<S, Name> = AgentsOf<S> extends infer A ? (A extends { readonly name: Name } ? A : never) : never;

type Fields<Type, Input> =
  Input extends Readonly<Record<string, never>>
    ? { readonly type: Type }
    : { readonly type: Type } & Omit<Input, 'type'>;

type EventsIn<Schemas extends Readonly<Record<string, SchemaShape>>> = {
  [Type in keyof Schemas & string]: Fields<Type, Schemas[Type]['_zod']['input']>;
}[keyof Schemas & string];

/**
 * Events that an agent takes from outside, before its schemas have filled in defaults. Of several agents: those of any.
 */
export type EventIn<A> = A extends AgentShape
  ? string extends keyof A['events']
    ? AnyEmitted
    : EventsIn<A['events']>
  : never;

/** What a machine's own snapshot looks like; unknown where no machine is known. */
type MachineSnapshotOf<A> = A extends { readonly machine: { transition(...args: never[]): infer S } } ? S : unknown;

type Part<S, Key extends string, Otherwise> = S extends { readonly [K in Key]: infer V } ? V : Otherwise;

/** A table of a context. */
interface TableShape<Row> {
  readonly size: number;
  first(): [key: string, row: Row] | undefined;
  update(key: string, change: (row: Row | undefined) => Row): unknown;
}

/** What of a value comes through JSON, as the gateway writes it. */
export type Shown<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends bigint | Date
    ? string
    : T extends (...args: never[]) => unknown
      ? never
      : T extends ReadonlyMap<infer K, infer V>
        ? readonly (readonly [Shown<K>, Shown<V>])[]
        : T extends ReadonlySet<infer V>
          ? readonly Shown<V>[]
          : T extends TableShape<infer Row>
            ? TableView<Shown<Row>>
            : T extends { readonly sessionId: string; readonly send: unknown }
              ? { readonly actor: string }
              : T extends object
                ? { readonly [K in keyof T]: Shown<T[K]> }
                : unknown;

export type ContextIn<A> = Shown<Part<MachineSnapshotOf<A>, 'context', unknown>>;
export type ValueIn<A> = Part<MachineSnapshotOf<A>, 'value', unknown>;
export type OutputIn<A> = Shown<Part<MachineSnapshotOf<A>, 'output', unknown>>;

/** What a machine's transitions may emit, by the scope that they are given. */
type EmittedOf<A> = A extends {
  readonly machine: { transition(snapshot: never, event: never, scope: infer Scope): unknown };
}
  ? Scope extends { emit(event: infer E): void }
    ? E
    : never
  : never;

/** Events that actors of the agent emit. */
export type EmittedIn<A> =
  Shown<EmittedOf<A>> extends infer E extends { readonly type: string }
    ? string extends E['type']
      ? AnyEmitted
      : E
    : AnyEmitted;

export interface AnyEmitted {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** As XState's `matches` takes it: a state value, or a part of one. */
export type ValuePart<V> = V extends string
  ? V
  : V extends object
    ? (keyof V & string) | { readonly [K in keyof V]?: ValuePart<NonNullable<V[K]>> }
    : unknown extends V
      ? string | object
      : never;
