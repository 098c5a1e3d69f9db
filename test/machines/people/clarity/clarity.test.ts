/** The rule that scores replies, on replies as people write them. */
import { describe, expect, it } from 'vitest';
import { scoreReply } from '../../../../src/machines/people/clarity/clarity.ts';
import { type ClarityInput, verdictOf } from '../../../../src/machines/people/clarity/clarity-score.ts';
import { type ReplyCase, WRITTEN_AFTER, WRITTEN_BEFORE } from '../../../support/machines/replies-to-tickets.ts';

export function inputOf({
  title,
  description = '',
  options = [],
  evidence = [],
  reply,
  option,
  earlier = [],
}: ReplyCase): ClarityInput {
  return { title, description, options, evidence, reply, option: option ?? null, earlier };
}

describe.each([
  ['written before the rule', WRITTEN_BEFORE],
  ['written after it', WRITTEN_AFTER],
])('replies %s', (_, cases) => {
  it.each(cases.map((one) => [one.passes ? 'passes' : 'does not pass', one.reply, one.title, one] as const))(
    '%s: "%s" to "%s"',
    (__, ___, ____, one) => {
      const verdict = verdictOf(scoreReply(inputOf(one)));
      expect(verdict.isPassed, JSON.stringify(verdict)).toBe(one.passes);
    },
  );
});
