/**
 * OTP's one_for_one as a pure model to compare whole systems with: who lives, what they know, what was counted. From
 * supervisor.erl, with the two things that durability changes: a failed worker goes on from what it knew, and so does
 * everything under a root that gave up, in the next run.
 */
import { type BossOptions } from '../../src/supervisor/child-spec.ts';

export type Restart = 'permanent' | 'transient' | 'temporary';

export interface WorkerPlan {
  readonly restart: Restart;
}

export interface BossPlan {
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
}

interface Worker extends Member {
  readonly kind: 'worker';
  notes: string[];
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
      boss!.children = boss!.children.filter((other) => other !== member);
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

  picture(): Picture {
    const rows = this.#members().map((member) => [member.address, pictured(member.restarts, member.kind === 'boss' ? this.#inWindow(member) : member.notes)]);
    return { root: pictured(null, this.#inWindow(this.root)), ...(Object.fromEntries(rows) as Picture) };
  }

  #restart(member: Worker | Boss, reason: 'normal' | 'shutdown' | 'error'): void {
    const { boss } = member;
    member.restarts += 1;
    if (member.kind === 'worker' && reason === 'error') return;
    const anew = this.#begin(member);
    anew.restarts = member.restarts;
    boss!.children = boss!.children.map((other) => (other === member ? anew : other));
  }

  #begin({ address, boss, plan, isStatic }: Omit<Member, 'restarts'>): Worker | Boss {
    const facts = { address, boss, isStatic, restarts: 0 };
    if (!('children' in plan)) return { ...facts, plan, kind: 'worker', notes: [] };
    const begun: Boss = { ...facts, plan, kind: 'boss', window: [], children: [] };
    begun.children = plan.children.map((child, index) => this.#begin({ address: below(begun, `c${index}`), boss: begun, plan: child, isStatic: true }));
    return begun;
  }

  #inWindow(boss: Boss): number {
    return boss.window.length;
  }

  #members(of: Boss = this.root): (Worker | Boss)[] {
    return of.children.flatMap((child) => (child.kind === 'boss' ? [child, ...this.#members(child)] : [child]));
  }
}

export function pictured(restarts: number | null, facts: readonly string[] | number): string {
  return `${restarts ?? '-'} restarts, ${typeof facts === 'number' ? `${facts} in the window` : `knows ${facts.join(' ')}`}`;
}

/** The same plan for createSystem. */
export function treeOf({ intensity, periodMs, children }: BossPlan): BossOptions {
  return {
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
