/** The charts: their content, their use without colour, and the escaping of text from a plan. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safe } from '../../src/cli/terminal.ts';
import { ganttSvg, ganttText } from '../../src/cli/run/gantt.ts';
import { schedule } from '../../src/machines/coordination/plan/schedule.ts';
import { fixture, planOf, plans } from '../support/fixtures/plans/plans.ts';

const equity = fixture('equity-research');

describe('the SVG chart', () => {
  const svg = ganttSvg(schedule(equity), equity);

  it('has a row for each task with its times, agent and unit, and a heading for each item', () => {
    expect(svg).toContain('<title>MSFT/valuation: valuation, 7 to 8 minutes</title>');
    expect(svg.match(/<g><title>/g)?.length).toBe(12);
    expect(svg).toMatch(/font-weight="bold">AAPL<\/text>/);
    expect(svg).toMatch(/text-anchor="end">minutes<\/text>/);
  });

  it('marks the critical path by a sign and words, not by colour alone', () => {
    expect(svg).toContain('<title>AAPL/report: report, 8 to 9 minutes, on the critical path</title>');
    expect(svg.match(/font-weight="bold">◆ /g)?.length).toBe(5);
    expect(svg).toContain('>◆ critical path</text>');
  });

  it('has a title and a description for people who cannot see it', () => {
    expect(svg).toMatch(/^<svg [^>]*role="img" aria-labelledby="gantt-title gantt-desc"/);
    expect(svg).toContain('<title id="gantt-title">equity-research: schedule</title>');
    const desc = /<desc id="gantt-desc">(.*?)<\/desc>/s.exec(svg)![1]!;
    expect(desc).toMatch(/^makespan 9 minutes, work 20 minutes, parallelism factor 2, bottleneck valuation\. /);
    expect(desc).toMatch(/ Critical path: AAPL\/screening, .*AAPL\/screening \(screening\) 0 to 2;/);
  });

  it('names each agent type in its legend and on its bars, and explains a barrier', () => {
    expect(svg).toContain('<text x="20">valuation</text>');
    expect(svg.match(/text-anchor="start">valuation<\/text>/g)?.length).toBe(2);
    expect(svg).toContain('<title>report waits for valuation of every item</title>');
    expect(
      ganttSvg(schedule(planOf({ tasks: [{ id: 'a', agent: 'x' }] })), planOf({ tasks: [{ id: 'a', agent: 'x' }] })),
    ).not.toContain('barrier');
  });

  it('draws dependencies if they are few', () => {
    expect(svg.match(/l-3 /g)?.length).toBe(12);
    const crowd = fixture('equity-research', { items: Array.from({ length: 40 }, (_, index) => `i${index}`) });
    expect(ganttSvg(schedule(crowd), crowd)).not.toContain('l-3 ');
  });

  it('has a white background, and loads nothing from elsewhere', () => {
    expect(svg).toMatch(/<rect width="1000" height="\d+" fill="#ffffff"\/>/);
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/<script|href|url\(|@import|http|<style/);
  });

  it('draws tasks without duration as diamonds, even if the whole plan has no duration', () => {
    const plan = planOf({ tasks: [{ id: 'gate', agent: 'person', duration: 0 }] });
    const chart = ganttSvg(schedule(plan), plan);
    expect(chart).toContain('l8 9l-8 9l-8 -9z');
    expect(chart).not.toMatch(/NaN|Infinity/);
  });

  it('escapes the names of a plan', () => {
    const plan = planOf({ plan: `<script>"&'</script>\ud800`, unit: '<b>', tasks: [{ id: 'a', agent: 'x' }] });
    const chart = ganttSvg(schedule(plan), plan);
    expect(chart).toContain('&lt;script&gt;&quot;&amp;&#39;&lt;/script&gt;\ufffd');
    expect(chart).not.toMatch(/<script|<b>/);
  });

  it('is well-formed and the same each time, for any plan', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const chart = ganttSvg(schedule(plan), plan);
        expect(chart).toBe(ganttSvg(schedule(structuredClone(plan)), structuredClone(plan)));
        expect(unclosed(chart)).toEqual([]);
        expect(chart).not.toMatch(/NaN|undefined|(width|height)="-/);
      }),
      { numRuns: 50 },
    );
  });
});

describe('the text chart', () => {
  it('fits its width and marks the critical path without colour', () => {
    expect(ganttText(schedule(equity), equity, { width: 52 })).toBe(
      [
        'minutes      0       2        4       6        8',
        'AAPL',
        '◆ screening  ████████',
        '◆ business           █████████',
        '◆ financial                   ████████',
        '  strategy                    ▒▒▒▒▒▒▒▒',
        '◆ valuation                           █████',
        '◆ report                                       ████',
        'MSFT',
        '  screening  ▒▒▒▒▒▒▒▒',
        '  business           ▒▒▒▒▒▒▒▒▒',
        '  financial                   ▒▒▒▒▒▒▒▒',
        '  strategy                    ▒▒▒▒▒▒▒▒',
        '  valuation                                ▒▒▒▒',
        '  report                                       ▒▒▒▒',
        '',
      ].join('\n'),
    );
  });

  it('colours bars by agent type only when asked', () => {
    expect(ganttText(schedule(equity), equity, { width: 52 })).not.toContain('\u001b');
    let coloured = '';
    safe({ write: (text) => (coloured += text) }).write(
      ganttText(schedule(equity), equity, { width: 52, colour: true }),
    );
    expect(coloured.match(/\u001b\[34m[█▒]+\u001b\[0m/g)?.length).toBe(2);
  });

  it('keeps every line of any plan within its width', () => {
    fc.assert(
      fc.property(plans, fc.integer({ min: 40, max: 200 }), (plan, width) => {
        const lines = ganttText(schedule(plan), plan, { width }).split('\n');
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

/** Names of elements that are not closed in their order. */
function unclosed(xml: string): string[] {
  const open: string[] = [];
  for (const [, end, name, empty] of xml.matchAll(/<(\/?)([a-z]+)(?:\s[^<>]*?)?(\/?)>/g)) {
    if (end === '/') {
      if (open.pop() !== name) return [name!];
    } else if (empty !== '/') open.push(name!);
  }
  return open;
}
