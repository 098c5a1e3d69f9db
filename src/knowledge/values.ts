/**
 * Values in statements: numbers, spans of time, sizes, versions, names, people, places and truths, in the form in which
 * two sources can be compared: 90 seconds, 1.5 minutes and `90000` under a key that ends in Ms are one value. Pure.
 */
import { type ValueKind } from '../machines/answers/evidence.ts';

export interface Value {
  /** The value in the form in which it is compared and shown. */
  readonly text: string;
  readonly kind: ValueKind;
  /** The position of the value in its text. */
  readonly at: number;
  /** The word after a number: its unit, or the things that it counts. Empty if there is none. */
  readonly counts: string;
}

const MS = { ms: 1, second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** Spellings of units of time, with their milliseconds. */
const TIME_UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|msec|millis|milliseconds?)$/i, MS.ms],
  [/^(?:s|secs?|seconds?)$/i, MS.second],
  [/^(?:m|mins?|minutes?)$/i, MS.minute],
  [/^(?:h|hrs?|hours?)$/i, MS.hour],
  [/^(?:d|days?|nights?)$/i, MS.day],
  [/^(?:w|weeks?)$/i, 7 * MS.day],
  [/^months?$/i, 30 * MS.day],
  [/^(?:y|years?)$/i, 365 * MS.day],
];

/** Units for showing a duration; the largest one that divides it is used. */
const SHOWN: readonly (readonly [string, number])[] = [
  ['years', 365 * MS.day],
  ['days', MS.day],
  ['hours', MS.hour],
  ['minutes', MS.minute],
  ['seconds', MS.second],
  ['ms', MS.ms],
];

const SIZE_UNIT = /^(?:[kmgt]i?b?|bytes?|b|[KMGT]i?B?)$/i;

/** Numbers as words. "One" is missing, since it mostly does not count anything. */
const WORD_NUMBERS = new Map(
  'two three four five six seven eight nine ten eleven twelve'.split(' ').map((word, index) => [word, index + 2]),
);

