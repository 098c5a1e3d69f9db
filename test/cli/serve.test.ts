/** `bosun serve`: configs, the discovery of its gateway, its orderly end; and the verbs that go through it. */
import { statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LONG } from '../support/effort.ts';
import { type AuditRecord } from '../../src/actors/world/audit-record.ts';
import { type TreeNode } from '../../src/system-options.ts';
import { AGENTS, writeShop } from '../support/cli/shop-config.ts';
import { type Call, type Ended, linesOf, Workspace } from '../support/cli/workspace.ts';
import { until } from '../support/until.ts';

let work: Workspace;
beforeEach(() => void (work = new Workspace()));
afterEach(() => work[Symbol.asyncDispose]());

interface Announced {
  readonly url: string;
  readonly token: string;
}

const announced = () => JSON.parse(work.read('shop/bosun.gateway.json')) as Announced;
const shop = (...args: string[]) => work.bosun([...args, '--data', 'shop']);
const rows = <T>({ out }: Ended) => linesOf(out) as unknown as T[];

async function serve(...args: string[]): Promise<Call> {
  return work.start(['serve', '--json', ...args]).serves();
}

describe('a config', () => {
  it('is served until interrupted: its gateway is found by the data directory, and its state is kept', async () => {
    writeShop(work);
    const call = await serve();
    const { url } = announced();
    expect(linesOf(call.out)).toMatchObject([{ type: 'serving', url, data: work.file('shop') }]);
    expect(statSync(work.file('shop/bosun.gateway.json')).mode & 0o777).toBe(0o600);
    expect(statSync(work.file('shop')).mode & 0o777).toBe(0o700);
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ ready: true });
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('bosun_actors{agent="counter",status="active"} 2');
    expect(await shop('send', 'visits', 'add', '{"by": 3}', '--wait')).toEqual({
      code: 0,
      out: 'add was taken by visits\n',
      err: '',
    });
    const { code, err } = await call.interrupt();
    expect(code).toBe(0);
    expect(linesOf(err)).toMatchObject([
      { level: 'info', msg: `bosun serves bosun.config.ts at ${url}, data in ${work.file('shop')}` },
      { level: 'info' },
      { msg: 'ended' },
    ]);
    expect(work.has('shop/bosun.gateway.json')).toBe(false);
    const again = await serve();
    expect((await shop('ask', 'visits', 'count')).out).toBe('3\n');
    expect(await again.interrupt()).toMatchObject({ code: 0 });
  });

  it('ends at once if it is interrupted while it is still loading (F13)', async () => {
    work.write('never.mjs', 'await new Promise(() => {});\nexport default {};\n');
    expect(await work.start(['serve', '--config', 'never.mjs']).interrupt()).toMatchObject({ code: 0, out: '' });
  });

  it('is refused with a data directory that cannot be made (F13)', async () => {
    expect(await work.bosun(['serve', '--data', '/proc/bosun/data', '--port', '0'])).toMatchObject({ code: 2 });
    expect(await work.bosun(['serve', '--data', '/proc', '--port', '0'])).toMatchObject({ code: 1 });
  });

  it('is refused with exit code 2 and the place of its mistake', async () => {
    const refusal = async (file: string, text: string) => {
      work.write(file, text);
      // Ends a service that started despite the mistake.
      const call = await serve('--config', file, '--port', '0');
      const { code, err } = await call.interrupt();
      expect({ text, code }).toEqual({ text, code: 2 });
      return (linesOf(err)[0] as unknown as { message: string }).message;
    };
    expect(await refusal('a.yaml', 'gateway:\n  port: high\n')).toBe(
      'a.yaml:2:9: gateway.port: must be a number, not the text "high"',
    );
    expect(await refusal('a.yaml', 'gateway:\n  prot: 80\n')).toBe(
      'a.yaml:2:3: gateway: unknown key "prot"; did you mean "port"?',
    );
    expect(await refusal('a.yaml', 'gateway:\n  tokens:\n    - { id: eve, tokenEnv: NO_SUCH_VARIABLE }\n')).toBe(
      'a.yaml:3:28: gateway.tokens[0].tokenEnv: the environment variable NO_SUCH_VARIABLE is not set',
    );
    expect(await refusal('a.yaml', 'gateway: { host: 0.0.0.0 }\n')).toMatch(/can be reached by others: give it tokens/);
    expect(await refusal('a.yaml', 'residentActors: 0\n')).toBe(
      'a.yaml:1:17: residentActors: must be 1 or more, not 0',
    );
    expect(await refusal('a.yaml', 'residentActors: 2.5\n')).toBe(
      'a.yaml:1:17: residentActors: must be a whole number, not 2.5',
    );
    expect(await refusal('a.yaml', 'residentActors: many\n')).toBe(
      'a.yaml:1:17: residentActors: must be a number, not the text "many"',
    );
    expect(await refusal('a.yaml', 'agents: ./nowhere.ts\n')).toMatch(/nowhere\.ts cannot be loaded/);
    expect(await refusal('b.ts', 'export default { agents: [{}] };\n')).toBe(
      'b.ts: agents: must be a list of agents made by defineAgent, or the path of a module that exports them',
    );
    expect(await refusal('b2.ts', 'export const agents = [];\n')).toBe('b2.ts: must export its settings as default');
    expect(await refusal('b3.ts', 'export default {\n  gateway: { port: 1 +* 2 },\n};\n')).toBe(
      'b3.ts:2:22: cannot be loaded: ParseError: Unexpected token',
    );
    const wrong = `{ initial: 'a', states: { a: { on: { go: 'z' } } } }`;
    expect(
      await refusal('b5.ts', `import { createMachine } from 'xstate';\nexport default createMachine(${wrong});\n`),
    ).toBe(
      "b5.ts: cannot be loaded: Invalid transition definition for state node '(machine).a': " +
        "Child state 'z' does not exist on '(machine)'",
    );
    work.write('agents.ts', AGENTS);
    expect(
      await refusal('a.yaml', 'agents: ./agents.ts\ntree:\n  children:\n    - { id: visits, agent: cuonter }\n'),
    ).toBe('a.yaml:4:28: tree.children[0].agent: unknown agent "cuonter"; did you mean "counter"?');
    expect(
      await refusal(
        'b4.ts',
        `${AGENTS}export default { agents: [counter], tree: { children: [{ id: 'desk', boss: { strategy: ` +
          `'dynamic', template: { agent: 'till' } } }] } };\n`,
      ),
    ).toBe('b4.ts: tree.children[0].boss.template.agent: unknown agent "till"');
    expect(await refusal('a.yaml', 'tree: { childrn: [] }\n')).toBe(
      'tree: unknown key "childrn"; did you mean "children"?',
    );
    expect(await refusal('c.ts', 'export default { tree: { children: [{ id: 7 }] } };\n')).toMatch(/id/);
    expect(await work.bosun(['serve', '--config', 'missing.yaml'])).toMatchObject({ code: 2 });
  });

  it('is refused before the system starts if it listens to other machines without tokens', async () => {
    writeShop(work);
    const { code, err } = await work.bosun(['serve', '--host', '0.0.0.0', '--data', 'wide']);
    expect({ code, msg: (linesOf(err)[0] as unknown as { msg: string }).msg }).toEqual({
      code: 2,
      msg: expect.stringContaining('give it tokens') as string,
    });
    expect(await work.bosun(['ps', '--data', 'wide'])).toMatchObject({ code: 2 });
  });

  it('can be YAML, with its agents in a module and its tokens in the environment', async () => {
    writeShop(work);
    work.write(
      'shop.yaml',
      'data: ./shop-yaml\nagents: ./bosun.config.ts\ntree: { children: [{ id: visits, agent: counter }] ' +
        '}\ngateway: { port: 0, tokens: [{ id: eye, tokenEnv: EYE_TOKEN, scopes: ["system:read"] }] }\n',
    );
    const call = work.start(['serve', '--config', 'shop.yaml', '--json'], { EYE_TOKEN: 'a-long-random-secret' });
    await call.says('"serving"');
    const { url } = JSON.parse(work.read('shop-yaml/bosun.gateway.json')) as Announced;
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    expect((await fetch(`${url}/metrics`, { headers: { Authorization: 'Bearer a-long-random-secret' } })).status).toBe(
      200,
    );
    expect(await work.bosun(['ps', '--data', 'shop-yaml'])).toMatchObject({ code: 0 });
    await call.interrupt();
  });
});

