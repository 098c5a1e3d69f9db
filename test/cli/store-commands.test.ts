/** The verbs that look after a store: verify, backup, restore, erase, and `run --recover-to`. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type StoreWrite } from '../../src/actors/model/ports.ts';
import { FORMAT, seal } from '../../src/persistence/format/envelope.ts';
import { keysUnder, MANIFEST_KEY, numberIn, PREFIX } from '../../src/persistence/format/keys.ts';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { type Verification } from '../../src/persistence/upkeep/verify.ts';
import { Workspace } from '../support/cli/workspace.ts';

let work: Workspace;
afterEach(() => work[Symbol.asyncDispose]());

beforeEach(async () => {
  work = new Workspace();
  work.write('agents.mjs', 'export async function worker() { return { files: [] }; }');
  work.write(
    'plan.yaml',
    '{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: a, agent: worker }, { id: b, agent: worker, ' +
      'after: [a] }] }',
  );
  expect(await work.bosun(['run', 'plan.yaml', '--data', 'crew'])).toMatchObject({ code: 0 });
});

async function change(data: string, writes: (entries: Map<string, Uint8Array>) => StoreWrite[]): Promise<void> {
  const store = levelStore(work.file(`${data}/store`));
  await store.open();
  const entries = new Map<string, Uint8Array>();
  for await (const batch of store.scan(keysUnder(PREFIX.epoch)))
    for (const [key, value] of batch) entries.set(key, value);
  await store.write(writes(entries), { sync: true });
  await store.close();
}

const flipped = (value: Uint8Array) => {
  const bad = new Uint8Array(value);
  bad[40]! ^= 0xff;
  return bad;
};

describe('bosun verify', () => {
  it('finds a stopped store sound, prints its size, and exits with 0', async () => {
    const { code, out } = await work.bosun(['verify', '--data', 'crew']);
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^sound at epoch \d+: \d+ records, \d+ bytes, \d+ actors\n$/) as string,
    });
    const json = await work.bosun(['verify', '--data', 'crew/store', '--json']);
    expect([json.code, JSON.parse(json.out)]).toEqual([0, expect.objectContaining({ sound: true, findings: [] })]);
  });

  it('exits with 2 if there is no store, and with 4 if the store is in use', async () => {
    expect(await work.bosun(['verify', '--data', 'nowhere'])).toMatchObject({ code: 2, out: '' });
    const store = levelStore(work.file('crew/store'));
    await store.open();
    for (const args of [
      ['verify', '--data', 'crew'],
      ['backup', 'elsewhere', '--data', 'crew'],
      ['erase', 'root', '--data', 'crew'],
    ]) {
      expect(await work.bosun(args)).toEqual({
        code: 4,
        out: '',
        err: `${work.file('crew/store')} is open in this process; stop it there first\n`,
      });
    }
    await store.close();
  });
});

describe('bosun backup and restore', () => {
  it('produce a directory that every verb accepts', async () => {
    expect(await work.bosun(['backup', 'copy', '--data', 'crew'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('backed up to') as string,
    });
    expect(await work.bosun(['verify', '--data', 'copy'])).toMatchObject({ code: 0 });
    expect(await work.bosun(['run', 'plan.yaml', '--data', 'copy'])).toMatchObject({
      code: 0,
      err: expect.stringContaining('completed already') as string,
    });
    expect(await work.bosun(['restore', 'copy', '--data', 'new', '--json'])).toMatchObject({ code: 0 });
    expect(await work.bosun(['run', 'plan.yaml', '--data', 'new'])).toMatchObject({
      code: 0,
      err: expect.stringContaining('completed already') as string,
    });
  });

  it('overwrite a store only with --force', async () => {
    expect(await work.bosun(['backup', 'crew', '--data', 'crew'])).toMatchObject({ code: 2 });
    await work.bosun(['backup', 'copy', '--data', 'crew']);
    await work.bosun(['restore', 'copy', '--data', 'new']);
    expect(await work.bosun(['restore', 'copy', '--data', 'new'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--force') as string,
    });
    expect(await work.bosun(['restore', 'copy', '--data', 'new', '--force'])).toMatchObject({ code: 0 });
    expect(await work.bosun(['restore', 'nowhere', '--data', 'newer'])).toMatchObject({ code: 2 });
    expect(work.has('newer')).toBe(false);
  });
});

describe('a damaged journal', () => {
  /** Makes a copy of the store that lacks an epoch. */
  async function damage(): Promise<void> {
    await work.bosun(['backup', 'worse', '--data', 'crew']);
    await change('worse', (entries) => [{ key: [...entries.keys()].at(-2)!, value: null }]);
  }

  it('CN-008: stops the run with a hint to `--recover-to`, which recovers the store once', async () => {
    await work.bosun(['backup', 'bad', '--data', 'crew']);
    let damaged = 0;
    await change('bad', (entries) => {
      const [key, value] = [...entries].at(-2)!;
      damaged = numberIn(key);
      return [{ key, value: flipped(value) }];
    });
    const run = await work.bosun(['run', 'plan.yaml', '--data', 'bad']);
    expect(run).toMatchObject({ code: 1, err: expect.stringContaining(`--recover-to ${damaged - 1}`) as string });
    const told = await work.bosun(['run', 'plan.yaml', '--data', 'bad', '--json']);
    expect({ ...told, err: JSON.parse(told.err) as unknown }).toEqual({
      code: 1,
      out: '',
      err: {
        type: 'error',
        code: 'BOSUN_STORE_DAMAGED',
        message: expect.stringContaining(`--recover-to ${damaged - 1}`) as string,
      },
    });
    const verified = await work.bosun(['verify', '--data', 'bad']);
    expect(verified.code).toBe(1);
    expect(verified.out).toMatch(new RegExp(`^stops {6}epoch ${damaged}: [^]*--recover-to ${damaged - 1}\\)\n$`));
    expect(await work.bosun(['run', 'plan.yaml', '--data', 'bad', '--recover-to', String(damaged)])).toMatchObject({
      code: 2,
    });
    const recovered = await work.bosun(['run', 'plan.yaml', '--data', 'bad', '--recover-to', String(damaged - 1)]);
    expect(recovered).toMatchObject({
      code: 0,
      err: expect.stringContaining(
        `recovered to epoch ${damaged - 1}; 2 damaged or later epochs were set aside`,
      ) as string,
    });
    expect(await work.bosun(['run', 'plan.yaml', '--data', 'bad', '--recover-to', String(damaged - 1)])).toMatchObject({
      code: 2,
    });
    const after = await work.bosun(['verify', '--data', 'bad', '--json']);
    expect(JSON.parse(after.out) as Verification).toMatchObject({ sound: true, aside: 2 });
  });

  it('cannot be restored from a backup, which copies it unchanged', async () => {
    await damage();
    const { code, out, err } = await work.bosun(['backup', 'worse-copy', '--data', 'worse', '--json']);
    expect([code, JSON.parse(out), JSON.parse(err)]).toEqual([
      1,
      expect.objectContaining({ sound: false }),
      expect.objectContaining({ type: 'error', code: 'BOSUN_STORE_DAMAGED' }),
    ]);
    expect(await work.bosun(['restore', 'worse-copy', '--data', 'fine'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('is damaged') as string,
    });
  });

  it('does not prevent a run with --fresh from starting over', async () => {
    await damage();
    expect(await work.bosun(['run', 'plan.yaml', '--data', 'worse'])).toMatchObject({ code: 1 });
    expect(await work.bosun(['run', 'plan.yaml', '--data', 'worse', '--fresh'])).toMatchObject({ code: 0 });
  });
});

