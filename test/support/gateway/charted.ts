/** A machine with every feature of XState that a chart shows, and checks of drawings. */
import {
  and,
  type AnyStateMachine,
  assign,
  cancel,
  createMachine,
  emit,
  fromPromise,
  not,
  raise,
  sendTo,
  setup,
  spawnChild,
  stateIn,
} from 'xstate';
import { type Box, type Geometry } from '../../../src/gateway/charts/geometry.ts';
import { planOf } from '../../../src/gateway/charts/graph.ts';
import { type Chart } from '../../../src/gateway/charts/model.ts';

export const everything = setup({
  types: {} as { context: { n: number }; events: { type: string } },
  actors: { plan: fromPromise(async () => 1) },
  guards: { isOpen: () => true, isNew: () => true, isAbove: (_, _bound: number) => true },
  actions: { log: () => {}, notify: () => {} },
  delays: { PATIENCE: 1_000 },
}).createMachine({
  id: 'all',
  version: '3',
  context: { n: 0 },
  initial: 'idle',
  on: { STOP: '.stopped' },
  states: {
    idle: {
      description: 'Waits for work.',
      tags: ['ready', 'calm'],
      entry: ['log', assign({ n: 1 }), raise({ type: 'tick' }), emit({ type: 'said' })],
      exit: [cancel('later'), spawnChild('plan'), () => {}],
      on: {
        TASK: [{ guard: 'isOpen', target: 'running', actions: 'log' }, { target: 'stopped' }],
        PING: { actions: 'log' },
        NEVER: undefined,
        'media.*': { guard: and(['isOpen', not('isNew')]), target: 'running' },
        DEEP: { guard: stateIn('#all.idle'), target: 'running' },
        AGAIN: { target: 'idle', reenter: true, guard: { type: 'isAbove', params: 3 } },
        STAY: 'idle',
      },
      after: { 500: 'stopped', PATIENCE: { target: 'running', actions: 'notify' } },
    },
    running: {
      type: 'parallel',
      invoke: {
        id: 'plan',
        src: 'plan',
        onDone: { actions: 'log' },
        onError: 'stopped',
        onSnapshot: { actions: 'notify' },
      },
      onDone: 'idle',
      on: { FORK: { target: ['.left.two', '.right.two'] } },
      states: {
        left: {
          initial: 'one',
          states: {
            one: { always: { guard: 'isNew', target: 'two' } },
            two: { entry: sendTo('plan', { type: 'hello' }), on: { BACK: '#all.running.left' } },
            past: { type: 'history', history: 'deep' },
          },
        },
        right: {
          initial: { target: 'one', actions: 'notify' },
          states: {
            one: { on: { NEXT: 'two' } },
            two: { on: { UP: 'end' } },
            end: { type: 'final' },
            last: { type: 'history', target: 'two' },
          },
        },
      },
    },
    stopped: { type: 'final', entry: 'notify' },
  },
} as never) as unknown as AnyStateMachine;

/** Names that would end a text, an attribute, an element or a line, if they could. */
export const HOSTILE = [
  '</text><script>alert(1)</script>',
  '" onload="x',
  "it's & that",
  '<!--',
  ']]>',
  'a\nb\u0000c\u202Ed\ud800',
  ';--> [*]',
  ':::x',
  '%%{init}%%',
  '漢字',
];

export function hostileMachine(): AnyStateMachine {
  const states = Object.fromEntries(
    HOSTILE.map((name, index) => [
      name.replaceAll('.', '_'),
      {
        description: name,
        tags: [name],
        entry: { type: name },
        invoke: { id: name, src: name },
        on: {
          [name]: { actions: name, guard: name, target: HOSTILE[(index + 1) % HOSTILE.length]!.replaceAll('.', '_') },
          [`${name}!`]: { actions: name },
        },
      },
    ]),
  );
  return createMachine({ id: '<m id="1">', initial: HOSTILE[0]!, states } as never) as unknown as AnyStateMachine;
}

