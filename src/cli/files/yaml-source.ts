/**
 * Reads a YAML or JSON file written by a person, or reports an error in one line with file, line and column. The file
 * is not trusted: size, depth and aliases are bounded. Its meaning is checked by the caller.
 */
import { createReadStream } from 'node:fs';
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  Parser,
} from 'yaml';
import { type z } from 'zod';
import { type ErrorCode } from '../../error-codes.ts';
import { BosunError, messageOf } from '../../errors.ts';
import { plainLine } from '../../plain-text.ts';
import { VALUE_DEPTH_MAX } from '../../limits.ts';
import { type PlanProblem } from '../../machines/coordination/plan/plan.ts';

/** Largest file: a plan of 50,000 tasks fits; a log or a database given by mistake does not. */
export const FILE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Deepest nesting: below the limit of an actor's state, with room for the place of a plan in it. Checked before the
 * parser recurses, which would end the process at a few thousand levels.
 */
const DEPTH_MAX = VALUE_DEPTH_MAX - 8;

/** Nodes that aliases may add to those written. A malicious file of ten lines adds billions. */
const ALIASED_NODES_MAX = 100_000;

/** A problem, and its path in the file's data. */
export type Problem = PlanProblem;

export interface YamlFile {
  /** The path as the user wrote it. */
  readonly file: string;
  readonly path: string;
  /** The kind of file in messages: `plan file`. */
  readonly kind: string;
  readonly code: ErrorCode;
}

export interface YamlSource {
  readonly value: unknown;
  /**
   * Makes an error of the file's code; details: `file`, `line` and `column` (from 1; null without a place), `problems`
   * (all lines).
   */
  refuse(problems: readonly Problem[]): BosunError;
}

/** Reads a YAML file. Rejects with an error of the file's code, as made by `refuse`. */
export async function readYaml(from: YamlFile): Promise<YamlSource> {
  const source = parseText(from, await readText(from));
  const refuse = (problems: readonly Problem[]): BosunError =>
    invalid(
      from,
      problems.map((problem) => ({ place: source.placeOf(problem), message: sentence(problem) })),
    );
  if (source.value === null) throw refuse([{ path: [], message: 'the file is empty' }]);
  return { value: source.value, refuse };
}

interface Place {
  readonly line: number;
  readonly column: number;
}

interface PlacedMessage {
  readonly place: Place | null;
  readonly message: string;
}

/** One error for all problems: the message is the first one in the file; the details have all. */
function invalid({ file, code }: YamlFile, findings: readonly PlacedMessage[], cause?: unknown): BosunError {
  const at = ({ place }: PlacedMessage): number => (place === null ? 0 : place.line * FILE_BYTES_MAX + place.column);
  const sorted = findings.toSorted((a, b) => at(a) - at(b));
  const lines = sorted.map(
    ({ place, message }) => `${file}${place === null ? '' : `:${place.line}:${place.column}`}: ${plainLine(message)}`,
  );
  const more = lines.length > 1 ? ` (and ${lines.length - 1} more)` : '';
  const { line, column } = sorted[0]?.place ?? { line: null, column: null };
  return new BosunError(code, `${lines[0]}${more}`, { cause, details: { file, line, column, problems: lines } });
}

async function readText(from: YamlFile): Promise<string> {
  const refuse = (message: string, cause?: unknown): BosunError => invalid(from, [{ place: null, message }], cause);
  const chunks: Buffer[] = [];
  try {
    // Not readFile: a device or a pipe has no size that could be checked before.
    // Chunks are buffers, because no encoding is set.
    for await (const chunk of createReadStream(from.path, { end: FILE_BYTES_MAX })) chunks.push(chunk as Buffer);
  } catch (error) {
    throw refuse(`cannot be read: ${reasonOf(error)}`, error);
  }
  const bytes = Buffer.concat(chunks);
  if (bytes.length > FILE_BYTES_MAX)
    throw refuse(`larger than ${FILE_BYTES_MAX / 1024 / 1024} MiB, the limit of a ${from.kind}`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw refuse('not a text file in UTF-8', error);
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'no such file';
  if (code === 'EISDIR') return 'it is a directory';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  return messageOf(error);
}

interface ParsedText {
  readonly value: unknown;
  /** The place of a problem; for a missing value, the place of its container. */
  placeOf(problem: Problem): Place;
}

function parseText(from: YamlFile, text: string): ParsedText {
  const lines = new LineCounter();
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) }; // An empty file has no lines.
  };
  const refuse = (offset: number, message: string): BosunError => invalid(from, [{ place: placeAt(offset), message }]);

  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const deep = tooDeep(tokens);
  if (deep !== null) throw refuse(deep, `nested deeper than ${DEPTH_MAX} levels`);

  // Duplicate keys are detected below: this parser would not say which key.
  const [document, second] = [
    ...new Composer({ prettyErrors: false, uniqueKeys: false }).compose(tokens, true, text.length),
  ];
  if (document === undefined) throw refuse(0, 'the file is empty');
  const [fault] = [...document.errors, ...document.warnings];
  // The parser may quote a whole line.
  if (fault !== undefined) throw refuse(fault.pos[0], firstLower(fault.message.slice(0, 200)));
  if (second !== undefined) throw refuse(second.range[0], `a second document begins here; a ${from.kind} holds one`);

  const content = new Content(refuse);
  return { value: content.read(document), placeOf: (problem) => placeAt(content.offsetOf(problem)) };
}

/** The offset of a token that is nested too deep. Iterative, because it guards against recursion. */
function tooDeep(tokens: readonly CST.Token[]): number | null {
  const open: { token: CST.Token; depth: number }[] = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (depth > DEPTH_MAX) return token.offset;
    if (token.type === 'document' && token.value !== undefined) open.push({ token: token.value, depth });
    if (!('items' in token)) continue;
    for (const { key, value } of token.items) {
      if (key) open.push({ token: key, depth: depth + 1 });
      if (value) open.push({ token: value, depth: depth + 1 });
    }
  }
  return null;
}

