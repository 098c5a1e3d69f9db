/**
 * The outputs of the stages by name, and how a later stage reads them. All outputs are plain JSON data (no functions,
 * no class instances, no NaN): the runtime stores them durably and returns them after a crash.
 */
import type { AgentContext } from './agent-context.ts';
import type { Business } from './business.ts';
import type { Financial } from './financial.ts';
import type { Screening } from './screening.ts';
import type { Strategy } from './strategy.ts';
import type { Valuation } from './valuation.ts';

/** A file that the report stage has written. */
export interface WrittenFile {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of the content, hexadecimal: two runs can be compared without their files. */
  readonly sha256: string;
}

/** Output of the report stage. */
export interface WrittenReport {
  readonly ticker: string;
  readonly files: readonly WrittenFile[];
}

/** Stage name to output. The names are those of `plan.yaml`. */
export interface StageOutputs {
  readonly screening: Screening;
  readonly business: Business;
  readonly financial: Financial;
  readonly strategy: Strategy;
  readonly valuation: Valuation;
  readonly report: WrittenReport;
}

/**
 * The output of an earlier stage of the same item.
 *
 * @throws Error when the plan does not run that stage before this one.
 */
export function outputOf<Stage extends keyof StageOutputs>(
  { results }: AgentContext,
  stage: Stage,
): StageOutputs[Stage] {
  const output = results[stage];
  if (output === undefined) throw new Error(`Needs the result of stage "${stage}": name it in "after" in the plan`);
  // The plan ties this name to the agent that made the output; the store keeps it as it was.
  return output as StageOutputs[Stage];
}
