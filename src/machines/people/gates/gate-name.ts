/** Names of gates in texts for people, which name the gate's subject, so that gates of one title differ. Pure. */

/** The prefix of the ids of a plan's gates. Only agents of the crew open those. */
export const PLAN_GATES = 'plan.';

/** The subject of a gate; a field is null if the agent that asked did not give it. */
export interface GateAbout {
  readonly item: string | null;
  /** The stage of the item. */
  readonly stage: string | null;
  /** The proposal, in one line. */
  readonly proposal: string | null;
}

/** The name of a gate, for example `AAPL/valuation: Assumptions`. */
export function gateName({ item, stage, title }: Omit<GateAbout, 'proposal'> & { readonly title: string }): string {
  const about = [item, stage].filter((part) => part !== null).join('/');
  return about === '' ? title : `${about}: ${title}`;
}
