/** Records: numbered and durable with their turn, read from the store by number and by key. */
import { describe, expect, it } from 'vitest';
import { RECORD_BYTES_MAX, RECORDS_PER_TURN_MAX } from '../../../src/limits.ts';
import { crash } from '../../support/actors/started.ts';
import { type Event, MINUTE_MS, notes, send, start, whats } from '../../support/actors/scribe.ts';

describe.each(['plan', 'xstate'] as const)('a record, on the %s engine', (stepEngine) => {
  it('is durable with its turn, numbered from 1, and reads the same after a power cut', async () => {
    const test = await start({ stepEngine });
    await send(test, ...notes('a', 'b'), { type: 'many', count: 2 });
    const before = await test.shard.records.list('s', 'notes');
    expect(before.records.map(({ number, value }) => [number, value])).toEqual([
      [1, { what: 'a', by: undefined }],
      [2, { what: 'b', by: undefined }],
      [3, { what: 0 }],
      [4, { what: 1 }],
    ]);
    await crash(test);
    expect(await test.shard.records.list('s', 'notes')).toEqual(before);
    await send(test, ...notes('c'));
    expect((await test.shard.records.list('s', 'notes', { after: 4 })).records).toMatchObject([{ number: 5 }]);
  });

  it('is not kept if its turn throws, and takes no number', async () => {
    const test = await start({ stepEngine });
    await send(test, ...notes('a'), { type: 'fail' }, ...notes('b'));
    const { records } = await test.shard.records.list('s', 'notes');
    expect(records.map(({ number }) => number)).toEqual([1, 2]);
  });
});

describe('a turn that adds records', () => {
  const crashes = async (event: Event) => {
    const test = await start();
    await send(test, event, ...notes('after'));
    await test.advance(MINUTE_MS);
    const [letter] = test.shard.deadLetters.list();
    expect(await whats(test)).toEqual(['after']);
    expect(letter).toMatchObject({ reason: 'quarantined', error: { code: 'BOSUN_VALUE_REFUSED' } });
    return (letter!.error as Error).message;
  };

  it('throws for a record name that its agent does not declare', async () => {
    expect(await crashes({ type: 'undeclared' })).toContain('keeps no records named "nowhere"');
  });

  it('throws for a value that does not match the schema', async () => {
    expect(await crashes({ type: 'wrong' })).toContain('record "checked": size:');
  });

  it('throws for a value that is too large, and for an invalid key', async () => {
    expect(await crashes({ type: 'note', what: 'x'.repeat(RECORD_BYTES_MAX) })).toContain('record "notes" of s');
    expect(await crashes({ type: 'note', what: 1, by: { a: 1 } })).toContain('"by" must be a key');
  });

  it('throws for more records than one turn may add', async () => {
    const test = await start();
    await send(test, { type: 'many', count: RECORDS_PER_TURN_MAX });
    expect(await whats(test)).toHaveLength(RECORDS_PER_TURN_MAX);
    expect(await crashes({ type: 'many', count: RECORDS_PER_TURN_MAX + 1 })).toContain('more than 100 values');
  });

  it('raises the sequence of its actor and notifies subscribers even if it changes nothing else', async () => {
    const test = await start();
    const heard: number[] = [];
    test.shard.actor('s').subscribe((snapshot) => heard.push(snapshot.sequence));
    const before = test.shard.snapshot('s')!.sequence;
    await send(test, { type: 'many', count: 1 });
    expect(test.shard.snapshot('s')!.sequence).toBe(before + 1);
    expect(heard.at(-1)).toBe(before + 1);
  });
});

