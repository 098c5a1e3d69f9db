/** Cases 45 to 72: restart types, strategies, intensity, backoff. */
import { expect } from 'vitest';
import { type Bench, type Case, forEach } from '../../support/supervisor/otp/bench.ts';
import { dynamic, failing, s, w } from '../../support/supervisor/otp/cast.ts';

const initial = (id: string, more: object = {}) => w(id, { input: { name: id }, resume: 'initial', ...more });

/** A child that ends with `shutdown`: a Boss that ends because its significant child has. */
const endsBy = (restart: string) =>
  ({
    id: 'c',
    restart,
    boss: { autoShutdown: 'any_significant', children: [w('w', { restart: 'transient', significant: true })] },
  }) as never;

type Way = 'normal' | 'shutdown' | 'error';

const specOf = (restart: string, way: Way) => (way === 'shutdown' ? endsBy(restart) : w('c', { restart }));

/** The restarts of a child of this restart type after such an end, and its record afterwards. */
async function endOf(b: Bench, restart: string, way: Way): Promise<[restarts: number | undefined, listed: string[]]> {
  await b.start({ children: [specOf(restart, way)] });
  await b.tell(way === 'shutdown' ? 'c/w' : 'c', way === 'error' ? 'explode' : 'finish');
  return [b.restarts('c')[0], b.children];
}

const KINDS = { permanent: [1, ['c running']], ended: [0, ['c ended']], gone: [undefined, []] } as const;
const typeCase = (number: number, restart: string, way: Way, outcome: keyof typeof KINDS): Case => ({
  number,
  source: `${restart}_${way === 'error' ? 'abnormal' : way}`,
  run: async (b) => {
    expect(await endOf(b, restart, way)).toEqual(KINDS[outcome]);
    expect(b.lives).toBe(true);
    if (outcome !== 'gone') return;
    expect(await b.sup.startChild(specOf(restart, way))).toBe('sup/c');
  },
});

/** Sends a note to each of three children, which shows later which of them were restarted from the initial state. */
async function noted(b: Bench, ...ids: string[]): Promise<void> {
  await b.tellAll(ids, 'note');
}

const SAVED_OR_NOT = (['one_for_one', 'one_for_all', 'rest_for_one'] as const).flatMap((strategy) =>
  (['permanent', 'transient', 'temporary'] as const).map((restart) => [strategy, restart] as const),
);

const abc = [w('a'), w('b'), w('c')];

