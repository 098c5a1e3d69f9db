/** The report: valid Markdown and SVG, open about weak figures, and the same bytes at any time and place. */
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readAssumptions } from './assumptions.ts';
import { analyseBusiness } from './business.ts';
import { drawBarChart } from './chart.ts';
import { figuresOf, loadFigures, type AnnualFigures } from './figures.ts';
import { analyseFinances } from './financial.ts';
import { money, percent, perShare, points } from './format.ts';
import { composeReport, type Report } from './report.ts';
import { screen } from './screening.ts';
import { analyseStrategy } from './strategy.ts';
import { valueCompany } from './valuation.ts';

const COMPANIES = ['AAPL', 'MSFT', 'GOOGL', 'AMZN', 'TSLA'];
let rows: AnnualFigures[];

beforeAll(async () => {
  rows = await loadFigures(new AbortController().signal);
});

afterEach(() => {
  vi.useRealTimers();
});

function reportOn(ticker: string, figures = rows): Report {
  const screening = screen(figuresOf(ticker, figures));
  const business = analyseBusiness(screening);
  const financial = analyseFinances(screening);
  const strategy = analyseStrategy(screening, business);
  const valuation = valueCompany({ screening, financial, strategy }, readAssumptions(undefined));
  return composeReport({ screening, business, financial, strategy, valuation });
}

/** Throws unless every tag is closed in order and no character stands unescaped. Enough for XML without comments. */
function checkWellFormed(xml: string): void {
  const open: string[] = [];
  const tag = /<(\/?)([a-z]+)(?: [a-zA-Z0-9-]+="[^"<&]*")*(\/?)>/g;
  const between = xml.replace(tag, (_tag, end, name, empty) => {
    if (end === '/') expect(open.pop()).toBe(name);
    else if (empty === '') open.push(String(name));
    return '';
  });
  expect(open).toEqual([]);
  expect(between.replace(/&(amp|lt|gt|quot);/g, '')).not.toMatch(/[<>&]/);
}

