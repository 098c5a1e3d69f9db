/** Messages about hand-offs: the offer, what the receiver is given, and what the informed are told. */
import { type AnyActorRef } from 'xstate';
import { z } from 'zod';
import { type WorkItem } from '../../work/work-item.ts';
import { type GateDecision } from '../../work/threshold-gate.ts';
import { type Facts } from './delivery-gates.ts';
import { type Sender } from '../owner-question.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
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

type HandoffFacts = Pick<HandoffOffer, 'occasion' | 'from' | 'item'> & Readonly<{ number: number; row: number }>;

/** A hand-off as its receiver is given it. */
export type HandoffGiven = HandoffFacts & Readonly<{ type: 'handoff.given'; load?: object }>;

/** The one event by which each informed party hears of a hand-off. */
export type HandoffInformed = HandoffFacts & Readonly<{ type: 'handoff.informed'; to: TeamId | 'user' }>;

/** A hand-off that took place, for the team that checks whether all have. */
export type HandoffSeen = Omit<HandoffGiven, 'type'> & { readonly type: 'handoff.seen' };

/** The refusal of an offer, for the actor that made it. */
export interface HandoffRefused extends Pick<HandoffOffer, 'occasion' | 'item' | 'load'> {
  readonly type: 'handoff.refused';
  readonly because: string;
  readonly decisions: readonly GateDecision[];
}

/** The decision of a gate about a hand-off; the value is null if it is not known. */
export const judged = z.object({
  ...{ gate: z.string(), passes: z.enum(['atLeast', 'atMost']), value: z.number().nullable() },
  ...{ threshold: z.number(), isPassed: z.boolean(), outcome: z.string() },
});

/**
 * A hand-off on record, with every decision of a gate. `row` is null if no row of the table describes it, `because`
 * says why it was refused.
 */
export const handoffEntry = z.object({
  ...{ number: z.int(), atMs: z.number(), item: z.string(), title: z.string(), occasion: z.enum(OCCASIONS) },
  ...{ from: z.enum(TEAM_IDS), to: z.enum([...TEAM_IDS, 'user']).nullable(), row: z.int().nullable() },
  ...{ isAccepted: z.boolean(), because: z.string().nullable(), decisions: z.array(judged) },
});
export type HandoffEntry = z.output<typeof handoffEntry>;

/** Offers a hand-off to the organisation, in the name of a team for which the actor of the turn speaks. */
export function offerHandoff(turn: Sender, offered: Omit<HandoffOffer, 'type' | 'by'>): void {
  const offer: HandoffOffer = { ...offered, type: 'handoff.offer', by: turn.self };
  turn.send(DELIVERY_DESKS.organisation, offer);
}
