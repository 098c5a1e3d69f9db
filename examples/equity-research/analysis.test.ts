/** Business, financial and strategy against arithmetic written out from the CSV: anyone can check it by hand. */
import { beforeAll, describe, expect, it } from 'vitest';
import { analyseBusiness, type Business } from './business.ts';
import { figuresOf, loadFigures } from './figures.ts';
import { analyseFinances, type Financial } from './financial.ts';
import { screen, type Screening } from './screening.ts';
import { leastSquaresSlope, populationStandardDeviation } from './statistics.ts';
import { analyseStrategy, type Strategy } from './strategy.ts';

interface Studied {
  readonly screening: Screening;
  readonly business: Business;
  readonly financial: Financial;
  readonly strategy: Strategy;
}

const COMPANIES = ['AAPL', 'MSFT', 'GOOGL', 'AMZN', 'TSLA'];
const studied = new Map<string, Studied>();

beforeAll(async () => {
  const rows = await loadFigures(new AbortController().signal);
  for (const ticker of COMPANIES) {
    const screening = screen(figuresOf(ticker, rows));
    const business = analyseBusiness(screening);
    const strategy = analyseStrategy(screening, business);
    studied.set(ticker, { screening, business, financial: analyseFinances(screening), strategy });
  }
});

function study(ticker: string): Studied {
  const found = studied.get(ticker);
  if (found === undefined) throw new Error(`${ticker} is not studied here`);
  return found;
}

function year<T extends { fiscalYear: number }>(years: readonly T[], fiscalYear: number): T {
  const found = years.find((candidate) => candidate.fiscalYear === fiscalYear);
  if (found === undefined) throw new Error(`No year ${fiscalYear}`);
  return found;
}

describe('free cash flow', () => {
  it.each([
    ['AAPL', [80674 - 7309, 104038 - 11085, 122151 - 10708, 110543 - 10959, 118254 - 9447]],
    ['MSFT', [60675 - 15441, 76740 - 20622, 89035 - 23886, 87582 - 28107, 118548 - 44477]],
    ['GOOGL', [65124 - 22281, 91652 - 24640, 91495 - 31485, 101746 - 32251, 125299 - 52535]],
    ['AMZN', [66064 - 40140, 46327 - 61053, 46752 - 63645, 84946 - 52729, 115877 - 82999]],
    ['TSLA', [5943 - 3157, 11497 - 6482, 14724 - 7158, 13256 - 8898, 14923 - 11339]],
  ])('free cash flow of %s is operating cash flow less capital expenditure, in every year', (ticker, expected) => {
    expect(study(ticker).financial.years.map((each) => each.freeCashFlow)).toEqual(expected);
  });

  it('free cash flow of Apple in 2024 is 108,807, and 27.8% of revenue', () => {
    const { freeCashFlow, freeCashFlowMargin } = year(study('AAPL').financial.years, 2024);
    expect(freeCashFlow).toBe(108807);
    expect(freeCashFlowMargin).toBeCloseTo(0.278254, 6);
  });
});

