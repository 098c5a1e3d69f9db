/**
 * The section `## Scope` of an agent's system prompt (seed 003, 5.5): what the agent handles, and what it leaves to
 * whom. Written from data, and read back from any prompt to check it. Pure.
 */

/** The scope of an agent. */
export interface Scope {
  /** Kinds of tasks that the agent handles. */
  readonly handles: readonly string[];
  /** Kinds of tasks that it does not handle, each with the agents that do. */
  readonly leaves: readonly { readonly task: string; readonly to: readonly string[] }[];
}

const HEADING = '## Scope';
const SHOULD = '**You SHOULD handle:**';
/** The line in front of the tasks that an agent leaves to others. */
export const SHOULD_NOT = '**You should NOT handle (delegate or reject):**';
const SUGGEST = ' → suggest: ';

/** Writes the scope as a section of Markdown. */
export function scopeSection({ handles, leaves }: Scope): string {
  return [
    HEADING,
    '',
    SHOULD,
    ...handles.map((task) => `- ${task}`),
    '',
    SHOULD_NOT,
    ...leaves.map(({ task, to }) => `- ${task}${SUGGEST}${to.join(', ')}`),
  ].join('\n');
}

/** Reads the scope from a system prompt. Undefined if the prompt has no complete section. */
export function scopeIn(systemPrompt: string): Scope | undefined {
  const [, section] = new RegExp(`^${HEADING}\\s*$([^]*?)(?=^## |$(?![^]))`, 'm').exec(systemPrompt) ?? [];
  if (section === undefined) return undefined;
  const [before, leaves] = section.split(SHOULD_NOT);
  const [, handles] = (before ?? '').split(SHOULD);
  if (handles === undefined || leaves === undefined) return undefined;
  return {
    handles: itemsIn(handles),
    leaves: itemsIn(leaves).map((item) => {
      const [task = '', to = ''] = item.split(/\s*→ suggest:\s*/);
      return { task, to: to.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])) };
    }),
  };
}

/**
 * The problems of the scope in a prompt, one sentence each. Empty if the section is complete and names only known
 * agents.
 */
export function scopeProblems(systemPrompt: string, knownAgents: ReadonlySet<string>): string[] {
  const scope = scopeIn(systemPrompt);
  if (scope === undefined) return ['Missing scope section'];
  const unknown = scope.leaves.flatMap(({ to }) => to.filter((agent) => !knownAgents.has(agent)));
  return [
    ...(scope.handles.length === 0 ? ['Scope lists nothing that the agent handles'] : []),
    ...(scope.leaves.length === 0 ? ['Scope lists nothing that the agent leaves to others'] : []),
    ...scope.leaves.filter(({ to }) => to.length === 0).map(({ task }) => `Scope suggests no agent for: ${task}`),
    ...[...new Set(unknown)].map((agent) => `Scope suggests an unknown agent: ${agent}`),
  ];
}

function itemsIn(text: string): string[] {
  return text.split('\n').flatMap((line) => /^[-*] +(.*\S)\s*$/.exec(line)?.[1] ?? []);
}