describe('a store of a later format', () => {
  it('is refused, and replaced by a run with --fresh', async () => {
    await work.bosun(['backup', 'later', '--data', 'crew']);
    await change('later', () => [{ key: MANIFEST_KEY, value: seal(MANIFEST_KEY, Buffer.from('later'), FORMAT + 1) }]);
    for (const line of [['run', 'plan.yaml'], ['verify']])
      expect(await work.bosun([...line, '--data', 'later'])).toMatchObject({
        code: 1,
        err: expect.stringContaining(`is a store of format ${FORMAT + 1}`) as string,
      });
    expect(await work.bosun(['run', 'plan.yaml', '--data', 'later', '--fresh'])).toMatchObject({ code: 0 });
  });
});

describe('bosun erase', () => {
  it('removes an actor of a stopped store', async () => {
    await work.bosun(['backup', 'copy', '--data', 'crew']);
    const addresses = async () =>
      JSON.stringify(JSON.parse((await work.bosun(['tree', '--data', 'copy', '--json'])).out));
    const [first] = /"address":"(?!root)([^"]+)"/.exec(await addresses())?.slice(1) ?? [];
    expect(first).toBeDefined();
    expect(await work.bosun(['erase', first!, '--data', 'copy'])).toMatchObject({ code: 0 });
    expect(await addresses()).not.toContain(`"${first}"`);
    expect(await work.bosun(['verify', '--data', 'copy'])).toMatchObject({ code: 0 });
    for (const [address, code] of [
      ['nobody', 2],
      ['root', 2],
      ['not an address', 2],
    ] as const) {
      expect(await work.bosun(['erase', address, '--data', 'copy'])).toMatchObject({ code });
    }
    expect(await work.bosun(['erase', 'a', '--data', 'nowhere'])).toMatchObject({ code: 2 });
  });
});
