/** Start and restart of a system for tests of actors. */
import { onTestFinished } from 'vitest';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';

/** Starts a system that is stopped at the end of the test, unless it is down already. */
export async function started(options: TestSystemOptions): Promise<TestSystem> {
  const test = await startTestSystem(options);
  onTestFinished(() => test.shard.stop().catch(() => {}));
  return test;
}

/** Cuts the power and starts the system again. */
export async function crash(test: TestSystem): Promise<void> {
  await test.crash();
  await test.restart();
}
