/** The documents of a small shop: three lines, each found by a word of the question. */
import { type AnswerPorts } from 'bosun/crew';
import { type Source } from './prompt.ts';

const KEPT = { speaksFor: '30 days', valueKind: 'duration', isDeclarative: true, coverage: 1 } as const;

const LINES: readonly { readonly word: string; readonly source: Source }[] = [
  {
    word: 'backups',
    source: {
      ...KEPT,
      kind: 'declared',
      source: { type: 'prd', scope: 'shop', file: 'docs/backups.md', line: 7 },
      excerpt: 'Backups are kept for 30 days.',
      weight: 1,
    },
  },
  {
    word: 'backups',
    source: {
      ...KEPT,
      kind: 'decided',
      source: { type: 'plan', scope: 'shop', file: 'docs/adr/0004.md', line: 12 },
      excerpt: 'Thirty days are enough for backups, since the ledger keeps every invoice for ten years.',
      weight: 0.9,
    },
  },
  {
    word: 'port',
    source: {
      kind: 'declared',
      source: { type: 'code', scope: 'shop', file: 'server.json', line: 3 },
      excerpt: '"port": 8080',
      speaksFor: '8080',
      valueKind: 'number',
      isDeclarative: true,
      coverage: 1,
      weight: 1,
    },
  },
];

/** The port `retrieve`: the lines whose word the question has. */
export const retrieve: AnswerPorts['retrieve'] = ({ question }) =>
  Promise.resolve({
    evidence: LINES.filter(({ word }) => question.includes(word)).map(({ source }) => source),
    complete: true,
  });
