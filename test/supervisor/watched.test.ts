/**
 * A Boss is observed like any agent: every phase of its machine has a state with that name, visible in snapshots or in
 * its trace.
 */
import { setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { type TraceRecord } from '../../src/actors/model/trace-record.ts';
import { bossMachine } from '../../src/supervisor/boss.ts';
import { startTestSystem } from '../../src/testing/test-system.ts';
import { agents, told } from '../support/supervisor/worker.ts';

/** Ends when it is told to, a second later. */
const slow = defineAgent({
  name: 'slow',
  machine: setup({ types: {} as { events: { type: 'bosun.shutdown' } } }).createMachine({
    initial: 'on',
    states: { on: { on: { 'bosun.shutdown': 'ending' } }, ending: { after: { 1_000: 'off' } }, off: { type: 'final' } },
  }),
  events: {},
});

describe('the machine of a Boss', () => {
  it('shows a state for each reaction to ends of children, orders and timers', async () => {
    expect(Object.keys(bossMachine.root.states)).toEqual([
      'starting',
      'supervising',
      'shuttingDown',
      'givingUp',
      'stopped',
      'escalated',
    ]);
    expect(Object.keys(bossMachine.root.states['supervising']!.states)).toEqual([
      'running',
      'backingOff',
      'restarting',
      'stopping',
    ]);

    const test = await startTestSystem({ agents: [...agents, slow], tree: { intensity: 10 } });
    const trace = test.shard.admin.trace('root');
    const taken: TraceRecord[] = [];
    const reading = (async () => {
      for await (const record of trace) if (record.kind !== 'lost') taken.push(record);
    })();
    const backoff = { minMs: 100, maxMs: 100, jitter: 0 };
    const boss = {
      strategy: 'one_for_all' as const,
      intensity: 1,
      periodMs: 1e9,
      children: [
        { id: 'w', agent: 'worker', backoff },
        { id: 's', agent: 'slow' },
      ],
    };
    await test.shard.boss().startChild({ id: 'b', restart: 'temporary', boss });
    const seen = [stateOf()];
    await told(test, 'b/w', 'explode');
    seen.push(stateOf());
    await test.advance(100);
    seen.push(stateOf());
    await test.advance(1_000);
    seen.push(stateOf());
    await told(test, 'b/w', 'explode');
    await test.advance(100);
    seen.push(stateOf());
    await test.advance(1_000);
    expect(seen).toEqual([
      { supervising: 'running' },
      { supervising: 'backingOff' },
      { supervising: 'restarting' },
      { supervising: 'running' },
      'givingUp',
    ]);
    expect(test.shard.snapshot('b')).toBe(undefined);
    await test.shard.stop();
    await reading;

    const ofBoss = taken.filter(({ address }) => address === 'b');
    const entered = ofBoss
      .flatMap(({ microsteps }) => microsteps.flat())
      .flatMap(({ to }) => to.map((id) => id.replace('boss.', '')));
    expect(ofBoss[0]).toMatchObject({
      kind: 'spawn',
      microsteps: [[{ from: 'boss.starting', to: ['boss.supervising'] }]],
    });
    expect(entered.filter((id, index) => entered[index - 1] !== id)).toEqual([
      'supervising',
      'supervising.backingOff',
      'supervising.restarting',
      'supervising.running',
      'givingUp',
      'escalated',
    ]);
    expect(ofBoss.findLast(({ kind }) => kind === 'transition')).toMatchObject({
      value: 'escalated',
      status: 'done',
    });

    function stateOf(): unknown {
      return test.shard.snapshot('b')?.value;
    }
  });
});
