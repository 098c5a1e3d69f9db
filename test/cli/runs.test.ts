/** `bosun runs` and `bosun show`, on a running system and on its stopped store. */
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunView } from '../../src/gateway/protocol/run-view.ts';
import { LONG } from '../support/effort.ts';
import { type Call, type Ended, linesOf, Workspace } from '../support/cli/workspace.ts';

let work: Workspace;
afterEach(() => work[Symbol.asyncDispose]());

/** A reason that clears the screen, begins a line of its own and turns the writing around. */
const HOSTILE = 'no stock\u001b[2J\nDONE \u202eall is well';
const SHOWN = 'no stock\\u001b[2J DONE \\u202eall is well';

const source = (path: string) => JSON.stringify(fileURLToPath(new URL(`../../src/${path}`, import.meta.url)));
const bosun = (...args: string[]) => work.bosun([...args, '--data', 'shop']);
const runs = (...args: string[]) => bosun('runs', ...args);
const show = (...args: string[]) => bosun('show', ...args);
const parsed = (out: string) => linesOf(out) as unknown as RunView[];
const ends = (out: string) => parsed(out).map(({ address, status }) => `${address} ${status}`);
const send = (address: string, type: string, fields: object = {}) =>
  bosun('send', address, type, JSON.stringify(fields));
/** Waits for the end of an actor. */
const ended = async (address: string) => expect(await show(address, '--wait')).toMatchObject({ code: 0 });

async function serve(): Promise<Call> {
  return work.start(['serve', '--config', 'shop.config.ts', '--json']).serves();
}

beforeEach(() => {
  work = new Workspace();
  work.write(
    'shop.config.ts',
    `
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from ${source('actors/api/define-agent.ts')};
const machine = setup({
  types: {} as {
    context: { to: string };
    events: { type: 'ship'; to: string } | { type: 'fail'; why: string };
    output: { shippedTo: string };
  },
}).createMachine({
  context: { to: '' },
  initial: 'open',
  output: ({ context }) => ({ shippedTo: context.to }),
  states: {
    open: {
      on: {
        ship: { target: 'shipped', actions: assign({ to: ({ event }) => event.to }) },
        fail: { actions: ({ event }) => { throw new Error(event.why); } },
      },
    },
    shipped: { type: 'final' },
  },
});
const events = { ship: z.object({ to: z.string() }), fail: z.object({ why: z.string() }) };
const [order, parcel] = ['order', 'parcel'].map((name) => defineAgent({ name, machine, events }));
const child = (id: string, agent: string) => ({ id, agent, restart: 'temporary' });
export default {
  data: './shop',
  agents: [order, parcel],
  tree: {
    children: [
      ...['o-1', 'o-2', 'o-3'].map((id) => child(id, 'order')),
      ...['p-1', 'p-2'].map((id) => child(id, 'parcel')),
      {
        id: 'team',
        restart: 'temporary',
        boss: { intensity: 0, children: [{ id: 'w', agent: 'parcel', restart: 'permanent' }] },
      },
    ],
  },
  gateway: { port: 0 },
};
`,
  );
});

/** Ends an actor in each way, one after the other; o-3 and p-2 go on. */
async function endSome(): Promise<void> {
  await send('o-1', 'ship', { to: 'Ada' });
  await ended('o-1');
  await send('o-2', 'fail', { why: HOSTILE });
  await ended('o-2');
  await bosun('stop', 'p-1');
  await ended('p-1');
  await bosun('kill', 'team/w', '--by', 'ada');
  await ended('team/w');
}

