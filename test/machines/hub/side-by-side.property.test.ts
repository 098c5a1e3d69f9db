/** Fifty sessions side by side, with random costs and ends: a run promises no amount twice, and refuses the rest. */
import { describe, expect, it } from 'vitest';
import { type Amounts, type AmountLimits } from '../../../src/machines/hub/budget.ts';
import { type HubContext } from '../../../src/machines/hub/hub-state.ts';
import { type Role } from '../../../src/machines/hub/roles.ts';
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';
import { seedsOf } from '../../support/campaigns.ts';
import { byEffort } from '../../support/effort.ts';
import { handoff, HubRoom, type TestWork } from '../../support/machines/hub-room.ts';
import { chanceOf } from '../../../src/testing/simulation/keyed-chance.ts';

const KINDS = ['costUsd', 'tokens'] as const;
const SIDE_BY_SIDE = 50;
const DAY_MS = 24 * 60 * 60_000;
const LIMITS = { costUsd: 30, tokens: 3_000, concurrent: SIDE_BY_SIDE, spawns: 1_000 };

/** Roles that write nothing, so that all of them may work at once. One has a share of the rest. */
const AGENTS = {
  Researcher: { costUsd: 0.5, tokens: 70 },
  Architect: { costUsd: 1, tokens: 20 },
  Cognition: { costUsd: 0.1, tokens: 40 },
  Brainstorm: {},
} as const;
const ROLES = Object.keys(AGENTS) as (keyof typeof AGENTS)[];
const SAYS: Readonly<Record<keyof typeof AGENTS, object>> = {
  Researcher: handoff('complete', 'Architect'),
  Architect: handoff('ready', 'Executor'),
  Cognition: handoff('analysed', 'Executor'),
  Brainstorm: handoff('ready', 'Architect'),
};

interface Reply {
  readonly taken: boolean;
  readonly because?: string;
}

/** A run in which fifty chains of two sessions begin at once, and what is seen of it. */
class Crowd {
  readonly replies: Reply[] = [];
  /** Amounts that each session has used so far, as it told or is going to tell at its end. */
  readonly used = new Map<string, Amounts>();
  readonly granted = new Map<string, AmountLimits>();
  readonly problems: string[] = [];
  ends: (() => void)[] = [];
  readonly #random: SeededRandom;
  #room: HubRoom | undefined;

  constructor(seed: number) {
    this.#random = chanceOf(seed, 'crowd');
  }

  async start(): Promise<HubRoom> {
    const work = Object.fromEntries(ROLES.map((role) => [role, this.#spoke(role)]));
    const order = { decides: { kind: 'function', name: 'Coordinator' }, limits: LIMITS };
    const options = { work: { ...work, Coordinator: this.#lead }, agents: AGENTS, order, onEpoch: this.#check };
    return (this.#room = await HubRoom.start(options));
  }

  /** The most that a run may have used: its limit, and what sessions use beyond what they were given. */
  readonly #check = ({ budget, open }: HubContext): void => {
    for (const [session, granted] of Object.entries(budget.reserved)) this.granted.set(session, granted);
    const reserved = Object.values(budget.reserved);
    if (open.size > SIDE_BY_SIDE || reserved.length !== open.size)
      this.problems.push(`${open.size} open, ${reserved.length} reserved`);
    for (const kind of KINDS) {
      const promised = reserved.reduce((sum, one) => sum + one[kind]!, 0);
      const beyond = (isOpen: boolean) =>
        [...this.used].reduce((sum, [session, used]) => {
          const more = used[kind] - (this.granted.get(session)?.[kind] ?? 0);
          return open.has(session) === isOpen && this.granted.has(session) ? sum + Math.max(0, more) : sum;
        }, 0);
      const all = [...this.used.values()].reduce((sum, used) => sum + used[kind], 0);
      if (budget.spent[kind] + promised > LIMITS[kind] + beyond(false) + 1e-6)
        this.problems.push(`${kind}: ${budget.spent[kind]} spent and ${promised} promised`);
      if (all > LIMITS[kind] + beyond(false) + beyond(true) + 1e-6) this.problems.push(`${kind}: ${all} used in all`);
    }
  };

  /** Ends one of the sessions that are at work. */
  async endOne(): Promise<void> {
    const at = this.#random.integer(this.ends.length);
    this.ends.splice(at, 1)[0]!();
    await this.#room!.test.settle();
  }

  readonly #lead: TestWork = async (_, facts) => {
    const run = async (key: string) => {
      const spawn = { type: 'session.spawn', role: ROLES[this.#random.integer(ROLES.length)]!, task: key, key };
      const event = { ...spawn, waits: true };
      this.replies.push((await facts.ask({ to: facts.parent!, event, timeoutMs: DAY_MS })) as Reply);
    };
    const chains = Array.from({ length: SIDE_BY_SIDE }, async (__, chain) => {
      await run(`${chain}a`);
      await run(`${chain}b`);
    });
    await Promise.all(chains);
  };

  /** Uses random amounts, some of them more than it was given, on the way or at its end. */
  #spoke(role: Role): TestWork {
    return async ({ session }, facts, signal) => {
      const draw = () => ({ costUsd: this.#random.integer(500) / 1_000, tokens: this.#random.integer(40) });
      const add = (more: Amounts) => {
        const before = this.used.get(session) ?? { costUsd: 0, tokens: 0 };
        const after = { costUsd: before.costUsd + more.costUsd, tokens: before.tokens + more.tokens };
        this.used.set(session, after);
      };
      for (let parts = this.#random.integer(3); parts > 0; parts--) {
        const used = draw();
        add(used);
        await facts.tellParent({ type: 'session.usage', ...used } as never);
      }
      await new Promise<void>((resolve) => {
        this.ends.push(resolve);
        signal.addEventListener('abort', () => (this.ends = this.ends.filter((one) => one !== resolve)));
      });
      const last = draw();
      add(last);
      return { ...SAYS[role as keyof typeof AGENTS], usage: last };
    };
  }
}

describe('fifty sessions side by side', () => {
  it('CN-016: never promise more than the run has, in money or tokens, whatever they use', async () => {
    const [from, to] = seedsOf('side by side', byEffort({ quick: 2, ci: 8, soak: 200 }));
    const seen = { refused: 0, cutShort: 0 };
    for (let seed = from; seed <= to; seed++) {
      const crowd = new Crowd(seed);
      const room = await crowd.start();
      while (crowd.ends.length > 0) await crowd.endOne();
      expect([seed, ...new Set(crowd.problems)]).toEqual([seed]);
      const refused = crowd.replies.filter(({ taken }) => !taken);
      expect([seed, ...new Set(refused.map(({ because }) => because))].slice(0, 2)).toEqual([seed, 'budget']);
      expect([seed, room.run().status]).toEqual([seed, 'completed']);
      const sessions = await room.sessions();
      const told = sessions.reduce((sum, { usage }) => sum + usage.costUsd, 0);
      expect(room.run().spentUsd).toBeCloseTo(told);
      seen.refused += refused.length;
      seen.cutShort += sessions.filter(({ outcome }) => outcome === 'budgetExceeded').length;
      await room.test.system.stop();
    }
    // The stories are about something.
    expect(seen.refused).toBeGreaterThan(0);
    expect(seen.cutShort).toBeGreaterThan(0);
  });
});
