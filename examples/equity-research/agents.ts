/**
 * The crew of `plan.yaml`: one exported function per agent type, found by its name. Each joins what the small files
 * beside it compute; none keeps state, reads a clock or draws lots, so a stage that runs again gives the same result.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { AgentContext } from './agent-context.ts';
import { readAssumptions } from './assumptions.ts';
import { analyseBusiness, type Business } from './business.ts';
import { writeFileDurably } from './durable-file.ts';
import { recordExecution } from './execution-log.ts';
import { figuresOf, loadFigures } from './figures.ts';
import { analyseFinances, type Financial } from './financial.ts';
import { pace } from './pace.ts';
import { composeReport } from './report.ts';
import { screen, type Screening } from './screening.ts';
import { outputOf, type StageOutputs, type WrittenFile, type WrittenReport } from './stage-outputs.ts';
import { analyseStrategy, type Strategy } from './strategy.ts';
import { valueCompany, type Valuation } from './valuation.ts';

/** Loads and checks the company's years; stops the company when its figures contradict each other. */
export async function screening(input: unknown, context: AgentContext): Promise<Screening> {
  return perform('screening', context, async () => {
    // A mistaken assumption in the plan is found here, in the first stage, and not after four others have worked.
    readAssumptions(input);
    return screen(figuresOf(context.item, await loadFigures(context.signal)));
  });
}

/** Growth, margins and their trends. */
export async function business(_input: unknown, context: AgentContext): Promise<Business> {
  return perform('business', context, () => analyseBusiness(outputOf(context, 'screening')));
}

/** Free cash flow, returns on capital and leverage. */
export async function financial(_input: unknown, context: AgentContext): Promise<Financial> {
  return perform('financial', context, () => analyseFinances(outputOf(context, 'screening')));
}

/** Reinvestment, incremental margins, steadiness and the score. */
export async function strategy(_input: unknown, context: AgentContext): Promise<Strategy> {
  return perform('strategy', context, () =>
    analyseStrategy(outputOf(context, 'screening'), outputOf(context, 'business')),
  );
}

/**
 * Discounted cash flow with its sensitivity.
 *
 * @param input Assumptions that differ from the defaults, by name (see `assumptions.ts`), or nothing.
 */
export async function valuation(input: unknown, context: AgentContext): Promise<Valuation> {
  return perform('valuation', context, () => {
    const findings = {
      screening: outputOf(context, 'screening'),
      financial: outputOf(context, 'financial'),
      strategy: outputOf(context, 'strategy'),
    };
    return valueCompany(findings, readAssumptions(input));
  });
}

/**
 * Writes `<TICKER>.svg` and `<TICKER>.md` into `BOSUN_REPORTS_DIR`, or else `reports` in the run's data directory,
 * beside its store. Writing them again changes no byte.
 */
export async function report(_input: unknown, context: AgentContext): Promise<WrittenReport> {
  return perform('report', context, async () => {
    const { markdown, chart } = composeReport({
      screening: outputOf(context, 'screening'),
      business: outputOf(context, 'business'),
      financial: outputOf(context, 'financial'),
      strategy: outputOf(context, 'strategy'),
      valuation: outputOf(context, 'valuation'),
    });
    const directory = process.env['BOSUN_REPORTS_DIR'] || join(process.env['BOSUN_DATA_DIR'] || 'data', 'reports');
    // The chart first, so that the link in a written page always leads somewhere.
    const files = [
      await writeHashed(join(directory, `${context.item}.svg`), chart),
      await writeHashed(join(directory, `${context.item}.md`), markdown),
    ];
    return { ticker: context.item, files };
  });
}

/** Wraps the work of every stage: records its execution, takes its time, stops when told to. */
async function perform<Stage extends keyof StageOutputs>(
  stage: Stage,
  context: AgentContext,
  work: () => StageOutputs[Stage] | Promise<StageOutputs[Stage]>,
): Promise<StageOutputs[Stage]> {
  context.signal.throwIfAborted();
  await recordExecution(stage, 'start', context);
  await pace(context.signal);
  const output = await work();
  context.signal.throwIfAborted();
  await recordExecution(stage, 'finish', context);
  return output;
}

async function writeHashed(path: string, content: string): Promise<WrittenFile> {
  await writeFileDurably(path, content);
  return { path, bytes: Buffer.byteLength(content), sha256: createHash('sha256').update(content).digest('hex') };
}
