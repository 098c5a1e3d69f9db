/** `bosun mcp` as a coding agent's host starts it: on stdin and stdout, in a folder, with others beside it. */
import { afterEach, describe, expect, it } from 'vitest';
import { Repository } from '../support/cli/mcp-process.ts';
import { AGENTS } from '../support/cli/shop-config.ts';
import { Workspace } from '../support/cli/workspace.ts';
import { randomOf } from '../support/chance.ts';
import { byEffort, LONG } from '../support/effort.ts';
import { ERAS, overHttp, toldBy } from '../support/gateway/mcp-clients.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

function repository(): Repository {
  const made = new Repository();
  open.push(made);
  return made;
}

const ASSIGNS = 'assign({ count: ({ context, event }) =>';
const NOISE = "() => { process.stdout.write('noise'); }, ";

/** A config whose code writes to stdout as soon as it is loaded, and in each turn. */
const NOISY = `
console.log('noise of the config');
process.stdout.write('more noise');
${AGENTS.replace(ASSIGNS, `${NOISE}${ASSIGNS}`)}
export default {
  agents: [counter],
  tree: { intensity: 100, children: [{ id: 'visits', agent: 'counter', restart: 'permanent' }] },
  gateway: { mcpRate: { perSecond: 1_000, perMinute: 1_000 } },
};
`;
const QUIET = NOISY.replace(/^(console|process).*\n/gm, '').replace(NOISE, '');

/** Owners of one folder that are killed in turn, and events that another agent sends meanwhile, each time. */
const KILLS = byEffort({ quick: 1, ci: 3, soak: 30 });
const SENDS = 30;

/** Milliseconds within which each event is answered, also by the agent that has to take over first. */
const TAKEOVER_MS = 5_000;

const add = { address: 'visits', event: { type: 'add', by: 1 } };
const count = { address: 'visits', event: { type: 'count' } };

describe.each(ERAS)('a client %s on stdin and stdout', (era) => {
  it('reaches the desks of its folder without a config, and leaves nothing to commit', async () => {
    const work = repository();
    work.write('src/deep/file.ts', '');
    work.git('add', '-A');
    const agent = await work.mcp(era, [], 'src/deep');
    expect((await agent.tools()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['askQuestion', 'waitForAnswer', 'getNextTask', 'reportTaskDone', 'list_gates']),
    );
    expect(await agent.tools()).toHaveLength(12);
    expect(toldBy(await agent.call('list_gates'))).toMatchObject({ rows: {}, size: 0 });
    expect(toldBy(await agent.call('show_plan'))).toMatchObject({ error: { bosun_code: 'BOSUN_ACTOR_UNKNOWN' } });
    expect(toldBy(await agent.call('inspect_actor', { address: 'nobody' }))).toMatchObject({
      error: {
        bosun_code: 'BOSUN_ACTOR_UNKNOWN',
        fallback_suggested: expect.stringContaining('list_actors') as string,
      },
      context: { agent_name: 'mcp:agent' },
    });
    expect(work.git('status', '--porcelain')).toBe('A  src/deep/file.ts\n');
    expect(agent.err).toMatch(/^bosun mcp: runs answers about .* at http:\/\/127\.0\.0\.1:\d+, data in .*\.bosun$/m);
  });
});

