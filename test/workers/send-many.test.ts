/** Many events sent together over workers behave as in a system with one worker, whichever worker each is for. */
import { describe, expect, it } from 'vitest';
import { Placement } from '../../src/actors/model/placement.ts';
import { refusalsIn } from '../../src/actors/api/refused-sends.ts';
import { WORKER_SENDS_PER_CALL_MAX } from '../../src/limits.ts';
import { type SpreadTestSystem, startSpreadTestSystem } from '../../src/testing/spread-test-system.ts';
import { AGENTS, placedNames } from '../support/workers/actors.ts';

const AT = new Placement(2, new Set());
const [[HERE] = [], [THERE] = []] = placedNames((address) => AT.homeOf(address) as number, { count: 1 });
const [ZERO, ONE] = [HERE!, THERE!];

async function start(): Promise<SpreadTestSystem> {
  const worker = (id: string) => ({ id, agent: 'worker' });
  return await startSpreadTestSystem({ workers: 2, agents: AGENTS, tree: { children: [worker(ZERO), worker(ONE)] } });
}

const work = (to: string) => ({ to, event: { type: 'work' } });

async function done(test: SpreadTestSystem): Promise<unknown[]> {
  await test.settle();
  const contexts = [ZERO, ONE].map(async (address) => (await test.system.snapshot(address))!.context);
  return (await Promise.all(contexts)).map((context) => (context as { done: number }).done);
}

/** The outcome of the promise so far, without waiting for it. */
function told(sent: Promise<void>): { settled?: unknown } {
  const state: { settled?: unknown } = {};
  sent.then(
    () => (state.settled = 'durable'),
    (error: unknown) =>
      (state.settled = refusalsIn(error)?.map(({ index, error: { code, details } }) => [index, code, details])),
  );
  return state;
}

describe('events sent together over workers', () => {
  it('are durable on all workers when the promise resolves', async () => {
    const test = await start();
    const sent = told(test.system.sendMany([work(ZERO), work(ONE), work(ZERO)]));
    await test.settle();
    expect(sent.settled).toBe('durable');
    test.crashAll();
    await test.restartAll();
    expect(await done(test)).toEqual([2, 1]);
    await test.system.stop();
  });

  it("are refused one by one, with code, details and the index in the sender's list", async () => {
    const test = await start();
    const sent = told(
      test.system.sendMany([
        work(ONE),
        { to: 'no one', event: { type: 'work' } },
        { to: ONE, event: { type: 'unheard of' } },
        work(ZERO),
        { to: ZERO, event: { type: 'work', with: () => 1 } } as never,
        work(ZERO),
        null as never,
      ]),
    );
    await test.settle();
    expect(sent.settled).toEqual([
      [1, 'BOSUN_ADDRESS_INVALID', expect.anything()],
      [2, 'BOSUN_EVENT_REFUSED', expect.anything()],
      [4, 'BOSUN_VALUE_REFUSED', expect.anything()],
      [6, 'BOSUN_EVENT_INVALID', expect.anything()],
    ]);
    const unknown = told(test.system.sendMany([work('nobody')]));
    await test.settle();
    expect(unknown.settled).toEqual([[0, 'BOSUN_ACTOR_UNKNOWN', { address: 'nobody' }]]);
    expect(await done(test)).toEqual([2, 1]);
    await expect(test.system.sendMany({ to: ZERO } as never)).rejects.toMatchObject({ code: 'BOSUN_EVENT_INVALID' });
    await test.system.stop();
  });

  it('go to one actor by its handle', async () => {
    const test = await start();
    const sent = told(
      (await test.system.actor(ONE)).sendMany([{ type: 'work' }, { type: 'unheard of' }, { type: 'work' }]),
    );
    await test.settle();
    expect(sent.settled).toEqual([[1, 'BOSUN_EVENT_REFUSED', expect.anything()]]);
    expect(await done(test)).toEqual([0, 2]);
    await test.system.stop();
  });

  it('wait for a worker that is down; if it dies later, only those without a session are refused', async () => {
    const test = await start();
    test.crash(1);
    const waiting = told(test.system.sendMany([work(ONE), work(ZERO)]));
    await test.settle();
    expect(waiting.settled).toBe(undefined);
    await test.restart(1);
    expect(waiting.settled).toBe('durable');
    const held = test.stores[1]!.hold('before');
    const session = (sequence: number) => ({ ...work(ONE), session: { id: 'till', sequence } });
    const sent = told(test.system.sendMany([session(1), work(ONE), session(2), work(ZERO)]));
    await held.reached;
    test.crash(1);
    held.release();
    await test.restart(1);
    expect(sent.settled).toEqual([[1, 'BOSUN_WORKER_DOWN', { worker: 1, unknownOutcome: true }]]);
    expect(await done(test)).toEqual([2, 3]);
    await test.system.stop();
  });

  it('may be more than fit into one call', async () => {
    const test = await start();
    const sent = told(test.system.sendMany(Array.from({ length: WORKER_SENDS_PER_CALL_MAX + 1 }, () => work(ONE))));
    await test.settle();
    expect(sent.settled).toBe('durable');
    expect(await done(test)).toEqual([0, WORKER_SENDS_PER_CALL_MAX + 1]);
    await test.system.stop();
  });
});
