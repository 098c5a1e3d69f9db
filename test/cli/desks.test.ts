/** The verbs of the crew's desks, in a stopped store and through the gateway of a running system. */
import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type StoreWrite } from '../../src/actors/model/ports.ts';
import { dataDirectory } from '../../src/cli/store/data-directory.ts';
import { DEFAULT_DATA } from '../../src/cli/default-data.ts';
import { frontDoor } from '../../src/cli/reach/front-door.ts';
import { crewAgents } from '../../src/machines/crew.ts';
import { gateChildren } from '../../src/machines/people/gates/gate-desk.ts';
import { formOf } from '../../src/machines/people/gates/gate-form.ts';
import { DESKS } from '../../src/machines/desks.ts';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { Shard } from '../../src/shard.ts';
import { startTestSystem } from '../../src/testing/test-system.ts';
import { SteppingClock } from '../support/supervisor/every-epoch.ts';
import { MARGIN_CHALLENGE } from '../support/machines/margin-challenge.ts';
import { type Call, linesOf, Workspace } from '../support/cli/workspace.ts';

const rows = (out: string) => linesOf(out) as unknown as Record<string, unknown>[];

let work: Workspace;
beforeEach(() => void (work = new Workspace()));
afterEach(() => work[Symbol.asyncDispose]());

describe('the verbs of desks', () => {
  it.each(['pauses', 'batches', 'debates', 'experts', 'gates', 'alerts'])(
    '%s --help names its verbs, and each has examples',
    async (name) => {
      const { code, out } = await work.bosun([name, '--help']);
      expect(code).toBe(0);
      for (const [, verb] of out.matchAll(
        /^ {2}(list|show|resume|extend|expire|answer|confirm|override|redebate|ack|away|back)\b/gm,
      )) {
        expect((await work.bosun([name, verb!, '--help'])).out).toContain(`$ bosun ${name} ${verb!}`);
      }
    },
  );
});

