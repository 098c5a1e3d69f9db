/** Checks the options of campaign: the known keys, and the kind of each. */
import { BosunError } from '../../errors.ts';
import { aFunction, aTime, objectWith, type OptionRules, problemOfOptions, rule } from '../../option-rules.ts';
import type { CampaignOptions } from './campaign.ts';
import { aRange } from './simulation-rules.ts';

const fromZero = rule('a whole number from 0', (value) => Number.isInteger(value) && (value as number) >= 0);

const CAMPAIGN_RULES: OptionRules<CampaignOptions> = {
  seeds: (value) => (Array.isArray(value) ? aRange(value) : fromZero(value)),
  budgetMs: aTime,
  shrinkMs: aTime,
  corpus: objectWith('a corpus, such as corpusIn(directory)', 'tokens', 'add'),
  twiceOneIn: fromZero,
  progress: aFunction,
};

/**
 * Checks the options of a campaign.
 *
 * @throws BOSUN_CONFIG_INVALID for an option that is unknown or invalid.
 */
export function checkCampaignOptions(options: unknown): void {
  const problem = problemOfOptions(options, CAMPAIGN_RULES);
  if (problem !== undefined) throw new BosunError('BOSUN_CONFIG_INVALID', `campaign: ${problem}`);
}
