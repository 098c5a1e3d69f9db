/**
 * Names of a machine's guards, actions and history states, for drawing or listing it. Beside xstate/definition.ts
 * because it reads unpublished properties of XState's own functions (`raise`, `not`, ...). Runs no user code.
 */
import { type AnyStateNode } from 'xstate';

/** Names that a function only gets from the property where it is written. */
const PLACES: ReadonlySet<string> = new Set(['', 'guard', 'guards', 'actions', 'entry', 'exit', 'anonymous']);

/** The name of a function without a name of its own. */
const INLINE = '(inline)';

/** Prefix of the timers that XState itself arms on entry for `after`, and cancels on exit. */
const AFTER = 'xstate.after.';

/** The deepest nesting of guards that is spelled out; protects against guards that contain each other by mistake. */
const GUARD_DEPTH_MAX = 8;

/** The properties of XState's own actions and guards. */
interface Marks {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly params?: unknown;
  readonly event?: unknown;
  readonly id?: unknown;
  readonly to?: unknown;
  readonly src?: unknown;
  readonly sendId?: unknown;
  readonly actorRef?: unknown;
  /** The type of one of our own actions, `bosun.reply`, whose `type` is `xstate.enqueueActions`. */
  readonly command?: unknown;
  readonly guards?: readonly unknown[];
  readonly stateValue?: unknown;
}

/**
 * The name of an action: `notify`, `assign`, `raise tick`, `spawnChild worker`, `reply`. Undefined for actions that
 * XState adds for `after`.
 */
export function actionName(action: unknown): string | undefined {
  if (typeof action === 'string') return action;
  const { type, params, event, id, to, src, sendId, actorRef, command } = marksOf(action);
  if (typeof type !== 'string') return functionName(action);
  if (!type.startsWith('xstate.')) return isPlain(params) ? `${type}(${params})` : type;
  const kind = type.slice('xstate.'.length);
  const about = (...words: readonly unknown[]) => [kind, ...words.filter((word) => typeof word === 'string')].join(' ');
  switch (kind) {
    case 'raise':
      return typeof id === 'string' && id.startsWith(AFTER) ? undefined : about(eventType(event));
    case 'cancel':
      return typeof sendId === 'string' && sendId.startsWith(AFTER) ? undefined : about(sendId);
    case 'sendTo':
      return about(eventType(event), typeof to === 'string' ? `to ${to}` : undefined);
    case 'emit':
      return about(eventType(event));
    case 'spawnChild':
      return about(src);
    case 'stopChild':
      return about(actorRef);
    default:
      return typeof command === 'string' ? command.slice('bosun.'.length) : kind;
  }
}

/**
 * The name of a guard, with combinations spelled out: `isOpen`, `isAbove(3)`, `not isOpen`, `(isOpen or isNew)`, `in
 * #door.open`.
 */
export function guardName(guard: unknown, depth = 0): string {
  if (typeof guard === 'string') return guard;
  const { type, params, name, guards, stateValue } = marksOf(guard);
  if (typeof type === 'string') return isPlain(params) ? `${type}(${params})` : type;
  if (stateValue !== undefined) return `in ${typeof stateValue === 'string' ? stateValue : JSON.stringify(stateValue)}`;
  if (!Array.isArray(guards)) return functionName(guard);
  if (depth >= GUARD_DEPTH_MAX) return '...';
  const parts = guards.map((part) => guardName(part, depth + 1));
  if (name === 'not') return `not ${parts.join(' ')}`;
  return depth === 0 ? parts.join(` ${String(name)} `) : `(${parts.join(` ${String(name)} `)})`;
}

/**
 * The id of a transition: its source, its event and its index among the source's transitions for that event. It is the
 * same in every copy of the machine.
 */
export function transitionName(source: string, event: string, index: number): string {
  return `${escaped(source)}|${escaped(event)}|${index}`;
}

function escaped(part: string): string {
  return part.replace(/[\\|]/g, '\\$&');
}

/** The nodes that a history state enters when nothing is remembered. */
export function historyDefault(node: AnyStateNode): readonly AnyStateNode[] {
  const parent = node.parent as AnyStateNode | undefined;
  if (parent === undefined) return [];
  const { target } = node.config as { target?: string | readonly string[] };
  if (target === undefined) return parent.type === 'compound' ? parent.initial.target : [parent];
  return [target]
    .flat()
    .map((path) => (path.startsWith('#') ? node.machine.getStateNodeById(path) : below(parent, path)));
}

/** The node at a path. Dots separate its keys; a dot within a key is written `\.`. */
function below(node: AnyStateNode, path: string): AnyStateNode {
  const keys = (path.match(/(?:\\.|[^.\\])+/g) ?? []).map((key) => key.replace(/\\(.)/g, '$1'));
  return keys.reduce<AnyStateNode>((at, key) => (at.states as Record<string, AnyStateNode>)[key]!, node);
}

function marksOf(value: unknown): Marks {
  return (typeof value === 'function' || typeof value === 'object') && value !== null ? (value as Marks) : {};
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function functionName(value: unknown): string {
  const { name } = marksOf(value);
  return typeof name !== 'string' || PLACES.has(name) ? INLINE : name;
}

function eventType(event: unknown): unknown {
  return typeof event === 'object' && event !== null ? (event as { type?: unknown }).type : undefined;
}
