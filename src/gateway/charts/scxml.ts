/**
 * A chart as SCXML (W3C, https://www.w3.org/TR/scxml/), for tools that read it: structure, events and delays in SCXML's
 * own terms, guards and actions by name. XState's names become those of the recommendation: `done.state.ID`,
 * `done.invoke.ID`, `error.platform.ID`. Actions are elements of a namespace of ours, which SCXML allows. Ids and event
 * names that SCXML has no way to write are changed as little as it takes.
 */
import { type Chart, type ChartState, childrenOf, type ChartTransition } from './model.ts';
import { xml } from './text.ts';

const NAMESPACE = 'urn:bosun:scxml';

interface Writing {
  readonly children: ReadonlyMap<string | null, readonly ChartState[]>;
  readonly transitions: ReadonlyMap<string, readonly ChartTransition[]>;
  readonly ids: ReadonlyMap<string, string>;
}

export function scxmlOf(chart: Chart): string {
  const transitions = new Map<string, ChartTransition[]>(chart.states.map(({ id }) => [id, []]));
  for (const transition of chart.transitions) transitions.get(transition.source)!.push(transition);
  const writing: Writing = { children: childrenOf(chart), transitions, ids: idsOf(chart) };
  const [root] = chart.states;
  const head =
    `<scxml xmlns="http://www.w3.org/2005/07/scxml" xmlns:bosun="${NAMESPACE}" version="1.0" ` +
    `name="${xml(name(chart.id))}" initial="${writing.ids.get(root!.id)!}">`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', head, ...element(root!, writing, '  '), '</scxml>', ''].join('\n');
}

function element(state: ChartState, writing: Writing, indent: string): string[] {
  const { children, ids } = writing;
  const tag = state.type === 'parallel' || state.type === 'final' || state.type === 'history' ? state.type : 'state';
  // A final state has none in SCXML, and takes none in XState. The longest first: XState takes the closest match, SCXML
  // the first.
  const written = state.type === 'final' ? [] : writing.transitions.get(state.id)!;
  const own = [...written].sort((a, b) => b.event.length - a.event.length);
  const delayed = [
    ...new Map(
      written.filter(({ kind }) => kind === 'after').map((transition) => [transition.event, transition]),
    ).values(),
  ];
  const initial =
    state.initial !== null && state.initialActions.length === 0 ? ` initial="${ids.get(state.initial)!}"` : '';
  const open =
    `${indent}<${tag} ` +
    `id="${ids.get(state.id)!}"${initial}${state.history === null ? '' : ` type="${state.history}"`}`;
  const deeper = `${indent}  `;
  const inside = [
    ...block(
      'onentry',
      [...state.entry.map(action), ...delayed.map((transition) => sendTimer(transition, writing))],
      deeper,
    ),
    ...block(
      'onexit',
      [
        ...state.exit.map(action),
        ...delayed.map((transition) => `<cancel sendid="${xml(timerName(transition, writing))}"/>`),
      ],
      deeper,
    ),
    ...(state.initial !== null && state.initialActions.length > 0 ? initialElement(state, ids, deeper) : []),
    ...own.flatMap((transition) => transitionElement(transition, writing, deeper)),
    ...state.invokes.map(({ id, src }) => `${deeper}<invoke id="${xml(name(id))}" src="${xml(name(src))}"/>`),
    ...(children.get(state.id) ?? []).flatMap((child) => element(child, writing, deeper)),
  ];
  return inside.length === 0 ? [`${open}/>`] : [`${open}>`, ...inside, `${indent}</${tag}>`];
}

function initialElement({ initial, initialActions }: ChartState, ids: Writing['ids'], indent: string): string[] {
  const inner = `${indent}  `;
  return [
    `${indent}<initial>`,
    `${inner}<transition target="${ids.get(initial!)!}">`,
    ...initialActions.map((each) => `${inner}  ${action(each)}`),
    `${inner}</transition>`,
    `${indent}</initial>`,
  ];
}

function transitionElement(transition: ChartTransition, writing: Writing, indent: string): string[] {
  const { guard, actions, isInternal, source } = transition;
  // To itself without entering it again is, for a state without children, to stay: SCXML would enter it again.
  const isStaying = isInternal && !writing.children.has(source);
  const targets = isStaying ? [] : transition.targets;
  const event = eventName(transition, writing);
  const open = [
    '<transition',
    ...(event === null ? [] : [` event="${xml(event)}"`]),
    ...(guard === null ? [] : [` cond="${xml(guard)}"`]),
    ...(targets.length === 0 ? [] : [` target="${targets.map((target) => writing.ids.get(target)!).join(' ')}"`]),
    ...(isInternal && targets.length > 0 ? [' type="internal"'] : []),
  ].join('');
  return actions.length === 0
    ? [`${indent}${open}/>`]
    : [`${indent}${open}>`, ...actions.map((each) => `${indent}  ${action(each)}`), `${indent}</transition>`];
}

function eventName(transition: ChartTransition, writing: Writing): string | null {
  const { kind, about, event, source } = transition;
  switch (kind) {
    case 'always':
    case 'default':
      return null;
    case 'after':
      return timerName(transition, writing);
    case 'done':
      return event.startsWith('xstate.done.state.')
        ? `done.state.${writing.ids.get(source)!}`
        : `done.invoke.${name(about)}`;
    case 'error':
      return `error.platform.${name(about)}`;
    case 'snapshot':
      return `snapshot.${name(about)}`;
    default:
      return about.replace(/\s/g, '_');
  }
}

function timerName({ delay, source }: ChartTransition, { ids }: Writing): string {
  return name(`after.${delay}.${ids.get(source)!}`);
}

function sendTimer(transition: ChartTransition, writing: Writing): string {
  const event = xml(timerName(transition, writing));
  const { delay } = transition;
  const when = typeof delay === 'number' ? `delay="${delay}ms"` : `delayexpr="${xml(String(delay))}"`;
  return `<send event="${event}" id="${event}" ${when}/>`;
}

function block(tag: string, lines: readonly string[], indent: string): string[] {
  return lines.length === 0
    ? []
    : [`${indent}<${tag}>`, ...lines.map((line) => `${indent}  ${line}`), `${indent}</${tag}>`];
}

function action(text: string): string {
  return `<bosun:action name="${xml(text)}"/>`;
}

/** An id in XML is a name that begins with a letter; two states never get the same one. */
function idsOf({ states }: Chart): Map<string, string> {
  const taken = new Set<string>();
  return new Map(
    states.map(({ id }) => {
      const wanted = name(id);
      let unique = wanted;
      for (let nth = 2; taken.has(unique); nth++) unique = `${wanted}_${nth}`;
      taken.add(unique);
      return [id, unique];
    }),
  );
}

function name(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9_.-]/g, '_');
  return /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
}
