/** The agents named in a tree, each with its place: children and templates of all its Bosses. Pure. */
import { didYouMean } from '../near-names.ts';

export interface TreeProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * Finds the first child whose agent is unknown: its Boss would give up because of it. Does not check whether the tree
 * is well formed.
 *
 * @param names Known names, for a suggestion.
 */
export function unknownAgent(
  tree: unknown,
  { isKnown, names }: { readonly isKnown: (agent: string) => boolean; readonly names: Iterable<string> },
  path: readonly (string | number)[] = ['tree'],
): TreeProblem | undefined {
  if (!isRecord(tree)) return undefined;
  const { children, template } = tree;
  const places = [
    ...(Array.isArray(children)
      ? children.map((child: unknown, index) => [child, [...path, 'children', index]] as const)
      : []),
    [template, [...path, 'template']] as const,
  ];
  for (const [child, place] of places) {
    if (!isRecord(child)) continue;
    const { agent, boss } = child;
    if (typeof agent === 'string' && !isKnown(agent))
      return { path: [...place, 'agent'], message: `unknown agent "${agent}"${didYouMean(agent, names)}` };
    const below = unknownAgent(boss, { isKnown, names }, [...place, 'boss']);
    if (below !== undefined) return below;
  }
  return undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
