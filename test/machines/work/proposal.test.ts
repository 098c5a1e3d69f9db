/** The proposal that is taken from a result. */
import { describe, expect, it } from 'vitest';
import { proposalOf } from '../../../src/machines/work/proposal.ts';

describe('a proposal', () => {
  it.each([
    ['is the whole of a text', 'Buy at 182', 'Buy at 182'],
    ['is the field `proposal` of an object', { proposal: 'Buy at 182', summary: 'long' }, 'Buy at 182'],
    ['is the field `summary` if `proposal` is blank', { proposal: '  ', summary: 'Growth 6 %' }, 'Growth 6 %'],
    ['is the output of a command', { exitCode: 0, stdout: 'three\n  lines\nof it\n', stderr: '' }, 'three lines of it'],
    ['is cut if it is long', 'x'.repeat(10_000), `${'x'.repeat(199)}\u2026`],
  ])('%s (N4)', (_, output, line) => {
    expect(proposalOf(output)).toBe(line);
  });

  it.each([[null], [undefined], [7], [''], [['a']], [{ token: 'secret' }], [{ proposal: { nested: 'no' } }]])(
    'is null for a result that states none: %j (N4)',
    (output) => {
      expect(proposalOf(output)).toBe(null);
    },
  );
});
