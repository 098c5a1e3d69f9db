/**
 * Signs in a reply, in the words of English: that it leaves the decision to others, hedges, sets a condition, asks
 * back, refers to something unsaid, or gives a number or a time. Pure; the weights are in clarity.ts.
 */

import { alone, anyOf, words } from './word-patterns.ts';

const BE_FINE = 'fine|ok|okay|good|work|do|me';
const ASIDE = `(?:[\\w' ]+, )?(?:please |better |you should |just )?`;
const NOBODY_TO_ASK = `for\\b|the (?:user|customer|client)s?\\b`;

const DEFERS = new RegExp(
  anyOf(
    alone('whatever|anything|either|any|tbd|tba|n/a|unknown|pending|later|no comment'),
    words('to be (?:decided|defined|determined|discussed|clarified|confirmed)'),
    words('(?:whatever|whichever) (?:you|works?|is|seems|fits|suits|makes|they|the others)'),
    words('anything (?:is|works|goes|will do|you)', 'any of (?:them|these|those|the two)'),
    words(
      `(?:either|both|all)(?: one| way| of them)? (?:is|are|works?|would|will|sounds?) (?:be )?(?:${BE_FINE})?`,
      'up to you|your (?:call|choice|decision)|you (?:decide|choose|pick|know best)|your best judge?ment',
      'as you (?:like|wish|prefer|see fit)|think (?:is )?best',
      'no (?:strong |real )?(?:preference|opinion|idea|clue)|(?:not |un)sure|dunno|idk',
      "(?:can't|cannot|can not) (?:say|tell)",
    ),
    `(?:^|\\b(?:i|we) )(?:really |honestly |just )?(?:do not|don't|dont) (?:care|mind|know)\\b`,
    `(?:^|\\b(?:it|that) )(?:really )?(?:doesn't|does not) (?:really )?matter\\b`,
    `^\\W*${ASIDE}(?:ask|check with|talk to) (?!${NOBODY_TO_ASK})[\\w' ]{1,30}\\W*$`,
    words(
      "(?:let me|i(?:'ll| will|'d| would| need to| have to)) " +
        '(?:think|(?:double.)?check|ask|look|see|find out|get back|come back|talk|speak|discuss|confirm|clarify)',
    ),
    words(
      "(?:we'll|we will|i'll|let's) (?:see|discuss|talk|decide later)",
      '(?:not|nothing(?: is)?|has not been) (?:yet )?(?:decided|settled|final)|still open',
      "(?:'ll|will) let (?:me|you|us) know",
      "whoever (?:has|wants|likes|feels)|i (?:forgot|forget|(?:do not|don't) (?:remember|recall))",
      'ask me (?:again|later)|(?:more|further) (?:info|information|details|input|context)',
    ),
  ),
  'i',
);

/** Matches expressions of doubt that leave an answer open, as well as merely polite ones. */
const DOUBTS = new RegExp(
  words(
    'maybe|perhaps|probably|possibly|presumably|i (?:guess|suppose|assume)|(?:might|could|may) (?:be|have|work|do)',
    'or (?:was|is|were) (?:it|that|they)|some(?:where|time|day)|at some point',
    "either [\\w' ]{1,40} or",
    'should (?:be fine|work)|sort of|afaik|iirc|not certain|leaning|if i remember|or something|or so|more or less',
  ),
  'gi',
);
const POLITE_DOUBTS = new RegExp(words("i (?:think|believe|would say|'d say)|tend(?:ing)? to(?:wards)?"), 'gi');

/** Matches reasons and asides, in which a doubt does not concern the answer. */
const REASONS = new RegExp(
  `${words('because|since|so that|in case|as (?:we|it|they|this|that|the)|otherwise|even (?:if|though)|although')}` +
    '[^.;!?\\n]*',
  'gi',
);

const DEPENDS = /\b(?:it |that |this )?(?:all )?depends\b/i;
const CONDITION = new RegExp(
  words(
    'if|when|whenever|for|unless|until|except|only|where|while|above|below|otherwise|as long as',
    'new|existing|today|from|after|before',
  ),
  'i',
);

