/**
 * A whole crew under simulation: a plan whose agents fail, its pauses, batches, gates and debates, and people who do
 * anything at any time.
 */
import { crewOf, type CrewMembers, type WrittenPlan } from 'bosun/crew';
import { finally_, always, simulation, sometimes, type View } from 'bosun/testing';
import { describe, expect, it } from 'vitest';
import { batchesIn, type BatchManagerContext } from '../../src/machines/coordination/batches/batch-manager.ts';
import { type CoordinatorContext, itemsIn } from '../../src/machines/coordination/coordinator/coordinator-context.ts';
import { debatesIn } from '../../src/machines/coordination/debates/debate-facilitator.ts';
import { type FacilitatorContext } from '../../src/machines/coordination/debates/facilitator-context.ts';
import { gatesIn, type GateDeskContext } from '../../src/machines/people/gates/gate-desk.ts';
import { DESKS } from '../../src/machines/desks.ts';
import { holdingIn } from '../support/campaigns.ts';
import { byEffort, LONG } from '../support/effort.ts';
import { CHALLENGE, DAY_MS, EVIDENCE, HOUR_MS, MINUTE_MS } from '../support/machines/debate-room.ts';

const ITEMS = ['A', 'B', 'C', 'D'];
const STAGES = 2;
const CAPACITY = { screening: 2, financial: 2 };

/** Longer than any pause of an item may last. */
const HEAL_MS = 60 * DAY_MS;

const PLAN: WrittenPlan = {
  version: 1,
  plan: 'simulated',
  pack: 'finance',
  experts: ['eve'],
  capacity: CAPACITY,
  stages: {
    screening: { agent: 'screening', retry: { attempts: 2 } },
    financial: {
      agent: 'financial',
      after: ['screening'],
      retry: { attempts: 2 },
      gate: { name: 'Figures', deadlineMs: 3 * DAY_MS, remindAfterMs: [DAY_MS] },
    },
  },
  items: ITEMS,
};

/** The outcomes of the attempts of the agents: the first attempts fail, for one reason. */
interface World {
  attempts: number;
}

const OUTAGE = 6;
const AWAY = { status: 429, dataSource: 'edgar' };

function members(world: World): CrewMembers {
  const work = async (item: string | null): Promise<unknown> => {
    world.attempts += 1;
    if (world.attempts <= OUTAGE) throw Object.assign(new Error('API quota exceeded: 100/100'), AWAY);
    return { of: item };
  };
  return {
    screening: async (_, { item, attempt, say, checkpoint }) => {
      const { id: _id, item: _item, challenger: _challenger, ...content } = CHALLENGE;
      if (attempt === 1)
        await say({ kind: 'challenge', content: { ...content, id: `of-${item}`, challenged: { agent: 'financial' } } });
      await checkpoint({ half: true });
      return work(item);
    },
    financial: async (_, { item, subtask }) => subtask('figures', () => work(item)),
  };
}

const contextOf = <Context>({ snapshot }: View<World>, address: string): Context =>
  snapshot(address)!.context as Context;
const coordinatorIn = (view: View<World>) => contextOf<CoordinatorContext>(view, DESKS.coordinator);
const itemsOf = (view: View<World>) => [...itemsIn(coordinatorIn(view))];
const gatesOf = (view: View<World>) => gatesIn(contextOf<GateDeskContext>(view, DESKS.gates));
const debatesOf = (view: View<World>) => debatesIn(contextOf<FacilitatorContext>(view, DESKS.debates));
const batchesOf = (view: View<World>) => batchesIn(contextOf<BatchManagerContext>(view, DESKS.batches));

