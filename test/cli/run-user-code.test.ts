/**
 * `bosun run` over agents and ports that throw, reject with and give anything: items fail or pause, the run goes on to
 * its end, with a report and an exit code.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LONG } from '../support/effort.ts';
import { Workspace } from '../support/cli/workspace.ts';
import { unhandled } from '../support/unhandled.ts';

let work: Workspace;
beforeEach(() => void (work = new Workspace()));
afterEach(() => work[Symbol.asyncDispose]());

/** Values that do harm when they are read, as an agents module would make them. */
const VALUES = `
  const harm = () => { throw Object.create(null); };
  const traps = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((trap) => [trap, harm]));
  const values = {
    bare: () => Object.create(null),
    proxy: () => new Proxy({}, traps),
    symbol: () => Symbol('s'),
    nothing: () => undefined,
    promise: () => Promise.reject(new Error('inside')),
    holding: () => new Error('e', { cause: Promise.reject(new Error('inside')) }),
    list: () => [Promise.reject(new Error('inside'))],
    then: () => ({ then: harm }),
    getter: () => ({ get a() { return harm(); } }),
    bigint: () => new Map([[1n, () => {}]]),
  };
  const names = Object.keys(values);
`;

const NAMES = ['bare', 'proxy', 'symbol', 'nothing', 'promise', 'holding', 'list', 'then', 'getter', 'bigint'];

const PLAN = `
version: 1
plan: hostile
agents: ./agents.mjs
stages:
  one: { agent: odd, retry: { attempts: 2, backoff: { minMs: 1, maxMs: 2 } } }
  two: { agent: fine, after: [one] }
items: [${NAMES.join(', ')}, sound]
`;

const WAYS = [
  ['throw', 'export function odd(_, { item }) { if (item !== "sound") throw values[item](); return 1; }'],
  ['reject with', 'export async function odd(_, { item }) { if (item !== "sound") throw values[item](); return 1; }'],
  ['give', 'export function odd(_, { item }) { return item === "sound" ? 1 : values[item](); }'],
] as const;

describe('agent functions of a plan', () => {
  it.each(WAYS)('may %s anything: the run goes on to its end, with a report (class D)', LONG, async (way, odd) => {
    const deliver = 'export const ports = { deliver: async () => { throw values.proxy(); } };';
    work.write('agents.mjs', `${VALUES}\n${odd}\nexport async function fine() { return 'fine'; }\n${deliver}`);
    work.write('plan.yaml', PLAN);
    let ended: Awaited<ReturnType<Workspace['run']>> | undefined;
    const left = await unhandled(async () => {
      ended = await work.run('plan.yaml');
    });
    const { code, lines } = ended!;
    expect(left).toEqual([]);
    expect(code).toBe(3);
    expect(lines.at(-1)).toMatchObject({ type: 'plan.paused' });
    expect(lines).toContainEqual(expect.objectContaining({ type: 'task.completed', task: 'sound/two' }));
    const paused = lines.filter(({ type }) => type === 'item.paused').map(({ item }) => item);
    if (way !== 'give') expect([...paused].sort()).toEqual([...NAMES].sort());
    for (const { type, error } of lines) if (type === 'task.failed') expect(error).toMatch(/./);
  });

  it('may stand in a module beside values that do harm when they are read (class D)', LONG, async () => {
    const exports = 'export const odd = values.proxy(); export const other = values.getter();';
    work.write('agents.mjs', `${VALUES}\n${exports}\nexport async function fine() { return 'fine'; }`);
    work.write('plan.yaml', '{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: a, agent: fine }] }');
    const { code } = await work.run('plan.yaml');
    expect(code).toBe(0);
  });

  it.each(['throw Object.create(null);', 'throw new Proxy({}, { get: () => { throw 1; } });'])(
    'are refused with the place in the plan if their module does %s (class D)',
    LONG,
    async (statement) => {
      work.write('agents.mjs', `export async function fine() {}\n${statement}`);
      work.write('plan.yaml', '{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: a, agent: fine }] }');
      const left = await unhandled(async () => {
        const { code, err } = await work.bosun(['run', 'plan.yaml']);
        expect([code, err]).toEqual([2, expect.stringContaining('plan.yaml:1:') as string]);
        expect(err).toContain('cannot be loaded');
      });
      expect(left).toEqual([]);
    },
  );
});
