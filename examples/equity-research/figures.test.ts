/** The table of figures: all rows are present, and every form of mistake is reported with its place. */
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { figuresOf, loadFigures, parseFigures, type AnnualFigures } from './figures.ts';
import { screen } from './screening.ts';

const COMPANIES = ['AAPL', 'MSFT', 'GOOGL', 'AMZN', 'TSLA'];
let text: string;
let rows: AnnualFigures[];

beforeAll(async () => {
  text = await readFile(new URL('./data/annual-financials.csv', import.meta.url), 'utf8');
  rows = await loadFigures(new AbortController().signal);
});

/** The text with one replacement on one line. */
function broken(line: number, from: string, to: string): string {
  const lines = text.split('\n');
  const content = lines[line - 1] ?? '';
  expect(content).toContain(from);
  lines[line - 1] = content.replace(from, to);
  return lines.join('\n');
}

describe('the table of figures', () => {
  it('holds five years of each of five companies', () => {
    expect(rows.map((row) => `${row.ticker} ${row.fiscalYear}`)).toEqual(
      COMPANIES.flatMap((ticker) => [2020, 2021, 2022, 2023, 2024].map((year) => `${ticker} ${year}`)),
    );
  });

  it('reads quoted commas, fractions of shares, minus signs and missing lines', () => {
    expect(figuresOf('AMZN', rows)[2]).toMatchObject({
      company: 'Amazon.com, Inc.',
      fiscalYearEnd: '2022-12-31',
      netIncome: -2722,
      researchAndDevelopment: null,
      claimsOutsideEquity: null,
      derived: ['total_liabilities'],
    });
    expect(figuresOf('AAPL', rows)[4]?.dilutedSharesMillions).toBe(15408.095);
  });

  it('marks exactly the figures that are not confirmed in a named source', () => {
    const marked = rows.flatMap((row) => row.unconfirmed.map((column) => `${row.ticker} ${row.fiscalYear} ${column}`));
    expect(marked).toEqual([
      'MSFT 2020 diluted_shares_millions',
      'MSFT 2021 diluted_shares_millions',
      'MSFT 2022 diluted_shares_millions',
      'MSFT 2023 diluted_shares_millions',
      'MSFT 2023 total_assets',
      'MSFT 2023 total_liabilities',
      'MSFT 2024 diluted_shares_millions',
      'MSFT 2024 total_assets',
      'MSFT 2024 total_liabilities',
      'GOOGL 2020 diluted_shares_millions',
      'GOOGL 2021 diluted_shares_millions',
      'AMZN 2020 cash_and_short_term_investments',
      'AMZN 2020 long_term_debt',
    ]);
  });

  it('accepts Windows line endings', () => {
    expect(parseFigures(text.replaceAll('\n', '\r\n'), 'f.csv')).toEqual(rows);
  });

  it('lists the available companies when asked for another company', () => {
    expect(() => figuresOf('NVDA', rows)).toThrow('annual-financials.csv; it holds AAPL, MSFT, GOOGL');
  });

  it('stops reading if aborted', async () => {
    await expect(loadFigures(AbortSignal.abort())).rejects.toThrow(/abort/i);
  });
});

