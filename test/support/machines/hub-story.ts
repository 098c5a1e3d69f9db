/**
 * Random runs of hubs: their agents and limits, and the work of their sessions, good and bad. All follows from a seed;
 * work that begins again after a power cut does the same again.
 */
import { type EffectFacts } from '../../../src/actors/model/ref.ts';
import { type AgentSpec } from '../../../src/machines/hub/agent-spec.ts';
import { outcomesOf } from '../../../src/machines/hub/handoff-rules.ts';
import { isHub, policyOf, type Role, ROLES } from '../../../src/machines/hub/roles.ts';
import { type Standing } from '../../../src/machines/hub/standing.ts';
import { type SessionWork } from '../../../src/machines/hub/spoke-state.ts';
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';
import { chanceOf } from '../../../src/testing/simulation/keyed-chance.ts';
import { handoff, type HubRoomOptions } from './hub-room.ts';

const DAY_MS = 24 * 60 * 60_000;
const SPOKES = ROLES.filter((role) => !isHub(role));
const SCOPES = ['src', 'test', 'docs'].map((folder) => ({ files: [`${folder}/**`], newIn: [folder] }));

export function pick<T>(random: SeededRandom, choices: readonly T[]): T {
  return choices[random.integer(choices.length)]!;
}

export function isTrue(random: SeededRandom, percent: number): boolean {
  return random.integer(100) < percent;
}

/** One random run. */
export class HubStory {
  readonly hub: Role;
  readonly isLed: boolean;
  /** Whether its work goes round in a circle, and nothing else goes wrong. */
  readonly #isCircle: boolean;
  readonly limits: Readonly<Record<string, number | null>>;
  readonly agents: Partial<Record<Role, Partial<AgentSpec>>>;
  /** Sessions whose last work said that it changed a file outside of its scope. */
  readonly strayed = new Set<string>();
  readonly #seed: number;
  readonly #onBegin: (session: string) => void;

