/** Mutations of valid frames: the gateway answers or closes, changes no actor, and never throws. */
import { describe, expect, it } from 'vitest';
import { METHODS } from '../../../src/gateway/calls/methods.ts';
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';
import { randomOf } from '../../support/chance.ts';
import { MemoryClient, startGatewayTest } from '../../support/gateway/memory-client.ts';
import { byEffort } from '../../support/effort.ts';

const FRAMES = byEffort({ quick: 150, ci: 8_000, soak: 500_000 });

/** Methods that a whole frame may well carry out are not among them: what is asserted is that nothing changes. */
const READS = Object.entries(METHODS).filter(([, { does }]) => does === 'nothing');

const CORPUS: readonly object[] = [
  { t: 'hello', v: 1, client: { name: 'fuzz' }, session: 'session-of-the-fuzzer-0' },
  ...READS.map(([m, { example }], n) => ({ t: 'req', id: `${n}`, m, p: example.p, deadlineMs: 1 })),
  {
    t: 'req',
    id: 'e',
    m: 'actor.send',
    p: { address: 'visits', event: { type: 'xstate.stop', deep: [[[[{}]]]] } },
    seq: 1,
  },
  { t: 'req', id: 'u', m: 'actor.send', p: { address: 'nobody', event: { type: 'add', by: 1 } }, key: 'k' },
  { t: 'sub', id: 's', topic: 'actor/visits', from: { epoch: 'x', seq: 3 }, maxHz: 3 },
  { t: 'sub', id: 'v', topic: 'events/**', mode: 'events' },
  { t: 'unsub', id: 's' },
  { t: 'cancel', id: '1' },
  { t: 'ping' },
];

const SCRAPS = [
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\\u0000',
  '\\ud800',
  'null',
  'true',
  '1e999',
  '-0',
  '__proto__',
  'constructor',
  'xstate.',
  '**',
  '%2e%2e',
  '\u202e',
  '9007199254740993',
].map((text) => Buffer.from(text));

function mutated(random: SeededRandom, data: Buffer): Buffer {
  const int = (max: number) => Math.floor(random.next() * max);
  let bytes = Buffer.from(data);
  for (let left = 1 + int(4); left > 0; left--) {
    const at = int(bytes.length + 1);
    const to = Math.min(bytes.length, at + int(8));
    switch (int(6)) {
      case 0:
        if (bytes.length > 0) bytes[int(bytes.length)]! ^= 1 << int(8);
        break;
      case 1:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
        break;
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, at), SCRAPS[int(SCRAPS.length)]!, bytes.subarray(at)]);
        break;
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, to), bytes.subarray(at, to), bytes.subarray(to)]);
        break;
      case 4:
        if (at < bytes.length) bytes[at] = int(256);
        break;
      default:
        bytes = bytes.subarray(0, at);
    }
  }
  return bytes;
}

describe('the gateway', () => {
  it(`answers or closes on ${FRAMES} mutated frames, and changes no actor`, async () => {
    const test = await startGatewayTest({ rate: { burst: 1e9, perSecond: 1e9 } });
    const before = ['visits', 'till', 'back/visits'].map((address) => test.test.shard.snapshot(address));
    const random = randomOf('mutated frames');
    const corpus = CORPUS.map((frame) => Buffer.from(JSON.stringify(frame)));
    let [client, closes, answers] = [await test.client(), 0, 0];
    for (let n = 0; n < FRAMES; n++) {
      const bytes = mutated(random, corpus[Math.floor(random.next() * corpus.length)]!);
      client.raw(bytes.toString());
      if (n % 64 === 63) await test.settle();
      if (client.closed === undefined) continue;
      expect([4400, 4409], JSON.stringify(client.last('err'))).toContain(client.closed.code);
      closes += 1;
      answers += client.frames.length;
      client.drop();
      client = new MemoryClient(test.gateway);
      if (random.next() < 0.9) client.hello();
      await new Promise<void>((resolve) => test.test.clock.defer(resolve));
    }
    await test.settle();
    expect(['visits', 'till', 'back/visits'].map((address) => test.test.shard.snapshot(address))).toEqual(before);
    expect(test.logged).toEqual([]);
    expect(test.gateway.counts['refused.BOSUN_INTERNAL']).toBe(undefined);
    expect(closes).toBeGreaterThan(FRAMES / 100);
    expect(answers).toBeGreaterThan(closes);
    await test.stop();
  });
});