describe('a config with residentActors', () => {
  const CLERKS = 40;

  it('keeps at most that many actors in memory, and wakes an actor that is asked', async () => {
    const config = (more: string) => `${AGENTS}
const children = Array.from({ length: ${CLERKS} }, (_, i) => ({ id: 'clerk' + i, agent: 'counter' }));
export default { data: './office', agents: [counter], tree: { children }, gateway: { port: 0 }, ${more} };
`;
    work.write('small.ts', config('residentActors: 5'));
    work.write('large.ts', config(''));
    const office = (...args: string[]) => work.bosun([...args, '--data', 'office']);
    const counted = async () => {
      const { url } = JSON.parse(work.read('office/bosun.gateway.json')) as Announced;
      return Number(
        /bosun_actors\{agent="counter",status="active"\} (\d+)/.exec(
          await (await fetch(`${url}/metrics`)).text(),
        )?.[1] ?? 0,
      );
    };
    const before = await serve('--config', 'large.ts');
    expect(await counted()).toBe(CLERKS);
    expect(await office('send', 'clerk17', 'add', '{"by": 4}', '--wait')).toMatchObject({ code: 0 });
    await before.interrupt();
    const call = await serve('--config', 'small.ts');
    expect((await office('ask', 'clerk17', 'count')).out).toBe('4\n');
    expect(await counted()).toBeGreaterThanOrEqual(1);
    expect(await counted()).toBeLessThanOrEqual(5);
    expect(await call.interrupt()).toMatchObject({ code: 0 });
  });
});

