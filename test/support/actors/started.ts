/** How tests of actors start a system, and start it again. */
import { onTestFinished } from 'vitest';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';

/** It is stopped when the test that starts it is over; one that is down by then is left as it is. */
export async function started(options: TestSystemOptions): Promise<TestSystem> {
  const test = await startTestSystem(options);
  onTestFinished(() => test.system.stop().catch(() => {}));
  return test;
}

/** Power loss, and the next start. */
export async function crash(test: TestSystem): Promise<void> {
  await test.crash();
  await test.restart();
}