describe('bosun mcp', () => {
  it('writes nothing but the protocol to stdout, whatever the code of a config writes', async () => {
    const work = repository();
    work.write('bosun.config.ts', NOISY);
    const call = (id: number, name: string, args: object) => ({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name, arguments: args },
    });
    const info = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '0' } };
    const { out, code } = await work.raw([
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: info },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      call(2, 'ask_actor', { ...add, event: { type: 'count' } }),
      call(3, 'send_event', add),
      call(4, 'no_tool', {}),
    ]);
    const lines = out.split('\n');
    expect(lines.pop()).toBe('');
    const said = lines.map((line) => JSON.parse(line) as { jsonrpc: string; id: number; error?: { code: number } });
    expect(said.map(({ jsonrpc }) => jsonrpc)).toEqual(['2.0', '2.0', '2.0', '2.0']);
    expect(said.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4]);
    expect(said.find(({ id }) => id === 4)!.error!.code).toBe(-32602);
    expect(code).toBe(0);
  });

  it('refuses an invalid name, profile or config with a message', async () => {
    const work = new Workspace();
    open.push(work);
    const refused = async (...args: string[]) => {
      const { code, err } = await work.bosun(['mcp', ...args]);
      return `${code} ${err}`;
    };
    expect(await refused('--as', 'two words')).toMatch(/^2 .*Not a name: 1 to 64 letters/);
    expect(await refused('--profile', 'pirate')).toMatch(/^2 .*Not a list of profiles: runtime, coder, hub/);
    expect(await refused('--url', 'ftp://x')).toMatch(/^2 .*Not the URL of a gateway/);
    expect(await refused()).toMatch(/^2 bosun mcp speaks a protocol on stdin and stdout: start it as a program/);
    const broken = repository();
    broken.write('bosun.config.yaml', 'gateway: { port: high }');
    const agent = await broken.mcp();
    await expect(agent.tools()).rejects.toThrow('gateway.port: must be a number, not the text "high"');
    expect(agent.err).toContain('gateway.port: must be a number');
  });

  it('answers no questions that are meant for people, unless it is started as the operator', async () => {
    const work = repository();
    const agent = await work.mcp();
    const question = { kind: 'choice', title: 'Zod?', package: null, audience: ['ada'], form: { type: 'object' } };
    const event = { type: 'gate.open', id: 'q1', ...question, deadlineMs: null };
    expect(toldBy(await agent.call('ask_actor', { address: 'gates', event }))).toMatchObject({
      reply: { taken: true },
    });
    const answer = { gate: 'q1', by: 'ada', answer: { yes: true } };
    const forged = { type: 'gate.answer', ...answer };
    for (const [tool, args] of [
      ['answer_gate', answer],
      ['ask_actor', { address: 'gates', event: forged }],
      ['send_event', { address: 'gates', event: forged }],
      ['send_event', { address: 'open-gates/q1', event: forged }],
    ] as const)
      expect(toldBy(await agent.call(tool, args)), tool).toMatchObject({ error: { bosun_code: 'BOSUN_FORBIDDEN' } });
    expect((await agent.tools()).map(({ name }) => name)).not.toContain('answer_gate');
    expect(toldBy(await agent.call('show_gate', { gate: 'q1' }))).toMatchObject({ gate: { isOver: false } });

    const operator = await work.mcp('of 2026', ['--as-operator']);
    expect((await operator.tools()).map(({ name }) => name)).toContain('answer_gate');
    expect(toldBy(await operator.call('answer_gate', { ...answer, by: 'eve' }))).toMatchObject({ taken: false });
    expect(toldBy(await operator.call('answer_gate', answer))).toMatchObject({ taken: true });
    const closed = await agent
      .call('wait_for_actor', { address: 'gates', timeoutMs: 1 })
      .then(() => agent.call('show_gate', { gate: 'q1' }));
    expect(toldBy(closed)).toMatchObject({ gate: { phase: 'answered', result: { by: 'ada' } } });
  });

  it(`takes over within ${TAKEOVER_MS} ms when its owner is killed, and loses and doubles nothing`, LONG, async () => {
    const work = repository();
    work.write('bosun.config.ts', QUIET);
    const random = randomOf('owners of a folder');
    let owner = await work.mcp('of 2026', ['--as', 'agent-0']);
    expect(toldBy(await owner.call('ask_actor', count))).toEqual({ reply: 0 });
    for (let kills = 1; kills <= KILLS; kills++) {
      const other = await work.mcp(ERAS[kills % ERAS.length], ['--as', `agent-${kills}`]);
      await other.call('list_actors');
      expect(other.err).toContain('joined the system at');
      const sends = Array.from({ length: SENDS }, () => other.call('send_event', { ...add, timeoutMs: TAKEOVER_MS }));
      await sends[random.integer(SENDS / 2)];
      owner.kill();
      const answers = await Promise.all(sends);
      expect(answers.filter(({ isError }) => isError === true)).toEqual([]);
      expect(toldBy(await other.call('ask_actor', count))).toEqual({ reply: kills * SENDS });
      expect(other.err).toContain('bosun mcp: runs bosun.config.ts at');
      owner = other;
    }
  });

  it('keeps waiting when the owner of its folder is killed during a wait', async () => {
    const work = repository();
    work.write('bosun.config.ts', QUIET);
    const owner = await work.mcp();
    await owner.call('list_actors');
    const other = await work.mcp();
    await other.call('list_actors');
    const waiting = other.call('wait_for_actor', { address: 'visits', value: 'closed' });
    await other.call('list_waits');
    owner.kill();
    const third = await work.mcp();
    await third.call('send_event', { address: 'visits', event: { type: 'close' } });
    expect(toldBy(await waiting)).toMatchObject({ value: 'closed' });
  });

  it('takes over when the owner of its folder ends in good order while it waits', async () => {
    const work = repository();
    work.write('bosun.config.ts', QUIET);
    const owner = await work.mcp();
    await owner.call('list_actors');
    const other = await work.mcp();
    await other.call('list_actors');
    const waiting = other.call('wait_for_actor', { address: 'visits', value: 'closed' });
    await other.call('list_waits');
    await owner.close();
    await other.call('send_event', { address: 'visits', event: { type: 'close' } });
    expect(toldBy(await waiting)).toMatchObject({ value: 'closed' });
  });

  it('keeps two simultaneously served folders apart', async () => {
    const [one, two] = [repository(), repository()];
    for (const work of [one, two]) work.write('bosun.config.ts', QUIET);
    const [a, b] = [await one.mcp(), await two.mcp()];
    await a.call('send_event', add);
    expect(toldBy(await a.call('ask_actor', count))).toEqual({ reply: 1 });
    expect(toldBy(await b.call('ask_actor', count))).toEqual({ reply: 0 });
  });
});

describe('a client over HTTP', () => {
  it('survives that the server is killed during a wait', async () => {
    const work = new Workspace();
    open.push(work);
    work.write('bosun.config.ts', QUIET);
    const serve = (port: string) => work.spawn(['serve', '--data', 'kept', '--port', port, '--json']).serves();
    const first = await serve('0');
    const urlIn = (out: string) => /"url":"(http:[^"]+)"/.exec(out)![1]!;
    const url = urlIn(first.out + first.err);
    const client = await overHttp('of 2026', `${url}/mcp`);
    const wait = () => client.call('wait_for_actor', { address: 'visits', value: 'closed' });
    const broken = wait();
    await client.call('list_waits');
    await Promise.all([first.end('SIGKILL'), expect(broken).rejects.toThrow()]);
    const second = await serve(new URL(url).port);
    const waiting = wait();
    await client.call('send_event', { address: 'visits', event: { type: 'close' } });
    expect(toldBy(await waiting)).toMatchObject({ value: 'closed' });
    await client.close();
    await second.end('SIGTERM');
  });
});
