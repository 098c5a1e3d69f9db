/** Cases 1 to 36: starts, validation, stops. */
import { expect } from 'vitest';
import { parseBossSpec, parseChildSpec } from '../../../src/supervisor/child-spec.ts';
import { type Case, codeOf } from '../../support/supervisor/otp/bench.ts';
import { dynamic, failing, s, w } from '../../support/supervisor/otp/cast.ts';

const NO_INIT = 'a Boss is options, not a callback module: there is no init that could answer so';
const NO_IGNORE =
  'there is no `ignore`: a child whose initial state is final takes its place; it has ended normally, and its ' +
  'restart type says what follows';
const NO_SYSTEM = 'reads specs; there is no system';

function problem(parse: () => unknown): string {
  try {
    parse();
    return 'fine';
  } catch (error) {
    return (error as Error).message.replaceAll(/\s+/g, ' ');
  }
}

export const startCases: readonly Case[] = [
  {
    number: 1,
    source: 'sup_start_normal',
    run: async (b) => {
      await b.start({});
      expect(b.sup.countChildren()).toEqual({ specs: 0, active: 0, supervisors: 0, workers: 0 });
      await b.root.terminateChild('sup');
      expect(b.lives).toBe(false);
    },
  },
  { number: 2, source: 'sup_start_ignore_init', without: NO_INIT },
  {
    number: 3,
    source: 'sup_start_ignore_child',
    differs: NO_IGNORE,
    run: async (b) => {
      await b.start({});
      await b.sup.startChild({ id: 'a', agent: 'over', restart: 'transient' });
      await b.sup.startChild(w('b'));
      expect(b.children).toEqual(['a ended', 'b running']);
      expect(b.sup.countChildren()).toEqual({ specs: 2, active: 1, supervisors: 0, workers: 2 });
    },
  },
  {
    number: 4,
    source: 'sup_start_ignore_temporary_child',
    differs: NO_IGNORE,
    run: async (b) => {
      await b.start({ children: [{ id: 'a', agent: 'over', restart: 'temporary' }, w('b')] });
      expect(b.sup.countChildren()).toEqual({ specs: 1, active: 1, supervisors: 0, workers: 1 });
    },
  },
  {
    number: 5,
    source: 'sup_start_ignore_temporary_child_start_child',
    differs: NO_IGNORE,
    run: async (b) => {
      await b.start({});
      await b.sup.startChild({ id: 'a', agent: 'over', restart: 'temporary' });
      await b.sup.startChild(w('b'));
      expect(b.sup.countChildren()).toEqual({ specs: 1, active: 1, supervisors: 0, workers: 1 });
    },
  },
  {
    number: 6,
    source: 'sup_start_ignore_temporary_child_start_child_simple',
    differs: NO_IGNORE,
    run: async (b) => {
      await b.start(dynamic({ agent: 'over', restart: 'temporary' }));
      await b.sup.startChild();
      expect(b.children).toEqual([]);
    },
  },
  {
    number: 7,
    source: 'sup_start_ignore_permanent_child_start_child_simple',
    differs: NO_IGNORE,
    run: async (b) => {
      await b.start(dynamic({ agent: 'over', restart: 'transient' }));
      await b.sup.startChild({ id: 'a' });
      expect(b.children).toEqual([]);
      await b.root.terminateChild('sup');
      expect([b.lives, b.root.whichChildren()]).toEqual([false, []]);
    },
  },
  { number: 8, source: 'sup_start_error_return', without: NO_INIT },
  { number: 9, source: 'sup_start_fail', without: NO_INIT },
  {
    number: 10,
    source: 'sup_start_restart_child_returns_error',
    run: async (b) => {
      await b.start({ children: [w('a', { input: { name: 'a' } })] });
      await b.sup.terminateChild('a');
      failing.names.add('a');
      expect(await codeOf(b.sup.restartChild('a'))).toBe('BOSUN_START_FAILED');
      expect([b.children, b.lives]).toEqual([['a ended'], true]);
    },
  },
  {
    number: 11,
    source: 'sup_start_child_returns_error',
    run: async (b) => {
      await b.start({ intensity: 0 });
      failing.names.add('a');
      expect(await codeOf(b.sup.startChild(w('a', { input: { name: 'a' } })))).toBe('BOSUN_START_FAILED');
      expect([b.children, b.lives, failing.tries]).toEqual([[], true, 1]);
    },
  },
  {
    number: 12,
    source: 'sup_start_child_returns_error_simple',
    run: async (b) => {
      await b.start(dynamic({}, { intensity: 0 }));
      failing.names.add('a');
      expect(await codeOf(b.sup.startChild({ input: { name: 'a' } }))).toBe('BOSUN_START_FAILED');
      expect([b.children, b.lives]).toEqual([[], true]);
    },
  },
  {
    number: 13,
    source: 'sup_start_map',
    run: async (b) => {
      await b.start({ children: [w('a'), { id: 'b', boss: {} }] });
      expect(b.sup.getChildSpec('a')).toMatchObject({ restart: 'permanent', shutdownMs: 5_000, significant: false });
      expect(b.sup.getChildSpec('b')).toMatchObject({
        restart: 'permanent',
        shutdownMs: 'infinity',
        significant: false,
      });
      expect(problem(() => b.sup.getChildSpec('c'))).toContain('not_found');
    },
  },
  {
    number: 14,
    source: 'sup_start_map_simple',
    differs: 'dynamic children are known by an id, not by a process',
    run: async (b) => {
      await b.start(dynamic({ shutdownMs: 7 }));
      const address = await b.sup.startChild();
      expect(address).toBe('sup/0');
      expect(b.sup.getChildSpec('0')).toMatchObject({ agent: 'plain', shutdownMs: 7 });
      expect(problem(() => b.sup.getChildSpec('stranger'))).toContain('not_found');
    },
  },
  {
    number: 15,
    source: 'sup_start_map_faulty_specs',
    differs: 'an unknown key is refused, since it is most often a misspelling',
    run: async (b) => {
      await b.start({});
      for (const [spec, field] of [
        [{ agent: 'plain' }, 'id'],
        [{ id: 'a' }, 'agent'],
        [{ ...(w('a') as object), silly: 1 }, 'silly'],
        [7, 'expected object'],
      ] as const) {
        const failure = await b.sup.startChild(spec as never).catch((error: Error) => error.message);
        expect(failure).toContain(field);
      }
      expect(b.children).toEqual([]);
    },
  },
  {
    number: 16,
    source: 'faulty_application_shutdown',
    differs:
      'a declared child that cannot start is tried again within the intensity of its Boss, then the tree ends; a ' +
      'system that has run for a year must not die of one start',
    run: async (b) => {
      await b.start({ intensity: 2 });
      failing.names.add('bad');
      failing.tries = 0;
      await b.sup.startChild({
        id: 'team',
        restart: 'transient',
        boss: { intensity: 3, children: [w('good'), w('bad', { input: { name: 'bad' } })] },
      });
      expect([failing.tries, b.children]).toEqual([4, ['team ended']]);
    },
  },
  {
    number: 17,
    source: 'already_started_outside_supervisor',
    run: async (b) => {
      await b.start({ children: [w('a', { systemId: 'only' })] });
      expect(await codeOf(b.sup.startChild(w('b', { systemId: 'only' })))).toBe('BOSUN_CHILD_SPEC_INVALID');
      expect(b.children).toEqual(['a running']);
    },
  },
  {
    number: 18,
    source: 'extra_return',
    without: 'a start gives nothing but the address; what else a child has to say is in its snapshot',
  },
  {
    number: 19,
    source: 'child_specs',
    uncut: NO_SYSTEM,
    run: async () => {
      const fields = { restart: 'sometimes', shutdownMs: -10, resume: 'later', agent: 7, backoff: 5 };
      for (const [field, value] of Object.entries(fields))
        expect(problem(() => parseChildSpec({ id: 'a', agent: 'plain', [field]: value }))).toContain(field);
      expect(problem(() => parseBossSpec({ children: [{ id: 'a' }] }))).toMatch(/^tree: .*children/);
      return Promise.resolve();
    },
  },
  {
    number: 20,
    source: 'child_specs_map',
    uncut: NO_SYSTEM,
    run: async () => {
      for (const autoShutdown of [undefined, 'never', 'any_significant', 'all_significant'] as const)
        for (const restart of [undefined, 'permanent', 'transient', 'temporary'] as const)
          for (const shutdownMs of [undefined, 'brutal_kill', 'infinity', 0, 7] as const)
            for (const kind of [{ agent: 'plain' }, { boss: {} }])
              for (const significant of [undefined, false, true]) {
                const isBad =
                  significant === true &&
                  (autoShutdown === undefined ||
                    autoShutdown === 'never' ||
                    restart === undefined ||
                    restart === 'permanent');
                const spec = {
                  id: 'a',
                  ...kind,
                  ...(restart && { restart }),
                  ...(shutdownMs !== undefined && { shutdownMs }),
                  ...(significant !== undefined && { significant }),
                };
                const found = problem(() => parseBossSpec({ ...(autoShutdown && { autoShutdown }), children: [spec] }));
                expect([spec, autoShutdown, found !== 'fine']).toEqual([spec, autoShutdown, isBad]);
                if (isBad) expect(found).toContain('significant');
              }
      return Promise.resolve();
    },
  },
  {
    number: 21,
    source: 'child_specs (duplicate id)',
    uncut: NO_SYSTEM,
    run: async () => {
      expect(problem(() => parseBossSpec({ children: [w('a'), w('a')] }))).toContain('two children with the id "a"');
      return Promise.resolve();
    },
  },
  {
    number: 22,
    source: 'simple_one_for_one needs exactly one',
    uncut: NO_SYSTEM,
    run: async () => {
      expect(problem(() => parseBossSpec({ strategy: 'dynamic' }))).toContain('template');
      expect(problem(() => parseBossSpec({ ...dynamic({}), children: [w('a')] }))).toContain('children');
      expect(problem(() => parseBossSpec({ ...dynamic({}), strategy: 'one_for_one' }))).toContain('template');
      return Promise.resolve();
    },
  },
  {
    number: 23,
    source: 'sup_flags',
    differs: 'an unknown flag is refused',
    uncut: NO_SYSTEM,
    run: async () => {
      const flags = { strategy: 'all_for_one', intensity: Infinity, periodMs: 0, autoShutdown: 'maybe', silly: true };
      for (const [flag, value] of Object.entries(flags))
        expect(problem(() => parseBossSpec({ [flag]: value }))).toContain(flag);
      expect([problem(() => parseBossSpec({ periodMs: Infinity })), problem(() => parseBossSpec('one'))]).not.toContain(
        'fine',
      );
      return Promise.resolve();
    },
  },
  {
    number: 24,
    source: 'significant_simple',
    uncut: NO_SYSTEM,
    run: async () => {
      for (const autoShutdown of ['any_significant', 'all_significant'] as const)
        expect(problem(() => parseBossSpec(dynamic({}, { autoShutdown })))).toContain('autoShutdown');
      expect(problem(() => parseBossSpec(dynamic({ restart: 'temporary', significant: true })))).toContain(
        'significant',
      );
      expect(problem(() => parseBossSpec(dynamic({}, { autoShutdown: 'never' })))).toBe('fine');
      return Promise.resolve();
    },
  },
];

