/**
 * The points that the description and the criteria of a task leave open, by plain marks of English: a question,
 * `TBD`, `to be decided`, `<name of the host>`. People say it in many more ways, which only a reader sees: the port
 * `openPoints` goes first. A mark inside a quotation, code or an address opens nothing. Pure.
 */
import { anyOf, words } from '../../people/clarity/word-patterns.ts';
import { type WorkItem } from '../../work/work-item.ts';

/** Texts of programs and of surfaces: in quotes, in back-quotes, or a word with a question mark inside. */
const QUOTED = new RegExp(
  anyOf(
    '`[^`\\n]*`|"[^"\\n]*"|“[^“”\\n]*”',
    String.raw`(?<=^|[\s(])'[^'\n]*'(?=$|[\s).,;:!?])`,
    String.raw`(?<!\S)[^\s?]*\?\S*\w\S*|\(\?\)`,
  ),
  'g',
);

const NOT = String.raw`(?:\b(?:not|never|nobody|no one)|n't)`;
const WH = '(?:whether|if|which|what|who|how|where|when)';
const SETTLED =
  '(?:decided|defined|determined|clarified|confirmed|agreed|discussed|settled|specified|supplied|provided)';

const OPEN = new RegExp(
  anyOf(
    String.raw`[\p{L}\d)\]'_]\?+[\s)*]*$|\?{3}`,
    '<(?:[A-Z]|[^<>/= ]+ [^<>/=]+)>',
    String.raw`^\W*tb[dca]\W*$|(?:[:=(,–—-]|\b(?:is|are|still))\s*tb[dca]\b`,
    String.raw`${NOT}(?: has| have| been| yet| fully| really| ever)* (?:decided|settled|agreed|signed off)\b`,
    String.raw`${NOT}(?: quite| really| yet)? (?:sure|certain|clear)(?: yet| about)? ${WH}\b`,
    words(
      `to be ${SETTLED}`,
      `(?:still|first) (?:need|have)s? to (?:agree|decide|clarify|find out|discuss|define)`,
      `(?:open question|unsure|unclear|(?:i|we) (?:do not|don't) know|(?:nobody|no one) knows) ${WH}`,
    ),
  ),
  'iu',
);

/** A question about the reason of a task, which its author answers. */
const REASON = /^\W*why\b[^?]*\?\W*$/i;

/** The sentences of the description, and the criteria, that leave something open. */
export function openPointsIn({ description, context }: Pick<WorkItem, 'description' | 'context'>): readonly string[] {
  const said = [...sentencesOf(description), ...context.acceptance];
  return said.filter((one) => OPEN.test(unquoted(one)) && !REASON.test(one));
}

/** Sentences, each whole with the quotations in it. */
function sentencesOf(text: string): readonly string[] {
  const ends = [...unquoted(text).matchAll(/(?<=[.!?])\s+|\n+|$/g)].map(({ index }) => index);
  return ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end).trim());
}

/** The text with an underscore for each character of a quotation. */
function unquoted(text: string): string {
  return text.replaceAll(QUOTED, (quoted) => '_'.repeat(quoted.length));
}
