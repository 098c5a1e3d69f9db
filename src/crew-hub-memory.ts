/**
 * The tools `memory_agent`, `memory_plan`, `memory_steps` and `memory_context` of seed 004: orders of a session to its
 * own actor and to its work plan, in the words of their wire. No parameter decides who speaks: a role or a plan that is
 * not the token's is refused.
 */
import { z } from 'zod';
import { procedure, type ProcedureCaller } from './actors/api/procedure.ts';
import { sessionOf, type SessionClaims } from './crew-hub-caller.ts';
import { BosunError } from './errors.ts';
import { outcomesOf } from './machines/hub/handoff-rules.ts';
import { buildResult, handoffData } from './machines/hub/handoff.ts';
import { planDocument, sessionChanges, type SessionOrder } from './machines/hub/plan-changes.ts';
import { isHub, type Role, roleSchema } from './machines/hub/roles.ts';
import { type Standing } from './machines/hub/standing.ts';
import { type OpenSession } from './machines/hub/work-plan.ts';
import { DESKS } from './machines/desks.ts';

const PLACE = {
  workspace_id: z.string().max(4_096).optional(),
  plan_id: z.string().max(200).optional().describe('The work plan of the session.'),
};
const EXAMPLE = { workspace_id: '/shop', plan_id: 'WP-1' };
const answer = z.looseObject({});

/** The work plan as `plan.get` replies. */
interface PlanShown {
  readonly recommended: Role | null;
  readonly currentAgent: Role | null;
  readonly steps: readonly { readonly status: string; readonly task: string; readonly assignee: Role | null }[];
  readonly sessions: readonly OpenSession[];
  readonly documents: readonly { readonly name: string }[];
  readonly lastHandoff: unknown;
}

/** Refuses a call without a parameter that its action needs. Throws BOSUN_CALL_INVALID. */
function needs<Params extends { readonly action: string }, Key extends keyof Params & string>(
  params: Params,
  ...keys: readonly Key[]
): Params & { readonly [Needed in Key]-?: NonNullable<Params[Needed]> } {
  const missing = keys.find((key) => params[key] === undefined);
  if (missing === undefined) return params as ReturnType<typeof needs<Params, Key>>;
  throw new BosunError('BOSUN_CALL_INVALID', `p.${missing}: the action ${params.action} needs it`);
}

/** The session of a caller, checked against what a call says about it. Throws BOSUN_FORBIDDEN. */
function speaker(
  caller: ProcedureCaller,
  { plan_id, role }: { readonly plan_id?: string | undefined; readonly role?: Role | undefined },
): SessionClaims {
  const claims = sessionOf(caller);
  if (plan_id !== undefined && plan_id !== claims.plan)
    throw new BosunError('BOSUN_FORBIDDEN', `plan_id: this session works on ${claims.plan}`);
  if (role !== undefined && role !== claims.role)
    throw new BosunError('BOSUN_FORBIDDEN', `this session is that of ${claims.role}, and speaks for nobody else`);
  return claims;
}

/** Passes a reply on. Throws BOSUN_ORDER_REFUSED for one that says why an order was refused. */
function taken(reply: unknown): Record<string, unknown> {
  const { taken: isTaken, problems = [] } = reply as { readonly taken?: boolean; readonly problems?: string[] };
  if (isTaken === false) throw new BosunError('BOSUN_ORDER_REFUSED', problems.join('; '), { details: { problems } });
  return reply as Record<string, unknown>;
}

function planOf({ plan }: SessionClaims): string {
  return `${DESKS.workPlans}/${plan}`;
}

/**
 * Asks the work plan how it stands.
 *
 * @param isAlways Whether a session that has closed may ask.
 */
function asksPlan<Answer>(claims: SessionClaims, read: (plan: PlanShown) => Answer, isAlways = false) {
  return {
    address: planOf(claims),
    event: { type: 'plan.get', ...(isAlways ? {} : { session: claims.session }) },
    answer: (reply: unknown) => read(taken(reply) as unknown as PlanShown),
  };
}

/** Orders a change of the work plan in the name of the session. */
function changes({ actor }: SessionClaims, order: SessionOrder) {
  return { address: actor, event: { type: 'session.change', order }, answer: taken };
}

const AGENT_ACTIONS = ['init', 'get_instructions', 'get_briefing', 'validate', 'list', 'handoff', 'complete'] as const;

