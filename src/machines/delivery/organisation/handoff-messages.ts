/** Messages about hand-offs: the offer, what the receiver is given, and what the informed are told. Types and schemas. */
import { type AnyActorRef } from 'xstate';
import { z } from 'zod';
import { type WorkItem } from '../../work/work-item.ts';
import { type GateDecision } from '../../work/threshold-gate.ts';
import { type Facts } from './delivery-gates.ts';
import { OCCASIONS, type Occasion } from './raci.ts';
import { TEAM_IDS, type TeamId } from './teams.ts';

/** The part of a work item that hand-offs carry. */
export type HandedItem = Pick<WorkItem, 'id' | 'title'> & Partial<WorkItem>;

/** An offer of a hand-off, from inside the system only. */
export interface HandoffOffer {
  readonly type: 'handoff.offer';
  readonly occasion: Occasion;
  /** The team in whose name it is offered, and the actor that speaks for it. */
  readonly from: TeamId;
  readonly by: AnyActorRef;
  readonly item: HandedItem;
  readonly facts: Facts;
  /** Anything that the receiver needs besides the work item. */
  readonly load?: object;
}

interface HandoffFacts {
  readonly number: number;
  readonly row: number;
  readonly occasion: Occasion;
  readonly from: TeamId;
  readonly item: HandedItem;
}

/** A hand-off as its receiver is given it. */
export interface HandoffGiven extends HandoffFacts {
  readonly type: 'handoff.given';
  readonly load?: object;
}

/** The one event by which each informed party hears of a hand-off. */
export interface HandoffInformed extends HandoffFacts {
  readonly type: 'handoff.informed';
  readonly to: TeamId | 'user';
}

/** The refusal of an offer, for the actor that made it. */
export interface HandoffRefused extends Pick<HandoffOffer, 'occasion' | 'item' | 'load'> {
  readonly type: 'handoff.refused';
  readonly because: string;
  readonly decisions: readonly GateDecision[];
}

/** A hand-off on record, accepted or refused, with every decision of a gate. */
export const handoffEntry = z.object({
  number: z.int(),
  atMs: z.number(),
  item: z.string(),
  title: z.string(),
  occasion: z.enum(OCCASIONS),
  from: z.enum(TEAM_IDS),
  /** The row of the table; null if none describes it. */
  row: z.int().nullable(),
  to: z.enum([...TEAM_IDS, 'user']).nullable(),
  isAccepted: z.boolean(),
  /** Why it was refused; null if it was accepted. */
  because: z.string().nullable(),
  decisions: z.array(
    z.object({
      gate: z.string(),
      passes: z.enum(['atLeast', 'atMost']),
      /** Null for a value that is not known. */
      value: z.number().nullable(),
      threshold: z.number(),
      isPassed: z.boolean(),
      outcome: z.string(),
    }),
  ),
});
export type HandoffEntry = z.output<typeof handoffEntry>;
