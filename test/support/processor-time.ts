/** Processor time of work, for tests that bound its cost. Other work on the machine does not count. */

/**
 * @param work The only work in its process: its threads are counted, and so would be anything beside it.
 * @returns The result, and the milliseconds of processor time in user and system mode.
 */
export async function processorTimeOf<T>(
  work: () => T | Promise<T>,
): Promise<{ readonly result: T; readonly tookMs: number }> {
  const since = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(since);
  return { result, tookMs: (user + system) / 1_000 };
}