const agentParams = z.object({
  action: z.enum(AGENT_ACTIONS),
  ...PLACE,
  from_agent: roleSchema.optional().describe('handoff: the role of the session.'),
  to_agent: roleSchema.optional().describe('handoff: the hub that spawned it, or whom it recommends.'),
  reason: z.string().max(2_000).optional(),
  recommended: roleSchema.optional().describe('handoff: who is next.'),
  outcome: z.string().max(100).optional().describe('handoff: an outcome of the table of its role.'),
  build: buildResult.optional().describe('handoff: the command that verified the work.'),
  tests_pass: z.boolean().optional(),
  data: handoffData.partial().optional(),
  agent_type: roleSchema.optional().describe('complete: the role of the session.'),
  summary: z.string().max(2_000).optional(),
  artifacts: z.array(z.string().max(2_000)).max(100).optional(),
});

export const memoryAgent = procedure({
  means:
    'The life of a session. `init` and `get_instructions`: its role, limits and prompt. `validate`: whether it is ' +
    'its turn. `handoff`: records its result and recommends who is next; control goes back to the hub. ' +
    '`complete`: ends it.',
  isGranted: true,
  params: agentParams,
  result: answer,
  mcp: { tool: 'memory_agent', profiles: ['hub'] },
  example: {
    p: {
      ...{ action: 'handoff', ...EXAMPLE, from_agent: 'Executor', to_agent: 'Coordinator', reason: 'it is written' },
      recommended: 'Reviewer',
    },
    r: { taken: true, problems: [], seq: 1, recommended: 'Reviewer' },
  },
  ask: (params, caller) => {
    const { action } = params;
    switch (action) {
      case 'handoff':
        return handsOff(params, caller);
      case 'complete': {
        const { summary, artifacts = [], plan_id, agent_type: role, workspace_id: workspace } = completion(params);
        const { actor } = speaker(caller, { plan_id, role });
        return { address: actor, event: { type: 'session.complete', summary, artifacts, workspace }, answer: taken };
      }
      case 'init':
      case 'get_instructions': {
        const { actor } = speaker(caller, params);
        return {
          address: actor,
          event: { type: 'session.get' },
          answer: (reply) => introduced(action, reply as Standing),
        };
      }
      default: {
        const claims = speaker(caller, params);
        return asksPlan(claims, (plan) => told(action, claims, plan), action === 'validate');
      }
    }
  },
});

type AgentParams = z.output<typeof agentParams>;

function completion(params: AgentParams) {
  return needs(params, 'workspace_id', 'plan_id', 'agent_type', 'summary');
}

function handsOff(params: AgentParams, caller: ProcedureCaller) {
  const given = needs(params, 'workspace_id', 'plan_id', 'from_agent', 'to_agent', 'reason');
  const { plan_id, from_agent: role, to_agent: to, reason, data = {}, outcome = null, build = null } = given;
  const { actor } = speaker(caller, { plan_id, role });
  // Who is handed to and is no hub is whom the session recommends; control goes back to its hub all the same.
  const recommended = params.recommended ?? data.recommendation ?? (isHub(to) ? null : to);
  const said = {
    ...{ ...(isHub(to) && { to }), recommended, reason, outcome, build, testsPass: params.tests_pass ?? null },
    data: handoffData.parse({ ...data, recommendation: recommended }),
  };
  return { address: actor, event: { type: 'session.handoff', said, workspace: given.workspace_id }, answer: taken };
}

function introduced(action: 'init' | 'get_instructions', standing: Standing): Record<string, unknown> {
  const { prompt, task, session, role, ...facts } = standing;
  if (action === 'get_instructions') return { session, role, prompt, task };
  return { session, role, outcomes: outcomesOf(role), ...facts };
}

/** Answers about the turn of a session, open sessions, and the last hand-off. */
function told(action: string, { session, role }: SessionClaims, plan: PlanShown): Record<string, unknown> {
  const { currentAgent, recommended, sessions, steps, lastHandoff } = plan;
  if (action === 'list') return { sessions };
  const todo = steps.filter(({ status, assignee }) => status !== 'done' && (assignee ?? role) === role);
  if (action === 'get_briefing') return { recommended, currentAgent, lastHandoff, todo };
  const isOpen = sessions.some((one) => one.session === session);
  if (isOpen) return { action: 'continue', todo };
  const other = currentAgent ?? recommended;
  return { action: 'switch', switch_to: other, reason: `${session} is closed`, todo };
}

