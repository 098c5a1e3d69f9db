/**
 * A random machine as data: the generator makes it, the builder turns it into XState, the printer into code, and the
 * shrinker reduces it. The machine's behaviour depends only on these values, its input and its events.
 */

import { type ValueSpec } from './value-spec.ts';

/**
 * A guard. `even`, `odd`: of context.n. `live`: a child of that id was spawned. `fuel`: some is left. `bad` throws now
 * and then. `held`: whether the value that is held equals the event's, has a later date, or measures odd.
 */
export type GuardSpec =
  | { readonly is: 'even' | 'odd' | 'fuel' | 'bad' }
  | { readonly is: 'below'; readonly x: number }
  | { readonly is: 'mod'; readonly by: number }
  | { readonly is: 'live'; readonly id: string }
  | { readonly is: 'in'; readonly state: string }
  | { readonly is: 'held'; readonly ask: 'same' | 'later' | 'odd' }
  | { readonly is: 'not'; readonly of: GuardSpec }
  | { readonly is: 'and' | 'or'; readonly of: readonly GuardSpec[] };

/**
 * An action. `refill` and `burn` keep machines from feeding themselves for ever: an event from outside gives fuel, and
 * everything that could loop burns some.
 */
export type ActionSpec =
  | { readonly do: 'refill' | 'burn' | 'mix' | 'inline' | 'throw' | 'boom' | 'badAssign' }
  | { readonly do: 'add'; readonly key: 'n' | 'm'; readonly by: number }
  /** A change of a table of the context. `move` puts it under another key, and an empty one in its place. */
  | { readonly do: 'shelve'; readonly how: 'set' | 'fill' | 'update' | 'delete' | 'clear' | 'replace' | 'move' }
  /** A change of the values of a laden machine. */
  | { readonly do: 'hold'; readonly how: (typeof HOLDS)[number]; readonly value?: ValueSpec }
  | ({ readonly do: 'emit' } & Laden)
  | { readonly do: 'note'; readonly params: 'static' | 'dynamic' }
  | { readonly do: 'log'; readonly label?: string }
  | { readonly do: 'record'; readonly name: (typeof RECORD_NAMES)[number] }
  | ({
      readonly do: 'raise';
      readonly type: string;
      readonly delay?: number | string;
      readonly id?: string;
    } & Laden)
  | { readonly do: 'cancel'; readonly id: string }
  /** `to`: `self`, `parent`, `peer` (the first reference in what is carried or held), or the id of a child. */
  | ({
      readonly do: 'tell';
      readonly to: string;
      readonly type: string;
      readonly delay?: number | string;
      readonly id?: string;
    } & Laden)
  | { readonly do: 'forward' | 'stop'; readonly to: string }
  | { readonly do: 'spawn' | 'spawnInAssign'; readonly src: string; readonly id: string }
  | { readonly do: 'queue'; readonly check: GuardSpec; readonly then: readonly ActionSpec[] };

/** An event that may carry what the machine holds, what it has kept, or references to its children. */
interface Laden {
  readonly cargo?: 'held' | 'kept' | 'refs';
}

/**
 * The changes of what a laden machine holds. `make`: a new value. `take`: what the event carries. `keep`: adds it to
 * the kept ones. `change`: a small change. `wrap`: a value that contains it. `swap`: with the oldest that is kept.
 * `drop`: undefined. `refer`: a list with a reference to its youngest child or to itself.
 */
export const HOLDS = [
  'make',
  'take',
  'take',
  'keep',
  'keep',
  'change',
  'change',
  'change',
  'wrap',
  'swap',
  'drop',
  'refer',
  'refer',
] as const;

/** The names of records; those of `keyed` have a key. */
export const RECORD_NAMES = ['plain', 'keyed'] as const;

/** The divisor in the guard of an eventless transition whose actions end its loop, as they change the remainder. */
export const COUNTING_BY = 7;

export interface TransitionSpec {
  /** Ids of states. Empty: no target. */
  readonly target: readonly string[];
  readonly guard?: GuardSpec;
  readonly actions: readonly ActionSpec[];
  readonly reenter?: boolean;
}

export interface InvokeSpec {
  readonly id: string;
  readonly src: string;
  readonly onDone?: readonly TransitionSpec[];
  readonly onError?: readonly TransitionSpec[];
  readonly onSnapshot?: readonly TransitionSpec[];
}

/** A state node. Its properties can be removed, which is how a machine shrinks. */
export interface NodeSpec {
  id: string;
  type?: 'parallel' | 'final' | 'history';
  history?: 'shallow' | 'deep';
  /** The default target of a history state. */
  target?: string;
  initial?: string;
  initialActions?: readonly ActionSpec[];
  states: Record<string, NodeSpec>;
  entry: readonly ActionSpec[];
  exit: readonly ActionSpec[];
  /** null forbids the event. */
  on: Record<string, readonly TransitionSpec[] | null>;
  always: readonly TransitionSpec[];
  after: Record<string, readonly TransitionSpec[]>;
  onDone: readonly TransitionSpec[];
  invoke: readonly InvokeSpec[];
  tags: readonly string[];
  hasOutput?: boolean;
}

export interface MachineSpec {
  readonly root: NodeSpec;
  /** Machines by the name under which invoke and spawn know them. The reducer `sum` is always there too. */
  readonly kids: Readonly<Record<string, MachineSpec>>;
  /** The value that a laden machine holds at first. */
  readonly load?: ValueSpec;
}

/** The event types that hosts send, and some that nobody handles. */
export const EVENT_TYPES = ['A', 'B', 'C', 'x.y', 'x.z', 'x.y.w', 'unheard'] as const;

/** The machine as the code of its configuration, for a person to read or to paste. */
export function toCode(spec: MachineSpec): string {
  const kids = Object.entries(spec.kids).map(([name, kid]) => `${name}: ${toCode(kid)}`);
  const actors = kids.length > 0 ? `, { actors: { ${kids.join(', ')} } }` : '';
  const load = spec.load ? `, { held: ${print(bare(spec.load))} }` : '';
  return `createMachine(${print(bare(spec.root))}${actors}${load})`;
}

/** The value without empty parts. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== undefined && !isEmpty(item));
  return Object.fromEntries(kept.map(([key, item]) => [key, bare(item)]));
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function print(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value)
    .replaceAll(/"([a-zA-Z_]\w*)":/g, '$1: ')
    .replaceAll('"', "'");
  if (flat.length + indent.length < 110 || typeof value !== 'object' || value === null) return flat;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => print(item, inner))
    : Object.entries(value).map(
        ([key, item]) => `${/^[a-zA-Z_]\w*$/.test(key) ? key : `'${key}'`}: ${print(item, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${indent}${close}`;
}