export const restartCases: readonly Case[] = [
  typeCase(45, 'permanent', 'normal', 'permanent'),
  typeCase(46, 'permanent', 'shutdown', 'permanent'),
  typeCase(47, 'permanent', 'error', 'permanent'),
  typeCase(48, 'transient', 'normal', 'ended'),
  typeCase(49, 'transient', 'shutdown', 'ended'),
  { ...typeCase(50, 'transient', 'error', 'permanent') },
  typeCase(51, 'temporary', 'normal', 'gone'),
  typeCase(52, 'temporary', 'shutdown', 'gone'),
  typeCase(53, 'temporary', 'error', 'gone'),
  {
    number: 54,
    source: 'temporary_bystander',
    run: forEach(['one_for_all', 'rest_for_one'] as const, async (b, strategy) => {
      await b.start({ strategy, children: [w('a'), w('b', { restart: 'temporary' })] });
      await b.tell('a', 'explode');
      expect([b.lives, b.children]).toEqual([true, ['a running']]);
    }),
  },
  {
    number: 55,
    source: 'do_not_save_child_specs_for_temporary_children',
    run: forEach(SAVED_OR_NOT, async (b, [strategy, restart]) => {
      await b.start({ strategy, intensity: 100 });
      for (const how of ['finish', 'explode', 'terminate']) {
        await b.sup.startChild(w('x', { restart }));
        if (how === 'terminate') await b.sup.terminateChild('x');
        else await b.tell('x', how);
        const isKept = b.children.length > 0;
        expect([how, isKept]).toEqual([how, restart !== 'temporary']);
        if (!isKept) continue;
        await b.sup.terminateChild('x');
        await b.sup.deleteChild('x');
      }
    }),
  },
  {
    number: 56,
    source: 'do_not_save_start_parameters_for_temporary_children',
    differs:
      'while it lives the input of a temporary child is kept, since a crash of the host may come before its ' +
      'first turn; after its end nothing of it is',
    run: async (b) => {
      await b.start(dynamic({ restart: 'temporary' }));
      await b.sup.startChild({ id: 'a', input: { name: 'x'.repeat(10_000) } });
      await b.sup.startChild({ id: 'b' });
      await b.tell('a', 'explode');
      expect(b.children).toEqual(['b running']);
      expect(JSON.stringify(b.test.shard.snapshot('sup')).length).toBeLessThan(1_000);
    },
  },
  {
    number: 57,
    source: 'multiple_restarts',
    run: async (b) => {
      await b.start({ intensity: 1, periodMs: 1_000, children: [w('a')] });
      for (let n = 0; n < 4; n++) {
        await b.tell('a', 'explode');
        await b.advance(2_100);
      }
      expect([b.lives, b.restarts('a')]).toEqual([true, [4]]);
    },
  },
  {
    number: 58,
    source: 'one_for_one',
    run: async (b) => {
      await b.start({ children: [w('a'), w('b')] });
      await noted(b, 'b');
      for (let n = 0; n < 2; n++) await b.tell('a', 'explode');
      expect([b.notes('b'), b.restarts('a', 'b')]).toEqual([['note'], [2, 0]]);
      await b.tell('a', 'explode');
      expect(b.lives).toBe(false);
    },
  },
  {
    number: 59,
    source: 'one_for_one_escalation',
    run: async (b) => {
      await b.start({ intensity: 4, children: [initial('a'), w('b')] });
      failing.names.add('a');
      await b.tell('a', 'explode');
      expect([b.lives, failing.tries, b.notes('b')]).toEqual([false, 4, [null]]);
    },
  },
  {
    number: 60,
    source: 'one_for_all',
    run: async (b) => {
      await b.start({ strategy: 'one_for_all', children: [w('a'), w('b')] });
      await noted(b, 'a', 'b');
      await b.tell('a', 'explode');
      expect([b.notes('a', 'b'), b.restarts('a', 'b')]).toEqual([
        ['', ''],
        [1, 1],
      ]);
      await b.tell('b', 'finish');
      expect(b.lives).toBe(true);
      await b.tell('a', 'explode');
      expect(b.lives).toBe(false);
    },
  },
  {
    number: 61,
    source: 'one_for_all_escalation',
    run: async (b) => {
      await b.start({ strategy: 'one_for_all', intensity: 4, children: [w('a'), initial('b')] });
      failing.names.add('b');
      await b.tell('a', 'explode');
      expect([b.lives, failing.tries]).toEqual([false, 4]);
    },
  },
  {
    number: 62,
    source: 'one_for_all_other_child_fails_restart',
    run: async (b) => {
      await b.start({ strategy: 'one_for_all', children: [s('a', 0), initial('b')] });
      failing.once.add('b');
      b.heard = [];
      await b.tell('a', 'explode');
      await b.advance(0);
      await b.advance(0);
      expect([b.heard, b.children]).toEqual([
        ['a up', 'a down', 'a up', 'b up'],
        ['a running', 'b running'],
      ]);
    },
  },
  {
    number: 63,
    source: 'rest_for_one',
    run: async (b) => {
      await b.start({ strategy: 'rest_for_one', children: abc });
      await noted(b, 'a', 'b', 'c');
      await b.tell('b', 'explode');
      expect([b.notes('a', 'b', 'c'), b.restarts('a', 'b', 'c')]).toEqual([
        ['note', '', ''],
        [0, 1, 1],
      ]);
      await b.tellAll(['c', 'c'], 'explode');
      expect(b.lives).toBe(false);
    },
  },
  {
    number: 64,
    source: 'rest_for_one_escalation',
    run: async (b) => {
      await b.start({ strategy: 'rest_for_one', intensity: 4, children: [w('a'), initial('b')] });
      failing.names.add('b');
      await b.tell('a', 'explode');
      expect([b.lives, failing.tries]).toEqual([false, 4]);
    },
  },
  {
    number: 65,
    source: 'rest_for_one_other_child_fails_restart',
    run: async (b) => {
      await b.start({ strategy: 'rest_for_one', children: [s('a', 0), initial('b')] });
      failing.once.add('b');
      b.heard = [];
      await b.tell('a', 'explode');
      await b.advance(0);
      expect([b.heard, b.restarts('a', 'b')]).toEqual([
        ['a up', 'b up'],
        [1, 2],
      ]);
    },
  },
  {
    number: 66,
    source: 'simple_one_for_one',
    run: async (b) => {
      await b.start(dynamic({ agent: 'plain', resume: 'initial' }));
      for (const id of ['a', 'b']) await b.sup.startChild({ id, input: { name: `I am ${id}` } });
      await noted(b, 'a', 'b');
      for (let n = 0; n < 2; n++) await b.tell('a', 'explode');
      expect((b.test.shard.snapshot('sup/a')!.context as { name: string }).name).toBe('I am a');
      expect([b.notes('a', 'b'), b.restarts('a', 'b')]).toEqual([
        ['', 'note'],
        [2, 0],
      ]);
      await b.tell('b', 'explode');
      expect(b.lives).toBe(false);
    },
  },
  {
    number: 67,
    source: 'simple_one_for_one_restart_ignore',
    without: 'a start cannot be ignored; a child whose restart ends normally at once is case 7',
  },
  {
    number: 68,
    source: 'tree',
    run: async (b) => {
      await b.start({
        strategy: 'one_for_all',
        children: [
          { id: 'left', boss: { intensity: 0, children: [w('x')] } },
          w('byHand', { restart: 'transient' }),
          { id: 'right', boss: { ...dynamic({}), intensity: 0 } },
        ],
      });
      const right = () => b.boss('sup/right');
      await right().startChild({ id: 'd' });
      await b.sup.terminateChild('byHand');
      await noted(b, 'left/x');
      expect(b.notes('left/x', 'byHand', 'right/d')).toEqual(['note', null, '']);
      await b.tell('right/d', 'explode');
      expect([b.lives, b.notes('left/x', 'byHand', 'right/d')]).toEqual([true, ['', '', null]]);
      expect(right().whichChildren()).toEqual([]);
    },
  },
  {
    number: 70,
    source: 'E child triggers maximum intensity when trying again',
    run: async (b) => {
      await b.start({ intensity: 3, children: [initial('a', { backoff: { minMs: 100, maxMs: 100, jitter: 0 } })] });
      failing.names.add('a');
      await b.tell('a', 'explode');
      await b.advance(1_000);
      expect([b.lives, failing.tries]).toEqual([false, 3]);
    },
  },
  {
    number: 71,
    source: 'N window boundary',
    run: forEach(
      [
        [1_000, false],
        [1_001, true],
      ] as const,
      async (b, [gapMs, survives]) => {
        await b.start({ intensity: 1, periodMs: 1_000, children: [w('a')] });
        await b.tell('a', 'explode');
        await b.advance(gapMs);
        await b.tell('a', 'explode');
        expect(b.lives).toBe(survives);
      },
    ),
  },
  {
    number: 72,
    source: 'P backoff: exponential, reset, most in a row, jitter',
    run: async (b) => {
      const backoff = { minMs: 200, maxMs: 1_000, jitter: 0.2, maxConsecutive: 6 };
      await b.start({ intensity: 100, children: [w('a', { backoff })] });
      const delayMs = async () => {
        const nowMs = b.test.clock.wallMs();
        await b.tell('a', 'explode');
        const { restartAtMs } = b.sup.whichChildren()[0]!;
        await b.advance(restartAtMs! - nowMs);
        expect(b.children).toEqual(['a running']);
        return restartAtMs! - nowMs;
      };
      for (const ms of [200, 400, 800, 1_000])
        expect(await delayMs()).toSatisfy((delay: number) => delay >= ms && delay <= ms * 1.2);
      await b.advance(600);
      for (const ms of [200, 400, 800, 1_000, 1_000, 1_000])
        expect(await delayMs()).toSatisfy((delay: number) => delay >= ms && delay <= ms * 1.2);
      await b.tell('a', 'explode');
      expect(b.lives).toBe(false);
    },
  },
];
