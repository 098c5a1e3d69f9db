/** How well the selector does on labelled cases: the first agent, the first three, and how honest its confidence is. */
import { type RecommendResult } from '../../../src/machines/agents/profile.ts';
import { SHIPPED_PROFILES } from '../../../src/machines/agents/profiles/shipped.ts';
import { recommend } from '../../../src/machines/agents/recommend.ts';
import { indexFor } from '../../../src/machines/agents/retrieval.ts';
import { isReported, SELECTION_CASES, type SelectionCase } from './selection-cases.ts';

const BINS = 5;

export type Mode = 'blended' | 'rules';

export interface Quality {
  /** Cases of the kinds that have a right agent by their words. */
  readonly ranked: number;
  readonly top1: number;
  readonly top3: number;
  /** Expected calibration error: how far confidence is from the share of right answers, over five bins. */
  readonly calibrationError: number;
  /** Faults in cases of fallback and filters. */
  readonly faults: readonly Missed[];
  readonly missed: readonly Missed[];
}

export interface Missed {
  readonly one: SelectionCase;
  readonly result: RecommendResult;
}

const index = indexFor(SHIPPED_PROFILES);

export function qualityOf(cases: readonly SelectionCase[], mode: Mode): Quality {
  const answered = cases.map((one) => ({ one, result: recommend(index, { ...one.request, mode }) }));
  const isStrict = ({ one }: Missed) => one.kind === 'fallback' || one.kind === 'filter';
  const ranked = answered.filter((each) => !isStrict(each));
  const isFirst = ({ one, result }: Missed) => one.right.includes(result.recommended);
  const isNear = ({ one, result: { recommended, alternatives } }: Missed) =>
    [recommended, ...alternatives.map(({ agentId }) => agentId)].some((agent) => one.right.includes(agent));
  const bins = Array.from({ length: BINS }, (_, bin) =>
    ranked.filter(({ result }) => Math.min(BINS - 1, Math.floor(result.confidence * BINS)) === bin),
  );
  const gaps = bins.map((bin) =>
    Math.abs(bin.reduce((sum, { result }) => sum + result.confidence, 0) - bin.filter(isFirst).length),
  );
  return {
    ranked: ranked.length,
    top1: ranked.filter(isFirst).length / ranked.length,
    top3: ranked.filter(isNear).length / ranked.length,
    calibrationError: gaps.reduce((sum, gap) => sum + gap, 0) / ranked.length,
    faults: answered.filter((each) => isStrict(each) && !isFirst(each)),
    missed: ranked.filter((each) => !isFirst(each)),
  };
}

/** The measurement as docs/agent-selection.md has it. */
export function qualityText(): string {
  const halves = [
    ['reported', SELECTION_CASES.filter(isReported)],
    ['develop', SELECTION_CASES.filter((one) => !isReported(one))],
  ] as const;
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const rows = (['blended', 'rules'] as const).flatMap((mode) =>
    halves.map(([half, cases]) => {
      const { ranked, top1, top3, calibrationError, faults } = qualityOf(cases, mode);
      const cells = [mode, half, ranked, percent(top1), percent(top3), calibrationError.toFixed(2), faults.length];
      return `| ${cells.join(' | ')} |`;
    }),
  );
  const missed = qualityOf(halves[0][1], 'blended').missed.map(
    ({ one, result }) => `- "${one.request.task}" is for ${one.right.join(' or ')}; it says ${result.recommended}.`,
  );
  return [
    `On ${SELECTION_CASES.length} labelled tasks, written before the selector in its present form; one half was not ` +
      'looked at while it was made:',
    '',
    '| mode | half | tasks | right one first | among three | calibration error | faults in fallback and filters |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    'Of the reported half, `blended` gets wrong:',
    '',
    ...missed,
  ].join('\n');
}
