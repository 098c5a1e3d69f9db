/**
 * What a debate asks of the world outside, each with an embedded default that works alone: the state of facts that both
 * sides speak of, what memory has of similar debates, and the regime. A host gives its own to `debateAgent`. What a
 * port does not say in time, or says wrongly, counts as not known, and the debate says so.
 */
import { z } from 'zod';
import { type Challenge } from './challenge.ts';
import { type TrackRecord } from '../credibility/credibility.ts';
import { type Precedent } from './debate-patterns.ts';
import { type Side } from './level-two.ts';
import { type Port, portLogic } from '../../work/port.ts';
import { regimeOf, type RegimeReadings } from '../credibility/regime.ts';
import { contextSchema } from '../credibility/track-record.ts';

const share = z.number().min(0).max(1);

const trackRecord = z.object({
  contextAccuracy: share,
  contextWeight: share,
  contextMatch: z.enum(['exact', 'strong', 'weak', 'none']),
  overallAccuracy: share,
  samples: z.int().nonnegative(),
  ageYears: z.number().nonnegative(),
  halfLifeYears: z.number().positive(),
  regimes: z.record(z.string(), z.object({ accuracy: share, samples: z.int().nonnegative() })),
  currentAccuracy: share,
  trend: z
    .object({ slopePerYear: z.number(), rSquared: share, direction: z.enum(['improving', 'degrading', 'stable']) })
    .nullable(),
  overrideRate: share,
});

const text = z.string().max(500);
const side = z.enum(['challenger', 'challenged']);

const precedent = z.object({
  id: text,
  number: z.number(),
  topic: text,
  valueKind: text,
  challenger: text,
  challenged: text,
  context: contextSchema,
  matches: z.number(),
  provedRight: z.enum(['challenger', 'challenged', 'both', 'neither']).nullable(),
  summary: z.object({
    outcome: text,
    method: text,
    level: z.number(),
    side: side.nullable(),
    byPeople: z.boolean(),
    provisionalSide: side.nullable(),
    rounds: z.number(),
    evidenceKinds: z.array(text).max(100),
    resolvedAtMs: z.number(),
  }),
});

export const historicalContextSchema = z.object({
  precedents: z.array(precedent).max(20),
  /** What went wrong in cases like it, in words. */
  cautions: z.array(text).max(100).default([]),
  records: z.object({ challenger: trackRecord.optional(), challenged: trackRecord.optional() }).default({}),
});
/** What a memory may say. Track records given here come before those of the desk. */
export interface HistoricalContext {
  readonly precedents: readonly Precedent[];
  readonly cautions?: readonly string[];
  readonly records?: Readonly<Partial<Record<Side, TrackRecord>>>;
}

export const regimeName = z.string().min(1).max(100);
export const snapshotName = z.string().min(1).max(200);

export interface DebatePorts {
  /**
   * Has the participants' memory brought to one state and names it; that name is used throughout the debate (CA-100).
   */
  readonly takeSnapshot: Port<{ readonly debate: string; readonly participants: readonly string[] }, string>;
  /** `precedents` are what the desk itself has on record. */
  readonly historicalContext: Port<
    { readonly challenge: Challenge; readonly precedents: readonly Precedent[] },
    HistoricalContext
  >;
  readonly regimeDetector: Port<{ readonly readings: RegimeReadings | null }, string>;
}

const embedded: DebatePorts = {
  takeSnapshot: ({ debate }) => Promise.resolve(`facts-of-${debate}`),
  historicalContext: ({ precedents }) => Promise.resolve({ precedents }),
  regimeDetector: ({ readings }) => Promise.resolve(regimeOf(readings)),
};

/** The ports as actors for the machine: the host's own, and the embedded ones for the rest. */
export function portActors(ports: Partial<DebatePorts> = {}) {
  const { takeSnapshot, historicalContext, regimeDetector } = { ...embedded, ...ports };
  return {
    takeSnapshot: portLogic(takeSnapshot),
    historicalContext: portLogic(historicalContext),
    regimeDetector: portLogic(regimeDetector),
  };
}
