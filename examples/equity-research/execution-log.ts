/**
 * Evidence for the kill tests: when the environment variable `BOSUN_EXECUTION_LOG` names a file, every agent writes a
 * line there as it starts and as it finishes. It lies outside of the store on purpose: it shows what really ran, not
 * what the store believes. Without the variable nothing is written.
 */
import { open } from 'node:fs/promises';
import type { AgentContext } from './agent-context.ts';

/** A line of the log, as JSON. */
export interface ExecutionLine {
  /** `item/stage`, for example `AAPL/screening`. */
  readonly task: string;
  readonly phase: 'start' | 'finish';
  readonly effectId: string;
  readonly attempt: number;
}

/** Appends a line and waits until it is on disk. One `write` of one line: lines of parallel agents do not mix. */
export async function recordExecution(
  stage: string,
  phase: ExecutionLine['phase'],
  context: AgentContext,
): Promise<void> {
  const path = process.env['BOSUN_EXECUTION_LOG'];
  if (path === undefined || path === '') return;
  const { item, effectId, attempt } = context;
  const line: ExecutionLine = { task: `${item}/${stage}`, phase, effectId, attempt };
  const file = await open(path, 'a');
  try {
    await file.write(`${JSON.stringify(line)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}
