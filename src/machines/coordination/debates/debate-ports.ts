/**
 * What a debate asks of the world outside, each with an embedded default that works alone: the state of facts that both
 * sides speak of, what memory has of similar debates, and the regime. A host gives its own to `debateAgent`. What a
 * port does not say in time, or says wrongly, counts as not known, and the debate says so.
 */
import { z } from 'zod';
import { type Challenge } from './challenge.ts';
import { type TrackRecord, trackRecordSchema } from '../credibility/credibility.ts';
import { type Precedent, precedentSchema } from './debate-patterns.ts';
import { type Side } from './level-two.ts';
import { type Port, portLogic } from '../../work/port.ts';
import { regimeOf, type RegimeReadings } from '../credibility/regime.ts';

const text = z.string().max(500);

export const historicalContextSchema = z.object({
  precedents: z.array(precedentSchema).max(20),
  /** What went wrong in cases like it, in words. */
  cautions: z.array(text).max(100).default([]),
  records: z.object({ challenger: trackRecordSchema.optional(), challenged: trackRecordSchema.optional() }).default({}),
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
