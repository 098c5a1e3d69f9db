/**
 * Answers to the questions of other authors about their repositories, and about packages of npm: what is given is
 * right, what nobody can know is refused, and answers follow the repository.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { finderOver } from '../../support/knowledge/fixture-finder.ts';
import { fixtureText, OTHER_FIXTURES } from '../../support/knowledge/fixture-repositories.ts';
import { askedOf, isGiven, isRight, isSure, type Labelled, told } from '../../support/knowledge/labelled.ts';
import { answersOfOthers, finderOf, questionsOf } from '../../support/knowledge/others.ts';
import { SECTION_MARKS, sectionOf } from '../../support/knowledge/report.ts';

const DOCUMENT = join(import.meta.dirname, '../../../docs/answer-desk.md');
const answers = answersOfOthers();
const given = answers.filter(isGiven);

describe('questions of others', () => {
  it('number 292, of which at least 90 have no answer', () => {
    expect(answers).toHaveLength(292);
    expect(answers.filter(({ asked }) => asked.label === 'unanswerable').length).toBeGreaterThanOrEqual(90);
  });

  it('are never answered without a person if the repository does not say it, and provisionally in 3 of 100', () => {
    const unknown = given.filter(({ asked }) => asked.label === 'unanswerable');
    expect(unknown.filter(isSure).map(told)).toEqual([]);
    expect(unknown.length).toBeLessThanOrEqual(2);
  });

  it('are never answered by an instruction that a file gives to its reader', () => {
    for (const { asked, answer } of answers)
      for (const word of asked.never ?? []) expect(answer.answer ?? '').not.toMatch(new RegExp(`^${word}\\b`));
  });

  it('are told in the documents with the figures of today', () => {
    const document = readFileSync(DOCUMENT, 'utf8');
    const [begin, end] = SECTION_MARKS.map((mark) => document.indexOf(mark)) as [number, number];
    expect(document.slice(begin + SECTION_MARKS[0].length, end).trim()).toBe(sectionOf(answers).trim());
  });
});

describe('right answers about a repository', () => {
  it.each(OTHER_FIXTURES)('follow it when each of their values is exchanged: %s', (name) => {
    const finder = finderOf(name);
    const right = questionsOf(name).filter((asked) => {
      const one = askedOf(finder, asked);
      return asked.label !== 'contradiction' && isGiven(one) && isRight(one);
    });
    for (const asked of right) {
      const [value] = asked.answer;
      const swap = (text: string) => text.replaceAll(wordsLike(value!), otherThan(value!));
      const moved: Labelled = {
        ...asked,
        question: swap(asked.question),
        options: asked.options?.map(swap) ?? null,
        answer: asked.answer.map(swap),
        files: asked.files.map(swap),
      };
      const answer = askedOf(finderOver(name, swap(fixtureText(name))), moved);
      expect(isGiven(answer) && isRight(answer), told(answer)).toBe(true);
    }
  });
});

/** Matches a value as a whole word in any case. */
function wordsLike(value: string): RegExp {
  const literal = value.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  // A digit behind a dot is a part of another number; a name behind a dot is one.
  return new RegExp(`(?<![\\w${/^\d/.test(value) ? '.' : ''}])${literal}(?=s?(?!\\w|\\.\\d))`, 'gi');
}

/** Another value of the same form: other digits for digits, another name for a name. */
function otherThan(value: string): (found: string) => string {
  const otherDigit = (digit: string) => String(Number(digit) > 1 ? Number(digit) - 1 : Number(digit) + 1);
  if (/\d/.test(value)) return (found) => found.replaceAll(/\d/g, otherDigit);
  return (found) => (found === found.toLowerCase() ? 'quendale' : 'Quendale');
}
