/**
 * Scores a reply to a ticket without a model (MX-062): is it unambiguous, does it answer every part of the question,
 * does it agree with the evidence. Every deduction names what is missing, so that a follow-up can ask for it. It reads
 * English words and the names of options; it judges the form of an answer, not whether the answer is wise. Pure.
 */
import { choiceOf, mentions, rejects } from './chosen-option.ts';
import { type ClarityInput, type ClarityPoint, type ClarityScore } from './clarity-score.ts';
import { partsOf, type QuestionPart } from './question-parts.ts';
import {
  asksBack,
  contentWords,
  declaresChange,
  defers,
  depends,
  doubtsIn,
  isOnlyYesOrNo,
  namesIn,
  namesDate,
  namesTime,
  numbersIn,
  onlyAsks,
  pointsBack,
  refersToUnsaid,
  saysNo,
  saysYes,
  setsCondition,
  UNITS,
  withoutMeasures,
} from './reply-signs.ts';

/**
 * Points deducted. If the other dimensions are full, a deduction of 50 brings the total below 85, and a smaller one
 * does not.
 */
const DEDUCTIONS = {
  /** The reply leaves the decision to others. */
  defers: 100,
  /** The reply decides, and adds that the decision does not matter. */
  defersAndDecides: 30,
  /** The reply doubts its own answer: `maybe`, `probably`. */
  doubt: 50,
  politeDoubt: 20,
  dependsWithoutRule: 60,
  unsaid: 60,
  onlyAsks: 60,
  asksBack: 30,
  yesAndNo: 50,
  /** The reply contradicts a declared source without saying so. */
  contradiction: 60,
  /** The reply chooses something that was not an option. */
  otherOption: 60,
  unknownName: 15,
} as const;

/** The accuracy of a reply if there is no evidence to compare it with. */
const UNCHECKED_ACCURACY = 90;

/** The largest deduction for names that occur nowhere in the question or evidence. */
const UNKNOWN_NAMES_DEDUCTED_MAX = 30;

/** The highest completeness of a reply that leaves a part of the question unanswered. */
const INCOMPLETE_MAX = 50;

/** Most characters of a question or an excerpt that a point quotes. */
const QUOTED_CHARS = 120;

/** Whether a reply answers any part of the question by itself. */
export function isAnswerTo(input: ClarityInput): boolean {
  return input.option !== null || partsAnswered({ ...input, earlier: [] }).some(({ isAnswered }) => isAnswered);
}

/** The score of a reply by rule. */
export function scoreReply(input: ClarityInput): ClarityScore {
  const parts = partsAnswered(input);
  const answered = parts.filter(({ isAnswered }) => isAnswered).length;
  const whole = answered === parts.length || input.option !== null;
  const missing = input.option === null ? parts.filter(({ isAnswered }) => !isAnswered) : [];
  const clarity = clarityOf(input, { whole });
  const accuracy = accuracyOf(
    input,
    parts.map(({ part }) => part),
  );
  return {
    clarity: clarity.score,
    completeness: whole ? 100 : Math.min(INCOMPLETE_MAX, Math.round((100 * answered) / parts.length)),
    accuracy: accuracy.score,
    points: [...missing.map(({ part }) => missingPoint(part)), ...clarity.points, ...accuracy.points],
  };
}

interface Deducted {
  readonly score: number;
  readonly points: readonly ClarityPoint[];
}

type Deduction = readonly [applies: boolean, points: number, missing: string, question: string];

function deduct(from: number, deductions: readonly Deduction[]): Deducted {
  const found = deductions.filter(([applies]) => applies);
  return {
    score: Math.max(
      0,
      found.reduce((score, [, points]) => score - points, from),
    ),
    points: found.map(([, , missing, question]) => ({ missing, question })),
  };
}

function clarityOf({ reply, option }: ClarityInput, { whole }: { readonly whole: boolean }): Deducted {
  // What a person has chosen in a form needs no words.
  if (option !== null) return { score: 100, points: [] };
  const { plain, polite } = doubtsIn(reply);
  const isDeferred = defers(reply);
  const yesAndNo = /\byes and no\b/i.test(reply);
  return deduct(100, [
    [
      isDeferred,
      whole ? DEDUCTIONS.defersAndDecides : DEDUCTIONS.defers,
      'your own decision',
      'What is your decision? If another person decides, who?',
    ],
    [plain > 0, DEDUCTIONS.doubt, 'whether that is certain', 'Is that decided, or a guess?'],
    [polite > 0, DEDUCTIONS.politeDoubt, 'whether that is decided', 'Is that decided?'],
    [
      depends(reply) && !(whole && setsCondition(reply)),
      DEDUCTIONS.dependsWithoutRule,
      'the rule by which it depends',
      'What does it depend on, and what holds in each case?',
    ],
    [refersToUnsaid(reply), DEDUCTIONS.unsaid, 'what your reply refers to', 'Which one exactly? Please name it.'],
    [
      asksBack(reply),
      onlyAsks(reply) ? DEDUCTIONS.onlyAsks : DEDUCTIONS.asksBack,
      'the answer, apart from your own question',
      'What holds if your question stays open?',
    ],
    [yesAndNo, DEDUCTIONS.yesAndNo, 'which of yes and no holds', 'In which case yes, in which case no?'],
  ]);
}

