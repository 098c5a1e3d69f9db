/** Questions of machines to people that are bound to a state, and gates whose asker has ended. */
import { afterEach, describe, expect, it } from 'vitest';
import { type AnyActorRef, assign, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { askPeople } from '../../../../src/machines/people/gates/ask-people.ts';
import { formOf } from '../../../../src/machines/people/gates/gate-form.ts';
import {
  gateAgents,
  type GateDeskContext,
  gateChildren,
  gatesIn,
} from '../../../../src/machines/people/gates/gate-desk.ts';
import { type GateResult } from '../../../../src/machines/people/gates/gate.ts';
import { DESKS } from '../../../../src/machines/desks.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { startMachines } from '../../../support/machines/machines-under-test.ts';

const HOUR_MS = 3_600_000;
const QUESTION = {
  kind: 'order',
  title: 'Ship it?',
  package: { amount: 3 },
  audience: ['ada'],
  form: formOf(z.object({ decision: z.enum(['yes', 'no']) })),
  deadlineMs: 24 * HOUR_MS,
};

type Event = { type: 'approve' } | { type: 'ask'; question: object };

/** An order that people approve, unless another event does so before. */
const order = defineAgent({
  name: 'order',
  machine: setup({
    types: {} as { context: { result: GateResult | null }; events: Event },
    actors: { askPeople },
  }).createMachine({
    id: 'order',
    context: { result: null },
    initial: 'asking',
    states: {
      asking: {
        invoke: {
          src: 'askPeople',
          input: ({ event }) => ({ ...QUESTION, ...('question' in event && event.question) }),
          onDone: { target: 'answered', actions: assign({ result: ({ event }) => event.output }) },
        },
        on: { approve: 'approved' },
      },
      answered: {},
      approved: { on: { ask: 'asking' } },
    },
  }),
  events: { approve: z.object({}), ask: z.object({ question: z.looseObject({}) }) },
});

/** A machine that opens a gate in its own name and ends before the answer. */
const passer = defineAgent({
  name: 'passer',
  machine: setup({ types: {} as { events: { type: 'end' } } }).createMachine({
    entry: ({ system, self }) => {
      (system.get(DESKS.gates) as AnyActorRef).send({
        type: 'gate.open',
        id: 'p',
        ...QUESTION,
        askedBy: self,
      } as never);
    },
    initial: 'open',
    states: { open: { on: { end: 'over' } }, over: { type: 'final' } },
  }),
  events: { end: z.object({}) },
});

let test: TestSystem;
afterEach(() => test.shard.stop());

async function start(children: readonly object[] = [], { hasDesk = true } = {}): Promise<void> {
  const desks = hasDesk ? gateChildren() : [];
  test = await startMachines({
    agents: [...gateAgents, order, passer],
    tree: { children: [...desks, ...children] as never },
  });
  await test.settle();
}

const gates = () => gatesIn(test.shard.snapshot(DESKS.gates)!.context as GateDeskContext);
const phases = () => gates().map(({ id, phase }) => `${id} ${phase}`);
const send = async (address: string, event: object) => {
  await test.shard.send(address, event as never);
  await test.settle();
};
const orderNow = () => test.shard.snapshot('o-1')! as { value: unknown; context: { result: GateResult | null } };

describe('askPeople', () => {
  it('ends with the answer of people, over a power cut', async () => {
    await start([{ id: 'o-1', agent: 'order' }]);
    const gate = gates()[0]!.id;
    expect(gate).toMatch(/^o-1:\d+$/);
    await test.crash();
    await test.restart();
    await send(DESKS.gates, { type: 'gate.answer', gate, by: 'ada', answer: { decision: 'yes' } });
    expect(orderNow()).toMatchObject({
      value: 'answered',
      context: { result: { outcome: 'answered', by: 'ada', answer: { decision: 'yes' } } },
    });
  });

  it('has its gate withdrawn when the state is left, and leaves no dead letter (S18)', async () => {
    await start([{ id: 'o-1', agent: 'order' }]);
    await send('o-1', { type: 'approve' });
    expect([orderNow().value, phases()]).toEqual(['approved', [expect.stringMatching(/^o-1:\d+ withdrawn$/)]]);
    await test.advance(48 * HOUR_MS);
    expect([phases().length, test.shard.deadLetters.list()]).toEqual([1, []]);
  });

  it('has its gate withdrawn if the power is cut between the two (S18)', async () => {
    await start([{ id: 'o-1', agent: 'order' }]);
    await test.shard.send('o-1', { type: 'approve' });
    await test.crash();
    await test.restart();
    await test.settle();
    expect(phases()).toEqual([expect.stringMatching(/ withdrawn$/)]);
  });

  it('asks anew under another id when the state is entered again', async () => {
    await start([{ id: 'o-1', agent: 'order' }]);
    await send('o-1', { type: 'approve' });
    await send('o-1', { type: 'ask', question: {} });
    const [before, now] = phases();
    expect([before, now]).toEqual([expect.stringMatching(/ withdrawn$/), expect.stringMatching(/^o-1:\d+ open$/)]);
  });

  it('begins the id of its gate with the last 80 characters of the given id', async () => {
    await start([{ id: 'o-1', agent: 'order' }]);
    await send('o-1', { type: 'approve' });
    const longest = `y${'x'.repeat(79)}`;
    for (const id of [longest, `z${longest}`]) {
      await send('o-1', { type: 'ask', question: { id } });
      expect(gates().find(({ phase }) => phase === 'open')!.id).toMatch(new RegExp(`^${longest}:\\d+$`));
      await send('o-1', { type: 'approve' });
    }
  });

  it('ends as failed, with the reason, if the desk refuses the question or there is none', async () => {
    await start([{ id: 'o-1', agent: 'order' }], { hasDesk: false });
    expect(orderNow().context.result).toMatchObject({
      outcome: 'failed',
      problems: ['people cannot be asked here: there is no gate desk'],
    });
    await test.shard.stop();
    await start([{ id: 'o-1', agent: 'order' }]);
    await send('o-1', { type: 'approve' });
    await send('o-1', { type: 'ask', question: { audience: [] } });
    expect(orderNow()).toMatchObject({
      value: 'answered',
      context: { result: { outcome: 'failed', problems: [expect.stringContaining('audience')] } },
    });
  });
});

describe('a gate', () => {
  it('is withdrawn when the actor that asked has ended (S18)', async () => {
    await start([{ id: 'p-1', agent: 'passer', restart: 'temporary' }]);
    expect(phases()).toEqual(['p open']);
    await send('p-1', { type: 'end' });
    expect([phases(), test.shard.deadLetters.list()]).toEqual([['p withdrawn'], []]);
  });
});
