/** Evidence for tests of what judges it. */
import fc from 'fast-check';
import { EVIDENCE_KINDS, type Evidence } from '../../../src/machines/answers/evidence.ts';

/** A declared option that covers the whole question, unless said otherwise. */
export function evidenceOf(
  parts: Partial<Evidence> & { readonly file?: string; readonly line?: number } = {},
): Evidence {
  const { file = 'package.json', line = 1, ...rest } = parts;
  return {
    kind: 'declared',
    source: { type: 'code', scope: 'shop', file, line },
    excerpt: `"${rest.speaksFor ?? 'alpha'}": "^1.0.0"`,
    speaksFor: 'alpha',
    valueKind: 'option',
    isDeclarative: rest.kind === undefined || rest.kind === 'declared' || rest.kind === 'decided',
    coverage: 1,
    weight: 1,
    ...rest,
  };
}

const WORTH = { declared: 1, decided: 1, used: 0.8, mentioned: 0.25 } as const;

/** Any evidence for one of a few options. */
export function anyEvidence(options: readonly string[] = ['alpha', 'beta', 'gamma']): fc.Arbitrary<Evidence> {
  return fc
    .record({
      kind: fc.constantFrom(...EVIDENCE_KINDS),
      speaksFor: fc.constantFrom(...options),
      coverage: fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10),
      line: fc.integer({ min: 1, max: 1_000 }),
    })
    .map(({ kind, coverage, ...rest }) =>
      evidenceOf({ ...rest, kind, coverage, weight: WORTH[kind] * (0.5 + 0.5 * coverage) }),
    );
}
