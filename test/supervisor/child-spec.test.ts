import { describe, expect, it } from 'vitest';
import { parseBossSpec, parseChildSpec } from '../../src/supervisor/child-spec.ts';

const invalid = (message: RegExp): unknown =>
  expect.objectContaining({ code: 'BOSUN_CHILD_SPEC_INVALID', message: expect.stringMatching(message) as string });

describe('a child spec', () => {
  it('needs an id and an agent; all other fields have defaults', () => {
    expect(parseChildSpec({ id: 'a', agent: 'worker' })).toEqual({
      id: 'a',
      agent: 'worker',
      restart: 'permanent',
      resume: 'committed',
    });
  });

  it('a child spec of a Boss holds the options of a tree', () => {
    expect(parseChildSpec({ id: 'b', boss: { intensity: 1 } })).toEqual({
      id: 'b',
      restart: 'permanent',
      boss: { strategy: 'one_for_one', intensity: 1, periodMs: 5_000, escalates: true, children: [] },
    });
  });

  it.each([
    [{}, false],
    [{ maxChildren: undefined, children: [] }, false],
    [{ strategy: 'one_for_one' }, true],
    [{ intensity: 3 }, true],
    [{ periodMs: 5_000 }, true],
    [{ intensity: 3, escalates: false }, false],
    [{ escalates: true }, true],
  ] as const)('a Boss with %o escalates: %s, also when its completed form is read again (S5)', (boss, escalates) => {
    const spec = parseBossSpec(boss);
    expect([spec.escalates, parseBossSpec({ ...spec }).escalates]).toEqual([escalates, escalates]);
  });

  it.each(['one_for_all', 'rest_for_one'] as const)('a Boss with the strategy %s must escalate (S5)', (strategy) => {
    expect(() => parseBossSpec({ strategy, escalates: false })).toThrow(/escalates: .* restart together/);
  });

  it('completes a partial backoff with defaults', () => {
    expect(parseChildSpec({ id: 'a', agent: 'worker', backoff: { minMs: 5 } }).backoff).toEqual({
      minMs: 5,
      maxMs: 30_000,
      factor: 2,
      jitter: 0.2,
    });
  });

  it.each([
    [{ agent: 'worker' }, /id/],
    [{ id: '', agent: 'worker' }, /id/],
    [{ id: 'not an address', agent: 'worker' }, /^child spec: id: an id must be letters.*segments/],
    [{ id: 'a' }, /agent/],
    [{ id: 'a', agent: 'worker', restart: 'sometimes' }, /restart/],
    [{ id: 'a', agent: 'worker', resume: 'half' }, /resume/],
    [{ id: 'a', agent: 'worker', retries: 3 }, /retries/],
    [{ id: 'a', agent: 'worker', backoff: { factor: 0.5 } }, /backoff\.factor/],
    [{ id: 'a', agent: 'worker', reportTo: 'me' }, /reportTo/],
    [{ id: 'b', boss: {}, resume: 'committed' }, /resume/],
    [{ id: 'b', boss: { strategy: 'all_for_none' } }, /strategy/],
    [{ id: 'b', boss: { intensity: -1 } }, /boss\.intensity/],
    [{ id: 'b', boss: { periodMs: 0 } }, /boss\.periodMs/],
    [{ id: 'b', boss: { periodMs: Infinity } }, /boss\.periodMs/],
    [
      {
        id: 'b',
        boss: {
          children: [
            { id: 'a', agent: 'worker' },
            { id: 'a', boss: {} },
          ],
        },
      },
      /two children with the id "a"/,
    ],
    ['worker', /child spec/],
  ])('is refused with the name of the field: %j', (options, message) => {
    expect(() => parseChildSpec(options)).toThrow(invalid(message) as Error);
  });

  it('is refused with its place in the tree', () => {
    const tree = {
      children: [
        { id: 'a', agent: 'worker' },
        { id: 'b', boss: { children: [{ id: 'c' }] } },
      ],
    };
    expect(() => parseBossSpec(tree)).toThrow(invalid(/children\[1\]\.boss\.children\[0\]\.agent/) as Error);
  });
});
