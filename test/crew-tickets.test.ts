/** Work that asks a person and waits for the answer: in a plan, as a single task, over power cuts and for weeks. */
import { afterEach, describe, expect, it } from 'vitest';
import { crew, type Crew, crewOf, type WorkContext, type WrittenPlan } from '../src/crew.ts';
import { type CoordinatorContext, itemsIn } from '../src/machines/coordination/coordinator/coordinator-context.ts';
import { toldPhase } from '../src/machines/coordination/coordinator/progress.ts';
import { type TicketDeskContext } from '../src/machines/people/tickets/ticket-desk.ts';
import { type TicketReply } from '../src/machines/people/tickets/ticket-messages.ts';
import { type TicketContext } from '../src/machines/people/tickets/ticket-state.ts';
import { memoryStore } from '../src/persistence/store/memory-store.ts';
import { type AgentFunction } from '../src/machines/work/agent-function.ts';
import { startTestSystem, type TestSystem } from '../src/testing/test-system.ts';
import { VirtualClock } from '../src/testing/virtual-clock.ts';
import { until } from './support/until.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const QUESTION = { name: 'peers', title: 'Zod or Joi?', options: ['Zod', 'Joi'], priority: 1 } as const;
const PLAN: WrittenPlan = {
  version: 1,
  plan: 'shop',
  stages: { draft: { agent: 'writer' }, print: { agent: 'printer', after: ['draft'] } },
  items: ['A', 'B'],
};

let test: TestSystem;
let clock: VirtualClock;
afterEach(async () => {
  await test?.system.stop();
});

const print: AgentFunction = (_, { results }) => Promise.resolve(results['draft']);
const asks: AgentFunction = (_, { crew, item }) =>
  item === 'A' ? crew.askPerson(QUESTION) : Promise.resolve('nothing to ask');

async function start(writer: AgentFunction, plan: WrittenPlan = PLAN): Promise<void> {
  clock = new VirtualClock();
  test = await startTestSystem({ ...crewOf(plan, { writer, printer: print }, { clock }), clock });
  await test.settle();
}

async function order(verb: string, more: object): Promise<TicketReply> {
  const reply = await test.system.ask<TicketReply>('tickets', { type: `tickets.${verb}`, ticket: 'TK-0001', ...more });
  await test.settle();
  return reply;
}

function plan(): CoordinatorContext {
  return test.shard.snapshot('coordinator')!.context as CoordinatorContext;
}

function phases(): Record<string, string> {
  return Object.fromEntries([...itemsIn(plan())].map(([item, progress]) => [item, toldPhase(progress, 2)]));
}

const resultOf = (task: string) => plan().results.get(task)?.output;
const ticket = () => test.shard.snapshot('open-tickets/TK-0001')!.context as TicketContext;

