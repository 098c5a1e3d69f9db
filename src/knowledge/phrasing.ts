/**
 * How a sentence says something: whether it denies a name, leaves a matter open, or names an option at all. Pure.
 */

/** Words behind which a name is denied, up to three words on. */
const DENIED_BEFORE = new RegExp(
  String.raw`\b(?:not|never|no longer|neither|nor|instead of|rather than|against|avoid|avoids|` +
    String.raw`without|unlike|than|reject(?:s|ed)?|drop(?:s|ped)?|replac(?:e|es|ed|ing)|remov(?:e|` +
    String.raw`es|ed)|forbids?|(?:away|migrat\w+) from|used to be|formerly|considered)\s+(?:[\w-]+\s+){0,2}[` +
    String.raw`"'\x60*(]?$`,
  'i',
);

/** Matches a preference for something else over the name. */
const PASSED_OVER =
  /\b(?:chos\w+|choos\w+|prefer\w*|pick\w*|favou?r\w*|select\w*)\b.*\bover\s+(?:[\w-]+\s+){0,2}["'`*(]?$/i;

/** Matches words, shortly after the name, that negate it. */
const DENIED_BEHIND = new RegExp(
  String.raw`^(?:e?s\b)?["'\x60*)]*(?:(?:,| and| or)? [\w-]+){0,3}? (?:(?:is|are|was|were|has been|` +
    String.raw`have been|must|should|may|can|will) (?:not|never|no longer|rejected|dropped|replaced|` +
    String.raw`removed|forbidden|deprecated|turned down|ruled out|considered|discarded|abandoned)|` +
    String.raw`cannot|would need|needed)\b`,
  'i',
);

/** Matches statements about something open, past or hypothetical. */
const HEDGED = new RegExp(
  String.raw`\?\s*$|\b(?:maybe|perhaps|might|possibly|one day|some ?day|once tried|was considered|` +
    String.raw`were considered|looked at|on the table|came up|come up|comes up|was mentioned|people ask|` +
    String.raw`what if|nice to have|used to be|formerly|previously|in the past|proposal|could be|` +
    String.raw`would be|for (?:example|instance)|if|e\.g\.|such as|not yet|to be decided|undecided|` +
    String.raw`whether|tbd|wip)\b`,
  'i',
);

/** Whether the words around the name at this position negate it. */
export function isDenied(text: string, at: number, length: number): boolean {
  const before = clauseBefore(text, at);
  return (
    DENIED_BEFORE.test(before) ||
    PASSED_OVER.test(before) ||
    DENIED_BEHIND.test(text.slice(at + length, at + length + 80))
  );
}

/** Whether the words before the amount at this position negate it. A bound ("not fewer than 8") states its amount. */
export function isDeniedAmount(text: string, at: number): boolean {
  return /\b(?:not|no longer|instead of|rather than)\s+["'`*(]?$/i.test(clauseBefore(text, at));
}

/** Whether a sentence leaves its subject open. */
export function isHedged(text: string): boolean {
  return HEDGED.test(text);
}

function clauseBefore(text: string, at: number): string {
  return text
    .slice(Math.max(0, at - 60), at)
    .split(/[;:]|\. /)
    .at(-1)!;
}

/** The clauses of a sentence with their positions. A statement in one clause need not apply to another. */
export function clausesOf(text: string): { readonly text: string; readonly at: number }[] {
  const clauses: { text: string; at: number }[] = [];
  let at = 0;
  for (const part of text.split(/((?:, (?:then |but |and |or |while )?|; |: | but | while | \| ))/)) {
    if (!/^(?:, .*|; |: | but | while | \| )$/.test(part)) clauses.push({ text: part, at });
    at += part.length;
  }
  return clauses.filter((clause) => clause.text.trim() !== '');
}

/** Matches statements about what was once so. */
const PAST = new RegExp(
  String.raw`\b(?:until|before|prior to|up to) (?:the )?(?:\w+ )?(?:\d{4}|v?\d+\.\d+)\b|\bleft \S+ behind\b|` +
    String.raw`\b(?:was|were) (?:once|switched off|retired|phased out|given up|shut down|thrown out|abandoned)\b|` +
    String.raw`\b(?:once (?:ran|used|meant)|moved (?:away|off)|got rid of|said goodbye to|in the old days)\b`,
  'i',
);

/** Whether a sentence tells what was once so. */
export function isPast(text: string): boolean {
  return PAST.test(text);
}

/** Whether an option is a name, with capitals or digits, and not an ordinary word. */
export function isName(option: string): boolean {
  return /[\p{Lu}\d.@/#+-]/u.test(option);
}

/** A name to be found in many texts. */
export class NamePattern {
  readonly name: string;
  readonly #strict: RegExp;
  readonly #loose: RegExp;

  constructor(name: string) {
    const pattern = name.trim().split(/\s+/).map(escaped).join('\\s+');
    // The plural of a name is the name; a part of a longer name is not.
    const whole = `(?<![\\p{L}\\p{N}_@/.-])${pattern}(?:s|es)?(?![\\p{L}\\p{N}_]|[./-][\\p{L}\\p{N}])`;
    this.name = name;
    this.#loose = new RegExp(whole, 'giu');
    this.#strict = isName(name) ? new RegExp(whole, 'gu') : this.#loose;
  }

  /**
   * The positions at which a text has the name. One with capitals or digits is matched exactly, an ordinary word in any
   * case, so that the verb `express` does not match `Express`; where `isLoose`, any name is matched in any case.
   */
  placesIn(text: string, { isLoose = false } = {}): number[] {
    return [...text.matchAll(isLoose ? this.#loose : this.#strict)].map(({ index }) => index);
  }

  /** Whether a text denies the name at all of these positions. */
  isDeniedAt(text: string, places: readonly number[]): boolean {
    return places.every((at) => isDenied(text, at, this.name.length));
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