describe('margins', () => {
  it.each([
    ['AAPL', [274515 - 169559, 365817 - 212981, 394328 - 223546, 383285 - 214137, 391035 - 210352]],
    ['MSFT', [143015 - 46078, 168088 - 52232, 198270 - 62650, 211915 - 65863, 245122 - 74114]],
    ['GOOGL', [182527 - 84732, 257637 - 110939, 282836 - 126203, 307394 - 133332, 350018 - 146306]],
    ['AMZN', [386064 - 233307, 469822 - 272344, 513983 - 288831, 574785 - 304739, 637959 - 326288]],
    ['TSLA', [31536 - 24906, 53823 - 40217, 81462 - 60609, 96773 - 79113, 97690 - 80240]],
  ])('margins of %s: gross margin times revenue is gross profit, in every year', (ticker, grossProfits) => {
    const { business, screening } = study(ticker);
    business.years.forEach((each, index) => {
      const revenue = screening.figures[index]?.revenue ?? 0;
      expect((each.grossMargin ?? 0) * revenue).toBeCloseTo(grossProfits[index] ?? NaN, 6);
    });
  });

  it('margins of Microsoft in 2022 agree with the filing', () => {
    const found = year(study('MSFT').business.years, 2022);
    expect(found.revenueGrowth).toBeCloseTo(198270 / 168088 - 1, 12);
    expect(found.operatingMargin).toBeCloseTo(83383 / 198270, 12);
    expect(found.netMargin).toBeCloseTo(72738 / 198270, 12);
    expect(found.researchIntensity).toBeCloseTo(24512 / 198270, 12);
    expect(found.capitalIntensity).toBeCloseTo(23886 / 198270, 12);
    expect(found.earningsPerDilutedShare).toBeCloseTo(72738 / 7540, 12);
  });

  it('have a trend that is the least-squares slope of five points', () => {
    // Positions -2 .. 2 around the middle year: slope = (-2a - b + d + 2e) / 10.
    const [a, b, , d, e] = [66288 / 274515, 108949 / 365817, 0, 114301 / 383285, 123216 / 391035] as const;
    expect(study('AAPL').business.trends.operatingMargin).toBeCloseTo((-2 * a - b + d + 2 * e) / 10, 12);
  });

  it('leave out R&D if the company reports none', () => {
    const { business, strategy } = study('AMZN');
    expect(business.years.map((each) => each.researchIntensity)).toEqual([null, null, null, null, null]);
    expect(business.trends.researchIntensity).toBeNull();
    expect(business.sentences.at(-1)).toBe(
      'R&D over revenue is not available: the company does not report the line in every year.',
    );
    expect(strategy.years.map((each) => each.broadReinvestment)).toEqual([null, null, null, null, null]);
  });

  it('are described in sentences with the numbers', () => {
    expect(study('AAPL').business.sentences.slice(0, 3)).toEqual([
      'Revenue went from 274,515 to 391,035 USD million, 9.2% a year compound; it grew in 3 of 4 years.',
      'The fastest year was FY2021 (33.3%), the slowest FY2023 (-2.8%).',
      'Gross margin was 38.2% in FY2020 and 46.2% in FY2024; the trend line is rising (+1.8 pp a year).',
    ]);
  });
});

describe('growth', () => {
  it.each([
    ['AAPL', 274515, 391035],
    ['MSFT', 143015, 245122],
    ['GOOGL', 182527, 350018],
    ['AMZN', 386064, 637959],
    ['TSLA', 31536, 97690],
  ])('growth of %s, compounded four times, leads from first to last revenue', (ticker, first, last) => {
    const rate = 1 + study(ticker).screening.revenueGrowthCompound;
    expect(first * rate * rate * rate * rate).toBeCloseTo(last, 6);
  });
});

