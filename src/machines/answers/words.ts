/** The words of a text as rules of this folder compare them: lower case, without marks. Pure. */

/** Words that say nothing about the subject of a question. */
const STOP_WORDS = new Set(
  (
    'a about all also am an and any are as at be been but by can could did do does each else every for ' +
    'from get got had has have he her here him his how i if in into is it its just like may me might more ' +
    'most must my need no not now of off ok okay on one only or other our out over per please put shall ' +
    'she should so some such than that the their them then there these they this those to too under up us ' +
    'use used using very want was we were what when where whether which while who whom whose why will ' +
    'with would yes you your'
  ).split(' '),
);

/**
 * A question in normal form: lower case, without punctuation, single spaces. Equal questions have equal normal forms.
 */
export function normalised(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The distinct words of a text that distinguish it from others, in the order of first use. */
export function contentWords(text: string): readonly string[] {
  return [
    ...new Set(
      normalised(text)
        .split(' ')
        .filter((word) => word !== '' && !STOP_WORDS.has(word))
        .map(stem),
    ),
  ];
}

/** The share of a question's words that occur in a text, from 0 to 1; 0 if the question has none. */
export function relevance(question: string, text: string): number {
  const words = contentWords(question);
  if (words.length === 0) return 0;
  const there = new Set(contentWords(text));
  return words.filter((word) => there.has(word)).length / words.length;
}

/** The singular of a word, so that plural and singular count as one word. */
function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
