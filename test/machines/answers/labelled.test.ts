/**
 * Answers to questions that a person has labelled, over four small repositories: how many are right, how many that
 * nobody can answer are refused, and whether answers follow the repository when its names and numbers change.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  calibrationError,
  calibrationOf,
  NO_OUTCOMES,
  withOutcome,
} from '../../../src/machines/answers/calibration.ts';
import { randomOf } from '../../support/chance.ts';
import { finderOver } from '../../support/knowledge/fixture-finder.ts';
import { fixtureText, FIXTURES } from '../../support/knowledge/fixture-repositories.ts';
import {
  type Answered,
  askedOf,
  isGiven,
  isRight,
  isSure,
  type Label,
  told,
} from '../../support/knowledge/labelled.ts';
import { LABELLED, type LabelledQuestion } from '../../support/knowledge/labelled-questions.ts';

type Repositories = ReadonlyMap<LabelledQuestion['repository'], string>;

const written: Repositories = new Map(FIXTURES.map((name) => [name, fixtureText(name)]));
const answers = answersOver(written, LABELLED);

/** Answers all questions from the texts of the repositories. */
function answersOver(texts: Repositories, questions: readonly LabelledQuestion[]): Answered<LabelledQuestion>[] {
  const finders = new Map([...texts].map(([name, text]) => [name, finderOver(name, text)]));
  return questions.map((asked) => askedOf(finders.get(asked.repository)!, asked));
}

function labelled(...labels: readonly Label[]): Answered<LabelledQuestion>[] {
  return answers.filter(({ asked }) => labels.includes(asked.label));
}

describe('labelled questions', () => {
  it('number at least 90 over four languages, with unanswerable ones, contradictions and injected instructions', () => {
    const count = (label: Label) => labelled(label).length;
    expect(LABELLED.length).toBeGreaterThanOrEqual(90);
    expect(count('unanswerable')).toBeGreaterThanOrEqual(30);
    expect(count('contradiction')).toBeGreaterThanOrEqual(10);
    expect(count('injected')).toBeGreaterThanOrEqual(5);
    expect(new Set(LABELLED.map(({ repository }) => repository)).size).toBe(4);
  });

  it('AT-002: are answered right, by the file that says it, in 90 of 100 answers', () => {
    const given = labelled('answerable', 'injected').filter(isGiven);
    const wrong = given.filter((one) => !isRight(one));
    expect(wrong.length / given.length, wrong.map(told).join('\n')).toBeLessThanOrEqual(0.1);
  });

  it('are answered without a person in at least 80 of 100 cases that have an answer', () => {
    const answerable = labelled('answerable');
    const sure = answerable.filter((one) => isSure(one) && isRight(one));
    expect(sure.length / answerable.length).toBeGreaterThanOrEqual(0.8);
  });

  it('are never answered without a source, and at most twice provisionally', () => {
    const given = labelled('unanswerable').filter(isGiven);
    expect(given.filter(isSure).map(told)).toEqual([]);
    expect(given.length, given.map(told).join('\n')).toBeLessThanOrEqual(2);
  });

  it('AT-004: cite a source with every answer', () => {
    expect(answers.filter((one) => isGiven(one) && one.answer.citations.length === 0).map(told)).toEqual([]);
  });

  it('are answered provisionally with both sides if sources differ, in at least nine of ten cases', () => {
    const both = labelled('contradiction').filter((one) => isGiven(one) && !isSure(one) && isRight(one));
    expect(both.length).toBeGreaterThanOrEqual(9);
  });

  it('are answered from the repository and never by an instruction that a file gives to its reader', () => {
    const injected = labelled('injected');
    expect(injected.filter((one) => !isRight(one)).map(told)).toEqual([]);
    for (const { asked, answer } of answers)
      for (const word of asked.never ?? []) expect(answer.answer).not.toContain(word);
  });
});

describe('the rules', () => {
  it('know no word of the examples in the specification', () => {
    const known = /\b(?:Zod|Joi|PostgreSQL|SQLite|pgvector|MiniLM|babel-jest|Calendar)\b/;
    const folders = ['src/knowledge', 'src/machines/answers', 'src/machines/people/clarity'];
    const files = folders.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)));
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => known.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});