const UNSAID = new RegExp(
  words(
    'the (?:usual|same|obvious)(?: \\w+)?',
    'the (?:normal|standard|other|default)(?: (?:one|way|thing)|(?=\\W*(?:$|[,.;])))',
    'that one|this one',
    '(?:as|same as) (?:before|always|usual|discussed|last time|agreed)|like (?:last time|before|always)',
    'you know which|something (?:reasonable|sensible|simple|similar|like that)|what we (?:always|usually) (?:do|use)',
  ),
  'i',
);

const NUMBER = new RegExp(
  anyOf(
    '\\d',
    '\\bone (?:second|minute|hour|day|week|month|year|time|retry|attempt|per)\\b',
    alone('one'),
    words(
      'zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety',
      'hundred|thousand|million|dozen|(?<!\\bat )once|twice|half|quarter',
      'none|never|unlimited|forever|for ever|no limit|indefinitely|always',
    ),
  ),
  'gi',
);

const TIME = new RegExp(
  anyOf(
    '\\d',
    words(
      'now|today|tonight|tomorrow|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday',
      'january|february|march|april|may|june|july|august|september|october|november|december|q[1-4]',
      '(?:next|this) (?:week|month|sprint|release|quarter|year)',
      'end of|after|before|once|never|immediately|at once|when|as soon as(?! (?:possible|you can|we can))',
    ),
  ),
  'i',
);

const YES = new RegExp(
  words(
    'yes|yep|yeah|yup|sure|correct|right|agreed|affirmative|of course|absolutely|definitely|certainly',
    'please do|go ahead|do it|ok|okay|allow(?:ed)? it|we do|it is|it does|they are|they do|always|must',
  ),
  'i',
);
const NO = new RegExp(
  words(
    "no|nope|nah|never|not|don't|do not|doesn't|isn't|aren't|won't|can't|cannot|must not|mustn't|shouldn't",
    'under no circumstances|forbid(?:den)?|disallow',
  ),
  'i',
);
const PLAIN_WORDS = 'yes|yep|yeah|yup|no|nope|nah|sure|ok|okay|correct|right|agreed|absolutely|definitely|of course';
const ONLY_YES_OR_NO = new RegExp(alone(`(?:${PLAIN_WORDS})(?:[\\s,]+(?:please|thanks|thank you|sir))?`), 'i');

const CHANGES = new RegExp(
  words(
    'instead of|replac\\w*|no longer|new(?:ly)?|chang\\w*|overrid\\w*|despite|although|though|supersed\\w*|outdated',
    'older|old|obsolete|wrong|update\\w*|switch\\w*|migrat\\w*|anyway|deprecat\\w*|mistake|not any ?more|ignore',
  ),
  'i',
);

const COURTESY = /\b(?:help|ok|okay|clear|right|sense|else|enough|good|alright)\s*\?\s*$/i;

/** Whether the reply leaves the decision to others, or says that its author does not know the answer. */
export const defers = (reply: string): boolean => DEFERS.test(reply);

/** The positions in the reply at which it doubts its own statement. */
export function doubtsIn(reply: string): { readonly plain: number; readonly polite: number } {
  const said = withoutReasons(reply);
  return { plain: said.match(DOUBTS)?.length ?? 0, polite: said.match(POLITE_DOUBTS)?.length ?? 0 };
}

/** The reply without the reasons that it states. */
export const withoutReasons = (reply: string): string => reply.replaceAll(REASONS, ' ');

export const depends = (reply: string): boolean => DEPENDS.test(reply);
export const setsCondition = (reply: string): boolean => CONDITION.test(reply.replace(DEPENDS, ''));
/** Whether the reply refers to something that it does not name, other than in parentheses. */
export const refersToUnsaid = (reply: string): boolean => UNSAID.test(reply.replaceAll(/\([^()]*\)/g, ' '));

/** Whether the reply ends with a question, other than a polite one. */
export const asksBack = (reply: string): boolean => /\?\s*$/.test(reply) && !COURTESY.test(reply);
/** Whether the reply consists of a question only. */
export const onlyAsks = (reply: string): boolean =>
  asksBack(reply) && !/[.!;\n]\s*\S/.test(reply.trim().replace(/\?\s*$/, ''));

