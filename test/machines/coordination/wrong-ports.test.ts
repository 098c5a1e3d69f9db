/** Ports of a host that answer wrongly, late or not at all, through the whole crew: nothing waits for them for ever. */
import { describe, expect, it } from 'vitest';
import { type CrewPorts } from '../../../src/machines/crew.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ITEMS = ['A', 'B', 'C'];

/** Three items that are paused as one batch; `mend` removes the cause of their failures. */
async function paused(ports: CrewPorts, clock = new VirtualClock()): Promise<{ crew: WholeCrew; mend: () => void }> {
  let isBroken = true;
  const fetch: AgentFunction = async () => {
    if (isBroken) throw Object.assign(new Error('Too many requests'), { status: 429, dataSource: 'prices' });
    return 'figures';
  };
  const plan = planOf({ stages: { fetch: { agent: 'fetch', retry: { attempts: 1 } } }, items: ITEMS });
  const crew = await startWholeCrew(plan, { fetch }, ports, clock);
  await crew.test.advance(MINUTE_MS);
  return { crew, mend: () => void (isBroken = false) };
}

const FREE = { isFree: true };

const WRONG: readonly (readonly [string, () => unknown])[] = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['a word', () => 'yes'],
  ['an object of another shape', () => ({ apiQuota: true })],
  ['a part of the fields', () => ({ apiQuota: FREE, compute: FREE })],
  ['an invalid time', () => ({ apiQuota: { isFree: false, notBeforeMs: 'soon' }, compute: FREE, connections: FREE })],
  ['a function', () => () => 1],
  [
    'an exception',
    () => {
      throw new Error('no line');
    },
  ],
];

describe('a port for working memory that never answers', () => {
  it('is not waited for: its item is paused and resumed, and the retention of memory is unknown (D5)', async () => {
    const { crew, mend } = await paused({ setMemoryTtl: () => new Promise(() => {}) });
    await crew.test.advance(5 * MINUTE_MS);
    expect(crew.test.shard.snapshot('pauses/A')!.context).toMatchObject({ memory: 'unknown' });
    mend();
    await crew.ask('batches', { type: 'batch.resume', batchId: 'batch-1' });
    expect(crew.state()).toBe('completed');
  });
});

describe('a port for resources', () => {
  it.each(WRONG)(
    'blocks no batch when it answers with %s: the items go on, with the resources noted as not known (D5)',
    async (_, say) => {
      const { crew, mend } = await paused({ resources: async () => say() as never });
      expect(crew.batches()).toMatchObject([
        { phase: 'paused', note: expect.stringMatching(/^not known: the resources/) },
      ]);
      await crew.powerCut();
      mend();
      await crew.ask('batches', { type: 'batch.resume', batchId: 'batch-1' });
      await crew.test.advance(MINUTE_MS);
      expect(crew.state()).toBe('completed');
      expect(crew.batches()).toMatchObject([
        { phase: 'finished', resumed: 3, note: expect.stringMatching(/^not known: the resources/) },
      ]);
      expect(crew.test.shard.deadLetters.list().filter(({ error }) => error !== undefined)).toEqual([]);
    },
  );

  it('is waited for at most half a minute if it never answers (D5)', async () => {
    const { crew, mend } = await paused({ resources: () => new Promise(() => {}) });
    mend();
    await crew.ask('batches', { type: 'batch.resume', batchId: 'batch-1' });
    await crew.test.advance(5 * MINUTE_MS);
    expect(crew.state()).toBe('completed');
  });

  it('is asked again as soon as the batch is resumed, even if it had named a later time (D5)', async () => {
    let isFree = false;
    const clock = new VirtualClock();
    const resources: CrewPorts['resources'] = async () => {
      const later = { isFree: false, notBeforeMs: clock.wallMs() + HOUR_MS } as const;
      const free = { isFree: true } as const;
      return { apiQuota: isFree ? free : later, compute: free, connections: free };
    };
    const { crew, mend } = await paused({ resources }, clock);
    expect(crew.batches()).toMatchObject([{ phase: 'resuming' }]);
    isFree = true;
    mend();
    await crew.ask('batches', { type: 'batch.resume', batchId: 'batch-1', concurrencyLimit: 1 });
    expect(crew.state()).toBe('completed');
    expect(crew.batches()).toMatchObject([{ phase: 'finished', resumed: 3, concurrencyLimit: 1, note: null }]);
  });
});
