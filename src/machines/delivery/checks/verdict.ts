/**
 * The verdict about a finished task (D4, MX-055, MX-108): which of its criteria are met, and by what. All tests have to
 * pass, and a test that has passed closes the criteria that name it. An exit code closes none. Pure.
 */
import { type GateDecision } from '../../work/threshold-gate.ts';
import { type WorkContextBundle, type WorkItem } from '../../work/work-item.ts';
import { type Findings } from '../delivery-ports.ts';
import { judgeFact } from '../organisation/delivery-gates.ts';

export interface Verdict {
  /** Criteria that are met. */
  readonly matches: readonly string[];
  /** Failed tests, and criteria that are not met. */
  readonly remaining: readonly string[];
  /** Criteria that no test and no check shows: a person decides. */
  readonly open: readonly string[];
  /** Parts at which a person has to look. */
  readonly visual: readonly string[];
  /** The gate of the share of criteria that are met. */
  readonly match: GateDecision;
}

type Judged = Pick<WorkItem, 'context' | 'title'>;

/** The criteria of a task. One without any still has to do what its title says. */
function criteriaOf({ context: { acceptance }, title }: Judged): readonly string[] {
  return acceptance.length > 0 ? acceptance : [title];
}

/** The tests that criteria name, and the criteria that name none: a test may be called by one. */
export function wantedTests(item: Judged): string[] {
  const named = criteriaOf(item).map((criterion) => {
    const proof = proofOf(criterion, item.context);
    return proof === undefined ? criterion : proof;
  });
  return [...new Set(named.filter((one) => typeof one === 'string'))];
}

/** Judges what was found about a task. */
export function verdictOf(item: Judged, found: Findings): Verdict {
  const { context } = item;
  const { failures, unmet, visual } = found;
  const criteria = criteriaOf(item);
  const stands = criteria.map(
    (criterion) => [criterion, standOf(criterion, proofOf(criterion, context), found)] as const,
  );
  const those = (wanted: Stand) => stands.flatMap(([criterion, stand]) => (stand === wanted ? [criterion] : []));
  const matches = those('met');
  const missing = those('unmet').map((one) => {
    const test = proofOf(one, context);
    return test ? `${one} (${test} has not passed)` : one;
  });
  const others = unmet.filter((one) => !criteria.includes(one));
  const share = (100 * matches.length) / criteria.length;
  return {
    matches,
    remaining: [...failures.map(({ test }) => test), ...missing, ...others],
    open: those('open'),
    visual: [...new Set([...those('visual'), ...visual])],
    match: judgeFact('match', { match: Math.round(10 * share) / 10 }),
  };
}

type Stand = 'met' | 'unmet' | 'open' | 'visual';

/** The test that shows a criterion; null for a person who looks, undefined if it names nothing. */
function proofOf(criterion: string, { proofs = [] }: Pick<WorkContextBundle, 'proofs'>): string | null | undefined {
  return proofs.find((proof) => proof.criterion === criterion)?.test;
}

function standOf(criterion: string, proof: string | null | undefined, { unmet, tests }: Findings): Stand {
  if (unmet.includes(criterion)) return 'unmet';
  if (proof === null) return 'visual';
  // Without a run of tests, the one who has checked the task has judged its criteria.
  if (tests === null) return 'met';
  if (tests.shown.includes(proof ?? criterion)) return 'met';
  return proof === undefined ? 'open' : 'unmet';
}