describe('an agent function that asks a person', () => {
  it('MX-059, MX-100: waits for the answer, while its item says so, and goes on with it', async () => {
    await start(asks);
    expect(phases()).toEqual({ A: 'waitingForHuman', B: 'completed' });
    expect(ticket().question).toMatchObject({ creator: 'writer', task: 'A/draft', about: 'A', isBlocking: true });
    await order('reply', { by: 'ada', text: 'whatever you think' });
    expect(phases()['A']).toBe('waitingForHuman');
    await order('reply', { by: 'ada', text: 'Zod', option: 'Zod' });
    expect(phases()).toEqual({ A: 'completed', B: 'completed' });
    expect(resultOf('A/print')).toEqual({ ticket: 'TK-0001', text: 'Zod', option: 'Zod', by: 'ada' });
  });

  it('waits for 30 days over power cuts, with one ticket, and the time limit of its task does not count', async () => {
    const stages = { ...PLAN.stages, draft: { agent: 'writer', timeoutMs: 60_000 } };
    await start(asks, { ...PLAN, stages });
    for (let day = 0; day < 30; day++) {
      await test.advance(DAY_MS);
      if (day % 10 === 5) {
        await test.crash();
        await test.restart();
        await test.settle();
      }
    }
    expect(phases()['A']).toBe('waitingForHuman');
    // However often it has asked again, one waiter is left.
    expect((test.shard.snapshot('tickets')!.context as TicketDeskContext).waiters.size).toBe(1);
    await order('resolve', { by: 'ada', text: 'Joi', reason: 'decided at last' });
    expect(resultOf('A/print')).toMatchObject({ ticket: 'TK-0001', text: 'Joi', by: 'ada' });
    expect(test.shard.snapshot('tickets')!.context).toMatchObject({ sums: { opened: 1, resolved: 1 } });
  });

  it('takes the answer of an attempt before, where the process has died after it', async () => {
    let fails = true;
    await start(async (input, context) => {
      const answer = await asks(input, context);
      if (context.item === 'A' && fails) throw new Error('no disk');
      return answer;
    });
    await order('reply', { by: 'ada', text: 'Zod', option: 'Zod' });
    fails = false;
    await test.advance(60_000);
    expect(phases()['A']).toBe('completed');
    expect(ticket().reviews).toBe(1);
  });

  it('fails if people reject the ticket, which pauses its item; reopened and resumed, it is answered', async () => {
    await start(asks);
    await order('reject', { by: 'ada', reason: 'not ours' });
    expect(phases()['A']).toBe('paused');
    const [failed] = [...itemsIn(plan())].find(([item]) => item === 'A')![1].failed;
    expect(failed!.error).toBe('TK-0001 was rejected by ada: not ours');
    await order('reopen', { by: 'ada', reason: 'it is ours' });
    await test.system.ask('coordinator', { type: 'plan.resume', item: 'A' });
    await test.settle();
    expect(phases()['A']).toBe('waitingForHuman');
    await order('resolve', { by: 'ada', text: 'Zod', reason: 'decided' });
    expect(phases()['A']).toBe('completed');
  });

  it('has its ticket rejected when its item is cancelled, so that nobody answers in vain', async () => {
    await start(asks);
    await test.system.ask('coordinator', { type: 'item.cancel', item: 'A' });
    await test.settle();
    expect(ticket()).toMatchObject({ status: 'rejected', rejection: { by: 'writer' } });
    expect(ticket().rejection!.reason).toContain('cancelled by hand');
  });

  it.each([
    [{ title: 'x'.repeat(201) }, /at most 200 characters/],
    [{ name: undefined as never }, /^name: a question needs one/],
    [{ name: 'a name' }, /^name: a question needs one, of 1 to 60 letters/],
    [{ options: ['Zod', 'Zod'] }, /^the option "Zod" is given twice: give each option once$/],
  ])('is refused a question that cannot become a ticket: %j', async (more, message) => {
    const problems: unknown[] = [];
    await start(async (_, { crew }) => {
      await crew.askPerson({ ...QUESTION, ...more }).catch((error: Error) => problems.push(error));
    });
    const refusal = { code: 'BOSUN_ORDER_REFUSED', message: expect.stringMatching(message) };
    expect(problems).toMatchObject([refusal, refusal]);
  });

  it('is bound by the time limit of its task before and after the wait', async () => {
    const stages = { ...PLAN.stages, draft: { agent: 'writer', timeoutMs: 60_000, retry: { attempts: 1 } } };
    const hangs: AgentFunction = async (input, context) => {
      if (context.item !== 'A') return 'done';
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 20_000));
      await asks(input, context);
      return new Promise(() => {});
    };
    await start(hangs, { ...PLAN, stages });
    await test.advance(20_000);
    await test.settle();
    expect(phases()['A']).toBe('waitingForHuman');
    await test.advance(DAY_MS);
    expect(phases()['A']).toBe('waitingForHuman');
    await order('resolve', { by: 'ada', text: 'Joi', reason: 'decided' });
    await test.advance(39_000);
    expect(phases()['A']).toBe('running');
    await test.advance(2_000);
    expect(phases()['A']).toBe('paused');
  });

  it('waits for nothing more once its task has ended', async () => {
    let goOn = (): void => {};
    const told = new Promise<void>((resolve) => (goOn = resolve));
    await start(async (_, { crew: its, item }) => {
      // Rejects when the system stops: the function has ended long before.
      its.askPerson({ ...QUESTION, name: item }).catch(() => {});
      await told;
      return 'went on';
    });
    expect(phases()).toEqual({ A: 'waitingForHuman', B: 'waitingForHuman' });
    goOn();
    await test.settle();
    expect(phases()).toEqual({ A: 'completed', B: 'completed' });
    expect([...itemsIn(plan()).values()].map(({ tickets }) => tickets ?? {})).toEqual([{}, {}]);
  });

  it('may open a ticket and go on: then nothing waits for it', async () => {
    await start((_, { crew }) => crew.openTicket(QUESTION));
    expect(phases()).toEqual({ A: 'completed', B: 'completed' });
    expect(resultOf('A/draft')).toMatchObject({ taken: true, ticket: expect.stringMatching(/^TK-000[12]$/) });
    expect(ticket().question.isBlocking).toBe(false);
  });
});

