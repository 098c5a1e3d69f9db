/** Cases 73 to 78: significant children, changes of a live Boss, scale. */
import { expect } from 'vitest';
import { type AutoShutdown } from '../../../src/supervisor/child-spec.ts';
import { type Bench, type Case, codeOf, forEach } from '../../support/supervisor/otp/bench.ts';
import { w } from '../../support/supervisor/otp/cast.ts';
import { ratioOf } from '../../support/processor-time.ts';

const MODES: readonly AutoShutdown[] = ['never', 'any_significant', 'all_significant'];
const ACTIVE = ['any_significant', 'all_significant'] as const;
const STRATEGIES = ['one_for_one', 'one_for_all', 'rest_for_one'] as const;
const HOWS = ['terminate', 'explode', 'finish'] as const;

const withRestart = (autoShutdown: AutoShutdown) =>
  (['temporary', 'transient'] as const).map((restart) => [autoShutdown, restart] as const);

async function ended(b: Bench, id: string, how: (typeof HOWS)[number]): Promise<void> {
  if (how === 'terminate') await b.sup.terminateChild(id);
  else await b.tell(id, how);
}

export const significantCases: readonly Case[] = [
  {
    number: 73,
    source: 'nonsignificant_temporary, _transient',
    run: forEach(MODES.flatMap(withRestart), async (b, [autoShutdown, restart]) => {
      await b.start({ autoShutdown, intensity: 100, children: HOWS.map((how) => w(how, { restart })) });
      for (const how of HOWS) await ended(b, how, how);
      expect(b.lives).toBe(true);
    }),
  },
  {
    number: 74,
    source: 'significant_temporary, _transient',
    run: forEach(
      ACTIVE.flatMap(withRestart).flatMap((kind) => HOWS.map((how) => [...kind, how] as const)),
      async (b, [autoShutdown, restart, how]) => {
        const ends = how === 'finish' || (how === 'explode' && restart === 'temporary');
        await b.start({
          autoShutdown,
          children: [w('a', { restart, significant: true }), w('b', { restart, significant: true }), w('c')],
        });
        await ended(b, 'a', how);
        expect([autoShutdown, restart, how, b.lives]).toEqual([
          autoShutdown,
          restart,
          how,
          !(ends && autoShutdown === 'any_significant'),
        ]);
        if (!b.lives) return;
        await ended(b, 'b', how);
        // Both children still live if the failure restarts them.
        expect([autoShutdown, restart, how, b.lives]).toEqual([autoShutdown, restart, how, !ends]);
      },
    ),
  },
  {
    number: 75,
    source: 'significant_bystander',
    run: forEach(
      STRATEGIES.flatMap((strategy) => ACTIVE.map((mode) => [strategy, mode] as const)),
      async (b, [strategy, autoShutdown]) => {
        await b.start({
          strategy,
          autoShutdown,
          children: [
            w('a'),
            w('b', { restart: 'transient', significant: true }),
            w('c', { restart: 'temporary', significant: true }),
          ],
        });
        await b.tell('a', 'explode');
        expect(b.lives).toBe(true);
      },
    ),
  },
  {
    number: 76,
    source: 'significant_escalation',
    run: forEach([true, false], async (b, significant) => {
      const boss = {
        autoShutdown: 'any_significant' as const,
        children: [w('x', { restart: 'transient', significant: true })],
      };
      await b.start({
        autoShutdown: 'any_significant',
        children: [{ id: 'below', restart: 'transient', significant, boss }, w('c')],
      });
      await b.tell('below/x', 'finish');
      expect([significant, b.lives, b.test.shard.snapshot('sup/below')]).toEqual([
        significant,
        !significant,
        undefined,
      ]);
    }),
  },
  {
    number: 77,
    source: 'significant_upgrade_*',
    differs: 'a Boss is changed by a start of the system with another tree',
    run: async (b) => {
      const children = (significant: boolean) =>
        ['a', 'b', 'c'].map((id) => w(id, { restart: 'transient', significant }));
      await b.start({ autoShutdown: 'any_significant', children: children(false) });
      await b.tell('a', 'finish');
      await b.upgrade({ autoShutdown: 'all_significant', children: children(true) });
      await b.tell('b', 'finish');
      expect(b.lives).toBe(true);
      expect(await codeOf(b.upgrade({ autoShutdown: 'never', children: children(true) }))).toBe(
        'BOSUN_CHILD_SPEC_INVALID',
      );
      await b.upgrade({ autoShutdown: 'all_significant', children: children(true) });
      await b.tell('c', 'finish');
      expect(b.lives).toBe(false);
    },
  },
  {
    number: 78,
    source: 'code_change*, scale_start_stop_many_children',
    differs:
      'static children that the code has no longer are ended; scale is bounded by a ratio of time that a walk of ' +
      'the table per start would exceed',
    run: async (b) => {
      await b.start({ children: [w('a'), w('b')] });
      await b.tell('a', 'note');
      await b.upgrade({
        intensity: 7,
        strategy: 'rest_for_one',
        children: [w('b'), w('a', { restart: 'transient' }), w('n')],
      });
      expect([b.notes('a'), b.children, b.sup.getChildSpec('a').restart]).toEqual([
        ['note'],
        ['a running', 'b running', 'n running'],
        'transient',
      ]);
      expect(await codeOf(b.upgrade({ children: [w('a'), w('a')] }))).toBe('BOSUN_CHILD_SPEC_INVALID');
      await b.upgrade({ strategy: 'dynamic', template: { agent: 'plain', restart: 'temporary' } });
      const startAndStop = async (count: number) => {
        const ids = Array.from({ length: count }, (_, index) => `${count}-${index}`);
        await b.together(() => ids.map((id) => b.sup.startChild({ id })));
        await b.together(() => ids.map((id) => b.sup.terminateChild(id)));
      };
      const [more, less] = [b.many(2_000), b.many(200)];
      // A story that is told for each of its epochs has few children each time, and a crash among those of one.
      const isWhole = more > less;
      const ratio = await ratioOf(
        () => startAndStop(more),
        () => startAndStop(less),
        { rounds: isWhole ? 5 : 1 },
      );
      if (isWhole) expect(ratio).toBeLessThan(25);
    },
  },
];
