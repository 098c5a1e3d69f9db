/** The valuation section of the report: assumptions first, then each step, then what moves the result. Formats only. */
import type { Assumptions } from './assumptions.ts';
import { COLUMN_DESCRIPTIONS } from './data-notes.ts';
import { IMPLIED_GROWTH_RANGE } from './dcf.ts';
import { decimal, money, percent, perShare } from './format.ts';
import { bullets, table, wordTable } from './markdown.ts';
import {
  SCENARIO_GROWTH_RANGE,
  type PriceMeaning,
  type Sensitivity,
  type ShareValue,
  type Valuation,
  type ValuationModel,
} from './valuation.ts';

/** The whole section. */
export function valuationSection(valuation: Valuation): string {
  const { model } = valuation;
  const head = `## Valuation\n\n${assumptionsTable(valuation)}`;
  if (model === null) {
    return `${head}\n\nThe base cash flow is not positive. Growing it would only grow the loss, so no value is given.`;
  }
  return [
    head,
    cautionOf(valuation),
    `### Cash flow, year by year\n\n${yearsTable(model.base, valuation.baseYear)}`,
    `### From cash flow to share\n\n${stepsTable(model.base)}`,
    `### Sensitivity\n\n${sensitivityTable(model.sensitivity)}`,
    `### Scenarios\n\n${scenariosTable(model)}`,
    `### What a price would mean\n\n${priceSection(model, valuation.growth.start)}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const BASE_NAMES: Readonly<Record<Assumptions['baseFreeCashFlow'], string>> = {
  latest: 'free cash flow of the last fiscal year',
  'three-year-mean-margin': 'last revenue times the mean free-cash-flow margin of three years',
};

function assumptionsTable({ assumptions, growth, baseFreeCashFlow, baseYear }: Valuation): string {
  const { discountRate, terminalGrowth, forecastYears, growthFloor, growthCap } = assumptions;
  const effect = growth.start === growth.historic ? 'within' : growth.start < growth.historic ? 'cut by' : 'raised by';
  const bounds = `${effect} the bounds ${percent(growthFloor)} to ${percent(growthCap)}`;
  return wordTable(
    ['Assumption', 'Value', 'Comment'],
    [
      ['Base cash flow', money(baseFreeCashFlow.used), `FY${baseYear}: ${BASE_NAMES[assumptions.baseFreeCashFlow]}`],
      ['Growth in year 1', percent(growth.start), `revenue grew ${percent(growth.historic)} a year; ${bounds}`],
      ['Terminal growth', percent(terminalGrowth), `reached in a straight line in year ${forecastYears}, then kept`],
      ['Discount rate', percent(discountRate), 'assumed, not derived from the figures'],
    ],
  );
}

function cautionOf({ unconfirmedInputs }: Valuation): string {
  if (unconfirmedInputs.length === 0) return '';
  const labels = unconfirmedInputs.map((column) => COLUMN_DESCRIPTIONS[column].label.toLowerCase());
  const listed = labels.join(', ');
  return `**Caution:** values per share below rest on figures not confirmed in a named source: ${listed}.`;
}

function yearsTable({ years }: ShareValue, baseYear: number): string {
  return table(
    ['Year', 'Growth', 'Free cash flow', 'Discount factor', 'Present value'],
    years.map(({ year, growth, freeCashFlow, discountFactor, presentValue }) => [
      `FY${baseYear + year}`,
      percent(growth),
      money(freeCashFlow),
      decimal(discountFactor, 4),
      money(presentValue),
    ]),
  );
}

function stepsTable(value: ShareValue): string {
  const terminal = `+ present value of the years after (terminal value ${money(value.terminalValue)})`;
  const steps = table(
    ['Step', 'USD millions'],
    [
      ['Present value of the forecast years', money(value.forecastPresentValue)],
      [terminal, money(value.terminalPresentValue)],
      ['= enterprise value', money(value.enterpriseValue)],
      ['+ cash and short-term investments', money(value.cash)],
      ['- long-term debt', money(value.longTermDebt)],
      ['= equity value', money(value.equityValue)],
      ['/ diluted shares (millions)', money(value.dilutedSharesMillions, 1)],
      ['**= value per diluted share**', `**${perShare(value.valuePerShare)}**`],
    ],
  );
  const claims = value.claimsNotDeducted;
  if (claims === null) return steps;
  const each = perShare(claims / value.dilutedSharesMillions);
  return `${steps}\n\nNot deducted: claims outside equity of ${money(claims)} (book value), ${each} per diluted share.`;
}

function sensitivityTable({ discountRates, terminalGrowths, valuePerShare }: Sensitivity): string {
  const middle = Math.floor(discountRates.length / 2);
  const cells = table(
    ['', ...terminalGrowths.map(percent)],
    discountRates.map((rate, row) => [
      percent(rate),
      ...(valuePerShare[row] ?? []).map((value, column) =>
        row === middle && column === middle ? `**${perShare(value)}**` : perShare(value),
      ),
    ]),
  );
  return `Value per diluted share. Down: discount rate; across: terminal growth.\n\n${cells}`;
}

function scenariosTable({ scenarios, valuePerShareOtherBase }: ValuationModel): string {
  const rows = scenarios.map((each) => [each.name, percent(each.startGrowth), perShare(each.valuePerShare)]);
  const { low, high } = SCENARIO_GROWTH_RANGE;
  const other =
    valuePerShareOtherBase === null
      ? 'The other way of choosing the base cash flow gives one that is not positive, and so no value.'
      : 'With the other way of choosing the base cash flow (see `assumptions.ts`) the value per share would be ' +
        `${perShare(valuePerShareOtherBase)}.`;
  return (
    `${table(['Scenario', 'Growth in year 1', 'Value per share'], rows)}\n\n` +
    'Low and high move the first year by one standard deviation of historic growth, kept between ' +
    `${percent(low)} and ${percent(high)}.\n\n${other}`
  );
}

function priceSection({ prices, reverseCheckGrowth }: ValuationModel, startGrowth: number): string {
  const { low, high } = IMPLIED_GROWTH_RANGE;
  const outside = `outside ${percent(low)} to ${percent(high)}`;
  const meaning = ({ impliedStartGrowth }: PriceMeaning) =>
    impliedStartGrowth === null ? outside : percent(impliedStartGrowth);
  const check =
    `Reverse check: asked which growth explains its own value, the model answers ${percent(reverseCheckGrowth)}; ` +
    `it was given ${percent(startGrowth)}.`;
  if (prices.length === 0) return `${check}\n\nThe value per share is not positive, so no price can be read from it.`;
  return [
    'All other assumptions kept, a buyer at this price expects cash flow to grow by so much in year 1, then to fade:',
    table(
      ['Price per share', 'Times the value above', 'Growth it expects in year 1'],
      prices.map((price) => [perShare(price.pricePerShare), decimal(price.multiple), meaning(price)]),
    ),
    bullets([
      'A market price above the value goes with more growth than assumed, a lower discount rate, or something that ' +
        'the model leaves out.',
      'A market price below it goes with less growth, a higher discount rate, or a burden that the model leaves out.',
      check,
    ]),
  ].join('\n\n');
}
