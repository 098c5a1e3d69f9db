/** Findings of all formats: their bounds, and the names of their files. */
import { isAbsolute, normalize, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type z } from 'zod';
import { type Finding } from '../../machines/hub/report.ts';

/** Characters of a message: enough to act on. The whole of it is in the tool's own report. */
export const MESSAGE_CHARS_MAX = 1_000;
export const RULE_CHARS_MAX = 300;
/** Characters of the message of a failed test, for those who mend it, and of a value that it compared. */
const [TOLD_CHARS_MAX, VALUE_CHARS_MAX] = [2_000, 500];
/** Characters of the longest path of any system. */
export const FILE_CHARS_MAX = 4_096;

/** A finding as a tool has it. */
export interface Found {
  readonly rule?: string | null | undefined;
  readonly level: Finding['level'];
  readonly message: string;
  /** A path, or a URI with the scheme `file`. */
  readonly file?: string | null | undefined;
  /** A number, or its digits. */
  readonly line?: unknown;
  readonly column?: unknown;
  /** The values that a test compared, where its runner has them apart. */
  readonly expected?: unknown;
  readonly actual?: unknown;
}
export type Place = Pick<Found, 'file' | 'line' | 'column'>;

/** Tests by their results. Their names have those of groups before them, with ` > ` between. */
export interface TestRun {
  readonly passed: readonly string[];
  readonly failed: readonly ReturnType<typeof failedTest>[];
  readonly skipped: readonly string[];
}

/** A failed test within bounds, with the values that it compared where they are told. */
export function failedTest(test: string, told: Pick<Found, 'message' | 'expected' | 'actual'>) {
  const message = clip(told.message.trim(), TOLD_CHARS_MAX);
  const valueOf = (value: unknown, inMessage: RegExp) => {
    const said = value ?? inMessage.exec(message)?.[1];
    return said === undefined ? said : clip(typeof said === 'string' ? said : JSON.stringify(said), VALUE_CHARS_MAX);
  };
  // As node --test, Jest and testify write them.
  const expected = valueOf(told.expected, /^\s*expected\s*:\s*(.+?),?$/im);
  return { test, message, expected, actual: valueOf(told.actual, /^\s*(?:actual|received)\s*:\s*(.+?),?$/im) };
}

/** A finding of a tool with the bounds of ours. */
export function findingOf({ rule, level, message, file, line, column }: Found, workspace?: string): Finding {
  return {
    rule: rule ? clip(rule, RULE_CHARS_MAX) : null,
    level,
    message: clip(message.trim(), MESSAGE_CHARS_MAX),
    file: file ? fileIn(file, workspace) : null,
    line: place(line),
    column: place(column),
  };
}

/** A text with at most so many characters. */
export function clip(text: string, charsMax: number): string {
  return (text.length > charsMax ? `${text.slice(0, charsMax - 1)}…` : text).toWellFormed();
}

/** A line or a column; null for what cannot be one, such as 0 where a tool does not know. */
function place(given: unknown): number | null {
  const number = typeof given === 'string' ? Number(given) : given;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : null;
}

function fileIn(file: string, workspace: string | undefined): string | null {
  if (file.length > FILE_CHARS_MAX) return null;
  const path = file.startsWith('file:') ? pathOf(file) : file;
  if (!isAbsolute(path)) return normalize(path);
  if (workspace === undefined) return path;
  const inside = relative(workspace, path);
  const isOutside = inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return isOutside ? path : inside;
}

/** The path that a URI means, relative if it is. */
export function pathOf(uri: string): string {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : decodeURIComponent(uri);
  } catch {
    // The file of another machine, or no encoded path.
    return uri;
  }
}

/** The place in `file:line:column`, in brackets behind the name of a function if need be. */
export function pointOf(said: unknown): Place {
  if (typeof said !== 'string' || said.length > FILE_CHARS_MAX) return {};
  const point = said.slice(said.lastIndexOf('(') + 1).replace(/[):,]+$/, '');
  const [, file, line, column] = /^(.+?):(\d+)(?::(\d+))?$/.exec(point) ?? [];
  return { file, line, column };
}

/** Parses JSON of a shape. Throws the first flaw with its place. */
export function parsedJson<Shape extends z.ZodType>(text: string, shape: Shape): z.output<Shape> {
  const parsed = shape.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new Error(`${path.join('.') || 'the whole'}: ${message}`);
}
