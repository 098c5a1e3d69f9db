/** Turns as a sequence diagram: lanes, arrows from their causes, delayed sends, restarts; and as Mermaid. */
import fc from 'fast-check';
import { enqueueActions, sendTo, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { type SequenceArrow, mermaidOf, type SequenceRow, sequenceOf } from '../../src/inspector/turns/sequence.ts';
import { type TurnView } from '../../src/gateway/protocol/views.ts';
import { startGatewayTest } from '../support/gateway/memory-client.ts';

let number = 0;
const turn = (fields: Partial<TurnView> & Pick<TurnView, 'address'>): TurnView => ({
  ...{
    number: ++number,
    kind: 'transition',
    atMs: 0,
    agent: 'a',
    life: fields.address.length,
    sequence: number,
    event: { type: 'go' },
    cause: null,
  },
  ...{ microsteps: [], sent: [], born: [], change: null, value: 'on', status: 'active', error: null, durationMs: 0 },
  ...fields,
});
const arrows = (rows: readonly SequenceRow[]) => rows.filter((row): row is SequenceArrow => row.kind === 'arrow');

describe('a sequence', () => {
  it('has a lane for each actor and one for the outside, and arrows from the turn that sent', () => {
    const first = turn({ address: 'x' });
    const { lanes, rows } = sequenceOf([
      first,
      turn({
        address: 'yy',
        event: { type: 'hello' },
        cause: { address: 'x', life: first.life, sequence: first.sequence },
      }),
    ]);
    expect(lanes.map(({ address }) => address)).toEqual([null, 'x', 'yy']);
    expect(rows).toMatchObject([
      { kind: 'arrow', from: 0, to: 1, label: 'go', sentAt: null, state: 'on', delayMs: null },
      { kind: 'arrow', from: 1, to: 2, label: 'hello', sentAt: 0, state: 'on' },
    ]);
  });

  it('shows a state only if it differs from the state before', () => {
    const { rows } = sequenceOf(['on', 'on', { door: 'open' }, null].map((value) => turn({ address: 'x', value })));
    expect(rows.map((row) => (row as SequenceArrow).state)).toEqual(['on', null, { door: 'open' }, null]);
  });

  it('shows a delayed send with its delay, when it has arrived and while it is pending', () => {
    const sent = (type: string, delayMs: number | null) => ({ to: 'x', event: { type }, delayMs, id: null });
    const first = turn({ address: 'x', sent: [sent('soon', 50), sent('late', 9_000), sent('now', null)] });
    const cause = { address: 'x', life: first.life, sequence: first.sequence };
    const { rows } = sequenceOf([
      first,
      turn({ address: 'x', event: { type: 'now' }, cause }),
      turn({ address: 'x', event: { type: 'soon' }, cause }),
    ]);
    expect(arrows(rows).map(({ label, delayMs, from, to }) => [label, delayMs, from === to])).toEqual([
      ['go', null, false],
      ['now', null, true],
      ['soon', 50, true],
    ]);
    expect(rows.at(-1)).toEqual({ kind: 'pending', sentAt: 0, from: 1, to: 1, label: 'late', delayMs: 9_000 });
  });

  it('shows the delay of an `after` event, and the child of a done or error event', () => {
    const of = (type: string) => arrows(sequenceOf([turn({ address: 'x', event: { type } })]).rows)[0]!;
    expect(
      [
        of('xstate.after.1000.m.wait'),
        of('xstate.after.patience.m.wait'),
        of('xstate.done.actor.call'),
        of('xstate.error.actor.call'),
      ].map(({ label, delayMs }) => [label, delayMs]),
    ).toEqual([
      ['after 1000', 1_000],
      ['after patience', null],
      ['done call', null],
      ['error call', null],
    ]);
  });

  it('breaks a lane where an actor starts, restarts and ends, and marks turns that threw', () => {
    const kinds = (['spawn', 'restarted', 'stopped'] as const).map((kind) => turn({ address: 'x', kind, event: null }));
    const { rows } = sequenceOf([...kinds, turn({ address: 'x', kind: 'failed' })]);
    expect(rows.map((row) => (row.kind === 'break' ? row.what : (row as SequenceArrow).isFailed))).toEqual([
      'spawn',
      'restarted',
      'stopped',
      true,
    ]);
  });

  it(
    'has an arrow or a break for each of any turns, between known lanes, and shows each cause above its ' + 'effect',
    () => {
      const anyTurn = fc.record({
        address: fc.constantFrom('a', 'bb', 'ccc'),
        cause: fc.option(
          fc.record({
            address: fc.constantFrom('a', 'bb', 'ccc', null),
            life: fc.nat(4),
            sequence: fc.option(fc.nat(20)),
          }),
        ),
        isFirst: fc.boolean(),
      });
      fc.assert(
        fc.property(fc.array(anyTurn, { maxLength: 20 }), (made) => {
          const turns = made.map(({ address, cause, isFirst }, index) =>
            turn({
              address,
              cause,
              number: index + 1,
              sequence: index,
              ...(isFirst && { event: null, kind: 'spawn' as const }),
            }),
          );
          const { lanes, rows } = sequenceOf(turns);
          expect(rows.map((row) => (row.kind === 'pending' ? 0 : row.turn))).toEqual(
            turns.map(({ number: each }) => each),
          );
          for (const [index, row] of rows.entries()) {
            if (row.kind !== 'arrow') continue;
            expect(lanes[row.from] !== undefined && lanes[row.to] !== undefined).toBe(true);
            expect(row.sentAt === null || row.sentAt < index).toBe(true);
          }
        }),
      );
    },
  );
});

describe('the Mermaid text of a sequence', () => {
  it('is a sequenceDiagram with delays dashed, failures crossed and states as notes', () => {
    const first = turn({
      address: 'x/y',
      value: 'a;b',
      sent: [{ to: 'x/y', event: { type: 'tick' }, delayMs: 50, id: null }],
    });
    const cause = { address: 'x/y', life: first.life, sequence: first.sequence };
    const text = mermaidOf(
      sequenceOf([
        turn({ address: 'x/y', kind: 'spawn', event: null }),
        first,
        turn({ address: 'x/y', event: { type: 'tick' }, cause, kind: 'failed', value: 'a;b' }),
      ]),
    );
    expect(text.split('\n')).toEqual([
      'sequenceDiagram',
      '  participant l0 as outside',
      '  participant l1 as x/y',
      '  Note over l1: spawn, on',
      '  l0->>l1: go',
      '  Note over l1: a#59;b',
      '  l1--xl1: tick (after 50 ms)',
      '',
    ]);
  });

  it('has one line per entry, whatever the names are', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const lines = mermaidOf(sequenceOf([turn({ address: `a${name}`, event: { type: name }, value: null })])).split(
          '\n',
        );
        expect(lines.length).toBe(5);
        const given = [lines[2]!.split(' as ')[1]!, lines[3]!.slice('  l0->>l1: '.length)];
        for (const text of given) expect(text.replace(/#\d+;/g, '')).not.toMatch(/[;#"<>\r]/);
      }),
    );
  });
});