/** Whether a clause only adds to the one before it: it speaks of `that` or `it`, and of little else. */
export const pointsBack = (clause: string): boolean =>
  /^\W*(?:that's|that is|this is|which is)\b|\babout (?:that|it|this)\b/i.test(clause) ||
  (/\b(?:that|it|this|those|them)\b/i.test(clause) && contentWords(clause).length < 3);

/** The numbers in the reply, written as digits or words. */
export const numbersIn = (reply: string): number => reply.match(NUMBER)?.length ?? 0;

/** The reply without quantities that have a unit of time, size or share. */
export const withoutMeasures = (reply: string): string =>
  reply.replaceAll(/\b\d[\d.,]*\s?(?:(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?|[kmg]b)\b|%)/gi, ' ');
export const namesTime = (reply: string): boolean => TIME.test(reply);

/** Whether the reply names a time by more than a number that may be anything. */
export const namesDate = (reply: string): boolean =>
  namesTime(
    reply.replaceAll(/\b\d+\b(?![-./:]\d|\s?(?:st|nd|rd|th|am|pm|days?|weeks?|months?|years?|hours?)\b)/gi, ' '),
  );

export const saysYes = (reply: string): boolean => YES.test(reply);
export const saysNo = (reply: string): boolean => NO.test(reply);
export const isOnlyYesOrNo = (reply: string): boolean => ONLY_YES_OR_NO.test(reply);

/** Whether the reply states that it departs from an earlier decision. */
export const declaresChange = (reply: string): boolean => CHANGES.test(reply);

/** Words without content, and words that express a choice. */
const EMPTY_WORDS = new Set(
  [
    'a an and any anything are as at be been best both but by can choose could did do does either every for from get',
    'go got had has have he her here him his how i if in into is it its just let like make may me mine more my need',
    'no not of off on one only or our out please really same shall should so some such take than that the their them',
    'then there these they this those to too up us use using very want was way we were what when where which who why',
    'will with would yes you your ok okay fine well also all good sure thanks thank hi hello right think guess maybe',
    'perhaps probably hm hmm hmmm uh um er erm ah oh mhm mmh huh something somehow thing things stuff whatever usual',
    'always never now about because since while until unless except idea know care mind don t s ll isn doesn won',
    'over asking sorry',
  ].flatMap((line) => line.split(' ')),
);

/** Units and terms that belong to a number. Where a number is asked for too, they answer nothing else. */
export const UNITS =
  'eur euro usd gbp chf dollar vat incl excl tax net gros utc cet max min maximum minimum percent'.split(' ');

/** Words with content, in lower case and singular. */
export function contentWords(text: string): readonly string[] {
  const all = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_.@/+#-]*/gu) ?? [];
  return all
    .map((word) => word.replace(/[.\-/]+$/, ''))
    .filter((word) => word !== '' && !EMPTY_WORDS.has(word))
    .map(stem);
}

function stem(word: string): string {
  return word.length > 3 ? word.replace(/(?:'s|es|s)$/, '') : word;
}

/** Names in a reply: in back-quotes, capitalised inside a sentence, with several capitals, or written like code. */
export function namesIn(text: string): readonly string[] {
  const quotedNames = [...text.matchAll(/`([^`\n]{1,80})`/g)].map(([, name]) => name!);
  const all = text.replaceAll(/`[^`\n]*`/g, ' ').matchAll(/[\p{L}\p{N}@][\p{L}\p{N}_.@/#-]*[\p{L}\p{N}]/gu);
  const written = [...all].flatMap(({ 0: word, index }) => {
    const isFirst = /(?:^|[.!?\n:]\s*)$/.test(text.slice(0, index).replace(/["'(]+$/, ''));
    const isCapital = /^\p{Lu}/u.test(word) && !isFirst && !/^I(?:'|$)/.test(word);
    const isCode = /\p{Ll}\p{Lu}|[\p{L}\p{N}][_/@#][\p{L}\p{N}]|\p{L}\.\p{L}{2}|^\p{Lu}{2,}/u.test(word);
    return isCapital || isCode ? [word] : [];
  });
  return [...new Set([...quotedNames, ...written])];
}