describe('bosun serve without a config', () => {
  let bare: Workspace;
  beforeEach(() => void (bare = new Workspace()));
  afterEach(() => bare[Symbol.asyncDispose]());
  const PLAN =
    '{ version: 1, plan: p, tasks: [{ id: a, run: "exit 1", retry: { attempts: 1 } }, { id: b, run: "true" }] }';

  async function served(...args: string[]): Promise<Call> {
    return bare.start(['serve', '--json', '--port', '0', ...args]).serves();
  }

  it('carries out the plan that it is given or that its directory holds, and stays afterwards', async () => {
    bare.write('plan.yaml', PLAN);
    const call = await served('plan.yaml');
    await call.says('item.paused a');
    await call.says('task.completed b');
    expect(await bare.bosun(['plan', 'resume', 'a'])).toEqual({ code: 0, out: 'a: resume\n', err: '' });
    expect(await bare.bosun(['plan', 'pause', 'b'])).toMatchObject({ code: 2, err: 'b is completed\n' });
    expect(await bare.bosun(['run', 'plan.yaml'])).toMatchObject({ code: 4 });
    expect((await call.interrupt()).code).toBe(0);
    const again = await served();
    expect(again.err).toContain('bosun serves the plan p at');
    expect((await again.interrupt()).code).toBe(0);
    // Nor is it the desk of a folder.
    expect(await bare.bosun(['desk', '.', '--port', '0', '--data', 'data'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('data holds another system (a plan): name another directory with --data') as string,
    });
  });

  it('refuses the store of a different system, and leaves it unchanged', async () => {
    writeShop(work);
    const before = await serve();
    await before.interrupt();
    const { code, err } = await bare.bosun(['serve', '--port', '0', '--data', work.file('shop')]);
    expect({ code, msg: (linesOf(err)[0] as unknown as { msg: string }).msg }).toMatchObject({
      code: 2,
      msg: expect.stringContaining('holds actors of the agents counter, boss') as string,
    });
    bare.write('agents.mjs', 'export const work = async () => 1;');
    const strangers =
      'holds actors of another system, which the plan would end: visits (counter), desk (boss). Name another ' +
      '--data directory';
    bare.write('plan.yaml', PLAN);
    for (const line of [
      ['run', 'plan.yaml'],
      ['run', 'plan.yaml', '--fresh'],
      ['serve', 'plan.yaml'],
    ]) {
      const refused = await bare.bosun([...line, '--data', work.file('shop')]);
      expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(strangers) as string });
    }
    expect(await bare.bosun(['desk', '.', '--port', '0', '--data', work.file('shop')])).toMatchObject({
      code: 2,
      err: expect.stringContaining('holds another system (desk)') as string,
    });
    expect((await bare.bosun(['ps', '--data', work.file('shop')])).out).toMatch(
      /^desk\/visits +counter +active +open /m,
    );
    work.write(
      'with-plan.ts',
      `${AGENTS}export default { data: './both', agents: [counter], tree: { children: [{ id: 'visits', agent: ` +
        `'counter' }] }, plan: 'plan.yaml', gateway: { port: 0 } };\n`,
    );
    work.write('plan.yaml', PLAN);
    await (await serve('--config', 'with-plan.ts')).interrupt();
    work.write('plan.yaml', PLAN.replace('plan: p', 'plan: q'));
    expect((await work.bosun(['serve', '--config', 'with-plan.ts'])).err).toMatch(
      /holds another plan: [^]*\. Serve another --data directory"/,
    );
    bare.write('other.yaml', '{ version: 1, plan: o, agents: ./agents.mjs, tasks: [{ id: a, agent: work }] }');
    await bare.bosun(['run', 'other.yaml', '--data', 'other']);
    expect((await bare.bosun(['serve', '--port', '0', '--data', 'other'])).err).toContain(
      'name the plan file, as in bosun serve plan.yaml',
    );
  });

  it('serves an empty directory as a system without a plan', async () => {
    const call = await served('--data', 'empty');
    expect(call.err).toContain('bosun serves no plan at');
    expect((await bare.bosun(['ps', '--data', 'empty'])).out).toMatch(/^ADDRESS .*\nroot {5}boss {3}active /);
    expect((await call.interrupt()).code).toBe(0);
  });
});

