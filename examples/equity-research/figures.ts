/**
 * The published annual figures: the meaning of a row of `data/annual-financials.csv`, and its parser. The form of each
 * cell is checked here; whether the numbers are consistent is the screening agent's question.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { CsvError, parseCsv, type CsvRecord } from './csv.ts';

/**
 * One fiscal year of one company. Money is in millions of US dollars throughout, as published.
 * `null` stands for a line that the company does not report; it never stands for zero.
 */
export interface AnnualFigures {
  readonly ticker: string;
  readonly company: string;
  readonly fiscalYear: number;
  /** Last day of the fiscal year, ISO date. */
  readonly fiscalYearEnd: string;
  readonly revenue: number;
  readonly costOfRevenue: number;
  readonly operatingIncome: number;
  /** Negative in a loss year. */
  readonly netIncome: number;
  /** Millions of shares: weighted average, diluted, restated for later splits. */
  readonly dilutedSharesMillions: number;
  readonly operatingCashFlow: number;
  /** Money spent, so positive. */
  readonly capitalExpenditure: number;
  readonly researchAndDevelopment: number | null;
  readonly totalAssets: number;
  readonly totalLiabilities: number;
  readonly shareholdersEquity: number;
  /** Claims that are neither liabilities nor shareholders' equity, such as noncontrolling interests. */
  readonly claimsOutsideEquity: number | null;
  readonly cashAndShortTermInvestments: number;
  /** The non-current part only. */
  readonly longTermDebt: number;
  /** Columns whose value was only seen in secondary files without a named origin. */
  readonly unconfirmed: readonly FigureColumn[];
  /** Columns whose value was confirmed in a data vendor's file, not in a filing. */
  readonly vendorOnly: readonly FigureColumn[];
  /** Columns that the company does not print and that follow from two others. */
  readonly derived: readonly FigureColumn[];
  /** The filing that the figures belong to. */
  readonly source: string;
  /** The public file in which they were confirmed. */
  readonly sourceNote: string;
}

/** CSV columns that hold figures, and the property each becomes. Order is the order in the file. */
export const FIGURE_PROPERTIES = {
  revenue: 'revenue',
  cost_of_revenue: 'costOfRevenue',
  operating_income: 'operatingIncome',
  net_income: 'netIncome',
  diluted_shares_millions: 'dilutedSharesMillions',
  operating_cash_flow: 'operatingCashFlow',
  capital_expenditure: 'capitalExpenditure',
  research_and_development: 'researchAndDevelopment',
  total_assets: 'totalAssets',
  total_liabilities: 'totalLiabilities',
  shareholders_equity: 'shareholdersEquity',
  claims_outside_equity: 'claimsOutsideEquity',
  cash_and_short_term_investments: 'cashAndShortTermInvestments',
  long_term_debt: 'longTermDebt',
} as const satisfies Record<string, keyof AnnualFigures>;

/** A CSV column that holds a figure. */
export type FigureColumn = keyof typeof FIGURE_PROPERTIES;

const FIGURE_COLUMNS = Object.keys(FIGURE_PROPERTIES);
const COLUMNS = [
  'ticker',
  'company',
  'fiscal_year',
  'fiscal_year_end',
  ...FIGURE_COLUMNS,
  'unconfirmed',
  'vendor_only',
  'derived',
  'source',
  'source_note',
];

/** Where the example keeps its figures: beside this file, wherever the command was started. */
const FIGURES_PATH = fileURLToPath(new URL('./data/annual-financials.csv', import.meta.url));

/** Reads and parses the example's figures. Rejects when aborted, when the file is missing or when it is malformed. */
export async function loadFigures(signal: AbortSignal): Promise<AnnualFigures[]> {
  return parseFigures(await readFile(FIGURES_PATH, { encoding: 'utf8', signal }), 'annual-financials.csv');
}

/**
 * Parses CSV text with the columns that `data/SOURCES.md` describes.
 *
 * @param fileName As it should appear in errors.
 * @returns Rows in file order.
 * @throws CsvError naming file, line and column of the first cell that is not in its form.
 */