describe.each(COMPANIES)('the report on %s', (ticker) => {
  it('is the same to the byte at any time', () => {
    vi.useFakeTimers({ now: new Date('2051-05-06T07:08:09Z') });
    const first = reportOn(ticker);
    vi.setSystemTime(new Date('2064-11-12T13:14:15Z'));
    expect(reportOn(ticker)).toEqual(first);
    expect(first.markdown).not.toMatch(/2051|2064|\d\d:\d\d/);
  });

  it('names only dates that are fiscal year ends', () => {
    const ends = new Set(figuresOf(ticker, rows).map((row) => row.fiscalYearEnd));
    // The name of a source file may contain a date too, after a letter, a hyphen or a digit.
    const dates = reportOn(ticker).markdown.match(/(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])/g) ?? [];
    expect(new Set(dates)).toEqual(ends);
  });

  it('embeds its chart as an HTML block that Markdown leaves alone', () => {
    const { markdown, chart } = reportOn(ticker);
    const lines = markdown.split('\n');
    const start = lines.findIndex((line) => line.startsWith('<svg'));
    const end = lines.indexOf('</svg>');
    expect(lines[start]).toMatch(/^<svg( [a-zA-Z-]+="[^"]*")+>$/);
    expect(lines[start - 1]).toBe('');
    expect(lines[end + 1]).toBe('');
    expect(lines.slice(start, end)).not.toContain('');
    expect(`${lines.slice(start, end + 1).join('\n')}\n`).toBe(chart);
    expect(markdown).toContain(`(${ticker}.svg)`);
  });

  it('has a well-formed chart with a title', () => {
    const { chart } = reportOn(ticker);
    checkWellFormed(chart.trimEnd());
    expect(chart).toContain(`<title>${ticker}: revenue, operating income and free cash flow</title>`);
    expect(chart).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('has tables whose rows are as wide as their headers', () => {
    const widths = reportOn(ticker)
      .markdown.trimEnd()
      .split('\n\n')
      .filter((block) => block.startsWith('|'))
      .map((block) => new Set(block.split('\n').map((line) => line.split(/(?<!\\)\|/).length)).size);
    expect(widths.length).toBeGreaterThan(10);
    expect(new Set(widths)).toEqual(new Set([1]));
  });

  it('shows no result of a failed computation', () => {
    expect(reportOn(ticker).markdown).not.toMatch(/NaN|Infinity|undefined|null|\[object/);
  });

  it('lists every unconfirmed figure in its data notes, with its value', () => {
    const notes = reportOn(ticker).markdown.split('## Data notes')[1]?.split('## Method notes')[0] ?? '';
    for (const row of figuresOf(ticker, rows)) {
      for (const column of row.unconfirmed) {
        expect(notes).toContain('**Not confirmed in a named source.**');
        if (column === 'diluted_shares_millions') expect(notes).toContain(money(row.dilutedSharesMillions, 1));
        if (column === 'total_assets') expect(notes).toContain(`FY${row.fiscalYear} ${money(row.totalAssets)}`);
        if (column === 'long_term_debt') expect(notes).toContain(`FY${row.fiscalYear} ${money(row.longTermDebt)}`);
      }
    }
  });
});

describe('a report', () => {
  it('prints the values of the filing', () => {
    const { markdown } = reportOn('AAPL');
    expect(markdown).toContain('| Free cash flow (USD millions) | 73,365 | 92,953 | 111,443 | 99,584 | 108,807 |');
    expect(markdown).toContain('| Revenue growth, compound | 9.2% a year |');
    expect(markdown).toContain('| **= value per diluted share** | **$145.75** |');
  });

  it('warns beside the value itself when the value rests on an unconfirmed figure', () => {
    expect(reportOn('MSFT').markdown).toContain('**Caution:** values per share below rest on figures not confirmed');
    expect(reportOn('MSFT').markdown).toContain('rests on figures not confirmed in a named source: diluted shares');
    expect(reportOn('AAPL').markdown).not.toContain('**Caution:**');
  });

  it('advises neither to buy nor to sell', () => {
    for (const ticker of COMPANIES) {
      expect(reportOn(ticker).markdown).not.toMatch(/\b(buy|sell|hold|undervalued|overvalued|target price)\b/i);
    }
  });

  it('is still written if there is no valuation', () => {
    const spent = rows.map((row) => ({ ...row, capitalExpenditure: row.operatingCashFlow }));
    expect(reportOn('AAPL', spent).markdown).toContain('The base cash flow is not positive.');
  });
});

describe('a bar chart', () => {
  it('draws negative bars below zero and escapes its texts', () => {
    const chart = drawBarChart({
      title: 'A & B < C',
      unit: 'units',
      groups: ['one', 'two'],
      series: [{ name: '"x"', colour: '#000000', values: [50, -50] }],
    });
    checkWellFormed(chart);
    expect(chart).toContain('<title>A &amp; B &lt; C</title>');
    // 50 above and 50 below: both bars are as tall, and the second begins where the first ends.
    const bars = [...chart.matchAll(/y="([\d.]+)" width="[\d.]+" height="([\d.]+)" fill="#000000"><title>/g)];
    const [up, down] = bars.map(([, y, height]) => ({ y: Number(y), height: Number(height) }));
    expect(up?.height).toBeCloseTo(down?.height ?? NaN, 1);
    expect((up?.y ?? NaN) + (up?.height ?? NaN)).toBeCloseTo(down?.y ?? NaN, 1);
  });

  it('draws a chart of zeros without failing', () => {
    const series = [{ name: 'none', colour: '#000000', values: [0] }];
    expect(drawBarChart({ title: 't', unit: 'u', groups: ['g'], series })).not.toContain('NaN');
  });
});

describe('numbers as text', () => {
  it('have one form everywhere', () => {
    expect([money(391035), money(-2722), money(15408.095, 1), money(999), money(null)]).toEqual([
      '391,035',
      '-2,722',
      '15,408.1',
      '999',
      'n/a',
    ]);
    expect([percent(0.0925), percent(-0.0001), points(0.019), points(-0.019), points(0.00001)]).toEqual([
      '9.3%',
      '0.0%',
      '+1.9 pp',
      '-1.9 pp',
      '0.0 pp',
    ]);
    expect([perShare(1234.5), perShare(-0.27), perShare(-0.001)]).toEqual(['$1,234.50', '-$0.27', '$0.00']);
  });
});
