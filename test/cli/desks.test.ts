/** The verbs of the crew's desks, in a stopped store and through the gateway of a running system. */
import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type StoreWrite } from '../../src/actors/model/ports.ts';
import { dataDirectory } from '../../src/cli/data-directory.ts';
import { DEFAULT_DATA } from '../../src/cli/default-data.ts';
import { frontDoor } from '../../src/cli/front-door.ts';
import { crewAgents } from '../../src/machines/coordination/crew.ts';
import { gateChildren } from '../../src/machines/people/gates/gate-desk.ts';
import { formOf } from '../../src/machines/people/gates/gate-form.ts';
import { DESKS } from '../../src/machines/work/system-ids.ts';
import { levelStore } from '../../src/persistence/level-store.ts';
import { createSystem } from '../../src/system.ts';
import { startTestSystem } from '../../src/testing/test-system.ts';
import { SteppingClock } from '../support/supervisor/every-epoch.ts';
import { type Call, linesOf, Workspace } from '../support/cli/workspace.ts';

const rows = (out: string) => linesOf(out) as unknown as Record<string, unknown>[];

describe('in a stopped store', () => {
  const work = new Workspace();
  afterAll(() => work[Symbol.asyncDispose]());

  beforeAll(async () => {
    work.write(
      'agents.mjs',
      `
      import { existsSync } from 'node:fs';
      export async function fetch() {
        if (existsSync(new URL('quota', import.meta.url))) return 'figures';
        throw Object.assign(new Error('quota exceeded: 1000/1000'), { status: 429, dataSource: 'prices' });
      }`,
    );
    work.write(
      'plan.yaml',
      '{ version: 1, plan: p, agents: ./agents.mjs, stages: { fetch: { agent: fetch, retry: { attempts: 1 } } }, ' +
        'items: [A, B, C] }',
    );
    await work.run('plan.yaml');
  });

  it('CA-024: pauses are listed and shown with what runs again', async () => {
    const { code, out } = await work.bosun(['pauses', 'list']);
    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.split(/\s{2,}/).filter((_, column) => column !== 2))).toEqual([
      ['ITEM', 'STATUS', 'TRIGGER', 'BATCH', 'REASON'],
      ...['A', 'B', 'C'].map((item) => [
        item,
        'PAUSED',
        'AUTO_TIER2',
        'batch-1',
        `${item}/fetch failed: quota exceeded: 1000/1000`,
      ]),
      [''],
    ]);
    expect((await work.bosun(['pauses', 'show', 'A'])).out).toMatch(/^status {7}PAUSED$[^]*^runs again {3}A\/fetch$/m);
    expect(rows((await work.bosun(['pauses', 'list', '--json'])).out)).toMatchObject([
      { item: 'A', status: 'PAUSED', batchId: 'batch-1' },
      { item: 'B' },
      { item: 'C' },
    ]);
  });

  it('CA-057: batches are listed and shown with their items', async () => {
    expect((await work.bosun(['batches', 'list'])).out).toMatch(
      /^batch-1 {2}IN_PROGRESS {2}paused {2}3 {6}3 {7}0 {8}0 {16}prices API quota exceeded$/m,
    );
    const { out } = await work.bosun(['batches', 'show', 'batch-1']);
    expect(out).toMatch(/^items {8}3: 3 paused, 0 resumed, 0 failed, 0 on their way$/m);
    expect(out).toMatch(/^A {5}paused {2}A\/fetch failed/m);
  });

  it('CA-075: alerts are listed with their banner, shown in full, and acknowledged', async () => {
    const { out } = await work.bosun(['alerts', 'list', '--json']);
    expect(rows(out).map(({ item, priority }) => [item, priority])).toEqual([
      ['C', 'AGENT_FAILURE'],
      ['B', 'AGENT_FAILURE'],
      ['A', 'AGENT_FAILURE'],
    ]);
    expect((await work.bosun(['alerts', 'show', 'alert-1'])).out).toMatch(
      /\[View Details\] \[Resume\] \[Cancel\] \[Resume All\]/,
    );
    expect(await work.bosun(['alerts', 'ack', 'alert-1', '--by', 'ada'])).toEqual({
      code: 0,
      out: 'alert-1: acknowledged by ada at the next start\n',
      err: '',
    });
  });

  it('knows what is not there, and what does not fit: exit codes 2 and 5', async () => {
    const said = async (...args: string[]) => {
      const { code, err } = await work.bosun(args);
      return [code, err];
    };
    expect(await said('pauses', 'show', 'D')).toEqual([2, 'no item "D" in the plan\n']);
    expect(await said('batches', 'show', 'batch-9')).toEqual([2, 'no batch "batch-9"; there are batch-1\n']);
    expect(await said('alerts', 'ack', 'alert-9')).toEqual([
      2,
      'no alert "alert-9"; bosun alerts list --all shows them\n',
    ]);
    expect(await said('gates', 'answer', 'g', 'decision=approve')).toEqual([
      2,
      'no gate "g"; bosun gates list --all shows them\n',
    ]);
    expect(await said('debates', 'show', 'd')).toEqual([2, 'no debate "d"; bosun debates list --all shows them\n']);
    expect(await said('debates', 'list')).toEqual([0, 'no debates\n']);
    expect(await said('gates', 'list')).toEqual([0, 'nobody is asked anything\n']);
    expect((await said('pauses', 'extend', 'A', '--until', 'soon'))[0]).toBe(2);
    expect(await said('pauses', 'list', '--data', 'nowhere')).toEqual([
      2,
      `${work.file('nowhere')} holds no store; bosun run or bosun serve begin one\n`,
    ]);
  });

  it.each(['pauses', 'batches', 'debates', 'gates', 'alerts'])(
    '%s --help names its verbs, and each has examples',
    async (name) => {
      const { code, out } = await work.bosun([name, '--help']);
      expect(code).toBe(0);
      for (const [, verb] of out.matchAll(
        /^ {2}(list|show|resume|extend|expire|answer|confirm|override|redebate|ack)\b/gm,
      )) {
        expect((await work.bosun([name, verb!, '--help'])).out).toContain(`$ bosun ${name} ${verb!}`);
      }
    },
  );

  it('CA-048, CA-019: an order is left for the next start: a batch goes on, and a pause ends', async () => {
    expect(await work.bosun(['pauses', 'expire', 'C', '--by', 'ada', '--json'])).toMatchObject({
      code: 0,
      out: '{"type":"pause.expire","item":"C","by":"ada","durable":true}\n',
    });
    expect(await work.bosun(['batches', 'resume', 'batch-1'])).toEqual({
      code: 0,
      out: 'batch-1: 3 items resume at the next start\n',
      err: '',
    });
    work.write('quota', '');
    const { code, lines } = await work.run('plan.yaml');
    expect(code).toBe(1);
    expect(lines.at(-1)).toMatchObject({
      items: [
        { item: 'A', status: 'completed' },
        { item: 'B', status: 'completed' },
        { item: 'C', status: 'expired', reason: 'given up by ada' },
      ],
    });
    expect((await work.bosun(['batches', 'resume', 'batch-1'])).code).toBe(5);
    expect(
      rows((await work.bosun(['alerts', 'list', '--all', '--json'])).out).find(({ id }) => id === 'alert-1'),
    ).toMatchObject({ state: 'ACKNOWLEDGED', acknowledgedBy: 'ada' });
  });
});

