/** The gateway of a running system as the verbs of the command line see it. */
import { expect, it } from 'vitest';
import { LiveGateway } from '../../src/cli/live-gateway.ts';
import { createGateway } from '../../src/gateway/network/server.ts';
import { TABLE_ROWS_SHOWN } from '../../src/limits.ts';
import { gateAgents, gateChildren, type GateDeskContext, gatesIn } from '../../src/machines/people/gates/gate-desk.ts';
import { DESKS } from '../../src/machines/work/system-ids.ts';
import { startTestSystem } from '../../src/testing/test-system.ts';

const TOKEN = 'x'.repeat(32);

it('has all records of a desk, also those that a view leaves out', async () => {
  const { system } = await startTestSystem({ agents: gateAgents, tree: { children: gateChildren() } });
  const gateway = createGateway(system, { port: 0, operator: TOKEN });
  const { url } = await gateway.listen();
  const count = TABLE_ROWS_SHOWN + 10;
  const question = {
    type: 'gate.open',
    kind: 'k',
    title: 't',
    package: {},
    audience: ['*'],
    form: {},
    deadlineMs: null,
  };
  for (let n = 0; n < count; n++) await system.send(DESKS.gates, { ...question, id: `gate-${n}` });
  await system.idle();
  const { context } = await new LiveGateway({ url, token: TOKEN }).actor<GateDeskContext>(DESKS.gates);
  expect(gatesIn(context!).map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, n) => `gate-${n}`));
  await gateway.close();
  await system.stop();
});
