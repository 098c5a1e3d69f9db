/**
 * Notes on the figures behind a report: which rest on weaker sources, which follow from others, and where companies
 * count differently. `data/SOURCES.md` says the same for the whole table.
 */
import { FIGURE_PROPERTIES, type AnnualFigures, type FigureColumn } from './figures.ts';
import { money } from './format.ts';
import { ends } from './ratios.ts';

/** The name of a column in a report, and its use there. */
interface ColumnDescription {
  readonly label: string;
  readonly enters: string;
}

/** Balance-sheet figures enter averages too, so that a weak one also reaches the year after. */
const BALANCE_SHEET = 'of that year and, through averages, of the next';

/** Columns in the order of the file. */
export const COLUMN_DESCRIPTIONS: Readonly<Record<FigureColumn, ColumnDescription>> = {
  revenue: { label: 'Revenue', enters: 'growth and every margin' },
  cost_of_revenue: { label: 'Cost of revenue', enters: 'gross margin' },
  operating_income: { label: 'Operating income', enters: 'operating margin, incremental margin and ROIC' },
  net_income: { label: 'Net income', enters: 'net margin, earnings per share, cash conversion, ROE and ROA' },
  diluted_shares_millions: { label: 'Diluted shares (millions)', enters: 'earnings per diluted share of that year' },
  operating_cash_flow: { label: 'Operating cash flow', enters: 'free cash flow and what follows from it' },
  capital_expenditure: { label: 'Capital expenditure', enters: 'free cash flow and what follows from it' },
  research_and_development: { label: 'Research and development', enters: 'R&D intensity and broad reinvestment' },
  total_assets: {
    label: 'Total assets',
    enters: `the balance check, liabilities to assets, ROA, asset turnover and equity multiplier ${BALANCE_SHEET}`,
  },
  total_liabilities: { label: 'Total liabilities', enters: 'the balance check and liabilities to assets of that year' },
  shareholders_equity: {
    label: "Shareholders' equity",
    enters: `the balance check, debt to equity, ROE, ROIC and equity multiplier ${BALANCE_SHEET}`,
  },
  claims_outside_equity: {
    label: 'Claims outside equity',
    enters: 'the balance check; the value per share does not deduct them',
  },
  cash_and_short_term_investments: {
    label: 'Cash and short-term investments',
    enters: `net cash, and ROIC ${BALANCE_SHEET}`,
  },
  long_term_debt: { label: 'Long-term debt', enters: `net cash, debt to equity, and ROIC ${BALANCE_SHEET}` },
};

/** Columns of the last year that also enter the value per share. */
const VALUATION_COLUMNS: readonly FigureColumn[] = [
  'diluted_shares_millions',
  'cash_and_short_term_investments',
  'long_term_debt',
];

/** Marks after a value in the table of figures. */
export const MARKS = { unconfirmed: '†', vendorOnly: '‡', derived: '§' } as const;

/** The marks that a figure of this year carries, or an empty text. */
export function markOf(row: AnnualFigures, column: FigureColumn): string {
  if (row.unconfirmed.includes(column)) return MARKS.unconfirmed;
  if (row.vendorOnly.includes(column)) return MARKS.vendorOnly;
  return row.derived.includes(column) ? MARKS.derived : '';
}

/**
 * Ways in which a company's lines differ from the others', from the notes of the data set. A company without an entry
 * simply has none.
 */
const COMPANY_NOTES: Readonly<Record<string, readonly string[]>> = {
  AAPL: [
    'The fiscal year ends in late September, so it shares three quarters with the calendar year of the same number.',
    'Long-term debt is the non-current part of term debt.',
  ],
  MSFT: ['The fiscal year ends on 30 June, half a year before that of companies on calendar years.'],
  GOOGL: [
    'Diluted shares of all years count the 20:1 split of 2022.',
    'Long-term debt of FY2020 to FY2023 is the balance-sheet line as first reported, which includes finance leases; ' +
      'the FY2024 filing recast FY2023 from 13,253 to 11,870, and FY2024 is on that newer basis.',
  ],
  AMZN: [
    'Cost of revenue is cost of sales without fulfilment, so gross margins of other companies may not compare.',
    'Diluted shares of all years count the 20:1 split of 2022.',
    'No R&D line is reported. The "technology and content" or "technology and infrastructure" expense (42,740, ' +
      '56,052, 73,213, 85,622 and 88,544 in FY2020 to FY2024) is another measure and is not used in its place.',
    'Capital expenditure is gross of sale proceeds and incentives.',
  ],
  TSLA: [
    'Net income is that attributable to common stockholders; equity excludes noncontrolling interests, which appear ' +
      'as claims outside equity (FY2020: with 51 of convertible notes).',
    'Diluted shares of all years count the 3:1 split of 2022.',
    'Capital expenditure leaves out the separate line for solar systems; long-term debt leaves out finance leases.',
  ],
};

/** The notes of one company, most important first, each a full sentence or two. */
export function dataNotes(rows: readonly AnnualFigures[]): string[] {
  const { last } = ends(rows);
  return [
    ...listColumns(rows, 'unconfirmed').map(
      (note) => `${MARKS.unconfirmed} **Not confirmed in a named source.** ${note}`,
    ),
    ...listColumns(rows, 'vendorOnly').map(
      (note) => `${MARKS.vendorOnly} **Confirmed in a data vendor's file only, not in a filing.** ${note}`,
    ),
    ...listColumns(rows, 'derived').map(
      (note) => `${MARKS.derived} **Not printed by the company;** assets less shareholders' equity. ${note}`,
    ),
    ...(COMPANY_NOTES[last.ticker] ?? []),
  ];
}

/** One note per column that carries the grade in any year. */
function listColumns(rows: readonly AnnualFigures[], grade: 'unconfirmed' | 'vendorOnly' | 'derived'): string[] {
  const columns = Object.keys(COLUMN_DESCRIPTIONS) as FigureColumn[]; // Object.keys forgets the type of its keys.
  return columns.flatMap((column) => {
    const graded = rows.filter((row) => row[grade].includes(column));
    if (graded.length === 0) return [];
    const { label, enters } = COLUMN_DESCRIPTIONS[column];
    const valueOf = (row: AnnualFigures) => money(row[FIGURE_PROPERTIES[column]], decimals(column));
    const values = graded.map((row) => `FY${row.fiscalYear} ${valueOf(row)}`);
    const inValue = VALUATION_COLUMNS.includes(column) && graded.includes(ends(rows).last);
    return [`${label}: ${values.join(', ')}. Enters ${enters}${inValue ? ', **and the value per share**' : ''}.`];
  });
}

/** Shares are published to the thousand by some companies, money to the million. */
export function decimals(column: FigureColumn): number {
  return column === 'diluted_shares_millions' ? 1 : 0;
}
