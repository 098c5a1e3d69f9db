/**
 * Challenges under the seed's names (002, CA-095), for peers that use them. The seed's form has fewer fields than the
 * crew's; the missing ones are derived from the others. Pure; times travel as seconds and as ISO 8601.
 */
import { z } from 'zod';
import { type Challenge, challenge, ESCALATION_MS } from './challenge.ts';
import { type Provisional } from './provisional.ts';

const wire = z.object({
  challenge_id: z.string(),
  challenger: z.string(),
  challenged: z.string(),
  disputed_finding: z.string(),
  challenge_basis: z.string(),
  required_evidence: z.array(z.string()).default([]),
  /** Escalation time in seconds. */
  escalation_timer: z
    .int()
    .positive()
    .default(ESCALATION_MS / 1000),
  priority: z.string(),
  provisional_resolution: z.unknown(),
});
type WireChallenge = Omit<z.output<typeof wire>, 'provisional_resolution'> & {
  readonly provisional_resolution: {
    readonly position: string;
    readonly rationale: string;
    readonly override_until: string;
  } | null;
};

/** The strength assumed for a peer's argument, because the seed's form has none. */
const STRENGTH_UNSAID = 0.5;

/** A challenge under the seed's names, with its provisional decision if there is one. */
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

/** The seed's names of fields, by the crew's names. */
const WIRE_FIELDS: Readonly<Record<string, string>> = {
  id: 'challenge_id',
  topic: 'disputed_finding',
  challenger: 'challenger',
  challenged: 'challenged',
  disputedFinding: 'disputed_finding',
  basis: 'challenge_basis',
  requiredEvidence: 'required_evidence',
  escalationMs: 'escalation_timer',
  positions: 'disputed_finding',
};

/** Reads a challenge from the seed's form. Throws a ZodError that names the seed's field. */
export function challengeFromWire(given: unknown): Challenge {
  const {
    challenge_id: id,
    challenger,
    challenged,
    disputed_finding: finding,
    challenge_basis: basis,
    ...rest
  } = wire.parse(given);
  const { data, error } = challenge.safeParse({
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
  if (error === undefined) return data;
  throw new z.ZodError(error.issues.map((issue) => ({ ...issue, path: [WIRE_FIELDS[String(issue.path[0])]!] })));
}
