/** `bosun mcp` within this process: the system that it runs, joins, and ends. Processes of its own: mcp.test.ts. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { commandLine } from '../../src/cli/command-line.ts';
import { rootOf } from '../../src/cli/default-data.ts';
import { Workspace } from '../support/cli/workspace.ts';
import { until } from '../support/until.ts';

const open: Workspace[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

function workspace(): Workspace {
  const work = new Workspace();
  open.push(work);
  return work;
}

interface Answer {
  readonly id: number;
  readonly result?: Readonly<Record<string, unknown>>;
}

/** A connection to `bosun mcp` in this process, after the handshake of 2025. */
class Connection {
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly ended: Promise<number>;
  readonly #said: string[] = [];
  #ids = 0;
  err = '';
  diverted = 0;

  constructor(cwd: string, args: readonly string[] = []) {
    let rest = '';
    this.output.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop()!;
      this.#said.push(...lines);
    });
    const noise = { write: () => (this.diverted += 1) };
    this.ended = commandLine(['mcp', ...args], {
      out: noise,
      err: { write: (text) => (this.err += text) },
      env: {},
      cwd,
      interruption: () => new AbortController().signal,
      protocol: () => ({ input: this.input, output: this.output }),
    });
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '0' } };
    this.#send({ id: ++this.#ids, method: 'initialize', params });
    this.#send({ method: 'notifications/initialized' });
  }

  async call(name: string, args: object = {}): Promise<Record<string, unknown>> {
    const { content } = await this.request('tools/call', { name, arguments: args });
    return JSON.parse((content as readonly { readonly text: string }[])[0]!.text) as Record<string, unknown>;
  }

  /** The result of a request. */
  async request(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    const id = ++this.#ids;
    this.#send({ id, method, params });
    let answer: Answer | undefined;
    const found = () => (answer = this.#said.map((line) => JSON.parse(line) as Answer).find((one) => one.id === id));
    await until(
      () => found() !== undefined,
      () => `the answer of ${method} ${JSON.stringify(params)}, after: ${this.err}`,
    );
    return answer!.result!;
  }

  async close(): Promise<number> {
    this.input.end();
    return this.ended;
  }

  #send(message: object): void {
    this.input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

const question = { type: 'gate.open', id: 'q1', kind: 'choice', title: 'Zod?', package: null, audience: ['*'] };
const event = { ...question, form: { type: 'object' }, deadlineMs: null };

describe('bosun mcp in a folder', () => {
  it('runs a system in .bosun, announces it to the other verbs, keeps it, and ends with the client', async () => {
    const work = workspace();
    mkdirSync(work.file('.git'));
    mkdirSync(work.file('src'));
    const first = new Connection(work.file('src'));
    expect(await first.call('ask_actor', { address: 'gates', event })).toMatchObject({ reply: { taken: true } });
    expect(readFileSync(work.file('.bosun/.gitignore'), 'utf8')).toBe('*\n');
    expect(statSync(work.file('.bosun')).mode & 0o777).toBe(0o700);
    const { out } = await work.bosun(['gates', 'list', '--data', '.bosun']);
    expect(out).toContain('q1');
    expect(await first.close()).toBe(0);
    expect(work.has('.bosun/bosun.gateway.json')).toBe(false);
    const answered = await work.bosun(['gates', 'answer', 'q1', 'yes=true', '--by', 'ada', '--data', '.bosun']);
    expect(answered.code).toBe(0);
    const second = new Connection(work.path);
    // The order left in the store is carried out once the system runs.
    let told: unknown;
    await until(
      async () => JSON.stringify((told = await second.call('show_gate', { gate: 'q1' }))).includes('"isOver":true'),
      () => `the answer, after: ${JSON.stringify(told)}`,
    );
    expect(told).toMatchObject({ gate: { result: { by: 'ada' } } });
    expect(await second.close()).toBe(0);
    expect([first.diverted, second.diverted]).toEqual([0, 0]);
  });

  it('joins a running system as a separate caller, and leaves it running', async () => {
    const work = workspace();
    const owner = new Connection(work.path, ['--as', 'one']);
    await owner.call('list_actors');
    const other = new Connection(work.path, ['--as', 'two']);
    expect(await other.call('ask_actor', { address: 'gates', event })).toMatchObject({ reply: { taken: true } });
    expect(other.err).toMatch(/^bosun mcp: joined the system at http:/);
    expect(await other.close()).toBe(0);
    expect(await owner.call('show_gate', { gate: 'q1' })).toMatchObject({ gate: { id: 'q1' } });
    await owner.close();
  });

  it('has the resources and prompts of the system, and names its agent in errors', async () => {
    const work = workspace();
    const agent = new Connection(work.path, ['--as', 'coder']);
    const question = 'Which currency do customers pay in?';
    await agent.call('askQuestion', { question, max_wait_seconds: 0 });
    const { resourceTemplates } = await agent.request('resources/templates/list');
    expect((resourceTemplates as { uriTemplate: string }[]).map(({ uriTemplate }) => uriTemplate)).toEqual(
      expect.arrayContaining(['bosun://actor/{+address}', 'answer://{question_id}', 'ticket://{ticket}']),
    );
    const { contents } = await agent.request('resources/read', { uri: 'answer://Q-1' });
    const [{ text }] = contents as [{ readonly text: string }];
    expect(JSON.parse(text)).toMatchObject({ question: { id: 'Q-1', text: question, asker: 'mcp:coder' } });
    const { messages } = await agent.request('prompts/get', { name: 'when-to-ask' });
    expect(JSON.stringify(messages)).toContain('technology choice');
    const failed = await agent.call('askQuestion', { question: '', task_id: 'TASK-7' });
    expect(failed).toMatchObject({
      error: { code: 'INVALID_PARAM', priority_impact: 'P2_DELAYED' },
      context: { agent_name: 'mcp:coder', task_id: 'TASK-7' },
    });
    await agent.close();
  });

  it('is held to the rates of tools, which the config may set', async () => {
    const work = workspace();
    work.write('bosun.config.yaml', 'gateway: { mcpRate: { perMinute: 3 } }\n');
    const agent = new Connection(work.path);
    for (let times = 0; times < 3; times++) expect(await agent.call('list_waits')).toEqual({ waits: [] });
    const refused = await agent.call('list_waits');
    expect(refused).toMatchObject({
      error: {
        code: 'RATE_LIMIT',
        retryable: true,
        message: expect.stringContaining('make 3 a minute') as string,
      },
    });
    const { retry_after_seconds: seconds } = refused['error'] as { readonly retry_after_seconds: number };
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    await agent.close();
  });

  it('uses the directory of --data or of the config, and answers each call with the faults of a config', async () => {
    const work = workspace();
    const named = new Connection(work.path, ['--data', 'elsewhere']);
    await named.call('list_actors');
    expect([work.has('elsewhere/store'), work.has('.bosun')]).toEqual([true, false]);
    await named.close();
    work.write('bosun.config.yaml', 'data: ./kept\nagents: ./nowhere.ts\n');
    const broken = new Connection(work.path);
    expect(await broken.call('list_actors')).toMatchObject({ error: { bosun_code: 'BOSUN_CONFIG_INVALID' } });
    expect(broken.err).toContain('nowhere.ts');
    expect(await broken.close()).toBe(0);
  });

  it('is refused if its directory cannot be created', async () => {
    const work = workspace();
    writeFileSync(work.file('.bosun'), 'a file');
    const connection = new Connection(work.path);
    const told = await connection.call('list_actors');
    expect(told).toMatchObject({ error: { bosun_code: 'BOSUN_CONFIG_INVALID' } });
    expect((told['error'] as { message: string }).message).toMatch(
      /\.bosun cannot be created: .*\. Name another directory with --data$/,
    );
    await connection.close();
  });

  it('uses a remote gateway with its own token, and starts none', async () => {
    const work = workspace();
    const connection = new Connection(work.path, ['--url', 'http://127.0.0.1:9', '--token', 'token-of-ada-0123456789']);
    expect(await connection.call('list_actors', { timeoutMs: 1 })).toMatchObject({
      error: { bosun_code: 'BOSUN_SYSTEM_CLOSED' },
    });
    expect(work.has('.bosun')).toBe(false);
    await connection.close();
  });
});

describe('rootOf', () => {
  it('is the nearest folder above that contains .git, as a folder or a file, or else the folder itself', () => {
    const work = workspace();
    mkdirSync(work.file('a/b/c'), { recursive: true });
    expect(rootOf(work.file('a/b/c'))).toBe(work.file('a/b/c'));
    writeFileSync(work.file('a/.git'), 'gitdir: elsewhere');
    expect(rootOf(work.file('a/b/c'))).toBe(work.file('a'));
    mkdirSync(work.file('a/b/.git'));
    expect(rootOf(work.file('a/b/c'))).toBe(work.file('a/b'));
  });
});
