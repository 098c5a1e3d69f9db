/** The lineage of random runs whose host is cut at random moments: appended to, never changed, and without a circle. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EffectFacts } from '../../../src/actors/model/ref.ts';
import { type LineageEntry } from '../../../src/machines/hub/handoff.ts';
import { type SessionEntry } from '../../../src/machines/hub/session-records.ts';
import { type Role } from '../../../src/machines/hub/roles.ts';
import { handoff, HubRoom, type TestWork } from '../../support/machines/hub-room.ts';
import { endedIn } from '../../../src/machines/rules/records.ts';

/** Spawns of a hub: spokes side by side, or a nested hub with spokes of its own. */
type Move = readonly Role[] | { readonly hub: 'Analyst' | 'Runner'; readonly spokes: readonly Role[] };

const SPOKES: readonly Role[] = ['Executor', 'Reviewer', 'Tester', 'Researcher', 'Architect', 'Cognition'];
const spokes = fc.array(fc.constantFrom(...SPOKES), { minLength: 1, maxLength: 3 });
const move: fc.Arbitrary<Move> = fc.oneof(
  spokes,
  fc.record({ hub: fc.constantFrom('Analyst' as const, 'Runner' as const), spokes }),
);
const story = fc.record({
  moves: fc.array(move, { minLength: 1, maxLength: 4 }),
  /** Writes of the store between two power cuts. */
  cuts: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 4 }),
});

const SAYS: Readonly<Partial<Record<Role, object>>> = {
  Executor: handoff('done', 'Reviewer'),
  Reviewer: handoff('approved', 'Tester', { build: { command: 'make', exitCode: 0 } }),
  Tester: handoff('passed', 'Archivist'),
  Researcher: handoff('complete', 'Architect'),
  Architect: handoff('ready', 'Executor'),
  Cognition: handoff('analysed', 'Executor'),
};

function run(facts: EffectFacts, role: Role, key: string, task: string): Promise<unknown> {
  const event = { type: 'session.spawn', role, task, key, waits: true };
  return facts.ask({ to: facts.parent!, event, timeoutMs: 24 * 60 * 60_000 });
}

/** Spawns the roles of one move side by side. Keys make a repeat after a power cut the same sessions. */
async function spawnAll(facts: EffectFacts, roles: readonly Role[], place: string): Promise<void> {
  await Promise.all(roles.map((role, index) => run(facts, role, `${place}.${index}`, `${place}.${index}`)));
}

function workOf(moves: readonly Move[]): Partial<Record<Role, TestWork>> {
  const nested: TestWork = async ({ role, prompt }, facts) => {
    const place = /move (\d+)/.exec(prompt)![1]!;
    const { spokes: inner } = moves[Number(place)] as { readonly spokes: readonly Role[] };
    await spawnAll(facts, inner, `inner ${place}`);
    return role === 'Analyst' ? handoff('steps', 'Executor') : handoff('investigation', 'Analyst');
  };
  const leads: TestWork = async (_, facts) => {
    for (const [index, one] of moves.entries())
      if ('hub' in one) await run(facts, one.hub, `hub ${index}`, `move ${index}`);
      else await spawnAll(facts, one, `move ${index}`);
  };
  const work = Object.fromEntries(SPOKES.map((role) => [role, (() => SAYS[role]) as TestWork]));
  return { ...work, Analyst: nested, Runner: nested, Coordinator: leads };
}

const LED = { decides: { kind: 'function', name: 'Coordinator' }, limits: { concurrent: 10 } };

/** Carries out a story, and looks at the lineage before and after each cut. */
async function told(moves: readonly Move[], cuts: readonly number[]) {
  const seen: LineageEntry[][] = [];
  const [first = 10_000, ...others] = cuts;
  const { room } = await HubRoom.startCut({ work: workOf(moves), order: LED }, first);
  const { store, clock } = room.test;
  const isOver = () => endedIn(room.desk).length > 0;
  for (const cut of others) {
    const until = store.writes + cut;
    for (let round = 0; round < 500 && store.writes < until && !isOver(); round++)
      await new Promise<void>((resolve) => clock.defer(resolve));
    seen.push(await room.lineage().catch(() => []));
    await room.powerCut();
    seen.push(await room.lineage().catch(() => []));
  }
  await room.test.settle();
  const end = { lineage: await room.lineage(), sessions: await room.sessions(), status: room.run().status };
  await room.test.system.stop();
  return { ...end, seen };
}

function countOf(moves: readonly Move[]): number {
  return moves.reduce((sum, one) => sum + ('hub' in one ? one.spokes.length + 1 : one.length), 0);
}

function expectTree(sessions: readonly SessionEntry[]): void {
  const byId = new Map(sessions.map((one) => [one.session, one]));
  expect(byId.size).toBe(sessions.length);
  for (const { session, parent, depth, startedAtMs, run: first } of sessions) {
    if (session === first) continue;
    const above = byId.get(parent)!;
    // A parent is one level above, began before, and closed after: so no way up comes back to where it began.
    expect([session, above.depth]).toEqual([session, depth - 1]);
    expect(above.startedAtMs).toBeLessThanOrEqual(startedAtMs);
    expect(above.endedAtMs).toBeGreaterThanOrEqual(startedAtMs);
  }
}

describe('the lineage of a run', () => {
  it('HS-015, HS-018: is appended to and never changed, over power cuts at any moment, and has no circle', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ moves, cuts }) => {
        const { lineage, sessions, seen, status } = await told(moves, cuts);
        expect(status).toBe('completed');
        expect(lineage.map(({ seq }) => seq)).toEqual(lineage.map((_, index) => index + 1));
        expect(lineage).toHaveLength(countOf(moves));
        expect(new Set(lineage.map(({ session }) => session)).size).toBe(lineage.length);
        for (const earlier of seen) expect(lineage.slice(0, earlier.length)).toEqual(earlier);
        expect(sessions).toHaveLength(countOf(moves) + 1);
        for (const { handoff: seq, session } of sessions.filter((one) => one.handoff !== null))
          expect(lineage[seq! - 1]!.session).toBe(session);
        expectTree(sessions);
      }),
      { numRuns: process.env['CI'] === undefined ? 15 : 40 },
    );
  });
});
