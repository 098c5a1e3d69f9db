/** The quality of selection, on the half of the labelled tasks that was not looked at while it was tuned. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SHIPPED_PROFILES } from '../../../src/machines/agents/profiles/shipped.ts';
import { isReported, SELECTION_CASES } from '../../support/machines/selection-cases.ts';
import { qualityOf, qualityText } from '../../support/machines/selection-quality.ts';

const reported = SELECTION_CASES.filter(isReported);

describe('selection by the shipped profiles', () => {
  it('is measured with at least ten tasks for each agent, nearly half of them unseen', () => {
    expect(SELECTION_CASES.length).toBeGreaterThanOrEqual(220);
    expect(reported.length).toBeGreaterThan(SELECTION_CASES.length * 0.4);
    const counts = SHIPPED_PROFILES.map(
      ({ agentId }) => SELECTION_CASES.filter(({ right }) => right[0] === agentId).length,
    );
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(10);
  });

  it('AC-024, AC-029: names the right agent first in 80 % of unseen tasks, and among three in 93 %', () => {
    const { top1, top3 } = qualityOf(reported, 'blended');
    expect(top1).toBeGreaterThanOrEqual(0.8);
    expect(top3).toBeGreaterThanOrEqual(0.93);
  });

  it('makes no mistake in fallbacks and filters, on seen and unseen tasks', () => {
    expect(qualityOf(SELECTION_CASES, 'blended').faults).toEqual([]);
    expect(qualityOf(SELECTION_CASES, 'rules').faults).toEqual([]);
  });

  it('has an expected calibration error of at most 0.10 on unseen tasks', () => {
    expect(qualityOf(reported, 'blended').calibrationError).toBeLessThanOrEqual(0.1);
  });

  it('is better than selection by rules of single words', () => {
    expect(qualityOf(reported, 'blended').top1).toBeGreaterThan(qualityOf(reported, 'rules').top1);
  });

  it('has its measured quality and its mistakes in docs/agent-selection.md', () => {
    const page = readFileSync(new URL('../../../docs/agent-selection.md', import.meta.url), 'utf8');
    expect(page).toContain(qualityText());
  });
});