describe('desks in a stopped store', () => {
  beforeEach(async () => {
    work.write(
      'agents.mjs',
      `
      import { existsSync } from 'node:fs';
      export async function fetch() {
        if (existsSync(new URL('quota', import.meta.url))) return 'figures';
        throw Object.assign(new Error('quota exceeded: 1000/1000'), { status: 429, dataSource: 'prices' });
      }`,
    );
    // One after another: of tasks that run side by side, any may fail first.
    work.write(
      'plan.yaml',
      '{ version: 1, plan: p, agents: ./agents.mjs, capacity: { fetch: 1 }, ' +
        'stages: { fetch: { agent: fetch, retry: { attempts: 1 } } }, ' +
        'items: [A, B, C] }',
    );
    await work.run('plan.yaml');
  });

  it('CA-024: pauses are listed, and shown with the tasks that run again', async () => {
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
    expect(out).toMatch(/^items {8}3: 3 paused, 0 resumed, 0 failed, 0 pending$/m);
    expect(out).toMatch(/^A {5}paused {2}A\/fetch failed/m);
  });

  it('CA-075: alerts are listed, shown with their actions, and acknowledged', async () => {
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

  it('refuse unknown items, batches, alerts, gates and debates with exit code 2', async () => {
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
    expect(await said('gates', 'list')).toEqual([0, 'no open questions\n']);
    expect((await said('pauses', 'extend', 'A', '--until', 'soon'))[0]).toBe(2);
    expect(await said('pauses', 'list', '--data', 'nowhere')).toEqual([
      2,
      `${work.file('nowhere')} holds no store: name its directory with --data, or create one with bosun run or serve\n`,
    ]);
  });

  it('CA-048, CA-019: orders to resume a batch and to end a pause are carried out at the next start', async () => {
    await work.bosun(['alerts', 'ack', 'alert-1', '--by', 'ada']);
    expect(await work.bosun(['pauses', 'expire', 'C', '--by', 'ada', '--json'])).toMatchObject({
      code: 0,
      out: '{"type":"pause.expire","item":"C","by":"ada","durable":true}\n',
    });
    expect(await work.bosun(['batches', 'resume', 'batch-1'])).toEqual({
      code: 0,
      out: 'batch-1: as resources allow, 2 of 3 items resume at the next start\n',
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

describe('desks of a running system', () => {
  let serving: Call;
  const challenge = {
    ...{ ...MARGIN_CHALLENGE, priority: 'critical-path', valueKind: 'margin', escalationMs: 1 },
    dependents: [{ id: 'dcf', measure: 'target_price', current: 85, response: 'proportional', runMs: 1 }],
  };

  beforeEach(async () => {
    work.write(
      'agents.mjs',
      `
      import { existsSync, watch } from 'node:fs';
      let runs = 0;
      const challenge = ${JSON.stringify(challenge)};
      export async function check(_, { say }) { await say({ kind: 'challenge', content: challenge }); }
      export async function dcf() { runs += 1; return runs; }
      export function wait(_, { signal }) {
        return new Promise((resolve, reject) => {
          const go = new URL('go', import.meta.url);
          const watcher = watch(new URL('.', import.meta.url), () => existsSync(go) && end(resolve));
          const end = (how) => { watcher.close(); how(signal.reason); };
          signal.addEventListener('abort', () => end(reject));
          if (existsSync(go)) end(resolve);
        });
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
pack: finance
agents: ./agents.mjs
stages:
  check: { agent: check }
  dcf: { agent: dcf, after: [check], gate: { preset: G3, audience: [ada] } }
  wait: { agent: wait, after: [dcf] }
  last: { agent: last, after: [wait] }
items: [A]
`,
    );
    serving = await work.start(['serve', 'plan.yaml', '--port', '0']).serves();
    await serving.says('"event":"gate.opened"');
    await serving.says('"event":"debate.provisional"');
  });

  it('let only the audience of a gate acknowledge its card (D2)', async () => {
    // There is also the card of the debate review, which anyone may answer.
    const cardIn = (out: string) =>
      rows(out).find(({ kind, item }) => kind === 'gate.waiting' && item === 'gate plan.G3.1');
    const { out } = await work.looks(['alerts', 'list', '--json'], (told) => cardIn(told.out) !== undefined);
    expect(await work.bosun(['alerts', 'ack', cardIn(out)!['id'] as string, '--by', 'bob'])).toEqual({
      code: 5,
      out: '',
      err: 'bob may not acknowledge it; those who may: ada. Name one with --by\n',
    });
  });

  it('CA-008: a gate is listed, shown with its form, and answered at once by a person of its audience', async () => {
    // The debate review is listed too, if the debate was provisional when the gate opened.
    expect(rows((await work.bosun(['gates', 'list', '--json'])).out)).toContainEqual(
      expect.objectContaining({ id: 'plan.G3.1', kind: 'G3', audience: ['ada'], phase: 'open' }),
    );
    expect((await work.bosun(['gates', 'show', 'plan.G3.1'])).out).toMatch(/^title {2}Assumptions$[^]*"decision"/m);
    expect(await work.bosun(['gates', 'answer', 'plan.G3.1', 'decision=approve', '--by', 'bob'])).toMatchObject({
      code: 5,
      err: 'bob may not answer it; those who may: ada. Name one with --by\n',
    });
    expect(await work.bosun(['gates', 'answer', 'plan.G3.1', 'decision=maybe', '--by', 'ada'])).toMatchObject({
      code: 5,
      err: expect.stringContaining('the answer does not fit plan.G3.1: decision:') as string,
    });
    expect((await work.bosun(['gates', 'answer', 'plan.G3.1', 'approve', '--by', 'ada'])).code).toBe(2);
    expect(await work.bosun(['gates', 'answer', 'plan.G3.1', 'decision={"n": 1e999}', '--by', 'ada'])).toMatchObject({
      err: 'the JSON holds a number that is too large at n\n',
    });
    expect(
      await work.bosun(['gates', 'answer', 'plan.G3.1', 'decision=approve', '--by', 'ada', '--reason', 'fine']),
    ).toEqual({ code: 0, out: 'plan.G3.1: answered by ada\n', err: '' });
    await serving.says('"task":"A/wait"');
  });

  it(
    'CA-132, CA-133: a debate is shown with its positions; an override is carried out at once, and the dependent ' +
      'work is done again',
    async () => {
      const provisional = /^proceeds with {12}25 % \(provisional - conservative default\)$/m;
      const { out } = await work.looks(['debates', 'show', 'margin'], (told) => provisional.test(told.out));
      expect(out).toMatch(/^challenger: The filing says 25 %. \[filing page 40, 0.8\]$/m);
      expect(rows((await work.bosun(['debates', 'list', '--json'])).out)).toMatchObject([
        // Provisional before the gate of its item opened, or after it.
        { id: 'margin', level: expect.stringMatching(/^L[45]$/) as unknown },
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
    await work.bosun(['gates', 'answer', 'plan.G3.1', 'decision=approve', '--by', 'ada', '--reason', 'fine']);
    await serving.says('"task":"A/wait"');
    await work.bosun(['plan', 'pause', 'A', '--reason', 'review']);
    work.write('go', '');
    await serving.says('"event":"item.paused"');
    expect(rows((await work.bosun(['pauses', 'list', '--json'])).out)).toMatchObject([
      { item: 'A', status: 'PAUSED', reason: 'review', trigger: 'MANUAL' },
    ]);
    await work.looks(['alerts', 'list', '--json'], ({ out }) =>
      rows(out).some(({ item, kind }) => item === 'A' && kind === 'item.paused'),
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

describe('a gate whose actor has not taken its first turn', () => {
  const question = {
    id: 'q',
    kind: 'ticket',
    title: 'Go on?',
    package: { ticket: 7 },
    audience: ['*'],
    form: formOf(z.object({ decision: z.enum(['approve', 'reject']) })),
    deadlineMs: null,
  };
  const directory = () => dataDirectory({ data: DEFAULT_DATA, cwd: work.path });
  const onHold = () => new Shard({ agents: crewAgents, store: levelStore(directory().store), hold: true }).start();

  /**
   * Replays the start of the gate, with one epoch per turn, and keeps the state of the disk before the gate's first
   * turn.
   */
  beforeEach(async () => {
    const { shard: system, store } = await startTestSystem({
      agents: crewAgents,
      tree: { children: gateChildren() },
      clock: new SteppingClock(),
    });
    await system.ask(DESKS.gates, { type: 'gate.open', ...question });
    await system.idle();
    await system.stop();
    mkdirSync(directory().store, { recursive: true });
    for (const { writes } of store.log) {
      await append(writes);
      if (await hasNotBegun()) return;
    }
    throw new Error('there was no such moment');
  });

  async function append(writes: readonly StoreWrite[]): Promise<void> {
    const level = levelStore(directory().store);
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

  it('is shown without its package and form', async () => {
    expect(await shown()).toEqual(withoutQuestion);
  });

  it('is shown without its package and form through a gateway, too', async () => {
    await using system = await onHold();
    const door = frontDoor(system, directory(), { settings: { port: 0 }, log: () => {} });
    await door.open();
    expect(await shown().finally(() => door.close())).toEqual(withoutQuestion);
  });

  it('accepts an answer', async () => {
    expect(await work.bosun(['gates', 'answer', 'q', 'decision=approve', '--by', 'ada'])).toEqual({
      code: 0,
      out: 'q: answered by ada at the next start\n',
      err: '',
    });
  });
});
