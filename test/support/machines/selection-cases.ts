/**
 * Tasks with the agents that they belong to, to measure the selector by. Those of the file `own.txt` are of the people
 * who wrote the selector, the others of authors who knew the names and roles of the agents and nothing else. Half of
 * them, by a hash of their text, are for development; the other half is only reported. Kinds: `plain`; `overlap`, where
 * two agents are near; `trap`, where a word means something else; `form`, where the task is shouted, misspelt, long or
 * short; `fallback`, which is nobody's; `filter`, with other fields than the task.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { type RecommendRequest } from '../../../src/machines/agents/profile.ts';

export type CaseKind = 'plain' | 'overlap' | 'trap' | 'form' | 'fallback' | 'filter';

export interface SelectionCase {
  /** Agents of whom each would be right. */
  readonly right: readonly string[];
  readonly kind: CaseKind;
  readonly request: RecommendRequest;
}

const FOLDER = new URL('selection-tasks/', import.meta.url);

const FILTERS: readonly (readonly [right: string, request: RecommendRequest])[] = [
  [
    'fullstack/architecture',
    { task: 'Build an API endpoint', excludeAgents: ['backend', 'frontend'], team: 'engineering' },
  ],
  ['security', { task: 'Review this pull request for attacks', team: 'core', excludeAgents: ['reviewer'] }],
  ['standard', { task: 'Review this pull request', requiredCapabilities: ['test-automation'] }],
  ['standard', { task: 'Train a neural network', requiredCapabilities: ['no-such-capability'] }],
  ['standard', { task: 'Train a neural network', team: 'no such team' }],
  ['ml-engineer', { task: 'Serve the trained model', excludeAgents: ['mlops-engineer'], team: 'Engineering' }],
  ['cto', { task: 'Set the strategy', team: 'leadership', requiredCapabilities: ['technology-roadmap'] }],
  ['standard', { task: 'asdkjh', excludeAgents: ['standard'] }],
  [
    'aerospace-scientist',
    {
      task: 'Compare what is known about qubits and rockets',
      excludeAgents: ['quantum-engineer', 'researcher'],
      team: 'research',
    },
  ],
  ['devops', { task: 'Write the deployment guide', requiredCapabilities: ['CI-CD'] }],
];

/** All cases. */
export const SELECTION_CASES: readonly SelectionCase[] = [
  ...readdirSync(FOLDER)
    .sort()
    .flatMap((file) => readFileSync(new URL(file, FOLDER), 'utf8').trim().split('\n'))
    .map((line) => {
      const [, right, kind, task] = /^(\S+) (\S+) (.*)$/.exec(line)!;
      return { right: right!.split('/'), kind: kind as CaseKind, request: { task: task! } };
    }),
  ...FILTERS.map(([right, request]) => ({ right: right.split('/'), kind: 'filter' as const, request })),
];

/** Whether a case is of the half that is reported. */
export function isReported({ request }: SelectionCase): boolean {
  let hash = 0x811c9dc5;
  for (const unit of JSON.stringify(request)) hash = Math.imul(hash ^ unit.charCodeAt(0), 0x01000193) >>> 0;
  return ((hash >>> 16) & 1) === 1;
}
