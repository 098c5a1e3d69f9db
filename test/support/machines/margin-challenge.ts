/** A challenge of a margin, as an agent of a plan hands it in. */
import { type ChallengeGiven } from '../../../src/machines/work/crew-requests.ts';

export const MARGIN_CHALLENGE = {
  id: 'margin',
  topic: 'Margin',
  challenged: { agent: 'strategy' },
  disputedFinding: 'The margin is 28 %.',
  basis: { statement: 'The filing says 25 %.', evidence: [{ kind: 'filing', source: 'page 40', strength: 0.8 }] },
  priority: 'supporting',
  positions: { challenger: { statement: '25 %', value: 0.25 }, challenged: { statement: '28 %', value: 0.28 } },
} satisfies ChallengeGiven;