describe('records of one actor', () => {
  it('are read by pages in both directions, from the journal and the store together', async () => {
    const test = await start();
    await send(test, ...notes(...Array.from({ length: 25 }, (_, i) => i + 1)));
    for (const newestFirst of [false, true]) {
      const read: number[] = [];
      let next: number | null = newestFirst ? Infinity : 0;
      while (next !== null) {
        const page = await test.shard.records.list('s', 'notes', {
          limit: 7,
          newestFirst,
          ...(newestFirst ? { before: next } : { after: next }),
        });
        read.push(...page.records.map(({ number }) => number));
        ({ next } = page);
      }
      const all = Array.from({ length: 25 }, (_, i) => i + 1);
      expect(read).toEqual(newestFirst ? all.reverse() : all);
    }
  });

  it('are found by the fields of their values', async () => {
    const test = await start();
    await send(test, ...notes('a', 'b', 'a', 'c'));
    const { records } = await test.shard.records.list('s', 'notes', { where: { what: 'a' } });
    expect(records.map(({ number }) => number)).toEqual([1, 3]);
  });

  it('are found by fields in pages of matches, and a page ends after its last match', async () => {
    const test = await start();
    await send(test, ...notes('a', 'b', 'a', 'a', 'b', 'a'));
    const page = (options: object) => test.shard.records.list('s', 'notes', { where: { what: 'a' }, ...options });
    const numbers = async (options: object) => {
      const { records, next } = await page(options);
      return [...records.map(({ number }) => number), next];
    };
    expect(await numbers({ limit: 2 })).toEqual([1, 3, 3]);
    expect(await numbers({ limit: 2, after: 3 })).toEqual([4, 6, null]);
    expect(await numbers({ limit: 2, newestFirst: true })).toEqual([6, 4, 4]);
    expect(await numbers({ limit: 2, newestFirst: true, before: 4 })).toEqual([3, 1, null]);
  });

  it('are refused for an unknown name or actor, and beyond the bound of a page', async () => {
    const { shard: system } = await start();
    await expect(system.records.list('s', 'nowhere')).rejects.toMatchObject({ code: 'BOSUN_RECORDS_UNKNOWN' });
    await expect(system.records.list('x', 'notes')).rejects.toMatchObject({ code: 'BOSUN_ACTOR_UNKNOWN' });
    await expect(system.records.list('s', 'notes', { limit: 1_001 })).rejects.toMatchObject({
      code: 'BOSUN_VALUE_REFUSED',
    });
    expect(await system.records.list('s', 'checked')).toEqual({
      records: [],
      next: null,
      first: 1,
      last: 0,
      life: system.admin.getState('s').life,
      missing: 0,
    });
  });

  it('survive a restart of the actor by its Boss', async () => {
    const test = await start();
    await send(test, ...notes('a'));
    await test.shard
      .boss()
      .restartChild('s')
      .catch(() => {});
    await test.shard.admin.kill('s', { by: 'test' });
    await test.settle();
    await send(test, ...notes('b'));
    expect(await whats(test)).toEqual(['a', 'b']);
  });

  it('reach a reader of the tail once each and in order, earlier records included', async () => {
    const test = await start();
    await send(test, ...notes('a', 'b'));
    const tail = test.shard.records.tail('s', 'notes', { after: 1 });
    const first = await tail.next();
    const second = tail.next();
    await send(test, ...notes('c'));
    expect([first, await second].map(({ value }) => (value as { value: { what: unknown } }).value.what)).toEqual([
      'b',
      'c',
    ]);
    const third = tail.next();
    await send(test, { type: 'end' });
    expect(await third).toEqual({ value: undefined, done: true });
  });
});

describe('records of all actors of an agent', () => {
  it('are found by a key in order of time, from either end, by pages', async () => {
    const test = await start();
    for (let n = 0; n < 12; n++) {
      await test.shard.send(n % 3 === 0 ? 't' : 's', { type: 'note', what: n, by: n % 2 === 0 ? 'even/x' : 'odd' });
      await test.advance(1);
    }
    const read: unknown[] = [];
    let from: string | undefined;
    do {
      const page = await test.shard.records.find('scribe', 'notes', ['by', 'even/x'], {
        limit: 2,
        ...(from && { from }),
      });
      read.push(...page.records.map(({ address, value }) => [address, (value as { what: number }).what]));
      from = page.next ?? undefined;
    } while (from !== undefined);
    expect(read).toEqual([
      ['t', 0],
      ['s', 2],
      ['s', 4],
      ['t', 6],
      ['s', 8],
      ['s', 10],
    ]);
    const newest = await test.shard.records.find('scribe', 'notes', ['by', 'odd'], { limit: 2, newestFirst: true });
    expect(newest.records.map(({ value }) => (value as { what: number }).what)).toEqual([11, 9]);
    const older = await test.shard.records.find('scribe', 'notes', ['by', 'odd'], {
      newestFirst: true,
      from: newest.next!,
    });
    expect(older.records.map(({ value }) => (value as { what: number }).what)).toEqual([7, 5, 3, 1]);
    const behind = await test.shard.records.find('scribe', 'notes', ['by', 'odd'], {
      newestFirst: true,
      from: older.records[1]!.cursor,
    });
    expect(behind.records).toEqual(older.records.slice(2));
  });

  it('are refused for an undeclared key, record name or agent', async () => {
    const { shard: system } = await start();
    const refused = { code: 'BOSUN_RECORDS_UNKNOWN' };
    await expect(system.records.find('scribe', 'notes', ['what', 1])).rejects.toMatchObject(refused);
    await expect(system.records.find('scribe', 'nowhere', ['by', 1])).rejects.toMatchObject(refused);
    await expect(system.records.find('nobody', 'notes', ['by', 1])).rejects.toMatchObject({
      code: 'BOSUN_AGENT_UNKNOWN',
    });
  });
});
