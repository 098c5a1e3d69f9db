/** The page docs/xstate-support.md, made from the outcomes of the scenarios. */
import { type Feature, judge, likeness, type Verdict } from './feature.ts';
import { ACTIONS } from '../../../actors/xstate/features/actions.cases.ts';
import { CHILDREN } from '../../../actors/xstate/features/children.cases.ts';
import { DELAYS } from '../../../actors/xstate/features/delays.cases.ts';
import { EFFECTS } from '../../../actors/xstate/features/effects.cases.ts';
import { FAILURES } from '../../../actors/xstate/features/failures.cases.ts';
import { STATES } from '../../../actors/xstate/features/states.cases.ts';
import { TRANSITIONS } from '../../../actors/xstate/features/transitions.cases.ts';
import { REFUSALS } from '../../../actors/xstate/refusals.cases.ts';
import { ORDER } from '../../../actors/xstate/w3c/order.cases.ts';
import { SENDS } from '../../../actors/xstate/w3c/sends.cases.ts';
import { STATES as W3C_STATES } from '../../../actors/xstate/w3c/states.cases.ts';
import { type W3cCase } from './w3c/w3c-case.ts';

export interface Row {
  /** The id by which `vitest -t` finds the scenario. */
  readonly id: string;
  readonly feature: Feature;
}

export interface Group {
  readonly title: string;
  readonly rows: readonly Row[];
}

export const GROUPS: readonly Group[] = [
  group('States', 'state', STATES),
  group('Transitions and guards', 'transition', TRANSITIONS),
  group('Actions', 'action', ACTIONS),
  group('Time', 'time', DELAYS),
  group('Children: machines and reducers', 'child', CHILDREN),
  group('Failures below', 'failure', FAILURES),
  group('Children: promises, callbacks, observables', 'effect', EFFECTS),
];

export const W3C: readonly W3cCase[] = [...ORDER, ...W3C_STATES, ...SENDS].sort((a, b) =>
  a.test.localeCompare(b.test, 'en', { numeric: true }),
);

function group(title: string, prefix: string, features: readonly Feature[]): Group {
  return {
    title,
    rows: features.map((feature, index) => ({ id: `${prefix}-${String(index + 1).padStart(2, '0')}`, feature })),
  };
}

const HEAD = `# XState support

**Generated**: every row is what a test showed. \`test/actors/xstate/page.test.ts\` fails where this page and the tests
differ; with \`-u\` it writes the page anew. The tests of a row: \`npx vitest run test/actors/xstate -t state-01\`.

Each machine runs on XState's \`createActor\` with a simulated clock and on the kernel. Compared are, in order: every
state entered and left, every transition with its event, and every action; emitted events; logged lines; and the final
value, context, status, tags, output, error and children.

- **honoured**: all is equal. **honoured, per actor**: what each actor did is equal, in order; which of two actors ran
  first is not, because messages wait in mailboxes where \`createActor\` delivers within the send.
- **kill and restore**: the power is cut after every step, once when all has settled and once right after the event was
  acknowledged, and the system starts anew. **yes**: nothing differs from a run without a cut. **yes, started again**:
  effects are started again ([P7](semantics.md#p7)) and the end is the same; what was on its way to them, such as an
  event for a callback, is lost.
`;

const W3C_HEAD = `## Assertions of SCXML

Own machines for the assertions of the W3C's suite for SCXML 1.0 (by its test numbers) that mean something in XState.
Left out: data models, \`<script>\`, \`<foreach>\`, \`<finalize>\`, autoforward, I/O processors, \`error.execution\` (in
XState an error ends the machine; here the turn has not happened), and initial states that are not children, which
XState does not have (413 uses a transition).
`;

const REFUSED_HEAD = `## Refused

Refused with a code and the place, never ignored. What a function returns is unknown when an agent is defined: the turn
that does it throws, has no effect, and counts as a delivery ([P1](semantics.md#p1) and [P6](semantics.md#p6)).

References have \`id\`, \`sessionId\`, \`systemId\`, \`send\` and \`getSnapshot\`; they have no \`subscribe\`, \`on\`,
\`start\` or \`stop\`. Follow an actor from outside by \`subscribe\` of its handle and \`system.onEmitted\`,
within machines by \`onSnapshot\` and \`syncSnapshot\`.

A key in \`on\` needs no schema: other agents may send it. It is refused only as a misspelt event of a schema: it
differs in case and separators alone, or by one slip inside one word of at least five letters (two letters swapped, one
missing, one too many, one wrong). Not slips: digits (\`tick1\`, \`tick2\`), the first letter of a word, its end
(\`order.place\`, \`order.placed\`) but for a doubled letter. Never refused: what the machine, or one below it, visibly
raises or sends; a key beside the event itself in one state; what \`defineAgent({ internal: ['order.palce'] })\`
declares to come from other agents; the event of a schedule.
`;

export async function page(): Promise<string> {
  const groups = await Promise.all(GROUPS.map(groupSection));
  return [HEAD, ...groups, refusedSection(), await w3cSection()].join('\n');
}

async function groupSection({ title, rows }: Group): Promise<string> {
  const cells: string[][] = [];
  for (const { id, feature } of rows) {
    const verdict = await judge(feature);
    cells.push([feature.feature, kernelCell(feature, verdict), restoreCell(feature, verdict), id]);
  }
  return `## ${title}\n\n${table(['feature', 'on the kernel', 'kill and restore', 'test'], cells)}`;
}

function kernelCell({ differs }: Feature, { plain, hosted }: Verdict): string {
  const found = { whole: 'honoured', perActor: 'honoured, per actor', end: 'differs', none: 'differs' }[
    likeness(plain, hosted) ?? 'none'
  ];
  return found === 'differs' ? `differs: ${differs?.how ?? 'nobody knows why'}` : found;
}

function restoreCell({ restored }: Feature, { hosted, cut }: Verdict): string {
  const alike = cut.map((one) => likeness(hosted, one));
  if (restored === 'again') return alike.every((view) => view !== undefined) ? 'yes, started again' : 'no';
  return alike.every((view) => view === 'whole' || view === 'perActor') ? 'yes' : 'no';
}

function refusedSection(): string {
  const cells = REFUSALS.map(({ feature, when, code, says }) => [
    feature,
    when,
    code === '' ? `an Error: ${says}` : `\`${code}\``,
  ]);
  return `${REFUSED_HEAD}\n${table(['what', 'refused when', 'with'], cells)}`;
}

async function w3cSection(): Promise<string> {
  const cells: string[][] = [];
  for (const one of W3C) {
    const { plain, hosted, cut } = await judge(one);
    const passes = (value: unknown) => (value === 'pass' ? 'passes' : 'does not');
    const why = one.unlike === undefined ? '' : `: ${one.unlike}`;
    const restored = cut.every((other) => likeness(hosted, other) !== undefined) ? 'yes' : 'no';
    cells.push([one.test, one.feature, `${passes(plain.value)}${why}`, passes(hosted.value), restored]);
  }
  return `${W3C_HEAD}\n${table(['W3C test', 'assertion', '`createActor`', 'kernel', 'kill and restore'], cells)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