describe('verbs on a running system', () => {
  let call: Call;
  beforeEach(async () => {
    writeShop(work);
    call = await serve();
  });
  afterEach(async () => {
    await call.interrupt();
  });

  it('tree and ps show its actors', async () => {
    const lines = [
      /root {2}boss, supervising\.running, one_for_one/,
      /├─ visits {2}counter, open.*/,
      /└─ desk {2}boss, .*/,
      / {3}└─ desk\/visits {2}counter, open/,
    ];
    const tree = new RegExp(`^${lines.map(({ source }) => source).join('\\n')}`);
    expect((await shop('tree')).out).toMatch(tree);
    expect(rows<TreeNode>(await shop('tree', '--json'))[0]!.children.map(({ address }) => address)).toEqual([
      'visits',
      'desk',
    ]);
    expect((await shop('ps', '--agent', 'counter')).out).toMatch(
      /^ADDRESS {6}AGENT .*\ndesk\/visits {2}counter {2}active {2}open {3}0 {7}0\nvisits {7}counter /,
    );
    expect(rows<TreeNode>(await shop('ps', '--status', 'suspended', '--json'))).toEqual([]);
    expect(await shop('ps', '--status', 'asleep')).toMatchObject({ code: 2 });
  });

  it('send and ask have exit codes for refusals, timeouts and unknown actors', async () => {
    const before = Number((await shop('ask', 'visits', 'count')).out);
    expect(await shop('send', 'visits', 'add', '{"by": 2}')).toMatchObject({
      code: 0,
      out: 'add is in the mailbox of visits\n',
    });
    expect(rows(await shop('ask', 'visits', 'count', '--json'))).toEqual([
      { type: 'reply', address: 'visits', reply: before + 2 },
    ]);
    expect(await shop('send', 'visits', 'add', '{"by": "much"}')).toMatchObject({ code: 5 });
    expect(await shop('send', 'visits', 'explode')).toMatchObject({ code: 5, out: '' });
    expect(await shop('send', 'visits', 'slow', '--wait')).toMatchObject({
      code: 5,
      err: expect.stringContaining('; it takes: add, count, close') as string,
    });
    expect(await shop('send', 'visits', 'add', '{"by": 0}', '--wait')).toMatchObject({
      code: 5,
      err: 'a guard of visits refused "add"\n',
    });
    await shop('suspend', 'visits', '--by', 'ada', '--reason', 'review');
    expect(await shop('send', 'visits', 'add', '{"by": 1}', '--wait')).toEqual({
      code: 5,
      out: '',
      err: 'visits: suspended by ada: review\n',
    });
    await shop('resume', 'visits');
    expect(await shop('send', 'nobody', 'add', '{"by": 1}')).toMatchObject({ code: 2 });
    expect(await shop('send', 'visits', 'add', '[1]')).toMatchObject({ code: 2 });
    // 1e999: as JSON once more it would be null.
    expect(await shop('send', 'visits', 'add', '{"by": 1, "tag": [1e999]}')).toMatchObject({
      code: 2,
      err: expect.stringContaining('the JSON holds a number that is too large at tag.0') as string,
    });
    expect(await shop('send', 'visits', 'add', '{by: 1}')).toMatchObject({
      code: 2,
      err: expect.stringContaining('a JSON object') as string,
    });
    expect(await shop('suspend', 'desk/visits')).toMatchObject({ code: 0 });
    expect(await shop('ask', 'desk/visits', 'count')).toMatchObject({
      code: 5,
      err: expect.stringMatching(/^desk\/visits: suspended by /) as string,
    });
    expect(await shop('resume', 'desk/visits')).toMatchObject({ code: 0, out: 'desk/visits is resumed\n' });
    for (const type of ['close', 'fail', 'slow']) await shop('send', 'desk/visits', type);
    await shop('ask', 'desk/visits', 'count');
    expect((await shop('deadletters', 'list')).out).toMatch(/^1 {2}\S+ {2}quarantined {2}desk\/visits /);
    expect(await shop('deadletters', 'discard', '1', '--by', 'ada')).toMatchObject({
      code: 0,
      out: 'dead letter 1 is discarded\n',
    });
    expect(await shop('deadletters', 'list')).toMatchObject({ code: 0, out: '', err: 'no dead letters\n' });
  });

  it('DC-001, DC-005, CN-001: tree shows who was started again by its Boss, with state and mailbox', async () => {
    await shop('send', 'visits', 'add', '{"by": 3}', '--wait');
    for (const type of ['close', 'fail', 'slow']) await shop('send', 'visits', type);
    await shop('send', 'visits', 'add', '{"by": 4}');
    // What was sent behind the event that no try got through has its effect, in its order.
    expect((await shop('ask', 'visits', 'count')).out).toBe('7\n');
    expect((await shop('tree')).out).toBe(
      [
        'root  boss, supervising.running, one_for_one',
        '├─ visits  counter, open, 1 restart, last error: cannot',
        '└─ desk  boss, supervising.running, one_for_one',
        '   └─ desk/visits  counter, open\n',
      ].join('\n'),
    );
    expect((await shop('deadletters', 'list')).out).toMatch(/^1 {2}\S+ {2}quarantined {2}visits {2}fail {2}cannot\n$/);
    const failures = linesOf(call.err).filter((line) => 'incident' in line && line['incident'] === 'crashed');
    expect(failures[0]).toMatchObject({ address: 'visits', error: 'cannot', next: 'restarted' });
  });

  it('suspend, resume, stop, kill and restart are audited by name', async () => {
    expect(await shop('suspend', 'visits', '--by', 'ada', '--reason', 'review')).toMatchObject({
      code: 0,
      out: 'visits is suspended\n',
    });
    expect(await shop('resume', 'visits', '--by', 'ada')).toMatchObject({ code: 0 });
    expect(await shop('kill', 'desk/visits', '--by', 'bob', '--json')).toMatchObject({ code: 0 });
    expect(await shop('restart', 'visits', '--by', 'ada')).toMatchObject({
      code: 0,
      out: 'visits was started again\n',
    });
    expect(await shop('stop', 'visits', '--by', 'eve')).toMatchObject({ code: 0, out: 'visits has ended\n' });
    expect(await shop('restart', 'visits', '--by', 'ada')).toMatchObject({ code: 0 });
    expect(await shop('stop', 'root')).toMatchObject({ code: 2 });
    expect(await shop('kill', 'nobody')).toMatchObject({ code: 2 });
    const records = rows<AuditRecord>(await shop('audit', '--json')).map(
      ({ by, order, address }) => `${by} ${order} ${address}`,
    );
    for (const record of [
      'ada suspend visits',
      'ada resume visits',
      'bob kill desk/visits',
      'eve terminateChild visits',
      'ada restartChild visits',
    ])
      expect(records).toContain(record);
    expect((await shop('audit', '--address', 'desk/visits')).out).toMatch(/^\S+ {2}bob {2}kill desk\/visits\n/);
    expect(await shop('deadletters', 'discard', '99')).toMatchObject({
      code: 2,
      err: expect.stringContaining('99') as string,
    });
  });

  it(
    'inspect draws actors of the running system in their current state, and agents that only it knows',
    LONG,
    async () => {
      const chart = async (...args: string[]) =>
        JSON.parse((await shop('inspect', ...args, '--json')).out) as { id: string; active: string[] | null };
      const before = await chart('visits');
      expect(before.active).toEqual(['(machine)', '(machine).open']);
      expect((await chart('counter')).active).toBe(null);
      expect((await chart('root')).active).toContain('boss.supervising.running');
      expect((await chart('pause-manager')).id).toBe('pause-manager');
      await shop('send', 'desk/visits', 'close', '--wait');
      const { code, out, err } = await shop('inspect', 'desk/visits', '--format', 'svg');
      expect([code, err]).toEqual([0, '']);
      expect(out).toContain('desk/visits (counter)');
      expect(out).toContain('now in counter.closed');
      expect((await shop('inspect', 'visits', '--format', 'mermaid')).out).toMatch(/^stateDiagram-v2\n/);
      expect(await shop('inspect', 'nobody')).toMatchObject({ code: 2, out: '' });
      await shop('send', 'desk/visits', 'slow', '--wait');
    },
  );

  it('tail --trace prints turns with their events', async () => {
    expect(await shop('tail', 'visits', '--trace', 'visits')).toMatchObject({
      code: 2,
      err: expect.stringContaining('not both') as string,
    });
    const lines = work.start(['tail', '--trace', 'visits', '--data', 'shop']);
    const told = work.start(['tail', '--trace', 'root', '--data', 'shop', '--json']);
    await Promise.all([lines.says('listening'), told.says('listening')]);
    await shop('send', 'visits', 'add', '{"by": 1}');
    await lines.says('visits  add -> open');
    await told.says('"add"');
    expect(linesOf(told.out)).toMatchObject([
      {
        address: 'visits',
        turn: { kind: 'transition', event: { type: 'add', by: 1 } },
        cursor: expect.any(String) as string,
      },
    ]);
    expect((await lines.interrupt()).code).toBe(130);
    expect((await told.interrupt()).code).toBe(130);
  });

  it(
    'tail prints emitted events, and continues after a restart of the system, until it is interrupted',
    LONG,
    async () => {
      const first = work.start(['tail', '--data', 'shop', '--json']);
      await first.says('listening');
      await shop('send', 'visits', 'add', '{"by": 1}');
      await first.says('counted');
      const [{ address, event, cursor }] = linesOf(first.out) as unknown as [
        { address: string; event: object; cursor: string },
      ];
      expect([address, event]).toMatchObject(['visits', { type: 'counted' }]);
      expect((await first.interrupt()).code).toBe(130);
      await shop('send', 'visits', 'add', '{"by": 1}');
      const second = work.start(['tail', 'visits', '--from', cursor, '--data', 'shop']);
      await second.says('visits  counted');
      expect(await shop('tail', 'a//b')).toMatchObject({ code: 2 });
      await call.interrupt();
      await second.says('the gateway has closed; waiting for the next one');
      call = await serve();
      await second.says('some of what happened since then may be lost');
      const before = second.out;
      await shop('send', 'visits', 'add', '{"by": 10}');
      await until(
        () => second.out !== before,
        () => `an event behind: ${before}`,
      );
      expect(await second.interrupt()).toMatchObject({
        code: 130,
        out: expect.stringContaining('visits  counted') as string,
      });
      await call.interrupt();
    },
  );
});

describe('a verb without a running system', () => {
  it('exits with 7 if it needs a running system, even if a killed system has left its file', async () => {
    writeShop(work);
    await (await serve()).interrupt();
    work.write(
      'shop/bosun.gateway.json',
      JSON.stringify({ url: 'http://127.0.0.1:9', token: 'a-long-random-secret', pid: 1 }),
    );
    for (const args of [
      ['ask', 'visits', 'count'],
      ['tail'],
      ['stop', 'visits'],
      ['restart', 'visits'],
      ['send', 'visits', 'add', '--wait'],
    ]) {
      expect(await shop(...args)).toMatchObject({
        code: 7,
        err: expect.stringContaining('start one with bosun serve') as string,
      });
    }
    expect((await shop('ps')).out).toContain('desk/visits');
    expect(await shop('send', 'visits', 'add', '{"by": 1}')).toMatchObject({
      code: 2,
      err:
        'visits runs the agent "counter", whose accepted events are not known without its code: start its ' +
        'system\n',
    });
    expect(await shop('send', 'desk', 'add')).toMatchObject({ code: 5, err: 'desk accepts no events from outside\n' });
    const call = await serve();
    expect(announced().token).not.toBe('a-long-random-secret');
    await call.interrupt();
  });
});
