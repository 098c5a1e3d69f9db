/**
 * Options of programs without types: whatever is written for one is taken, or refused with a code and its place. No
 * error of the engine reaches a host.
 */
import { createMachine, fromPromise, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AGENT_RULES } from '../../../src/actors/api/agent-rules.ts';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { effectPolicy } from '../../../src/actors/model/effect-policy.ts';
import { isBosunError } from '../../../src/errors.ts';
import { memoryStore } from '../../../src/persistence/store/memory-store.ts';
import { createSystem } from '../../../src/system.ts';

const machine = setup({
  actors: { fetch: fromPromise(async () => 1) },
  actions: { mail: () => {} },
  delays: { soon: 5 },
}).createMachine({ on: { go: { actions: 'mail' } }, invoke: { src: 'fetch' }, after: { soon: {} } });

const ODD: readonly unknown[] = [
  null,
  true,
  0,
  1,
  -1,
  1.5,
  Number.NaN,
  Infinity,
  1n,
  '',
  '100',
  Symbol('s'),
  [],
  [1],
  [null],
  {},
  { a: 1 },
  { a: null },
  { a: {} },
  { a: { a: 1 } },
  { ['__proto__']: 1 },
  JSON.parse('{ "__proto__": { "a": 1 } }'),
  Object.create(null),
  () => {},
  new Date(0),
  new Map(),
  z.object({}),
  z.string(),
  machine,
];

/** Places of options within options. */
const PLACES: readonly string[] = [
  ...Object.keys(AGENT_RULES),
  'events.go',
  'migrate.2',
  'migrateChildren.fetch',
  'migrateChildren.fetch.2',
  'previous.0',
  'limits.mailboxMessages',
  'limits.overflow',
  'shown.context',
  'shown.emitted',
  'shown.emitted.done',
  'priorities.go',
  'trace.keep',
  'records.notes',
  'records.notes.schema',
  'records.notes.keep',
  'records.notes.keep.count',
  'records.notes.keep.days',
  'keep',
  'keep.ended',
  'keep.ended.count',
  'keep.ended.days',
  'records.notes.keys',
  'records.notes.keys.by',
  ...['effects.fetch', 'actions.mail'].flatMap((place) => [
    place,
    `${place}.timeoutMs`,
    `${place}.retry`,
    `${place}.retry.attempts`,
    `${place}.retry.retryIf`,
    `${place}.retry.backoff`,
    ...['minMs', 'maxMs', 'factor', 'jitter'].map((key) => `${place}.retry.backoff.${key}`),
  ]),
  'effects.fetch.heartbeatMs',
  'actions.mail.durable',
  'timers.restore',
  'timers.restore.soon',
  'timers.restoreDefault',
  ...['', '.cron', '.timezone', '.event', '.event.type', '.catchUp', '.max'].map((key) => `schedules.daily${key}`),
];

/** Options with a value at a place; what must stand beside it is sound. */
function optionsWith(place: string, value: unknown): object {
  const sound = {
    name: 'desk',
    machine,
    events: { go: z.object({}) },
    version: 2,
    actions: { mail: { durable: true } },
    schedules: { daily: { cron: '@daily', event: { type: 'go' } } },
  };
  const options: Record<string, unknown> = { ...sound };
  let at = options;
  const path = place.split('.');
  for (const key of path.slice(0, -1)) at = (at[key] = { ...(at[key] as object) }) as Record<string, unknown>;
  at[path.at(-1)!] = value;
  if (Array.isArray(value) || path[0] !== 'previous' || path.length === 1) return options;
  return { ...options, previous: [value] };
}

function outcomeOf(call: () => unknown): unknown {
  try {
    call();
    return 'taken';
  } catch (error) {
    return isBosunError(error) ? error.code : error;
  }
}

