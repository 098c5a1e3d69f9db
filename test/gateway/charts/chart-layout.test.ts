/**
 * Layouts never fail and never grow: what is too large, too slow or too much is listed. Time stands still, so that none
 * is too slow because the machine is.
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
} from '../../../src/limits.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { processorTimeOf } from '../../support/processor-time.ts';

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
      const { result, tookMs } = await processorTimeOf(() => layouts.geometry(largest));
      expect(brief(result)).toEqual(['drawn', null]);
      expect(tookMs).toBeLessThan(CHART_LAYOUT_MS_MAX);
    }
    expect(brief(await layouts.geometry(machine({ states: CHART_DRAWN_STATES_MAX + 1 })))).toEqual(['listed', 'size']);
    expect(brief(await layouts.geometry(machine({ events: CHART_DRAWN_TRANSITIONS_MAX + 1 })))).toEqual([
      'listed',
      'size',
    ]);
    await layouts.close();
  });

  it('remember so many charts, and forget the one not asked for the longest', async () => {
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

  it('work a chart out once for all who ask at a time', async () => {
    const layouts = new ChartLayouts(new VirtualClock());
    const [one, other] = await Promise.all([layouts.geometry(machine({})), layouts.geometry(machine({}))]);
    expect(one).toBe(other);
    await layouts.close();
  });

  it('let so many wait, and list the others at once', async () => {
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

  it('give one up that takes too long, and go on with the next', async () => {
    const clock = new VirtualClock();
    const layouts = new ChartLayouts(clock);
    const slow = layouts.geometry(machine({ id: 'slow', states: 100 }));
    const next = layouts.geometry(machine({ id: 'next' }));
    await clock.advance(CHART_LAYOUT_MS_MAX, () => Promise.resolve());
    expect(brief(await slow)).toEqual(['listed', 'time']);
    expect(brief(await next)).toEqual(['drawn', null]);
    await layouts.close();
  });

  it('list after the end, and end one that is under way', async () => {
    const layouts = new ChartLayouts(new VirtualClock());
    const under = layouts.geometry(machine({ states: 100 }));
    await Promise.resolve();
    await layouts.close();
    expect(brief(await under)).toEqual(['listed', 'failure']);
    expect(brief(await layouts.geometry(machine({ id: 'late' })))).toEqual(['listed', 'load']);
  });
});
