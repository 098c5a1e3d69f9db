/**
 * The decision of a hub by rules (HS-012, HS-035): what it has read of its work plan decides what it spawns next, asks,
 * or that it is finished. Pure; a hub whose host decides otherwise gives the same moves.
 */
import { type SessionOutcome } from './handoff.ts';
import { type Closed, isCircle, type OutcomeCounts } from './loop-guard.ts';
import { type SpawnProblem } from './may-spawn.ts';
import { type PlanReading } from './plan-reading.ts';
import { nextStep } from './plan-steps.ts';
import { type Role } from './roles.ts';
import { phaseProblem, TDD_ROLES, type TddCycle } from './tdd-cycle.ts';
import { clipped } from './words.ts';

/** The move of a hub. */
export type Move =
  | { readonly kind: 'spawn'; readonly role: Role; readonly step: string | null; readonly because: string }
  | Question
  | { readonly kind: 'finish'; readonly outcome: 'completed' | 'failed'; readonly because: string };

/** A question to people. */
export interface Question {
  readonly kind: 'ask';
  readonly question: string;
  /** The role that cannot go on. */
  readonly about: Role | null;
  /** The obstacle that an answer can take away. */
  readonly problem?: SpawnProblem;
}

/** The last closed session of a run. */
export interface LastSession {
  readonly session: string;
  readonly role: Role;
  readonly step: string | null;
  readonly outcome: SessionOutcome;
  /** The outcome of its hand-off in the words of its role; null without a hand-off. */
  readonly said: string | null;
  /** The summary of the session, or why it failed. */
  readonly summary: string;
}

/** The facts by which a hub decides. */
export interface DecisionFacts {
  readonly role: Role;
  readonly start: Role;
  readonly agents: readonly Role[];
  readonly fallbacks: Readonly<Partial<Record<Role, Role>>>;
  readonly read: PlanReading;
  /** Null before the first session. */
  readonly last: LastSession | null;
  readonly counts: OutcomeCounts;
  /** The state of a TDD hub; null for every other hub. */
  readonly tdd: TddCycle | null;
  /** Roles that people have told the hub to spawn next, whatever the guard says. */
  readonly told: Role | null;
}

/** Characters in a question of what a session said, or why it failed. */
const SHOWN_CHARS = 200;

/** Tries of one TDD phase before people are asked. */
const PHASE_TRIES_MAX = 3;

export function nextMove(facts: DecisionFacts): Move {
  const { read, told } = facts;
  if (read.status === 'archived') return finish('completed', 'the work plan is archived');
  if (read.status === 'failed') return finish('failed', 'the work plan has failed');
  if (told !== null) return spawn(facts, told, 'people said so');
  const trouble = facts.last === null ? undefined : afterTrouble(facts, facts.last);
  if (trouble !== undefined) return trouble;
  if (facts.tdd !== null) return tddMove(facts, facts.tdd);
  if (facts.last === null) return spawn(facts, read.recommended ?? facts.start, 'the run begins');
  return afterSession(facts, facts.last);
}

/** The move after a session that did not come to its end, or comes to the same end again and again. */
function afterTrouble(facts: DecisionFacts, last: LastSession): Move | undefined {
  const { counts } = facts;
  const closed: Closed = { role: last.role, step: last.step, outcome: last.said ?? last.outcome };
  if (isCircle(counts, closed))
    return ask(`${last.role} ended "${closed.outcome}" again and again. How is it to go on?`, last.role);
  switch (last.outcome) {
    case 'failed':
    case 'refused': {
      const fallback = facts.fallbacks[last.role];
      if (fallback !== undefined) return spawn(facts, fallback, `${last.role} has failed`);
      return ask(`${last.role} has failed${lastWords(facts)}. Who is to do its work?`, last.role);
    }
    case 'budgetExceeded':
      return ask(`${last.role} has used up its budget${lastWords(facts)}. Is the work to be divided?`, last.role);
    case 'scopeEscalated':
      return ask(`${last.role} needs changes outside its scope. May it make them?`, last.role, 'scope');
    default:
      return undefined;
  }
}

function afterSession(facts: DecisionFacts, last: LastSession): Move {
  const { read } = facts;
  if (read.recommended !== null) return spawn(facts, read.recommended, `recommended by ${last.role}`);
  if (last.role === 'Archivist') return ask('The Archivist closed and the work plan is not archived.', 'Archivist');
  // The phase loop goes on: the next step's own role, or the role that does the work.
  const step = nextStep(read.steps);
  if (step !== undefined) return spawn(facts, step.assignee ?? facts.start, `step ${step.index} is next`);
  return ask(`${last.role} recommends nobody, and no step is left.`, last.role);
}

function tddMove(facts: DecisionFacts, tdd: TddCycle): Move {
  const { phase, cycle, iterations } = tdd;
  if (phase === 'complete') return finish('completed', 'all cycles are complete');
  if (iterations >= PHASE_TRIES_MAX)
    return ask(`cycle ${cycle} does not leave ${phase.toUpperCase()}.${lastWords(facts, true)}`, TDD_ROLES[phase]);
  const problem = phaseProblem(tdd);
  const stays = problem === undefined ? '' : ` still: ${problem}`;
  return spawn(facts, TDD_ROLES[phase], `cycle ${cycle} is ${phase.toUpperCase()}${stays}`);
}

function spawn(facts: DecisionFacts, role: Role, because: string): Move {
  const { agents, read } = facts;
  if (!agents.includes(role))
    return ask(`${role} is next, and no agent is given for it.${lastWords(facts, true)}`, role);
  const step = read.steps.find(({ status }) => status === 'active') ?? nextStep(read.steps);
  return { kind: 'spawn', role, step: step?.id ?? null, because };
}

/** The reason of the last session's hand-off, or else why it ended, behind a clause or as a sentence. */
function lastWords({ read: { lastHandoff }, last }: DecisionFacts, isSentence = false): string {
  const words = (lastHandoff?.session === last?.session ? lastHandoff?.reason : last?.summary) ?? '';
  const shown = clipped(words, SHOWN_CHARS).replace(/\.$/, '');
  return words === '' ? '' : isSentence ? ` ${last?.role}: ${shown}.` : `: ${shown}`;
}

function ask(question: string, about: Role | null, problem?: SpawnProblem): Move {
  return { kind: 'ask', question, about, ...(problem !== undefined && { problem }) };
}

function finish(outcome: 'completed' | 'failed', because: string): Move {
  return { kind: 'finish', outcome, because };
}
