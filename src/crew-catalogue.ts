/**
 * The questions about agents that every door answers: the gateway from the rows of a registry, the command line also
 * from files. Each is a method, and the procedure `agents.` and its name.
 */
import { z } from 'zod';
import { BosunError } from './errors.ts';
import { didYouMean } from './near-names.ts';
import { capabilitiesOf } from './machines/agents/capabilities.ts';
import { guardReport } from './machines/agents/guard.ts';
import {
  agentIdSchema,
  type AgentProfile,
  agentProfileSchema,
  byCodeUnit,
  type CapabilitiesRequest,
  type RecommendRequest,
  type RecommendResult,
} from './machines/agents/profile.ts';
import { type AgentCard, cardOf, type Catalog, catalogOf, systemCard } from './machines/agents/profile-export.ts';
import { recommend } from './machines/agents/recommend.ts';
import { indexFor, type ProfileIndex } from './machines/agents/retrieval.ts';
import { type AgentRow, agentRowOf, type RosterRow, runsOf } from './machines/agents/roster.ts';

/** The version of the card that describes all agents. */
const CARD_VERSION = '1.0.0';

/** The schema of an agent's profile with its source. */
export const agentShownSchema = z.object({ profile: agentProfileSchema, source: z.string(), runs: z.string() });

/** The parameters that name one agent. */
export const oneAgent = z.object({ agentId: agentIdSchema });

/** A question about agents. */
export type Question = Exclude<keyof Catalogue, 'profiles'>;

/** Makes the index of profiles at the first recommendation, in one step or in slices. */
export type Indexing = (profiles: readonly AgentProfile[]) => ProfileIndex | Promise<ProfileIndex>;

export class Catalogue {
  readonly #rows: readonly RosterRow[];
  readonly #indexing: Indexing;
  #index: ProfileIndex | Promise<ProfileIndex> | undefined;

  /**
   * Makes a catalogue.
   *
   * @param rows Agents with different ids, in any order.
   */
  constructor(rows: readonly RosterRow[], indexing: Indexing = indexFor) {
    this.#rows = [...rows].sort((a, b) => byCodeUnit(a.profile.agentId, b.profile.agentId));
    this.#indexing = indexing;
  }

  get profiles(): readonly AgentProfile[] {
    return this.#rows.map(({ profile }) => profile);
  }

  async recommend(request: RecommendRequest): Promise<RecommendResult> {
    this.#index ??= this.#indexing(this.profiles);
    const { explanation, ...result } = recommend(await this.#index, request);
    if (explanation === undefined) return result;
    return { ...result, explanation: explanation.map((one) => ({ ...one, runs: this.show(one).runs })) };
  }

  capabilities(request: CapabilitiesRequest) {
    return capabilitiesOf(this.profiles, request);
  }

  guard() {
    return guardReport(this.profiles);
  }

  list(): { readonly agents: AgentRow[] } {
    return { agents: this.#rows.map(agentRowOf) };
  }

  /** Shows an agent. Throws BOSUN_CALL_INVALID if there is none of this id. */
  show({ agentId }: z.input<typeof oneAgent>): RosterRow & { readonly runs: string } {
    const found = this.#rows.find(({ profile }) => profile.agentId === agentId);
    if (found !== undefined) return { ...found, runs: runsOf(found) };
    const known = this.profiles.map((profile) => profile.agentId);
    throw new BosunError('BOSUN_CALL_INVALID', `there is no agent ${agentId}${didYouMean(agentId, known)}`);
  }

  card(one: z.input<typeof oneAgent>): AgentCard {
    return cardOf(this.show(one).profile);
  }

  systemCard(): AgentCard {
    return systemCard(this.profiles, CARD_VERSION);
  }

  /** Lists the cards of enabled agents, at addresses that begin with the base URL of a gateway. */
  catalog({ base = '' }: { readonly base?: string } = {}): Catalog {
    return catalogOf(this.profiles, base);
  }
}
