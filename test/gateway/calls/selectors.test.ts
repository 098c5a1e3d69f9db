/** Values that the host derives from contexts for clients: the same in front of one system and of several workers. */
import { describe, expect, it } from 'vitest';
import { startGatewayTest } from '../../support/gateway/memory-client.ts';
import { startSpreadGateway } from '../../support/gateway/workers-kit.ts';

const selectors = {
  counter: { isOdd: ({ count }: { readonly count: number }) => count % 2 === 1 },
  till: { whole: (context: unknown) => context },
};

describe('a selector', () => {
  it('returns the value that its function derives from the context', async () => {
    const test = await startGatewayTest({ selectors });
    const client = await test.client();
    const isOdd = async () => await test.call(client, 'actor.select', { address: 'visits', selector: 'isOdd' });
    expect(await isOdd()).toMatchObject({ ok: true, r: { value: false } });
    await test.call(client, 'actor.send', { address: 'visits', event: { type: 'add', by: 1 } });
    expect(await isOdd()).toMatchObject({ ok: true, r: { value: true } });
    await test.stop();
  });

  it('works in front of several workers too', async () => {
    const test = await startSpreadGateway({ selectors });
    const client = await test.client();
    for (const address of test.pair)
      expect(await test.call(client, 'actor.select', { address, selector: 'isOdd' })).toMatchObject({
        r: { value: false },
      });
  });

  it('sees only what the caller may see', async () => {
    const token = 'a-token-of-16-characters';
    const test = await startGatewayTest({ selectors, tokens: [{ id: 'eye', token, addresses: ['till'] }] });
    const client = await test.client({ token });
    const select = (address: string, selector: string) => test.call(client, 'actor.select', { address, selector });
    const { r: view } = (await test.call(client, 'actor.get', { address: 'till' })) as unknown as {
      r: { context: object };
    };
    expect(await select('till', 'whole')).toMatchObject({ r: { value: view.context } });
    expect(await select('visits', 'isOdd')).toMatchObject({ ok: false, e: { code: 'BOSUN_FORBIDDEN' } });
    await test.stop();
  });

  it('is refused if the gateway was not given it, even if its name is that of an object method', async () => {
    const test = await startGatewayTest({ selectors });
    const client = await test.client();
    for (const selector of ['isEven', 'constructor', 'toString'])
      expect(await test.call(client, 'actor.select', { address: 'visits', selector })).toMatchObject({
        ok: false,
        e: { code: 'BOSUN_CALL_INVALID' },
      });
    await test.stop();
  });
});
