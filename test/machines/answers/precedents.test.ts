/** Precedents: the index finds what a comparison with every question finds, and stays within a table's rows. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexedWith, postingsRowsMax } from '../../../src/machines/answers/precedent-index.ts';
import {
  answeringPrecedent,
  likenessOf,
  noPrecedents,
  precedentFor,
  precedentPut,
  type Precedents,
  precedentsOf,
  precedentWithout,
  similar,
} from '../../../src/machines/answers/precedents.ts';
import { PRECEDENTS_KEPT_MAX } from '../../../src/machines/limits.ts';
import { TABLE_ROWS_MAX } from '../../../src/limits.ts';
import { table } from '../../../src/table.ts';

const said = (question: string, text: string, scope: string | null = null) => ({
  ...{ question, text, scope, ticket: null, answer: 'North.', by: 'ada', atMs: 0, reason: null },
});

function keeping(texts: readonly string[]): Precedents {
  return texts.reduce((all, text, at) => precedentPut(all, said(`Q-${at + 1}`, text)), noPrecedents());
}

/** Words of which some are in most questions and some in one. */
const word = fc
  .nat({ max: 30 })
  .chain((most) => fc.nat({ max: most }))
  .map((number) => `word${'abcdefghijklmnopqrstuvwxyzäöüßé'[number]!}`);
const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => `Which ${words.join(' ')}?`);
const texts = fc.array(text, { minLength: 1, maxLength: 40 });

describe('a search among precedents', () => {
  it('finds the questions that a comparison with each of them finds', () => {
    fc.assert(
      fc.property(texts, text, fc.array(fc.nat({ max: 39 })), (all, sought, gone) => {
        let kept = keeping(all);
        const erased = new Set(gone.map((at) => `Q-${at + 1}`));
        for (const question of erased) kept = precedentWithout(kept, question);
        const alike = all
          .map((one, at) => ({ question: `Q-${at + 1}`, likeness: likenessOf(sought, one) }))
          .filter(({ question, likeness }) => likeness >= 0.4 && !erased.has(question))
          .sort((a, b) => b.likeness - a.likeness || Number(b.question.slice(2)) - Number(a.question.slice(2)));
        const found = similar(kept, sought, 50).map(({ precedent: { question }, likeness }) => ({
          question,
          likeness,
        }));
        expect(found).toEqual(alike);
      }),
    );
  });

  it('has the same precedents from the tables of an older store', () => {
    fc.assert(
      fc.property(texts, text, (all, sought) => {
        const kept = keeping(all);
        const again = precedentsOf([...kept.precedents.values()].toReversed());
        expect([...again.precedents]).toEqual([...kept.precedents]);
        expect(similar(again, sought)).toEqual(similar(kept, sought));
      }),
    );
  });

  it('leaves nothing of a precedent that is removed', () => {
    fc.assert(
      fc.property(texts, (all) => {
        const none = all.reduce((kept, _, at) => precedentWithout(kept, `Q-${at + 1}`), keeping(all));
        expect([none.precedents, none.precedentOrder, none.precedentWords].map(({ size }) => size)).toEqual([0, 0, 0]);
      }),
    );
  });
});

describe('the index', () => {
  it('has room for all precedents in one table, whatever their words', () => {
    expect(postingsRowsMax(PRECEDENTS_KEPT_MAX)).toBeLessThan(TABLE_ROWS_MAX);
    let index: Parameters<typeof indexedWith>[0] = table();
    for (let number = 1; number <= 3_000; number += 1) index = indexedWith(index, number, [`only${number}`, 'all']);
    expect(index.size).toBeLessThanOrEqual(postingsRowsMax(3_000));
  });

  it('keeps the rows of words that all questions have within the bound of a row', () => {
    let index: Parameters<typeof indexedWith>[0] = table();
    for (let number = 1; number <= 5_000; number += 1) index = indexedWith(index, number, ['all']);
    const bytes = [...index.values()].map((row) => JSON.stringify(row).length);
    expect(Math.max(...bytes)).toBeLessThan(64 * 1_024);
  });
});

describe('a precedent', () => {
  const sought = (scope: string | null, planVersion = '1') => ({
    ...{ text: 'Which port has mail?', options: [], scope, planVersion },
  });
  const one = (scope: string | null) => precedentPut(noPrecedents(), said('Q-1', 'Which port has mail?', scope));

  it.each([
    [null, null, true],
    [null, 'billing', true],
    ['billing', 'billing', true],
    ['billing', 'shop', false],
    ['billing', null, false],
  ])('answers, for %s, a question about %s: %s', (scope, about, answers) => {
    expect(answeringPrecedent(one(scope), sought(about)) !== undefined).toBe(answers);
  });

  it('answers for its version of the plan alone, if it is limited to it', () => {
    const all = one(null);
    const limited = { ...all, precedents: precedentFor(all.precedents, 'Q-1', { scope: null, planVersion: '1' }) };
    expect(answeringPrecedent(limited, sought(null, '1'))).toBeDefined();
    expect(answeringPrecedent(limited, sought(null, '2'))).toBe(undefined);
  });
});