describe('returns', () => {
  it('returns of Apple in 2024 use the mean of opening and closing balances', () => {
    const found = year(study('AAPL').financial.years, 2024);
    expect(found.returnOnEquity).toBeCloseTo(93736 / ((62146 + 56950) / 2), 12);
    expect(found.returnOnAssets).toBeCloseTo(93736 / ((352583 + 364980) / 2), 12);
    const opening = 62146 + 95281 - 61555;
    const closing = 56950 + 85750 - 65171;
    expect([opening, closing]).toEqual([95872, 77529]);
    expect(found.returnOnInvestedCapital).toBeCloseTo((123216 * 0.79) / ((95872 + 77529) / 2), 12);
    expect(found.liabilitiesToAssets).toBeCloseTo(308030 / 364980, 12);
    expect(found.debtToEquity).toBeCloseTo(85750 / 56950, 12);
    expect(found.netCash).toBe(65171 - 85750);
    expect(found.cashConversion).toBeCloseTo(118254 / 93736, 12);
  });

  it.each(COMPANIES)('returns of %s: DuPont multiplies to ROE, and the first year has none', (ticker) => {
    const [first, ...later] = study(ticker).financial.years;
    const none = { returnOnEquity: null, returnOnAssets: null, returnOnInvestedCapital: null, duPont: null };
    expect(first).toMatchObject(none);
    for (const { duPont, returnOnEquity } of later) {
      const product = (duPont?.netMargin ?? NaN) * (duPont?.assetTurnover ?? NaN) * (duPont?.equityMultiplier ?? NaN);
      expect(product).toBeCloseTo(returnOnEquity ?? NaN, 12);
    }
  });

  it("keep Amazon's loss of 2022 negative and leave cash conversion out", () => {
    const { years, lossYears, sentences } = study('AMZN').financial;
    const loss = year(years, 2022);
    expect(lossYears).toEqual([2022]);
    expect(loss.cashConversion).toBeNull();
    expect(loss.returnOnEquity).toBeCloseTo(-2722 / ((138245 + 146043) / 2), 12);
    expect(loss.returnOnAssets).toBeCloseTo(-2722 / ((420549 + 462675) / 2), 12);
    expect(loss.duPont?.netMargin).toBeCloseTo(-2722 / 513983, 12);
    expect(loss.returnOnInvestedCapital).toBeGreaterThan(0);
    expect(sentences.at(-1)).toContain('FY2022 was a loss of 2,722 USD million while operations brought in 46,752');
  });

  it('show net cash in every year of Tesla', () => {
    expect(study('TSLA').financial.years.map((each) => each.netCash)).toEqual([
      19384 - 8462,
      17707 - 4254,
      22185 - 1029,
      29094 - 2682,
      36563 - 5535,
    ]);
  });
});

describe('strategy', () => {
  it('measures reinvestment', () => {
    const found = year(study('GOOGL').strategy.years, 2023);
    expect(found.capitalReinvestment).toBeCloseTo(32251 / 101746, 12);
    expect(found.broadReinvestment).toBeCloseTo((32251 + 45427) / (101746 + 45427), 12);
    expect(found.incrementalOperatingMargin).toBeCloseTo((84293 - 74842) / (307394 - 282836), 12);
  });

  it('has no incremental margin without enough growth to divide by', () => {
    // Apple shrank in 2023; Tesla grew by 97,690 / 96,773 - 1 = 0.9 % in 2024.
    expect(year(study('AAPL').strategy.years, 2023).incrementalOperatingMargin).toBeNull();
    expect(year(study('TSLA').strategy.years, 2024).incrementalOperatingMargin).toBeNull();
    expect(study('TSLA').strategy.incrementalOperatingMarginOverall).toBeCloseTo((7076 - 1994) / (97690 - 31536), 12);
  });

  it('takes variability as the population standard deviation', () => {
    const growths = [168088 / 143015 - 1, 198270 / 168088 - 1, 211915 / 198270 - 1, 245122 / 211915 - 1];
    const mean = growths.reduce((sum, value) => sum + value, 0) / 4;
    const variance = growths.reduce((sum, value) => sum + (value - mean) * (value - mean), 0) / 4;
    expect(study('MSFT').strategy.growthDeviation).toBeCloseTo(Math.sqrt(variance), 12);
  });

  it.each(COMPANIES)('scores %s by a weighted sum that can be added up by hand', (ticker) => {
    const { factors, score } = study(ticker).strategy;
    expect(factors.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 12);
    let sum = 0;
    for (const { value, worst, best, points, weight } of factors) {
      const line = ((value - worst) / (best - worst)) * 100;
      expect(points).toBeCloseTo(line < 0 ? 0 : line > 100 ? 100 : line, 9);
      sum += points * weight;
    }
    expect(score).toBeCloseTo(sum, 12);
  });
});

describe('statistics', () => {
  it('give textbook values', () => {
    expect(populationStandardDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBe(2);
    expect(leastSquaresSlope([1, 3, 5, 7])).toBe(2);
    expect(() => leastSquaresSlope([1])).toThrow(RangeError);
  });
});
