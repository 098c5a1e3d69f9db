/** `bosun records`, on a running system and on its stopped store. */
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RecordView } from '../../src/actors/api/record-pages.ts';
import { LONG } from '../support/effort.ts';
import { type Call, linesOf, Workspace } from '../support/cli/workspace.ts';

let work: Workspace;
afterEach(() => work[Symbol.asyncDispose]());

const source = (path: string) => JSON.stringify(fileURLToPath(new URL(`../../src/${path}`, import.meta.url)));
const bosun = (...args: string[]) => work.bosun([...args, '--data', 'shop']);
const records = (...args: string[]) => bosun('records', ...args);
const whats = (out: string) =>
  (linesOf(out) as unknown as RecordView[]).map(({ value }) => (value as { what: unknown }).what);
const numbers = (out: string) => (linesOf(out) as unknown as RecordView[]).map(({ number }) => number);
const note = (address: string, what: string, order: string) =>
  bosun('send', address, 'note', JSON.stringify({ what, order }), '--wait');

async function serve(): Promise<Call> {
  return work.start(['serve', '--config', 'shop.config.ts', '--json']).serves();
}

beforeEach(() => {
  work = new Workspace();
  work.write(
    'shop.config.ts',
    `
import { setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from ${source('actors/api/define-agent.ts')};
import { record } from ${source('actors/model/talk-actions.ts')};
const ledger = defineAgent({
  name: 'ledger',
  machine: setup({ types: {} as { events: { type: 'note'; what: string; order: string } } }).createMachine({
    on: { note: { actions: record('notes', ({ event: { what, order } }) => ({ what, order })) } },
  }),
  events: { note: z.object({ what: z.string(), order: z.string() }) },
  records: { notes: { keys: { order: 'order' } } },
});
export default {
  data: './shop',
  agents: [ledger],
  tree: { children: [{ id: 'a', agent: 'ledger' }, { id: 'b/c', agent: 'ledger' }] },
  gateway: { port: 0 },
};
`,
  );
});

/** The same by a gateway and in a store. */
async function looksAt(): Promise<void> {
  expect((await records('a', 'notes')).out).toMatch(
    /^\d{4}-[\dT:.-]+Z {2}1 {2}\{"what":"one","order":"17"\}\n.* {2}2 {2}.*\n.* {2}3 {2}\{.*"order":"x"\}\n$/,
  );
  const json = async (...args: string[]) => (await records(...args, '--json')).out;
  expect(whats(await json('a', 'notes', '--last', '2'))).toEqual(['two', 'one']);
  expect(numbers(await json('a', 'notes', '--after', '1'))).toEqual([2, 3]);
  expect(numbers(await json('a', 'notes', '--after', '1', '--last', '1'))).toEqual([3]);
  expect(numbers(await json('a', 'notes', '--where', 'what=one', '--where', 'order="17"'))).toEqual([1]);
  expect(whats(await json('--agent', 'ledger', 'notes', '--key', 'order=17'))).toEqual(['one', 'two', 'far']);
  expect((await records('--agent', 'ledger', 'notes', '--key', 'order=17', '--last', '1')).out).toMatch(
    /^[\dT:.-]+Z {2}b\/c {2}1 {2}\{.*\}\n$/,
  );
  expect(await records('a', 'notes', '--where', 'what=none')).toEqual({ code: 0, out: '', err: 'no records\n' });
  expect(await records('--agent', 'ledger', 'notes', '--key', 'order=none', '--json')).toEqual({
    code: 0,
    out: '',
    err: '',
  });
  for (const [args, words] of [
    [['nobody', 'notes'], 'no actor at nobody'],
    [['a', 'nowhere'], 'no records named "nowhere"'],
    [['a'], 'name an actor'],
    [['a', 'notes', '--key', 'order=17'], '--key needs --agent'],
    [['--agent', 'ledger', 'notes'], '--agent needs --key'],
    [['--agent', 'ledger', 'a', 'notes', '--key', 'order=17'], 'with --agent, only a name'],
    [['a', 'notes', '--where', 'what'], 'field=value'],
  ] as const)
    expect(await records(...args), args.join(' ')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(words) as string,
    });
}

describe('bosun records', () => {
  it('prints records of an actor or of a key, from a running system or its stopped store', LONG, async () => {
    const call = await serve();
    await note('a', 'one', '17');
    await note('a', 'two', '17');
    await note('b/c', 'far', '17');
    await note('a', 'one', 'x');
    await looksAt();
    expect(await records('--agent', 'ledger', 'notes', '--key', 'what=one')).toMatchObject({ code: 2 });
    await call.interrupt();
    await looksAt();
    expect(await records('a', 'notes', '--follow')).toMatchObject({
      code: 7,
      err: expect.stringContaining('start one with bosun serve') as string,
    });
  });

  it('follows records without a gap across a restart of the system, until it is interrupted', LONG, async () => {
    let call = await serve();
    await note('b/c', 'far', '17');
    const followed = work.start(['records', 'b/c', 'notes', '--after', '1', '--follow', '--json', '--data', 'shop']);
    const picked = work.start(['records', 'b/c', 'notes', '--where', 'what=near', '--follow', '--data', 'shop']);
    await Promise.all([followed.says('listening'), picked.says('listening')]);
    await note('b/c', 'two', 'y');
    await followed.says('"two"');
    await call.interrupt();
    await followed.says('waiting for the next one');
    call = await serve();
    await note('b/c', 'near', 'y');
    await Promise.all([followed.says('"near"'), picked.says('near')]);
    expect(await followed.interrupt()).toMatchObject({
      code: 130,
      err: expect.not.stringMatching(/lost|not kept/) as string,
    });
    expect(numbers(followed.out)).toEqual([2, 3]);
    expect((await picked.interrupt()).out).toMatch(/^[\dT:.-]+Z {2}3 {2}\{"what":"near","order":"y"\}\n$/);
    await call.interrupt();
  });
});
