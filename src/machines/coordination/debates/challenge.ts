/**
 * A challenge: who doubts which finding of whom, on what evidence, and what an answer has to bring (CA-091, CA-094).
 * Schemas, and the rules about evidence. Pure.
 */
import { z } from 'zod';
import { position, type Position } from './conservative-default.ts';
import { dependents } from './downstream-impact.ts';
import { type Side } from './level-two.ts';
import { DEBATE_PRIORITIES } from './routing.ts';
import { contextSchema } from '../credibility/track-record.ts';

const MINUTE_MS = 60_000;

/** CA-094: typically an hour. */
export const ESCALATION_MS = 60 * MINUTE_MS;
const ESCALATION_MS_MAX = 30 * 24 * 60 * MINUTE_MS;

const name = z.string().min(1).max(200);
const text = z.string().max(1_000);

/** All that both sides may say, DEBATE_CONTRIBUTIONS_MAX times, has to fit into one package for people. */
const EVIDENCE_MAX = 10;
const GRANTED_MAX = 10;

/** Becomes part of addresses, with what is added for a gate or a debate that follows. */
const debateId = z
  .string()
  .regex(/^(?!__proto__$)[A-Za-z0-9\-_.:@+~]{1,64}$/, 'an id is 1 to 64 letters, digits and -_.:@+~');

const party = z.object({
  agent: name,
  /** By which the half-life of its observations is found; default: its name. */
  agentType: name.optional(),
});

export const evidence = z.object({
  /** What sort it is, by which requirements name it: `filing`, `calculation`. */
  kind: z.string().min(1).max(100),
  source: z.string().min(1).max(300),
  /** How much it carries, from 0 to 1. */
  strength: z.number().min(0).max(1),
});
export type Evidence = z.infer<typeof evidence>;

export const challenge = z.object({
  id: debateId,
  topic: z.string().min(1).max(500),
  /** The work that it is about; null: none in particular. */
  item: name.nullable().default(null),
  challenger: party,
  challenged: party,
  disputedFinding: text.min(1),
  basis: z.object({ statement: text.min(1), evidence: z.array(evidence).min(1).max(EVIDENCE_MAX) }),
  /** What the answer has to say, in words. */
  requiredResponse: text.default(''),
  /** Kinds of evidence of which an answer has to bring one; none: any will do. */
  requiredEvidence: z.array(name).max(100).default([]),
  /** Evidence below it does not count. */
  strengthMin: z.number().min(0).max(1).default(0),
  escalationMs: z.int().positive().max(ESCALATION_MS_MAX).default(ESCALATION_MS),
  priority: z.enum(DEBATE_PRIORITIES),
  /** Kind of value that is disputed, by which the cautious one is told: `target-price`. */
  valueKind: name.default('view'),
  positions: z.object({ challenger: position, challenged: position }),
  context: contextSchema.default({}),
  /** Who has to decide where agents cannot; null: any expert. */
  expert: name.nullable().default(null),
  dependents: dependents.default([]),
});
export type Challenge = z.output<typeof challenge>;

/** One turn of a side in a debate. */
export const response = z.object({
  by: name,
  statement: text.min(1),
  evidence: z.array(evidence).max(EVIDENCE_MAX).default([]),
  /** What it holds from here on, where that changes. */
  position: position.optional(),
  /** Points that it grants the other side. */
  granted: z.array(z.string().max(200)).max(GRANTED_MAX).default([]),
  /** Of the facts that it speaks of; another one than the debate's does not count. */
  snapshotId: name.optional(),
});

export interface Contribution {
  readonly side: Side;
  readonly statement: string;
  readonly evidence: readonly Evidence[];
  readonly granted: readonly string[];
  readonly atMs: number;
  /** Why it does not count as a defence by evidence; null where it does (CA-092). */
  readonly flaw: string | null;
}

/** Which side speaks; null: nobody of this debate. */
export function sideOf(
  { challenger, challenged }: Pick<Challenge, 'challenger' | 'challenged'>,
  agent: string,
): Side | null {
  return agent === challenger.agent ? 'challenger' : agent === challenged.agent ? 'challenged' : null;
}

/** Why a response is no defence by evidence; null where it is one. */
export function flawOf({ requiredEvidence, strengthMin }: Challenge, given: readonly Evidence[]): string | null {
  const strong = given.filter(({ strength }) => strength >= strengthMin);
  if (given.length === 0) return 'brings no evidence';
  if (strong.length === 0) return `brings no evidence of strength ${strengthMin} or more`;
  if (requiredEvidence.length > 0 && !strong.some(({ kind }) => requiredEvidence.includes(kind)))
    return `brings none of ${requiredEvidence.join(', ')}`;
  return null;
}

/** Whether a response is one of this debate, and a defence by evidence. */
export function isDefence(
  about: Challenge,
  { by, evidence: given }: { readonly by: string; readonly evidence: readonly Evidence[] },
): boolean {
  return sideOf(about, by) !== null && flawOf(about, given) === null;
}

/** CA-115: the mean strength of what a side put forward and counts; 0 where nothing does. */
export function evidenceQuality({ basis }: Challenge, contributions: readonly Contribution[], side: Side): number {
  const own = contributions.filter((one) => one.side === side && one.flaw === null).flatMap((one) => one.evidence);
  const all = side === 'challenger' ? [...basis.evidence, ...own] : own;
  return all.length === 0 ? 0 : all.reduce((sum, { strength }) => sum + strength, 0) / all.length;
}

/** The challenge brings evidence by its schema; the other side has to have answered with some (CA-118). */
export function isInGoodFaith(contributions: readonly Contribution[]): boolean {
  return contributions.some(({ side, flaw }) => side === 'challenged' && flaw === null);
}

export type Positions = Readonly<Record<Side, Position>>;
