/** Notes on the methods of a report and their limits: the same sentences for every company. */
import type { Financial } from './financial.ts';
import { percent } from './format.ts';
import { INCREMENTAL_GROWTH_MIN } from './strategy.ts';

/** The notes, each a full sentence or more. */
export function methodNotes({ assumedTaxRate }: Financial): string[] {
  return [
    'Growth is this year over last year less one; compound growth is the constant rate from first year to last.',
    'Trends are slopes of least-squares lines through all years, in percentage points (pp) a year. Five points show ' +
      'a direction, not a law.',
    'Free cash flow is operating cash flow less capital expenditure. It is after interest and tax, and it counts pay ' +
      'in shares as if it cost nothing.',
    'Cash conversion is operating cash flow over net income; it has no meaning in a loss year.',
    'ROE and ROA are net income over the mean of opening and closing balance, so the first year has none. ROE is net ' +
      'margin times asset turnover times equity multiplier.',
    `ROIC is operating income less ${percent(assumedTaxRate)} assumed tax, over the mean of equity plus long-term ` +
      'debt less cash and short-term investments. Short-term debt and leases are not in the data and so not in the ' +
      'capital. A company that needs little capital of its own shows a very high figure.',
    'Capital reinvestment is capital expenditure over operating cash flow; broad reinvestment adds R&D to both.',
    'Incremental operating margin is the change of operating income over the change of revenue; it is left out for a ' +
      `year in which revenue grew by less than ${percent(INCREMENTAL_GROWTH_MIN)}.`,
    'The value discounts each year from its end, adds a growing perpetuity, then cash and short-term investments, ' +
      'and takes off long-term debt. Short-term debt, leases, noncontrolling interests, long-dated securities and ' +
      'other stakes are left out. Interest already lowers the cash flow, so debt is counted slightly twice.',
    'Shares are the weighted diluted average of the last fiscal year, not the count of today; later issues and ' +
      'buybacks are not foreseen.',
    'Ratios are computed from the figures as published, mostly to the million, and shown rounded; nothing is rounded ' +
      'in between.',
  ];
}