describe('the turns sent by the gateway', () => {
  const relay = (name: string, to: string) =>
    defineAgent({
      name,
      machine: setup({ types: {} as { events: { type: 'go' } | { type: 'pass' } | { type: 'again' } } }).createMachine({
        context: {},
        initial: 'idle',
        states: {
          idle: {
            on: {
              go: {
                target: 'busy',
                actions: sendTo(({ system }) => (system as unknown as { get(id: string): object }).get(to) as never, {
                  type: 'pass',
                } as never),
              },
            },
          },
          busy: {},
        },
        on: {
          pass: {
            actions: enqueueActions(({ enqueue, self }) => {
              enqueue.sendTo(self, { type: 'again' } as never, { delay: 1_000 });
            }),
          },
          again: {},
        },
      }),
      events: { go: z.object({}) },
    });

  it('form a sequence with the sends of an actor and its delayed events', async () => {
    const test = await startGatewayTest(
      {},
      {
        agents: [relay('one', 'two'), relay('two', 'one')],
        tree: {
          children: [
            { id: 'one', agent: 'one', systemId: 'one' },
            { id: 'two', agent: 'two', systemId: 'two' },
          ],
        },
      },
    );
    const client = await test.client();
    client.send({ t: 'sub', id: 's', topic: 'trace/root', mode: 'events' });
    await test.settle();
    await test.test.shard.send('one', { type: 'go' });
    await test.settle();
    const turns = () => client.of('evt', 's').map((frame) => frame['e'] as TurnView);
    expect(mermaidOf(sequenceOf(turns()))).toContain('l2--)l2: again (after 1000 ms), not seen');
    await test.advance(1_000);
    expect(mermaidOf(sequenceOf(turns())).split('\n').slice(1, -1)).toEqual([
      '  participant l0 as outside',
      '  participant l1 as one',
      '  participant l2 as two',
      '  l0->>l1: go',
      '  Note over l1: busy',
      '  l1->>l2: pass',
      '  Note over l2: idle',
      '  l2-->>l2: again (after 1000 ms)',
    ]);
    await test.stop();
  });
});