interface Answered {
  readonly part: QuestionPart;
  readonly isAnswered: boolean;
}

/** The parts of the question, and whether the replies so far answer them. */
function partsAnswered(input: ClarityInput): readonly Answered[] {
  const parts = partsOf(input);
  const texts = [...input.earlier, input.reply].filter((text) => !onlyAsks(text) || parts.some(isChoice));
  const isBeside = parts.some(({ wants }) => wants === 'number') && parts.length > 1;
  const units = isBeside ? UNITS : [];
  const asked = new Set([...contentWords(`${input.title} ${input.description}`), ...units]);
  // A question of one part is answered by the whole text; of several, each by clauses of its own.
  const clauses = parts.length === 1 ? texts : texts.flatMap(clausesOf).filter((clause) => !pointsBack(clause));
  const used = new Map<string, QuestionPart[]>();
  const found = new Map<QuestionPart, boolean>();
  for (const part of parts.toSorted((a, b) => rank(a) - rank(b))) {
    const isFree = (clause: string) => (used.get(clause) ?? []).every((other) => mayShare(part, other));
    const clause = clauses.toReversed().find((one) => isFree(one) && answers(part, one, { asked, isBeside }));
    if (clause !== undefined) used.set(clause, [...(used.get(clause) ?? []), part]);
    found.set(part, clause !== undefined || (parts.length > 1 && isNamedBeside(part, texts, asked)));
  }
  return parts.map((part) => ({ part, isAnswered: found.get(part)! }));
}

/** Whether one clause may answer both parts. Options, numbers and times can be told apart within a clause. */
function mayShare({ wants }: QuestionPart, { wants: other }: QuestionPart): boolean {
  const isTold = (one: QuestionPart['wants']) => one === 'option' || one === 'number' || one === 'time';
  return wants !== other && isTold(wants) && isTold(other);
}

function isChoice({ wants }: QuestionPart): boolean {
  return wants === 'option';
}

/** The rank of a part. The parts that demand most of a clause are answered first. */
function rank({ wants }: QuestionPart): number {
  return ['option', 'number', 'time', 'person', 'yes-or-no', 'anything'].indexOf(wants);
}

function clausesOf(text: string): readonly string[] {
  return text.split(/[.;!\n]\s*|,\s+|\s+and\s+/i).filter((clause) => clause.trim() !== '');
}

/** Matches questions for a number of things, other than of units. */
const COUNT = /\bhow many (?!\S*(?:second|minute|hour|byte|percent|[kmg]b\b))/i;

/** The words of a question, and whether it has several parts one of which asks for a number. */
interface Beside {
  readonly asked: ReadonlySet<string>;
  readonly isBeside: boolean;
}

function answers(part: QuestionPart, text: string, { asked, isBeside }: Beside): boolean {
  const news = contentWords(text).filter((word) => !asked.has(word));
  const isEmpty = defers(text) || refersToUnsaid(text) || (depends(text) && !setsCondition(text));
  switch (part.wants) {
    case 'option':
      // A yes to a question of yes or no chooses what it proposes.
      if (part.isYesOrNo === true && !isEmpty && saysYes(text) && !saysNo(text)) return true;
      return choiceOf(part.options, text) !== undefined;
    case 'number':
      return numbersIn(COUNT.test(part.text) ? withoutMeasures(text) : text) > 0;
    case 'time':
      return (isBeside ? namesDate(text) : namesTime(text)) && !isEmpty;
    case 'yes-or-no':
      return !isEmpty && (saysYes(text) || saysNo(text) || (news.length >= 2 && !text.includes('?')));
    default:
      // Beside a number asked for, a clause with a number does not name a person.
      if (part.wants === 'person' && isBeside && numbersIn(text) > 0) return false;
      return !isEmpty && !isOnlyYesOrNo(text) && news.length >= (/^(?:how|why)\b/i.test(part.text) ? 2 : 1);
  }
}