export function parseFigures(text: string, fileName: string): AnnualFigures[] {
  const seen = new Map<string, number>();
  return parseCsv(text, fileName, COLUMNS).map((record) => {
    const row = parseRow(record, fileName);
    const key = `${row.ticker} ${row.fiscalYear}`;
    const earlier = seen.get(key);
    if (earlier !== undefined) throw new CsvError(fileName, record.line, `${key} is already on line ${earlier}`);
    seen.set(key, record.line);
    return row;
  });
}

/**
 * The rows of one company, oldest year first.
 *
 * @throws Error naming the companies there are, when it is none of them.
 */
export function figuresOf(ticker: string, rows: readonly AnnualFigures[]): AnnualFigures[] {
  const own = rows.filter((row) => row.ticker === ticker).sort((a, b) => a.fiscalYear - b.fiscalYear);
  if (own.length > 0) return own;
  const known = [...new Set(rows.map((row) => row.ticker))].join(', ');
  throw new Error(`No figures for "${ticker}" in annual-financials.csv; it holds ${known}`);
}

function parseRow(record: CsvRecord, fileName: string): AnnualFigures {
  const cell = (column: string) => record.cells[column] ?? '';
  const fail = (column: string, problem: string): never => {
    throw new CsvError(fileName, record.line, `${column}: ${problem}`);
  };
  const text = (column: string) => cell(column) || fail(column, 'must not be empty');
  const optional = (column: FigureColumn) => (cell(column) === '' ? null : number(column));
  const number = (column: FigureColumn) =>
    DECIMAL.test(cell(column)) ? Number(cell(column)) : fail(column, `"${cell(column)}" is not a plain number`);
  const columns = (column: string) =>
    cell(column)
      .split(';')
      .filter((name) => name !== '')
      .map((name) => (isFigureColumn(name) ? name : fail(column, `"${name}" is not a column that holds a figure`)));

  return {
    ticker: TICKER.test(cell('ticker')) ? cell('ticker') : fail('ticker', `"${cell('ticker')}" is not a ticker`),
    company: text('company'),
    ...fiscalYear(record, fail),
    revenue: number('revenue'),
    costOfRevenue: number('cost_of_revenue'),
    operatingIncome: number('operating_income'),
    netIncome: number('net_income'),
    dilutedSharesMillions: number('diluted_shares_millions'),
    operatingCashFlow: number('operating_cash_flow'),
    capitalExpenditure: number('capital_expenditure'),
    researchAndDevelopment: optional('research_and_development'),
    totalAssets: number('total_assets'),
    totalLiabilities: number('total_liabilities'),
    shareholdersEquity: number('shareholders_equity'),
    claimsOutsideEquity: optional('claims_outside_equity'),
    cashAndShortTermInvestments: number('cash_and_short_term_investments'),
    longTermDebt: number('long_term_debt'),
    unconfirmed: columns('unconfirmed'),
    vendorOnly: columns('vendor_only'),
    derived: columns('derived'),
    source: text('source'),
    sourceNote: text('source_note'),
  };
}

/** No sign but a minus, no grouping, no exponent: anything else is more likely a slip than a number. */
const DECIMAL = /^-?\d+(\.\d+)?$/;
/** The ticker becomes a file name, so it may hold nothing that a path gives a meaning to. */
const TICKER = /^[A-Z][A-Z0-9]{0,9}$/;
const ISO_DATE = /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

function fiscalYear(record: CsvRecord, fail: (column: string, problem: string) => never) {
  const year = record.cells['fiscal_year'] ?? '';
  const end = record.cells['fiscal_year_end'] ?? '';
  if (!/^\d{4}$/.test(year)) fail('fiscal_year', `"${year}" is not a year`);
  if (!ISO_DATE.test(end)) fail('fiscal_year_end', `"${end}" is not a date like 2024-12-31`);
  // Correct for every company here. A fiscal year that ends in early January would need another rule, and should say
  // so.
  if (!end.startsWith(year)) fail('fiscal_year_end', `${end} does not lie in fiscal year ${year}`);
  return { fiscalYear: Number(year), fiscalYearEnd: end };
}

function isFigureColumn(name: string): name is FigureColumn {
  return Object.hasOwn(FIGURE_PROPERTIES, name);
}
