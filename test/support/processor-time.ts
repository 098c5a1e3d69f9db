/**
 * The time that work takes of a processor: what a test bounds that calls something quick. What else the machine does is
 * not in it.
 */

/**
 * @param work Alone in its process: the threads that it starts are counted, and so would be what goes on beside it.
 * @returns What came of it, and the milliseconds of processor time, of the program and of the system for it.
 */
export async function processorTimeOf<T>(
  work: () => T | Promise<T>,
): Promise<{ readonly result: T; readonly tookMs: number }> {
  const since = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(since);
  return { result, tookMs: (user + system) / 1_000 };
}
