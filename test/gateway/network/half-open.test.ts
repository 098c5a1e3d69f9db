/**
 * A crowd of half-open sockets of one address, kept up for the whole test: a client that comes from another address is
 * served all the while.
 */
import { expect, it, onTestFinished } from 'vitest';
import { createGateway } from '../../../src/gateway/network/server.ts';
import { memoryStore } from '../../../src/persistence/store/memory-store.ts';
import { Shard } from '../../../src/shard.ts';
import { byEffort, LONG } from '../../support/effort.ts';
import { frame, handshake, RawPeer } from '../../support/gateway/raw-peer.ts';
import { shop } from '../../support/gateway/shop.ts';

const SOCKETS = 1_300;
/** Rounds in which a client comes twice, with the crowd whole at the beginning of each. */
const ROUNDS = byEffort({ quick: 5, ci: 20, soak: 600 });
/** The kinds of sockets, used in turn. */
const HALVES = ['', 'GET /v1/ws HTTP/1.1\r\nHost: loc', handshake({ Host: 'evil.example' })];

/** One place in the crowd. Its socket is followed by one of the next kind when it has been closed. */
class Place {
  readonly #number: number;
  #opened = 0;
  #half: RawPeer | undefined;

  constructor(number: number) {
    this.#number = number;
  }

  get opened(): number {
    return this.#opened;
  }

  /** Sees to it that the place has a socket, unless the gateway refuses it at the door. */
  async fill(port: number): Promise<void> {
    if (this.#half?.isOpen === true) return;
    this.#half?.destroy();
    try {
      this.#half = await RawPeer.open(port, { isStubborn: true });
      this.#half.write(HALVES[(this.#number + this.#opened) % HALVES.length]!);
      this.#opened += 1;
    } catch {
      // Refused at the door, which is as good.
    }
  }

  empty(): void {
    this.#half?.destroy();
  }
}

async function isAnswered(port: number, data: readonly (string | Uint8Array)[], wanted: string): Promise<void> {
  const peer = await RawPeer.open(port, { from: '127.0.0.2' });
  for (const part of data) peer.write(part);
  try {
    expect(await peer.until((text) => text.includes(wanted))).toContain(wanted);
  } finally {
    peer.destroy();
  }
}

it(`${SOCKETS} half-open sockets from one address keep nobody at another address out (F2)`, LONG, async () => {
  const system = await new Shard({ ...shop(), store: memoryStore(), durability: 'memory', log: () => {} }).start();
  onTestFinished(() => system.stop());
  const ANY = { burst: 1e9, perSecond: 1e9 };
  const gateway = createGateway(system, { port: 0, connectRate: ANY });
  onTestFinished(() => gateway.close());
  const { port } = await gateway.listen();
  const crowd = Array.from({ length: SOCKETS }, (_, number) => new Place(number));
  onTestFinished(() => crowd.forEach((place) => place.empty()));
  const probe = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
  const hello = frame(JSON.stringify({ t: 'hello', v: 1 }));
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(crowd.map((place) => place.fill(port)));
    await isAnswered(port, [probe], '200 OK');
    await isAnswered(port, [handshake(), hello], '"t":"welcome"');
  }
  const opened = crowd.reduce((sum, place) => sum + place.opened, 0);
  console.log(`half-open: ${opened} sockets, ${2 * ROUNDS} answers`);
  expect(opened).toBeGreaterThanOrEqual(SOCKETS);
});
