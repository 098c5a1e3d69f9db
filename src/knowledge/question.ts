/**
 * A question taken apart: its terms, its options, and the kinds of values that would answer it. It works from the
 * first words of the question and the noun after them; it knows no subject. Pure.
 */
import { sameValue, type ValueKind } from '../machines/answers/evidence.ts';
import { isGeneric, questionTermsOf, termOf, termsOf, WORD } from './words.ts';

export interface Question {
  /** The terms of the subject, without those of the options. */
  readonly terms: ReadonlySet<string>;
  /** The words of the question in lower case. */
  readonly words: ReadonlySet<string>;
  readonly options: readonly string[];
  /** The kinds of values that can answer the question, the likeliest first. */
  readonly kinds: readonly ValueKind[];
  /**
   * The terms of what the answer counts: the words after "how many" or "number of", one of which follows the number.
   * Null if the question counts nothing.
   */
  readonly counted: ReadonlySet<string> | null;
  /** The name whose version is asked for, in lower case. Null if there is none. */
  readonly versionOf: string | null;
  /** The term of the class of things of which the answer is one: "which library". Null if the question names none. */
  readonly class: string | null;
}

interface KindRule {
  readonly when: RegExp;
  readonly kinds: readonly ValueKind[];
}

const UNITS = 'milliseconds?|seconds?|minutes?|hours?|days?|weeks?|months?|years?';
const SPANS = 'timeouts?|intervals?|ttl|delay|period|retention|deadline|lifetime|duration|frequency|age|cooldown|time';
const AMOUNTS =
  'port|number|count|limit|maximum|minimum|max|min|size|length|width|height|capacity|threshold|rate|percentage|' +
  'status|code|weight|price|cost|fee|amount|depth|edition|quota|level|temperature|rounds?|coverage|share|ratio';

const PLACES = 'file|folder|directory|path|url|address|endpoint|bucket|host';

/** Matches a question about a length in characters, not in time. */
const HOW_LONG_A_TEXT = /\bhow (?:long must|long (?:may|should|can) .*\bbe\b)|\bhow long .*\bat least\b/i;

/** Matches the beginning of a question about a moment. */
const AT = '^(?:(?:at|on|in|until|since|from|by) )?';

