/** The output of the desk verbs for a slow crew: it is true, however long an order takes. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEBATES } from '../../src/cli/desks/debates-row.ts';
import { type DeskOrder, type DeskView } from '../../src/cli/desks/desk-view.ts';
import { PAUSES } from '../../src/cli/desks/pauses-row.ts';
import { newProgress } from '../../src/machines/coordination/coordinator/coordinator-context.ts';
import { newDesk } from '../../src/machines/rules/desk.ts';
import { TAKEN } from '../../src/machines/rules/turn.ts';
import { DESKS } from '../../src/machines/desks.ts';
import { table } from '../../src/table.ts';
import { planOf } from '../support/fixtures/plans/plans.ts';

const noRecords = () => Promise.reject(new Error('no records are read here'));

describe('a review of a debate', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** A crew whose gate opens after so many looks since the review was ordered; null: it has no desk of gates. */
  function crew(opensAfterLooks: number | null): DeskView & { readonly orders: DeskOrder[] } {
    const orders: DeskOrder[] = [];
    const row = { id: 'margin+1', audience: ['*'], isOver: false, number: 1, ref: null, orders: 0 };
    const open = { ...newDesk(), rows: table([['0 1', row]]), places: table([['margin+1', '0 1']]) } as never;
    let looks = 0;
    return {
      orders,
      isLive: true,
      records: noRecords,
      look(address) {
        if (address !== DESKS.gates || opensAfterLooks === null) return Promise.resolve(undefined);
        if (orders.length > 0) looks += 1;
        return Promise.resolve({ value: null, context: looks > opensAfterLooks ? open : newDesk() } as never);
      },
      order(_, event) {
        orders.push(event);
        return Promise.resolve(TAKEN);
      },
    };
  }

  const DEBATE = { id: 'margin', isOver: false, level: 'L4' } as never;
  const confirm = (view: DeskView) => DEBATES.orders['confirm']!(DEBATE, { by: 'eve', fields: [] }, view);

  it('waits for the question to the reviewer, and answers it', async () => {
    const order = confirm(crew(400)) as Promise<object>;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await order).toMatchObject({ event: { type: 'gate.answer', gate: 'margin+1' } });
  });

  it('reports a question that takes too long as on its way, and fails if there is no desk of gates', async () => {
    const late = expect(confirm(crew(Infinity))).rejects.toThrow('is about to ask; answer it when bosun gates list');
    await vi.advanceTimersByTimeAsync(60_000);
    await late;
    const nobody = crew(null);
    await expect(confirm(nobody)).rejects.toThrow('can ask no people: there is no desk of gates');
    expect(nobody.orders).toEqual([]);
  });
});

describe('a pause without a record yet', () => {
  const plan = planOf({ stages: { a: { agent: 'x' } }, items: ['A'] });
  const RUNNING = { phase: 'running', done: [], running: [], failed: [], reason: null, pauses: 0, manager: null };
  const view = (progress: object): DeskView => ({
    isLive: true,
    records: noRecords,
    look: (address) =>
      Promise.resolve(
        address === DESKS.coordinator
          ? ({
              value: 'working',
              context: { ...newProgress(), plan, items: table([['A', { ...RUNNING, ...progress }]]) },
            } as never)
          : undefined,
      ),
    order: () => Promise.resolve(TAKEN),
  });

  it.each([
    [{ phase: 'pausing' }, 'A is about to pause'],
    [{ phase: 'running', deferredPause: { reason: 'odd', failedTask: null } }, 'A is about to pause'],
    [{ phase: 'running' }, 'A is not paused'],
  ])('is reported as about to begin only if it was ordered: %o', async (progress, said) => {
    await expect(PAUSES.find(view(progress), 'A')).rejects.toThrow(said);
  });
});
