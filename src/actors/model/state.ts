/**
 * The durable part of one actor, as plain immutable data, and the one function that changes it.
 * The kernel applies each change in memory and writes the same change to the journal; recovery applies it again with
 * the same function. So memory equals disk by construction, and the (seq, hash) chain proves it.
 */
import { isTable, type Table } from '../../table.ts';
import type { Conceal } from './ports.ts';

export type ActorStatus = 'starting' | 'active' | 'done' | 'error' | 'stopped';

/** What changes over an actor's life. What never changes is in its {@link Identity}. */
export interface ActorState {
  /** Changes applied so far. */
  readonly seq: number;
  /** Chain of the checksums of all encoded changes so far, unsigned 32 bits. */
  readonly hash: number;
  readonly status: ActorStatus;
  /** Raised by a restart from initial; timers and completions of an older incarnation are ignored. */
  readonly incarnation: number;
  /** Machines: index into the definition's table of configurations; null before the first turn and for other logic. */
  readonly configuration: number | null;
  /** Machines: their context. Other logic: its whole persisted snapshot. */
  readonly context: unknown;
  /** Machines with history states: history node id to the ids it remembers. */
  readonly history: Readonly<Record<string, readonly string[]>> | null;
  readonly output: unknown;
  readonly error: unknown;
  /** Effects: how often they were started, over restores and retries. */
  readonly attempt: number;
  /**
   * Its agent marks something as secret: it is stored as {@link concealedState} has it. Other than true, its key is
   * missing.
   */
  readonly isSecret?: unknown;
}

/** An actor that an epoch changed, as it is at the end of the epoch. */
export interface ActorImage {
  readonly life: number;
  readonly state: ActorState;
  /** It was removed in this epoch; the state is its last. */
  readonly isGone: boolean;
}

/** What one turn changed in a table. */
export interface RowChanges {
  /** Rows of the table behind the change. */
  readonly size: number;
  readonly set: readonly (readonly [key: string, row: unknown])[];
  readonly unset: readonly string[];
}

/** What one turn changed. Undefined, or absent, means unchanged. What is stored of it is {@link storedChange}. */
export interface StateChange {
  status?: ActorStatus | undefined;
  incarnation?: number | undefined;
  configuration?: number | undefined;
  /** The whole new context; otherwise `set` and `unset` change top-level keys. */
  context?: { readonly value: unknown } | undefined;
  set?: Record<string, unknown> | undefined;
  unset?: readonly string[] | undefined;
  /** By top-level key, behind `set`: what changed in the tables of the context. */
  rows?: Record<string, RowChanges> | undefined;
  history?: Readonly<Record<string, readonly string[]>> | undefined;
  output?: { readonly value: unknown } | undefined;
  error?: { readonly value: unknown } | undefined;
  attempt?: number | undefined;
  isSecret?: true | undefined;
}

/** A change as a turn has it: always of the same shape, because telling shapes apart is a tenth of a turn's time. */
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
  /** The context that `set` and `unset` make, where the turn has it already. */
  made: object | undefined = undefined;

  static of(change: StateChange): Change {
    return change instanceof Change ? change : Object.assign(new Change(), change);
  }

  get isEmpty(): boolean {
    return (this.set ?? this.rows) === undefined && this.configuration === undefined && isBare(this);
  }
}

/** All but the fields of most turns. */
function isBare({ status, output, error, history, context, unset, incarnation, attempt, isSecret }: Change): boolean {
  return (
    (status ?? output ?? error ?? history ?? context ?? unset) === undefined &&
    (incarnation ?? attempt ?? isSecret) === undefined
  );
}

/** The change as it is encoded into the journal: only what is there, in an order that the store has names for. */
export function storedChange(change: Change): StateChange {
  if (!isBare(change)) return present(change);
  const { configuration, set, rows } = change;
  if (rows !== undefined) return present(change);
  if (set === undefined) return configuration === undefined ? {} : { configuration };
  return configuration === undefined ? { set } : { configuration, set };
}

function present({ made: _, ...change }: Change): StateChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

/**
 * Facts of a birth. Only `definition` and `version` ever change, by a migration, together with the state (design P12).
 */
export interface Identity {
  /** One number per birth, never used again. */
  readonly life: number;
  readonly address: string;
  /** Name of the agent for actors under a Boss; the `src` within the parent's machine for its children. */
  readonly agent: string;
  /** Structural hash of the machine that the state belongs to; empty for logic that is no machine. */
  readonly definition: string;
  readonly version: number;
  /** Life of the Boss or the machine that it belongs to; 0 for the root. */
  readonly parent: number;
  /** `supervised`: a child of a Boss. `invoked`: a child of a machine, invoked or spawned by it. */
  readonly bond: 'supervised' | 'invoked';
  readonly childId: string;
  readonly systemId: string | null;
  /** The parent wants `xstate.snapshot.*` events. */
  readonly syncSnapshot: boolean;
  /** `life/turn/index` of the effect that gave birth: stable over restores and retries. */
  readonly effectId: string;
  readonly input: unknown;
}

/**
 * Every identity of one shape, whoever put the parts together: spreading them would give each a shape of its own,
 * larger than itself.
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
  });
}

/** The same as {@link applyChange} would have made it: what is read has another shape, and texts of its own. */
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
}: ActorState): ActorState {
  const state = {
    seq,
    hash,
    status: STATUSES[status],
    incarnation,
    configuration,
    context,
    history,
    output,
    error,
    attempt,
  };
  return isSecret === undefined ? state : { ...state, isSecret };
}

/** One text for each. */
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
 * @param hash Of the state after the change, as `Deltas.add` gives it.
 * @returns A new state; it is never changed. Never throws.
 */
export function applyChange(state: ActorState, change: Change, hash: number): ActorState {
  const isSecret = change.isSecret ?? state.isSecret;
  const next: ActorState = {
    seq: state.seq + 1,
    hash,
    status: change.status ?? state.status,
    incarnation: change.incarnation ?? state.incarnation,
    configuration: change.configuration ?? state.configuration,
    context: change.made === undefined ? contextAfter(state.context, change) : Object.freeze(change.made),
    history: change.history ?? state.history,
    output: change.output === undefined ? state.output : change.output.value,
    error: change.error === undefined ? state.error : change.error.value,
    attempt: change.attempt ?? state.attempt,
  };
  return isSecret === undefined ? next : { ...next, isSecret };
}

/** The same for an actor with secrets. Each key of a context by itself, because changes set keys. */
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

/** The state as it is encoded for an actor with secrets. */
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

/** Keys of rows stay legible: each row is encrypted by itself. */
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

/** What a change makes of a context. */
export function contextAfter(context: unknown, change: StateChange): unknown {
  if (change.context !== undefined) return change.context.value;
  if ((change.set ?? change.unset ?? change.rows) === undefined) return context;
  const next: Record<string, unknown> = { ...(context as Record<string, unknown>), ...change.set };
  for (const key of change.unset ?? []) delete next[key];
  for (const [key, rows] of Object.entries(change.rows ?? {})) next[key] = tableAfter(next[key], rows);
  return Object.freeze(next);
}

/** The table behind a change. A secret one whose key is missing is no table here, and stays as it is. */
function tableAfter(before: unknown, { set, unset }: RowChanges): unknown {
  if (!isTable(before)) return before;
  let after: Table<unknown> = before;
  for (const key of unset) after = after.delete(key);
  for (const [key, row] of set) after = after.set(key, row);
  return after;
}
