/** The client on a real socket, as Node 20 needs it: with the class of `ws` handed in. */
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '../../src/client/client.ts';
import { createGateway } from '../../src/gateway/network/server.ts';
import { memoryStore } from '../../src/persistence/store/memory-store.ts';
import { Shard } from '../../src/shard.ts';
import { shop } from '../support/gateway/shop.ts';
import { type Shop } from '../support/client/client-kit.ts';

it('DC-007: the client sends, asks, watches and reconnects after a gateway restart, over a real socket', async () => {
  const { agents, tree } = shop();
  const system = await new Shard({
    agents,
    tree: tree!,
    store: memoryStore(),
    durability: 'memory',
    log: () => {},
  }).start();
  onTestFinished(() => system.stop());
  const tokens = [{ id: 'ada', token: 'a-token-of-ada-0123456789' }];
  const first = createGateway(system, { port: 0, tokens });
  onTestFinished(() => first.abandon());
  const { url, port } = await first.listen();
  const client = createClient<Shop>(url, { WebSocket, token: tokens[0]!.token, random: { next: () => 0.1 } });
  onTestFinished(() => client.close());
  const visits = client.actor('visits', 'counter');
  await visits.send({ type: 'add', by: 2 }, { until: 'taken' });
  expect(await visits.ask({ type: 'count' })).toBe(2);
  const five = visits.waitFor(({ context }) => context.count === 5);
  first.abandon();
  const sent = visits.send({ type: 'add', by: 3 });
  const second = createGateway(system, { port, tokens });
  onTestFinished(() => second.close());
  await second.listen();
  expect(await sent).toEqual({ taken: null });
  expect((await five).context.count).toBe(5);
  client.close();
  expect(client.status.get()).toBe('closed');
});
