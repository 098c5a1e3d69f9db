/**
 * Challenges: the challenger, the disputed finding and its author, the evidence, and the requirements on an answer
 * (CA-091, CA-094). Schemas, and the rules about evidence. Pure.
 */
import { z } from 'zod';
import { position, type Position } from './conservative-default.ts';
import { dependents } from './downstream-impact.ts';
import { type Side } from './level-two.ts';
import { contextSchema } from '../credibility/track-record.ts';
import { programOrPerson } from '../../work/message-schema.ts';

const MINUTE_MS = 60_000;

/** Default time before a challenge escalates (CA-094: typically an hour). */
export const ESCALATION_MS = 60 * MINUTE_MS;
const ESCALATION_MS_MAX = 30 * 24 * 60 * MINUTE_MS;

const name = z.string().min(1).max(200);
const text = z.string().max(1_000);

/** Bounds on one contribution: DEBATE_CONTRIBUTIONS_MAX contributions have to fit into one package for people. */
const EVIDENCE_MAX = 10;
const GRANTED_MAX = 10;

/** The id of a debate, which becomes part of addresses, with a suffix for each gate and each debate that follows. */
const debateId = z
  .string()
  .regex(/^(?!__proto__$)[A-Za-z0-9\-_.:@+~]{1,64}$/, 'an id is 1 to 64 letters, digits and -_.:@+~');

const party = z.object({
  agent: name,
  /** The agent type, which gives the half-life of its observations. Default: the agent's name. */
  agentType: name.optional(),
});

export const evidence = z.object({
  /** The kind of evidence, as named in requirements: `filing`, `calculation`. */
  kind: z.string().min(1).max(100),
  source: z.string().min(1).max(300),
  /** The weight of the evidence, from 0 to 1. */
  strength: z.number().min(0).max(1),
});
export type Evidence = z.infer<typeof evidence>;

export const challenge = z.object({
  id: debateId,
  topic: z.string().min(1).max(500),
  /** The item concerned; null: none in particular. */
  item: name.nullable().default(null),
  challenger: party.extend({ agent: programOrPerson }),
  challenged: party,
  disputedFinding: text.min(1),
  basis: z.object({ statement: text.min(1), evidence: z.array(evidence).min(1).max(EVIDENCE_MAX) }),
  /** The requirements on an answer, in words. */
  requiredResponse: text.default(''),
  /** Kinds of evidence of which an answer must bring at least one. Empty: any kind suffices. */
  requiredEvidence: z.array(name).max(100).default([]),
  /** Evidence weaker than this does not count. */
  strengthMin: z.number().min(0).max(1).default(0),
  escalationMs: z.int().positive().max(ESCALATION_MS_MAX).default(ESCALATION_MS),
  /** A priority declared with the desk (packs.ts): `critical-path`, `ordinary`, `supporting`. */
  priority: name,
  /** The kind of the disputed value, which gives its risk order: `target-price`. */
  valueKind: name.default('view'),
  positions: z.object({ challenger: position, challenged: position }),
  context: contextSchema.default({}),
  /** The expert who decides if the agents cannot; null: any expert. */
  expert: name.nullable().default(null),
  dependents: dependents.default([]),
});
/** A challenge to a finding, as an agent raises it. */
export type Challenge = z.output<typeof challenge>;

/** A contribution of one side to a debate. */
export const response = z.object({
  by: programOrPerson,
  statement: text.min(1),
  evidence: z.array(evidence).max(EVIDENCE_MAX).default([]),
  /** The side's new position, if it changes. */
  position: position.optional(),
  /** Points that the side concedes. */
  granted: z.array(z.string().max(200)).max(GRANTED_MAX).default([]),
  /**
   * Id of the snapshot of facts that the contribution refers to. A contribution that refers to another snapshot than
   * the debate's is refused.
   */
  snapshotId: name.optional(),
});

export interface Contribution {
  readonly side: Side;
  readonly statement: string;
  readonly evidence: readonly Evidence[];
  readonly granted: readonly string[];
  readonly atMs: number;
  /** Why the contribution does not count as a defence by evidence; null if it does (CA-092). */
  readonly flaw: string | null;
}

/** The side of a speaker; null for somebody outside the debate. */
export function sideOf(
  { challenger, challenged }: Pick<Challenge, 'challenger' | 'challenged'>,
  agent: string,
): Side | null {
  return agent === challenger.agent ? 'challenger' : agent === challenged.agent ? 'challenged' : null;
}

/** Why a response is not a defence by evidence; null if it is one. */
export function flawOf({ requiredEvidence, strengthMin }: Challenge, given: readonly Evidence[]): string | null {
  const strong = given.filter(({ strength }) => strength >= strengthMin);
  if (given.length === 0) return 'brings no evidence';
  if (strong.length === 0) return `brings no evidence of strength ${strengthMin} or more`;
  if (requiredEvidence.length > 0 && !strong.some(({ kind }) => requiredEvidence.includes(kind)))
    return `brings none of ${requiredEvidence.join(', ')}`;
  return null;
}

/** Whether a response belongs to this debate and is a defence by evidence. */
export function isDefence(
  about: Challenge,
  { by, evidence: given }: { readonly by: string; readonly evidence: readonly Evidence[] },
): boolean {
  return sideOf(about, by) !== null && flawOf(about, given) === null;
}

/** The mean strength of a side's evidence that counts; 0 if none does (CA-115). */
export function evidenceQuality({ basis }: Challenge, contributions: readonly Contribution[], side: Side): number {
  const own = contributions.filter((one) => one.side === side && one.flaw === null).flatMap((one) => one.evidence);
  const all = side === 'challenger' ? [...basis.evidence, ...own] : own;
  return all.length === 0 ? 0 : all.reduce((sum, { strength }) => sum + strength, 0) / all.length;
}

/**
 * Whether both sides gave evidence (CA-118). A challenge cannot be parsed without the challenger's evidence, so only
 * the contributions of the challenged side are checked.
 */
export function isInGoodFaith(contributions: readonly Contribution[]): boolean {
  return contributions.some(({ side, flaw }) => side === 'challenged' && flaw === null);
}

export type Positions = Readonly<Record<Side, Position>>;
