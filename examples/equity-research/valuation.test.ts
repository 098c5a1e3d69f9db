/** The valuation: recomputed step by step, compared with closed forms, and with changed and invalid assumptions. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readAssumptions } from './assumptions.ts';
import { analyseBusiness } from './business.ts';
import { discountCashFlow, growthInYear, impliedStartGrowth } from './dcf.ts';
import { figuresOf, loadFigures, type AnnualFigures } from './figures.ts';
import { analyseFinances } from './financial.ts';
import { screen } from './screening.ts';
import { analyseStrategy } from './strategy.ts';
import { valueCompany, type Valuation, type ValuationModel } from './valuation.ts';

const COMPANIES = ['AAPL', 'MSFT', 'GOOGL', 'AMZN', 'TSLA'];
let rows: AnnualFigures[];

beforeAll(async () => {
  rows = await loadFigures(new AbortController().signal);
});

function value(ticker: string, input?: unknown, figures = rows): Valuation {
  const screening = screen(figuresOf(ticker, figures));
  const strategy = analyseStrategy(screening, analyseBusiness(screening));
  return valueCompany({ screening, financial: analyseFinances(screening), strategy }, readAssumptions(input));
}

function modelOf(valuation: Valuation): ValuationModel {
  if (valuation.model === null) throw new Error('There is no model');
  return valuation.model;
}

describe('discounted cash flow', () => {
  it('discounted cash flow of Apple follows from the filing step by step', () => {
    const valuation = value('AAPL');
    const model = modelOf(valuation);
    const start = (391035 / 274515) ** 0.25 - 1; // 9.2 %, below the cap of 12 %
    let cash = 118254 - 9447;
    let worth = 0;
    for (let year = 1; year <= 10; year += 1) {
      const growth = start + ((0.025 - start) * (year - 1)) / 9;
      cash = cash * (1 + growth);
      worth = worth + cash / 1.09 ** year;
    }
    worth = worth + (cash * 1.025) / (0.09 - 0.025) / 1.09 ** 10;
    expect(valuation.baseFreeCashFlow.used).toBe(108807);
    expect(model.base.enterpriseValue).toBeCloseTo(worth, 4);
    expect(model.base.equityValue).toBeCloseTo(worth + 65171 - 85750, 4);
    expect(model.base.valuePerShare).toBeCloseTo((worth + 65171 - 85750) / 15408.095, 8);
    expect(model.base.valuePerShare).toBeCloseTo(145.75, 2);
  });

  it('equals the closed form when growth is constant', () => {
    // Gordon: base * (1 + g) / (r - g), whatever the number of forecast years.
    const input = { baseFreeCashFlow: 100, startGrowth: 0.03, terminalGrowth: 0.03, discountRate: 0.08 };
    expect(discountCashFlow({ ...input, forecastYears: 10 }).enterpriseValue).toBeCloseTo((100 * 1.03) / 0.05, 9);
    fc.assert(
      fc.property(
        fc.integer({ min: -200, max: 400 }),
        fc.integer({ min: 100, max: 2000 }),
        fc.integer({ min: 2, max: 40 }),
        (growth, spread, forecastYears) => {
          const g = growth / 10_000;
          const r = g + spread / 10_000;
          const rates = { startGrowth: g, terminalGrowth: g, discountRate: r };
          const { enterpriseValue } = discountCashFlow({ baseFreeCashFlow: 1000, ...rates, forecastYears });
          const closedForm = (1000 * (1 + g)) / (r - g);
          expect(Math.abs(enterpriseValue / closedForm - 1)).toBeLessThan(1e-9);
        },
      ),
    );
  });

  it('fades growth in a straight line', () => {
    const rates = { startGrowth: 0.12, terminalGrowth: 0.02, discountRate: 0.09 };
    const input = { baseFreeCashFlow: 1, ...rates, forecastYears: 6 };
    const path = [1, 2, 3, 4, 5, 6].map((year) => Number(growthInYear(year, input).toFixed(12)));
    expect(path).toEqual([0.12, 0.1, 0.08, 0.06, 0.04, 0.02]);
  });

  it('refuses rates that leave no perpetuity, and a forecast without years', () => {
    const rates = { startGrowth: 0.1, terminalGrowth: 0.03, discountRate: 0.09 };
    const input = { baseFreeCashFlow: 1, ...rates, forecastYears: 10 };
    expect(() => discountCashFlow({ ...input, discountRate: 0.035 })).toThrow(RangeError);
    expect(() => discountCashFlow({ ...input, forecastYears: 1 })).toThrow(RangeError);
  });

  it('finds the original growth when it is run backwards', () => {
    fc.assert(
      fc.property(fc.integer({ min: -250, max: 550 }), (thousandths) => {
        const rates = { terminalGrowth: 0.025, discountRate: 0.09, forecastYears: 10 };
        const input = { baseFreeCashFlow: 500, startGrowth: thousandths / 1000, ...rates };
        const found = impliedStartGrowth(input, discountCashFlow(input).enterpriseValue);
        expect(found).toBeCloseTo(input.startGrowth, 9);
      }),
    );
  });
});

describe('a valuation', () => {
  it.each(COMPANIES)('a valuation of %s adds up, and its tables agree with its value', (ticker) => {
    const valuation = value(ticker);
    const { base, sensitivity, scenarios, prices, reverseCheckGrowth } = modelOf(valuation);
    const last = figuresOf(ticker, rows).at(-1);
    expect(base.cash).toBe(last?.cashAndShortTermInvestments);
    expect(base.longTermDebt).toBe(last?.longTermDebt);
    expect(base.forecastPresentValue + base.terminalPresentValue).toBe(base.enterpriseValue);
    expect(base.equityValue).toBe(base.enterpriseValue + base.cash - base.longTermDebt);
    expect(sensitivity.valuePerShare.map((line) => line.length)).toEqual([5, 5, 5, 5, 5]);
    expect(sensitivity.valuePerShare[2]?.[2]).toBe(base.valuePerShare);
    expect(scenarios[1]?.valuePerShare).toBe(base.valuePerShare);
    expect(prices.find(({ multiple }) => multiple === 1)?.impliedStartGrowth).toBeCloseTo(valuation.growth.start, 9);
    expect(reverseCheckGrowth).toBeCloseTo(valuation.growth.start, 9);
  });

  it('is lower for a higher discount rate and higher for more terminal growth', () => {
    const cells = modelOf(value('GOOGL')).sensitivity.valuePerShare.map((line) => line.map((cell) => cell ?? NaN));
    for (const line of cells) expect(line).toEqual(line.toSorted((a, b) => a - b));
    for (const column of [0, 1, 2, 3, 4]) {
      const down = cells.map((line) => line[column] ?? NaN);
      expect(down).toEqual(down.toSorted((a, b) => b - a));
    }
  });

  it('caps the past growth', () => {
    expect(value('AAPL').growth.start).toBeCloseTo((391035 / 274515) ** 0.25 - 1, 12);
    expect(COMPANIES.slice(1).map((ticker) => value(ticker).growth.start)).toEqual([0.12, 0.12, 0.12, 0.12]);
  });

  it('offers the three-year mean margin as another base', () => {
    const margins = (-16893 / 513983 + 32217 / 574785 + 32878 / 637959) / 3;
    const { baseFreeCashFlow } = value('AMZN', { baseFreeCashFlow: 'three-year-mean-margin' });
    expect(baseFreeCashFlow.used).toBeCloseTo(margins * 637959, 6);
  });

  it('names the unconfirmed figures that it rests on', () => {
    const found = COMPANIES.map((ticker) => value(ticker).unconfirmedInputs);
    expect(found).toEqual([[], ['diluted_shares_millions'], [], [], []]);
  });

  it('shows the claims that it does not deduct, for Tesla only', () => {
    const claims = COMPANIES.map((ticker) => modelOf(value(ticker)).base.claimsNotDeducted);
    expect(claims).toEqual([null, null, null, null, 767]);
  });

  it('gives no value for a base cash flow that is not positive', () => {
    const spent = (row: AnnualFigures) => ({ ...row, capitalExpenditure: row.operatingCashFlow });
    expect(value('AAPL', undefined, rows.map(spent)).model).toBeNull();
  });
});

describe('assumptions', () => {
  it('assumptions of an item replace the defaults and are part of the result', () => {
    const { assumptions } = value('MSFT', { discountRate: 0.08 });
    expect(assumptions).toEqual({
      discountRate: 0.08,
      terminalGrowth: 0.025,
      forecastYears: 10,
      growthFloor: 0,
      growthCap: 0.12,
      baseFreeCashFlow: 'latest',
    });
  });

  it('keep the scenarios in order even with a start beyond their range', () => {
    const { scenarios } = modelOf(value('TSLA', { growthCap: 0.4 }));
    const starts = scenarios.map(({ startGrowth }) => startGrowth);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    expect(starts[1]).toBe(starts[2]);
  });

  it('leave a cell empty if the rates are too close', () => {
    const { sensitivity } = modelOf(value('AAPL', { discountRate: 0.05, terminalGrowth: 0.03 }));
    expect(sensitivity.valuePerShare[0]).toEqual([expect.any(Number), null, null, null, null]);
    expect(sensitivity.valuePerShare[2]?.[2]).toBeTypeOf('number');
  });

  it.each([
    ['a misspelt name', { discountrate: 0.08 }, 'discountrate'],
    ['percent for a fraction', { discountRate: 9 }, 'discountRate'],
    ['rates too close', { discountRate: 0.04, terminalGrowth: 0.04 }, 'must exceed terminalGrowth'],
    ['no object', 'fast', 'not a set of valuation assumptions'],
  ])('assumptions with %s are refused by name', (_what, input, message) => {
    expect(() => readAssumptions(input)).toThrow(message);
  });
});
