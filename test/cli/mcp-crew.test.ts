/** A coding agent beside a crew: `bosun mcp` joins the folder's plan, and sees what is paused and who is asked. */
import { afterEach, describe, expect, it } from 'vitest';
import { Repository } from '../support/cli/mcp-process.ts';
import { Workspace } from '../support/cli/workspace.ts';
import { toldBy } from '../support/gateway/mcp-clients.ts';

const work = new Repository();
const shell = new Workspace();
afterEach(async () => {
  await shell[Symbol.asyncDispose]();
  await work[Symbol.asyncDispose]();
});

const PLAN = `
version: 1
plan: research
agents: ./agents.mjs
stages:
  read: { agent: read, gate: { preset: G3 } }
  tell: { agent: read, after: [read] }
items: { AAPL: {}, TSLA: {} }
`;
const AGENTS = `
export async function read(_, { item }) {
  if (item === 'TSLA') await new Promise(() => {});
  return { files: [] };
}
`;

interface Plan {
  readonly items: readonly { readonly item: string; readonly gates: readonly string[]; readonly phase: string }[];
}

describe('the tools beside a crew', () => {
  it('are at most 12, those of the crew first, and tell what is paused and who is asked', async () => {
    work.write('plan.yaml', PLAN);
    work.write('agents.mjs', AGENTS);
    const file = (name: string) => `${work.path}/${name}`;
    const crew = shell.spawn(['serve', file('plan.yaml'), '--data', file('.bosun'), '--port', '0', '--json']);
    await crew.serves();
    const agent = await work.mcp('of 2026', ['--as', 'helper']);
    expect((await agent.tools()).map(({ name }) => name).sort()).toEqual([
      'ask_actor',
      'createTicket',
      'inspect_actor',
      'list_actors',
      'list_agents',
      'list_gates',
      'list_waits',
      'send_event',
      'show_chart',
      'show_history',
      'show_plan',
      'wait_for_actor',
    ]);

    const pause = await shell.bosun(['plan', 'pause', 'TSLA', '--reason', 'look first', '--data', file('.bosun')]);
    expect(pause).toMatchObject({ code: 0, err: '' });
    const wait = { address: 'pauses/TSLA', status: 'active' };
    expect((await agent.call('wait_for_actor', wait)).isError).not.toBe(true);
    await shell.looks(['gates', 'list', '--json', '--data', file('.bosun')], ({ out }) => out.includes('AAPL'));
    const plan = toldBy(await agent.call('show_plan')) as unknown as Plan;
    const [aapl, tsla] = plan.items as [Plan['items'][number], Plan['items'][number]];
    expect(tsla).toMatchObject({ item: 'TSLA', reason: 'look first', pause: { trigger: 'MANUAL' } });
    expect(aapl.gates).toHaveLength(1);

    const gates = toldBy(await agent.call('list_gates')) as { rows: Record<string, { id: string }> };
    expect(Object.values(gates.rows).map(({ id }) => id)).toEqual(aapl.gates);
    const [gate] = aapl.gates as [string];
    expect(toldBy(await agent.call('show_gate', { gate }))).toMatchObject({ gate: { isOver: false } });
    expect(toldBy(await agent.call('answer_gate', { gate, by: 'ada', answer: { decision: 'APPROVE' } }))).toMatchObject(
      { error: { bosun_code: 'BOSUN_FORBIDDEN' } },
    );
    expect((await crew.end('SIGTERM')).code).toBe(0);
  });
});
