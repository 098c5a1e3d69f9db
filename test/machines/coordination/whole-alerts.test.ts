/** Alert cards of the whole crew: what they say, how long they wait for people, and how they are delivered. */
import { describe, expect, it } from 'vitest';
import { type DeliveryInput } from '../../../src/machines/people/alerts/alert-card.ts';
import { type Plan } from '../../../src/machines/coordination/plan/plan.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const TAKEN = { taken: true, problems: [] };

interface Delivery extends DeliveryInput {
  /** Minutes since the crew started. */
  readonly minute: number;
}

interface Watched {
  readonly crew: WholeCrew;
  readonly delivered: Delivery[];
}

/** A crew with a channel to people, which records what it delivers. */
async function watched(
  plan: Plan,
  agents: Readonly<Record<string, AgentFunction>>,
  arrive: () => Promise<void> = () => Promise.resolve(),
): Promise<Watched> {
  const clock = new VirtualClock();
  const startMs = clock.wallMs();
  const delivered: Delivery[] = [];
  const deliver = async (card: DeliveryInput) => {
    delivered.push({ ...card, minute: (clock.wallMs() - startMs) / MINUTE_MS });
    await arrive();
  };
  return { crew: await startWholeCrew(plan, agents, { deliver }, clock), delivered };
}

function fault(errorType: string, message = 'no data'): Error {
  return Object.assign(new Error(message), { errorType });
}

