/** Kept turns as steps: the changes of each to the context, compared with the turn before. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { type ContextChange, changesOf, stepsOf } from '../../src/inspector/turns/history.ts';
import { type KeptTurnView } from '../../src/gateway/protocol/views.ts';
import { startGatewayTest } from '../support/gateway/memory-client.ts';
import { counter } from '../support/gateway/shop.ts';

describe('changes', () => {
  it.each<[string, unknown, unknown, ContextChange[]]>([
    ['nothing', { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
    ['a value, with its value before', { a: 1 }, { a: 2 }, [{ path: ['a'], before: 1, after: 2 }]],
    [
      'added and removed keys',
      { a: 1 },
      { b: null },
      [
        { path: ['a'], before: 1 },
        { path: ['b'], after: null },
      ],
    ],
    [
      'items by their index',
      { a: [1, 2, 3] },
      { a: [1, 5] },
      [
        { path: ['a', 1], before: 2, after: 5 },
        { path: ['a', 2], before: 3 },
      ],
    ],
    [
      'a value of a different type as a whole',
      { a: [1] },
      { a: { 0: 1 } },
      [{ path: ['a'], before: [1], after: { 0: 1 } }],
    ],
    ['the whole context', null, { a: 1 }, [{ path: [], before: null, after: { a: 1 } }]],
  ])('name %s', (_, before, after, changes) => {
    expect(changesOf(before, after)).toEqual(changes);
  });

  it('make the later of any two values out of the earlier', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        expect(applied(before, changesOf(before, after))).toEqual(after);
        expect(changesOf(after, structuredClone(after))).toEqual([]);
      }),
    );
  });
});

describe('steps', () => {
  it('are the turns of an actor from the gateway, each with its transitions and changes', async () => {
    const { machine, events } = counter;
    const keeping = defineAgent({ name: 'counter', machine, events, trace: { keep: 10 } });
    const test = await startGatewayTest(
      {},
      { agents: [keeping], tree: { intensity: 100, children: [{ id: 'visits', agent: 'counter' }] } },
    );
    for (const event of [{ type: 'add', by: 2, tag: 'x' }, { type: 'close' }])
      await test.test.shard.send('visits', event);
    await test.settle();
    const { r } = (await test.call(await test.client(), 'actor.history', { address: 'visits' })) as unknown as {
      r: { turns: KeptTurnView[] };
    };
    expect(
      stepsOf(r.turns).map(({ number, event, edges, value, changes }) => ({
        number,
        event: event?.type,
        edges,
        value,
        changes,
      })),
    ).toEqual([
      { number: 1, event: undefined, edges: [], value: 'open', changes: null },
      {
        number: 2,
        event: 'add',
        edges: ['(machine).open|add|0'],
        value: 'open',
        changes: [
          { path: ['count'], before: 0, after: 2 },
          { path: ['seen', 0], after: 'x' },
        ],
      },
      { number: 3, event: 'close', edges: ['(machine).open|close|0'], value: 'closed', changes: [] },
    ]);
    // If the turn between two is missing, the changes of the later one are unknown.
    expect(stepsOf([r.turns[0]!, r.turns[2]!]).map(({ changes }) => changes)).toEqual([null, null]);
    await test.stop();
  });
});

/** Applies changes to a value. */
function applied(value: unknown, changes: readonly ContextChange[]): unknown {
  const whole: { root: unknown } = { root: structuredClone(value) };
  // From the end, so that the indexes of lists stay valid.
  for (const change of [...changes].reverse()) {
    const path = ['root', ...change.path];
    const key = path.pop()!;
    const parent = path.reduce<Record<string | number, unknown>>(
      (at, part) => at[part] as Record<string | number, unknown>,
      whole as Record<string, unknown>,
    );
    if ('after' in change)
      Object.defineProperty(parent, key, { value: change.after, writable: true, enumerable: true, configurable: true });
    else if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else delete parent[key];
  }
  return whole.root;
}
