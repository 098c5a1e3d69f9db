/**
 * The ports of a debate, each with an embedded default that works alone: the snapshot of facts that both sides refer
 * to, the memory of similar debates, the regime, and the challenged agent's defence. A host passes its own to
 * `debateAgent`. A late or malformed answer counts as unknown, and the debate records that.
 */
import { z } from 'zod';
import { type Challenge, response } from './challenge.ts';
import { type TrackRecord, trackRecordSchema } from '../credibility/credibility.ts';
import { type Precedent, precedentSchema } from './debate-patterns.ts';
import { type Side } from './level-two.ts';
import { type Port, type PortContract, portLogic } from '../../work/port.ts';
import { regimeOf, type RegimeReadings, type Regimes } from '../credibility/regime.ts';

const text = z.string().max(500);

const historicalContextSchema = z.object({
  precedents: z.array(precedentSchema).max(20),
  /** Mistakes in similar cases, in words. */
  cautions: z.array(text).max(100).default([]),
  records: z.object({ challenger: trackRecordSchema.optional(), challenged: trackRecordSchema.optional() }).default({}),
});
/** The answer of a memory, with defaults filled in. */
export type LoadedHistory = z.output<typeof historicalContextSchema>;

/** The answer of a memory. Its track records take precedence over those of the desk. */
export interface HistoricalContext {
  readonly precedents: readonly Precedent[];
  readonly cautions?: readonly string[];
  readonly records?: Readonly<Partial<Record<Side, TrackRecord>>>;
}

/** Time limit for the snapshot, the historical context and the regime of a debate (CA-100). */
export const PREPARATION_MS = 2_000;

/** The contract of each port. `what` names the answer in the debate's list of unknown facts. */
export const SNAPSHOT: PortContract<string> = {
  what: 'the snapshot of facts',
  answer: z.string().min(1).max(200),
  timeoutMs: PREPARATION_MS,
};
export const HISTORY: PortContract<LoadedHistory> = {
  what: 'the historical context',
  answer: historicalContextSchema,
  timeoutMs: PREPARATION_MS,
};
export const REGIME: PortContract<string> = {
  what: 'the regime',
  answer: z.string().min(1).max(100),
  timeoutMs: PREPARATION_MS,
};

/** The functions that a host supplies for debates. */
export interface DebatePorts {
  /** Brings the participants' memory to one state and names it; that name is used throughout the debate (CA-100). */
  readonly takeSnapshot: Port<{ readonly debate: string; readonly participants: readonly string[] }, string>;
  /** Returns the host's memory of similar debates. `precedents` are those on record at the desk. */
  readonly historicalContext: Port<
    { readonly challenge: Challenge; readonly precedents: readonly Precedent[] },
    HistoricalContext
  >;
  /** Names the regime; `regimes` are those of the pack, which the embedded detector goes by. */
  readonly regimeDetector: Port<{ readonly readings: RegimeReadings | null; readonly regimes: Regimes }, string>;
  /**
   * Answers for the challenged agent, which may have ended long ago; the answer counts as the agent's own. Null: the
   * agent makes no statement. The port is called at level 1 and is awaited no longer than the acknowledgement.
   */
  readonly defend: Port<{ readonly challenge: Challenge; readonly snapshotId: string }, Defence | null>;
}

/** The answer of the challenged agent: evidence, or its acceptance of the other side's position. */
const defence = z.union([response.omit({ by: true, snapshotId: true }), z.object({ accept: z.literal(true) })]);
export type Defence = z.input<typeof defence>;
/** A defence with defaults filled in. */
export type SaidDefence = z.output<typeof defence>;

/** How long the acknowledgement of a challenge is awaited (CA-096, X-28). */
export const ACKNOWLEDGEMENT_MS = 15 * 60_000;

export const DEFENCE: PortContract<SaidDefence | null> = {
  what: 'what the challenged agent says',
  answer: defence.nullable(),
  timeoutMs: ACKNOWLEDGEMENT_MS,
};

const embedded: DebatePorts = {
  takeSnapshot: ({ debate }) => Promise.resolve(`facts-of-${debate}`),
  historicalContext: ({ precedents }) => Promise.resolve({ precedents }),
  regimeDetector: ({ readings, regimes }) => Promise.resolve(regimeOf(readings, regimes)),
  defend: () => Promise.resolve(null),
};

/** The ports as actors for the machine: the host's own, and the embedded ones for the others. */
export function portActors(ports: Partial<DebatePorts> = {}) {
  const { takeSnapshot, historicalContext, regimeDetector, defend } = { ...embedded, ...ports };
  return {
    takeSnapshot: portLogic(takeSnapshot),
    historicalContext: portLogic(historicalContext),
    regimeDetector: portLogic(regimeDetector),
    defend: portLogic(defend),
  };
}
