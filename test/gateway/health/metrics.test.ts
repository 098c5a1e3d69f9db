/** `/metrics`, as a scraper reads it. */
import { afterEach, describe, expect, it } from 'vitest';
import { createGateway, type Gateway, type GatewayOptions } from '../../../src/gateway/network/server.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { shop } from '../../support/gateway/shop.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function scraped(options: GatewayOptions = {}) {
  const test: TestSystem = await startTestSystem(shop());
  const gateway: Gateway = createGateway(test.shard, { port: 0, ...options });
  const { url } = await gateway.listen();
  closers.push(async () => {
    gateway.abandon();
    await test.shard.stop();
  });
  const scrape = async (token?: string) => {
    const response = await fetch(
      `${url}/metrics`,
      token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } },
    );
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      samples: samplesOf(await response.text()),
    };
  };
  return { test, scrape };
}

/** Every line is a comment or a sample; by name and labels. */
function samplesOf(text: string): Readonly<Record<string, number>> {
  const lines = text
    .split('\n')
    .slice(0, -1)
    .filter((line) => !/^# (HELP|TYPE) bosun_\w+ .+$/.test(line));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([a-z_]+(?:\{[a-z]+="[^"\n]*"(?:,[a-z]+="[^"\n]*")*\})?) (\S+)$/.exec(line) ?? [];
      return [name ?? line, Number(value)];
    }),
  );
}

describe('/metrics', () => {
  it('counts actors, mailboxes, restarts, epochs and dead letters', async () => {
    const { test, scrape } = await scraped();
    const first = await scrape();
    expect(first).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' });
    expect(first.samples).toMatchObject({
      'bosun_actors{agent="counter",status="active"}': 2,
      bosun_store_available: 1,
      'bosun_restarts{agent="counter"}': 0,
      'bosun_gateway_total{what="requests"}': 1,
    });
    await test.shard.send('visits', { type: 'fail' });
    await test.settle();
    await test.shard.admin.suspend('till', { by: 'ada' });
    await test.shard.send('till', { type: 'pay', card: '1234', amount: 1 });
    await test.clock.advance(2_000, () => test.settle());
    const { samples } = await scrape();
    expect(samples).toMatchObject({
      'bosun_actors{agent="till",status="suspended"}': 1,
      'bosun_mailbox_messages{agent="till"}': 1,
      'bosun_dead_letters{reason="quarantined"}': 1,
      'bosun_dead_letters_total{reason="quarantined"}': 1,
      'bosun_gateway_total{what="requests"}': 2,
    });
    expect(samples['bosun_mailbox_oldest_seconds{agent="till"}']).toBeGreaterThanOrEqual(1);
    expect(samples['bosun_epochs_total']).toBeGreaterThan(first.samples['bosun_epochs_total']!);
    expect(Object.values(samples).filter((value) => !Number.isFinite(value))).toEqual([]);
  });

  it('needs the scope system:read if the gateway has tokens', async () => {
    const token = (id: string) => `token-of-${id}-0123456789`;
    const { scrape } = await scraped({
      tokens: [
        { id: 'eye', token: token('eye'), scopes: ['system:read'] },
        { id: 'eve', token: token('eve'), scopes: ['actor:read'] },
      ],
    });
    expect((await scrape()).status).toBe(401);
    expect((await scrape(token('eve'))).status).toBe(403);
    expect((await scrape(token('eye'))).status).toBe(200);
  });
});
