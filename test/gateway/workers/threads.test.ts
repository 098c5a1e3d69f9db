/** A gateway over workers that are threads: its clients lose and double no send when workers are killed. */
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '../../../src/client/client.ts';
import { createGateway, type Gateway } from '../../../src/gateway/network/server.ts';
import { randomOf } from '../../support/chance.ts';
import { byEffort, PATIENCE_MS } from '../../support/effort.ts';
import { type Context, newDirectory, spread, upTo } from '../../support/workers/spread-threads.ts';

const gateways: Gateway[] = [];
afterEach(() => gateways.splice(0).forEach((gateway) => gateway.abandon()));

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const RATE = { burst: 100_000, perSecond: 100_000 };

describe('a gateway over workers in threads', () => {
  it('loses and doubles no send, answers asks and shows true views while workers are killed', async () => {
    const random = randomOf('a gateway over threads');
    const system = await spread(newDirectory(), { exported: 'killedByHand' }).start();
    const gateway = createGateway(system, { port: 0, rate: RATE });
    gateways.push(gateway);
    const { url } = await gateway.listen();
    const client = createClient(url, { WebSocket, random: { next: () => 0.1 } });
    const names = ['a', NAMES.find((name) => system.workerOf(name) !== system.workerOf('a'))!];
    const [one, other] = names.map((name) => client.actor(name)) as [
      ReturnType<typeof client.actor>,
      ReturnType<typeof client.actor>,
    ];
    await one.send({ type: 'befriend', address: names[1]! });
    await other.send({ type: 'befriend', address: names[0]! });
    for (const actor of [one, other]) await actor.waitFor(({ value }) => value === 'friends');
    const seen: number[][] = [[], []];
    const stops = [one, other].map((actor, index) =>
      actor.subscribe(({ context }) => seen[index]!.push((context as unknown as Context).sum)),
    );
    const deaths = byEffort({ quick: 2, ci: 6, soak: 30 });
    const counts = [0, 0];
    for (let death = 0; death < deaths; death++) {
      const sends = upTo(40).map(() => {
        const index = random.next() < 0.5 ? 0 : 1;
        return [one, other][index]!.send({ type: 'count', number: counts[index]!++ });
      });
      await Promise.all(sends.slice(0, Math.floor(random.next() * sends.length)));
      await system.killWorker(death % 2);
      const asked = await one.ask({ type: 'who' }, { timeoutMs: PATIENCE_MS });
      expect(asked).toEqual({ ref: { actor: names[0] } });
      await Promise.all(sends);
    }
    for (const [index, actor] of [one, other].entries()) {
      const settled = await actor.waitFor(
        ({ context }) =>
          (context as unknown as Context).counted.length >= counts[1 - index]! &&
          (context as unknown as Context).sum >= counts[index]!,
      );
      const { counted, sum } = settled.context as unknown as Context;
      expect([...counted].sort((a, b) => a - b)).toEqual(upTo(counts[1 - index]!));
      expect(sum).toBe(counts[index]);
      expect(seen[index]).toEqual([...seen[index]!].sort((a, b) => a - b));
      expect(seen[index]!.at(-1)).toBe(sum);
    }
    stops.forEach((stop) => stop.unsubscribe());
    client.close();
  });
});