export const memoryPlan = procedure({
  means: 'The work plan of the session: read it with whom the last hand-off recommends, change it, or archive it.',
  isGranted: true,
  params: z.object({
    action: z.enum(['get', 'archive', 'add_note', 'set_goals', 'update']),
    ...PLACE,
    ...sessionChanges['facts.set'].shape,
    note: z.string().min(1).max(2_000).optional(),
    goals: z.array(z.string().max(2_000)).max(1_000).optional(),
    success_criteria: z.array(z.string().max(2_000)).max(1_000).optional(),
  }),
  result: answer,
  mcp: { tool: 'memory_plan', profiles: ['hub'] },
  example: {
    p: { action: 'get', ...EXAMPLE },
    r: { id: 'WP-1', title: 'Mend the parser', status: 'active', recommended_next_agent: 'Reviewer' },
  },
  ask: (params, caller) => {
    const claims = speaker(caller, params);
    switch (params.action) {
      case 'get':
        return asksPlan(claims, ({ recommended, currentAgent, ...plan }) => ({
          ...{ ...plan, recommended_next_agent: recommended, current_agent: currentAgent },
        }));
      case 'archive':
        return changes(claims, { type: 'plan.archive' });
      case 'add_note':
        return changes(claims, { type: 'note.add', text: needs(params, 'note').note });
      case 'set_goals': {
        const { goals, success_criteria = [] } = needs(params, 'goals');
        return changes(claims, { type: 'goals.set', goals, success_criteria });
      }
      case 'update': {
        const { title, description, category, priority } = params;
        return changes(claims, { type: 'facts.set', ...defined({ title, description, category, priority }) });
      }
    }
  },
});

/** Leaves out the fields that are undefined: they stay as they are. */
function defined<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

const { steps: addedSteps } = sessionChanges['step.add'].shape;
const { changes: stepChanges } = sessionChanges['step.batchUpdate'].shape;

const stepParams = z.object({
  action: z.enum(['get', 'add', 'update', 'batch_update', 'insert', 'delete', 'reorder', 'move']),
  ...PLACE,
  steps: addedSteps.optional().describe('add'),
  step: addedSteps.element.optional().describe('insert'),
  id: z.string().max(200).optional().describe('update, delete, move: `S1`'),
  index: z.int().positive().optional().describe('insert, move: the place, from 1'),
  set: stepChanges.element.shape.set.optional().describe('update: the fields that change'),
  note: z.string().min(1).max(2_000).optional().describe('update'),
  changes: stepChanges.optional().describe('batch_update'),
  ids: z.array(z.string().max(200)).max(1_000).optional().describe('reorder: every step once'),
});

export const memorySteps = procedure({
  means: 'The steps of the work plan of the session: read them, or add, change, remove and move them.',
  isGranted: true,
  params: stepParams,
  result: answer,
  mcp: { tool: 'memory_steps', profiles: ['hub'] },
  example: {
    p: { action: 'update', ...EXAMPLE, id: 'S1', set: { status: 'done' } },
    r: { taken: true, problems: [] },
  },
  ask: (params, caller) => {
    const claims = speaker(caller, params);
    if (params.action === 'get') return asksPlan(claims, ({ steps }) => ({ steps }));
    return changes(claims, stepOrder(params));
  },
});

function stepOrder(params: z.output<typeof stepParams>): SessionOrder {
  switch (params.action) {
    case 'add':
      return { type: 'step.add', steps: needs(params, 'steps').steps };
    case 'insert': {
      const { index, step } = needs(params, 'index', 'step');
      return { type: 'step.insert', index, step };
    }
    case 'batch_update':
      return { type: 'step.batchUpdate', changes: needs(params, 'changes').changes };
    case 'delete':
      return { type: 'step.delete', id: needs(params, 'id').id };
    case 'reorder':
      return { type: 'step.reorder', ids: needs(params, 'ids').ids };
    case 'move': {
      const { id, index } = needs(params, 'id', 'index');
      return { type: 'step.move', id, index };
    }
    default: {
      const { id, set = {}, note = null } = needs(params, 'id');
      return { type: 'step.update', id, set, note };
    }
  }
}

export const memoryContext = procedure({
  means: 'Documents that the sessions of a work plan share: list them, read one, or store one.',
  isGranted: true,
  params: z.object({
    action: z.enum(['list', 'get', 'store']),
    ...PLACE,
    name: planDocument.shape.name.optional(),
    text: planDocument.shape.text.optional().describe('store'),
  }),
  result: answer,
  mcp: { tool: 'memory_context', profiles: ['hub'] },
  example: { p: { action: 'list', ...EXAMPLE }, r: { documents: [] } },
  ask: (params, caller) => {
    const claims = speaker(caller, params);
    switch (params.action) {
      case 'list':
        return asksPlan(claims, ({ documents }) => ({ documents }));
      case 'get':
        return {
          ...{ address: planOf(claims), event: { type: 'plan.document', name: needs(params, 'name').name } },
          answer: (reply) => reply as Record<string, unknown>,
        };
      case 'store': {
        const { name, text } = needs(params, 'name', 'text');
        return changes(claims, { type: 'document.store', name, text });
      }
    }
  },
});
