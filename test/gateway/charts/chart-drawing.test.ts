/** Drawings: their layout, SVG that stays sound whatever a machine calls its parts, and what a page can do with it. */
import { type AnyStateMachine, createMachine } from 'xstate';
import { afterAll, describe, expect, it } from 'vitest';
import { type Geometry } from '../../../src/gateway/charts/geometry.ts';
import { ChartLayouts } from '../../../src/gateway/charts/layout.ts';
import { listGeometry } from '../../../src/gateway/charts/list.ts';
import { activeStates } from '../../../src/gateway/charts/active.ts';
import { type Chart, chartOf } from '../../../src/gateway/charts/model.ts';
import { CHART_STYLE } from '../../../src/gateway/charts/style.ts';
import { svgOf, type SvgOptions } from '../../../src/gateway/charts/svg.ts';
import { CHART_LINE_CHARS_MAX, CHART_LINES_MAX } from '../../../src/gateway/limits.ts';
import { leadCoordinator } from '../../../src/machines/coordination/coordinator/lead-coordinator.ts';
import { pauseManager } from '../../../src/machines/coordination/pauses/pause-manager.ts';
import { bossMachine } from '../../../src/supervisor/boss.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { randomOf } from '../../support/chance.ts';
import { build } from '../../support/fuzz/build.ts';
import { randomMachine } from '../../support/fuzz/generator.ts';
import { Recorder } from '../../support/fuzz/record.ts';
import {
  type Element,
  elementsIn,
  everything,
  faultsOf,
  HOSTILE,
  hostileMachine,
  parseXml,
} from '../../support/gateway/charted.ts';
import { byEffort, LONG } from '../../support/effort.ts';

/** Time stands still: no layout takes too long. */
const layouts = new ChartLayouts(new VirtualClock());
afterAll(() => layouts.close());

const chart = chartOf(everything);
const drawing = async (options: SvgOptions = {}, of: Chart = chart) =>
  parseXml(svgOf(of, await layouts.geometry(of), options));
const all = (root: Element, is: (element: Element) => boolean) => elementsIn(root).filter(is);
const classes = ({ attributes }: Element) => (attributes['class'] ?? '').split(' ');
const hasClass =
  (...names: readonly string[]) =>
  (element: Element) =>
    names.every((name) => classes(element).includes(name));
const edge = (root: Element, id: string) => all(root, ({ attributes }) => attributes['data-edge'] === id)[0]!;
const textOf = (element: Element): string =>
  element.text +
  element.children
    .filter(({ tag }) => tag !== 'title')
    .map(textOf)
    .join(' ');

/** A layout of a random machine takes some 50 ms, several times that where other tests run beside it. */
const RANDOM_MACHINES = byEffort({ quick: 2, ci: 30 });

const MACHINES: Readonly<Record<string, AnyStateMachine>> = {
  everything,
  'a hostile machine': hostileMachine(),
  'the Boss': bossMachine as unknown as AnyStateMachine,
  'the coordinator': leadCoordinator.machine as unknown as AnyStateMachine,
  'the pause manager': pauseManager.machine as unknown as AnyStateMachine,
  'a machine without states': createMachine({ id: 'bare', on: { X: { actions: 'x' } } }) as unknown as AnyStateMachine,
};

describe('the layout of a chart', () => {
  it.each(Object.entries(MACHINES))('has no overlap for %s, drawn or listed', async (_, machine) => {
    const own = chartOf(machine);
    const geometry = await layouts.geometry(own);
    expect(geometry.kind).toBe('drawn');
    expect(faultsOf(own, geometry)).toEqual([]);
    expect(faultsOf(own, listGeometry(own, 'size'))).toEqual([]);
  });

  it('has no overlap for random machines', async () => {
    for (let n = 1; n <= RANDOM_MACHINES; n++) {
      const own = chartOf(build(randomMachine(randomOf('drawn machines', n)), `m${n}`, new Recorder()));
      const geometry = await layouts.geometry(own);
      expect([geometry.kind, ...faultsOf(own, geometry)], `machine ${n}`).toEqual(['drawn']);
      expect(faultsOf(own, listGeometry(own, 'size')), `machine ${n}, listed`).toEqual([]);
      parseXml(svgOf(own, geometry));
    }
  });

  it('is the same each time', LONG, async () => {
    const other = new ChartLayouts(new VirtualClock());
    const again = chartOf(everything.provide({}));
    expect(svgOf(again, await other.geometry(again))).toBe(svgOf(chart, await layouts.geometry(chart)));
    await other.close();
  });

  it('has an arrow for every transition with a target, which ends at the target', async () => {
    const { arrows, states } = await layouts.geometry(chart);
    const boxes = new Map(states.map((state) => [state.id, state]));
    const drawn = arrows.flatMap(({ transitions }) => transitions);
    expect([...drawn].sort()).toEqual(
      chart.transitions
        .filter(({ targets }) => targets.length > 0)
        .map(({ id }) => id)
        .sort(),
    );
    for (const { transitions, lines } of arrows) {
      const { targets } = chart.transitions.find(({ id }) => id === transitions[0])!;
      const ends = lines.map((line) => line.at(-1)!);
      const isAt = (id: string, nth: number) => {
        const { x, y, width, height } = boxes.get(id)!;
        const end = ends[nth]!;
        return end.x > x - 1 && end.x < x + width + 1 && end.y > y - 1 && end.y < y + height + 1;
      };
      expect(targets.map(isAt), transitions[0]).toEqual(targets.map(() => true));
    }
  });
});