export const stopCases: readonly Case[] = [
  {
    number: 25,
    source: 'sup_stop_infinity',
    run: async (b) => {
      await b.start({
        children: [
          s('a', 100_000, { shutdownMs: 'infinity' }),
          { id: 'b', boss: { children: [s('c', 50_000, { shutdownMs: 'infinity' })] } },
        ],
      });
      await b.begin(() => b.root.terminateChild('sup'));
      await b.advance(149_999);
      expect(b.lives).toBe(true);
      await b.advance(1);
      expect([b.lives, b.heard.filter((word) => word.endsWith('down'))]).toEqual([false, ['b/c down', 'a down']]);
    },
  },
  {
    number: 26,
    source: 'sup_stop_timeout',
    run: async (b) => {
      await b.start({ children: [s('a', 10, { shutdownMs: 1_000 }), s('b', 200_000, { shutdownMs: 1_000 })] });
      await b.begin(() => b.root.terminateChild('sup'));
      await b.advance(999);
      expect([b.children, b.heard.includes('a down')]).toEqual([['a running', 'b stopping'], false]);
      await b.advance(1);
      expect([b.children, b.heard.includes('a down')]).toEqual([['a stopping', 'b ended'], true]);
      await b.advance(10);
      expect(b.lives).toBe(false);
    },
  },
  {
    number: 27,
    source: 'sup_stop_timeout_dynamic',
    run: async (b) => {
      await b.start(dynamic({ agent: 'slow', shutdownMs: 1_000 }));
      await b.sup.startChild({ input: { name: 'a', ms: 10 } });
      await b.sup.startChild({ input: { name: 'b', ms: 200_000 } });
      await b.begin(() => b.root.terminateChild('sup'));
      await b.advance(999);
      expect(b.lives).toBe(true);
      await b.advance(1);
      expect(b.lives).toBe(false);
    },
  },
  {
    number: 28,
    source: 'sup_stop_brutal_kill',
    run: async (b) => {
      await b.start({ children: [s('a', 0), s('b', 200_000, { shutdownMs: 'brutal_kill' })] });
      await b.begin(() => b.root.terminateChild('sup'));
      await b.advance(0);
      expect([b.lives, b.heard.filter((word) => word.endsWith('down'))]).toEqual([false, ['a down']]);
    },
  },
  {
    number: 29,
    source: 'sup_stop_brutal_kill_dynamic',
    run: async (b) => {
      await b.start(dynamic({ agent: 'slow', shutdownMs: 'brutal_kill' }));
      for (let n = 0; n < 10; n++) await b.sup.startChild();
      await b.root.terminateChild('sup');
      expect([b.lives, b.heard.filter((word) => word.endsWith('down'))]).toEqual([false, []]);
    },
  },
  {
    number: 30,
    source: 'sup_stop_race',
    run: async (b) => {
      const restarts = ['permanent', 'transient', 'temporary'];
      const ids = restarts.flatMap((restart) => ['finish', 'explode'].map((how) => `${restart}-${how}`));
      await b.start({
        intensity: 100,
        children: [...ids.map((id) => w(id, { restart: id.split('-')[0] })), s('last', 1_000)],
      });
      await b.begin(() => b.root.terminateChild('sup'));
      for (const id of ids) await b.tell(id, id.split('-')[1]!);
      expect(b.restarts(...ids)).toEqual(ids.map(() => 0));
      await b.advance(1_000);
      expect(b.lives).toBe(false);
    },
  },
  {
    number: 31,
    source: 'sup_stop_non_shutdown_exit_dynamic',
    run: async (b) => {
      await b.start(dynamic({ agent: 'slow' }));
      await b.sup.startChild({ id: 'a', input: { name: 'a', ms: 1_000 } });
      await b.begin(() => b.root.terminateChild('sup'));
      await b.tell('a', 'explode');
      expect(b.lives).toBe(false);
    },
  },
  {
    number: 32,
    source: 'simple_one_for_one_shutdown',
    run: async (b) => {
      await b.start(dynamic({ agent: 'slow', shutdownMs: 2_000 }));
      for (const ms of [1_000, 1_000, 5_000]) await b.sup.startChild({ input: { name: 'x', ms } });
      await b.begin(() => b.root.terminateChild('sup'));
      await b.advance(1_999);
      expect(b.lives).toBe(true);
      await b.advance(1);
      expect(b.lives).toBe(false);
    },
  },
  {
    number: 33,
    source: 'order_of_children',
    run: async (b) => {
      const ids = ['e', 'b', 'd', 'a', 'c'];
      await b.start({ strategy: 'rest_for_one', children: ids.map((id) => s(id, 0)) });
      b.heard = [];
      await b.tell('d', 'explode');
      await b.advance(0);
      await b.advance(0);
      expect(b.heard).toEqual(['c down', 'a down', 'd up', 'a up', 'c up']);
      b.heard = [];
      await b.begin(() => b.root.terminateChild('sup'));
      for (let n = 0; n < 5; n++) await b.advance(0);
      expect(b.heard).toEqual(['c', 'a', 'd', 'b', 'e'].map((id) => `${id} down`));
      expect(b.lives).toBe(false);
    },
  },
  { number: 34, source: 'child_unlink', without: 'a child belongs to its Boss and cannot leave it' },
  {
    number: 35,
    source: 'R killing a supervisor',
    run: async (b) => {
      await b.start({ children: [w('a'), s('b', 1_000)] }, { shutdownMs: 'brutal_kill' });
      await b.root.terminateChild('sup');
      expect([b.lives, b.notes('a', 'b')]).toEqual([false, [null, null]]);
    },
  },
  {
    number: 36,
    source: 'R no post_stop of children on kill',
    run: async (b) => {
      await b.start({ children: [s('a', 0)] }, { shutdownMs: 'brutal_kill' });
      await b.root.terminateChild('sup');
      expect([b.lives, b.heard]).toEqual([false, ['a up']]);
    },
  },
];