  /** @param onBegin Hears of every start of a session's work. */
  constructor(seed: number, onBegin: (session: string) => void) {
    this.#seed = seed;
    this.#onBegin = onBegin;
    const random = chanceOf(seed, 'story');
    this.hub = pick(random, ['Coordinator', 'Coordinator', 'Analyst', 'Runner', 'TDDDriver'] as const);
    this.isLed = isTrue(random, 30);
    this.#isCircle = isTrue(random, 20);
    const some = <T>(percent: number, value: T) => (isTrue(random, percent) && !this.#isCircle ? value : null);
    this.limits = {
      ...{
        spawns: (this.#isCircle ? 14 : 3) + random.integer(14),
        concurrent: 1 + random.integer(4),
        answerMs: 60_000,
      },
      ...{ costUsd: some(40, 1 + random.integer(20)), tokens: some(40, 100 + random.integer(2_000)) },
      timeMs: some(15, 60_000 * (1 + random.integer(30))),
    };
    const roles =
      this.hub === 'Coordinator' ? ROLES.filter((role) => role !== 'Coordinator') : [...SPOKES, 'Analyst' as const];
    this.agents = Object.fromEntries(
      roles.map((role) => [
        role,
        {
          ...{ task: `as ${role}`, attempts: 1 + random.integer(3), silenceMs: 60_000 },
          ...{ timeoutMs: some(20, 30_000), stepsMax: some(30, 4), isIsolated: isTrue(random, 60) },
          ...{ costUsd: some(30, random.integer(8)), tokens: some(30, random.integer(400)) },
          ...{ fallback: some(25, pick(random, SPOKES)) },
          writes: policyOf(role).mayWrite && isTrue(random, 75) ? pick(random, SCOPES) : null,
        },
      ]),
    );
  }

  /** The options of its room. */
  get options(): HubRoomOptions {
    const random = chanceOf(this.#seed, 'order');
    const steps = Array.from({ length: random.integer(4) }, (_, at) => ({
      task: `step ${at}`,
      assignee: pick(random, SPOKES),
    }));
    const decides = this.isLed ? { kind: 'function', name: this.hub } : { kind: 'rules' };
    const start = this.#isCircle ? 'Executor' : pick(random, SPOKES);
    const order = {
      hub: this.hub,
      decides,
      limits: this.limits,
      steps,
      start,
      task: 'mend it',
      cycles: 1 + random.integer(2),
    };
    const roles = [...new Set([...(Object.keys(this.agents) as Role[]), this.hub])];
    const work = Object.fromEntries(roles.map((role) => [role, this.#work]));
    return { work, agents: this.agents, order, system: { effectsMs: 0 } };
  }

  readonly #work = async (work: SessionWork, facts: EffectFacts): Promise<unknown> => {
    const random = chanceOf(this.#seed, work.session, work.round);
    if (work.session === work.runId) return this.#leads(random, facts);
    // As hosts do: what a session has handed off by an order before the end of its host is not done again.
    if (facts.attempt > 1 && (await hasHandedOff(facts))) return {};
    this.#onBegin(work.session);
    this.strayed.delete(work.session);
    return isHub(work.role) && isTrue(random, 70)
      ? this.#nested(random, work, facts)
      : this.#spoke(random, work, facts);
  };

  /** Spawns side by side and one behind the other, as a function that decides. */
  async #leads(random: SeededRandom, facts: EffectFacts): Promise<unknown> {
    for (let round = 1 + random.integer(4); round > 0; round--)
      await Promise.all(Array.from({ length: 1 + random.integer(3) }, (_, at) => run(random, facts, `${round}.${at}`)));
    if (isTrue(random, 15)) throw new Error('the plan makes no sense');
    return { summary: 'led' };
  }

  async #nested(random: SeededRandom, work: SessionWork, facts: EffectFacts): Promise<unknown> {
    const wants = Array.from({ length: 1 + random.integer(2) }, (_, at) => run(random, facts, `${work.round}.${at}`));
    await (isTrue(random, 80) ? Promise.all(wants) : undefined);
    return goodEnd(random, work);
  }

  async #spoke(random: SeededRandom, work: SessionWork, facts: EffectFacts): Promise<unknown> {
    if (this.#isCircle) return goodEnd(random, work, work.role === 'Revisionist' ? 0 : 1);
    switch (random.integer(16)) {
      case 0:
        throw Object.assign(new Error('no'), {
          errorType: pick(random, ['timeout', 'configuration_error', 'data_quality']),
        });
      case 1:
        return never();
      case 2:
        for (let left = random.integer(9); left > 0; left--) await facts.tellParent(event('session.step'));
        break;
      case 3:
      case 4:
        for (let left = random.integer(6); left > 0; left--)
          await facts.tellParent(event('session.usage', { costUsd: random.integer(3), tokens: random.integer(150) }));
        break;
      case 5:
        return { ...goodEnd(random, work), usage: { costUsd: random.integer(12), tokens: random.integer(500) } };
      case 6:
        return pick<unknown>(random, [
          handoff('done', 'Archivist'),
          handoff('splendid', 'Reviewer'),
          { handoff: { outcome: 'done', recommended: 'Reviewer' } },
          { handoff: null },
          { handoff: 7, usage: 'much' },
          null,
        ]);
      case 7: {
        this.strayed.add(work.session);
        return { ...goodEnd(random, work), changed: [{ path: 'secret.env', isNew: false, lines: 1 }], isHeld: true };
      }
      case 8: {
        const path = work.scope === null ? [] : [{ path: `${work.scope.newIn[0]}/a.ts`, isNew: true, lines: 1 }];
        return { ...goodEnd(random, work), changed: path, isHeld: true };
      }
      case 9:
        await facts.ask({
          to: facts.parent!,
          event: event('session.spawn', { role: pick(random, ROLES), task: 'more' }),
        });
        break;
      case 10:
        return byOrder(random, work, facts);
      default:
        break;
    }
    return goodEnd(random, work);
  }
}

async function hasHandedOff({ ask, parent }: EffectFacts): Promise<boolean> {
  const standing = (await ask({ to: parent!, event: { type: 'session.get' } })) as Pick<Standing, 'handoff'>;
  return standing.handoff !== null;
}

function event(type: string, fields: object = {}): { type: string } {
  return { type, ...fields };
}

const never = () => new Promise<never>(() => {});

function run(random: SeededRandom, facts: EffectFacts, key: string): Promise<unknown> {
  const role = pick(random, [...SPOKES, 'Analyst' as const]);
  const spawn = event('session.spawn', { role, task: key, key, waits: true, pivotReason: 'it turns' });
  return facts.ask({ to: facts.parent!, event: spawn, timeoutMs: DAY_MS });
}

/** Hands off by an order, and ends in one of many ways behind that. */
async function byOrder(random: SeededRandom, work: SessionWork, facts: EffectFacts): Promise<unknown> {
  const { handoff: said } = goodEnd(random, work) as { readonly handoff?: object };
  if (said !== undefined)
    await facts.ask({ to: facts.parent!, event: event('session.handoff', { said: { to: work.hub, ...said } }) });
  switch (random.integer(4)) {
    case 0:
      throw new Error('too late');
    case 1:
      return never();
    case 2:
      await facts.tellParent(event('session.usage', { costUsd: 99, tokens: 9_999 }));
      return {};
    default:
      return {};
  }
}

/** A hand-off of the role's table: the one at a place of it, or mostly the good one. */
function goodEnd(random: SeededRandom, { role, hub }: SessionWork, at?: number): object {
  if (role === 'Archivist') return { archives: isTrue(random, 80) };
  const outcomes = Object.entries(outcomesOf(role));
  const drawn = isTrue(random, 60) ? outcomes[0]! : pick(random, outcomes);
  const [outcome, next] = outcomes[at ?? -1] ?? drawn;
  const recommended = pick(random, next);
  const isGood = outcome !== 'build-failed' && outcome !== 'issues';
  return handoff(outcome, recommended === 'hub' ? null : recommended, {
    ...{ to: hub, testsPass: isTrue(random, 50), build: { command: 'make', exitCode: isGood ? 0 : 1 } },
  });
}
