/**
 * The nine teams of the delivery organisation and its auxiliary roles (MX-003 to MX-015), as data: responsibilities,
 * ways of escalation, and the actor that speaks for each. Pure.
 */
import { ANSWERER } from '../../people/system-ids.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';

export interface Team {
  /** The number of a core team, 0 to 8; null for an auxiliary role and for the coding agents, who are not managed. */
  readonly number: number | null;
  readonly title: string;
  readonly type: string;
  readonly role: string;
  readonly responsibilities: readonly string[];
  /** Teams or people who are asked when it cannot go on, in order. */
  readonly escalation: readonly string[];
  /** System id of the actor that speaks for it and gets what is handed to it; null if it has none. */
  readonly actor: string | null;
  /** Where the seed describes the role (MX-089). */
  readonly document: string | null;
}

const { orchestrator } = WORK_DESKS;
const { overseer, planning, decomposition, verification, critic, researcher, scraper, updater } = DELIVERY_DESKS;

type Described = Pick<Team, 'responsibilities' | 'escalation'> & Partial<Pick<Team, 'actor' | 'document'>>;

function team(number: number | null, title: string, type: string, role: string, rest: Described): Team {
  return { number, title, type, role, actor: null, document: null, ...rest };
}

/** The teams by id: number, title, type, role; then what they do, whom they ask, who speaks for them. */
export const TEAMS = {
  'boss-ai': team(0, 'Boss AI Team', 'Supervisor', 'hierarchical overseer', {
    responsibilities: ['system oversight', 'conflict resolution', 'drift detection', 'task limiting'],
    ...{ escalation: ['user'], actor: overseer },
  }),
  orchestrator: team(1, 'Programming Orchestrator', 'Coordinator', 'coding director', {
    responsibilities: ['routes tasks to coding agents', 'monitors progress', 'escalates to the Answer Team'],
    ...{ escalation: ['boss-ai', 'user'], actor: orchestrator, document: 'Agent 1' },
  }),
  planning: team(2, 'Planning Team', 'Planner', 'task decomposition', {
    responsibilities: ['generate plans', 'estimate effort', 'create tasks', 'enforce atomicity'],
    ...{ escalation: ['boss-ai', 'user'], actor: planning, document: 'Agent 2' },
  }),
  answers: team(3, 'Answer Team', 'Answerer', 'question and answer helper', {
    responsibilities: ['answers questions of coding agents', 'sources research', 'provides context'],
    ...{ escalation: ['researcher'], actor: ANSWERER, document: 'Agent 3' },
  }),
  verification: team(4, 'Verification Team', 'Validator', 'quality checker', {
    responsibilities: ['runs tests', 'verifies files', 'visual inspection', 'waits 60 seconds first'],
    ...{ escalation: ['boss-ai', 'planning'], actor: verification, document: 'Agent 5' },
  }),
  researcher: team(5, 'Researcher Team', 'Problem-solver', 'documentation scraper', {
    responsibilities: ['researches ambiguities', 'web search', 'finds solutions'],
    ...{ escalation: ['answers'], actor: researcher },
  }),
  critic: team(6, 'Critic Team', 'Reviewer', 'improvement specialist', {
    ...{ responsibilities: ['flags patterns', 'proposes updates'], escalation: ['updater'], actor: critic },
  }),
  scraper: team(7, 'Scraper Team', 'Verifier', 'communication checker', {
    responsibilities: ['verifies documentation and alignment with tasks'],
    ...{ escalation: ['boss-ai'], actor: scraper },
  }),
  updater: team(8, 'Updater Agent', 'Cleanup', 'organisation specialist', {
    responsibilities: ['cleans tasks', 'reorganises the queue', 'keeps consistency'],
    ...{ escalation: ['planning'], actor: updater },
  }),
  decomposition: team(null, 'Task Decomposition Agent', 'Sub-planner', 'breaks tasks down', {
    responsibilities: ['analyses requirements', 'identifies boundaries', 'creates and validates subtasks'],
    ...{ escalation: ['planning', 'user'], actor: decomposition, document: 'Agent 4' },
  }),
  // Coding agents are outside, and the scores of replies come with the notices of tickets: the orchestrator hears both.
  'coding-ai': team(null, 'Coding AI', 'Executor', 'code generator', {
    responsibilities: ['executes tasks', 'asks for clarification'],
    ...{ escalation: ['orchestrator'], actor: orchestrator, document: 'Agent 1a' },
  }),
  clarity: team(null, 'Clarity Agent', 'Classifier', 'sub-role of the Answer Team', {
    responsibilities: ['scores replies in tickets for clarity'],
    ...{ escalation: ['orchestrator'], actor: orchestrator, document: 'TICKET-SYSTEM-SPECIFICATION' },
  }),
} as const;

/** The name of a team or role in hand-offs. */
export type TeamId = keyof typeof TEAMS;
export const TEAM_IDS = Object.keys(TEAMS) as readonly TeamId[];

/** The questions of the decision matrix (MX-088): who decides what, by which method, and what follows. */
export const DECISIONS = [
  { question: 'longer than 45 minutes?', team: 'planning', method: 'plan context', then: 'decompose, or enqueue' },
  { question: 'is the answer sure?', team: 'answers', method: 'search and score', then: 'return, or escalate' },
  { question: 'is the reply clear?', team: 'clarity', method: 'clarity scoring', then: 'resolve, or follow up' },
  { question: 'are the criteria met?', team: 'verification', method: 'tests and plan', then: 'complete, or fix task' },
  { question: 'what is next?', team: 'orchestrator', method: 'size and dependencies', then: 'assign, wait, or reject' },
] as const satisfies readonly { readonly team: TeamId; readonly [field: string]: string }[];
