/**
 * Random runs of hubs on virtual time, with sessions that fail in every way, people who answer or do not, and power
 * cuts at random moments: what holds at every durable epoch, and at the end.
 */
import { describe, expect, it } from 'vitest';
import { type AmountLimits } from '../../../src/machines/hub/budget.ts';
import { type LineageEntry } from '../../../src/machines/hub/handoff.ts';
import { type HubContext } from '../../../src/machines/hub/hub-state.ts';
import { type PlanLogEntry } from '../../../src/machines/hub/plan-log.ts';
import { isHub, type Role, ROLES } from '../../../src/machines/hub/roles.ts';
import { scopesMeet } from '../../../src/machines/hub/scope.ts';
import { type SessionEntry } from '../../../src/machines/hub/session-records.ts';
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';
import { chanceOf } from '../../../src/testing/simulation/keyed-chance.ts';
import { seedsOf } from '../../support/campaigns.ts';
import { byEffort } from '../../support/effort.ts';
import { HubRoom } from '../../support/machines/hub-room.ts';
import { HubStory, isTrue, pick } from '../../support/machines/hub-story.ts';

const DAY_MS = 24 * 60 * 60_000;
const KINDS = ['costUsd', 'tokens'] as const;
const OVER = ['completed', 'failed', 'stopped'];

/** Ends after which the work is where it should be: behind them the guard of circles counts anew. */
const PROGRESS = new Set([
  ...['done', 'approved', 'passed', 'tests-written', 'complete', 'ready', 'fixed', 'analysed', 'steps', 'docs'],
  ...['explore', 'complex', 'investigation'],
]);

/** One run, with what is wrong about it. */
class Told {
  readonly problems = new Set<string>();
  readonly seen = { cuts: 0, answers: 0, sessions: 0, handoffs: 0 };
  readonly #story: HubStory;
  readonly #random: SeededRandom;
  readonly #granted = new Map<string, AmountLimits>();
  /** Amounts that closed sessions have used beyond what they were given. */
  readonly #beyond = { costUsd: 0, tokens: 0 };
  #before: Pick<HubContext, 'budget'> | undefined;
  #lineage: readonly LineageEntry[] = [];
  #room!: HubRoom;
  /** Sessions that people granted beside the limit. */
  #extra = 0;

