/**
 * Layouts never fail and never grow: charts that are too large, too slow or too many are listed. Time stands still, so
 * that none is too slow because the machine is.
 */
import { type AnyStateMachine, createMachine } from 'xstate';
import { describe, expect, it } from 'vitest';
import { ChartLayouts } from '../../../src/gateway/charts/layout.ts';
import { type Chart, chartOf } from '../../../src/gateway/charts/model.ts';
import {
  CHART_DRAWN_STATES_MAX,
  CHART_DRAWN_TRANSITIONS_MAX,
  CHART_LAYOUT_MS_MAX,
  CHART_LAYOUTS_KEPT_MAX,
  CHART_LAYOUTS_WAITING_MAX,
} from '../../../src/gateway/limits.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { costOf } from '../../support/processor-time.ts';

/**
 * The largest cost of a layout in references (processor-time.ts). It is some 10 on any machine; CHART_LAYOUT_MS_MAX is
 * 250 of a quiet one, so that a machine several times slower draws the same charts.
 */
const LAYOUT_COST_MAX = 50;

function machine({ states = 2, events = 0, id = 'm' }: { states?: number; events?: number; id?: string }): Chart {
  const names = Array.from({ length: states - 1 }, (_, index) => `s${index}`);
  return chartOf(
    createMachine({
      id,
      ...(states > 1 && { initial: 's0' }),
      states: Object.fromEntries(names.map((name) => [name, {}])),
      on: Object.fromEntries(Array.from({ length: events }, (_, index) => [`E${index}`, {}])),
    }) as unknown as AnyStateMachine,
  );
}

const brief = ({ kind, because }: { kind: string; because: string | null }) => [kind, because];

describe('layouts', () => {
  it('draw charts up to their bounds and list those over them', async () => {
    const layouts = new ChartLayouts(new VirtualClock());
    for (const largest of [
      machine({ states: CHART_DRAWN_STATES_MAX }),
      machine({ events: CHART_DRAWN_TRANSITIONS_MAX }),
    ]) {
      const { result, cost } = await costOf(() => layouts.geometry(largest));
      expect(brief(result)).toEqual(['drawn', null]);
      expect(cost).toBeLessThan(LAYOUT_COST_MAX);
    }
    expect(brief(await layouts.geometry(machine({ states: CHART_DRAWN_STATES_MAX + 1 })))).toEqual(['listed', 'size']);
    expect(brief(await layouts.geometry(machine({ events: CHART_DRAWN_TRANSITIONS_MAX + 1 })))).toEqual([
      'listed',
      'size',
    ]);
    await layouts.close();
  });

  it('remember a bounded number of charts, and forget the least recently used one', async () => {
    const layouts = new ChartLayouts(new VirtualClock());
    const charts = Array.from({ length: CHART_LAYOUTS_KEPT_MAX + 1 }, (_, index) =>
      machine({ id: `m${index}`, states: 1 }),
    );
    const first: unknown[] = [];
    for (const chart of charts.slice(0, -1)) first.push(await layouts.geometry(chart));
    expect(await layouts.geometry(charts[0]!)).toBe(first[0]);
    await layouts.geometry(charts.at(-1)!);
    expect(await layouts.geometry(charts[0]!)).toBe(first[0]);
    expect(await layouts.geometry(charts[2]!)).toBe(first[2]);
    expect(await layouts.geometry(charts[1]!)).not.toBe(first[1]);
    await layouts.close();
  });

  it('are computed once for all callers that ask at the same time', async () => {
    const layouts = new ChartLayouts(new VirtualClock());
    const [one, other] = await Promise.all([layouts.geometry(machine({})), layouts.geometry(machine({}))]);
    expect(one).toBe(other);
    await layouts.close();
  });

  it('let a bounded number of charts wait, and list further charts at once', async () => {
    const layouts = new ChartLayouts(new VirtualClock());
    const asked = Array.from({ length: CHART_LAYOUTS_WAITING_MAX + 1 }, (_, index) =>
      layouts.geometry(machine({ id: `m${index}`, states: 1 })),
    );
    const outcomes = (await Promise.all(asked)).map(brief);
    expect(outcomes.slice(0, -1)).toEqual(outcomes.slice(0, -1).map(() => ['drawn', null]));
    expect(outcomes.at(-1)).toEqual(['listed', 'load']);
    expect(brief(await layouts.geometry(machine({ id: `m${CHART_LAYOUTS_WAITING_MAX}`, states: 1 })))).toEqual([
      'drawn',
      null,
    ]);
    await layouts.close();
  });

  it('give up a chart that takes too long, and continue with the next', async () => {
    const clock = new VirtualClock();
    const layouts = new ChartLayouts(clock);
    const slow = layouts.geometry(machine({ id: 'slow', states: 100 }));
    const next = layouts.geometry(machine({ id: 'next' }));
    await clock.advance(CHART_LAYOUT_MS_MAX, () => Promise.resolve());
    expect(brief(await slow)).toEqual(['listed', 'time']);
    expect(brief(await next)).toEqual(['drawn', null]);
    await layouts.close();
  });

  it('abort the chart in progress on close, and list every later chart', async () => {
    const layouts = new ChartLayouts(new VirtualClock());
    const under = layouts.geometry(machine({ states: 100 }));
    await Promise.resolve();
    await layouts.close();
    expect(brief(await under)).toEqual(['listed', 'failure']);
    expect(brief(await layouts.geometry(machine({ id: 'late' })))).toEqual(['listed', 'load']);
  });
});
