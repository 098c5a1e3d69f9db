/** The Debate Facilitator's input and context. */
import { GATE_AUDIENCE_MAX } from '../../limits.ts';
import { table, type Table } from '../../../table.ts';
import { type DeskContext, newDesk } from '../../rules/desk.ts';
import { ANYBODY } from '../../people/audience.ts';
import { halfLivesOf } from '../coordinator/agent-registry.ts';
import { type CredibilityFormula } from '../credibility/credibility.ts';
import { type RegimeReadings } from '../credibility/regime.ts';
import { joined, NEUTRAL, type Pack } from '../packs.ts';
import { type Learning, NOTHING_LEARNED } from './learning.ts';
import { type DebateRecord, type ExpertState } from './debate-records.ts';
import { type DueReviews } from './due-reviews.ts';
import { type AgentTables, NO_AGENTS } from './known-agents.ts';

/** The Debate Facilitator's input. */
export interface FacilitatorInput {
  /** Names of the experts for level 3. Without any, debates that reach it end in the conservative default. */
  readonly experts?: readonly string[];
  /** People who review provisional and deferred debates at a gate. Default: the experts, or anybody. */
  readonly reviewers?: readonly string[];
  /** How credibility is computed from its factors. Default `product`. */
  readonly formula?: CredibilityFormula;
  /** Half-lives by agent type, in years; they take precedence over those of the pack. */
  readonly halfLives?: Readonly<Record<string, number>>;
  /** Vocabulary of a field of work, added to the neutral one: kinds of value, measures and priorities. */
  readonly pack?: Partial<Pack>;
}

/** The Debate Facilitator's context. */
export interface FacilitatorContext extends DeskContext<DebateRecord>, AgentTables, DueReviews {
  /** Ids of the debates that each expert has to decide. */
  readonly queues: Table<string>;
  readonly formula: CredibilityFormula;
  readonly halfLives: Readonly<Record<string, number>>;
  readonly pack: Pack;
  readonly experts: Readonly<Record<string, ExpertState>>;
  readonly reviewers: readonly string[];
  readonly readings: RegimeReadings | null;
  readonly nextGate: { readonly gate: string; readonly atMs: number } | null;
  readonly learning: Learning;
}

/** The context of a new desk, without debates. */
export function contextOf({
  experts = [],
  reviewers = experts,
  formula = 'product',
  halfLives = {},
  pack: own = {},
}: FacilitatorInput = {}): FacilitatorContext {
  const pack = joined(NEUTRAL, own);
  return {
    ...newDesk(),
    ...NO_AGENTS,
    queues: table(),
    due: table(),
    formula,
    halfLives: { ...halfLivesOf(pack.agentTypes), ...halfLives },
    pack,
    experts: Object.fromEntries(experts.map((expert) => [expert, { isAvailable: true }])),
    reviewers: reviewers.length === 0 ? [ANYBODY] : reviewers.slice(0, GATE_AUDIENCE_MAX),
    readings: null,
    nextGate: null,
    learning: NOTHING_LEARNED,
  };
}
