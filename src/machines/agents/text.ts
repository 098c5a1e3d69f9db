/**
 * Texts of tasks and profiles as words (AC-028): lower case, no punctuation, phrases matched on the boundaries of
 * words, and stems for retrieval. The same in every language of the machine. Pure.
 */
import { stemmer } from 'stemmer';

/**
 * Words that say nothing about a task: a text of these alone matches no agent. Verbs that fit any task (make, use) are
 * among them, verbs of a trade (build, review, deploy) are not.
 */
const EMPTY_WORDS = new Set(
  (
    'a an the this that these those it its they them their there here i me my mine we us our you your he she his her ' +
    'of in on at by to for from with without into onto over under about as than then if else so because while when ' +
    'where which who whom whose what why how is are was were be been being am do does did done doing have has had ' +
    'having will would shall should can could may might must and or nor not no yes but also too very just only even ' +
    'still again any all some each every both few more most much many other another such same own please want wants ' +
    'need needs needed make makes making made get gets getting got give gives take let lets use uses using used go ' +
    'goes going come put set ll ve re don doesn isn aren won t s d m one two its up down out off now soon asap ' +
    'hi hello hey thanks thank thing things something anything everything someone anyone like really way able ' +
    'around between before after during until per via etc new old good great nice well best better right ' +
    'find finds show shows tell tells say says know knows year years month months week weeks day days today tomorrow ' +
    'ive im id ill youre weve theyre dont doesnt didnt isnt arent wasnt cant couldnt wouldnt wont havent hasnt ' +
    'whats thats theres lets ' +
    'time times work works working people person three four five six seven eight ten first last next own itself '
  ).split(' '),
);

/** Words whose forms the rules of endings would keep apart, each with a form that they reduce well. */
const IRREGULAR: Readonly<Record<string, string>> = {
  indices: 'index',
  ran: 'run',
  wrote: 'write',
  written: 'write',
  built: 'build',
  broke: 'break',
  broken: 'break',
  chose: 'choose',
  chosen: 'choose',
  sold: 'sell',
};

/** Matches the beginnings of word families whose members the rules of endings would keep apart. */
const FAMILIES = /^(analy|architect|explor)/;

/** Matches British endings, which become American ones. */
const BRITISH = /is(?=(?:e|ed|es|er|ers|ing|ations?)$)/;

/** A text of letters, digits and punctuation of ASCII: most texts, which are normalised in a third of the time. */
const ASCII = /^[\x00-\x7f]*$/;

/** A text in lower case, its words separated by one space and without punctuation. */
export function normalised(text: string): string {
  const isAscii = ASCII.test(text);
  const spelt = (isAscii ? text : text.normalize('NFKC'))
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/c\+\+/g, 'cpp')
    .replace(/([cf])#/g, '$1sharp');
  return spelt.replace(isAscii ? /[^a-z0-9]+/g : /[^\p{L}\p{N}]+/gu, ' ').trim();
}

/** Matches words that are also written as two, which retrieval treats as one. */
const COMPOUNDS = new RegExp(
  '\\b(log in|sign in|sign up|set up|front end|back end|full stack|open source|e mail|data base|web site|check out|' +
    'roll back|road map|white space|disk space|app store|play store|a b tests?|go live)\\b',
  'g',
);

/** The words of a normalised text. */
export function wordsOf(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}

/** Whether a word is meaningful for a task. */
export function hasMeaning(word: string): boolean {
  return word.length > 1 && !EMPTY_WORDS.has(word) && !/^\d+$/.test(word);
}

/** A normalised text with each simple plural in the singular, so that "apis" and "api" match. */
export function inSingular(text: string): string {
  return wordsOf(text).map(singular).join(' ');
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith('s') && !/(ss|us|is|ios)$/.test(word) ? word.slice(0, -1) : word;
}

/** The stem of a word (M. F. Porter, 1980): "deploying", "deployment" and "deploys" have the same one. */
export function stemOf(word: string): string {
  return FAMILIES.exec(word)?.[1] ?? stemmer((IRREGULAR[word] ?? word).replace(BRITISH, 'iz'));
}

/** The stems of a text's meaningful words, in order and with duplicates. */
export function stemsOf(text: string): string[] {
  return meaningfulWords(text).map(stemOf);
}

/** Like {@link stemsOf}, for many texts: stems are cached in the caller's map. */
export function knownStemsOf(text: string, known: Map<string, string>): string[] {
  return meaningfulWords(text).map((word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const stem = stemOf(word);
    known.set(word, stem);
    return stem;
  });
}

/** The meaningful words of a text by stem. Of several with one stem, the first is kept. */
export function wordsByStem(text: string): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  for (const word of meaningfulWords(text)) if (!words.has(stemOf(word))) words.set(stemOf(word), word);
  return words;
}

/** Whether a text has words that retrieval joins to one. */
export function hasCompound(text: string): boolean {
  return normalised(text).search(COMPOUNDS) >= 0;
}

/**
 * The meaningful words of a text, in order.
 *
 * @param also Words without a meaning of their own that are kept.
 */
export function meaningfulWords(text: string, also?: ReadonlySet<string>): string[] {
  const joined = normalised(text).replace(COMPOUNDS, (words) => words.replaceAll(' ', ''));
  return wordsOf(joined).filter((word) => hasMeaning(word) || also?.has(word) === true);
}