  constructor(seed: number) {
    this.#story = new HubStory(seed, (session) => {
      const seq = this.#room.plan().sessions.get(session)?.handoff ?? null;
      this.#unless(seq === null, `${session}: has begun again behind its hand-off`);
    });
    this.#random = chanceOf(seed, 'people');
  }

  async tell(): Promise<void> {
    const apply = ({ session }: { readonly session: string }) => {
      this.#unless(!this.#story.strayed.has(session), `${session}: changes outside its scope were applied`);
      return { conflict: isTrue(this.#random, 20) ? 'changed by others' : null };
    };
    const options = { ...this.#story.options, apply, onEpoch: (hub: HubContext) => this.#atEpoch(hub) };
    ({ room: this.#room } = await HubRoom.startCut(
      options,
      isTrue(this.#random, 50) ? 1 + this.#random.integer(60) : 9_999,
      (room) => (this.#room = room),
    ));
    for (let moves = 6 + this.#random.integer(10); moves > 0 && !this.#isOver; moves--) {
      await this.#move();
      await this.#atRest();
    }
    await this.#toTheEnd();
    await this.#room.test.system.stop();
  }

  get #isOver(): boolean {
    return OVER.includes(this.#room.run().status);
  }

  /** The state of the hub; of a run that is over, none. */
  get #state(): string {
    return this.#isOver ? '' : JSON.stringify(this.#room.hub().value);
  }

  get #isAsked(): boolean {
    return this.#state.includes('asking');
  }

  async #move(): Promise<void> {
    const random = this.#random;
    const what = random.integer(20);
    if (what < 4) return this.#cut();
    if (what < 5) await this.#order('hub.stop', { level: pick(random, ['graceful', 'immediate', 'terminated']) });
    else if (what < 14 && this.#isAsked) await this.#answer();
    else if (what < 14 && this.#room.run().status === 'paused') await this.#order('hub.resume');
    else await this.#room.test.advance(pick(random, [1_000, 6_000, 12_000, 61_000, 300_000]));
  }

  async #order(type: string, fields: object = {}): Promise<void> {
    await this.#room.order({ type, run: 'R-1', by: 'ada', ...fields });
  }

  /** Cuts the power in the middle of whatever goes on. */
  async #cut(): Promise<void> {
    const { clock } = this.#room.test;
    this.seen.cuts++;
    const rounds = async () => {
      for (let left = this.#random.integer(6); left > 0; left--)
        await new Promise<void>((resolve) => clock.defer(resolve));
    };
    // Nobody waits until the system is idle, so that timers have their turns when the power goes.
    await clock.advance(pick(this.#random, [0, 5_000, 60_000]), rounds);
    await this.#room.powerCut();
    this.#before = undefined;
  }

  async #answer(): Promise<void> {
    const random = this.#random;
    this.seen.answers++;
    if (isTrue(random, 8)) return this.#room.answer({ choice: 'stop' });
    if (this.#state.includes('recovering'))
      return this.#room.answer(pick(random, [{ choice: 'keep' }, { choice: 'revert all' }, { choice: 'off script' }]));
    const extraSpawns = isTrue(random, 30) ? 1 + random.integer(3) : 0;
    const extra = isTrue(random, 40) ? { extraUsd: 1 + random.integer(9), extraTokens: 1 + random.integer(500) } : {};
    this.#extra += extraSpawns;
    await this.#room.answer({
      ...{ choice: 'spawn', role: pick(random, ROLES), guidance: 'go on', ...extra },
      ...(extraSpawns > 0 && { extraSpawns }),
    });
  }

  #unless(isRight: boolean, problem: string): void {
    if (!isRight) this.problems.add(problem);
  }

  /** Holds at every durable epoch that changes the hub. */
  #atEpoch(hub: HubContext): void {
    const { budget, open, limits, spawned } = hub;
    const rows = [...open.values()];
    this.#unless(rows.length <= limits.concurrent, `${rows.length} sessions are open at once`);
    this.#unless(spawned <= this.#story.limits['spawns']! + this.#extra, `${spawned} sessions are spawned`);
    this.#unless(spawned <= limits.spawns, `${spawned} sessions are spawned of ${limits.spawns}`);
    this.#unless(
      Object.keys(budget.reserved).sort().join() ===
        rows
          .map(({ session }) => session)
          .sort()
          .join(),
      'other sessions have reserved amounts than are open',
    );
    for (const [at, one] of rows.entries())
      for (const other of rows.slice(0, at)) this.#checkLane(hub, one.role, other.role);
    for (const row of rows) {
      const parent = row.parent === hub.id ? hub.role : (open.get(row.parent)?.role ?? null);
      const mayHave = row.isOrphan || (parent !== null && (isHub(parent) || parent === 'Revisionist'));
      this.#unless(mayHave || this.#closedParent(row.parent), `${row.session}: was spawned by a spoke, ${parent}`);
      this.#unless(row.depth <= 2, `${row.session}: is at depth ${row.depth}`);
    }
    this.#checkBudget(hub);
  }

  #closedParent(parent: string): boolean {
    return this.#granted.has(parent);
  }

  #checkLane({ agents }: HubContext, one: Role, other: Role): void {
    const [a, b] = [agents[one]!, agents[other]!];
    if (a.writes === null || b.writes === null) return;
    const areApart = a.isIsolated && b.isIsolated && !scopesMeet(a.writes, b.writes);
    this.#unless(areApart, `${one} and ${other} write side by side`);
  }

  #checkBudget({ budget }: Pick<HubContext, 'budget'>): void {
    const before = this.#before?.budget;
    this.#before = { budget };
    for (const [session, granted] of Object.entries(budget.reserved)) {
      const isNew = before !== undefined && before.reserved[session] === undefined;
      for (const kind of KINDS) {
        if (!isNew || budget.max[kind] === null) continue;
        const others = Object.entries(budget.reserved).filter(([name]) => numberOf(name) < numberOf(session));
        const promised = others.reduce((sum, [, one]) => sum + (one[kind] ?? 0), 0);
        const left = budget.max[kind] - before.spent[kind] - promised;
        this.#unless(left > 0 && granted[kind]! <= left + 1e-6, `${session}: was spawned with ${left} ${kind} left`);
      }
      this.#granted.set(session, granted);
    }
  }

  /** Holds whenever all is quiet. */
  async #atRest(): Promise<void> {
    const lineage = await this.#room.lineage();
    this.#unless(
      JSON.stringify(lineage.slice(0, this.#lineage.length)) === JSON.stringify(this.#lineage),
      'the lineage has changed',
    );
    this.#unless(
      lineage.every(({ seq }, at) => seq === at + 1),
      'the lineage has a gap',
    );
    this.#lineage = lineage;
  }

  /** Waits until the run is over or waits for people, and has them stop it. */
  async #toTheEnd(): Promise<void> {
    const room = this.#room;
    for (let rounds = 0; rounds < 6 && !this.#isOver; rounds++) {
      await room.test.advance(DAY_MS + 60_000);
      await this.#atRest();
      const { status } = room.run();
      this.#unless(this.#isOver || status === 'paused', `it hangs: ${status}, ${this.#state}`);
      if (status === 'paused') await this.#order('hub.resume');
      if (this.#isAsked) await room.answer({ choice: 'stop' });
    }
    this.#unless(this.#isOver, 'it does not end');
    await this.#atRest();
    this.#atEnd(await room.sessions(), await room.log());
  }

  #atEnd(sessions: readonly SessionEntry[], log: readonly PlanLogEntry[]): void {
    const lineage = new Map(this.#lineage.map((entry) => [entry.session, entry]));
    const own = sessions.filter(({ session, run }) => session !== run);
    this.#unless(new Set(own.map(({ session }) => session)).size === own.length, 'a session was closed twice');
    this.#unless(lineage.size === this.#lineage.length, 'a session has handed off twice');
    for (const { session, handoff } of own)
      this.#unless((lineage.get(session)?.seq ?? null) === handoff, `${session}: has another hand-off on record`);
    const spawned = log.filter(({ kind }) => kind === 'spawned').map(({ session }) => session);
    this.#unless(new Set(spawned).size === spawned.length, 'a session was spawned twice');
    this.#unless(spawned.length === own.length, `${spawned.length} were spawned, and ${own.length} have closed`);
    this.#checkSums(own);
    if (!this.#story.isLed) this.#checkGuard(own, log, lineage);
    this.seen.sessions += own.length;
    this.seen.handoffs += lineage.size;
  }

  #checkSums(own: readonly SessionEntry[]): void {
    const { spentUsd, spentTokens } = this.#room.run();
    for (const { session, usage } of own)
      for (const kind of KINDS) {
        const granted = this.#granted.get(session)?.[kind] ?? null;
        if (granted !== null) this.#beyond[kind] += Math.max(0, usage[kind] - granted);
      }
    const sum = (kind: (typeof KINDS)[number]) => own.reduce((all, { usage }) => all + usage[kind], 0);
    this.#unless(
      Math.abs(sum('costUsd') - spentUsd) < 1e-6,
      `${spentUsd} $ are spent, and ${sum('costUsd')} were used`,
    );
    this.#unless(sum('tokens') === spentTokens, `${spentTokens} tokens are spent, and ${sum('tokens')} were used`);
    const max = this.#before?.budget.max;
    for (const kind of KINDS)
      if (max !== undefined && max[kind] !== null)
        this.#unless(sum(kind) <= max[kind] + this.#beyond[kind] + 1e-6, `${kind}: ${sum(kind)} used of ${max[kind]}`);
  }

  /** Never a fourth equal end without a question in between. */
  #checkGuard(own: readonly SessionEntry[], log: readonly PlanLogEntry[], lineage: ReadonlyMap<string, LineageEntry>) {
    const counts = new Map<string, number>();
    const byId = new Map(own.map((entry) => [entry.session, entry]));
    for (const { kind, code, text, session } of log) {
      if ((kind === 'decided' || kind === 'recovery') && code === 'ask') counts.clear();
      const closed = text.startsWith('closed: ') ? byId.get(session) : undefined;
      if (closed === undefined || closed.depth !== 1) continue;
      const place = JSON.stringify([closed.role, closed.step]);
      const said = closed.handoff === null ? null : lineage.get(session)!.outcome;
      const end = said ?? closed.outcome;
      if (closed.outcome === 'done' && said !== null && PROGRESS.has(said)) {
        for (const key of counts.keys()) if (key.startsWith(place)) counts.delete(key);
        continue;
      }
      const count = (counts.get(place + end) ?? 0) + 1;
      counts.set(place + end, count);
      this.#unless(count <= 3, `${place} ended ${end} ${count} times without a question`);
    }
  }
}

/** The place of a session among those of its run. */
function numberOf(session: string): number {
  return Number(session.split('-').at(-1));
}

describe('a random run of a hub', () => {
  it('CN-016, HS-009, HS-014, HS-015: keeps limits, lineage and lane, and ends or waits for people', async () => {
    const [from, to] = seedsOf('hub', byEffort({ quick: 10, ci: 100, soak: 1_000 }));
    const seen = { cuts: 0, answers: 0, sessions: 0, handoffs: 0 };
    for (let seed = from; seed <= to; seed++) {
      const told = new Told(seed);
      await told.tell().catch((error: unknown) => told.problems.add(String((error as Error).stack)));
      expect({ seed, problems: [...told.problems] }).toEqual({ seed, problems: [] });
      for (const key of Object.keys(seen) as (keyof typeof seen)[]) seen[key] += told.seen[key];
    }
    // The stories are about something; ten may lack a part of it by chance.
    if (to - from >= 99)
      for (const [what, count] of Object.entries(seen)) expect([what, count > 0]).toEqual([what, true]);
  });
});
