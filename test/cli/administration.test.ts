/** The verbs of administration on a stopped store: their orders are carried out at the next start, and are audited. */
import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuditRecord } from '../../src/actors/world/audit-record.ts';
import { type DeadLetter } from '../../src/actors/world/mailbox/dead-letter.ts';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { Shard } from '../../src/shard.ts';
import { type TreeNode } from '../../src/system-options.ts';
import { clerk, note } from '../support/actors/clerk.ts';
import { Workspace } from '../support/cli/workspace.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

/** A program that embeds Bosun, whose agents the command line does not have. */
async function running<T>(look: (system: Shard) => Promise<T>): Promise<T> {
  const tree = { intensity: 100, children: ['a', 'b', 'c'].map((id) => ({ id, agent: 'clerk' })) };
  const system = await new Shard({
    agents: [clerk],
    store: levelStore(work.file('shop')),
    tree,
    scrub: false,
    log: () => {},
  }).start();
  try {
    return await look(system);
  } finally {
    await system.stop();
  }
}

const notes = (system: Shard, address: string) => (system.snapshot(address)!.context as { notes: string[] }).notes;
const bosun = (...args: string[]) => work.bosun([...args, '--data', 'shop']);
const lines = <T>(out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

beforeAll(async () => {
  await running(async (system) => {
    for (const text of ['one', 'two']) await system.send('a', note(text));
    for (const address of ['b', 'c']) {
      await system.send(address, { type: 'choke' });
      const isSetAside = () => system.deadLetters.list().some((letter) => letter.address === address);
      await system.actor(address).waitFor(({ status }) => status === 'active' && isSetAside());
    }
  });
});

describe('bosun suspend, resume and kill', () => {
  it('take effect at the next start, and are audited with person and reason', async () => {
    expect(await bosun('suspend', 'a', '--by', 'ada', '--reason', 'review')).toEqual({
      code: 0,
      out: 'a is suspended\n',
      err: '',
    });
    expect(lines((await bosun('kill', 'b', '--by', 'bob', '--json')).out)).toEqual([
      { type: 'kill', address: 'b', by: 'bob', durable: true },
    ]);
    const tree = lines<TreeNode>((await bosun('tree', '--json')).out)[0]!;
    expect(tree.children.map(({ address, status }) => [address, status])).toEqual([
      ['a', 'suspended'],
      ['b', 'error'],
      ['c', 'active'],
    ]);
    await running(async (system) => {
      await system.send('a', note('three'));
      await system.idle();
      expect([system.snapshot('a')!.status, notes(system, 'a')]).toEqual(['suspended', ['one', 'two']]);
      await system.actor('b').waitFor(({ status }) => status === 'active');
      expect(system.tree().children[1]).toMatchObject({ lastError: { code: 'BOSUN_KILLED' } });
    });
    expect((await bosun('tree')).out).toMatch(
      /a {2}clerk, .*suspended, 1 unread, the oldest for \d+ ms, last error: a: suspended by ada: review/,
    );
    expect(await bosun('resume', 'a')).toMatchObject({ code: 0, out: 'a is resumed at the next start\n' });
    await running(async (system) => {
      await system.actor('a').waitFor(() => notes(system, 'a').length === 3);
    });
    const records = lines<AuditRecord>((await bosun('audit', '--json')).out);
    expect(records.map(({ by, order, address, reason, outcome }) => [by, order, address, reason, outcome])).toEqual([
      [userInfo().username, 'resume', 'a', null, 'done'],
      ['bob', 'kill', 'b', null, 'done'],
      ['ada', 'suspend', 'a', 'review', 'done'],
    ]);
    expect((await bosun('audit', '--address', 'a', '--limit', '1')).out).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z {2}.+ {2}resume a\n$/,
    );
  });

  it('exit with 2 for invalid arguments and unknown actors, and with 4 if the store is in use', async () => {
    expect(await bosun('suspend', 'root')).toMatchObject({
      code: 2,
      err: expect.stringContaining('stop the system instead') as string,
    });
    expect(await bosun('kill', 'nobody')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no actor at nobody') as string,
    });
    expect(await bosun('suspend', 'a', '--by', '')).toMatchObject({
      code: 2,
      err: expect.stringContaining('must say who gives it') as string,
    });
    expect(await work.bosun(['suspend', 'a', '--data', 'nowhere'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('holds no store') as string,
    });
    expect((await bosun('audit', '--limit', '2')).out).toMatch(
      /kill nobody {2}BOSUN_ACTOR_UNKNOWN\n.*suspend root {2}BOSUN_ORDER_REFUSED\n/,
    );
    await running(async () => {
      expect(await bosun('suspend', 'a')).toMatchObject({ code: 4, out: '' });
    });
  });
});

describe('bosun deadletters', () => {
  it('lists, redelivers and discards dead letters', async () => {
    const [first, second] = lines<DeadLetter>((await bosun('deadletters', 'list', '--json')).out);
    expect([first, second]).toMatchObject([
      { address: 'b', reason: 'quarantined', event: { type: 'choke' }, error: { message: 'no' } },
      { address: 'c' },
    ]);
    expect((await bosun('deadletters', 'list')).out).toMatch(/^\d+ {2}\S+Z {2}quarantined {2}b {2}choke {2}no\n/);
    expect(await bosun('deadletters', 'discard', String(first!.number), '--by', 'ada')).toMatchObject({ code: 0 });
    expect(
      await bosun('deadletters', 'redeliver', String(second!.number), '--by', 'ada', '--reason', 'mended'),
    ).toMatchObject({ code: 0 });
    expect(await bosun('deadletters', 'list')).toMatchObject({ code: 0, out: '', err: 'no dead letters\n' });
    await running(async (system) => {
      await system.actor('c').waitFor(() => system.deadLetters.list().length > 0);
    });
    expect((await bosun('audit', '--address', 'c')).out).toMatch(
      /ada {2}redeliver c {2}because: mended {2}\{"number":\d+\}\n$/,
    );
    expect(await bosun('deadletters', 'discard', '99')).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no dead letter 99') as string,
    });
    expect(await bosun('deadletters', 'discard', 'x')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Not a whole number') as string,
    });
  });
});