describe('of a running system', () => {
  const work = new Workspace();
  let serving: Call;
  const challenge = {
    id: 'margin',
    topic: 'Margin of A',
    challenged: { agent: 'strategy' },
    disputedFinding: '28 %',
    priority: 'critical-path',
    valueKind: 'margin',
    escalationMs: 1,
    basis: { statement: 'The filing says 25 %.', evidence: [{ kind: 'filing', source: 'page 40', strength: 1 }] },
    positions: { challenger: { statement: '25 %', value: 0.25 }, challenged: { statement: '28 %', value: 0.28 } },
    dependents: [{ id: 'dcf', measure: 'target_price', current: 85, response: 'proportional', runMs: 1 }],
  };

  beforeAll(async () => {
    work.write(
      'agents.mjs',
      `
      import { existsSync } from 'node:fs';
      let runs = 0;
      const challenge = ${JSON.stringify(challenge)};
      export async function check(_, { say }) { await say({ kind: 'challenge', content: challenge }); }
      export async function dcf() { runs += 1; return runs; }
      export async function wait(_, { signal }) {
        while (!existsSync(new URL('go', import.meta.url))) {
          signal.throwIfAborted();
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      }
      export async function last(_, { signal }) {
        await new Promise((_, stop) => signal.addEventListener('abort', stop));
      }`,
    );
    work.write(
      'plan.yaml',
      `
version: 1
plan: p
agents: ./agents.mjs
stages:
  check: { agent: check }
  dcf: { agent: dcf, after: [check], gate: { preset: G3, audience: [ada] } }
  wait: { agent: wait, after: [dcf] }
  last: { agent: last, after: [wait] }
items: [A]
`,
    );
    serving = work.start(['serve', 'plan.yaml', '--port', '0']);
    await serving.says('"event":"gate.opened"');
    await serving.says('"event":"debate.provisional"');
  });
  afterAll(() => work[Symbol.asyncDispose]());

  it('CA-008: a gate is listed, shown with its form, and answered at once by who is asked', async () => {
    expect(rows((await work.bosun(['gates', 'list', '--json'])).out)).toMatchObject([
      { id: 'plan.G3.1', kind: 'G3', audience: ['ada'], phase: 'open' },
    ]);
    expect((await work.bosun(['gates', 'show', 'plan.G3.1'])).out).toMatch(/^title {2}Assumptions$[^]*"decision"/m);
    expect(await work.bosun(['gates', 'answer', 'plan.G3.1', 'decision=approve', '--by', 'bob'])).toMatchObject({
      code: 5,
      err: 'bob is not among those asked: ada; --by says who answers\n',
    });
    expect(await work.bosun(['gates', 'answer', 'plan.G3.1', 'decision=maybe', '--by', 'ada'])).toMatchObject({
      code: 5,
      err: expect.stringContaining('that does not fit plan.G3.1: decision:') as string,
    });
    expect((await work.bosun(['gates', 'answer', 'plan.G3.1', 'approve', '--by', 'ada'])).code).toBe(2);
    expect(
      await work.bosun(['gates', 'answer', 'plan.G3.1', 'decision=approve', '--by', 'ada', '--reason', 'fine']),
    ).toEqual({ code: 0, out: 'plan.G3.1: answered by ada\n', err: '' });
    await serving.says('"task":"A/wait"');
  });

  it(
    'CA-132, CA-133: a debate is shown with its positions and what rests on it; overriding it has people asked at ' +
      'once, and the work done again',
    async () => {
      const { out } = await work.bosun(['debates', 'show', 'margin']);
      expect(out).toMatch(/^goes on with {13}25 % \(provisional - conservative default\)$/m);
      expect(out).toMatch(/^challenger: The filing says 25 %. \[filing page 40, 1\]$/m);
      expect(rows((await work.bosun(['debates', 'list', '--json'])).out)).toMatchObject([
        { id: 'margin', level: 'L4' },
      ]);
      expect(await work.bosun(['debates', 'redebate', 'margin'])).toMatchObject({ code: 5 });
      const decided = await work.bosun([
        'debates',
        'override',
        'margin',
        '--side',
        'challenged',
        '--by',
        'eve',
        '--reason',
        'it is older',
        '--json',
      ]);
      expect(decided).toMatchObject({ code: 0, err: '' });
      expect(rows(decided.out)).toMatchObject([
        {
          type: 'gate.answer',
          gate: 'margin+1',
          by: 'eve',
          answer: { action: 'override', side: 'challenged', note: 'it is older' },
        },
      ]);
      await serving.says('"event":"debate.decided"');
      expect(serving.err).toContain('"rerun":["A/dcf"]');
      expect((await work.bosun(['debates', 'confirm', 'margin'])).code).toBe(5);
    },
  );

  it('CA-019: a pause is listed, extended and resumed at once', async () => {
    await work.bosun(['plan', 'pause', 'A', '--reason', 'review']);
    work.write('go', '');
    await serving.says('"event":"item.paused"');
    expect(rows((await work.bosun(['pauses', 'list', '--json'])).out)).toMatchObject([
      { item: 'A', status: 'PAUSED', reason: 'review', trigger: 'MANUAL' },
    ]);
    expect(rows((await work.bosun(['alerts', 'list', '--json'])).out)).toContainEqual(
      expect.objectContaining({ item: 'A', kind: 'item.paused' }),
    );
    expect(await work.bosun(['pauses', 'extend', 'A', '--until', '2099-01-01', '--reason', 'slow lawyers'])).toEqual({
      code: 0,
      out: 'A: extend\n',
      err: '',
    });
    expect(await work.bosun(['pauses', 'extend', 'A', '--until', '2099-01-01'])).toMatchObject({
      code: 5,
      err: 'A was extended before\n',
    });
    expect((await work.bosun(['pauses', 'show', 'A'])).out).toMatch(/^extended until {2}.*slow lawyers$/m);
    expect(await work.bosun(['pauses', 'resume', 'A'])).toEqual({ code: 0, out: 'A: resume\n', err: '' });
    await serving.says('"event":"item.resumed"');
    expect(await work.bosun(['pauses', 'resume', 'A'])).toMatchObject({ code: 2, err: 'A is not paused\n' });
  });
});

