/**
 * OTP's strategies as a pure model to compare whole systems with: who lives, what they know, what was counted. From
 * supervisor.erl, with the two things that durability changes: a failed worker goes on from what it knew, and so does
 * everything under a root that gave up, in the next run.
 */
import { type BossOptions } from '../../src/supervisor/child-spec.ts';

export type Restart = 'permanent' | 'transient' | 'temporary';

export interface WorkerPlan {
  readonly restart: Restart;
}

export type GroupStrategy = 'one_for_one' | 'one_for_all' | 'rest_for_one';

export interface BossPlan {
  readonly strategy: GroupStrategy;
  readonly restart: Restart;
  readonly intensity: number;
  readonly periodMs: number;
  readonly children: readonly (WorkerPlan | BossPlan)[];
}

interface Member {
  readonly address: string;
  readonly boss: Boss | null;
  readonly plan: WorkerPlan | BossPlan;
  readonly isStatic: boolean;
  restarts: number;
  /** Its Boss has its record only. */
  hasEnded: boolean;
}

interface Worker extends Member {
  readonly kind: 'worker';
  notes: string[];
  /** Messages that choked it since one did not: the second suspends it, and is no failure when it is delivered for the last time. */
  strikes: number;
}

interface Boss extends Member {
  readonly kind: 'boss';
  readonly plan: BossPlan;
  window: number[];
  children: (Worker | Boss)[];
}

/** What is compared: per address, the counted restarts, and what it knows or how many restarts are in its window. */
export type Picture = Record<string, string>;

export class OtpModel {
  readonly root: Boss;
  nowMs = 0;
  /** Whether the root gave up in the run that began last. */
  hasClosed = false;
  #dynamic = 0;

  constructor(plan: BossPlan) {
    this.root = this.#begin({ address: 'root', boss: null, plan, isStatic: true }) as Boss;
  }

  workers(): Worker[] {
    return this.#members().filter((member) => member.kind === 'worker');
  }

  bosses(): Boss[] {
    return [this.root, ...this.#members().filter((member) => member.kind === 'boss')];
  }

  /** A new dynamic worker. @returns Its name among its siblings. */
  spawn(boss: Boss, plan: WorkerPlan): string {
    const id = `d${++this.#dynamic}`;
    boss.children.push(this.#begin({ address: below(boss, id), boss, plan, isStatic: false }));
    return id;
  }

  exit(member: Worker | Boss, reason: 'normal' | 'shutdown' | 'error'): void {
    const { boss, plan } = member;
    const isRestarted = plan.restart === 'permanent' || (plan.restart === 'transient' && reason === 'error');
    if (!isRestarted) {
      member.hasEnded = true;
      if (plan.restart === 'temporary') boss!.children = boss!.children.filter((other) => other !== member);
      return;
    }
    const { intensity, periodMs } = boss!.plan;
    const window = [this.nowMs, ...boss!.window.filter((atMs) => atMs >= this.nowMs - periodMs)];
    if (window.length <= intensity) {
      boss!.window = window;
      this.#restart(member, reason);
    } else if (boss!.boss !== null) this.exit(boss!, 'shutdown');
    else {
      // The system closes. The next run restarts what it closed over, and counts from zero.
      this.hasClosed = true;
      boss!.window = [];
      this.#restart(member, reason);
    }
  }

  /** A message that crashes its worker is delivered twice more; that is not counted, but a group is restarted each time. */
  choke(member: Worker): void {
    const boss = member.boss!;
    const { strategy } = boss.plan;
    const strikes = member.strikes + 1;
    this.exit(member, 'error');
    const present = () => boss.children.find(({ address }) => address === member.address) as Worker;
    if (strategy === 'one_for_one' || member.plan.restart === 'temporary' || !this.bosses().includes(boss)) return;
    for (let again = strikes; again < 3; again++) {
      this.#restart(present(), 'error');
      present().restarts -= 1;
    }
    // Somebody has a look at a suspended one and lets it go on.
    present().strikes = strikes % 2;
  }

  picture(): Picture {
    const rows = this.#members().map((member) => [member.address, pictured(member.restarts, member.kind === 'boss' ? this.#inWindow(member) : member.notes)]);
    return { root: pictured(null, this.#inWindow(this.root)), ...(Object.fromEntries(rows) as Picture) };
  }

  #restart(member: Worker | Boss, reason: 'normal' | 'shutdown' | 'error'): void {
    const { boss } = member;
    const { strategy } = boss!.plan;
    if (strategy === 'one_for_one' && member.kind === 'worker' && reason === 'error') {
      member.restarts += 1;
      return;
    }
    const siblings = boss!.children;
    const from = siblings.indexOf(member);
    const isAnew = (index: number) => index === from || strategy === 'one_for_all' || (strategy === 'rest_for_one' && index > from);
    boss!.children = siblings.flatMap((other, index) => {
      if (!isAnew(index)) return other;
      if (other !== member && other.plan.restart === 'temporary') return [];
      const anew = this.#begin(other);
      anew.restarts = other.restarts + 1;
      if (anew.kind === 'worker' && !other.hasEnded) anew.strikes = (other as Worker).strikes;
      return anew;
    });
  }

  #begin({ address, boss, plan, isStatic }: Omit<Member, 'restarts' | 'hasEnded'>): Worker | Boss {
    const facts = { address, boss, isStatic, restarts: 0, hasEnded: false };
    if (!('children' in plan)) return { ...facts, plan, kind: 'worker', notes: [], strikes: 0 };
    const begun: Boss = { ...facts, plan, kind: 'boss', window: [], children: [] };
    begun.children = plan.children.map((child, index) => this.#begin({ address: below(begun, `c${index}`), boss: begun, plan: child, isStatic: true }));
    return begun;
  }

  #inWindow(boss: Boss): number {
    return boss.window.length;
  }

  #members(of: Boss = this.root): (Worker | Boss)[] {
    return of.children.filter(({ hasEnded }) => !hasEnded).flatMap((child) => (child.kind === 'boss' ? [child, ...this.#members(child)] : [child]));
  }
}

export function pictured(restarts: number | null, facts: readonly string[] | number): string {
  return `${restarts ?? '-'} restarts, ${typeof facts === 'number' ? `${facts} in the window` : `knows ${facts.join(' ')}`}`;
}

/** The same plan for createSystem. */
export function treeOf({ strategy, intensity, periodMs, children }: BossPlan): BossOptions {
  return {
    strategy,
    intensity,
    periodMs,
    children: children.map((child, index) => {
      const common = { id: `c${index}`, restart: child.restart };
      return 'children' in child ? { ...common, boss: treeOf(child) } : { ...common, agent: 'worker' };
    }),
  };
}

function below(boss: Pick<Boss, 'address' | 'boss'>, id: string): string {
  return boss.boss === null ? id : `${boss.address}/${id}`;
}
