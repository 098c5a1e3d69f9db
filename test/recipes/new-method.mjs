/**
 * The recipe for a new method of the gateway, carried out on a copy of the repository:
 * `node test/recipes/new-method.mjs`. Adds a method that reads one agent of the system, which is then served by
 * WebSocket, HTTP, the documents and the command line, over one kernel as over workers. Prints the files that it takes,
 * and exits 1 where they are more than four, or where `npm run check` fails on the result.
 */
import { recipe } from './recipe.mjs';

const ROW = `  'agent.get': kernelMethod({
    means: 'One agent of the system: its version, and the events that it takes from outside, as JSON Schema.',
    scope: 'system:read',
    does: 'nothing',
    params: z.object({ name }),
    result: z.object({ name: z.string(), version: z.number(), events: z.record(z.string(), z.unknown()) }),
    http: { verb: 'GET', path: '/v1/agents/{name}' },
    example: { p: { name: 'counter' }, r: { name: 'counter', version: 1, events: {} } },
    over: 'any',
    run: ({ name }, _, { system }) => {
      const agent = system.clientApi.agent(name);
      if (agent !== undefined) return agentView(agent);
      throw new BosunError('BOSUN_AGENT_UNKNOWN', \`the system has no agent \${JSON.stringify(name)}\`);
    },
  }),
`;

const LINE =
  '| `agent.get` | `name` | `GET /v1/agents/{name}` | `system:read` |  | One agent of the system: its version, and ' +
  'the events that it takes from outside, as JSON Schema. |\n';

const EXAMPLE = `    {"m":"agent.get","p":{"name":"counter"}}
    {"name":"counter","version":1,"events":{}}
`;

const TEST = `import { describe, expect, it } from 'vitest';
import { startGatewayTest } from '../../support/gateway/memory-client.ts';
import { startSpreadGateway } from '../../support/gateway/workers-kit.ts';

describe.each([
  ['one kernel', startGatewayTest],
  ['two workers', startSpreadGateway],
])('agent.get in front of %s', (_, start) => {
  it('shows one agent, and refuses the name of none', async () => {
    const kit = await start({});
    const client = await kit.client();
    const answer = await kit.call(client, 'agent.get', { name: 'counter' });
    expect(answer).toMatchObject({ ok: true, r: { name: 'counter', version: 1 } });
    const refused = await kit.call(client, 'agent.get', { name: 'nobody' });
    expect(refused).toMatchObject({ ok: false, e: { code: 'BOSUN_AGENT_UNKNOWN' } });
  });
});
`;

recipe({
  filesMax: 4,
  change(changes) {
    const rows = 'src/gateway/calls/system-methods.ts';
    changes.insert(rows, { before: "  'system.info': kernelMethod({", text: ROW });
    changes.insert(rows, { before: 'import { mayReach }', text: "import { BosunError } from '../../errors.ts';\n" });
    changes.insert('docs/protocol.md', { before: '| `system.info` |', text: LINE });
    changes.insert('docs/protocol.md', { before: '    {"m":"system.info"', text: EXAMPLE });
    changes.insert('CHANGELOG.md', { before: '- **', text: '- **Gateway**: the method `agent.get`.\n' });
    changes.create('test/gateway/calls/agent-get.test.ts', TEST);
  },
  check({ node }) {
    node('.ci/check.mjs');
  },
});