/** Work that ends with its attempt only. */
const endless: AgentFunction = (_, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

describe('the card of a paused item', () => {
  const plan = planOf({
    stages: {
      screening: { agent: 'screening' },
      business: { agent: 'business', after: ['screening'] },
      strategy: { agent: 'strategy-analyst', after: ['business'] },
      valuation: { agent: 'valuation', after: ['strategy'] },
    },
    items: ['AAPL', 'MSFT', 'AMZN'],
  });

  async function threePaused() {
    const broken = new Set(['AAPL', 'MSFT', 'AMZN']);
    const done: AgentFunction = async () => 'done';
    const strategy: AgentFunction = async (_, { item }) => {
      if (broken.has(item)) throw fault(`data_quality_of_${item}`, `${item}: 1000/1001 rows`);
      return 'done';
    };
    const agents = { screening: done, business: done, 'strategy-analyst': strategy, valuation: done };
    return { ...(await watched(plan, agents)), broken };
  }

  it('CA-076: says item, agent, progress, error, completed and pending tasks, and has its buttons', async () => {
    const { crew, delivered } = await threePaused();
    await crew.powerCut();
    await crew.test.advance(30 * MINUTE_MS);
    const text = delivered.findLast(({ item }) => item === 'AAPL')!.text;
    expect(text.split('\n')).toEqual([
      'AAPL paused - AAPL/strategy failed: AAPL: 1000/1001 rows',
      'AAPL, strategy-analyst',
      'PAUSED at 50 % (phase PAUSING, day 0)',
      'data_quality_of_AAPL: AAPL: 1000/1001 rows',
      'AAPL/strategy failed: AAPL: 1000/1001 rows',
      'completed: AAPL/screening, AAPL/business',
      'pending: AAPL/strategy, AAPL/valuation',
      '[View Details] [Resume] [Cancel]',
    ]);
  });

  it('CA-076: opens by View Details, and resumes or gives up its item by Resume and Cancel', async () => {
    const { crew, broken } = await threePaused();
    broken.clear();
    const [details, resume, cancel] = crew.openCards();
    const press = (id: string, action: string) => crew.ask('alerts', { type: 'alert.choose', id, action, by: 'ada' });
    expect(await press(details!.id, 'details')).toEqual(TAKEN);
    expect(await press(resume!.id, 'resume')).toEqual(TAKEN);
    expect(await press(cancel!.id, 'cancel')).toEqual(TAKEN);
    expect(crew.phases()).toEqual(['paused', 'running', 'failed']);
    expect(crew.item('MSFT').done).toHaveLength(4);
    const states = (item: string) => crew.cards().find((card) => card.item === item && card.kind === 'item.failed');
    expect(states('AAPL')).toMatchObject({ state: 'OPENED' });
    expect(states('MSFT')).toMatchObject({ state: 'ACKNOWLEDGED', acknowledgedBy: 'ada' });
    expect(states('AMZN')).toMatchObject({ state: 'ACKNOWLEDGED', acknowledgedBy: 'ada' });
  });
});

it(
  'CA-077: five priorities: AGENT_FAILURE has no time limit, goes to all channels and is repeated every 30 minutes; ' +
    'CRITICAL waits 2 hours for its acknowledgement, HIGH 6, MEDIUM 24 and LOW 48, across power cuts',
  async () => {
    const tasks = ['FAILS', 'LOST', 'PAUSED', 'SAYS', 'LATE'].map((id) => ({
      id,
      agent: 'worker',
      duration: id === 'LATE' ? 1 : 0,
    }));
    const plan = planOf({ unit: 'minutes', tasks });
    const worker: AgentFunction = async (input, context) => {
      const { item, say, attempt } = context;
      if (item === 'FAILS') throw fault('crash');
      if (item === 'LOST') throw fault('security_violation');
      if (item === 'SAYS') return attempt === 1 ? say({ kind: 'alert', content: 'odd', priority: 'low' }) : null;
      return endless(input, context);
    };
    const { crew, delivered } = await watched(plan, { worker });
    const pause = { item: 'PAUSED', reason: 'audit', checkpointId: null, trigger: 'MANUAL' };
    await crew.ask('coordinator', { type: 'pause.request', ...pause });
    await crew.powerCut();
    await crew.test.advance(DAY_MS);
    await crew.powerCut();
    await crew.test.advance(DAY_MS + 2 * MINUTE_MS);
    const of = (wanted: string) =>
      delivered
        .filter(({ priority }) => priority === wanted)
        .map(({ minute, channels, escalation }) => [minute, channels, escalation]);
    const unheard = (minutes: number) => `nobody has acknowledged it for ${minutes} minutes`;
    expect(of('AGENT_FAILURE')).toEqual([
      [0, 'all', null],
      [30, 'all', null],
      [60, 'all', null],
      [90, 'all', unheard(90)],
    ]);
    expect(of('CRITICAL')).toEqual([
      [0, 'usual', null],
      [120, 'all', unheard(120)],
    ]);
    expect(of('HIGH')).toEqual([
      [0, 'usual', null],
      [360, 'all', unheard(360)],
    ]);
    expect(of('MEDIUM')).toEqual([
      [1, 'usual', null],
      [24 * 60 + 1, 'all', unheard(24 * 60)],
    ]);
    expect(of('LOW')).toEqual([
      [0, 'usual', null],
      [48 * 60, 'all', unheard(48 * 60)],
    ]);
    const open = crew.openCards();
    expect(open.map(({ acknowledgedBy }) => acknowledgedBy)).toEqual([null, null, null, null, null]);
    const { id } = open.find(({ priority }) => priority === 'AGENT_FAILURE')!;
    await crew.ask('alerts', { type: 'alert.acknowledge', id, by: 'ada' });
    expect(crew.openCards()).toHaveLength(4);
  },
);

describe('the card of a failure', () => {
  const failing = planOf({ stages: { work: { agent: 'worker' } }, items: ['ACME'] });
  const worker: AgentFunction = () => Promise.reject(fault('crash'));

  it('CA-078: goes from SENT through DELIVERED and OPENED to ACKNOWLEDGED, and is sent at once', async () => {
    let land = () => {};
    const landing = new Promise<void>((resolve) => (land = resolve));
    const { crew, delivered } = await watched(failing, { worker }, () => landing);
    const card = () => crew.cards()[0]!;
    expect([card().state, delivered.map(({ minute }) => minute)]).toEqual(['SENT', [0]]);
    land();
    await crew.test.settle();
    expect(card().state).toBe('DELIVERED');
    await crew.ask('alerts', { type: 'alert.open', id: card().id });
    expect(card().state).toBe('OPENED');
    await crew.ask('alerts', { type: 'alert.acknowledge', id: card().id, by: 'ada' });
    expect(card()).toMatchObject({ state: 'ACKNOWLEDGED', acknowledgedBy: 'ada' });
    await crew.test.advance(HOUR_MS);
    expect(delivered).toHaveLength(1);
  });

  it(
    'CA-078: is repeated every 30 minutes, three times, escalated at 90, and stays until people act, across ' +
      'power cuts',
    async () => {
      const { crew, delivered } = await watched(failing, { worker });
      for (let hour = 0; hour < 3; hour += 1) {
        await crew.test.advance(59 * MINUTE_MS);
        await crew.powerCut();
        await crew.test.advance(MINUTE_MS);
      }
      expect(delivered.map(({ minute, repeats, escalation }) => [minute, repeats, escalation !== null])).toEqual([
        [0, 0, false],
        [30, 1, false],
        [60, 2, false],
        [90, 3, true],
      ]);
      await crew.test.advance(2 * DAY_MS);
      expect(crew.openCards()).toMatchObject([{ item: 'ACME', kind: 'item.failed', state: 'DELIVERED' }]);
    },
  );

  it('CA-078: is one of ten delivered in five minutes; others share a summary within 30 seconds', async () => {
    const items = Array.from({ length: 13 }, (_, n) => `item-${n + 1}`);
    const many = planOf({ stages: { work: { agent: 'worker' } }, items });
    const each: AgentFunction = (_, { item }) => Promise.reject(fault(`crash of ${item}`, item));
    const { crew, delivered } = await watched(many, { worker: each });
    expect(delivered.map(({ item }) => item)).toEqual(items.slice(0, 10));
    expect(crew.openCards().map(({ item }) => item)).toEqual(items);
    await crew.powerCut();
    await crew.test.advance(30_000);
    expect(delivered.slice(10)).toMatchObject([
      { item: null, kind: 'alerts.summary', priority: 'AGENT_FAILURE', title: '3 more alerts' },
    ]);
    for (const item of items.slice(10)) expect(delivered[10]!.detail).toContain(item);
    expect(crew.openCards().every(({ state }) => state === 'DELIVERED')).toBe(true);
  });
});
