/**
 * The seed's own names of a challenge (002, CA-095), for peers that speak them. Theirs says less than ours: what it
 * leaves out is filled from what it says. Pure; times travel as seconds and as ISO 8601.
 */
import { z } from 'zod';
import { type Challenge, challenge, ESCALATION_MS } from './challenge.ts';
import { type Provisional } from './provisional.ts';
import { DEBATE_PRIORITIES } from './routing.ts';

const wire = z.object({
  challenge_id: z.string(),
  challenger: z.string(),
  challenged: z.string(),
  disputed_finding: z.string(),
  challenge_basis: z.string(),
  required_evidence: z.array(z.string()).default([]),
  /** Seconds. */
  escalation_timer: z
    .int()
    .positive()
    .default(ESCALATION_MS / 1000),
  priority: z.enum(DEBATE_PRIORITIES),
  provisional_resolution: z.unknown(),
});
type WireChallenge = Omit<z.output<typeof wire>, 'provisional_resolution'> & {
  readonly provisional_resolution: {
    readonly position: string;
    readonly rationale: string;
    readonly override_until: string;
  } | null;
};

/** What a peer's argument weighs that comes without a strength of its own. */
const STRENGTH_UNSAID = 0.5;

/** @param provisional What is gone on with, where the debate has come to that. */
export function challengeToWire(given: Challenge, provisional: Provisional | null): WireChallenge {
  const { id, challenger, challenged, disputedFinding, basis, requiredEvidence, escalationMs, priority } = given;
  return {
    challenge_id: id,
    challenger: challenger.agent,
    challenged: challenged.agent,
    disputed_finding: disputedFinding,
    challenge_basis: basis.statement,
    required_evidence: [...requiredEvidence],
    escalation_timer: Math.ceil(escalationMs / 1000),
    priority,
    provisional_resolution:
      provisional === null
        ? null
        : {
            position: provisional.position.statement,
            rationale: provisional.rationale,
            override_until: new Date(provisional.overrideUntilMs).toISOString(),
          },
  };
}

/** Throws a ZodError that names the field for what is no challenge. */
export function challengeFromWire(given: unknown): Challenge {
  const {
    challenge_id: id,
    challenger,
    challenged,
    disputed_finding: finding,
    challenge_basis: basis,
    ...rest
  } = wire.parse(given);
  return challenge.parse({
    id,
    topic: finding.slice(0, 500),
    challenger: { agent: challenger },
    challenged: { agent: challenged },
    disputedFinding: finding,
    basis: {
      statement: basis,
      evidence: [{ kind: 'statement', source: basis.slice(0, 300), strength: STRENGTH_UNSAID }],
    },
    requiredEvidence: rest.required_evidence,
    escalationMs: rest.escalation_timer * 1000,
    priority: rest.priority,
    positions: { challenger: { statement: basis }, challenged: { statement: finding } },
  });
}
