/** Orders left one after the other in a stopped store: each is tried on what those before it make of the state. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Workspace } from '../support/cli/workspace.ts';

let work: Workspace;
beforeEach(() => void (work = new Workspace()));
afterEach(() => work[Symbol.asyncDispose]());

/** Exit code and message of a verb. */
async function said(...args: string[]): Promise<[number | null, string]> {
  const { code, out, err } = await work.bosun(args);
  return [code, out + err];
}

describe('orders about paused items', () => {
  beforeEach(async () => {
    work.write(
      'agents.mjs',
      `export async function fetch() {
        throw Object.assign(new Error('quota exceeded: 1000/1000'), { status: 429, dataSource: 'prices' });
      }`,
    );
    work.write(
      'plan.yaml',
      '{ version: 1, plan: p, agents: ./agents.mjs, capacity: { fetch: 1 }, ' +
        'stages: { fetch: { agent: fetch, retry: { attempts: 1 } } }, items: [A, B, C] }',
    );
    await work.run('plan.yaml');
  });

  const extend = ['pauses', 'extend', 'A', '--until', '2099-01-01'];

  it('extend a pause once', async () => {
    expect(await said(...extend)).toEqual([0, 'A: extend at the next start\n']);
    expect(await said(...extend)).toEqual([5, 'A was extended before\n']);
    expect(await said('pauses', 'extend', 'B', '--until', '2099-01-01')).toEqual([0, 'B: extend at the next start\n']);
  });

  it('resume no pause that was expired, nor the reverse', async () => {
    expect(await said('pauses', 'expire', 'A', '--by', 'ada')).toEqual([0, 'A: expire at the next start\n']);
    expect(await said('pauses', 'resume', 'A')).toEqual([2, 'A is not paused\n']);
    expect(await said('plan', 'resume', 'A')).toEqual([2, 'A has expired\n']);
    expect(await said('pauses', 'resume', 'B')).toEqual([0, 'B: resume at the next start\n']);
    expect(await said('pauses', 'expire', 'B')).toEqual([2, 'B is not paused\n']);
  });

  it('resume an item of the plan once, and not after its pause was resumed', async () => {
    expect(await said('plan', 'resume', 'A')).toEqual([0, 'A: resume at the next start\n']);
    expect(await said('plan', 'resume', 'A')).toEqual([2, 'A is not paused\n']);
    expect(await said('pauses', 'resume', 'B')).toEqual([0, 'B: resume at the next start\n']);
    expect(await said('plan', 'resume', 'B')).toEqual([2, 'B is not paused\n']);
  });

  it('pause no item whose resumption, left before, is not carried out when the pause comes', async () => {
    expect(await said('plan', 'resume', 'A')).toEqual([0, 'A: resume at the next start\n']);
    expect(await said('plan', 'pause', 'A')).toEqual([2, 'A is paused already; an order left before comes first\n']);
  });

  it('resume a batch, and say so when it is resuming', async () => {
    expect(await said('batches', 'resume', 'batch-1')).toEqual([
      0,
      'batch-1: as resources allow, 3 of 3 items resume at the next start\n',
    ]);
    expect(await said('batches', 'resume', 'batch-1')).toEqual([
      0,
      'batch-1: is resuming already: 0 of 3 items are resumed; resources are requested again at the next start\n',
    ]);
  });

  it('acknowledge an alert once', async () => {
    expect(await said('alerts', 'ack', 'alert-1', '--by', 'ada')).toEqual([
      0,
      'alert-1: acknowledged by ada at the next start\n',
    ]);
    expect(await said('alerts', 'ack', 'alert-1', '--by', 'bob')).toEqual([5, 'alert-1 is ACKNOWLEDGED already\n']);
  });

  it('leave what is stored, and what lists of it show, as they are', async () => {
    const before = await said('pauses', 'list', '--json');
    await said('pauses', 'expire', 'A');
    await said('pauses', 'resume', 'A');
    expect(await said('pauses', 'list', '--json')).toEqual(before);
  });
});

describe('orders about a question', () => {
  it('answer it once, by those who may', async () => {
    work.write('agents.mjs', 'export const draft = async () => 1; export const print = async () => 2;');
    work.write(
      'plan.yaml',
      '{ version: 1, plan: p, agents: ./agents.mjs, stages: { draft: { agent: draft, ' +
        'gate: { name: ok, title: "Print it?", audience: [ada] } }, print: { agent: print, after: [draft] } }, ' +
        'items: [A] }',
    );
    await work.run('plan.yaml');
    const { out } = await work.bosun(['gates', 'list', '--json']);
    const { id } = JSON.parse(out) as { id: string };
    const answer = (decision: string, by: string) => said('gates', 'answer', id, `decision=${decision}`, '--by', by);
    expect(await answer('approve', 'bob')).toEqual([
      5,
      'bob may not answer it; those who may: ada. Name one with --by\n',
    ]);
    expect(await answer('approve', 'ada')).toEqual([0, `${id}: answered by ada at the next start\n`]);
    expect(await answer('reject', 'ada')).toEqual([5, `${id} is closed: answered\n`]);
  });
});