const crew = simulation<World>({
  world: () => ({ attempts: 0 }),
  system: (world) => crewOf(PLAN, members(world)),
  clients: ({ chance }) => {
    const item = chance.pick(ITEMS);
    const gate = `plan.Figures.${1 + chance.integer(ITEMS.length)}`;
    const debate = `of-${item}`;
    const batchId = `batch-${1 + chance.integer(2)}`;
    const answer = chance.pick([{ decision: 'approve' }, { decision: 'reject', reason: 'no' }, null]);
    const pause = { reason: 'asked', checkpointId: null, trigger: 'MANUAL' };
    const deeds = [
      [DESKS.coordinator, { type: 'plan.pause', item }],
      [DESKS.coordinator, { type: 'plan.resume', item }],
      [DESKS.coordinator, { type: 'pause.request', item, ...pause }],
      [DESKS.coordinator, { type: 'plan.report' }],
      [DESKS.gates, { type: 'gate.answer', gate, by: 'ada', answer }],
      [DESKS.gates, { type: 'gate.answer', gate, by: 'eve', answer }],
      [DESKS.batches, { type: 'batch.resume', batchId }],
      [DESKS.debates, { type: 'debate.acknowledge', debate, by: 'financial' }],
      [DESKS.debates, { type: 'debate.respond', debate, by: 'financial', ...EVIDENCE }],
    ] as const;
    return Array.from({ length: 1 + chance.integer(3) }, () => {
      const [address, event] = chance.pick(deeds);
      return { address, event };
    });
  },
  times: [1, 1_000, MINUTE_MS, HOUR_MS, DAY_MS],
  faults: 'swarm',
  healMs: HEAL_MS,
  steps: 40,
  // A message to a card or a gate that closes meanwhile is not delivered.
  tolerates: ['no dead letter goes unmentioned'],
  properties: [
    always('an agent type has no more tasks under way than its capacity', (view) => {
      const running = itemsOf(view).flatMap(([, item]) => item.running);
      for (const [agent, most] of Object.entries(CAPACITY)) {
        const tasks = running.filter((task) => JSON.stringify(task).includes(agent));
        if (tasks.length > most) return `${agent}: ${JSON.stringify(tasks)}`;
      }
      return true;
    }),
    always('the count of tasks done is that of the items', (view) => {
      const done = itemsOf(view).reduce((sum, [, item]) => sum + item.done.length, 0);
      const { tally } = coordinatorIn(view);
      return tally.done === done || `${tally.done} counted, ${done} done`;
    }),
    finally_('every item has done all or has a reason', (view) => {
      const unwell = itemsOf(view).filter(
        ([, { phase, done, reason, running }]) =>
          running.length > 0 || (phase === 'running' ? done.length !== STAGES : reason === null || phase === 'pausing'),
      );
      return unwell.length === 0 || JSON.stringify(unwell);
    }),
    finally_('no gate is open', (view) => {
      const open = gatesOf(view).filter(({ isOver }) => !isOver);
      return open.length === 0 || JSON.stringify(open);
    }),
    finally_('no debate is open', (view) => {
      const open = debatesOf(view).filter(({ isOver }) => !isOver);
      return open.length === 0 || JSON.stringify(open);
    }),
    sometimes('an item is paused', (view) => itemsOf(view).some(([, { phase }]) => phase === 'paused')),
    sometimes('a gate is answered', (view) => gatesOf(view).some(({ phase }) => phase === 'answered')),
    sometimes('a debate is over', (view) => debatesOf(view).some(({ isOver }) => isOver)),
    sometimes('failures make a batch', (view) => batchesOf(view).length > 0),
    sometimes('an item is complete', (view) => itemsOf(view).some(([, { done }]) => done.length === STAGES)),
  ],
});

describe('a crew under simulation', () => {
  it(
    'ends every item with a reason and leaves nothing open, under any faults and any actions of people',
    LONG,
    async () => {
      const seeds = byEffort({ quick: 5, ci: 10, soak: 400 });
      const { failure, neverMet, text } = await holdingIn(crew, 'a crew', { seeds });
      expect(failure, text).toBe(undefined);
      expect(neverMet).toEqual([]);
    },
  );
});
