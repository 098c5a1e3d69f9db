/**
 * The registry of agent profiles for hosts: its agent and its place in a tree, and the procedures that answer from its
 * durable rows. They take no turn, so they answer while the registry is suspended, and write nothing.
 */
import { z } from 'zod';
import { type DurableReader, procedure, type Procedures } from './actors/api/procedure.ts';
import { type AnyAgent } from './actors/model/agent.ts';
import { type Clock, systemClock } from './clock.ts';
import { BosunError } from './errors.ts';
import { agentRegistry, AGENTS, registryChild } from './machines/agents/agent-registry.ts';
import { agentShownSchema, Catalogue, oneAgent } from './crew-catalogue.ts';
import { guardReportSchema } from './machines/agents/guard.ts';
import {
  type AgentProfile,
  agentProfileSchema,
  capabilitiesRequestSchema,
  capabilitiesResultSchema,
  recommendRequestSchema,
  recommendResultSchema,
} from './machines/agents/profile.ts';
import { agentCardSchema, cardOf, catalogSchema } from './machines/agents/profile-export.ts';
import { indexBuilder, type ProfileIndex } from './machines/agents/retrieval.ts';
import {
  agentRowSchema,
  type RosterRow,
  rosterOf,
  type RosterSource,
  SHIPPED_ROSTER,
} from './machines/agents/roster.ts';
import { INDEX_SLICE_PROFILES } from './machines/limits.ts';
import { type BossOptions } from './supervisor/child-spec.ts';

/**
 * The seed's annotations of both tools (AC-023, AC-025): a repeated question gets the same answer and changes nothing.
 */
const READS_ONLY = { readOnlyHint: true, idempotentHint: true } as const;

/** How often a registry is read again because it changed during the read. */
const READS_MAX = 5;

/** Options of `registryOf`. */
export interface RegistryOptions {
  /** Sources of profiles. A later one replaces agents of earlier ones. Default: the 22 agents of the package. */
  readonly roster?: readonly RosterSource[];
}

/**
 * Returns what a system needs for a registry of agent profiles: `createSystem({ ...registryOf(), store })` and
 * `createGateway(system, { procedures: agentProcedures() })`. The registry is at the address `agents`. Its roster is
 * that of its first start: later changes are events.
 *
 * Throws BOSUN_PROFILE_INVALID for a roster with an agent twice in one source, or with too many.
 */
export function registryOf({ roster = [SHIPPED_ROSTER] }: RegistryOptions = {}): {
  readonly agents: readonly AnyAgent[];
  readonly tree: BossOptions;
} {
  return { agents: [agentRegistry], tree: { children: [registryChild(rosterOf(roster))] } as BossOptions };
}

/** The options of `agentProcedures`. */
export interface AgentProcedureOptions {
  /** The address of the registry. Default: `agents`. */
  readonly address?: string;
  /** The clock of the host, used to build the index in slices. */
  readonly clock?: Clock;
  /** The base URL of the gateway in catalogs. Default: none, so that addresses begin with a slash. */
  readonly url?: string;
}

const answer = z.object({ taken: z.boolean(), problems: z.array(z.string()) });