/** Whether a name answers an open part in a clause that also answers another part. */
function isNamedBeside({ wants }: QuestionPart, texts: readonly string[], asked: ReadonlySet<string>): boolean {
  if (wants !== 'anything' && wants !== 'person') return false;
  return texts.some((text) => namesIn(text).some((name) => !contentWords(name).every((word) => asked.has(word))));
}

function missingPoint({ text, ...part }: QuestionPart): ClarityPoint {
  const about = `"${quoted(text)}"`;
  switch (part.wants) {
    case 'option':
      return {
        missing: `which of ${listOf(part.options, 'and')}`,
        question: `Which is it: ${listOf(part.options, 'or')}?`,
      };
    case 'number':
      return { missing: `the number in ${about}`, question: `${sentence(text)}? Please give a number.` };
    case 'time':
      return { missing: `the time in ${about}`, question: `${sentence(text)}? Please give a date or an event.` };
    case 'person':
      return { missing: `the person in ${about}`, question: `${sentence(text)}? Please name a person or a role.` };
    case 'yes-or-no':
      return { missing: `yes or no to ${about}`, question: `${sentence(text)}: yes or no?` };
    default:
      return { missing: `the answer to ${about}`, question: `${sentence(text)}?` };
  }
}

function accuracyOf(input: ClarityInput, parts: readonly QuestionPart[]): Deducted {
  const { evidence, reply, option, title, description, options, earlier } = input;
  const isDeclared = declaresChange(reply);
  const contradicted = isDeclared ? undefined : contradictionIn(input, parts);
  const choices = parts.filter((part) => part.wants === 'option');
  const isYes = (part: (typeof choices)[number]) => part.isYesOrNo === true && saysYes(reply);
  const other = choices.find((part) => option === null && !isYes(part) && choiceOf(part.options, reply) === 'other');
  const known = [title, description, ...options, ...earlier, ...evidence.map(({ excerpt }) => excerpt)].join(' ');
  const unknown =
    isDeclared || evidence.length === 0 ? [] : namesIn(reply).filter((name) => mentions(name, known).length === 0);
  return deduct(evidence.length === 0 ? UNCHECKED_ACCURACY : 100, [
    [
      contradicted !== undefined,
      DEDUCTIONS.contradiction,
      `whether it replaces what ${contradicted?.source ?? ''} says`,
      `${contradicted?.source ?? ''} says "${quoted(contradicted?.excerpt ?? '')}". Does your answer replace that?`,
    ],
    [
      other !== undefined && !isDeclared,
      DEDUCTIONS.otherOption,
      'whether something else than the options is meant',
      `Do you mean something new instead of ${listOf(other?.wants === 'option' ? other.options : [], 'or')}?`,
    ],
    [
      unknown.length > 0,
      Math.min(UNKNOWN_NAMES_DEDUCTED_MAX, unknown.length * DEDUCTIONS.unknownName),
      `${listOf(unknown, 'and')}, not named in the evidence`,
      `Is ${listOf(unknown, 'and')} new here?`,
    ],
  ]);
}

/** A declared source that contradicts the reply. */
function contradictionIn({ evidence, reply, option }: ClarityInput, parts: readonly QuestionPart[]) {
  const declared = evidence.filter(({ isDeclared }) => isDeclared);
  return declared.find(({ excerpt }) =>
    parts.some((part) => {
      if (part.wants === 'option') {
        const chosen = option ?? choiceOf(part.options, reply);
        const holds = (one: string) => mentions(one, excerpt).some((at) => !rejects(excerpt, at));
        return (
          part.options.includes(chosen!) && !holds(chosen!) && part.options.some((one) => one !== chosen && holds(one))
        );
      }
      if (part.wants !== 'number') return false;
      const [said, stands] = [digitsIn(reply), digitsIn(excerpt)];
      const isAboutIt = contentWords(part.text).some((word) => contentWords(excerpt).includes(word));
      return isAboutIt && said.length > 0 && stands.length > 0 && !said.some((number) => stands.includes(number));
    }),
  );
}

function digitsIn(text: string): readonly string[] {
  return text.match(/\d+(?:[.,]\d+)*/g) ?? [];
}

function listOf(options: readonly string[], joint: string): string {
  const [last, ...before] = options.toReversed();
  const text = before.length === 0 ? (last ?? '') : `${before.toReversed().join(', ')} ${joint} ${last!}`;
  return text.length > 2 * QUOTED_CHARS ? `${text.slice(0, 2 * QUOTED_CHARS)}...` : text;
}

function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > QUOTED_CHARS ? `${line.slice(0, QUOTED_CHARS)}...` : line;
}

function sentence(text: string): string {
  const line = quoted(text).replace(/[\s.,:;!]+$/, '');
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}`;
}
