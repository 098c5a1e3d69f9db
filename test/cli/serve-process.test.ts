/**
 * `bosun serve` as a process manager sees it, and `bosun run --serve`: signals, and the store after an orderly end or a
 * kill.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { AGENTS } from '../support/cli/shop-config.ts';
import { type Ended, linesOf, Workspace } from '../support/cli/workspace.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

/** Ends when it is told to. */
const WAITING = '{ version: 1, plan: p, tasks: [{ id: a, run: "while [ ! -e go ]; do sleep 0.05; done" }] }';

/** One item is paused, and the other waits for people until a deadline. */
const HELD_UP = `
version: 1
plan: q
agents: ./held-up.mjs
stages:
  draft: { agent: draft, retry: { attempts: 1 }, gate: { name: ok, audience: [ada], deadlineMs: 3600000 } }
items: [A, B]
`;
const DRAFT = `export const draft = async (_, { item }) => { if (item === 'A') throw new Error('no data'); };`;

describe('bosun serve', () => {
  it('DC-006: drains at SIGTERM and exits with 0; after kill -9 it has the same states and deadlines', async () => {
    work.write('plan.yaml', '{ version: 1, plan: p, tasks: [{ id: a, run: "true" }] }');
    const first = await work.spawn(['serve', 'plan.yaml', '--json', '--port', '0', '--data', 'kept']).serves();
    await first.says('task.completed a');
    const tail = work.start(['tail', '--data', 'kept']);
    await tail.says('listening');
    const { code, out, err } = await first.end('SIGTERM');
    expect({ code, out: linesOf(out) }).toMatchObject({ code: 0, out: [{ type: 'serving' }] });
    expect(linesOf(err).map((line) => (line as unknown as { level: string }).level)).toEqual([
      'info',
      'info',
      'info',
      'info',
      'info',
    ]);
    await tail.says('waiting for the next one');
    expect(await tail.interrupt()).toMatchObject({ code: 130 });
    expect(work.has('kept/bosun.gateway.json')).toBe(false);

    work.write('held-up.mjs', DRAFT);
    work.write('held-up.yaml', HELD_UP);
    const second = await work.spawn(['serve', 'held-up.yaml', '--json', '--port', '0', '--data', 'killed']).serves();
    await second.says('item.paused A');
    const looks = ['ps', 'gates list'].map((verb) => [...verb.split(' '), '--data', 'killed']);
    const look = async () => {
      const said = [];
      for (const verb of looks) said.push((await work.bosun(verb)).out);
      return said;
    };
    const areTold = ({ out }: Ended) => (out.match(/"state":"DELIVERED"/g) ?? []).length === 2;
    await work.looks(['alerts', 'list', '--json', '--data', 'killed'], areTold);
    const live = await look();
    expect(live[0]).toMatch(/^pauses\/A +pause-manager +active +PAUSED .*$/m);
    expect(live[1]).toMatch(/^plan\.ok\.1 +open +ada +\S+Z +\S+Z +B /m);
    expect((await second.end('SIGKILL')).code).toBe(null);
    expect(work.has('killed/bosun.gateway.json')).toBe(true);
    expect(work.has('killed/store/CURRENT')).toBe(true);
    expect(await look()).toEqual(live);
    const third = work.spawn(['serve', 'held-up.yaml', '--json', '--port', '0', '--data', 'killed']);
    await third.says('"serving"');
    expect(await look()).toEqual(live);
    expect((await third.end('SIGTERM')).code).toBe(0);
  });

  it('goes on if an agent forgets a promise that fails, and says so (class A)', async () => {
    work.write(
      'forgetful.config.mts',
      `${AGENTS}
const forgetful = defineAgent({
  name: 'forgetful',
  machine: setup({}).createMachine({
    on: { mail: { actions: () => { (async () => { throw new Error('mail is down'); })(); } } },
  }),
  events: { mail: z.object({}) },
});
export default { agents: [counter, forgetful], tree: { children: [{ id: 'f', agent: 'forgetful' }] } };`,
    );
    const serving = work.spawn([
      'serve',
      '--config',
      'forgetful.config.mts',
      '--json',
      '--port',
      '0',
      '--data',
      'mail',
    ]);
    await serving.says('"serving"');
    for (let n = 0; n < 3; n++)
      expect(await work.bosun(['send', 'f', 'mail', '--wait', '--data', 'mail'])).toMatchObject({ code: 0 });
    const { code, err } = await serving.end('SIGTERM');
    expect(code).toBe(0);
    const said = linesOf(err).filter((line) => (line as unknown as { incident?: string }).incident === 'unawaited');
    expect(said).toHaveLength(3);
    expect(said[0]).toMatchObject({ error: 'mail is down', msg: expect.stringMatching(/nobody awaits/) as string });
  });

  it('logs the reason if it cannot start, and exits with 2', async () => {
    work.write('bosun.config.mts', `${AGENTS}export default { agents: [counter], gateway: { port: 'high' } };`);
    const { code, err } = await work.spawn(['serve', '--data', 'never']).ended;
    expect({ code, lines: linesOf(err) }).toMatchObject({
      code: 2,
      lines: [
        {
          level: 'error',
          code: 'BOSUN_CONFIG_INVALID',
          msg: 'bosun.config.mts: gateway.port: must be a number, not the text "high"',
        },
      ],
    });
  });
});

describe('bosun run', () => {
  it('keeps a gateway open with --serve while its plan runs, and ends with the plan', async () => {
    work.write('waiting.yaml', WAITING);
    const run = await work.start(['run', 'waiting.yaml', '--serve', '--port', '0', '--data', 'live']).serves();
    expect(run.err).toContain('Live while it runs: http://127.0.0.1:');
    await run.says('started    a');
    expect((await work.bosun(['tree', '--data', 'live'])).out).toContain('coordinator  lead-coordinator, working');
    work.write('go', '');
    expect(await run.ended).toMatchObject({ code: 0 });
    expect(work.has('live/bosun.gateway.json')).toBe(false);
  });

  it('recommends --serve for a live view, unless it was given', async () => {
    work.write('short.yaml', '{ version: 1, plan: p, tasks: [{ id: a, run: "true" }] }');
    expect((await work.bosun(['run', 'short.yaml', '--data', 'short'])).err).toContain(
      'To look at it live: the same command with --serve.',
    );
    expect(
      (await work.bosun(['run', 'short.yaml', '--data', 'short-live', '--serve', '--port', '0'])).err,
    ).not.toContain('To look at it live');
  });
});
