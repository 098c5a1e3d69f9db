/** P7: an effect keeps its id over restores and retries; a different effect has a different id. */
import { type AnyActorLogic, fromCallback, fromObservable, fromPromise, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { effectOf } from '../../../../src/actors/model/ref.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { declaredAgent, SECOND, startDeclared } from '../../../support/actors/declared.ts';
import { observable } from '../../../support/actors/observable.ts';
import { atEveryWrite, tellStory } from '../../../support/actors/power-cut.ts';
import { tell } from '../../../support/actors/subject.ts';

type Seen = [effectId: string, attempt: number][];

/** Logic of each kind; its first `failures` starts fail. */
const KINDS: Readonly<Record<string, (see: (self: object) => number, failures: number) => AnyActorLogic>> = {
  promise: (see, failures) =>
    fromPromise(({ self }) => (see(self) <= failures ? Promise.reject(new Error('no')) : new Promise(() => {}))),
  callback: (see, failures) =>
    fromCallback(({ self }) => {
      if (see(self) <= failures) throw new Error('no');
    }),
  observable: (see, failures) =>
    fromObservable(({ self }) => {
      const attempt = see(self);
      return observable(({ error }) => {
        if (attempt <= failures) error(new Error('no'));
      });
    }),
};

function seer(seen: Seen): (self: object) => number {
  return (self) => {
    const { effectId, attempt } = effectOf(self);
    seen.push([effectId, attempt]);
    return attempt;
  };
}

/** A machine that invokes `logic` itself (depth 0), or in a child that many levels below. */
function nested(logic: AnyActorLogic, depth: number) {
  const child: AnyActorLogic = depth === 0 ? logic : nested(logic, depth - 1);
  return setup({ actors: { logic: child } }).createMachine({
    initial: 'on',
    states: {
      on: { invoke: { src: 'logic', id: 'call' }, on: { AGAIN: { target: 'on', reenter: true }, LEAVE: 'off' } },
      off: { on: { AGAIN: 'on' } },
    },
  });
}

async function restartTwice(test: TestSystem): Promise<void> {
  for (let n = 0; n < 2; n++) {
    await test.crash();
    await test.restart();
  }
}

describe.each(Object.keys(KINDS))('the id of an effect (%s)', (kind) => {
  it.each([0, 1, 2])('is the same after restores, %i machines deep', async (depth) => {
    const seen: Seen = [];
    const test = await startDeclared(nested(KINDS[kind]!(seer(seen), 0), depth), {});
    await restartTwice(test);
    expect([new Set(seen.map(([id]) => id)).size, seen.map(([, attempt]) => attempt)]).toEqual([1, [1, 2, 3]]);
    await test.shard.stop();
  });

  it('is the same after retries, and after restores between them', async () => {
    const seen: Seen = [];
    const effects = { logic: { retry: { attempts: 5, backoff: SECOND } } };
    const test = await startDeclared(nested(KINDS[kind]!(seer(seen), 2), 0), { effects });
    await restartTwice(test);
    await test.advance(1_000);
    await test.advance(2_000);
    await restartTwice(test);
    expect([new Set(seen.map(([id]) => id)).size, seen.map(([, attempt]) => attempt)]).toEqual([1, [1, 2, 3, 4, 5]]);
    await test.shard.stop();
  });

  it('is the same after its failure crashed the machine and the Boss restarted it from its last state', async () => {
    const seen: Seen = [];
    const test = await startDeclared(nested(KINDS[kind]!(seer(seen), 2), 0), {});
    await test.advance(4_000);
    expect(test.shard.tree('subject').restarts).toBe(2);
    expect([new Set(seen.map(([id]) => id)).size, seen.map(([, attempt]) => attempt)]).toEqual([1, [1, 2, 3]]);
    await test.shard.stop();
  });

  it('changes when its state is entered again, after a crash too', async () => {
    const seen: Seen = [];
    const test = await startDeclared(nested(KINDS[kind]!(seer(seen), 0), 0), { events: ['AGAIN', 'LEAVE'] });
    await tell(test, 'AGAIN');
    await test.crash();
    await test.restart();
    await tell(test, 'LEAVE');
    await tell(test, 'AGAIN');
    const [a, b, c] = [...new Set(seen.map(([id]) => id))];
    expect(seen).toEqual([
      [a, 1],
      [b, 1],
      [b, 2],
      [c, 1],
    ]);
    expect(new Set([a, b, c]).size).toBe(3);
    await test.shard.stop();
  });

  it('changes when the Boss restarts the machine from its initial state', async () => {
    const seen: Seen = [];
    const tree = { intensity: 100, children: [{ id: 'subject', agent: 'subject', resume: 'initial' as const }] };
    const test = await startDeclared(nested(KINDS[kind]!(seer(seen), 1), 0), {
      tree,
      effects: { logic: { retry: { attempts: 1 } } },
    });
    await test.settle();
    // The new effect is at its first start again, so it fails again, until the Boss gives up.
    expect(seen.every(([, attempt]) => attempt === 1)).toBe(true);
    expect(new Set(seen.map(([id]) => id)).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThan(1);
  });

  it('is the same for all starts, wherever the power is cut', async () => {
    await atEveryWrite(async (cut) => {
      const seen: Seen = [];
      const agents = [declaredAgent(nested(KINDS[kind]!(seer(seen), 0), 2), {})];
      const told = await tellStory(
        [(test) => test.settle()],
        { agents, tree: { children: [{ id: 'subject', agent: 'subject' }] } },
        cut,
      );
      expect(new Set(seen.map(([id]) => id)).size, `power cut ${cut.point} write ${cut.write}`).toBe(1);
      await told.test.shard.stop();
      return told.writes;
    });
  });
});