/** The procedures of a registry, for `createGateway`. */
export function agentProcedures(options: AgentProcedureOptions = {}): Procedures {
  const { address = AGENTS, clock = systemClock, url = '' } = options;
  const registry = new RegistryReader(address, clock);
  return {
    'agents.recommend': procedure({
      means: 'Recommends the agent that fits a task best, with alternatives. The same question has the same answer.',
      params: recommendRequestSchema,
      result: recommendResultSchema,
      http: { verb: 'POST', path: '/v1/agents/recommend' },
      mcp: { tool: 'agent_recommend', profiles: ['coder', 'hub'], annotations: READS_ONLY },
      example: {
        p: { task: 'Review this pull request' },
        r: {
          recommended: 'reviewer',
          confidence: 1,
          reason: 'shares the words review, pull, request; is its example "Review this pull request"',
          alternatives: [],
        },
      },
      read: async (params, reader) => (await registry.catalogue(reader)).recommend(params),
    }),
    'agents.capabilities': procedure({
      means: 'Lists the capabilities of all agents, and which agent has which. Reads only.',
      params: capabilitiesRequestSchema,
      result: capabilitiesResultSchema,
      http: { verb: 'POST', path: '/v1/agents/capabilities' },
      mcp: { tool: 'agent_capabilities', profiles: ['coder', 'hub'], annotations: READS_ONLY },
      example: {
        p: { category: 'review' },
        r: {
          capabilities: ['code-review'],
          agentsByCapability: { 'code-review': ['reviewer'] },
          capabilitiesByAgent: { reviewer: ['code-review'] },
        },
      },
      read: async (params, reader) => (await registry.catalogue(reader)).capabilities(params),
    }),
    ...lookUps(registry),
    ...publications(registry, url),
    ...changes(address),
  };
}

const SHOWN = new Catalogue(rosterOf([SHIPPED_ROSTER]));
const REVIEWER = { agentId: 'reviewer' };
const VERDICT = { policyId: 'agent-selection-quality', gateId: 'selection-metadata-complete' } as const;

/** Procedures that return registered profiles. */
function lookUps(registry: RegistryReader): Procedures {
  return {
    'agents.list': procedure({
      means: 'Lists the agents of the registry, with the source of each, and what runs it.',
      params: z.object({}),
      result: z.object({ agents: z.array(agentRowSchema) }),
      http: { verb: 'GET', path: '/v1/profiles' },
      example: { p: {}, r: { agents: SHOWN.list().agents.slice(0, 1) } },
      read: async (_, reader) => (await registry.catalogue(reader)).list(),
    }),
    'agents.show': procedure({
      means: 'Shows the profile of an agent.',
      params: oneAgent,
      result: agentShownSchema,
      http: { verb: 'GET', path: '/v1/profiles/{agentId}' },
      example: {
        p: REVIEWER,
        r: { profile: { ...REVIEWER, description: 'Reads code.' }, source: 'package', runs: 'profile only' },
      },
      read: async (params, reader) => (await registry.catalogue(reader)).show(params),
    }),
    'agents.guard': procedure({
      means: 'Examines whether the profiles say enough to be chosen by.',
      params: z.object({}),
      result: guardReportSchema,
      http: { verb: 'GET', path: '/v1/profiles-guard' },
      example: { p: {}, r: { ...VERDICT, status: 'PASS', agents: [] } },
      read: async (_, reader) => (await registry.catalogue(reader)).guard(),
    }),
  };
}

/** Procedures that return agents in the formats of other systems, some at the addresses where those look for them. */
function publications(registry: RegistryReader, base: string): Procedures {
  const card = cardOf({ ...REVIEWER, description: 'Reads code.', enabled: true });
  return {
    'agents.card': procedure({
      means: 'The profile of an agent as an agent card of A2A.',
      params: oneAgent,
      result: agentCardSchema,
      http: { verb: 'GET', path: '/v1/profiles/{agentId}/card' },
      example: { p: REVIEWER, r: card },
      read: async (params, reader) => (await registry.catalogue(reader)).card(params),
    }),
    'agents.systemCard': procedure({
      means: 'One agent card of A2A whose skills are all enabled agents.',
      params: z.object({}),
      result: agentCardSchema,
      http: { verb: 'GET', path: '/.well-known/agent-card.json' },
      example: { p: {}, r: card },
      read: async (_, reader) => (await registry.catalogue(reader)).systemCard(),
    }),
    'agents.catalog': procedure({
      means: 'A catalog of all enabled agents with the addresses of their cards.',
      params: z.object({}),
      result: catalogSchema,
      http: { verb: 'GET', path: '/.well-known/ai-catalog.json' },
      example: { p: {}, r: { specVersion: '1.0', entries: [] } },
      read: async (_, reader) => (await registry.catalogue(reader)).catalog({ base }),
    }),
  };
}