/** An entry of a map; for a list the key is null. */
interface Entry {
  readonly key: Node | null;
  readonly value: Node | null;
}

/** A document as plain data, with the place of every path in it. */
class Content {
  readonly #refuse: (offset: number, message: string) => BosunError;
  readonly #anchors = new Map<string, Node>();
  #root: Node | null = null;
  #aliases = 0;
  #aliased = 0;

  constructor(refuse: (offset: number, message: string) => BosunError) {
    this.#refuse = refuse;
  }

  /**
   * Reads a document. Throws the error of `refuse` for keys that are not text, forbidden or duplicate, and for aliases
   * out of bounds.
   */
  read(document: Document.Parsed): unknown {
    this.#root = document.contents;
    return this.#value(this.#root, 0);
  }

  offsetOf({ path, at }: Problem): number {
    let found: Entry = { key: null, value: this.#root };
    for (const step of path) {
      const inner = this.#inside(found.value, step);
      if (inner === null) return offsetOf(found.value ?? found.key);
      found = inner;
    }
    return offsetOf(at === 'key' ? found.key : (found.value ?? found.key));
  }

  #inside(outer: Node | null, step: string | number): Entry | null {
    const node = isAlias(outer) ? (this.#anchors.get(outer.source) ?? null) : outer;
    if (isSeq<Node>(node)) return step in node.items ? { key: null, value: node.items[Number(step)]! } : null;
    if (!isMap<Node, Node>(node)) return null;
    return node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step)) ?? null;
  }

  #value(node: Node | null, depth: number): unknown {
    if (node === null) return null;
    if (this.#aliases > 0 && (this.#aliased += 1) > ALIASED_NODES_MAX)
      throw this.#refuse(offsetOf(node), 'its aliases expand to too much data');
    if (isAlias(node)) return this.#aliasedValue(node.source, offsetOf(node), depth);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isSeq<Node>(node)) return node.items.map((item) => this.#value(item, depth + 1));
    if (isMap<Node, Node | null>(node)) return Object.fromEntries(this.#entries(node.items, depth + 1));
    return isScalar(node) ? node.value : null;
  }

  #aliasedValue(name: string, offset: number, depth: number): unknown {
    const node = this.#anchors.get(name);
    if (node === undefined) throw this.#refuse(offset, `the alias *${name} has no anchor &${name} before it`);
    if (depth > DEPTH_MAX) throw this.#refuse(offset, `the alias *${name} contains itself or is nested too deep`);
    this.#aliases += 1;
    const value = this.#value(node, depth + 1);
    this.#aliases -= 1;
    return value;
  }

  #entries(pairs: readonly Entry[], depth: number): [string, unknown][] {
    const seen = new Set<string>();
    return pairs.map(({ key, value }) => {
      if (!isScalar(key)) throw this.#refuse(offsetOf(key), 'a key must be text');
      const name = String(key.value);
      if (name === '__proto__') throw this.#refuse(offsetOf(key), 'the key "__proto__" is forbidden');
      if (seen.has(name)) throw this.#refuse(offsetOf(key), `the key "${name}" is written twice`);
      seen.add(name);
      return [name, this.#value(value, depth)];
    });
  }
}

function offsetOf(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}

/** The problem found by a schema, in words for authors of such files. Undefined leaves zod's own words. */
export function explain(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${kindOf(issue.expected)}, not ${described(issue.input)}`;
    case 'invalid_value':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${issue.values.map(String).join(' or ')}, not ${described(issue.input)}`;
    case 'too_small':
      return issue.origin === 'number' || issue.origin === 'int'
        ? `must be ${atLeast(issue)}, not ${described(issue.input)}`
        : 'must not be empty';
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array'
        ? `must have ${issue.maximum} ${issue.origin === 'string' ? 'characters' : 'entries'} or fewer`
        : `must be ${issue.maximum} or less, not ${described(issue.input)}`;
    default:
      return undefined;
  }
}

function atLeast({ minimum, inclusive }: Pick<z.core.$ZodIssueTooSmall, 'minimum' | 'inclusive'>): string {
  return inclusive === false ? `more than ${minimum}` : `${minimum} or more`;
}

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a map',
  record: 'a map',
  string: 'text',
};

function kindOf(expected: string): string {
  return KINDS[expected] ?? expected;
}

function described(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  return typeof value === 'string'
    ? `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 37)}...` : value)}`
    : String(value);
}

/** The innermost issue with a path: for a union, that of the intended form; for a key, the problem with the key. */
export function problemOf(issue: z.core.$ZodIssue): Problem {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code === 'unrecognized_keys')
    return { path: [...path, issue.keys[0] ?? ''], at: 'key', message: issue.message };
  if (issue.code === 'invalid_key')
    return { path, at: 'key', message: `the name "${path.at(-1)}" ${issue.issues[0]?.message}` };
  if (issue.code !== 'invalid_union') return { path, message: issue.message };
  const meant = issue.errors.flat().find((inner) => inner.path.length > 0);
  if (meant === undefined) return { path, message: issue.message };
  const inner = problemOf(meant);
  return { ...inner, path: [...path, ...inner.path] };
}

/**
 * A problem as text, `stages.report.after[0]: ...`. An invalid key is named by its message; the path ends before it.
 */
export function sentence({ path, at, message }: Problem): string {
  const steps = at === 'key' ? path.slice(0, -1) : path;
  const where = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return where === '' ? message : `${where.slice(1)}: ${message}`;
}

function firstLower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