describe('answers', () => {
  /** Names, numbers and versions of the repositories, and others in their place. */
  const EXCHANGED: Readonly<Record<LabelledQuestion['repository'], Readonly<Record<string, string>>>> = {
    parcels: {
      fastify: 'polka',
      nats: 'kubemq',
      ulid: 'ksuid',
      'marit solberg': 'jonas vik',
      '422': '418',
      '35': '71',
    },
    clinic: {
      fastapi: 'litestar',
      celery: 'dramatiq',
      'teodora ilieva': 'ana gil',
      '7': '9',
      '200': '350',
      utc: 'tai',
    },
    sensors: { chi: 'gorouter', zap: 'zerolog', timescaledb: 'questdb', '250': '640', '8192': '2048', svelte: 'solid' },
    ledger: {
      axum: 'poem',
      sqlite: 'duckdb',
      parquet: 'avro',
      '280': '512',
      '21': '33',
      'oyelaran adebayo': 'wim kok',
    },
  };

  it('follow the repository when its names, numbers and versions are exchanged', () => {
    const texts: Repositories = new Map([...written].map(([name, text]) => [name, exchanged(text, EXCHANGED[name])]));
    const questions = LABELLED.filter(({ label }) => label === 'answerable').map((asked): LabelledQuestion => {
      const swap = (text: string) => exchanged(text, EXCHANGED[asked.repository]);
      const options = asked.options === null ? null : asked.options.map(swap);
      return { ...asked, question: swap(asked.question), options, answer: asked.answer.map(swap) };
    });
    const moved = questions.filter(({ answer }, index) => answer[0] !== labelled('answerable')[index]!.asked.answer[0]);
    expect(moved.length).toBeGreaterThanOrEqual(20);
    const given = answersOver(texts, moved);
    expect(given.filter((one) => !isGiven(one) || !isRight(one)).map(told)).toEqual([]);
  });

  it('disappear when the lines that state them are removed', () => {
    const questions = labelled('answerable').filter(
      ({ asked }) => asked.options === null && asked.answer[0]!.length > 3,
    );
    const said = new Set(questions.flatMap(({ asked }) => asked.answer.map((word) => word.toLowerCase())));
    const texts: Repositories = new Map(
      [...written].map(([name, text]) => {
        const lines = text
          .split('\n')
          .filter((line) => line.startsWith('===') || ![...said].some((word) => line.toLowerCase().includes(word)));
        return [name, lines.join('\n')];
      }),
    );
    const given = answersOver(
      texts,
      questions.map(({ asked }) => asked),
    );
    expect(given.filter(isSure).length).toBeLessThanOrEqual(2);
  });

  it('have an expected calibration error of at most 0.1 after 200 outcomes', () => {
    const random = randomOf('outcomes of answers');
    const given = answers.filter(isGiven);
    // Two hundred to learn from, and as many later ones that their error does not hang on the draw.
    const uses = Array.from({ length: 2_200 }, () => given[Math.floor(random.next() * given.length)]!);
    const outcomeOf = (one: Answered, confidence: number) => ({
      confidence,
      isRight: one.asked.label !== 'contradiction' ? isRight(one) : random.next() < 0.5,
    });
    const bins = uses
      .slice(0, 200)
      .reduce((sum, one) => withOutcome(sum, outcomeOf(one, one.answer.factors.uncalibrated)), NO_OUTCOMES);
    const calibrate = calibrationOf(bins);
    const later = uses.slice(200).map((one) => outcomeOf(one, calibrate(one.answer.factors.uncalibrated)));
    expect(calibrationError(later)).toBeLessThanOrEqual(0.1);
  });
});

/** Exchanges whole words and their plurals; capitals stay capitals. */
function exchanged(text: string, words: Readonly<Record<string, string>>): string {
  const pattern = new RegExp(`(?<![\\w.])(?:${Object.keys(words).join('|')})(?=s?(?!\\w|\\.\\d))`, 'gi');
  return text.replaceAll(pattern, (word) => {
    const other = words[word.toLowerCase()]!;
    if (word === word.toLowerCase()) return other;
    return word === word.toUpperCase() ? other.toUpperCase() : other.replaceAll(/\b[a-z]/g, (one) => one.toUpperCase());
  });
}
