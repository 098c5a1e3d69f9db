/** The words of a task by which agents are found: what is asked for weighs more than what is told around it. */
import { describe, expect, it } from 'vitest';
import { wordsOfTask } from '../../../src/machines/agents/task-words.ts';

const weightsOf = (task: string) =>
  Object.fromEntries([...wordsOfTask(task).values()].map(({ word, weight }) => [word, Math.round(weight * 100)]));

describe('the words of a task', () => {
  it('weigh less behind the first small word that leads to the surroundings', () => {
    expect(weightsOf('Draw a dashboard for the sales team')).toEqual({
      draw: 100,
      dashboard: 100,
      sales: 60,
      team: 60,
    });
    expect(weightsOf('With a wallet, sign transactions')).toEqual({ wallet: 100, sign: 100, transactions: 100 });
  });

  it('weigh less if tasks for most agents have them', () => {
    expect(weightsOf('Add a carousel')).toEqual({ add: 40, carousel: 100 });
    expect(weightsOf('Implementing carousels')).toEqual({ implementing: 40, carousels: 100 });
  });

  it.each([
    ["I've just rewritten the parser. Check it for leaks.", { rewritten: 40, parser: 40, check: 100, leaks: 60 }],
    ['This PR touches the parser. Any leaks?', { pr: 40, touches: 40, parser: 40, leaks: 100 }],
    ['Check it for leaks. I have rewritten the parser.', { check: 100, leaks: 60, rewritten: 40, parser: 40 }],
  ])('weigh less in a report beside a request: %s', (task, weights) => {
    expect(weightsOf(task)).toEqual(weights);
  });

  it.each([
    ['I have rewritten the parser.', { rewritten: 100, parser: 100 }],
    ['I need to rewrite the parser. Hurry.', { rewrite: 100, parser: 100, hurry: 100 }],
    ['We have a leak?', { leak: 100 }],
  ])('weigh the same where nothing else is asked, and in a request: %s', (task, weights) => {
    expect(weightsOf(task)).toEqual(weights);
  });

  it('have the greatest weight of all their places', () => {
    expect(weightsOf('Sort parcels by parcel')).toEqual({ sort: 100, parcels: 100 });
    expect(weightsOf('A label for parcels. Sort parcels.')).toEqual({ label: 100, parcels: 100, sort: 100 });
  });

  it('are none for words without a meaning', () => {
    expect(weightsOf('the of and to 42 ???')).toEqual({});
  });
});