/** Procedures that change the registry, by its events. */
function changes(address: string): Procedures {
  const change = (means: string, type: string, path: string) =>
    procedure({
      means,
      scope: 'actor:admin',
      params: oneAgent,
      result: answer,
      http: { verb: 'POST', path },
      example: { p: REVIEWER, r: { taken: true, problems: [] } },
      ask: ({ agentId }) => ({ address, event: { type, agentId } }),
    });
  return {
    'agents.put': procedure({
      means: 'Registers an agent, or replaces its profile.',
      scope: 'actor:admin',
      params: z.object({
        profile: agentProfileSchema,
        source: z.string().max(200).optional(),
        replace: z.boolean().optional(),
      }),
      result: answer,
      http: { verb: 'POST', path: '/v1/profiles' },
      example: {
        p: { profile: { agentId: 'api-tester', description: 'Tests interfaces.' } },
        r: { taken: true, problems: [] },
      },
      ask: (params) => ({ address, event: { type: 'agent.put', ...params } }),
    }),
    'agents.remove': change('Removes an agent from the registry.', 'agent.remove', '/v1/profiles/{agentId}/remove'),
    'agents.enable': change('Lets an agent be recommended again.', 'agent.enable', '/v1/profiles/{agentId}/enable'),
    'agents.disable': change(
      'Keeps an agent from being recommended.',
      'agent.disable',
      '/v1/profiles/{agentId}/disable',
    ),
  };
}

/**
 * Reads the rows of a registry. The catalogue of them is kept while the registry's digest is unchanged; the digest is
 * read with the rights of each caller.
 */
class RegistryReader {
  readonly #address: string;
  readonly #clock: Clock;
  #known: { readonly digest: string; readonly catalogue: Catalogue } | undefined;

  constructor(address: string, clock: Clock) {
    this.#address = address;
    this.#clock = clock;
  }

  async catalogue(reader: DurableReader): Promise<Catalogue> {
    for (let reads = 0; reads < READS_MAX; reads++) {
      const digest = await this.#digest(reader);
      if (this.#known?.digest === digest) return this.#known.catalogue;
      const catalogue = new Catalogue(await this.#rows(reader), (profiles) => indexInSlices(profiles, this.#clock));
      if ((await this.#digest(reader)) !== digest) continue;
      this.#known = { digest, catalogue };
      return catalogue;
    }
    throw new BosunError('BOSUN_TIMEOUT', 'the registry of agents changes faster than it can be read: ask again');
  }

  async #digest(reader: DurableReader): Promise<string> {
    const { agent, context } = await reader.actor(this.#address);
    if (agent === agentRegistry.name) return (context as { readonly digest: string }).digest;
    throw new BosunError('BOSUN_CALL_INVALID', `the actor ${this.#address} is not a registry of agents`);
  }

  async #rows(reader: DurableReader): Promise<RosterRow[]> {
    const rows: RosterRow[] = [];
    for (let from: string | null = ''; from !== null; ) {
      const page: Awaited<ReturnType<DurableReader['table']>> = await reader.table(
        this.#address,
        'profiles',
        from === '' ? {} : { from },
      );
      rows.push(...(Object.values(page.rows) as RosterRow[]));
      from = page.next;
    }
    return rows;
  }
}

/** Builds an index in slices, between which the event loop continues. */
export async function indexInSlices(profiles: readonly AgentProfile[], clock: Clock): Promise<ProfileIndex> {
  const builder = indexBuilder(profiles);
  for (;;) {
    const index = builder.add(INDEX_SLICE_PROFILES);
    if (index !== undefined) return index;
    await new Promise<void>((resolve) => clock.defer(resolve));
  }
}
