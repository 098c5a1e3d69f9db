/**
 * Sessions of hub and spokes at the doors of a gateway: the tools of seed 004 as procedures for the holders of session
 * tokens, and the procedure that issues these tokens. A token names one open session; its role, its work plan and what
 * it may call follow from that alone (docs/hub.md).
 */
import { z } from 'zod';
import { procedure, type Procedures } from './actors/api/procedure.ts';
import { BosunError } from './errors.ts';
import { issueGrant } from './gateway/callers/grants.ts';
import { sessionOf, type SessionClaims } from './crew-hub-caller.ts';
import { memoryAgent, memoryContext, memoryPlan, memorySteps } from './crew-hub-memory.ts';
import { planId } from './machines/hub/plan-changes.ts';
import { preparationRequest } from './machines/hub/preparation.ts';
import { type Role, roleSchema } from './machines/hub/roles.ts';
import { listsSpawn } from './machines/hub/session-orders.ts';
import { type OpenSession } from './machines/hub/work-plan.ts';
import { DESKS } from './machines/desks.ts';

/** Milliseconds for which a token is valid at most: a run of weeks needs no new one, and a lost one ends some day. */
const TOKEN_MS = 30 * 24 * 60 * 60_000;

/** The longest wait of one call for a session: a tool answers within 50 seconds. */
const WAIT_MS = 40_000;

const OF_ALL = ['session.agent', 'session.plan', 'session.steps', 'session.context', 'hub.lineage'] as const;
const OF_SPAWNERS = ['session.spawn', 'session.prepare'] as const;

/** The procedures that sessions of a role may call. */
export function sessionMethods(role: Role): readonly string[] {
  return listsSpawn(role) ? [...OF_ALL, ...OF_SPAWNERS] : OF_ALL;
}

/**
 * Issues the token of a session, for a gateway whose `grantKey` is the key. Once the session has closed it is of no
 * use.
 */
export function sessionToken(key: Uint8Array, { session, run, plan, role }: Omit<SessionClaims, 'actor'>) {
  const actor = session === run ? `${DESKS.openHubs}/${run}` : `${DESKS.spokes}/${session}`;
  return issueGrant({
    ...{ key, id: session, methods: sessionMethods(role), claims: { session, run, plan, role, actor } },
    ...{ addresses: [actor, `${DESKS.workPlans}/${plan}`], expiresInMs: TOKEN_MS },
  });
}

const refusal = z.object({
  taken: z.literal(false),
  problems: z.array(z.string()),
  because: z.string().optional(),
});

/** Passes a reply on, and turns a refusal into its error. Throws BOSUN_SPAWN_REFUSED. */
function spawned<Reply>(reply: unknown): Reply {
  const { data } = refusal.safeParse(reply);
  if (data === undefined) return reply as Reply;
  const { problems, because } = data;
  throw new BosunError('BOSUN_SPAWN_REFUSED', problems.join('; '), { details: { because, problems } });
}

interface Spawned {
  readonly session: string;
  readonly status: string;
  readonly isOutside?: boolean;
}

const handoff = z.looseObject({ recommended: roleSchema.nullable(), reason: z.string() });
const PROMPT = 'Analyze the authentication module for security vulnerabilities';

/** The procedures that issue no token. */
const held = {
  'session.prepare': procedure({
    means: 'Prepares the prompt of a sub-agent, with the work plan, its scope and its limits. It executes nothing.',
    isGranted: true,
    params: preparationRequest.extend({ pivot_reason: z.string().max(2_000).nullable().default(null) }),
    result: z.looseObject({
      mode: z.literal('context-prep-only'),
      prep_config: z.looseObject({ session_id: z.string(), enriched_prompt: z.string() }),
      codes: z.array(z.string()),
    }),
    mcp: { tool: 'memory_spawn_agent', profiles: ['hub'] },
    example: {
      p: { agent_name: 'Cognition', workspace_id: '/shop', plan_id: 'WP-1', prompt: PROMPT },
      r: {
        ...{ mode: 'context-prep-only', codes: ['SPAWN_PREP_ONLY'] },
        prep_config: { session_id: 'R-1-1', enriched_prompt: 'You are the Cognition of this work plan.' },
      },
    },
    ask: ({ pivot_reason: pivotReason, ...request }, caller) => ({
      address: sessionOf(caller).actor,
      event: { type: 'session.prepare', request, pivotReason },
      answer: (reply) => spawned(reply),
    }),
  }),
  'session.agent': memoryAgent,
  'session.plan': memoryPlan,
  'session.steps': memorySteps,
  'session.context': memoryContext,
} satisfies Procedures;