describe('a stage that a person does', () => {
  const asked: WrittenPlan = {
    ...{ version: 1, plan: 'shop', items: ['A'] },
    stages: {
      decide: { ask: { title: 'Zod or Joi for {item}?', options: ['Zod', 'Joi'], audience: ['ada'], priority: 1 } },
      print: { agent: 'printer', after: ['decide'] },
    },
  };

  it('is a ticket, whose answer is its output', async () => {
    test = await startTestSystem(crewOf(asked, { printer: (_, { results }) => Promise.resolve(results['decide']) }));
    await test.settle();
    expect(phases()).toEqual({ A: 'waitingForHuman' });
    expect(ticket().question).toMatchObject({ title: 'Zod or Joi for A?', audience: ['ada'], creator: 'person' });
    await order('reply', { by: 'ada', text: 'Joi', option: 'Joi' });
    expect(resultOf('A/print')).toEqual({ ticket: 'TK-0001', text: 'Joi', option: 'Joi', by: 'ada' });
  });

  it.each([
    [{ decide: { ask: { title: 'Why?' }, agent: 'printer' } }, 'stages.decide.ask: a person does this work'],
    [{ decide: { ask: { title: 'Why?' }, timeoutMs: 5 } }, 'stages.decide.timeoutMs: does not hold for people'],
    [{ decide: { ask: { title: 'Why?', options: ['A', 'A'] } } }, 'stages.decide.ask.options: the option "A" is given'],
    [{ decide: {} }, 'stages.decide.agent: a stage needs an "agent" or a question to "ask" a person'],
  ])('is refused in %j', (stages, problem) => {
    expect(() => crewOf({ ...asked, stages } as WrittenPlan, { printer: print })).toThrow(problem);
  });
});

describe('a single task that asks a person', () => {
  const agents = { chooser: (_: unknown, { crew: its }: WorkContext) => its.askPerson(QUESTION) };
  const asking = (team: Crew) =>
    until(
      async () => (await team.task('t'))?.state === 'waitingForHuman',
      () => 'the task to wait for people',
    );

  it('waits for people, over a restart, and ends with the answer', async () => {
    const store = memoryStore();
    const first = await crew({ agents, store }).start();
    await first.submit({ id: 't', agent: 'chooser' });
    await asking(first);
    expect(await first.task('t')).toMatchObject({ tickets: ['TK-0001'] });
    await first.stop();
    const again = await crew({ agents, store }).start();
    const said = { type: 'tickets.reply', ticket: 'TK-0001', by: 'ada', text: 'Joi', option: 'Joi' };
    await again.system.ask('tickets', said);
    expect(await again.result('t')).toEqual({ ticket: 'TK-0001', text: 'Joi', option: 'Joi', by: 'ada' });
    expect(await again.task('t')).toMatchObject({ state: 'done', tickets: [] });
    await again.stop();
  });

  it('has its ticket rejected when it is cancelled', async () => {
    await using team = await crew({ agents, store: memoryStore(), tickets: { times: { archiveAfterMs: 1 } } }).start();
    await team.submit({ id: 't', agent: 'chooser' });
    await asking(team);
    await team.cancel('t');
    await team.system.idle();
    expect((await team.task('t'))!.tickets).toEqual([]);
    const desk = (await team.system.snapshot('tickets'))!.context as TicketDeskContext;
    expect(desk.sums).toMatchObject({ opened: 1, rejected: 1 });
  });
});
