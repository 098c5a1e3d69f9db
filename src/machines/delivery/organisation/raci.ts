/**
 * The table of responsibilities (MX-024 to MX-033): for each hand-off who is responsible, accountable, consulted and
 * informed, and the condition under which it takes place. Routes are derived from it: a hand-off that no row describes
 * does not take place. Pure.
 */
import { type GateDecision } from '../../work/threshold-gate.ts';
import { type Facts, type GateName, judgeFact } from './delivery-gates.ts';
import { type TeamId } from './teams.ts';

/** The moments at which work may be handed off. */
export const OCCASIONS = [
  'planned',
  'broken-down',
  'pulled',
  'asked',
  'unanswered',
  'done',
  'checked',
  'replied',
] as const;
export type Occasion = (typeof OCCASIONS)[number];

/** The parties that are informed of hand-offs (MX-034). */
export const SINKS = ['task-queue', 'dashboard', 'orchestrator'] as const;
export type Sink = (typeof SINKS)[number];

/** A row of the table. */
export interface RaciRow {
  readonly row: number;
  readonly occasion: Occasion;
  /** The condition in words. */
  readonly condition: string;
  /** Gates that all have to pass. */
  readonly pass: readonly GateName[];
  /** Gates of which at least one has to fail; empty: none has to. */
  readonly fail: readonly GateName[];
  /** The teams that may hand off. */
  readonly responsible: readonly TeamId[];
  /** The one who takes over. */
  readonly accountable: TeamId | 'user';
  /**
   * The team that is given the hand-off to carry it out, if it is another: what people take over is brought to them.
   * Null: the accountable team has it already.
   */
  readonly carrier?: TeamId | null;
  readonly consulted: readonly TeamId[];
  readonly informed: readonly Sink[];
}

/** The one responsible, the one accountable, the one consulted if anybody is, and the one informed. */
type Roles = readonly [TeamId, RaciRow['accountable'], TeamId | null, Sink];

function row(number: number, occasion: Occasion, condition: string, more: { of: Roles } & Partial<RaciRow>): RaciRow {
  const { of, ...rest } = more;
  const [responsible, accountable, consulted, sink] = of;
  const parties = { responsible: [responsible], accountable, consulted: consulted === null ? [] : [consulted] };
  return { row: number, occasion, condition, pass: [], fail: [], ...parties, informed: [sink], ...rest };
}

/** The table of the seed. */
export const RACI: readonly RaciRow[] = [
  row(1, 'planned', 'longer than 45 minutes, or several concerns', {
    ...{ fail: ['size', 'concerns'], of: ['planning', 'decomposition', 'orchestrator', 'task-queue'] },
  }),
  row(2, 'broken-down', 'subtasks are created and valid', {
    ...{ pass: ['flaws'], of: ['decomposition', 'planning', 'boss-ai', 'task-queue'] },
  }),
  row(3, 'planned', 'the task is ready for the queue, nothing is in the way', {
    ...{ pass: ['size', 'concerns', 'blockers'], of: ['planning', 'orchestrator', 'coding-ai', 'dashboard'] },
  }),
  row(4, 'pulled', 'the task is pulled from the queue', {
    ...{ pass: ['origin', 'size', 'context', 'places'], of: ['orchestrator', 'coding-ai', 'answers', 'dashboard'] },
  }),
  row(5, 'asked', 'a question by askQuestion', {
    ...{ carrier: null, of: ['coding-ai', 'answers', 'planning', 'orchestrator'] },
  }),
  row(6, 'unanswered', 'no answer within 30 s, or confidence below 40 %', {
    ...{ fail: ['seconds', 'confidence'], of: ['orchestrator', 'user', 'clarity', 'dashboard'] },
    carrier: 'orchestrator',
  }),
  row(7, 'done', 'the task is marked done, files are changed', {
    ...{ pass: ['files'], of: ['orchestrator', 'verification', 'planning', 'dashboard'] },
    responsible: ['orchestrator', 'coding-ai'],
  }),
  row(8, 'checked', 'tests fail, or criteria are not met', {
    ...{ fail: ['failures', 'unmet'], of: ['verification', 'orchestrator', 'planning', 'task-queue'] },
  }),
  row(9, 'checked', 'a person has to look at the surface', {
    ...{ pass: ['failures', 'unmet'], fail: ['visual'], of: ['verification', 'user', 'clarity', 'dashboard'] },
    carrier: 'verification',
  }),
  row(10, 'replied', 'a reply in a ticket is scored at 85 or more', {
    ...{ pass: ['clarity'], of: ['clarity', 'orchestrator', null, 'dashboard'] },
  }),
];

/** The row that describes a hand-off, and every decision that was made to find it. */
export interface Route {
  /** Undefined if no row describes the hand-off. */
  readonly row: RaciRow | undefined;
  readonly decisions: readonly GateDecision[];
}

/** Finds the row of a hand-off. Rows of one occasion exclude each other, so their order does not matter. */
export function routeOf(table: readonly RaciRow[], occasion: Occasion, facts: Facts): Route {
  const rows = table.filter((row) => row.occasion === occasion);
  const gates = new Set(rows.flatMap(({ pass, fail }) => [...pass, ...fail]));
  const judged = new Map([...gates].map((gate) => [gate, judgeFact(gate, facts)] as const));
  const passes = (gate: GateName) => judged.get(gate)!.isPassed;
  const row = rows.find(
    ({ pass, fail }) => pass.every(passes) && (fail.length === 0 || fail.some((gate) => !passes(gate))),
  );
  return { row, decisions: [...judged.values()] };
}

/** Why the gates let no hand-off through, in words. */
export function refusalOf({ decisions }: Route): string {
  const failed = decisions.filter(({ isPassed }) => !isPassed).map(({ gate, outcome }) => `${outcome} (${gate})`);
  return failed.length === 0 ? 'no row of the table describes it' : failed.join('; ');
}
