/**
 * The kinds of products (Mechanism 5, MX-079 to MX-084): where each breaks down, its usual stack, what its checks look
 * at, and the route of its tasks. Pure.
 */
import { z } from 'zod';

export const projectType = z.enum(['web_app', 'browser_extension', 'local_program', 'library', 'custom']);
export type ProjectType = z.output<typeof projectType>;

/** The rules of one kind of product. */
export type ProjectRules = Readonly<
  { type: ProjectType } & Record<'focus' | 'stack' | 'verification' | 'route', string>
>;

function rules(type: ProjectType, focus: string, stack: string, [verification, route]: [string, string]): ProjectRules {
  return { type, focus, stack, verification, route };
}

const WEB = 'Node.js/Express + React/Vue, PostgreSQL';
export const PROJECT_TYPES: Readonly<Record<ProjectType, ProjectRules>> = {
  web_app: rules('web_app', 'API endpoints, UI pages, state flow, database schema', WEB, [
    ...(['end-to-end tests, API contracts, auth security', 'full backend: a Builder if backend_mode is true'] as const),
  ]),
  browser_extension: rules(
    ...(['browser_extension', 'Manifest v3, content scripts, background workers, permissions'] as const),
    'Chrome/Firefox APIs + vanilla JS, manifest.json',
    ['permission safety, cross-origin rules, popup UX', 'minimal backend: at most an API of the manifest'],
  ),
  local_program: rules(
    ...(['local_program', 'CLI entry points, file I/O, system integration, display layer'] as const),
    'Node.js/Python + CLI framework (Inquirer/Click)',
    ['exit codes, file output, stdout and stderr', 'binary or script: packaging and distribution'],
  ),
  library: rules('library', 'module exports, public API surface, doctests', 'framework-agnostic, npm/PyPI', [
    ...(['API surface tests, backwards compatibility', 'no execution target: a pure code artefact'] as const),
  ]),
  custom: rules('custom', 'the goal', 'by the goal', ['the description', 'flexible: the user is asked']),
};

/** Words by which the goal of a custom product tells its nearest kind, the most telling first. */
const WORDS: readonly (readonly [ProjectType, RegExp])[] = [
  ['browser_extension', /\bextension\b|\bchrome\b|\bfirefox\b/i],
  ['library', /\blibrary\b|\bpackage\b|\bsdk\b/i],
  ['local_program', /\bcli\b|\bcommand[ -]line\b|\bscript\b|\bdesktop\b|\bterminal\b/i],
  ['web_app', /\bweb\b|\bsite\b|\bpages?\b|\bserver\b|\bapi\b|\bbrowser\b/i],
];

/**
 * The rules that apply to a plan; for a custom product those of the nearest kind, by its goal and notes, under its own
 * name. Undefined if nothing tells: a person is asked.
 */
export function rulesOf(type: ProjectType, goal: string, notes = ''): ProjectRules | undefined {
  if (type !== 'custom') return PROJECT_TYPES[type];
  const nearest = WORDS.find(([, words]) => words.test(`${goal} ${notes}`))?.[0];
  return nearest && { ...PROJECT_TYPES[nearest], type, route: PROJECT_TYPES.custom.route };
}
