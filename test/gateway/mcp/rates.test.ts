/** Rates of tools' calls: at /mcp, by what bosun mcp sends, and as a rule about time. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolRates } from '../../../src/gateway/callers/tool-rates.ts';
import { type GatewayOptions } from '../../../src/gateway/network/server.ts';
import { DESK_TOKENS, deskByMcp } from '../../support/gateway/desk-by-mcp.ts';
import { errorOf, type McpClient } from '../../support/gateway/mcp-clients.ts';

/** The defaults, in front of which the general rate must not be the one that refuses. */
const DEFAULTS: GatewayOptions = { mcpRate: {}, rate: { burst: 10_000, perSecond: 10_000 } };

/** Calls a tool until it is refused, and says how often it was answered, and what the refusal says. */
async function calls(agent: McpClient) {
  for (let count = 0; ; count++) {
    const told = await agent.call('list_waits');
    if (told.isError === true) return { count, refused: errorOf(told) };
  }
}

describe('the rates of tools', () => {
  it('MX-121: let an agent call 10 tools a second, and then say when it may go on', async () => {
    const { client, test } = await deskByMcp({}, DEFAULTS);
    const agent = await client('of 2026');
    const { count, refused } = await calls(agent);
    expect(count).toBe(10);
    expect(refused).toMatchObject({
      ...{ code: 'RATE_LIMIT', bosun_code: 'BOSUN_RATE_LIMITED', severity: 'MEDIUM', retryable: true },
      retry_after_seconds: 1,
      message: 'too many calls: an agent may make 100 a minute and 10 a second, all agents 500 a minute',
    });
    await test.clock.advance(1_000, () => test.settle());
    expect((await calls(agent)).count).toBe(10);
  });

  it('MX-121: let an agent call 100 tools a minute', async () => {
    const { client, test } = await deskByMcp({}, DEFAULTS);
    const agent = await client('of 2026');
    for (let second = 0; second < 10; second++) {
      expect((await calls(agent)).count).toBe(10);
      await test.clock.advance(1_000, () => test.settle());
    }
    const { count, refused } = await calls(agent);
    expect([count, refused.code, refused.retry_after_seconds]).toEqual([0, 'RATE_LIMIT', 50]);
    const other = await client('of 2026', 'phone');
    expect((await calls(other)).count).toBe(10);
    await test.clock.advance(49_000, () => test.settle());
    expect((await calls(agent)).count).toBe(0);
    await test.clock.advance(1_000, () => test.settle());
    expect((await calls(agent)).count).toBe(10);
  });

  it('MX-121: let all agents together call 500 tools a minute', async () => {
    const agents = Array.from({ length: 6 }, (_, n) => ({ id: `agent-${n}`, token: `a-long-random-secret-${n}` }));
    const { client, test } = await deskByMcp({}, { ...DEFAULTS, tokens: [...DESK_TOKENS, ...agents] });
    const clients = await Promise.all(agents.map(({ id }) => client('of 2026', id)));
    let total = 0;
    for (let second = 0; second < 10; second++) {
      for (const agent of clients) total += (await calls(agent)).count;
      await test.clock.advance(1_000, () => test.settle());
    }
    expect(total).toBe(500);
  });

  it('count what is read as a resource, and not what lists', async () => {
    const { client } = await deskByMcp({}, { ...DEFAULTS, mcpRate: { perSecond: 2 } });
    const agent = await client('of 2025');
    for (let times = 0; times < 5; times++) await agent.tools();
    const read = () => agent.client.readResource({ uri: 'bosun://actor/answers' } as never);
    await read();
    await read();
    await expect(read()).rejects.toMatchObject({ code: -32_603, data: { error: { code: 'RATE_LIMIT' } } });
  });

  it('count the calls of a program that names itself, and of no other HTTP client', async () => {
    const operator = 'a-long-random-secret-of-the-operator';
    const { url } = await deskByMcp({}, { ...DEFAULTS, operator, mcpRate: { perSecond: 2 } });
    const read = async (more: Record<string, string>) => {
      const { status } = await fetch(`${url}/v1/waits`, { headers: { Authorization: `Bearer ${operator}`, ...more } });
      return status;
    };
    const statuses = async (more: Record<string, string>) => [await read(more), await read(more), await read(more)];
    expect(await statuses({ 'Bosun-As': 'mcp:one' })).toEqual([200, 200, 429]);
    expect(await statuses({ 'Bosun-As': 'mcp:two' })).toEqual([200, 200, 429]);
    expect(await statuses({})).toEqual([200, 200, 200]);
  });
});

describe('a bound of calls', () => {
  const rate = { perSecond: 3, perMinute: 7, allPerMinute: 9 };

  it('holds in any second and any minute, and refuses nobody longer than it must', () => {
    const agent = fc.constantFrom('a', 'b', 'c');
    const wait = fc.oneof(
      ...[fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 30_000 })],
      fc.integer({ min: 59_000, max: 61_000 }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(agent, wait), { minLength: 50, maxLength: 150 }), (steps) => {
        const rates = new ToolRates(rate, 10);
        const taken: { who: string; atMs: number }[] = [];
        const within = (who: string | undefined, ms: number, nowMs: number) =>
          taken.filter((one) => (who === undefined || one.who === who) && one.atMs > nowMs - ms).length;
        const fits = (who: string, nowMs: number) =>
          within(who, 1_000, nowMs) < rate.perSecond &&
          within(who, 60_000, nowMs) < rate.perMinute &&
          within(undefined, 60_000, nowMs) < rate.allPerMinute;
        let nowMs = 0;
        for (const [who, ms] of steps) {
          nowMs += ms;
          const owesMs = rates.take(who, nowMs);
          expect(owesMs === 0).toBe(fits(who, nowMs));
          if (owesMs === 0) taken.push({ who, atMs: nowMs });
          else expect([fits(who, nowMs + owesMs - 1), fits(who, nowMs + owesMs)]).toEqual([false, true]);
        }
      }),
    );
  });

  it('forgets the agent that has called least recently, if there are too many', () => {
    const rates = new ToolRates({ perSecond: 1 }, 2);
    expect(['a', 'b', 'b'].map((who) => rates.take(who, 0))).toEqual([0, 0, 1_000]);
    expect(['c', 'b', 'a'].map((who) => rates.take(who, 0))).toEqual([0, 1_000, 0]);
  });
});