function spawnBy(key: Uint8Array) {
  return procedure({
    means:
      'Spawns a sub-agent one level below and waits until it has closed; control comes back. While it is open after ' +
      '40 s, the answer says so: call again with its session_id. For hubs; others hand off and recommend. ' +
      'A session whose work is done elsewhere comes back at once, with its session_token.',
    isGranted: true,
    params: z.object({
      agentName: roleSchema,
      prompt: z.string().max(200_000).default('').describe('The task, or `enriched_prompt` of memory_spawn_agent.'),
      description: z.string().max(200).default('').describe('A few words for people.'),
      session_id: z.string().max(200).optional().describe('Of a prepared session, or of one to wait for again.'),
      wait: z.boolean().default(true).describe('false: the answer comes at once, for sub-agents side by side.'),
      pivot_reason: z.string().max(2_000).optional().describe('Why the work plan changes; a Revisionist has to say.'),
    }),
    result: z.looseObject({
      session: z.string(),
      status: z.string(),
      handoff: handoff.nullable().optional(),
      session_token: z.string().optional(),
    }),
    mcp: { tool: 'runSubagent', profiles: ['hub'] },
    example: {
      p: { agentName: 'Cognition', prompt: PROMPT, description: 'Analyze authentication module' },
      r: { session: 'R-1-1', status: 'open' },
    },
    ask: ({ agentName: role, prompt: task, wait: waits, ...more }, caller) => {
      const { session_id: prepared = null, pivot_reason: pivotReason = null } = more;
      return {
        address: sessionOf(caller).actor,
        event: { type: 'session.spawn', role, task, prepared, pivotReason, key: null, waits, waitMs: WAIT_MS },
        answer: async (reply) => {
          const { isOutside, ...said } = spawned<Spawned>(reply);
          if (isOutside !== true) return said;
          const { run, plan } = sessionOf(caller);
          return { ...said, session_token: await sessionToken(key, { session: said.session, run, plan, role }) };
        },
      };
    },
  });
}

function tokenBy(key: Uint8Array) {
  return procedure({
    means: 'Issues the token of an open session: its holder speaks in the name of that session, and of no other.',
    scope: 'actor:admin',
    params: z.object({ plan: planId, session: z.string().min(1).max(200) }),
    result: z.object({ token: z.string(), role: roleSchema, tools: z.array(z.string()) }),
    example: {
      p: { plan: 'WP-1', session: 'R-1' },
      r: { token: 'eyJhbGciOiJIUzI1NiJ9', role: 'Coordinator', tools: ['memory_agent'] },
    },
    ask: ({ plan, session }) => ({
      address: `${DESKS.workPlans}/${plan}`,
      event: { type: 'plan.session', session },
      answer: async (reply) => {
        const { session: row } = reply as { readonly session: OpenSession | null };
        if (row === null) throw new BosunError('BOSUN_CALL_INVALID', `p.session: ${session} is no open session`);
        const { role, run } = row;
        return { token: await sessionToken(key, { session, run, plan, role }), role, tools: toolsOf(role) };
      },
    }),
  });
}

/**
 * Makes the procedures of sessions, for a gateway with the same key:
 * `createGateway(system, { grantKey: key, procedures: { ...hubProcedures, ...sessionProcedures(key) } })`.
 *
 * @param key 32 bytes or more, which only this host knows.
 */
export function sessionProcedures(key: Uint8Array) {
  return { ...held, 'session.spawn': spawnBy(key), 'hub.token': tokenBy(key) } satisfies Procedures;
}

/** The tools that a session of a role lists. */
export function toolsOf(role: Role): string[] {
  const methods = sessionMethods(role);
  const own = Object.entries(held as Procedures).filter(([name]) => methods.includes(name));
  const tools = own.flatMap(([, { mcp }]) => (mcp?.tool === undefined ? [] : [mcp.tool]));
  return listsSpawn(role) ? ['runSubagent', ...tools] : tools;
}
