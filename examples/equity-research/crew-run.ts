/**
 * Runs the six agents for one item in the order of the plan, without the runtime. For tests: outputs pass through JSON,
 * as they do in the store. Nothing is retried and nothing is kept.
 */
import type { AgentContext } from './agent-context.ts';
import * as agents from './agents.ts';
import type { StageOutputs } from './stage-outputs.ts';

/** A context as the runtime would pass it; `overrides` replace parts. */
export function contextOf(item: string, overrides: Partial<AgentContext> = {}): AgentContext {
  return {
    signal: new AbortController().signal,
    effectId: `effect-of-${item}`,
    attempt: 1,
    checkpoint: () => undefined,
    item,
    results: {},
    ...overrides,
  };
}

/** All outputs of one item, each as it comes back from JSON. */
export async function runCrew(item: string, input?: unknown): Promise<StageOutputs> {
  const results: { -readonly [Stage in keyof StageOutputs]?: StageOutputs[Stage] } = {};
  const run = async <Output>(agent: (input: unknown, context: AgentContext) => Promise<Output>): Promise<Output> =>
    // A value parsed from JSON has the type that went in, as long as outputs are plain data; a test proves that they
    // are.
    JSON.parse(JSON.stringify(await agent(input, contextOf(item, { results: { ...results } })))) as Output;
  results.screening = await run(agents.screening);
  results.business = await run(agents.business);
  results.financial = await run(agents.financial);
  results.strategy = await run(agents.strategy);
  results.valuation = await run(agents.valuation);
  const { screening, business, financial, strategy, valuation } = results;
  return { screening, business, financial, strategy, valuation, report: await run(agents.report) };
}
