/**
 * Texts of values that are equal exactly if the values are: prototypes, own enumerable properties in their order,
 * dates, bytes, entries of Maps and Sets in order, undefined, NaN, bigints. Errors are compared by the fields that the
 * kernel keeps, since it makes plain errors of all classes. References are their addresses, the same on both sides.
 */
import { isTable } from '../../../src/table.ts';

/** The text of a value for the comparison of two engines. */
export function exactTextOf(value: unknown): string {
  return ENGINES.of(value);
}

/**
 * The text of a value for the comparison of one kernel before and after a restart: also own properties that are not
 * enumerable, whether an object is frozen, and all properties of errors.
 */
export function strictTextOf(value: unknown): string {
  return RESTARTS.of(value);
}

/** The common part of references of XState and of Bosun. */
export interface Reference {
  readonly sessionId: unknown;
  readonly send: unknown;
}

/** Whether a value is a reference to an actor, of XState or of Bosun. */
export function isReference(value: unknown): value is Reference {
  return typeof value === 'object' && value !== null && 'sessionId' in value && 'send' in value;
}

/** The path that an actor of createActor would have under Bosun. */
export function pathOf(actor: { readonly id: string; readonly _parent?: unknown }): string {
  const parent = actor._parent as Parameters<typeof pathOf>[0] | undefined;
  return parent === undefined ? actor.id : `${pathOf(parent)}/${actor.id}`;
}

class Texts {
  readonly #isStrict: boolean;

  constructor({ isStrict }: { readonly isStrict: boolean }) {
    this.#isStrict = isStrict;
  }

  of(value: unknown): string {
    switch (typeof value) {
      case 'string':
        return JSON.stringify(value);
      case 'bigint':
        return `${value}n`;
      case 'number':
        return Object.is(value, -0) ? '-0' : String(value);
      case 'object':
        return value === null ? 'null' : this.#object(value);
      default:
        return String(value);
    }
  }

  #object(value: object): string {
    if (isReference(value))
      return `reference to ${String((value as { address?: unknown }).address ?? pathOf(value as never))}`;
    if (isTable(value)) return `table ${this.of([...value])}`;
    const text = this.#visible(value);
    return this.#isStrict ? `${text}${this.#hidden(value)}` : text;
  }

  #visible(value: object): string {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype) return `{${this.#properties(value, Object.keys(value))}}`;
    if (prototype === Array.prototype) return this.#list(value as unknown[]);
    const content = this.#content(value, prototype);
    if (content === undefined) return `${nameOf(prototype)} {${this.#properties(value, Object.keys(value))}}`;
    const extra = Object.keys(value).filter((key) => !(value instanceof Uint8Array && Number(key) < value.length));
    return extra.length === 0 ? content : `${content} with {${this.#properties(value, extra)}}`;
  }

  /** The content of an object that is more than its properties; undefined for any other. */
  #content(value: object, prototype: unknown): string | undefined {
    if (value instanceof Error) return this.#isStrict ? `${nameOf(prototype)} error` : this.#error(value);
    if (value instanceof Date) return `${nameOf(prototype)}(${value.getTime()})`;
    if (value instanceof Uint8Array) return `${nameOf(prototype)}(${value.join(',')})`;
    if (value instanceof Set) return `${nameOf(prototype)}(${[...value].map((item) => this.of(item)).join(', ')})`;
    if (!(value instanceof Map)) return undefined;
    const entries = [...(value as Map<unknown, unknown>)].map(([key, item]) => `${this.of(key)} => ${this.of(item)}`);
    return `${nameOf(prototype)}(${entries.join(', ')})`;
  }

  #error(error: Error): string {
    const kept = ['code', 'cause'].filter((key) => key in error);
    return `error {${this.#properties(error, ['name', 'message', 'stack', ...kept])}}`;
  }

  #list(list: readonly unknown[]): string {
    let text = '';
    for (let i = 0; i < list.length; i++) text += `${i === 0 ? '' : ','}${i in list ? this.of(list[i]) : 'hole'}`;
    const keys = Object.keys(list);
    return keys.length === list.length ? `[${text}]` : `[${text}] with keys ${keys.join(',')}`;
  }

  #properties(value: object, keys: readonly string[]): string {
    let text = '';
    for (const key of keys)
      text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${this.of((value as Record<string, unknown>)[key])}`;
    return text;
  }

  /** The parts that no engine shows. Functions by name: a store keeps none, so they are the kernel's own. */
  #hidden(value: object): string {
    const hidden = Reflect.ownKeys(value)
      .filter((key) => !Object.prototype.propertyIsEnumerable.call(value, key))
      .filter((key) => !(Array.isArray(value) && key === 'length'))
      .map((key) => {
        const item = (value as Record<PropertyKey, unknown>)[key];
        return `${String(key)}:${typeof item === 'function' ? `function ${item.name}` : this.of(item)}`;
      });
    const frozen = Object.isFrozen(value) ? '' : '~';
    return hidden.length === 0 ? frozen : `${frozen}<${hidden.join(',')}>`;
  }
}

const ENGINES = new Texts({ isStrict: false });
const RESTARTS = new Texts({ isStrict: true });

function nameOf(prototype: unknown): string {
  return prototype === null ? 'without a prototype' : (prototype as { constructor: { name: string } }).constructor.name;
}
