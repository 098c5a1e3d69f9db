/**
 * One caller spends its whole quota for longer than it takes to fill the tables of sessions, of recorded asks and of
 * answers: no send or ask of another caller is refused, and none is forgotten.
 */
import { expect, it } from 'vitest';
import { ASKS_MAX, CALLS_BURST, CALLS_PER_SECOND, SESSIONS_MAX } from '../../../src/limits.ts';
import { LONG } from '../../support/effort.ts';
import {
  type Frame,
  type GatewayTest,
  type MemoryClient,
  startGatewayTest,
} from '../../support/gateway/memory-client.ts';

const TOKENS = ['greedy', 'modest'].map((id) => ({ id, token: `token-of-${id}-0123456789` }));
const SEND = { m: 'actor.send', p: { address: 'visits', event: { type: 'add', by: 1 } } };
const ASK = { m: 'actor.ask', p: { address: 'visits', event: { type: 'count' } } };

/** Seconds until either table has been filled by one half of the calls. */
const SECONDS = Math.ceil(Math.max(ASKS_MAX, SESSIONS_MAX) / (CALLS_PER_SECOND / 2)) + 10;
/** Seconds between two calls of the other caller. */
const EVERY = 10;

/**
 * Makes all calls that a caller is allowed in one second, each with a key of its own, and some more. Counts the
 * answers.
 */
async function spend(
  { test, client, counts }: { test: GatewayTest; client: MemoryClient; counts: Record<string, number> },
  second: number,
): Promise<void> {
  client.frames.length = 0;
  const calls = second === 0 ? CALLS_BURST + 10 : CALLS_PER_SECOND + 1;
  for (let n = 0; n < calls; n++) {
    const id = `${second}-${n}`;
    client.send({ t: 'req', id, key: id, ...(n % 2 === 0 ? SEND : ASK) });
  }
  await test.settle();
  for (const frame of client.of('res')) counts[outcome(frame)] = (counts[outcome(frame)] ?? 0) + 1;
}

function outcome(frame: Frame): string {
  return frame['ok'] === true ? 'ok' : (frame['e'] as { code: string }).code;
}

it('a caller that spends its whole quota takes no send and no ask from another (F3)', LONG, async () => {
  const test = await startGatewayTest({ tokens: TOKENS });
  const [greedy, modest] = await Promise.all(TOKENS.map(({ token }) => test.client({ token })));
  const keyed = (key: string, call: typeof SEND | typeof ASK) => test.call(modest!, call.m, call.p, { key });
  const first = await keyed('the first ask', ASK);
  expect(outcome(await keyed('the first send', SEND))).toBe('ok');
  const counts: Record<string, number> = {};
  for (let second = 0; second < SECONDS; second++) {
    await spend({ test, client: greedy!, counts }, second);
    if (second % EVERY === 0) {
      expect(outcome(await keyed(`send ${second}`, SEND))).toBe('ok');
      expect(outcome(await keyed(`ask ${second}`, ASK))).toBe('ok');
    }
    await test.test.clock.advance(1_000, () => Promise.resolve());
  }
  expect(counts['BOSUN_RATE_LIMITED']).toBeGreaterThan(0);
  expect(counts['ok']).toBeGreaterThan(SESSIONS_MAX + ASKS_MAX);
  expect(await keyed('the first send', SEND)).toMatchObject({ ok: true, replayed: true });
  // The count has grown since, so only a recorded reply is the same.
  expect((await keyed('the first ask', ASK))['r']).toEqual(first['r']);
  await test.stop();
});
