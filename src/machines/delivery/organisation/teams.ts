/**
 * The nine teams of the delivery organisation and its auxiliary roles (MX-003 to MX-015), as data: responsibilities,
 * ways of escalation, and the actor that speaks for each. A team without an actor would change nothing observable yet
 * (decision 0074). Pure.
 */
import { ANSWERER } from '../../people/system-ids.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';

/** The names of teams and roles in hand-offs. */
export const TEAM_IDS = [
  'boss-ai',
  'orchestrator',
  'planning',
  'answers',
  'verification',
  'researcher',
  'critic',
  'scraper',
  'updater',
  'decomposition',
  'coding-ai',
  'clarity',
] as const;
export type TeamId = (typeof TEAM_IDS)[number];

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
const { delivery, planning, decomposition, verification } = DELIVERY_DESKS;

/** The teams by id. */
export const TEAMS: Readonly<Record<TeamId, Team>> = {
  'boss-ai': {
    ...{ number: 0, title: 'Boss AI Team', type: 'Supervisor', role: 'hierarchical overseer' },
    responsibilities: ['system oversight', 'conflict resolution', 'drift detection', 'task limiting'],
    ...{ escalation: ['user'], actor: delivery, document: null },
  },
  orchestrator: {
    ...{ number: 1, title: 'Programming Orchestrator', type: 'Coordinator', role: 'coding director' },
    responsibilities: ['routes tasks to coding agents', 'monitors progress', 'escalates to the Answer Team'],
    ...{ escalation: ['boss-ai', 'user'], actor: orchestrator, document: 'Agent 1' },
  },
  planning: {
    ...{ number: 2, title: 'Planning Team', type: 'Planner', role: 'task decomposition' },
    responsibilities: ['generate plans', 'estimate effort', 'create tasks', 'enforce atomicity'],
    ...{ escalation: ['boss-ai', 'user'], actor: planning, document: 'Agent 2' },
  },
  answers: {
    ...{ number: 3, title: 'Answer Team', type: 'Answerer', role: 'question and answer helper' },
    responsibilities: ['answers questions of coding agents', 'sources research', 'provides context'],
    ...{ escalation: ['researcher'], actor: ANSWERER, document: 'Agent 3' },
  },
  verification: {
    ...{ number: 4, title: 'Verification Team', type: 'Validator', role: 'quality checker' },
    responsibilities: ['runs tests', 'verifies files', 'visual inspection', 'waits 60 seconds first'],
    ...{ escalation: ['boss-ai', 'planning'], actor: verification, document: 'Agent 5' },
  },
  researcher: {
    ...{ number: 5, title: 'Researcher Team', type: 'Problem-solver', role: 'documentation scraper' },
    responsibilities: ['researches ambiguities', 'web search', 'finds solutions'],
    ...{ escalation: ['answers'], actor: null, document: null },
  },
  critic: {
    ...{ number: 6, title: 'Critic Team', type: 'Reviewer', role: 'improvement specialist' },
    responsibilities: ['rates code quality', 'suggests optimisations', 'flags patterns'],
    ...{ escalation: ['updater'], actor: null, document: null },
  },
  scraper: {
    ...{ number: 7, title: 'Scraper Team', type: 'Verifier', role: 'communication checker' },
    responsibilities: ['verifies documentation, comments and alignment with tasks after edits'],
    ...{ escalation: ['boss-ai'], actor: null, document: null },
  },
  updater: {
    ...{ number: 8, title: 'Updater Agent', type: 'Cleanup', role: 'organisation specialist' },
    responsibilities: ['cleans tasks', 'reorganises the queue', 'keeps consistency'],
    ...{ escalation: ['planning'], actor: null, document: null },
  },
  decomposition: {
    ...{ number: null, title: 'Task Decomposition Agent', type: 'Sub-planner', role: 'breaks tasks down' },
    responsibilities: ['analyses requirements', 'identifies boundaries', 'creates and validates subtasks'],
    ...{ escalation: ['planning', 'user'], actor: decomposition, document: 'Agent 4' },
  },
  'coding-ai': {
    ...{ number: null, title: 'Coding AI', type: 'Executor', role: 'code generator' },
    responsibilities: ['executes tasks', 'asks for clarification'],
    // Coding agents are outside: the orchestrator, which hears them, speaks for them.
    ...{ escalation: ['orchestrator'], actor: orchestrator, document: 'Agent 1a' },
  },
  clarity: {
    ...{ number: null, title: 'Clarity Agent', type: 'Classifier', role: 'sub-role of the Answer Team' },
    responsibilities: ['scores replies in tickets for clarity'],
    // Its scores come with the notices of tickets, which the orchestrator hears.
    ...{ escalation: ['orchestrator'], actor: orchestrator, document: 'TICKET-SYSTEM-SPECIFICATION' },
  },
};

/** The questions of the decision matrix (MX-088): who decides what, by which method, and what follows. */
export const DECISIONS = [
  { question: 'longer than 45 minutes?', team: 'planning', method: 'plan context', then: 'decompose, or enqueue' },
  { question: 'is the answer sure?', team: 'answers', method: 'search and score', then: 'return, or escalate' },
  { question: 'is the reply clear?', team: 'clarity', method: 'clarity scoring', then: 'resolve, or follow up' },
  { question: 'are the criteria met?', team: 'verification', method: 'tests and plan', then: 'complete, or fix task' },
  { question: 'what is next?', team: 'orchestrator', method: 'size and dependencies', then: 'assign, wait, or reject' },
] as const satisfies readonly { readonly team: TeamId; readonly [field: string]: string }[];
