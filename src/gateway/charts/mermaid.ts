/**
 * A chart as Mermaid's `stateDiagram-v2`, for READMEs and reviews. Mermaid has no history states, entry actions or
 * transitions without a target: history is a state named H, the others are notes. States have ids of our own and show
 * their names.
 */
import { transitionText } from './cards.ts';
import { type Chart, type ChartState, childrenOf, type ChartTransition } from './model.ts';

export function mermaidOf(chart: Chart): string {
  const children = childrenOf(chart);
  const ids = new Map(chart.states.map(({ id }, index) => [id, `s${index}`]));
  const among = (transition: ChartTransition) => chart.transitions.filter(({ source }) => source === transition.source);
  const write = (state: ChartState, indent: string): string[] => {
    const id = ids.get(state.id)!;
    const inside = children.get(state.id) ?? [];
    const name = state.type !== 'history' ? state.key : state.history === 'deep' ? 'H*' : 'H';
    const head = `${indent}state "${escaped(name)}" as ${id}`;
    if (inside.length === 0) return [head, ...(state.type === 'final' ? [`${indent}${id} --> [*]`] : [])];
    const deeper = `${indent}  `;
    const parts = inside.map((child) => write(child, deeper));
    const body =
      state.type === 'parallel'
        ? parts.flatMap((part, index) => (index === 0 ? part : [`${deeper}--`, ...part]))
        : parts.flat();
    const initial = state.initial === null ? [] : [`${deeper}[*] --> ${ids.get(state.initial)!}`];
    return [`${head} {`, ...initial, ...body, `${indent}}`];
  };
  const roots = children.get(null) ?? [];
  const arrows = chart.transitions.flatMap((transition) => {
    const label = transition.kind === 'default' ? '' : ` : ${escaped(transitionText(transition, among(transition)))}`;
    return transition.targets.map((target) => `  ${ids.get(transition.source)!} --> ${ids.get(target)!}${label}`);
  });
  const notes = chart.states.flatMap((state) => {
    const lines = notesOf(state, chart);
    return lines.length === 0
      ? []
      : [`  note right of ${ids.get(state.id)!}`, ...lines.map((line) => `    ${escaped(line)}`), '  end note'];
  });
  return ['stateDiagram-v2', ...roots.flatMap((root) => write(root, '  ')), ...arrows, ...notes, ''].join('\n');
}

function notesOf({ id, entry, exit, invokes }: ChartState, { transitions }: Chart): string[] {
  const own = transitions.filter(({ source }) => source === id);
  return [
    ...(entry.length === 0 ? [] : [`entry / ${entry.join(', ')}`]),
    ...(exit.length === 0 ? [] : [`exit / ${exit.join(', ')}`]),
    ...invokes.map((invoke) => `invoke ${invoke.id === invoke.src ? invoke.src : `${invoke.id}: ${invoke.src}`}`),
    ...own
      .filter(({ targets, kind }) => targets.length === 0 && kind !== 'default')
      .map((transition) => transitionText(transition, own)),
  ];
}

/** Escapes by number all characters that are not plain text or that Mermaid may take for syntax. */
function escaped(text: string): string {
  return [...text.replace(/\s+/g, ' ')]
    .map((character) => (/[A-Za-z0-9 _.,/()[\]*+!?'=-]/.test(character) ? character : `#${character.codePointAt(0)!};`))
    .join('');
}
