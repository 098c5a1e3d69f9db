/** The search over many short records: likeness, scopes, changes, and what it costs. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PrecedentIndex } from '../../src/knowledge/precedent-index.ts';
import { type PrecedentsFound } from '../../src/knowledge/thread-messages.ts';
import { randomOf } from '../support/chance.ts';
import { precedents } from '../support/knowledge/folders.ts';
import { costOf } from '../support/processor-time.ts';
import { LONG } from '../support/effort.ts';
import { until } from '../support/until.ts';

const record = (id: string, text: string, scope = 'shop') => ({ id, text, scope });

function indexOf(...records: readonly ReturnType<typeof record>[]): PrecedentIndex {
  const index = new PrecedentIndex();
  for (const one of records) index.put(one);
  return index;
}

const find = (index: PrecedentIndex, text: string, scopes: string[] | null = null) =>
  index.find({ text, scopes, limit: 10 });

describe('precedents', () => {
  const questions = [
    record('Q-1', 'Which status does a failed validation get?'),
    record('Q-2', 'How long is a session kept before it ends?'),
    record('Q-3', 'Which currency do customers pay in?', 'bank'),
    record('Q-4', 'Who approves a refund above the limit?'),
  ];

  it('resemble a repeated question, and slightly less a reworded one', () => {
    const index = indexOf(...questions);
    const [same] = find(index, 'Which status does a failed validation get?');
    expect(same).toMatchObject({ id: 'Q-1', scope: 'shop' });
    expect(same!.likeness).toBeGreaterThanOrEqual(0.95);
    const [near] = find(index, 'What status should failing validations get in the new route?');
    expect(near!.id).toBe('Q-1');
    expect(near!.likeness).toBeLessThan(same!.likeness);
    expect(find(index, 'Is the moon made of cheese?')).toEqual([]);
  });

  it('are found only in their own scope', () => {
    const index = indexOf(...questions);
    expect(find(index, 'Which currency do customers pay in?', ['shop']).map(({ id }) => id)).not.toContain('Q-3');
    expect(find(index, 'Which currency do customers pay in?', ['bank'])[0]!.id).toBe('Q-3');
  });

  it('are replaced and removed by their ids', () => {
    const index = indexOf(...questions, record('Q-2', 'Where are invoices printed?'));
    expect(index.size).toBe(4);
    expect(find(index, 'How long is a session kept?').map(({ id }) => id)).not.toContain('Q-2');
    index.remove('Q-2');
    index.remove('Q-2');
    expect(find(index, 'Where are invoices printed?')).toEqual([]);
  });

  it('are found equally well after any additions and removals', () => {
    const words = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'kappa', 'sigma');
    const text = fc.array(words, { minLength: 1, maxLength: 5 }).map((found) => found.join(' '));
    const change = fc.record({ id: fc.constantFrom('1', '2', '3', '4'), text: fc.option(text, { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), text, (changes, asked) => {
        const index = new PrecedentIndex();
        const kept = new Map<string, string>();
        for (const { id, text: put } of changes) {
          if (put === undefined) index.remove(id);
          else index.put(record(id, put));
          kept.delete(id);
          if (put !== undefined) kept.set(id, put);
        }
        const fresh = indexOf(...[...kept].map(([id, put]) => record(id, put)));
        const sorted = (found: PrecedentIndex) =>
          find(found, asked)
            .map(({ id }) => id)
            .sort();
        expect(sorted(index)).toEqual(sorted(fresh));
      }),
    );
  });

  it('are found by a thread, which reports records that it has not received yet', async () => {
    const search = precedents();
    search.put(
      Array.from({ length: 5_000 }, (_, index) =>
        record(`${index}`, `Question number ${index} about topic ${index % 70}`),
      ),
    );
    expect((await search.find({ text: 'topic 7', scopes: null, limit: 3 })).complete).toBe(false);
    const whole = async (scopes: string[] | null) => {
      let found!: PrecedentsFound;
      await until(
        async () => (found = await search.find({ text: questions[3]!.text, scopes, limit: 3 })).complete,
        () => 'a search of all records',
      );
      return found.hits.map(({ id }) => id);
    };
    search.put(questions);
    expect((await whole(['shop']))[0]).toBe('Q-4');
    search.remove(['Q-4']);
    expect(await whole(null)).not.toContain('Q-4');
  });

  it('refuse an invalid limit', async () => {
    const search = precedents();
    for (const limit of [0, 101, 1.5])
      await expect(search.find({ text: 'a', scopes: null, limit })).rejects.toMatchObject({
        code: 'BOSUN_CONFIG_INVALID',
      });
  });

  it('cost little to search among 10,000, since frequent terms are left out', LONG, async () => {
    const random = randomOf('texts of records');
    const word = () => `w${Math.floor(random.next() ** 3 * 3_000)}`;
    const sentence = () => Array.from({ length: 12 }, word).join(' ');
    const texts = Array.from({ length: 10_000 }, sentence);
    const index = indexOf(...texts.map((text, place) => record(`${place}`, `the service and ${text}`)));
    const searches = () => {
      for (let asked = 0; asked < 200; asked += 1) find(index, texts[asked * 50]!);
    };
    searches();
    // It is between 1 and 2, and would be above 20 with all terms.
    expect((await costOf(searches)).cost).toBeLessThan(6);
  });
});