describe('an option of an agent (class D)', () => {
  it.each(PLACES)('is taken or refused with a code, whatever its value: %s', (place) => {
    for (const value of ODD) {
      const outcome = outcomeOf(() => defineAgent(optionsWith(place, value) as never));
      expect([place, value, outcome]).toEqual([place, value, outcome === 'taken' ? 'taken' : 'BOSUN_AGENT_INVALID']);
    }
  });

  it('is refused if it is a number as a text, or no number', () => {
    const refused = ['100', '0', '1', null, true, 1n, Number.NaN, -1, {}, [5]];
    const numbers = ['timeoutMs', 'retry.attempts', ...['minMs', 'maxMs', 'factor', 'jitter'].map(backoff)];
    const places = [
      'limits.mailboxMessages',
      'trace.keep',
      'records.notes.keep.count',
      'records.notes.keep.days',
      'keep.ended.days',
      'schedules.daily.max',
      'effects.fetch.heartbeatMs',
      ...numbers.flatMap((number) => [`effects.fetch.${number}`, `actions.mail.${number}`]),
    ];
    for (const place of places) {
      for (const value of refused) {
        const define = () => defineAgent(optionsWith(place, value) as never);
        expect([place, value, outcomeOf(define)]).toEqual([place, value, 'BOSUN_AGENT_INVALID']);
      }
    }
    expect(() => effectPolicy({ timeoutMs: '100' as never })).toThrow('timeoutMs must be a number above 0');
  });

  it('is refused with its place if it is a machine with a state that is named __proto__', () => {
    const named = (key: string, extra: object = {}) =>
      createMachine({
        id: 'm',
        initial: 'a',
        states: JSON.parse(`{ "a": {}, "${key}": {} }`) as object,
        ...extra,
      } as never);
    for (const machine of [
      named('__proto__'),
      createMachine({
        initial: 'a',
        states: { a: { initial: 'b', states: JSON.parse('{ "b": {}, "__proto__": {} }') } },
      } as never),
    ])
      expect(() => defineAgent({ name: 'desk', machine, events: {} })).toThrow(
        expect.objectContaining({
          code: 'BOSUN_AGENT_INVALID',
          message: expect.stringMatching(/a state must not be named "__proto__"/) as string,
        }),
      );
    const outer = setup({ actors: { inner: named('__proto__') } }).createMachine({ invoke: { src: 'inner' } });
    expect(() => defineAgent({ name: 'desk', machine: outer, events: {} })).toThrow('in inner: ');
  });
});

function backoff(key: string): string {
  return `retry.backoff.${key}`;
}

const SYSTEM_PLACES = [
  'agents',
  'agents.0',
  'resolveAgent',
  'store',
  'durability',
  'outageMs',
  'journal',
  'journal.fold',
  'recoverTo',
  'secretKey',
  'previousSecretKeys',
  'tree',
  'tree.children',
  'tree.intensity',
  'tree.periodMs',
  'tree.strategy',
  'tree.backoff',
  'tree.backoff.minMs',
  'tree.maxChildren',
  'clock',
  'random',
  'scrub',
  'scrub.intervalMs',
  'scrub.records',
  'hold',
  'residentActors',
  'epochMs',
  'trustWallClock',
  'caution',
  'stepEngine',
  'turnOrder',
  'log',
];

describe('an option of a system (class D)', () => {
  it.each(SYSTEM_PLACES)('is taken or refused with a code, whatever its value: %s', (place) => {
    for (const value of ODD) {
      const options: Record<string, unknown> = { agents: [], store: memoryStore(), log: () => {} };
      const [key, inner] = place.split('.') as [string, string?];
      options[key] = inner === undefined ? value : key === 'agents' ? [value] : { [inner]: value };
      const outcome = outcomeOf(() => createSystem(options as never));
      const codes = ['taken', 'BOSUN_CONFIG_INVALID', 'BOSUN_CHILD_SPEC_INVALID', 'BOSUN_AGENT_UNKNOWN'];
      expect([place, value, codes.includes(outcome as string) || outcome]).toEqual([place, value, true]);
    }
  });

  it('is refused if it is a number as a text, or no number', () => {
    for (const place of ['outageMs', 'residentActors', 'epochMs', 'recoverTo']) {
      for (const value of ['100', null, true, 1n, Number.NaN, -1, {}, [5]]) {
        const create = () => createSystem({ agents: [], store: memoryStore(), [place]: value } as never);
        expect([place, value, outcomeOf(create)]).toEqual([place, value, 'BOSUN_CONFIG_INVALID']);
      }
    }
  });

  it.each(['count', 'module', 'exported', 'directory', 'intensity', 'periodMs', 'resourceLimits', 'execArgv'])(
    'is taken or refused with a code, whatever its value: workers.%s',
    (place) => {
      for (const value of ODD) {
        const workers = { count: 1, module: new URL('file:///agents.js'), directory: 'd', [place]: value };
        const outcome = outcomeOf(() => createSystem({ workers } as never));
        expect([place, value, outcome]).toEqual([place, value, outcome === 'taken' ? 'taken' : 'BOSUN_CONFIG_INVALID']);
      }
    },
  );

  it('is refused if it is the intensity of workers, and is a text, or negative', () => {
    for (const intensity of ['3', -1, 1.5, Number.NaN, null])
      expect(
        outcomeOf(() =>
          createSystem({ workers: { count: 1, module: 'file:///a.js', directory: 'd', intensity } } as never),
        ),
      ).toBe('BOSUN_CONFIG_INVALID');
  });
});
