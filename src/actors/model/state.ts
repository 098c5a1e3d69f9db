/**
 * The durable part of one actor, as plain immutable data, and the one function that changes it. The kernel applies each
 * change in memory and writes the same change to the journal; recovery applies it again with the same function. So
 * memory equals disk by construction, and the (seq, hash) chain proves it.
 */
import { isTable, type Table } from '../../table.ts';
import type { Conceal } from './ports.ts';
import type { RecordSpans } from './records.ts';
import { shared } from './shared-text.ts';
import { BOSS_AGENT } from './supervision.ts';

export type ActorStatus = 'starting' | 'active' | 'done' | 'error' | 'stopped';

/** The state that changes over an actor's life. Its constant facts are in its {@link Identity}. */
export interface ActorState {
  /** Changes applied so far. */
  readonly seq: number;
  /** Checksum chain over all encoded changes so far, unsigned 32 bits. */
  readonly hash: number;
  readonly status: ActorStatus;
  /** The number of restarts from initial. Timers and completions of older incarnations are ignored. */
  readonly incarnation: number;
  /** Machines: index into the definition's table of configurations; null before the first turn and for other logic. */
  readonly configuration: number | null;
  /** Machines: their context. Other logic: its whole persisted snapshot. */
  readonly context: unknown;
  /** Machines with history states: history node id to the ids it remembers. */
  readonly history: Readonly<Record<string, readonly string[]>> | null;
  readonly output: unknown;
  readonly error: unknown;
  /** Effects: the number of starts, over restores and retries. */
  readonly attempt: number;
  /**
   * A mark that the agent has secrets, so that the state is stored as by {@link concealedState}. Any value but true
   * means that its key is missing.
   */
  readonly isSecret?: unknown;
  /** Spans of the actor's records, by name; absent if it never had any. */
  readonly records?: RecordSpans;
}

/** An actor changed in an epoch, as of the end of the epoch. */
export interface ActorImage {
  readonly life: number;
  readonly identity: Identity;
  readonly state: ActorState;
  /** Whether it was removed in this epoch; the state is its last. */
  readonly isGone: boolean;
}

/** The changes that one turn made to a table. */
export interface RowChanges {
  /** Number of rows after the change. */
  readonly size: number;
  readonly set: readonly (readonly [key: string, row: unknown])[];
  readonly unset: readonly string[];
}

/**
 * The changes that one turn made to a state. Undefined, or absent, means unchanged. {@link storedChange} gives the
 * stored form.
 */
export interface StateChange {
  status?: ActorStatus | undefined;
  incarnation?: number | undefined;
  configuration?: number | undefined;
  /** The whole new context; otherwise `set` and `unset` change top-level keys. */
  context?: { readonly value: unknown } | undefined;
  set?: Record<string, unknown> | undefined;
  unset?: readonly string[] | undefined;
  /** Changes of the context's tables by top-level key, applied after `set`. */
  rows?: Record<string, RowChanges> | undefined;
  history?: Readonly<Record<string, readonly string[]>> | undefined;
  output?: { readonly value: unknown } | undefined;
  error?: { readonly value: unknown } | undefined;
  attempt?: number | undefined;
  isSecret?: true | undefined;
  /** Spans of records that have changed. */
  records?: RecordSpans | undefined;
}

/**
 * A change in memory. Its fields are always present, so that all changes have one hidden class: several classes cost a
 * tenth of a turn's time.
 */
export class Change implements StateChange {
  status: StateChange['status'] = undefined;
  output: StateChange['output'] = undefined;
  error: StateChange['error'] = undefined;
  configuration: StateChange['configuration'] = undefined;
  history: StateChange['history'] = undefined;
  context: StateChange['context'] = undefined;
  set: StateChange['set'] = undefined;
  unset: StateChange['unset'] = undefined;
  rows: StateChange['rows'] = undefined;
  incarnation: StateChange['incarnation'] = undefined;
  attempt: StateChange['attempt'] = undefined;
  isSecret: StateChange['isSecret'] = undefined;
  records: StateChange['records'] = undefined;
  /** The context that results from `set` and `unset`, if the turn has computed it already. */
  made: object | undefined = undefined;

  static of(change: StateChange): Change {
    return change instanceof Change ? change : Object.assign(new Change(), change);
  }

  get isEmpty(): boolean {
    return (this.set ?? this.rows) === undefined && this.configuration === undefined && isBare(this);
  }
}

