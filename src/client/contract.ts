/**
 * Types of a system's agents for clients: the events that its actors accept and what is seen of them. They are
 * structural, so a client needs neither the kernel nor zod nor XState; logic without machine or schema is typed
 * `unknown`.
 */
import { type TableView } from '../gateway/protocol/actor-view.ts';

interface SchemaShape {
  readonly _zod: { readonly input: unknown };
}

/** An agent, as returned by `defineAgent`. */
export interface AgentShape {
  readonly name: string;
  readonly machine: object;
  readonly events: Readonly<Record<string, SchemaShape>>;
}

/** A system, as returned by `createSystem`. A client uses its agents' types only. */
export interface SystemShape {
  readonly '~agents': AgentShape;
}

export type AgentsOf<S> = S extends SystemShape ? S['~agents'] : S extends AgentShape ? S : never;

/** The agents whose names the compiler knows. Those of a list of any agents have none that could be misspelt. */
type WithName<A> = A extends { readonly name: infer Name } ? (string extends Name ? never : A) : never;

/** The names of a system's agents, as far as the compiler knows them; any text if it knows none. */
export type AgentName<S> =
  WithName<AgentsOf<S>> extends infer A extends AgentShape ? ([A] extends [never] ? string : A['name']) : never;

export type AgentNamed<S, Name> = AgentsOf<S> extends infer A ? (A extends { readonly name: Name } ? A : never) : never;

type Fields<Type, Input> =
  Input extends Readonly<Record<string, never>>
    ? { readonly type: Type }
    : { readonly type: Type } & Omit<Input, 'type'>;

type EventsIn<Schemas extends Readonly<Record<string, SchemaShape>>> = {
  [Type in keyof Schemas & string]: Fields<Type, Schemas[Type]['_zod']['input']>;
}[keyof Schemas & string];

/**
 * Events that an agent accepts from outside, before its schemas fill in defaults. For several agents: the events of
 * any.
 */
export type EventIn<A> = A extends AgentShape
  ? string extends keyof A['events']
    ? AnyEmitted
    : EventsIn<A['events']>
  : never;

/** The type of a machine's snapshot; unknown if there is no machine. */
type MachineSnapshotOf<A> = A extends { readonly machine: { transition(...args: never[]): infer S } } ? S : unknown;

type Part<S, Key extends string, Otherwise> = S extends { readonly [K in Key]: infer V } ? V : Otherwise;

/** A table in a context. */
interface TableShape<Row> {
  readonly size: number;
  first(): [key: string, row: Row] | undefined;
  update(key: string, change: (row: Row | undefined) => Row): unknown;
}

/** A type after its conversion to JSON by the gateway. */
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

/** The context of an agent as clients see it. */
export type ContextIn<A> = Shown<Part<MachineSnapshotOf<A>, 'context', unknown>>;
export type ValueIn<A> = Part<MachineSnapshotOf<A>, 'value', unknown>;
export type OutputIn<A> = Shown<Part<MachineSnapshotOf<A>, 'output', unknown>>;

/** The events that a machine's transitions may emit, taken from the type of their scope. */
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

/** A state value or a part of one, as XState's `matches` accepts it. */
export type ValuePart<V> = V extends string
  ? V
  : V extends object
    ? (keyof V & string) | { readonly [K in keyof V]?: ValuePart<NonNullable<V[K]>> }
    : unknown extends V
      ? string | object
      : never;

/** The shape of a host's exported procedures. It names no package, so that clients need none. */
export type OfferedProcedures = Readonly<
  Record<
    string,
    {
      readonly params: { readonly _zod: { readonly input: unknown } };
      readonly result: { readonly _zod: { readonly output: unknown } };
      readonly window?: { readonly address: string } | undefined;
    }
  >
>;

/** Names of the procedures to whose answers clients may subscribe. */
export type WindowName<Offered extends OfferedProcedures> = {
  [Name in keyof Offered]: Offered[Name] extends { readonly window: { readonly address: string } } ? Name : never;
}[keyof Offered] &
  string;