/** The same by a gateway and in a store. */
async function listsThem(): Promise<void> {
  expect((await runs()).out).toMatch(
    new RegExp(
      [
        '^ADDRESS {2}AGENT {3}STATUS {3}ENDED {21}DURATION {2}ATTEMPTS {2}RESULT',
        'team/w {3}parcel {2}gaveUp {3}[\\dT:.-]+Z {2}[\\d.]+ m?s +1 {9}team/w: killed by ada',
        'p-1 {6}parcel {2}stopped {2}[\\dT:.-]+Z {2}[\\d.]+ m?s +1',
        `o-2 {6}order {3}failed {3}[\\dT:.-]+Z {2}[\\d.]+ m?s +1 {9}${SHOWN.replaceAll(/[[\\]/g, '\\$&')}`,
        'o-1 {6}order {3}done {5}[\\dT:.-]+Z {2}[\\d.]+ m?s +1 {9}\\{"shippedTo":"Ada"\\}',
        '$',
      ].join('\\n'),
    ),
  );
  const json = async (...args: string[]) => (await runs(...args, '--json')).out;
  expect(ends(await json())).toEqual(['team/w gaveUp', 'p-1 stopped', 'o-2 failed', 'o-1 done']);
  expect(ends(await json('--last', '2'))).toEqual(['team/w gaveUp', 'p-1 stopped']);
  expect(ends(await json('--agent', 'order'))).toEqual(['o-2 failed', 'o-1 done']);
  expect(ends(await json('--status', 'done'))).toEqual(['o-1 done']);
  expect(ends(await json('--failed'))).toEqual(['team/w gaveUp', 'o-2 failed']);
  expect(ends(await json('--failed', '--last', '1'))).toEqual(['team/w gaveUp']);
  expect(parsed(await json('--agent', 'order'))).toMatchObject([
    { output: null, error: { message: HOSTILE }, attempts: 1 },
    { output: { shippedTo: 'Ada' }, error: null, version: 1 },
  ]);
  const second = new Date(parsed(await json('--status', 'stopped'))[0]!.endedAtMs).toISOString();
  expect(ends(await json('--since', second))).toEqual(['team/w gaveUp', 'p-1 stopped']);
  expect(ends(await json('--since', '2h', '--agent', 'order'))).toHaveLength(2);
  expect(await runs('--since', '2999-01-01')).toEqual({ code: 0, out: '', err: 'no runs\n' });
  expect(await runs('--agent', 'nobody')).toEqual({ code: 0, out: '', err: 'no runs\n' });
  expect(await runs('--agent', 'nobody', '--json')).toEqual({ code: 0, out: '', err: '' });
}

async function listsOpenOnes(): Promise<void> {
  expect((await runs('--open')).out.split('\n').map((line) => line.split(/ +/).slice(0, 4).join(' '))).toEqual([
    'ADDRESS AGENT STATUS STATE',
    'o-3 order active open',
    'p-2 parcel active open',
    '',
  ]);
  expect(linesOf((await runs('--open', '--agent', 'parcel', '--json')).out)).toMatchObject([{ address: 'p-2' }]);
  expect(linesOf((await runs('--open', '--last', '1', '--json')).out)).toMatchObject([{ address: 'o-3' }]);
  expect(await runs('--open', '--agent', 'nobody')).toEqual({ code: 0, out: '', err: 'no runs\n' });
}

const refused = (words: string): Ended => ({ code: 2, out: '', err: expect.stringContaining(words) as string });

describe('bosun runs', () => {
  it('lists ended actors, the newest end first, of a running system or its stopped store', LONG, async () => {
    const call = await serve();
    expect(await runs()).toEqual({ code: 0, out: '', err: 'no runs\n' });
    const open = linesOf((await runs('--open', '--json')).out) as unknown as RunView[];
    expect(open.map(({ address }) => address)).toEqual(['o-1', 'o-2', 'o-3', 'p-1', 'p-2', 'team/w']);
    await endSome();
    await listsThem();
    await listsOpenOnes();
    await call.interrupt();
    await listsThem();
    await listsOpenOnes();
  });

  it('exits with 2 for options that say nothing together, and for what is no time or status', async () => {
    expect(await runs('--open', '--failed')).toEqual(refused('name them or --open, not both'));
    expect(await runs('--open', '--since', '2h')).toEqual(refused('name them or --open, not both'));
    expect(await runs('--failed', '--status', 'done')).toEqual(refused('name --failed or a --status, not both'));
    expect(await runs('--since', 'yesterday')).toEqual(refused('Not a time, such as 2h'));
    expect(await runs('--status', 'over')).toEqual(refused('Allowed choices are done, failed, gaveUp, stopped.'));
  });
});