describe('a gate that its desk knows, and whose actor has not taken its first turn', () => {
  const work = new Workspace();
  afterAll(() => work[Symbol.asyncDispose]());
  const question = {
    id: 'q',
    kind: 'ticket',
    title: 'Go on?',
    package: { ticket: 7 },
    audience: ['*'],
    form: formOf(z.object({ decision: z.enum(['approve', 'reject']) })),
    deadlineMs: null,
  };
  const directory = dataDirectory({ data: DEFAULT_DATA, cwd: work.path });
  const onHold = () => createSystem({ agents: crewAgents, store: levelStore(directory.store), hold: true }).start();

  /**
   * Lives through the beginning of the gate, each turn in an epoch of its own, and keeps what is on disk at that
   * moment.
   */
  beforeAll(async () => {
    const { system, store } = await startTestSystem({
      agents: crewAgents,
      tree: { children: gateChildren() },
      clock: new SteppingClock(),
    });
    await system.ask(DESKS.gates, { type: 'gate.open', ...question });
    await system.idle();
    await system.stop();
    mkdirSync(directory.store, { recursive: true });
    for (const { writes } of store.log) {
      await append(writes);
      if (await hasNotBegun()) return;
    }
    throw new Error('there was no such moment');
  });

  async function append(writes: readonly StoreWrite[]): Promise<void> {
    const level = levelStore(directory.store);
    await level.open();
    await level.write(writes, { sync: true });
    await level.close();
  }

  async function hasNotBegun(): Promise<boolean> {
    await using system = await onHold();
    const gate = system.snapshot(`${DESKS.openGates}/${question.id}`);
    return gate !== undefined && gate.context === undefined;
  }

  const shown = async () => {
    const { code, out, err } = await work.bosun(['gates', 'show', 'q', '--json']);
    return { code, err, gates: rows(out) };
  };
  const withoutQuestion = {
    code: 0,
    err: '',
    gates: [expect.objectContaining({ id: 'q', title: 'Go on?', package: null, form: null })],
  };

  it('is shown without what it asks', async () => {
    expect(await shown()).toEqual(withoutQuestion);
  });

  it('is shown so through a gateway, too', async () => {
    await using system = await onHold();
    const door = frontDoor(system, directory, { settings: { port: 0 }, log: () => {} });
    await door.open();
    expect(await shown().finally(() => door.close())).toEqual(withoutQuestion);
  });

  it('takes an answer', async () => {
    expect(await work.bosun(['gates', 'answer', 'q', 'decision=approve', '--by', 'ada'])).toEqual({
      code: 0,
      out: 'q: answered by ada at the next start\n',
      err: '',
    });
  });
});