const NUMBER = /(?<![\w.#-])(\d[\d_]*(?:,\d{3})*(?:\.\d+)?(?:e\d{1,2})?)(?: ?(%|[\p{L}]+))?(?![\w]*\.\d)/gu;
const WORD_NUMBER = new RegExp(`\\b(${[...WORD_NUMBERS.keys()].join('|')}) ([\\p{L}]+)`, 'giu');
const VERSION = /(?<![\w./])[v^~=<>! ]{0,3}(\d+(?:\.\d+)+(?:-[\w.]+)?|v\d+)(?![\w.]*\w)/gu;
const TRUTH = /^(?:true|false|yes|no|on|off|enabled|disabled)$/i;

/** Patterns of names in prose: code spans, bold text, words with inner capitals, and runs of capitalised words. */
const CODE_SPAN = /`([^`\n]{1,80})`|\*\*([^*\n]{1,80})\*\*/gu;
const PROPER = /(?<![\p{L}\p{N}`/.-])(\p{Lu}[\p{L}\p{N}+#.-]*(?: \p{Lu}[\p{L}\p{N}+#-]*)*)/gu;
/** Patterns of persons: two capitalised words, an address, a handle. */
const PERSON = new RegExp(
  String.raw`(?<![\p{L}\p{N}\x60/.-])(\p{Lu}[\p{Ll}\p{N}'-]+(?: (?:\p{Lu}[\p{L}'-]*|van|von|de|der|` +
    String.raw`da|di|bin|al|el)){0,4} \p{Lu}[\p{L}'-]+)|(?<![\w.+-])([\w.+-]{1,64}@[\w-]{1,64}\.[\w.]+)|` +
    String.raw`(?<!\w)(@[a-z][\w-]*(?:\/[\w-]+)?)`,
  'gu',
);
const AFTER_USE = /\b(?:with|uses?|using|through|via) (?:an? |the )?([\p{L}\p{N}][\p{L}\p{N}+#./_-]*)/gu;
const PATH = /(?<![\w])(?:https?:\/\/[^\s`"')]+|[\w.-]+:\/\/[^\s`"')]+|~?\.{0,2}\/[\w./-]+|[\w-]+(?:\/[\w.-]+)+)/gu;
const MOMENT = new RegExp(
  String.raw`\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|(?:January|February|March|April|` +
    String.raw`May|June|July|August|September|October|November|December)|\d{1,2}:\d{2}|\d{4}-\d{2}(?:-\d{2})` +
    String.raw`?|every (?:hour|day|night|week|month|year))\b`,
  'gu',
);

/** The values of these kinds in prose, ordered by kind, then by position. Digits in URLs do not count as numbers. */
export function valuesInProse(text: string, kinds: readonly ValueKind[]): Value[] {
  const said = text.replaceAll(/https?:\/\/\S+/g, (address) => ' '.repeat(address.length));
  const numbers = kinds.some((kind) => kind in AMOUNTS) ? numbersIn(said) : [];
  return kinds.flatMap((kind) => AMOUNTS[kind]?.(numbers) ?? FINDERS[kind]?.(kind === 'place' ? text : said) ?? []);
}

/** The values that numbers with their units are. */
const AMOUNTS: Partial<Record<ValueKind, (numbers: readonly FoundNumber[]) => Value[]>> = {
  number: (numbers) =>
    numbers
      // A number of seconds is a span of time.
      .filter(({ counts }) => counts === 'm' || timeUnitMs(counts) === undefined)
      .map(({ digits, at, counts }) => ({ text: digits, kind: 'number', at, counts })),
  duration: (numbers) =>
    numbers.flatMap(({ digits, at, counts }): Value[] => {
      const unitMs = counts === 'm' ? undefined : timeUnitMs(counts);
      return unitMs === undefined ? [] : [{ text: shownSpan(Number(digits) * unitMs), kind: 'duration', at, counts }];
    }),
  size: (numbers) =>
    numbers
      .filter(({ counts }) => SIZE_UNIT.test(counts))
      .map(({ digits, at, counts }) => ({ text: `${digits} ${counts.toUpperCase()}`, kind: 'size', at, counts })),
};

const FINDERS: Partial<Record<ValueKind, (text: string) => Value[]>> = {
  version: (text) => found(text, VERSION, 'version'),
  name: (text) => [...found(text, CODE_SPAN, 'name'), ...properIn(text, 'name'), ...found(text, AFTER_USE, 'name')],
  person: (text) => found(text, PERSON, 'person'),
  place: (text) => [
    ...found(text, PATH, 'place'),
    ...found(text, CODE_SPAN, 'place').filter(isPlace),
    ...properIn(text, 'place'),
  ],
};

/** The amount that a text is as a whole, in the form in which it is compared: `90 s` is `90 seconds`. */
export function amountOf(text: string): string | undefined {
  return /^[\d.,_]+\s*[\p{L}%]*$/u.test(text.trim())
    ? valueOfKey('', text.trim(), ['duration', 'size', 'number'])?.text
    : undefined;
}

/** Whether a value has the form of a path, a file, a URL or a host. */
export function isPlace({ text }: Pick<Value, 'text'>): boolean {
  return !/\s/.test(text) && (/\//.test(text) || /^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?::\d+)?$/i.test(text));
}

/** The value of a key, if it is of one of these kinds. */
export function valueOfKey(key: string, value: string, kinds: readonly ValueKind[]): Value | undefined {
  const plain = value.trim().replaceAll(/^["'`]|["'`,;]+$/g, '');
  for (const kind of kinds) {
    const text = keyValueAs(kind, key, plain);
    if (text !== null) return { text, kind, at: 0, counts: '' };
  }
  return undefined;
}

function keyValueAs(kind: ValueKind, key: string, value: string): string | null {
  const [, digits, unit] =
    /^(-?\d[\d_,]*(?:\.\d+)?(?:e\d{1,2})?)\s*([\p{L}%]*)$/u.exec(value) ?? spanCall(value) ?? product(value) ?? [];
  switch (kind) {
    case 'duration': {
      const unitMs = digits === undefined ? undefined : (timeUnitMs(unit ?? '') ?? unitOfKeyMs(key));
      return unitMs === undefined ? null : shownSpan(numberOf(digits!) * unitMs);
    }
    case 'number': {
      if (digits === undefined) return /^[\d\s*+<()_.-]+$/.test(value) && /\d/.test(value) ? value : null;
      const unitMs = timeUnitMs(unit ?? '') ?? unitOfKeyMs(key);
      return unitMs === undefined ? plainNumber(digits) : shownSpan(numberOf(digits) * unitMs);
    }
    case 'size':
      return digits !== undefined && SIZE_UNIT.test(unit ?? '') && unit !== ''
        ? `${plainNumber(digits)} ${unit!.toUpperCase()}`
        : null;
    case 'version':
      return found(value, VERSION, 'version')[0]?.text ?? (/^\d+$/.test(value) ? value : null);
    case 'truth':
      return TRUTH.test(value) ? value.toLowerCase() : null;
    case 'place':
      return isPlace({ text: value }) ? value : null;
    case 'name':
    case 'person':
      return value === '' || /^[\d.,_]+$/.test(value) || TRUTH.test(value) || value.length > 120 ? null : value;
    case 'option':
    case 'text':
      return null;
  }
}

/** Other spellings of a duration: `Duration::from_secs(4)`, `5 * time.Second`, `00:50:00`. */
function spanCall(value: string): readonly [string, string, string] | undefined {
  const [, hours, minutes, seconds] = /^(\d\d?):([0-5]\d):([0-5]\d)$/.exec(value) ?? [];
  if (hours !== undefined) return ['', String(Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)), 's'];
  const call = /from_(\w+?)s?\((\d[\d_]*)\)/.exec(value);
  if (call !== null) return ['', call[2]!, call[1]!];
  const times = /^(\d[\d_]*) \* time\.(\w+)$/.exec(value);
  return times === null ? undefined : ['', times[1]!, times[2]!.toLowerCase()];
}

/** The number that a product makes: `60 * 1000`, `2 * 1024 * 1024`. */
function product(value: string): readonly [string, string, string] | undefined {
  if (!/^[\d_]+(?: ?\* ?[\d_]+){1,5}$/.test(value)) return undefined;
  return ['', String(value.split('*').reduce((all, one) => all * numberOf(one.trim()), 1)), ''];
}

interface FoundNumber {
  readonly digits: string;
  readonly at: number;
  readonly counts: string;
}

function numbersIn(text: string): FoundNumber[] {
  const digits = [...text.matchAll(NUMBER)].map(({ 1: number, 2: counts, index }) => ({
    digits: plainNumber(number!),
    at: index,
    counts: counts ?? '',
  }));
  const words = [...text.matchAll(WORD_NUMBER)].map(({ 1: word, 2: counts, index }) => ({
    digits: String(WORD_NUMBERS.get(word!.toLowerCase())),
    at: index,
    counts: counts!,
  }));
  return [...digits, ...words].sort((a, b) => a.at - b.at);
}

/** Points in time: days of the week, times of day, dates. */
export function momentsIn(text: string): Value[] {
  return found(text, MOMENT, 'duration');
}

/** Capitalised names. The first word of a text counts only if it has another capital, or if more such words follow. */
function properIn(text: string, kind: ValueKind): Value[] {
  return found(text, PROPER, kind).filter(
    ({ text: name, at }) => at > 0 || name.includes(' ') || /[\p{Lu}\d]/u.test(name.slice(1)),
  );
}

function found(text: string, pattern: RegExp, kind: ValueKind): Value[] {
  return [...text.matchAll(pattern)].map((match) => ({
    text: (match.slice(1).find((group) => group !== undefined) ?? match[0]).replace(/[.,;:]+$/, ''),
    kind,
    at: match.index,
    counts: '',
  }));
}

function timeUnitMs(unit: string): number | undefined {
  return unit === '' ? undefined : TIME_UNITS.find(([pattern]) => pattern.test(unit))?.[1];
}

/** The unit at the end of a key's name: `timeoutMs`, `ttl_seconds`. What is counted per minute is no span of time. */
function unitOfKeyMs(key: string): number | undefined {
  const parts = key.split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((part) => part !== '');
  const last = parts.at(-1);
  return last === undefined || last.length < 2 || parts.at(-2)?.toLowerCase() === 'per' ? undefined : timeUnitMs(last);
}

function shownSpan(spanMs: number): string {
  const [unit, unitMs] = SHOWN.find(([, one]) => spanMs >= one && spanMs % one === 0) ?? ['ms', 1];
  return `${spanMs / unitMs} ${unit}`;
}

function plainNumber(digits: string): string {
  const number = numberOf(digits);
  return Number.isFinite(number) ? String(number) : digits;
}

function numberOf(digits: string): number {
  return Number(digits.replaceAll(/[_,]/g, ''));
}
