/**
 * Hostile values in front of the gateway: subscribers get the part that JSON can express, and no other client is
 * affected.
 */
import { sendTo } from 'xstate';
import { expect, it } from 'vitest';
import { startTestSystem } from '../../../src/testing/test-system.ts';
import { keptDate } from '../../../src/unfreezable.ts';
import { agentOfPlace, custom, type Args, invoking } from '../../support/actors/hostile/place.ts';
import { HARMS, hostile } from '../../support/actors/hostile/values.ts';
import { GatewayTest } from '../../support/gateway/memory-client.ts';

/** Only a process that keeps a date looks for dates in what it shows. */
keptDate(0);

it('hostile values of custom logic reach subscribers in the form that JSON can express (F1)', async () => {
  const logic = custom({
    transition: (snapshot: { input: string }) => ({ ...snapshot, context: { held: hostile(snapshot.input) } }),
    getPersistedSnapshot: ({ input }: { input: string }) => ({ status: 'active', input }),
  });
  const place = { ...invoking(logic), take: undefined };
  const told = {
    on: { TAKE: { actions: sendTo('child', (({ context }: Args) => ({ type: 'GOT', context })) as never) } },
  };
  const agent = agentOfPlace('subject', { ...place, busy: { ...place.busy, ...told } });
  // To walk it would take for ever.
  const harms = HARMS.filter((what, index) => index % 6 === 0 && !what.includes('more items'));
  const children = harms.map((what, index) => ({ id: `s${index}`, agent: 'subject', input: { what } }));
  const test = new GatewayTest(
    await startTestSystem({ agents: [agent], tree: { intensity: 1_000_000, children } }),
    {},
  );
  const client = await test.client();
  for (const index of harms.keys())
    await test.call(client, 'actor.send', { address: `s${index}`, event: { type: 'TAKE' } });
  for (const index of harms.keys()) client.send({ t: 'sub', id: `w${index}`, topic: `actor/s${index}/child` });
  await test.settle();
  for (const index of harms.keys())
    await test.call(client, 'actor.send', { address: `s${index}`, event: { type: 'TAKE' } });
  await test.settle();
  expect(client.of('delta').length + client.of('snap').length).toBeGreaterThan(harms.length);
  expect(client.of('end')).toEqual([]);
  await test.stop();
});
