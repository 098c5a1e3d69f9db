/**
 * The style of charts. Colours are variables, so that a page may set its own; by default they follow the reader's
 * choice of light or dark, which `data-theme` on any element around the chart overrides. Drawings contain no inline
 * styles, which a strict Content-Security-Policy would refuse: the page includes this text in its style sheet.
 */

const LIGHT = `
  --chart-paper: #ffffff; --chart-ink: #1c2430; --chart-soft: #55606f; --chart-line: #7d8896; --chart-edge: #c3cad3;
  --chart-card: #ffffff; --chart-group: #f6f8fa; --chart-chip: #eef2f6; --chart-event: #0b5cad; --chart-guard: #8a4b00;
  --chart-active: #087548; --chart-active-card: #e3f6ec; --chart-active-group: #f1faf5;
  --chart-taken: #b4308b; --chart-taken-chip: #fbe9f5;`;

const DARK = `
  --chart-paper: #11161d; --chart-ink: #e6ebf2; --chart-soft: #a3afbf; --chart-line: #7f8c9d; --chart-edge: #3d4858;
  --chart-card: #1d2530; --chart-group: #161c25; --chart-chip: #2a3442; --chart-event: #82bdfb; --chart-guard: #f0b978;
  --chart-active: #4fd196; --chart-active-card: #16382a; --chart-active-group: #14241e;
  --chart-taken: #f38fd2; --chart-taken-chip: #43203a;`;

export const CHART_STYLE = `
.bosun-chart {${LIGHT}
  font: 11px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; background: var(--chart-paper);
}
@media (prefers-color-scheme: dark) { .bosun-chart {${DARK} } }
[data-theme="light"] .bosun-chart, .bosun-chart[data-theme="light"] {${LIGHT} }
[data-theme="dark"] .bosun-chart, .bosun-chart[data-theme="dark"] {${DARK} }
.bosun-chart text { fill: var(--chart-ink); }
.bosun-chart .paper { fill: var(--chart-paper); }
.bosun-chart .box { fill: var(--chart-card); stroke: var(--chart-edge); stroke-width: 1.2; }
.bosun-chart .group > .box { fill: var(--chart-group); }
.bosun-chart .region > .box { stroke: var(--chart-line); stroke-dasharray: 5 4; }
.bosun-chart .ring { fill: none; stroke: var(--chart-edge); stroke-width: 1.2; }
.bosun-chart .final > .box, .bosun-chart .final > .ring, .bosun-chart .history > .box { stroke: var(--chart-line); }
.bosun-chart .name { font: 600 13px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.bosun-chart .note { fill: var(--chart-soft); font-style: italic; }
.bosun-chart .tags, .bosun-chart .word, .bosun-chart .action { fill: var(--chart-soft); }
.bosun-chart .rule { stroke: var(--chart-edge); }
.bosun-chart .event-name { fill: var(--chart-event); font-weight: 600; }
.bosun-chart .guard { fill: var(--chart-guard); }
.bosun-chart .line { fill: none; stroke: var(--chart-line); stroke-width: 1.4; }
.bosun-chart .head, .bosun-chart .dot { fill: var(--chart-line); }
.bosun-chart .chip { fill: var(--chart-chip); stroke: var(--chart-paper); stroke-width: 1; }
.bosun-chart .hit { fill: transparent; }
.bosun-chart .active > .box { fill: var(--chart-active-card); stroke: var(--chart-active); stroke-width: 2; }
.bosun-chart .active.group > .box { fill: var(--chart-active-group); stroke-width: 1.4; }
.bosun-chart .active.root > .box { fill: var(--chart-group); stroke: var(--chart-edge); stroke-width: 1.2; }
.bosun-chart .heading text { paint-order: stroke; stroke: var(--chart-group); stroke-width: 5; stroke-linejoin: round; }
.bosun-chart .heading.active text { stroke: var(--chart-active-group); }
.bosun-chart .heading.root text { stroke: var(--chart-group); }
.bosun-chart .active > .ring { stroke: var(--chart-active); }
.bosun-chart .active > .name { fill: var(--chart-active); }
.bosun-chart .root > .name { fill: var(--chart-ink); }
.bosun-chart .taken > .line { stroke: var(--chart-taken); stroke-width: 2.2; }
.bosun-chart .taken > .head { fill: var(--chart-taken); }
.bosun-chart .edge.taken > .hit { fill: var(--chart-taken-chip); }
.bosun-chart .edge.taken .event-name, .bosun-chart .edge.taken .word { fill: var(--chart-taken); }
.bosun-chart .edge:focus { outline: none; }
.bosun-chart .edge:focus-visible > .hit { stroke: var(--chart-event); stroke-width: 2; }
.bosun-chart [role="button"] { cursor: pointer; }
.bosun-chart [role="button"]:hover > .hit { stroke: var(--chart-event); stroke-width: 1.2; }
@media print { .bosun-chart {${LIGHT} } }
`;
