/** Topics of the mode `state` as a client watches them: one view after the other, also across breaks. */
import { describe, expect, it } from 'vitest';
import { type ClientError } from '../../src/client/client-error.ts';
import { LISTING_HZ } from '../../src/gateway/limits.ts';
import { startClientTest } from '../support/client/client-kit.ts';

const LONG_MS = 31_000;
const FRAME_MS = 1_000 / LISTING_HZ;

interface Tree {
  readonly address: string;
  readonly children: readonly { readonly address: string; readonly status: string }[];
}

describe('watch', () => {
  it('reports the first view, then each view that differs from the one before', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const seen: string[] = [];
    const subscription = client.watch<Tree>('tree', {
      next: ({ children }) =>
        seen.push(
          children
            .filter(({ status }) => status === 'suspended')
            .map(({ address }) => address)
            .join(),
        ),
    });
    await test.settle();
    await test.host.test.shard.admin.suspend('visits', { by: 'ada' });
    await test.advance(FRAME_MS);
    expect(seen).toEqual(['', 'visits']);
    subscription.unsubscribe();
    await test.host.test.shard.admin.resume('visits', { by: 'ada' });
    await test.advance(FRAME_MS);
    expect(seen).toHaveLength(2);
    await test.stop();
  });

  it('confirms an unchanged view after a break, and reports a changed one', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const seen: string[] = [];
    client.watch<{ readonly letters: readonly unknown[] }>('dead-letters', {
      next: ({ letters }) => seen.push(`${letters.length} letters`),
      confirmed: () => seen.push('confirmed'),
    });
    await test.settle();
    test.cut();
    await test.advance(LONG_MS);
    expect(seen).toEqual(['0 letters', 'confirmed']);
    test.cut();
    for (let n = 0; n < 2; n++) await test.host.test.shard.send('visits', { type: 'fail' });
    await test.advance(LONG_MS);
    expect(seen.slice(0, 2)).toEqual(['0 letters', 'confirmed']);
    expect(seen.at(-1)).toMatch(/^[12] letters$/);
    await test.stop();
  });

  it('ends with an error for an unknown actor or topic, and when the client closes', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const errors: string[] = [];
    const error = ({ code }: ClientError) => errors.push(code);
    client.watch('inspection/nobody', { next: () => {}, error });
    client.watch('no/such/topic', { next: () => {}, error });
    await test.settle();
    expect(errors).toEqual(['BOSUN_ACTOR_UNKNOWN', 'BOSUN_CALL_INVALID']);
    client.watch('tree', { next: () => {}, error });
    client.close();
    client.watch('tree', { next: () => {}, error });
    expect(errors.slice(2)).toEqual(['BOSUN_CLIENT_CLOSED', 'BOSUN_CLIENT_CLOSED']);
    await test.stop();
  });
});

describe('welcome', () => {
  it('is the last one that the gateway sent, and is known when the client is live', async () => {
    const test = await startClientTest();
    const client = test.client();
    expect(client.welcome).toBe(undefined);
    const instances: (string | undefined)[] = [];
    client.status.subscribe((status) => status === 'live' && instances.push(client.welcome?.server.instance));
    await test.settle();
    expect(client.welcome?.principal).toMatchObject({ id: 'local', mayDestroy: false });
    await test.crash();
    await test.advance(LONG_MS);
    await test.restart();
    await test.advance(LONG_MS);
    expect(instances).toHaveLength(2);
    expect(new Set(instances)).not.toContain(undefined);
    expect(new Set(instances).size).toBe(2);
    await test.stop();
  });
});