/** Whether a change has no other fields than those of most turns. */
function isBare(change: Change): boolean {
  const { status, output, error, history, context, unset, incarnation, attempt, isSecret, records } = change;
  return (
    (status ?? output ?? error ?? history ?? context ?? unset) === undefined &&
    (incarnation ?? attempt ?? isSecret ?? records) === undefined
  );
}

/** The change in the form that the journal encodes: present fields only, in an order known to the store. */
export function storedChange(change: Change): StateChange {
  if (!isBare(change)) return present(change);
  const { configuration, set, rows } = change;
  if (rows !== undefined) return present(change);
  if (set === undefined) return configuration === undefined ? {} : { configuration };
  return configuration === undefined ? { set } : { configuration, set };
}

function present(change: Change): StateChange {
  const stored: Record<string, unknown> = {};
  for (const field of STORED_FIELDS) if (change[field] !== undefined) stored[field] = change[field];
  return stored;
}

/** Names of stored fields, in the order that the structures of the format have. */
const STORED_FIELDS = (Object.keys(new Change()) as (keyof Change)[]).filter((field) => field !== 'made');

/**
 * The constant facts of an actor, set at its birth. Only `definition` and `version` ever change, by a migration,
 * together with the state (design P12).
 */
export interface Identity {
  /** The number of the life, unique in the system and never used again. */
  readonly life: number;
  readonly address: string;
  /** The name of the agent for actors under a Boss; the `src` within the parent's machine for its children. */
  readonly agent: string;
  /** Structural hash of the machine that the state belongs to; empty for logic that is not a machine. */
  readonly definition: string;
  readonly version: number;
  /** Life of the Boss or machine that it belongs to; 0 for the root. */
  readonly parent: number;
  /** `supervised`: a child of a Boss. `invoked`: a child of a machine, invoked or spawned by it. */
  readonly bond: 'supervised' | 'invoked';
  readonly childId: string;
  readonly systemId: string | null;
  /** Whether the parent wants `xstate.snapshot.*` events. */
  readonly syncSnapshot: boolean;
  /**
   * `life/turn/index` of the effect that caused the birth, stable over restores and retries; null for a child of a Boss
   * ({@link effectIdOf}).
   */
  readonly effectId: string | null;
  readonly input: unknown;
}

/**
 * Creates an identity. All identities have one hidden class, which spreading the parts would not give, and which takes
 * less memory.
 */
export function identityOf({
  life,
  address,
  agent,
  definition,
  version,
  parent,
  bond,
  childId,
  systemId,
  syncSnapshot,
  effectId,
  input,
}: Identity): Identity {
  return Object.freeze({
    life,
    address,
    agent: shared(agent),
    definition: shared(definition),
    version,
    parent,
    bond: bond === 'invoked' ? 'invoked' : 'supervised',
    // Where the child id was decoded, it is a separate copy of the address for each child of the root: share one
    // string.
    childId: childId === address ? address : childId,
    systemId,
    syncSnapshot,
    effectId,
    input,
  });
}

/** The id that an effect shows to the outside: its life if no turn of a machine caused the birth. */
export function effectIdOf({ life, effectId }: Pick<Identity, 'life' | 'effectId'>): string {
  return effectId ?? `${life}`;
}

/** Whether every start reads the actor: Bosses and children of machines, which are in memory with their parents. */
export function isEnrolled({ bond, agent }: Pick<Identity, 'bond' | 'agent'>): boolean {
  return bond === 'invoked' || agent === BOSS_AGENT;
}

/** Copies a decoded state into the hidden class that {@link applyChange} makes, with shared values. */
export function stateOf({
  seq,
  hash,
  status,
  incarnation,
  configuration,
  context,
  history,
  output,
  error,
  attempt,
  isSecret,
  records,
}: ActorState): ActorState {
  const state = {
    seq,
    hash,
    status: STATUSES[status],
    incarnation,
    configuration,
    context: sharedIfEmpty(context),
    history,
    output,
    error,
    attempt,
  };
  return withRare(state, isSecret, records);
}

/** One shared context for all actors with an empty one. */
const NO_CONTEXT = Object.freeze({});

function sharedIfEmpty(context: unknown): unknown {
  if (typeof context !== 'object' || context === null || Object.getPrototypeOf(context) !== Object.prototype)
    return context;
  for (const _ in context) return context;
  return NO_CONTEXT;
}

