/** BullMQ as a contender: a queue and a worker in this process, on a redis of their own. */
import { HAS_REDIS, redisServer } from './redis.mjs';

const [bullmq, ioredis] = await Promise.all([import('bullmq'), import('ioredis')]).catch(() => []);

/** Whether BullMQ and its client are installed and there is a redis. */
export const HAS_BULLMQ = HAS_REDIS && bullmq !== undefined;

/** @returns A contender of the row about peers. */
export async function startJobs(directory, concurrency) {
  const { path, close } = await redisServer(directory);
  const connection = new ioredis.Redis(path, { maxRetriesPerRequest: null });
  const queue = new bullmq.Queue('counters', { connection, defaultJobOptions: { removeOnComplete: true } });
  const events = new bullmq.QueueEvents('counters', { connection });
  const worker = new bullmq.Worker('counters', ({ data }) => connection.hincrby('counters', String(data.counter), 1), {
    connection,
    concurrency,
  });
  await Promise.all([events.waitUntilReady(), worker.waitUntilReady()]);
  return {
    async increment(counter) {
      const job = await queue.add('increment', { counter });
      await job.waitUntilFinished(events);
    },
    async total() {
      const counts = await connection.hvals('counters');
      return counts.reduce((sum, count) => sum + Number(count), 0);
    },
    async close() {
      await worker.close();
      await events.close();
      await queue.close();
      connection.disconnect();
      await close();
    },
  };
}