describe('the SVG', () => {
  it('marks the states that are active and the transition taken last', async () => {
    const active = activeStates(chart, { running: { left: 'two', right: 'end' } });
    const root = await drawing({ active, taken: 'all.running.left.one||0' });
    expect(all(root, hasClass('state', 'active')).map(({ attributes }) => attributes['data-state'])).toEqual([
      ...active,
    ]);
    expect(all(root, hasClass('edge', 'taken')).map(({ attributes }) => attributes['data-edge'])).toEqual([
      'all.running.left.one||0',
    ]);
    expect(
      all(root, hasClass('arrow', 'taken')).map(({ attributes }) => JSON.parse(attributes['data-edges']!) as unknown),
    ).toEqual([['all.running.left.one||0']]);
    expect(all(await drawing(), (element) => hasClass('active')(element) || hasClass('taken')(element))).toEqual([]);
  });

  it('has a named, focusable element for each transition, with its id and event', async () => {
    const root = await drawing();
    const labelled = chart.transitions.filter(({ kind }) => kind !== 'default');
    expect(
      all(root, hasClass('edge'))
        .map(({ attributes }) => [attributes['data-edge'], attributes['data-event']])
        .sort(),
    ).toEqual(labelled.map(({ id, event }) => [id, event]).sort());
    expect(
      all(root, hasClass('edge')).every(
        ({ attributes }) => attributes['tabindex'] === '0' && attributes['role'] === 'img',
      ),
    ).toBe(true);
    expect(edge(root, 'all.idle|TASK|0').attributes['aria-label']).toBe(
      'TASK [isOpen] / log, from all.idle to all.running',
    );
    expect(edge(root, 'all.idle|TASK|1').attributes['aria-label']).toBe('TASK [else], from all.idle to all.stopped');
    expect(edge(root, 'all.idle|PING|0').attributes['aria-label']).toBe('PING / log, in all.idle');
  });

  it('makes buttons of exactly those events that the page can send', async () => {
    const root = await drawing({ buttons: new Set(['TASK', 'xstate.done.actor.plan']) });
    expect(
      all(root, ({ attributes }) => attributes['role'] === 'button').map(({ attributes }) => attributes['data-edge']),
    ).toEqual(['all.idle|TASK|0', 'all.idle|TASK|1']);
  });

  it('has a title and a description that name the active states', async () => {
    const root = await drawing({ active: activeStates(chart, 'idle'), title: 'orders/7', idPrefix: 'p' });
    const [title, description] = root.children;
    expect([title!.tag, title!.text, description!.text]).toEqual([
      'title',
      'orders/7',
      '13 states, 22 transitions; now in all.idle',
    ]);
    expect(root.attributes['aria-labelledby']).toBe(`${title!.attributes['id']} ${description!.attributes['id']}`);
  });

  it('shows history, final states, initial dots and regions', async () => {
    const root = await drawing();
    expect(all(root, hasClass('history')).map((each) => textOf(each).trim())).toEqual(['H*', 'H']);
    expect(all(root, hasClass('ring'))).toHaveLength(2);
    expect(all(root, hasClass('dot'))).toHaveLength(3);
    expect(all(root, hasClass('state', 'region')).map(({ attributes }) => attributes['data-state'])).toEqual([
      'all.running.left',
      'all.running.right',
    ]);
  });

  it('includes its style when it is a file, and none when it is part of a page', async () => {
    const file = svgOf(chart, await layouts.geometry(chart));
    const page = svgOf(chart, await layouts.geometry(chart), { for: 'page' });
    expect([file.includes('<style>'), page.includes('style')]).toEqual([true, false]);
    expect(file).not.toMatch(/url\(|@import|href|<script|\son\w+=/);
  });

  it('is well-formed and harmless whatever a machine calls its parts', async () => {
    const machine = hostileMachine();
    const own = chartOf(machine);
    for (const geometry of [await layouts.geometry(own), listGeometry(own, 'size')]) {
      const root = parseXml(
        svgOf(own, geometry, {
          title: HOSTILE.join(''),
          active: new Set(own.states.map(({ id }) => id)),
          taken: own.transitions[0]!.id,
          idPrefix: '"><script>',
        }),
      );
      const tags = new Set(elementsIn(root).map(({ tag }) => tag));
      expect([...tags].sort()).toEqual(
        ['circle', 'desc', 'g', 'line', 'path', 'rect', 'style', 'svg', 'text', 'title', 'tspan'].filter((tag) =>
          tags.has(tag),
        ),
      );
      expect(
        elementsIn(root)
          .flatMap(({ attributes }) => Object.keys(attributes))
          .filter((name) => name.startsWith('on')),
      ).toEqual([]);
      expect(new Set(all(root, hasClass('state')).map(({ attributes }) => attributes['data-state']))).toEqual(
        new Set(own.states.map(({ id }) => id.replace(/[\0\u202E]|\ud800/gu, '\ufffd'))),
      );
    }
  });
});

describe('the style', () => {
  const schemes = [...CHART_STYLE.matchAll(/--chart-paper[^}]*/g)]
    .slice(0, 2)
    .map(
      ([text]) =>
        new Map([...text.matchAll(/--chart-([\w-]+): (#[0-9a-f]{6})/g)].map(([, name, colour]) => [name!, colour!])),
    );
  const luminance = (colour: string) => {
    const [red, green, blue] = [1, 3, 5]
      .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  };
  const pairs = [
    ...['ink', 'soft', 'event', 'guard'].flatMap((ink) =>
      ['card', 'group', 'chip', 'active-card', 'active-group', 'taken-chip'].map((ground) => [ink, ground] as const),
    ),
    ['active', 'active-card'],
    ['active', 'active-group'],
    ['taken', 'taken-chip'],
  ] as const;

  it.each([
    ['light', 0],
    ['dark', 1],
  ] as const)('has enough contrast for small text in the %s scheme (WCAG 2, AA)', (_, index) => {
    const colours = schemes[index]!;
    const contrast = ([ink, ground]: readonly [string, string]) => {
      const [bright, dim] = [luminance(colours.get(ink)!), luminance(colours.get(ground)!)].sort((a, b) => b - a);
      return (bright! + 0.05) / (dim! + 0.05);
    };
    expect(
      pairs
        .filter((pair) => !(contrast(pair) >= 4.5))
        .map((pair) => `${pair.join(' on ')}: ${contrast(pair).toFixed(2)}`),
    ).toEqual([]);
  });
});

describe('the picture in docs/inspect.md', () => {
  it('is the drawing of `bosun inspect`', async () => {
    const own = chartOf(pauseManager.machine as unknown as AnyStateMachine);
    const svg = svgOf(own, await layouts.geometry(own), {
      title: 'pauses/AAPL (pause-manager)',
      active: activeStates(own, 'PAUSED'),
    });
    await expect(svg).toMatchFileSnapshot('../../../docs/images/pause-manager.svg');
  });
});

describe('text over its bound', () => {
  const long = 'x'.repeat(CHART_LINE_CHARS_MAX);
  const shownIn = async (name: string) => {
    const own = chartOf(
      createMachine({
        id: 'm',
        initial: 'a',
        states: { a: { on: { [name]: { actions: 'b' } } } },
      }) as unknown as AnyStateMachine,
    );
    const root = await drawing({}, own);
    return {
      text: all(root, hasClass('event-name'))[0]!.text,
      label: all(root, hasClass('edge'))[0]!.attributes['aria-label']!,
    };
  };

  it('is cut in the drawing, and complete in the label', async () => {
    expect((await shownIn(long)).text).toBe(long);
    const cut = await shownIn(`${long}y`);
    expect(cut.text).toBe(`${long.slice(1)}…`);
    expect(cut.label).toContain(`${long}y`);
  });

  it('ends with the number of lines that were left out', () => {
    const own = (events: number) => {
      const on = Object.fromEntries(Array.from({ length: events }, (_, index) => [`E${index}`, { actions: 'x' }]));
      const each = chartOf(createMachine({ id: 'm', on }) as unknown as AnyStateMachine);
      return parseXml(svgOf(each, listGeometry(each, null)));
    };
    expect(all(own(CHART_LINES_MAX), hasClass('edge'))).toHaveLength(CHART_LINES_MAX);
    const more = own(CHART_LINES_MAX + 2);
    expect(all(more, hasClass('edge'))).toHaveLength(CHART_LINES_MAX - 1);
    expect(textOf(more)).toContain('and 3 more');
  });
});

describe('a chart shown as a list', () => {
  it('expresses arrows and dots in words', () => {
    const root = parseXml(svgOf(chart, listGeometry(chart, 'size')));
    const listed = textOf(root);
    for (const part of ['→ all.running', 'initial', '→ all.idle', 'deep history', '→ all.running.left.one'])
      expect(listed).toContain(part);
    expect(all(root, hasClass('arrow'))).toEqual([]);
    const geometry: Geometry = listGeometry(chart, 'size');
    expect([geometry.kind, geometry.because]).toEqual(['listed', 'size']);
  });
});