/** Rules for the kinds of values. The first that fits applies. */
const KINDS: readonly KindRule[] = [
  { when: /^why\b|\bwhat(?: is|'s)? the reason\b/i, kinds: ['text'] },
  { when: HOW_LONG_A_TEXT, kinds: ['number', 'duration'] },
  { when: new RegExp(`\\b(?:how many|how much|many) (?:${UNITS})\\b`, 'i'), kinds: ['duration', 'number'] },
  { when: /\bhow (?:long|soon)\b/i, kinds: ['duration'] },
  { when: /\bhow (?:often|frequently)\b/i, kinds: ['number', 'duration'] },
  { when: /\bhow (?:large|big)\b/i, kinds: ['size', 'number'] },
  { when: /\bhow (?:many|much|high|wide|deep|far|old|strong)\b/i, kinds: ['number', 'size', 'duration'] },
  { when: /\b(?:who|whom|whose)\b|\be?-?mail address\b/i, kinds: ['person'] },
  {
    when: new RegExp(`\\b(?:which|what)(?:'s| is)? (?:the )?(?:[\\w-]+ )?(?:${PLACES})\\b`, 'i'),
    kinds: ['place'],
  },
  { when: /\bwhere\b/i, kinds: ['place'] },
  { when: /\b(?:which|what)\b.*\b(?:versions?|releases?|major)\b/i, kinds: ['version', 'number'] },
  { when: /\bversions?\b.*\b(?:which|what)\b/i, kinds: ['version', 'number'] },
  { when: /\b(?:error|warning|deprecation|event) codes?\b/i, kinds: ['name', 'number'] },
  { when: /\bname of\b/i, kinds: ['name', 'place'] },
  { when: new RegExp(`${AT}(?:which|what) (?:day|date|month|year)\\b`, 'i'), kinds: ['text', 'duration'] },
  { when: new RegExp(`${AT}(?:when|(?:which|what) time)\\b`, 'i'), kinds: ['duration', 'text'] },
  { when: new RegExp(`\\b(?:which|what)\\b.*\\b(?:${SPANS})\\b`, 'i'), kinds: ['duration', 'number'] },
  {
    when: new RegExp(`\\b(?:which|what)\\b.*\\b(?:${AMOUNTS})\\b`, 'i'),
    kinds: ['number', 'size', 'duration'],
  },
  { when: /\b(?:which|what|whats)\b/i, kinds: ['name', 'version'] },
  { when: /^(?:is|are|was|do|does|did|can|may|must|should|shall|will|has|have|could)\b/i, kinds: ['truth'] },
];

/** Matches what is counted: the words after "how many", up to one that begins something else. */
const COUNTED = new RegExp(
  String.raw`\b(?:how many|(?:number|count) of) ((?:(?!(?:do|does|did|is|are|was|were|can|may|must|should|will|per|` +
    String.raw`in|on|of|for|to|from|with|before|after|until|between|the|an?)\b)[\p{L}-]+ ?){1,4})`,
  'iu',
);

/** Patterns of the name whose version is asked for. */
const VERSION_OF = [/\bversions? of (?:the )?([\w@./+#-]+)/i, /([\w@./+#-]+) (?:major |minor )?versions?\b/i];

/** Matches the unit in which an amount is asked for, which the answer may state otherwise. */
const UNIT = new RegExp(
  `\\b(?:how many|how much|in|of) ((?:${UNITS}|ms|secs?|mins?|[kmg]b|bytes|kilobytes|megabytes)\\b)`,
  'giu',
);
const CLASS =
  /\b(?:which|what) (?:[\p{L}-]+ )??([\p{L}-]+)(?= (?:do|does|is|are|was|will|should|can|must|has|have|we)\b)/iu;
const CLASS_FIRST = /\b(?:which|what) ([\p{L}-]+)/iu;

/** Terms in a question about a version that add nothing to "version". */
const VERSION_WORDS = questionTermsOf(
  'version release major pinned installed required needed supported minimum package library depend',
);

/** Terms in a question about a date, which a date does not have. */
const DATE_WORDS = termsOf('date day month year');

/** Matches yes and no, which are not searched as options: a statement answers such a question. */
const YES_NO = /^(?:yes|no|true|false)$/i;

/** Matches what an asker reports of its sources after the question, which is not part of what is asked. */
const REPORTED = new RegExp(
  String.raw`(?<=\?)\s+(?:the|our|my) (?:plan|prd|spec(?:ification)?|docs?|documentation|readme|ticket|issue|design) ` +
    String.raw`(?:only |just )?(?:says?|states?|mentions?|does(?: not|n't) say|is silent)\b[^?]*$`,
  'i',
);

/** Analyses a question. */
export function questionOf(asked: string, given: readonly string[] | null): Question {
  const text = asked.replace(REPORTED, '');
  const options = (given ?? alternativesIn(text)).filter((option) => !YES_NO.test(option) && option.trim() !== '');
  const terms = questionTermsOf(withoutWords(text.replaceAll(UNIT, ' '), options));
  const words = new Set((text.match(WORD) ?? []).map((word) => word.toLowerCase()));
  if (options.length > 1) {
    return { terms, words, options: unique(options), kinds: ['option'], counted: null, versionOf: null, class: null };
  }
  const kinds = KINDS.find(({ when }) => when.test(text))?.kinds ?? ['text'];
  if (HOW_LONG_A_TEXT.test(text)) terms.add('length');
  if (kinds[0] === 'version') for (const term of VERSION_WORDS) terms.delete(term);
  if (kinds[0] === 'text') for (const term of DATE_WORDS) terms.delete(term);
  if (kinds[0] === 'place') terms.delete('url');
  const counted = termsOf(COUNTED.exec(text.replaceAll(UNIT, ' '))?.[1] ?? '');
  const isNamed = kinds[0] === 'name';
  const klass = isNamed ? (CLASS.exec(text) ?? CLASS_FIRST.exec(text))?.[1] : undefined;
  return {
    terms,
    words,
    options: [],
    kinds,
    counted: counted.size === 0 ? null : counted,
    versionOf: kinds[0] === 'version' ? versionOf(text) : null,
    class: klass === undefined ? null : termOf(klass),
  };
}

/** Matches one option of a question: a quoted text, one or two words that look like a name, or a number. */
const ONE = String.raw`(?:"[^"]{1,60}"|\x60[^\x60]{1,60}\x60|[\w@#+./-]+)`;
const ALTERNATIVES = new RegExp(`(${ONE}(?:, ${ONE})*),? or (?:by |with |in |to )?(${ONE})`, 'u');

/** Matches a question that begins with its options: `alpha or beta for the gate?`, `Is alpha or beta used?`. */
const BEGINS_WITH = new RegExp(
  `^(?:(?:is|are|do (?:we|I) use|should (?:we|I|it) use|use) )?${ONE}(?:, ${ONE})*,? or ${ONE} ` +
    '(?:for|as|in|to|with|when|on|at|used|needed|preferred|the)\\b',
  'iu',
);

/** The options that a question names: `A, B or C`. Other ordinary words are not taken for options. */
function alternativesIn(text: string): readonly string[] {
  const [, before, last] = ALTERNATIVES.exec(text) ?? [];
  if (before === undefined || last === undefined) return [];
  const found = [...before.split(', '), last].map((one) => one.replaceAll(/^["`]|["`?.]+$/g, ''));
  const isNamed =
    BEGINS_WITH.test(text) ||
    found.every((one) => /[A-Z0-9@./#+-]|^[a-z]+[A-Z]/.test(one)) ||
    /["`]/.test(`${before}${last}`);
  return isNamed ? found : [];
}

/** The name beside "version"; an adjective there is no name, and then any word of the question may be it. */
function versionOf(text: string): string | null {
  const found = VERSION_OF.map((pattern) => pattern.exec(text)?.[1]).find((name) => name !== undefined);
  const name = (found ?? '').toLowerCase().replace(/[?.,]+$/, '');
  const term = termOf(name);
  return term === null || VERSION_WORDS.has(term) || isGeneric(term) ? null : name;
}

/** A text without the words of its options, which are no part of its subject. */
function withoutWords(text: string, options: readonly string[]): string {
  const words = new Set(options.flatMap((option) => option.toLowerCase().match(WORD) ?? []));
  return text.replaceAll(WORD, (word) => (words.has(word.toLowerCase()) ? ' ' : word));
}

function unique(options: readonly string[]): string[] {
  return [...new Map(options.map((option) => [sameValue(option), option])).values()];
}
