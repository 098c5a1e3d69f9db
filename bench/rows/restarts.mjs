/**
 * S1: the absence of a crashing child: from before the send of the event by which it fails until its restart under its
 * Boss is durable, against the idle acknowledgement of the same run, which is one epoch.
 */
import { join } from 'node:path';
import { brittleSystem } from '../brittle.mjs';
import { HAS_OTP, OTP_WORDS, startOtp } from '../otp.mjs';
import { inPairs } from '../rounds.mjs';
import { watchedStore } from '../stores.mjs';

export const restarts = {
  name: 'S1',
  title: 'Restart latency',
  about: ({ children, pairs }) =>
    `One of ${children} children at a time fails in an \`assign\` and is restarted from its initial state; ` +
    `${pairs.toLocaleString('en')} times a round. **durable**: ` +
    'on LevelDB, from before `system.send` until what the new start emits is out, so the failure, the decision, ' +
    "the start and the Boss's record are " +
    'on disk. **epoch**: the acknowledgement of an event that does no harm, to another child; one of each in ' +
    `turn, order swapped every time. ${OTP_WORDS}`,
  sizes: {
    full: { children: 10, pairs: 1_000 },
    quick: { children: 3, pairs: 30 },
  },
  ratios: [
    { name: 'crash to ready / idle epoch, p50', of: ({ durable, epoch }) => durable.p50Ms / epoch.p50Ms },
    { name: 'crash to ready / idle epoch, p99', of: ({ durable, epoch }) => durable.p99Ms / epoch.p99Ms },
    ...(HAS_OTP ? [{ name: 'crash to ready / otp, p50', of: ({ durable, otp }) => durable.p50Ms / otp.p50Ms }] : []),
  ],

  async open({ children, pairs }, directory) {
    const { store } = watchedStore(join(directory, 'durable'));
    const { system, strike, note, assertRestarts } = await brittleSystem(store, { bosses: 1, children });
    const otp = await startOtp(directory);
    let struck = 0;
    const crash = () => strike(0, [struck++ % children]);
    const calm = () => note(0, struck % children);
    return {
      subject: async () => {
        for (let pair = 0; pair < pairs; pair++) await crash();
      },
      async round() {
        const sample = await inPairs(pairs, { durable: crash, epoch: calm });
        await assertRestarts(struck);
        return { ...sample, ...(otp && { otp: await otp.ask('latency', children, pairs) }) };
      },
      async close() {
        otp?.close();
        await system.stop();
      },
    };
  },
};
