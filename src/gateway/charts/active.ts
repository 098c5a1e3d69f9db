/** The active states of a chart: a rule on plain data, for drawings made here and in a page alike. Imports nothing. */

interface Placed {
  readonly id: string;
  readonly key: string;
  /** The id of the parent state; null for the root. */
  readonly parent: string | null;
}

/**
 * Ids of the chart's states that a state value makes active, including the root; keys that the chart lacks are ignored.
 */
export function activeStates({ states }: { readonly states: readonly Placed[] }, value: unknown): ReadonlySet<string> {
  const [root] = states;
  const byPlace = new Map(states.map(({ id, parent, key }) => [JSON.stringify([parent, key]), id]));
  const active = new Set<string>();
  const enter = (id: string, below: unknown): void => {
    active.add(id);
    const entries = typeof below === 'string' ? [[below, {}] as const] : Object.entries(below ?? {});
    for (const [key, deeper] of entries) {
      const child = byPlace.get(JSON.stringify([id, key]));
      if (child !== undefined) enter(child, deeper);
    }
  };
  if (root !== undefined) enter(root.id, value);
  return active;
}
