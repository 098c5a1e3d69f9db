/**
 * The report of one company as text: Markdown and a chart, from the findings of all stages and nothing else. It writes
 * no file and reads no clock, so the same findings always give the same bytes.
 */
import type { Business } from './business.ts';
import { drawBarChart } from './chart.ts';
import { COLUMN_DESCRIPTIONS, dataNotes } from './data-notes.ts';
import type { Financial } from './financial.ts';
import { decimal, money, percent, perShare } from './format.ts';
import { bullets, wordTable } from './markdown.ts';
import { ends } from './ratios.ts';
import { methodNotes } from './report-methods.ts';
import {
  businessSection,
  figuresSection,
  financialSection,
  screeningSection,
  strategySection,
} from './report-sections.ts';
import { valuationSection } from './report-valuation.ts';
import type { Screening } from './screening.ts';
import type { Strategy } from './strategy.ts';
import type { Valuation } from './valuation.ts';

/** Findings of all stages about one company. */
export interface Findings {
  readonly screening: Screening;
  readonly business: Business;
  readonly financial: Financial;
  readonly strategy: Strategy;
  readonly valuation: Valuation;
}

/** The two texts of a report. */
export interface Report {
  readonly markdown: string;
  /** The chart alone; the same element is part of the Markdown. */
  readonly chart: string;
}

/** Composes the report. */
export function composeReport(findings: Findings): Report {
  const { screening, business, financial, strategy, valuation } = findings;
  const chart = drawChart(findings);
  const sections = [
    `# ${screening.ticker}: ${screening.company}, fiscal years ${screening.firstYear} to ${screening.lastYear}`,
    'Computed from published annual figures by the equity-research example of Bosun. Money is in millions of US ' +
      'dollars unless said. This shows a calculation; it is not investment advice. No market price enters it.',
    atAGlance(findings),
    // Some viewers, GitHub among them, remove inline SVG; for their readers there is a link to the same chart.
    `${chart}\n\n[The chart as a file](${screening.ticker}.svg), for viewers that do not show inline SVG.`,
    figuresSection(screening.figures),
    screeningSection(screening),
    businessSection(business),
    financialSection(financial),
    strategySection(strategy),
    valuationSection(valuation),
    `## Data notes\n\n${bullets(notesOrNone(screening))}`,
    `## Method notes\n\n${bullets(methodNotes(financial))}`,
    sourcesSection(screening),
  ];
  return { markdown: `${sections.join('\n\n')}\n`, chart: `${chart}\n` };
}

function atAGlance({ screening, financial, strategy, valuation }: Findings): string {
  const last = ends(screening.figures).last;
  const finance = ends(financial.years).last;
  const rows = [
    [`Revenue, FY${last.fiscalYear}`, money(last.revenue)],
    ['Revenue growth, compound', `${percent(screening.revenueGrowthCompound)} a year`],
    ['Operating margin', percent(last.operatingIncome / last.revenue)],
    ['Free cash flow', `${money(finance.freeCashFlow)} (${percent(finance.freeCashFlowMargin)} of revenue)`],
    ['Return on invested capital', percent(finance.returnOnInvestedCapital)],
    ['Net cash (minus: net debt)', money(finance.netCash)],
    ['Score', `${decimal(strategy.score, 1)} of 100`],
    ['Value per diluted share under the stated assumptions', valueAtAGlance(valuation)],
  ];
  return `## At a glance\n\n${wordTable(['Measure', 'Value'], rows)}`;
}

function valueAtAGlance({ model, unconfirmedInputs }: Valuation): string {
  if (model === null) return 'none: the base cash flow is not positive';
  const labels = unconfirmedInputs.map((column) => COLUMN_DESCRIPTIONS[column].label.toLowerCase());
  const caution = labels.length === 0 ? '' : `; rests on figures not confirmed in a named source: ${labels.join(', ')}`;
  const beyond = `${percent(model.base.terminalPart)} of the enterprise value lies beyond the forecast`;
  return `${perShare(model.base.valuePerShare)} (${beyond}${caution})`;
}

function drawChart({ screening, financial }: Findings): string {
  const years = screening.figures;
  const billions = (millions: number) => millions / 1000;
  return drawBarChart({
    title: `${screening.ticker}: revenue, operating income and free cash flow`,
    unit: 'USD billions',
    groups: years.map((row) => `FY${row.fiscalYear}`),
    series: [
      { name: 'Revenue', colour: '#9fb3c8', values: years.map((row) => billions(row.revenue)) },
      { name: 'Operating income', colour: '#2f6690', values: years.map((row) => billions(row.operatingIncome)) },
      { name: 'Free cash flow', colour: '#d9822b', values: financial.years.map((row) => billions(row.freeCashFlow)) },
    ],
  });
}

function notesOrNone({ figures }: Screening): string[] {
  const notes = dataNotes(figures);
  return notes.length > 0 ? notes : ['Every figure was confirmed in a filing or in recorded filing data.'];
}

function sourcesSection({ figures }: Screening): string {
  const rows = figures.map((row) => [`FY${row.fiscalYear}`, row.fiscalYearEnd, row.source, row.sourceNote]);
  return (
    '## Sources\n\n' +
    'A row of figures belongs to the filing named here; the last column names the file it was confirmed in.\n\n' +
    wordTable(['Year', 'Ended', 'Filing', 'Confirmed in'], rows)
  );
}
