/** What the desks of the crew do in `bosun run`, as its user sees it: correlated failures, gates, debates, ports. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storyOf, Workspace } from '../support/cli/workspace.ts';
import { LONG } from '../support/effort.ts';

let work: Workspace;
beforeEach(() => void (work = new Workspace()));
afterEach(() => work[Symbol.asyncDispose]());

const QUOTA = `
  import { existsSync } from 'node:fs';
  const isThere = () => existsSync(new URL('quota', import.meta.url));
  export async function fetch() {
    if (!isThere()) throw Object.assign(new Error('quota exceeded: 1000/1000'), { status: 429, dataSource: 'prices' });
    return 'figures';
  }`;
const PLAN =
  '{ version: 1, plan: p, agents: ./agents.mjs, stages: { fetch: { agent: fetch, retry: { attempts: 1 } } }, ' +
  'items: [A, B, C] }';

describe('failures of one cause', () => {
  it(
    'CA-058: are said to belong together and paused as one batch, which one order resumes; the exit codes are as ' +
      'ever',
    async () => {
      work.write('agents.mjs', QUOTA);
      work.write('plan.yaml', PLAN);
      const { code, lines, err } = await work.run('plan.yaml');
      expect(code).toBe(3);
      expect(lines).toContainEqual(
        expect.objectContaining({
          type: 'failure.correlated',
          items: ['A', 'B', 'C'],
          rootCause: 'prices API quota exceeded',
        }),
      );
      expect(lines.at(-1)).toMatchObject({ type: 'plan.paused' });
      expect(err).toContain(
        'batch-1 is 3 items together: prices API quota exceeded. All of them: bosun batches resume batch-1, then ' +
          'run again.\n',
      );
    },
  );

  it('CA-067: are said in plain lines', async () => {
    work.write('agents.mjs', QUOTA);
    work.write('plan.yaml', PLAN);
    const { err } = await work.bosun(['run', 'plan.yaml']);
    expect(err).toMatch(/^together {3}A, B, C failed of one cause: prices API quota exceeded$/m);
    expect(err).toMatch(/^batch {6}batch-1 is pausing, 3 items: prices API quota exceeded$/m);
  });

  it('CA-032: go on by themselves with --wait, where the module has a port that knows when', LONG, async () => {
    work.write(
      'agents.mjs',
      `
      let refused = 0;
      let untilMs = Infinity;
      export async function fetch() {
        if (Date.now() >= untilMs) return 'figures';
        if (++refused === 3) untilMs = Date.now() + 1000;
        throw Object.assign(new Error('quota exceeded'), { status: 429, dataSource: 'prices' });
      }
      const free = { isFree: true };
      const taken = () => ({ isFree: false, notBeforeMs: Math.min(untilMs, Date.now() + 1000) });
      export const ports = {
        resources: async () => ({ apiQuota: Date.now() < untilMs ? taken() : free, compute: free, connections: free }),
      };`,
    );
    work.write('plan.yaml', PLAN);
    const { code, lines } = await work.run('plan.yaml', '--wait');
    expect(code).toBe(0);
    expect(storyOf(lines)).toEqual(
      expect.arrayContaining(['item.paused A', 'item.resumed A', 'item.resumed B', 'item.resumed C', 'plan.completed']),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ type: 'batch.changed', phase: 'finished', status: 'COMPLETED', resumed: 3 }),
    );
  });

  it('refuses a port that it does not know', async () => {
    work.write('agents.mjs', 'export async function fetch() {} export const ports = { resource: async () => {} };');
    work.write('plan.yaml', PLAN);
    const { code, err } = await work.bosun(['run', 'plan.yaml']);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('exports an unknown port "resource"; did you mean "resources"?'),
    ]);
  });
});

describe('a gate in a plan', () => {
  it('CA-008: ends the run with code 3 and says how to answer; answered, the plan goes on', async () => {
    work.write('agents.mjs', 'export async function draft() {} export async function print() {}');
    work.write(
      'plan.yaml',
      '{ version: 1, plan: p, agents: ./agents.mjs, stages: { draft: { agent: draft, gate: { preset: G3 } }, ' +
        'print: { agent: print, after: [draft] } }, items: [A] }',
    );
    const asked = await work.run('plan.yaml');
    expect(asked.code).toBe(3);
    expect(asked.lines).toContainEqual(
      expect.objectContaining({ type: 'gate.opened', gate: 'plan.G3.1', title: 'Assumptions' }),
    );
    expect(asked.lines.at(-1)).toMatchObject({ type: 'plan.paused', items: [{ item: 'A', status: 'waiting' }] });
    expect(asked.err).toContain('bosun gates answer plan.G3.1 decision=approve');
    await work.bosun([
      'send',
      'gates',
      'gate.answer',
      '{"gate": "plan.G3.1", "by": "ada", "answer": {"decision": "approve"}}',
    ]);
    const done = await work.run('plan.yaml');
    expect(storyOf(done.lines)).toEqual([
      'gate.closed',
      'task.started A/print 1',
      'task.completed A/print 1',
      'plan.completed',
    ]);
    expect(done.code).toBe(0);
  });

  it('needs a preset or a name', async () => {
    work.write(
      'plan.yaml',
      'version: 1\nplan: p\nstages:\n  draft: { agent: draft, gate: { title: x } }\nitems: [A]\n',
    );
    const { code, err } = await work.bosun(['run', 'plan.yaml']);
    expect([code, err]).toEqual([2, expect.stringContaining('a gate needs a "preset" or a "name"')]);
  });
});

describe('a debate', () => {
  it('CA-124: is begun by an agent function, and said when it is settled', async () => {
    const challenge = {
      id: 'margin',
      topic: 'Margin of A',
      challenged: { agent: 'strategy' },
      disputedFinding: '28 %',
      priority: 'valuation',
      basis: { statement: 'The filing says 25 %.', evidence: [{ kind: 'filing', source: 'page 40', strength: 1 }] },
      positions: { challenger: { statement: '25 %', value: 0.25 }, challenged: { statement: '28 %', value: 0.28 } },
    };
    work.write(
      'agents.mjs',
      `
      export async function strategy() { return 0.28; }
      const challenge = ${JSON.stringify(challenge)};
      export async function checker(_, { say, signal }) {
        await say({ kind: 'challenge', content: challenge });
        await new Promise((_, stop) => signal.addEventListener('abort', stop));
      }`,
    );
    work.write(
      'plan.yaml',
      '{ version: 1, plan: p, experts: [eve], agents: ./agents.mjs, stages: { strategy: { agent: strategy }, ' +
        'check: { agent: checker, after: [strategy] } }, items: [A] }',
    );
    const running = work.start(['run', 'plan.yaml', '--json', '--serve', '--port', '0']);
    await running.says('"task":"A/check"');
    await running.says('task.started');
    const accept = async () =>
      (await work.bosun(['send', 'debates', 'debate.accept', '{"debate": "margin", "by": "strategy"}'])).code;
    expect(await accept()).toBe(0);
    await running.says('"debate.decided"');
    expect(running.out).toContain(
      '"debate":"margin","item":"A","outcome":"consensus","statement":"25 %","by":"strategy","rerun":[]',
    );
    await running.interrupt();
  });
});
