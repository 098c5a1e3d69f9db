/**
 * Uses that compile and misuses that do not: each misuse is an error of the compiler. The tests run too, for their
 * assertions.
 */
import { describe, expect, expectTypeOf, it } from 'vitest';
import { setup, waitFor } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { type AnyAgent } from '../../src/actors/model/agent.ts';
import { type AgentName } from '../../src/client/contract.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import { type RemoteSnapshot } from '../../src/client/remote-snapshot.ts';
import { type gateAgents } from '../../src/machines/people/gates/gate-desk.ts';
import { memoryStore } from '../../src/persistence/store/memory-store.ts';
import { createSystem, type System } from '../../src/system.ts';
import { table, type Table, type TableView } from '../../src/table.ts';
import { type Shop } from '../support/client/client-kit.ts';

const door = defineAgent({
  name: 'door',
  machine: setup({
    types: {} as {
      context: { opened: number; since: Date; guests: Table<{ name: string; at: Date }> };
      events: { type: 'open'; times: number } | { type: 'shut' };
      emitted: { type: 'creaked'; how: 'much' | 'little' };
      output: { sum: bigint };
    },
  }).createMachine({
    context: { opened: 0, since: new Date(0), guests: table() },
    initial: 'shut',
    states: {
      shut: { on: { open: 'wide' } },
      wide: { initial: 'still', on: { shut: 'shut' }, states: { still: {}, moving: {} } },
    },
  }),
  events: { open: z.object({ times: z.number().default(1) }), shut: z.object({}) },
});
const bell = defineAgent({
  name: 'bell',
  machine: setup({ types: {} as { context: { rings: number }; events: { type: 'ring' } } }).createMachine({
    context: { rings: 0 },
    on: { ring: {} },
  }),
  events: { ring: z.object({}) },
});

const system = createSystem({ agents: [door, bell], store: memoryStore(), durability: 'memory' });
type House = Client<typeof system>;

/** Compiled, never run. */
function misuses(house: House): void {
  const front = house.actor('front', 'door');
  void front.send({ type: 'open' });
  void front.send({ type: 'open', times: 2 }, { until: 'taken' });
  void front.send({ type: 'shut' });
  // @ts-expect-error no such event
  void front.send({ type: 'opne' });
  // @ts-expect-error not a number
  void front.send({ type: 'open', times: 'twice' });
  // @ts-expect-error the other agent's
  void front.send({ type: 'ring' });
  // @ts-expect-error a field that the event does not have
  void front.send({ type: 'shut', hard: true });
  // @ts-expect-error no such agent
  house.actor('front', 'window');
  // @ts-expect-error no such state
  front.matches('ajar');
  // @ts-expect-error no such state below it
  front.matches({ wide: 'shut' });
  front.matches('wide');
  front.matches({ wide: 'moving' });
  // @ts-expect-error nothing may have come yet
  void front.getSnapshot().context.opened;
  void front.waitFor(({ context }) => context.opened > 1);
  // @ts-expect-error no such field
  void front.waitFor(({ context }) => context.closed > 1);
  void waitFor(front, (snapshot) => (snapshot.context?.opened ?? 0) > 1);
  // @ts-expect-error no such field, through XState's own function either
  void waitFor(front, (snapshot) => (snapshot.context?.closed ?? 0) > 1);
  // @ts-expect-error sends have a number, not a key
  void front.send({ type: 'shut' }, { key: 'k' });
}

type Desks = System<typeof door | (typeof gateAgents)[number]>;

/** Compiled, never run: agents of a list that says nothing of their names take no name from the others. */
function besideDesks(client: Client<Desks>, loose: Client<typeof door | AnyAgent>): void {
  client.actor('front', 'door');
  client.actor('gates', 'gate-desk');
  // @ts-expect-error a misspelt agent beside `gateAgents`
  client.actor('front', 'dor');
  loose.actor('front', 'door').matches('shut');
  void loose.actor('other').send({ type: 'anything' });
  // @ts-expect-error a misspelt agent beside agents of any name
  loose.actor('front', 'dor');
}

describe('types', () => {
  it('are derived from the type of the system alone', () => {
    type Front = ReturnType<typeof frontOf>;
    expectTypeOf<ReturnType<Front['getSnapshot']>>().toEqualTypeOf<RemoteSnapshot<typeof door>>();
    type Context = NonNullable<ReturnType<Front['getSnapshot']>['context']>;
    // In the form of JSON.
    expectTypeOf<Context>().toEqualTypeOf<{
      readonly opened: number;
      readonly since: string;
      readonly guests: TableView<{ readonly name: string; readonly at: string }>;
    }>();
    type Emitted = Awaited<ReturnType<ReturnType<Front['events']>['next']>>['value'];
    expectTypeOf<Extract<Emitted, { type: string }>>().toEqualTypeOf<{
      readonly type: 'creaked';
      readonly how: 'much' | 'little';
    }>();
    expect([misuses, frontOf]).toHaveLength(2);
  });

  it('know the names of agents beside those of a desk or of any list (S16)', () => {
    expect(besideDesks).toBeTypeOf('function');
    // A desk's own name is known too.
    expectTypeOf<AgentName<Desks>>().toEqualTypeOf<'door' | 'gate' | 'gate-desk'>();
    expectTypeOf<AgentName<typeof door | AnyAgent>>().toEqualTypeOf<'door'>();
    expectTypeOf<AgentName<AnyAgent>>().toEqualTypeOf<string>();
  });

  it('are derived from the agents too; without an agent name, the events of all agents are accepted', () => {
    type Sends = Parameters<ReturnType<Client<Shop>['actor']>['send']>[0]['type'];
    expectTypeOf<Sends>().toEqualTypeOf<'add' | 'close' | 'count' | 'fail' | 'pay' | 'hear'>();
    const untyped = (client: Client) => {
      const x = client.actor('x');
      void x.send({ type: 'anything', at: 'all' });
      x.matches('anything');
      x.matches({ at: 'all' });
      expectTypeOf(x.getSnapshot().context).toEqualTypeOf<unknown>();
    };
    expect(untyped).toBeTypeOf('function');
  });

  it('leave nothing at run time', () => {
    expect('~agents' in system).toBe(false);
    expect(() => createClient('no address', { WebSocket: class {} as never })).toThrow('no address');
  });
});

function frontOf(house: House) {
  return house.actor('front', 'door');
}