/** The problems of a drawing's layout; none in a correct one. */
export function faultsOf(chart: Chart, { states, arrows, width, height, kind }: Geometry): string[] {
  const boxes = new Map(states.map((state) => [state.id, state]));
  const cards = kind === 'drawn' ? planOf(chart).cards : undefined;
  const labels = arrows.flatMap(({ label }) => label ?? []);
  const paper: Box = { x: 0, y: 0, width, height };
  const faults: string[] = [];
  for (const [index, { id, parent, type }] of chart.states.entries()) {
    const box = boxes.get(id)!;
    const hasChildren = type === 'compound' || type === 'parallel';
    if (!isInside(box, parent === null ? paper : boxes.get(parent)!))
      faults.push(`${id} is not inside ${parent ?? 'the paper'}`);
    for (const other of chart.states.slice(index + 1)) {
      if (other.parent === parent && overlap(shrunk(box), boxes.get(other.id)!))
        faults.push(`${id} and ${other.id} overlap`);
    }
    const text = cards && { x: box.x, y: box.y, width: box.width, height: cards.get(id)!.height };
    for (const label of labels) {
      if (!overlap(shrunk(label), box)) continue;
      if (!hasChildren) faults.push(`a label lies on ${id}`);
      else if (!isInside(label, box)) faults.push(`a label lies on the border of ${id}`);
      else if (text !== undefined && overlap(shrunk(label), text)) faults.push(`a label lies on the text of ${id}`);
    }
  }
  for (const [index, label] of labels.entries()) {
    if (!isInside(label, paper)) faults.push('a label is not on the paper');
    if (labels.slice(index + 1).some((other) => overlap(shrunk(label), other))) faults.push('two labels overlap');
  }
  return faults;
}

function isInside(inner: Box, outer: Box): boolean {
  const { x, y, width, height } = shrunk(inner);
  return x >= outer.x && y >= outer.y && x + width <= outer.x + outer.width && y + height <= outer.y + outer.height;
}

/** A box reduced by the tolerance of rounding. */
function shrunk({ x, y, width, height }: Box): Box {
  return { x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1 };
}

export interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
}

const NAME = '[A-Za-z_][\\w.:-]*';
const CHARACTER = /^(?:[\t\n\r\u0020-\ud7ff\ue000-\ufffd]|[\u{10000}-\u{10ffff}])*$/u;
const REFERENCE = /&(?:amp|lt|gt|quot|#\d+);/g;

/**
 * A strict parser of the XML that Bosun writes: elements, attributes in double quotes, text. Throws if it is not
 * well-formed.
 */
export function parseXml(source: string): Element {
  if (!CHARACTER.test(source)) throw new Error('a character that XML does not have');
  const stack: { tag: string; attributes: Record<string, string>; children: Element[]; text: string }[] = [
    { tag: '', attributes: {}, children: [], text: '' },
  ];
  const token = new RegExp(`<(/?)(${NAME})((?:\\s+${NAME}="[^"<]*")*)\\s*(/?)>|([^<]+)|<\\?xml[^>]*\\?>|(<)`, 'gy');
  for (const [, closing, tag, attributes = '', isEmpty, text, stray] of source.matchAll(token)) {
    const top = stack.at(-1)!;
    if (stray !== undefined) throw new Error(`a stray < in <${top.tag}>`);
    if (text !== undefined) {
      top.text += decoded(text);
    } else if (closing === '/') {
      stack.pop();
      if (top.tag !== tag || stack.length === 0) throw new Error(`</${tag}> closes <${top.tag}>`);
    } else if (tag !== undefined) {
      const pairs = [...attributes.matchAll(new RegExp(`(${NAME})="([^"]*)"`, 'g'))].map(
        ([, name, value]) => [name!, decoded(value!)] as const,
      );
      if (new Set(pairs.map(([name]) => name)).size < pairs.length) throw new Error(`an attribute twice in <${tag}>`);
      const element = { tag, attributes: Object.fromEntries(pairs), children: [], text: '' };
      top.children.push(element);
      if (isEmpty !== '/') stack.push(element);
    }
  }
  const [document] = stack;
  if (stack.length !== 1 || document!.children.length !== 1 || document!.text.trim() !== '')
    throw new Error(`not one whole element: <${stack.at(-1)!.tag}> is open`);
  return document!.children[0]!;
}

function decoded(text: string): string {
  if (text.replace(REFERENCE, '').includes('&')) throw new Error(`a stray & in ${text}`);
  const named: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };
  return text.replace(
    REFERENCE,
    (reference) => named[reference] ?? String.fromCodePoint(Number(reference.slice(2, -1))),
  );
}

export function elementsIn(element: Element): Element[] {
  return [element, ...element.children.flatMap(elementsIn)];
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
