/** Cases 37 to 44: start_child and its kin. */
import { expect } from 'vitest';
import { type Case, codeOf, forEach } from '../../support/supervisor/otp/bench.ts';
import { dynamic, failing, s, w } from '../../support/supervisor/otp/cast.ts';

const fails = (id: string) => w(id, { input: { name: id }, resume: 'initial' });

export const adminCases: readonly Case[] = [
  {
    number: 37,
    source: 'child_adm',
    run: async (b) => {
      await b.start({ children: [w('a')] });
      expect(await codeOf(b.sup.startChild(w('a')))).toBe('BOSUN_CHILD_RUNNING');
      expect(await codeOf(b.sup.terminateChild('x'))).toBe('BOSUN_CHILD_UNKNOWN');
      expect(await codeOf(b.sup.restartChild('a'))).toBe('BOSUN_CHILD_RUNNING');
      expect(await codeOf(b.sup.deleteChild('a'))).toBe('BOSUN_CHILD_RUNNING');
      expect([await codeOf(b.sup.terminateChild('a')), await codeOf(b.sup.terminateChild('a'))]).toEqual([
        'done',
        'done',
      ]);
      expect(await codeOf(b.sup.startChild(w('a')))).toBe('BOSUN_CHILD_PRESENT');
      expect(await codeOf(b.sup.restartChild('a'))).toBe('done');
      expect(await codeOf(b.sup.restartChild('a'))).toBe('BOSUN_CHILD_RUNNING');
      await b.sup.terminateChild('a');
      expect([
        await codeOf(b.sup.deleteChild('a')),
        await codeOf(b.sup.deleteChild('a')),
        await codeOf(b.sup.restartChild('a')),
      ]).toEqual(['done', 'BOSUN_CHILD_UNKNOWN', 'BOSUN_CHILD_UNKNOWN']);
      expect([await codeOf(b.sup.startChild(w('a'))), b.restarts('a')]).toEqual(['done', [0]]);
    },
  },
  {
    number: 38,
    source: 'child_adm_simple',
    differs: 'dynamic children are known by an id, by which they are terminated',
    run: async (b) => {
      await b.start(dynamic({}));
      await b.sup.startChild({ id: 'a' });
      expect(await codeOf(b.sup.restartChild('a'))).toBe('BOSUN_CHILD_DYNAMIC');
      expect(await codeOf(b.sup.deleteChild('a'))).toBe('BOSUN_CHILD_DYNAMIC');
      expect([await codeOf(b.sup.terminateChild('a')), await codeOf(b.sup.terminateChild('a')), b.children]).toEqual([
        'done',
        'BOSUN_CHILD_UNKNOWN',
        [],
      ]);
    },
  },
  {
    number: 39,
    source: 'which_children',
    differs: 'in the order of the starts; OTP has the last one first',
    run: async (b) => {
      await b.start({ children: [w('a'), { id: 'b', boss: {} }] });
      const list = () =>
        b.sup.whichChildren().map(({ id, address, kind, status }) => [id, address, kind, status].join(' '));
      expect(list()).toEqual(['a sup/a worker running', 'b sup/b supervisor running']);
      await b.sup.terminateChild('a');
      expect(list()).toEqual(['a sup/a worker ended', 'b sup/b supervisor running']);
      await b.sup.deleteChild('a');
      expect(list()).toEqual(['b sup/b supervisor running']);
    },
  },
  {
    number: 40,
    source: 'which_children_simple_one_for_one',
    run: async (b) => {
      await b.start(dynamic({}));
      for (const id of ['a', 'b']) await b.sup.startChild({ id });
      expect(b.children).toEqual(['a running', 'b running']);
      await b.sup.terminateChild('a');
      expect(b.children).toEqual(['b running']);
    },
  },
  {
    number: 41,
    source: 'count_children',
    run: async (b) => {
      await b.start(dynamic({ restart: 'temporary' }, { intensity: 0 }));
      const count = b.many(1_000);
      const ids = Array.from({ length: count }, (_, index) => `n${index}`);
      await b.together(() => ids.map((id) => b.sup.startChild({ id })));
      expect(b.sup.countChildren()).toEqual({ specs: count, active: count, supervisors: 0, workers: count });
      await b.tellAtOnce(ids, 'choke');
      expect(b.sup.countChildren()).toEqual({ specs: 0, active: 0, supervisors: 0, workers: 0 });
    },
  },
  {
    number: 42,
    source: 'count_restarting_children',
    differs:
      'OTP tries again at once for ever within the intensity; here a backoff keeps the children restarting long ' +
      'enough to be counted',
    run: async (b) => {
      const backoff = { minMs: 100, maxMs: 100, jitter: 0 };
      await b.start({
        intensity: 100,
        children: ['a', 'b', 'c'].map((id) => w(id, { input: { name: id }, resume: 'initial', backoff })),
      });
      failing.names.add('a').add('b');
      await b.tellAll(['a', 'b'], 'explode');
      await b.advance(150);
      expect(b.sup.countChildren()).toEqual({ specs: 3, active: 1, supervisors: 0, workers: 3 });
      failing.names.clear();
      await b.advance(100);
      expect(b.sup.countChildren().active).toBe(3);
      for (const [left, id] of [
        [2, 'a'],
        [1, 'b'],
        [0, 'c'],
      ] as const) {
        await b.sup.terminateChild(id);
        expect(b.sup.countChildren().active).toBe(left);
      }
    },
  },
  {
    number: 43,
    source: 'E max_children',
    run: async (b) => {
      await b.start(dynamic({ backoff: { minMs: 1_000, jitter: 0 } }, { maxChildren: 2 }));
      for (const id of ['a', 'b']) await b.sup.startChild({ id });
      await b.tell('a', 'explode');
      expect(b.children).toEqual(['a restarting', 'b running']);
      expect(await codeOf(b.sup.startChild({ id: 'c' }))).toBe('BOSUN_CHILDREN_FULL');
      await b.sup.terminateChild('b');
      expect(await codeOf(b.sup.startChild({ id: 'c' }))).toBe('done');
    },
  },
  {
    number: 44,
    source: 'E terminates restarting child',
    run: async (b) => {
      await b.start({ children: [w('a', { backoff: { minMs: 1_000, jitter: 0 } })] });
      await b.tell('a', 'explode');
      expect(b.children).toEqual(['a restarting']);
      await b.sup.terminateChild('a');
      await b.advance(10_000);
      expect([b.children, b.test.shard.snapshot('sup')?.value]).toEqual([['a ended'], { supervising: 'running' }]);
    },
  },
  {
    number: 69,
    source: 'hanging_restart_loop',
    differs: 'the loop hangs by backoff: a start does not block its Boss',
    run: forEach(['one_for_one', 'rest_for_one', 'one_for_all'] as const, async (b, strategy) => {
      await b.start({
        strategy,
        intensity: 100,
        children: [
          w('first'),
          w('a', { input: { name: 'a' }, resume: 'initial', backoff: { minMs: 100, maxMs: 100, jitter: 0 } }),
          s('z', 0),
        ],
      });
      failing.names.add('a');
      await b.tell('a', 'explode');
      await b.advance(250);
      expect(b.children[1]).toBe('a restarting');
      expect([
        await codeOf(b.sup.startChild(fails('a'))),
        await codeOf(b.sup.restartChild('a')),
        await codeOf(b.sup.deleteChild('a')),
      ]).toEqual(['BOSUN_CHILD_PRESENT', 'BOSUN_CHILD_RESTARTING', 'BOSUN_CHILD_RESTARTING']);
      expect(await codeOf(b.sup.terminateChild('a'))).toBe('done');
      await b.sup.deleteChild('a');
      await b.begin(() => b.root.terminateChild('sup'));
      await b.advance(0);
      expect(b.lives).toBe(false);
    }),
  },
];
