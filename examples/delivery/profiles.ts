/** The profiles of the crew, by which the agents for each task are chosen. */
import { type AgentProfile, indexFor, recommend } from 'bosun/machines';

export const ROLES = ['coder', 'reviewer', 'tester'] as const;
export type Role = (typeof ROLES)[number];

/** An agent that was chosen for a task, and why. */
export interface Chosen {
  readonly agent: string;
  readonly confidence: number;
  readonly reason: string;
}
export type Team = Readonly<Record<Role, Chosen>>;

type Words = Pick<NonNullable<AgentProfile['selectionMetadata']>, 'primaryIntents' | 'keywords' | 'exampleTasks'>;

function profile(agentId: string, role: Role, description: string, words: Words): AgentProfile {
  const agentCategory = role === 'coder' ? ('implementer' as const) : ('reviewer' as const);
  const selectionMetadata = { ...words, agentCategory };
  return { agentId, role, description, capabilities: [role], team: 'delivery', selectionMetadata, enabled: true };
}

export const PROFILES: readonly AgentProfile[] = [
  profile('nora', 'coder', 'Writes code that calculates: prices, taxes, discounts.', {
    primaryIntents: ['calculate', 'add up', 'round'],
    keywords: ['cents', 'euro', 'VAT', 'costs', 'order', 'voucher', 'total', 'price'],
    exampleTasks: ['Say what an order costs with VAT'],
  }),
  profile('piet', 'coder', 'Writes pages and forms.', {
    primaryIntents: ['show', 'lay out'],
    keywords: ['page', 'form', 'button', 'style', 'screen'],
    exampleTasks: ['Build the page of the basket'],
  }),
  profile('rosa', 'reviewer', 'Reviews calculations: units, rounding, limits.', {
    primaryIntents: ['check sums', 'review calculation'],
    keywords: ['cents', 'VAT', 'rounding', 'total', 'costs', 'order', 'voucher'],
    exampleTasks: ['Review how the VAT on an order is rounded'],
  }),
  profile('omar', 'reviewer', 'Reviews what attackers could do: secrets, input, rights.', {
    primaryIntents: ['review security'],
    keywords: ['password', 'token', 'injection', 'rights', 'login'],
    exampleTasks: ['Review how the login checks passwords'],
  }),
  profile('timo', 'tester', 'Tests modules by their functions.', {
    primaryIntents: ['test a module'],
    keywords: ['src', 'module', 'function', 'cents', 'order'],
    exampleTasks: ['Test what src/order.js says'],
  }),
  profile('bine', 'tester', 'Tests pages in a browser.', {
    primaryIntents: ['test a page'],
    keywords: ['page', 'click', 'browser', 'screen'],
    exampleTasks: ['Click through the page of the basket'],
  }),
];

const INDEX = indexFor(PROFILES);

/** Chooses who does a task, in each role the agent that fits it best. */
export function teamFor(task: string): Team {
  const chosen = ROLES.map((role) => {
    const { recommended, confidence, reason } = recommend(INDEX, { task, requiredCapabilities: [role] });
    return [role, { agent: recommended, confidence, reason }];
  });
  return Object.fromEntries(chosen) as Team;
}
