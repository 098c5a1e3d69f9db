/** The rule for the points that a task leaves open, on tasks that others have written. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openPointsIn } from '../../../src/machines/delivery/upkeep/open-points.ts';

/** Tasks with the sentences and criteria that leave something open, by the judgement of their authors. */
const TASKS = z
  .array(
    z.strictObject({
      ...{ title: z.string(), description: z.string() },
      ...{ acceptance: z.array(z.string()), open: z.array(z.string()) },
    }),
  )
  .parse(JSON.parse(readFileSync('test/support/machines/tasks-of-others.json', 'utf8')));

const pointsIn = (description: string, ...acceptance: readonly string[]) =>
  openPointsIn({ description, context: { plan: 'p', files: [], style: null, acceptance } });

describe('the points that a task leaves open', () => {
  it.each([
    'Which colour is it?',
    'Red or blue??',
    'Limit: ???',
    'The limit is TBD.',
    'Limit: tbc',
    'TBA',
    'The limit is to be decided.',
    'We still need to agree on the limit.',
    "The limit isn't decided.",
    'Nobody has decided.',
    'I am not sure whether it is red.',
    'It is unclear which limit holds.',
    "We don't know who owns it.",
    'It runs on <name of the host>.',
    'Rows older than <N> days are gone.',
  ])('are a sentence such as: %s', (sentence) => {
    expect(pointsIn(`Add a limit.\n${sentence}\nThen test it.`)).toEqual([sentence]);
    expect(pointsIn('Add a limit.', sentence)).toEqual([sentence]);
  });

  it.each([
    'Show "Are you sure? It is gone then." before it deletes.',
    "Show 'Which colour?' above.",
    'Call `a ? b : c` instead.',
    'Open https://shop.example/search?q=boots first.',
    'Add ?page=2 to the address.',
    'The hint (?) is too small.',
    'Remove the text TBD from the page.',
    'Entries with an unclear state are hidden.',
    'Use <details> and <summary lang="en"> there.',
    'Use user?.name ?? nothing.',
    'Use a statement with ? in it.',
    'Users without a name keep the ?',
    'Why now?',
  ])('are none in: %s', (sentence) => {
    expect(pointsIn(`Add a limit.\n${sentence}\nThen test it.`)).toEqual([]);
    expect(pointsIn('', sentence)).toEqual([]);
  });

  it('are seldom named wrongly in tasks of others, and a quarter of them is seen', () => {
    const named = TASKS.flatMap(({ description, acceptance, open }) =>
      pointsIn(description, ...acceptance).map((point) => open.includes(point)),
    );
    const right = named.filter((isRight) => isRight).length;
    const all = TASKS.flatMap(({ open }) => open).length;
    expect([TASKS.length, all]).toEqual([260, 155]);
    expect(right / named.length).toBeGreaterThan(0.9);
    expect(right / all).toBeGreaterThan(0.25);
  });
});
