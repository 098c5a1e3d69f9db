/** The organisation in a whole crew: its teams, its table of responsibilities, and what the table enforces. */
import { afterEach, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { enqueueActions, setup, type AnyActorRef } from 'xstate';
import { z } from 'zod';
import { type DurableReader } from '../../../src/actors/api/procedure.ts';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { deliveryProcedures } from '../../../src/crew-delivery.ts';
import { type Facts, GATES, type GateName } from '../../../src/machines/delivery/organisation/delivery-gates.ts';
import { OCCASIONS, RACI, type RaciRow, routeOf } from '../../../src/machines/delivery/organisation/raci.ts';
import { type Team, type TeamId, TEAMS } from '../../../src/machines/delivery/organisation/teams.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { byEffort } from '../../support/effort.ts';
import {
  DeliveryRoom,
  type DeliveryRoomOptions,
  MINUTE_MS,
  SECOND_MS,
  task,
} from '../../support/machines/delivery-room.ts';

let room: DeliveryRoom;
afterEach(() => room?.test.system.stop());

const open = async (options: DeliveryRoomOptions = {}) => (room = await DeliveryRoom.start(options));

interface Shown {
  readonly teams: readonly (Team & { readonly id: TeamId })[];
  readonly raci: readonly (RaciRow & { readonly handoffs: number })[];
  readonly decisions: readonly { readonly question: string; readonly team: string }[];
}

/** The organisation as a client sees it. */
async function shown(): Promise<Shown> {
  const actor = (address: string) => {
    const { value, context, tags } = room.test.shard.snapshot(address)!;
    return Promise.resolve({ address, value, context, tags: [...tags] });
  };
  const { way, result } = deliveryProcedures['org.show'];
  const read = way.run as (params: object, reader: Pick<DurableReader, 'actor'>) => Promise<unknown>;
  return result.parse(await read({}, { actor } as never)) as unknown as Shown;
}

/** An actor of the test that hands off in the name of a team, and keeps what it hears. */
const impostor = defineAgent({
  name: 'impostor',
  machine: setup({
    types: {} as { context: { heard: object[] }; events: { type: string; offer?: object } },
  }).createMachine({
    context: { heard: [] },
    on: {
      send: {
        actions: enqueueActions(({ event, enqueue, self, system }) =>
          enqueue.sendTo(
            system.get(DESKS.organisation) as AnyActorRef,
            { type: 'handoff.offer', by: self, ...event.offer } as never,
          ),
        ),
      },
      'handoff.refused': {
        actions: enqueueActions(({ context, event, enqueue }) => enqueue.assign({ heard: [...context.heard, event] })),
      },
    },
  }),
  events: { send: z.object({ offer: z.looseObject({}) }) },
  internal: ['handoff.refused'],
});

const withImpostor: DeliveryRoomOptions = { agents: [impostor], children: [{ id: 'impostor', agent: 'impostor' }] };

/** Facts under which a row of the table is true, and those under which it is not. */
function factsOf({ pass, fail }: RaciRow, isTrue: boolean): Facts {
  const beside = (gate: GateName, passes: boolean) => {
    const { passes: side, threshold } = GATES[gate];
    return passes ? threshold : side === 'atMost' ? threshold + 1 : threshold - 1;
  };
  const gates = [...pass.map((gate) => [gate, isTrue] as const), ...fail.map((gate) => [gate, !isTrue] as const)];
  return Object.fromEntries(gates.map(([gate, passes]) => [gate, beside(gate, passes)]));
}

async function offer(more: object) {
  const item = { id: 'TASK-777', title: 'Forged' };
  await room.test.system.send('impostor', { type: 'send', offer: { item, facts: {}, load: {}, ...more } } as never);
  await room.test.settle();
}

/** A task from its planning to its verification, with a question, a failed check and a surface to look at. */
async function story(): Promise<void> {
  const checks = [{ failures: [{ test: 'logs in' }] }, { failures: [], visual: ['the button'] }];
  const verify = () => Promise.resolve(checks.shift() ?? { failures: [] });
  await open({ delivery: { ports: { verify } } });
  const parts = ['Schema', 'Login form'].map((title) => task(title));
  await room.submit([task('Accounts', { minutes: 90, subtasks: parts })]);
  await room.next('cc');
  const asked = room.test.system.ask('answers', {
    ...{ type: 'answers.ask', asker: 'cc', maxWaitMs: 0 },
    bundle: { question: 'Which port has the service to listen on?', confidence_level: 50, current_task_id: 'TASK-002' },
  });
  await room.test.advance(SECOND_MS);
  await asked;
  await room.test.advance(MINUTE_MS);
  const [ticket] = room.tickets();
  await room.order('tickets', {
    type: 'tickets.reply',
    ticket: ticket!.id,
    by: 'ada',
    text: 'The service listens on port 8080.',
  });
  await room.test.advance(MINUTE_MS);
  await room.next('cc');
  await room.done('cc', 'TASK-002');
  await room.test.advance(2 * MINUTE_MS);
  await room.next('cc');
  await room.done('cc', 'TASK-004');
  await room.test.advance(4 * MINUTE_MS);
}

describe('the teams', () => {
  it('MX-003, MX-004, MX-005, MX-006, MX-007, MX-008, MX-009, MX-010, MX-011, MX-015: are nine', async () => {
    await open();
    const { teams } = await shown();
    const core = teams.filter(({ number }) => number !== null);
    expect(
      core.sort((a, b) => a.number! - b.number!).map(({ number, type, escalation }) => [number, type, escalation]),
    ).toEqual([
      [0, 'Supervisor', ['user']],
      [1, 'Coordinator', ['boss-ai', 'user']],
      [2, 'Planner', ['boss-ai', 'user']],
      [3, 'Answerer', ['researcher']],
      [4, 'Validator', ['boss-ai', 'planning']],
      [5, 'Problem-solver', ['answers']],
      [6, 'Reviewer', ['updater']],
      [7, 'Verifier', ['boss-ai']],
      [8, 'Cleanup', ['planning']],
    ]);
    for (const { responsibilities } of teams) expect(responsibilities).not.toEqual([]);
    expect(teams).toHaveLength(12);
  });

  it('MX-012, MX-013, MX-014: have three auxiliary roles, of which one is an actor and two are outside', async () => {
    await open();
    const byId = new Map((await shown()).teams.map((team) => [team.id, team]));
    expect(byId.get('decomposition')).toMatchObject({ type: 'Sub-planner', number: null });
    expect(room.test.shard.snapshot('delivery/decomposition')?.status).toBe('active');
    expect(byId.get('coding-ai')).toMatchObject({ type: 'Executor', escalation: ['orchestrator'] });
    expect(byId.get('clarity')).toMatchObject({ type: 'Classifier', escalation: ['orchestrator'] });
    expect([TEAMS['coding-ai'].actor, TEAMS.clarity.actor]).toEqual(['orchestrator', 'orchestrator']);
  });

  it('MX-016, CN-001, DC-005: are supervised by their Boss, which restarts what crashes with its state', async () => {
    await open(withImpostor);
    await room.submit([task('A')]);
    const { handoffs } = room.organisation;
    await offer({ occasion: 'planned', from: 'planning', item: null });
    await room.test.advance(MINUTE_MS);
    const crash = room.test.logged.flat().find((line) => String(line).startsWith('delivery/organisation'));
    expect(String(crash)).toMatch(/crashed on handoff\.offer: .*; restarted from its committed state/);
    expect(room.organisation.handoffs).toBe(handoffs);
    expect((await room.next('cc')).directive?.taskId).toBe('TASK-001');
  });

  it('MX-088, MX-089: say who decides what, by which method, and where their roles are described', async () => {
    await open();
    const { decisions, teams } = await shown();
    expect(decisions.map(({ question, team }) => `${team}: ${question}`)).toEqual([
      'planning: longer than 45 minutes?',
      'answers: is the answer sure?',
      'clarity: is the reply clear?',
      'verification: are the criteria met?',
      'orchestrator: what is next?',
    ]);
    const documents = Object.fromEntries(
      teams.flatMap(({ id, document }) => (document === null ? [] : [[id, document]])),
    );
    expect(documents).toEqual({
      ...{ planning: 'Agent 2', orchestrator: 'Agent 1', 'coding-ai': 'Agent 1a', answers: 'Agent 3' },
      ...{ decomposition: 'Agent 4', verification: 'Agent 5', clarity: 'TICKET-SYSTEM-SPECIFICATION' },
    });
  });
});

/** The hand-offs of the seed: row, occasion, responsible, accountable, consulted, informed. */
const ROWS = [
  ['MX-024', 1, 'planned', ['planning'], 'decomposition', ['orchestrator'], ['task-queue']],
  ['MX-025', 2, 'broken-down', ['decomposition'], 'planning', ['boss-ai'], ['task-queue']],
  ['MX-026', 3, 'planned', ['planning'], 'orchestrator', ['coding-ai'], ['dashboard']],
  ['MX-027', 4, 'pulled', ['orchestrator'], 'coding-ai', ['answers'], ['dashboard']],
  ['MX-028', 5, 'asked', ['coding-ai'], 'answers', ['planning'], ['orchestrator']],
  ['MX-029', 6, 'unanswered', ['orchestrator'], 'user', ['clarity'], ['dashboard']],
  ['MX-030', 7, 'done', ['orchestrator', 'coding-ai'], 'verification', ['planning'], ['dashboard']],
  ['MX-031', 8, 'checked', ['verification'], 'orchestrator', ['planning'], ['task-queue']],
  ['MX-032', 9, 'checked', ['verification'], 'user', ['clarity'], ['dashboard']],
  ['MX-033', 10, 'replied', ['clarity'], 'orchestrator', [], ['dashboard']],
] as const;

describe('the table of responsibilities', () => {
  it('MX-002: has ten rows, which can be queried, with the number of hand-offs', async () => {
    await open();
    await room.submit([task('A')]);
    const { raci }: Shown = await shown();
    expect(raci).toHaveLength(10);
    expect(raci.map(({ row, handoffs }) => [row, handoffs])).toContainEqual([3, 1]);
  });

  it.each(ROWS)(
    '%s: row %i hands off when its condition is true, and from nobody else',
    async (_, row, occasion, responsible, accountable, consulted, informed) => {
      await open(withImpostor);
      const one = RACI.find((known) => known.row === row)!;
      expect(one).toMatchObject({ occasion, responsible, accountable, consulted, informed });
      // In the name of the responsible team, whose actor it is not; of another; and under a false condition.
      await offer({ occasion, from: responsible[0], facts: factsOf(one, true) });
      await offer({ occasion, from: 'critic', facts: factsOf(one, true) });
      await offer({ occasion, from: responsible[0], facts: factsOf(one, false) });
      const handoffs = await room.handoffs();
      expect(handoffs.map(({ isAccepted, row: found }) => [isAccepted, found === row])).toEqual([
        [false, true],
        [false, true],
        [false, one.pass.length + one.fail.length === 0],
      ]);
      expect(room.context<{ heard: object[] }>('impostor').heard).toHaveLength(3);
      expect(handoffs[0]!.because).toMatch(/does not speak for/);
      expect(handoffs[1]!.because).toMatch(/is not responsible for it/);
    },
  );

  it('MX-001: lets at most one row be true for any facts, and gives it to one receiver', async () => {
    await open();
    const gates = Object.keys(GATES) as GateName[];
    const facts = fc.record(Object.fromEntries(gates.map((gate) => [gate, fc.integer({ min: 0, max: 130 })])));
    fc.assert(
      fc.property(fc.constantFrom(...OCCASIONS), facts, (occasion, known) => {
        const isTrue = (row: RaciRow) => routeOf([row], occasion, known as Facts).row !== undefined;
        const rows = RACI.filter((row) => row.occasion === occasion && isTrue(row));
        expect(rows.length).toBeLessThanOrEqual(1);
        expect(routeOf(RACI, occasion, known as Facts).row).toBe(rows[0]);
      }),
      { numRuns: byEffort({ quick: 300, ci: 1_000, soak: 20_000 }) },
    );
    await room.submit([task('A')]);
    await room.next('cc');
    expect(await room.accepted()).toEqual(['3: TASK-001', '4: TASK-001']);
  });

  it('MX-027: routes by the table: with a row changed or taken out, work goes elsewhere, or nowhere', async () => {
    const raci = RACI.map((row) => (row.row === 3 ? { ...row, accountable: 'decomposition' as const } : row));
    await open({ delivery: { raci } });
    await room.submit([task('A')]);
    expect((await room.handoffs()).map(({ row, to }) => [row, to])).toEqual([[3, 'decomposition']]);
    expect(room.orchestrator.queue.size).toBe(0);
    await room.test.system.stop();

    await open({ delivery: { raci: RACI.filter(({ row }) => row !== 7) } });
    await room.submit([task('A')]);
    await room.next('cc');
    await room.done('cc', 'TASK-001');
    expect(room.task('TASK-001')).toMatchObject({ status: 'blocked', because: 'no row of the table describes it' });
    expect(room.tickets()).toMatchObject([{ assignee: 'ada' }]);
  });

  it('MX-034, CN-015: tells each informed party of each hand-off once', async () => {
    await story();
    const handoffs = await room.handoffs();
    const accepted = handoffs.filter(({ isAccepted }) => isAccepted);
    const rows = new Set(accepted.map(({ row }) => row));
    expect([...rows].sort((a, b) => a! - b!)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const informed = RACI.filter((row) => row.informed.includes('dashboard')).map(({ row }) => row);
    const counted = Object.fromEntries(informed.map((row) => [row, accepted.filter((one) => one.row === row).length]));
    expect(room.dashboard.counts).toEqual(counted);
    // The orchestrator is informed of questions, and the queue of what is broken down.
    expect(room.task('TASK-002').questions).toBe(1);
    expect(room.status('TASK-001')).toBe('decomposed');
  });

  it('MX-035: passes findings on to the dashboard, has mending planned, and checks 60 s after the end', async () => {
    await story();
    const { checks } = room.dashboard;
    expect(checks.get('TASK-002')).toMatchObject({ matches: ['Schema works'], remaining: [] });
    expect(room.task('TASK-004').item).toMatchObject({ kind: 'fix', parent: 'TASK-002', title: 'Fix: logs in' });
    const handoffs = await room.handoffs();
    const times = (row: number) =>
      handoffs.filter((one) => one.row === row && one.item === 'TASK-002').map(({ atMs }) => atMs);
    expect(times(8)[0]! - times(7)[0]!).toBe(MINUTE_MS);
    // One way: the planning team hears nothing of a task that is being coded.
    expect(handoffs.filter(({ to, from }) => to === 'planning' && from !== 'decomposition')).toEqual([]);
  });
});

describe('a drained team', () => {
  it('gets nothing new, and what was held for it when it goes on', async () => {
    await open();
    const set = (team: string, isDrained: boolean) =>
      room.order('delivery/organisation', { type: 'org.set', team, isDrained, by: 'ada' });
    await set('orchestrator', true);
    await room.submit([task('A'), task('B')]);
    expect([room.orchestrator.queue.size, room.organisation.held.size]).toEqual([0, 2]);
    await room.powerCut();
    await set('orchestrator', false);
    expect([room.orchestrator.queue.size, room.organisation.held.size]).toEqual([2, 0]);
    await set('coding-ai', true);
    expect(await room.next('cc')).toMatchObject({
      directive: null,
      because: 'coding sessions get nothing new for now',
    });
    await set('coding-ai', false);
    expect((await room.next('cc')).directive?.taskId).toBe('TASK-001');
    expect(await set('researcher', true)).toMatchObject({ taken: false });
  });
});
