/** The timetable of the seed's example in the whole crew, without its barrier. */
import { expect, it } from 'vitest';
import { SEED_AGENT_TYPES } from '../../../src/machines/coordination/coordinator/agent-registry.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { fixture } from '../../support/fixtures/plans/plans.ts';
import { startWholeCrew } from '../../support/machines/whole-crew.ts';

const MINUTE_MS = 60_000;

it('CA-E05: the report of AAPL is written from 7 to 8 without the barrier, and the plan still takes 9', async () => {
  const seed = fixture('equity-research', { capacity: {} });
  const plan = { ...seed, tasks: seed.tasks.map((task) => ({ ...task, barrier: false as const, timeoutMs: null })) };
  const clock = new VirtualClock();
  const startMs = clock.wallMs();
  const minute = () => (clock.wallMs() - startMs) / MINUTE_MS;
  const ran: Record<string, readonly [number, number]> = {};
  const work =
    (agent: string): AgentFunction =>
    async (_, { item, signal }) => {
      const { id, duration } = plan.tasks.find((task) => task.agent === agent && task.item === item)!;
      const from = minute();
      await new Promise<void>((resolve, reject) => {
        const stop = clock.setTimeout(() => resolve(), duration * MINUTE_MS);
        signal.addEventListener('abort', () => (stop(), reject(signal.reason as Error)));
      });
      ran[id] = [from, minute()];
    };
  const agents = Object.fromEntries(plan.tasks.map(({ agent }) => [agent, work(agent)]));
  const crew = await startWholeCrew(plan, agents, {}, clock, SEED_AGENT_TYPES);
  await crew.test.advance(9 * MINUTE_MS - 1);
  expect(crew.state()).toBe('working');
  await crew.test.advance(1);
  expect(crew.state()).toBe('completed');
  expect(ran).toMatchObject({
    'AAPL/valuation': [6, 7],
    'MSFT/valuation': [7, 8],
    'AAPL/report': [7, 8],
    'MSFT/report': [8, 9],
  });
});