/** Adds the rare fields, so that most states have no keys for them. */
function withRare(state: ActorState, isSecret: unknown, records: RecordSpans | undefined): ActorState {
  if (isSecret === undefined && records === undefined) return state;
  return { ...state, ...(isSecret !== undefined && { isSecret }), ...(records !== undefined && { records }) };
}

/** One shared string for each status. */
const STATUSES: { readonly [S in ActorStatus]: S } = {
  starting: 'starting',
  active: 'active',
  done: 'done',
  error: 'error',
  stopped: 'stopped',
};

export const UNBORN: ActorState = Object.freeze({
  seq: 0,
  hash: 0,
  status: 'starting',
  incarnation: 0,
  configuration: null,
  context: undefined,
  history: null,
  output: undefined,
  error: undefined,
  attempt: 0,
});

/**
 * Applies a change.
 *
 * @param hash The hash of the state after the change, as `Deltas.add` returns it.
 * @returns A new state; the given one is never changed. Never throws.
 */
export function applyChange(state: ActorState, change: Change, hash: number): ActorState {
  const isSecret = change.isSecret ?? state.isSecret;
  const next: ActorState = {
    seq: state.seq + 1,
    hash,
    status: change.status === undefined ? state.status : STATUSES[change.status],
    incarnation: change.incarnation ?? state.incarnation,
    configuration: change.configuration ?? state.configuration,
    context: change.made === undefined ? contextAfter(state.context, change) : Object.freeze(change.made),
    history: change.history ?? state.history,
    output: change.output === undefined ? state.output : change.output.value,
    error: change.error === undefined ? state.error : change.error.value,
    attempt: change.attempt ?? state.attempt,
  };
  return withRare(next, isSecret, recordsAfter(state.records, change.records));
}

function recordsAfter(before: RecordSpans | undefined, changed: RecordSpans | undefined): RecordSpans | undefined {
  return changed === undefined ? before : Object.freeze({ ...before, ...changed });
}

/**
 * The stored form of a change for an actor with secrets. Each key of a context is encrypted by itself, because changes
 * set single keys.
 */
export function concealedChange(change: StateChange, conceal: Conceal): object {
  const { context, set, rows, output, error, isSecret } = change;
  return {
    ...change,
    ...(context !== undefined && { context: { value: concealedFields(context.value, conceal) } }),
    ...(set !== undefined && { set: concealedFields(set, conceal) }),
    ...(rows !== undefined && { rows: concealedRows(rows, conceal) }),
    ...(output !== undefined && { output: { value: conceal(output.value) } }),
    ...(error !== undefined && { error: { value: conceal(error.value) } }),
    ...(isSecret !== undefined && { isSecret: conceal(isSecret) }),
  };
}

/** The stored form of a state for an actor with secrets. */
export function concealedState(state: ActorState, conceal: Conceal): object {
  const { context, output, error, isSecret } = state;
  return {
    ...state,
    context: concealedFields(context, conceal),
    output: conceal(output),
    error: conceal(error),
    isSecret: conceal(isSecret),
  };
}

/** Encrypts each row by itself; keys of rows stay legible. */
function concealedRows(rows: NonNullable<StateChange['rows']>, conceal: Conceal): object {
  const changes = Object.entries(rows).map(([key, { set, ...change }]) => [
    key,
    { ...change, set: set.map(([rowKey, row]) => [rowKey, conceal(row)]) },
  ]);
  return Object.fromEntries(changes);
}

function concealedFields(value: unknown, conceal: Conceal): unknown {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return conceal(value);
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, conceal(field)]));
}

/** The context after a change. */
export function contextAfter(context: unknown, change: StateChange): unknown {
  if (change.context !== undefined) return sharedIfEmpty(change.context.value);
  if ((change.set ?? change.unset ?? change.rows) === undefined) return context;
  const next: Record<string, unknown> = { ...(context as Record<string, unknown>), ...change.set };
  for (const key of change.unset ?? []) delete next[key];
  for (const [key, rows] of Object.entries(change.rows ?? {})) next[key] = tableAfter(next[key], rows);
  return Object.freeze(next);
}

/** The table after a change. A secret table whose key is missing is not a table here and stays as it is. */
function tableAfter(before: unknown, { set, unset }: RowChanges): unknown {
  if (!isTable(before)) return before;
  let after: Table<unknown> = before;
  for (const key of unset) after = after.delete(key);
  for (const [key, row] of set) after = after.set(key, row);
  return after;
}