describe('a malformed table', () => {
  it.each([
    ['a number with a comma group', 6, '391035', '"391,035"', 'f.csv:6: revenue: "391,035" is not a plain number'],
    ['an empty number', 6, '391035', '', 'f.csv:6: revenue: "" is not a plain number'],
    ['an exponent', 3, '365817', '3.6e5', 'f.csv:3: revenue: "3.6e5" is not a plain number'],
    ['a missing cell', 6, '391035,', '', 'f.csv:6: expected 23 cells, found 22'],
    ['an open quote', 17, '"Amazon.com, Inc."', '"Amazon.com, Inc.', 'f.csv:17: misplaced quote'],
    ['a stray quote', 2, 'Apple Inc.', 'Apple "Inc.', 'f.csv:2: misplaced quote in cell 2'],
    ['a year out of its fiscal year', 2, '2020-09-26', '2021-09-26', 'f.csv:2: fiscal_year_end: 2021-09-26 does not'],
    ['an invalid date', 2, '2020-09-26', '2020-13-26', 'f.csv:2: fiscal_year_end: "2020-13-26" is not a date'],
    ['the same year twice', 3, '2021,2021-', '2020,2020-', 'f.csv:3: AAPL 2020 is already on line 2'],
    ['a ticker that is a path', 2, 'AAPL', '../AAPL', 'f.csv:2: ticker: "../AAPL" is not a ticker'],
    [
      'a mark on a column that is no figure',
      12,
      'diluted_shares_millions',
      'shares',
      'f.csv:12: unconfirmed: "shares" is not a column',
    ],
    ['a renamed column', 1, 'revenue', 'sales', 'f.csv:1: column 5 is "sales", expected "revenue"'],
  ])('a malformed table with %s is refused with file and line', (_what, line, from, to, message) => {
    expect(() => parseFigures(broken(line, from, to), 'f.csv')).toThrow(message);
  });

  it('a malformed table without any line is refused', () => {
    expect(() => parseFigures('', 'f.csv')).toThrow('f.csv:1: the file is empty');
  });
});

describe('screening', () => {
  it('finds every balance sheet exact, if the claims outside equity are added for Tesla', () => {
    // Assets - liabilities - equity, written out.
    expect([
      52148 - 28418 - 22225,
      62131 - 30548 - 30189,
      82338 - 36440 - 44704,
      106618 - 43009 - 62634,
      122070 - 48390 - 72913,
    ]).toEqual(figuresOf('TSLA', rows).map((row) => row.claimsOutsideEquity));
    for (const ticker of COMPANIES) {
      expect(screen(figuresOf(ticker, rows)).checks.every((check) => check.passed)).toBe(true);
    }
  });

  it('says that Amazon balances by construction', () => {
    expect(screen(figuresOf('AMZN', rows)).checks[2]?.detail).toContain('by construction');
  });

  it('flags loss, cash drain, decline, a missing line and weaker sources, each with its years', () => {
    const flags = COMPANIES.map((ticker) =>
      screen(figuresOf(ticker, rows)).flags.map(({ kind, fiscalYears }) => `${kind} ${fiscalYears.join(' ')}`),
    );
    expect(flags).toEqual([
      ['revenue-decline 2023'],
      ['weaker-source 2020 2021 2022 2023 2024', 'weaker-source 2023 2024', 'weaker-source 2023 2024'],
      ['weaker-source 2020 2021'],
      [
        'loss-year 2022',
        'negative-free-cash-flow 2021 2022',
        'not-reported 2020 2021 2022 2023 2024',
        'weaker-source 2020',
        'weaker-source 2020',
      ],
      [],
    ]);
  });

  it('refuses a balance sheet that is off by one', () => {
    const off = figuresOf('TSLA', rows).map((row) => ({ ...row, totalAssets: row.totalAssets + 1 }));
    expect(() => screen(off)).toThrow('TSLA fails screening: assets = liabilities');
    expect(() => screen(off)).toThrow('FY2024: off by 1');
  });

  it('refuses claims outside equity beyond a twentieth of assets', () => {
    const odd = figuresOf('AAPL', rows).map((row) => ({
      ...row,
      claimsOutsideEquity: 30_000,
      shareholdersEquity: row.shareholdersEquity - 30_000,
    }));
    expect(() => screen(odd)).toThrow('claims outside equity of 30000 are implausible');
  });

  it('refuses a gap, too few years and a wrong sign', () => {
    const apple = figuresOf('AAPL', rows);
    expect(() => screen(apple.filter((row) => row.fiscalYear !== 2022))).toThrow('at least 5 fiscal years without');
    expect(() => screen(apple.slice(1))).toThrow('fiscal years 2021, 2022, 2023, 2024');
    const spent = apple.map((row) => ({ ...row, capitalExpenditure: -row.capitalExpenditure }));
    expect(() => screen(spent)).toThrow('FY2020: negative capital expenditure');
  });
});
