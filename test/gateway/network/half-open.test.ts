/**
 * A crowd of half-open sockets of one address, kept up for the whole test: a client that comes from another address is
 * served all the while.
 */
import { setTimeout as rest } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createGateway } from '../../../src/gateway/network/server.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { Shard } from '../../../src/shard.ts';
import { byEffort, EFFORT, LONG } from '../../support/effort.ts';
import { frame, handshake, RawPeer } from '../../support/gateway/raw-peer.ts';
import { shop } from '../../support/gateway/shop.ts';

const SOCKETS = 1_300;
const ATTACK_MS = byEffort({ quick: 1_500, ci: 5_000, soak: 60_000 });
/** The longest wait for an answer. Checked in the soak only, since the speed of a busy machine is unknown. */
const ANSWER_MS_MAX = EFFORT === 'soak' ? 1_000 : Infinity;
const AGAIN_MS = 500;
/** A socket that was cut off may not notice it. */
const LIFE_MS = 4_000;
/** The kinds of sockets, used in turn. */
const HALVES = ['', 'GET /v1/ws HTTP/1.1\r\nHost: loc', handshake({ Host: 'evil.example' })];

/** Replaces a closed socket by one of the next kind, after a pause: attacker and gateway share a processor. */
async function keepUp(port: number, number: number, isOver: () => boolean, stands: () => void): Promise<number> {
  let opened = 0;
  while (!isOver()) {
    try {
      const half = await RawPeer.open(port, { isStubborn: true });
      half.write(HALVES[(number + opened) % HALVES.length]!);
      opened += 1;
      stands();
      await Promise.race([half.end(), rest(LIFE_MS), over(isOver)]);
      half.destroy();
    } catch {
      // Refused at the door, which is as good.
    }
    await rest(AGAIN_MS);
  }
  return opened;
}

async function over(isOver: () => boolean): Promise<void> {
  while (!isOver()) await rest(250);
}

async function answered(port: number, data: readonly (string | Uint8Array)[], wanted: string): Promise<number> {
  const begun = performance.now();
  const peer = await RawPeer.open(port, { from: '127.0.0.2' });
  for (const part of data) peer.write(part);
  expect(await peer.until((text) => text.includes(wanted))).toContain(wanted);
  peer.destroy();
  return performance.now() - begun;
}

it(`${SOCKETS} half-open sockets from one address delay nobody at another address (F2)`, LONG, async () => {
  const system = await new Shard({ ...shop(), store: memoryStore(), durability: 'memory', log: () => {} }).start();
  const ANY = { burst: 1e9, perSecond: 1e9 };
  const gateway = createGateway(system, { port: 0, connectRate: ANY });
  const { port } = await gateway.listen();
  let endMs = Infinity;
  const isOver = () => performance.now() >= endMs;
  let crowd: Promise<number>[] = [];
  await new Promise<void>((stand) => {
    let left = SOCKETS;
    const stands = () => --left === 0 && stand();
    crowd = Array.from({ length: SOCKETS }, (_, number) => keepUp(port, number, isOver, stands));
  });
  endMs = performance.now() + ATTACK_MS;
  const probe = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
  const hello = frame(JSON.stringify({ t: 'hello', v: 1 }));
  const took: number[] = [];
  do {
    took.push(await answered(port, [probe], '200 OK'));
    took.push(await answered(port, [handshake(), hello], '"t":"welcome"'));
    await rest(100);
  } while (!isOver());
  const opened = (await Promise.all(crowd)).reduce((sum, one) => sum + one, 0);
  console.log(
    `half-open: ${opened} sockets in ${ATTACK_MS} ms, ${took.length} answers, the slowest after ` +
      `${took
        .sort((a, b) => b - a)
        .slice(0, 5)
        .map(Math.round)
        .join()} ms`,
  );
  expect(opened).toBeGreaterThanOrEqual(SOCKETS);
  expect(Math.max(...took)).toBeLessThan(ANSWER_MS_MAX);
  await gateway.close();
  await system.stop();
});