describe('bosun show', () => {
  it('says what became of an actor, in a running system or its stopped store', LONG, async () => {
    const call = await serve();
    await send('o-1', 'ship', { to: 'Ada' });
    await send('o-2', 'fail', { why: HOSTILE });
    await Promise.all([ended('o-1'), ended('o-2')]);
    const done =
      /^address {3}o-1\nstatus {4}done\nagent {5}order, version 1\nstarted {3}.*Z\nended {5}.*Z\n.*\nattempts {2}1\n/;
    const live = { done: await show('o-1'), failed: await show('o-2'), json: await show('o-1', '--json') };
    expect(live.done.out).toMatch(done);
    expect(live.done.out).toContain('\noutput    {"shippedTo":"Ada"}\n');
    expect(live.done.out).toContain('\nturns     bosun call actor.history address=o-1 --data shop\n');
    expect(live.failed.out).toContain(`\nerror     ${SHOWN}\n`);
    expect(live.failed.out).not.toContain('stack');
    expect(parsed(live.json.out)).toMatchObject([{ address: 'o-1', status: 'done', output: { shippedTo: 'Ada' } }]);
    expect((await show('o-3')).out).toMatch(/^address {4}o-3\nstatus {5}active, has not ended\n[^]*\nstate {6}open\n/);
    const standing = { address: 'o-3', agent: 'order', status: 'active', state: 'open', endedAtMs: null };
    expect(linesOf((await show('o-3', '--json')).out)).toMatchObject([standing]);
    expect(await show('nobody')).toEqual(refused('no actor at nobody'));
    expect(await show('nobody', '--wait')).toEqual(refused('no actor at nobody'));
    await call.interrupt();
    expect((await show('o-1')).out).toMatch(done);
    expect(await show('o-1', '--json')).toEqual(live.json);
    expect(await show('o-1', '--wait', '--json')).toEqual(live.json);
    expect((await show('o-2')).out).toMatch(
      /\nstack\n {2}Error: no stock\\u001b\[2J\n {2}DONE \\u202eall is well\n {2}at /,
    );
    expect(parsed((await show('o-2', '--json')).out)).toMatchObject([
      { error: { message: HOSTILE }, stack: expect.stringContaining('shop.config.ts') as string },
    ]);
    expect(linesOf((await show('o-3', '--json')).out)).toMatchObject([standing]);
    expect(await show('nobody')).toEqual(refused('no actor at nobody'));
    expect(await show('o-3', '--wait')).toEqual({ ...refused('start one with bosun serve'), code: 7 });
  });

  it('waits for the end of an actor, over a restart of the system, until it is interrupted', LONG, async () => {
    let call = await serve();
    const waiting = work.start(['show', 'o-1', '--wait', '--json', '--data', 'shop']);
    const other = work.start(['show', 'o-2', '--wait', '--data', 'shop']);
    await Promise.all([waiting.says('waiting for its end'), other.says('waiting for its end')]);
    await call.interrupt();
    await Promise.all([waiting.says('waiting for the next one'), other.says('waiting for the next one')]);
    call = await serve();
    await send('o-1', 'ship', { to: 'Ada' });
    expect(await waiting.ended).toMatchObject({ code: 0, err: expect.not.stringContaining('error') as string });
    expect(parsed(waiting.out)).toMatchObject([{ address: 'o-1', status: 'done', output: { shippedTo: 'Ada' } }]);
    expect(await other.interrupt()).toMatchObject({ code: 130, out: '' });
    await call.interrupt();
  });
});
