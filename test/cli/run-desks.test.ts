/** The desks of the crew in `bosun run`, as its user sees them: correlated failures, gates, debates, ports. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storyOf, Workspace } from '../support/cli/workspace.ts';
import { LONG } from '../support/effort.ts';
import { MARGIN_CHALLENGE } from '../support/machines/margin-challenge.ts';

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
/** One after the other: which of several that run side by side fails first is chance. */
const PLAN =
  '{ version: 1, plan: p, agents: ./agents.mjs, capacity: { fetch: 1 }, ' +
  'stages: { fetch: { agent: fetch, retry: { attempts: 1 } } }, ' +
  'items: [A, B, C] }';

describe('failures of one cause', () => {
  it(
    'CA-058: are reported as correlated and paused as one batch, which one order resumes; the exit code of the ' +
      'run stays 3',
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
        'batch-1 is 3 items together: prices API quota exceeded. To resume all of them: bosun batches resume ' +
          'batch-1, then run again.\n',
      );
    },
  );

  it('CA-067: are reported in plain lines', async () => {
    work.write('agents.mjs', QUOTA);
    work.write('plan.yaml', PLAN);
    const { err } = await work.bosun(['run', 'plan.yaml']);
    expect(err).toMatch(/^together {3}A, B, C failed of one cause: prices API quota exceeded$/m);
    expect(err).toMatch(/^batch {6}batch-1 is pausing, 3 items: prices API quota exceeded$/m);
  });

  it('CA-032: are resumed automatically with --wait, if the module has a port for the quota', LONG, async () => {
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

  it('the run is refused if the module has an unknown port', async () => {
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
  it('CA-008: ends the run with code 3 and says how to answer; once answered, the plan continues', async () => {
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
    expect(asked.lines.at(-1)).toMatchObject({
      type: 'plan.paused',
      items: [{ item: 'A', status: 'waitingForHuman', gates: ['plan.G3.1'] }],
    });
    expect(asked.err).toContain('bosun gates answer plan.G3.1 decision=approve');
    await work.bosun([
      'send',
      'gates',
      'gate.answer',
      '{"gate": "plan.G3.1", "by": "ada", "answer": {"decision": "approve"}}',
    ]);
    const done = await work.run('plan.yaml');
    expect(storyOf(done.lines)).toEqual([
      'gate.closed A',
      'task.started A/print 1',
      'task.completed A/print 1',
      'plan.completed',
    ]);
    expect(done.code).toBe(0);
  });

  it('is identified by item and stage in every line about it, and its item waits for people (N4)', async () => {
    work.write(
      'agents.mjs',
      'export async function draft(_, { item }) { return { proposal: `print ${item} in red` }; }',
    );
    work.write(
      'plan.yaml',
      '{ version: 1, plan: p, agents: ./agents.mjs, capacity: { draft: 1 }, ' +
        'stages: { draft: { agent: draft, gate: { preset: G3 } } }, items: [A, B] }',
    );
    const { out, err } = await work.bosun(['run', 'plan.yaml']);
    for (const [item, gate] of [
      ['A', 'plan.G3.1'],
      ['B', 'plan.G3.2'],
    ]) {
      expect(err).toContain(`asks       ${gate}: ${item}/draft: Assumptions; proposed: print ${item} in red (`);
      expect(err).toContain(`${gate} asks: ${item}/draft: Assumptions. To answer:`);
      expect(out).toContain(`  ${item}: waits for people (${gate})\n`);
    }
    const listed = (await work.bosun(['gates', 'list'])).out.split('\n').map((line) => line.split(/\s{2,}/).slice(-4));
    expect(listed).toEqual([
      ['ITEM', 'STAGE', 'TITLE', 'PROPOSED'],
      ['A', 'draft', 'Assumptions', 'print A in red'],
      ['B', 'draft', 'Assumptions', 'print B in red'],
      [''],
    ]);
    expect((await work.bosun(['gates', 'show', 'plan.G3.2'])).out).toMatch(
      /^item {6}B$[^]*^stage {5}draft$[^]*^proposed {2}print B in red$/m,
    );
    expect((await work.bosun(['alerts', 'list'])).out).toMatch(
      /A\/draft: Assumptions[^]*B\/draft: Assumptions|B\/draft[^]*A\/draft/,
    );
    expect(await work.bosun(['plan', 'pause', 'A'])).toMatchObject({
      code: 2,
      err: 'A waits for people to decide; bosun gates show plan.G3.1 says what\n',
    });
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
  /** Runs a plan with these words, whose one agent begins these debates and then waits. */
  async function checking(challenges: readonly object[], words: string) {
    work.write(
      'agents.mjs',
      `
      export async function checker(_, { crew, signal }) {
        for (const challenge of ${JSON.stringify(challenges)}) await crew.challenge(challenge);
        await new Promise((_, stop) => signal.addEventListener('abort', stop));
      }`,
    );
    work.write(
      'plan.yaml',
      `{ version: 1, plan: p, ${words}, agents: ./agents.mjs, stages: { check: { agent: checker } }, items: [A] }`,
    );
    return work.start(['run', 'plan.yaml', '--json', '--serve', '--port', '0']).serves();
  }

  it('CA-124: is started by an agent function, and reported when it is decided', async () => {
    const challenge = { ...MARGIN_CHALLENGE, priority: 'valuation' };
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
      '{ version: 1, plan: p, pack: finance, experts: [eve], agents: ./agents.mjs, ' +
        'stages: { strategy: { agent: strategy }, check: { agent: checker, after: [strategy] } }, items: [A] }',
    );
    const running = work.start(['run', 'plan.yaml', '--json', '--serve', '--port', '0']);
    await running.serves();
    // Its first level is where the side that is challenged may give in.
    await work.looks(['debates', 'list', '--json'], ({ out }) => out.includes('"level":"L1"'));
    const accept = async () =>
      (await work.bosun(['send', 'debates', 'debate.accept', '{"debate": "margin", "by": "strategy"}'])).code;
    expect(await accept()).toBe(0);
    await running.says('"debate.decided"');
    expect(running.out).toContain(
      '"debate":"margin","item":"A","outcome":"consensus","statement":"25 %","by":"strategy","rerun":[]',
    );
    await running.interrupt();
  });

  it('CA-119: has verbs for experts, for both sides, and for recording the side that was right', async () => {
    const doubts = [
      { ...MARGIN_CHALLENGE, id: 'sides' },
      { ...MARGIN_CHALLENGE, id: 'expert', escalationMs: 1 },
      { ...MARGIN_CHALLENGE, id: 'own', escalationMs: 1 },
    ];
    const running = await checking(doubts, 'experts: [eve]');
    await running.says('"gate":"expert+1"');
    await running.says('"gate":"own+1"');
    const debates = async (...args: string[]) => {
      const { code, out, err } = await work.bosun(['debates', ...args]);
      return [code, out + err];
    };
    expect(await debates('acknowledge', 'sides', '--by', 'ada')).toEqual([5, 'ada is no side of this debate\n']);
    expect(await debates('acknowledge', 'sides', '--by', 'strategy')).toEqual([0, 'sides: acknowledge\n']);
    const evidence = [
      '--statement',
      'By plan.',
      '--evidence',
      'calculation:sheet 3:0.6',
      '--evidence',
      'filing:p. 2:1',
    ];
    expect(await debates('respond', 'sides', '--by', 'strategy', ...evidence)).toEqual([0, 'sides: respond\n']);
    expect((await debates('show', 'sides'))[1]).toContain('By plan. [calculation sheet 3, 0.6; filing p. 2, 1]');
    expect(await debates('accept', 'sides', '--by', 'strategy')).toEqual([0, 'sides: accept\n']);
    await running.says('"outcome":"consensus"');
    expect(await debates('outcome', 'sides', '--right', 'challenger')).toEqual([0, 'sides: outcome\n']);

    expect(await debates('take-up', 'expert', '--by', 'ada')).toEqual([5, 'ada is not the expert of this debate\n']);
    expect(await debates('take-up', 'expert', '--by', 'eve')).toEqual([0, 'expert: take-up\n']);
    expect((await debates('decide', 'expert', '--by', 'eve'))[0]).toBe(5);
    expect((await debates('decide', 'expert', '--side', 'challenged', '--by', 'eve'))[0]).toBe(0);
    await running.says('"debate":"expert","item":"A","outcome":"human","statement":"28 %","by":"eve"');
    expect((await debates('decide', 'own', '--statement', '26 %', '--value', '0.26', '--by', 'eve'))[0]).toBe(0);
    await running.says('"debate":"own","item":"A","outcome":"human","statement":"26 %","by":"eve"');
    expect((await debates('review', 'own', '--by', 'eve'))[0]).toBe(5);
    await running.interrupt();
  });

  it('tries an order that is left in a stopped store on what the orders before it decide', async () => {
    const running = await checking([{ ...MARGIN_CHALLENGE, id: 'sides' }], 'experts: [eve]');
    await work.looks(['debates', 'list', '--json'], ({ out }) => out.includes('"level":"L1"'));
    await running.interrupt();
    const debates = async (...args: string[]) => {
      const { code, out, err } = await work.bosun(['debates', ...args]);
      return [code, out + err];
    };
    expect(await debates('accept', 'sides', '--by', 'ada')).toEqual([5, 'ada is no side of this debate\n']);
    expect(await debates('accept', 'sides', '--by', 'strategy')).toEqual([0, 'sides: accept at the next start\n']);
    expect(await debates('accept', 'sides', '--by', 'strategy')).toEqual([5, 'debate "sides" is over: consensus\n']);
  });

  it('CA-121, CA-126: lists experts with their loads, and takes one out of debates and back in', async () => {
    const doubt = { ...MARGIN_CHALLENGE, priority: 'ordinary', escalationMs: 1 };
    const running = await checking([doubt], 'experts: [eve, ada], riskOrders: { margin: lowest }');
    await running.says('"gate":"margin+1"');
    const experts = async (...args: string[]) => {
      const { code, out, err } = await work.bosun(['experts', ...args]);
      return [code, out + err];
    };
    expect((await experts('list'))[1]).toMatch(/^eve +available +1\/3 debates +margin\nada +available +0\/3 debates/m);
    expect(await experts('away', 'evi')).toEqual([2, expect.stringContaining('no expert "evi"; did you mean "eve"?')]);
    expect((await experts('away', 'eve'))[0]).toBe(0);
    await running.says('"debate":"margin","item":"A","topic":"Margin","statement":"25 %"');
    // The run says it as soon as the coordinator knows, perhaps before the facilitator does.
    await work.looks(['experts', 'show', 'eve', '--json'], ({ out }) =>
      out.includes('"isAvailable":false,"debates":[]'),
    );
    expect((await experts('back', 'eve'))[0]).toBe(0);
    expect((await experts('list'))[1]).toMatch(/^eve +available +0\/3 debates/m);
    await running.interrupt();
  });
});

describe('a message of an agent', () => {
  it('lets the run end, and is reported as refused if its addressee does not accept it (D1, D3)', async () => {
    work.write(
      'agents.mjs',
      `export async function draft(_, { say }) {
        await say({ kind: 'finding', content: 'page 40 is missing', to: 'coordinator' });
        await say({ kind: 'finding', content: 'page 41 too', to: 'correlator' });
      }`,
    );
    work.write('plan.yaml', '{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: a, agent: draft }] }');
    const { code, err } = await work.bosun(['run', 'plan.yaml']);
    expect(code).toBe(0);
    expect(err).toMatch(/^refused {4}talk\.finding of draft: "correlator" does not take it$/m);
  });
});

describe('a port whose answer has the wrong form', () => {
  it('blocks no resume, and is shown as unknown; resume says how many items it affects (D5)', async () => {
    work.write('agents.mjs', `${QUOTA}\nexport const ports = { resources: async () => ({ apiQuota: 'plenty' }) };`);
    work.write('plan.yaml', PLAN);
    expect((await work.run('plan.yaml')).code).toBe(3);
    expect((await work.bosun(['batches', 'show', 'batch-1'])).out).toMatch(/^note +not known: the resources \(/m);
    expect((await work.bosun(['batches', 'resume', 'batch-1'])).out).toBe(
      'batch-1: as resources allow, 3 of 3 items resume at the next start\n',
    );
    work.write('quota', '');
    expect((await work.run('plan.yaml')).code).toBe(0);
  });
});

describe('a stage that a person does', () => {
  const ASKING =
    'version: 1\nplan: p\nagents: ./agents.mjs\nitems: [A, B]\nstages:\n' +
    '  choose: { ask: { title: "Which peers for {item}?", options: [large, all] } }\n' +
    '  tell: { agent: tell, after: [choose] }\n';

  it('ends the run with exit code 3, and goes on at the next run with what was answered meanwhile', LONG, async () => {
    work.write('agents.mjs', 'export async function tell(_, { results }) { return results.choose; }');
    work.write('plan.yaml', ASKING);
    const first = await work.run('plan.yaml');
    expect(first.code).toBe(3);
    expect(first.lines.at(-1)).toMatchObject({
      type: 'plan.paused',
      items: [
        { item: 'A', status: 'waitingForHuman', tickets: ['TK-0001'] },
        { item: 'B', status: 'waitingForHuman', tickets: ['TK-0002'] },
      ],
    });
    expect(first.err).toContain(
      'TK-0001 asks: Which peers for A? To answer: bosun tickets reply TK-0001 "...", then run again.\n',
    );
    expect((await work.bosun(['tickets', 'reply', 'TK-0001', '--option', 'all', '--by', 'ada'])).code).toBe(0);
    expect((await work.bosun(['tickets', 'reply', 'TK-0002', 'whatever', 'you', 'think', '--by', 'ada'])).code).toBe(0);
    const second = await work.run('plan.yaml');
    expect(second.code).toBe(3);
    expect(second.lines.at(-1)).toMatchObject({
      items: [
        { item: 'A', status: 'completed' },
        { item: 'B', tickets: ['TK-0002'] },
      ],
    });
    const { out } = await work.bosun(['tickets', 'show', 'TK-0002']);
    expect(out).toContain('Which is it: large or all?');
  });
});
