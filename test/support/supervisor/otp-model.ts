/**
 * OTP's supervision as a pure model, with which whole systems are compared: living workers, their knowledge, counted
 * restarts, waiting restarts. From supervisor.erl, with the changes by durability and backoff: a failed worker
 * continues with its knowledge, and so does everything under a root that gave up, in the next run.
 */
import { type AutoShutdown, type BossOptions } from '../../../src/supervisor/child-spec.ts';

export type Restart = 'permanent' | 'transient' | 'temporary';

export interface WorkerPlan {
  readonly restart: Restart;
  readonly significant?: boolean;
  /** Only under a Boss that restarts one child at a time. */
  readonly backoff?: boolean;
}

export type Strategy = 'one_for_one' | 'one_for_all' | 'rest_for_one' | 'dynamic';

export interface BossPlan {
  readonly strategy: Strategy;
  readonly restart: Restart;
  readonly significant?: boolean;
  readonly autoShutdown?: AutoShutdown;
  readonly intensity: number;
  readonly periodMs: number;
  readonly children: readonly (WorkerPlan | BossPlan)[];
  /** The template of a dynamic Boss. */
  readonly template?: WorkerPlan;
}

/** A backoff without jitter, so that the model can compute it. */
const BACKOFF = { minMs: 100, maxMs: 400, factor: 2, jitter: 0 };
const RESET_AFTER_MS = (BACKOFF.minMs + BACKOFF.maxMs) / 2;

interface Member {
  readonly address: string;
  readonly boss: Boss | null;
  readonly plan: WorkerPlan | BossPlan;
  restarts: number;
  /** Whether `system.spawn` started it: then the record at its Boss goes with its end, which OTP would keep. */
  readonly isSpawned: boolean;
  /** Whether only the record at its Boss is left. */
  hasEnded: boolean;
}

interface Worker extends Member {
  readonly kind: 'worker';
  readonly plan: WorkerPlan;
  notes: string[];
  /** Messages in a row that choked it: the second suspends it, and does not count as a failure at its last delivery. */
  strikes: number;
  /** The worker's delayed restart. */
  retry: { readonly atMs: number; readonly order: number; readonly reason: Reason } | null;
  consecutive: number;
  startedAtMs: number;
}

interface Boss extends Member {
  readonly kind: 'boss';
  readonly plan: BossPlan;
  window: number[];
  children: (Worker | Boss)[];
}

type Reason = 'normal' | 'shutdown' | 'error';

/**
 * The compared state: per address, the counted restarts, and a worker's knowledge or the restarts in a Boss's window.
 */
export type Picture = Record<string, string>;

export class OtpModel {
  readonly root: Boss;
  nowMs = 0;
  #dynamic = 0;
  #order = 0;

  constructor(plan: BossPlan) {
    this.root = this.#begin({ address: 'root', boss: null, plan }, 0) as Boss;
  }

  /** All workers, including those that wait for their restart. */
  workers(): Worker[] {
    return this.#members().filter((member) => member.kind === 'worker');
  }

  bosses(): Boss[] {
    return [this.root, ...this.#members().filter((member) => member.kind === 'boss')];
  }

  /** Starts a dynamic worker. @returns Its name among its siblings. */
  spawn(boss: Boss, plan: WorkerPlan): string {
    const id = `d${++this.#dynamic}`;
    const spawned = { address: below(boss, id), boss, plan: boss.plan.template ?? plan, isSpawned: true };
    boss.children.push(this.#begin(spawned, this.nowMs));
    return id;
  }

  /** Lets time pass, with the delays of restarts. */
  wait(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (let next = this.#nextRetry(untilMs); next !== undefined; next = this.#nextRetry(untilMs)) {
      const { atMs, reason } = next.retry!;
      this.nowMs = atMs;
      next.retry = null;
      this.#restartCounted(next, reason);
    }
    this.nowMs = untilMs;
  }

  exit(member: Worker | Boss, reason: Reason): void {
    const { boss, plan } = member;
    const isRestarted = plan.restart === 'permanent' || (plan.restart === 'transient' && reason === 'error');
    if (!isRestarted) this.#end(member);
    else if (member.kind === 'worker' && member.plan.backoff === true) this.#delay(member, boss!, reason);
    else this.#restartCounted(member, reason);
  }

  /**
   * Sends a message that crashes its worker. It is delivered twice more; this is not counted, but a group is restarted
   * each time.
   */
  choke(member: Worker): void {
    const boss = member.boss!;
    const { strategy } = boss.plan;
    const strikes = member.strikes + 1;
    this.exit(member, 'error');
    const present = () => boss.children.find(({ address }) => address === member.address) as Worker;
    if (
      strategy === 'one_for_one' ||
      strategy === 'dynamic' ||
      member.plan.restart === 'temporary' ||
      !this.bosses().includes(boss)
    )
      return;
    for (let again = strikes; again < 3; again++) {
      this.#restart(present(), 'error');
      present().restarts -= 1;
    }
    // A person resumes a suspended worker.
    present().strikes = strikes % 2;
  }

  picture(): Picture {
    const rows = this.#members().map((member) => [
      member.address,
      pictured(member, member.kind === 'boss' ? member.window.length : member.notes),
    ]);
    return {
      root: pictured({ restarts: null, retry: null }, this.root.window.length),
      ...(Object.fromEntries(rows) as Picture),
    };
  }

  #end(member: Worker | Boss): void {
    const boss = member.boss!;
    member.hasEnded = true;
    if (member.plan.restart === 'temporary' || boss.plan.strategy === 'dynamic' || member.isSpawned)
      boss.children = boss.children.filter((other) => other !== member);
    if (member.plan.significant !== true) return;
    const isLast = !boss.children.some((other) => other.plan.significant === true && !other.hasEnded);
    if (boss.plan.autoShutdown === 'any_significant' || isLast) this.exit(boss, 'shutdown');
  }

  #delay(member: Worker, boss: Boss, reason: Reason): void {
    if (this.nowMs - member.startedAtMs >= RESET_AFTER_MS) member.consecutive = 0;
    const atMs = this.nowMs + Math.min(BACKOFF.maxMs, BACKOFF.minMs * BACKOFF.factor ** member.consecutive);
    // A restart beyond the intensity is not awaited.
    if (this.#windowAt(boss, atMs).length > boss.plan.intensity) this.exit(boss, 'shutdown');
    else {
      member.consecutive += 1;
      member.retry = { atMs, reason, order: this.#order++ };
    }
  }

  #restartCounted(member: Worker | Boss, reason: Reason): void {
    const boss = member.boss!;
    const window = this.#windowAt(boss, this.nowMs);
    if (window.length <= boss.plan.intensity) {
      boss.window = window;
      this.#restart(member, reason);
    } else if (boss.boss !== null) this.exit(boss, 'shutdown');
    else {
      // The system closes. The next run restarts the failed child and counts from zero.
      boss.window = [];
      this.#restart(member, reason);
    }
  }

  #restart(member: Worker | Boss, reason: Reason): void {
    const { boss } = member;
    const { strategy } = boss!.plan;
    const isAlone = strategy === 'one_for_one' || strategy === 'dynamic';
    if (isAlone && member.kind === 'worker' && reason === 'error') {
      member.restarts += 1;
      member.startedAtMs = this.nowMs;
      return;
    }
    const siblings = boss!.children;
    const from = siblings.indexOf(member);
    const isAnew = (index: number) =>
      index === from || strategy === 'one_for_all' || (strategy === 'rest_for_one' && index > from);
    boss!.children = siblings.flatMap((other, index) => {
      if (!isAnew(index)) return other;
      if (other !== member && other.plan.restart === 'temporary') return [];
      const anew = this.#begin(other, this.nowMs);
      anew.restarts = other.restarts + 1;
      if (anew.kind === 'worker') anew.consecutive = (other as Worker).consecutive;
      if (anew.kind === 'worker' && !other.hasEnded) anew.strikes = (other as Worker).strikes;
      return anew;
    });
  }

  /** @param startedAtMs 0 for a member that is started together with its Boss. */
  #begin(
    { address, boss, plan, isSpawned = false }: Pick<Member, 'address' | 'boss' | 'plan'> & Partial<Member>,
    startedAtMs: number,
  ): Worker | Boss {
    const facts = { address, boss, isSpawned, restarts: 0, hasEnded: false };
    if (!('children' in plan))
      return { ...facts, plan, kind: 'worker', notes: [], strikes: 0, retry: null, consecutive: 0, startedAtMs };
    const begun: Boss = { ...facts, plan, kind: 'boss', window: [], children: [] };
    begun.children = plan.children.map((child, index) =>
      this.#begin({ address: below(begun, `c${index}`), boss: begun, plan: child }, -Infinity),
    );
    return begun;
  }

  #windowAt(boss: Boss, atMs: number): number[] {
    return [atMs, ...boss.window.filter((earlierMs) => earlierMs >= atMs - boss.plan.periodMs)];
  }

  #nextRetry(untilMs: number): Worker | undefined {
    const due = this.workers().filter(({ retry }) => retry !== null && retry.atMs <= untilMs);
    return due.sort((a, b) => a.retry!.atMs - b.retry!.atMs || a.retry!.order - b.retry!.order)[0];
  }

  #members(of: Boss = this.root): (Worker | Boss)[] {
    return of.children
      .filter(({ hasEnded }) => !hasEnded)
      .flatMap((child) => (child.kind === 'boss' ? [child, ...this.#members(child)] : [child]));
  }
}

export function pictured(
  { restarts, retry }: { restarts: number | null; retry?: object | null },
  facts: readonly string[] | number,
): string {
  const waits = retry === null || retry === undefined ? '' : ', waits';
  return (
    `${restarts ?? '-'} restarts, ` +
    `${typeof facts === 'number' ? `${facts} in the window` : `knows ${facts.join(' ')}`}${waits}`
  );
}

/** Makes a plan valid for a Boss: significant children and delays only where they are allowed. */
export function sanePlan(plan: BossPlan, isRoot = true): BossPlan {
  const { strategy, restart, significant, intensity, periodMs } = plan;
  const autoShutdown: AutoShutdown = isRoot || strategy === 'dynamic' ? 'never' : (plan.autoShutdown ?? 'never');
  const isAlone = strategy === 'one_for_one' || strategy === 'dynamic';
  const childPlan = (child: WorkerPlan | BossPlan): WorkerPlan | BossPlan => {
    const isSignificant = child.significant === true && autoShutdown !== 'never' && child.restart !== 'permanent';
    if ('children' in child) return { ...sanePlan(child, false), significant: isSignificant };
    // A child over which a root gave up starts its delay again in the next run, which backing-off.test.ts covers.
    return {
      restart: child.restart,
      significant: isSignificant,
      backoff: child.backoff === true && isAlone && !isRoot,
    };
  };
  const common = { strategy, restart, significant: significant ?? false, autoShutdown, intensity, periodMs };
  if (strategy !== 'dynamic') return { ...common, children: plan.children.map(childPlan) };
  const template = plan.template ?? { restart };
  return { ...common, children: [], template: childPlan({ ...template, significant: false }) as WorkerPlan };
}

/** A plan in the form for createSystem. */
export function treeOf({ strategy, autoShutdown, intensity, periodMs, children, template }: BossPlan): BossOptions {
  const limit = { strategy, intensity, periodMs };
  if (template !== undefined) return { ...limit, template: workerOf(template) } as BossOptions;
  return {
    ...limit,
    autoShutdown: autoShutdown ?? 'never',
    children: children.map((child, index) => {
      const common = { id: `c${index}`, significant: child.significant ?? false };
      return 'children' in child
        ? { ...common, restart: child.restart, boss: treeOf(child) }
        : { ...common, ...workerOf(child) };
    }),
  };
}

function workerOf({ restart, backoff }: WorkerPlan) {
  return { agent: 'worker', restart, ...(backoff === true && { backoff: BACKOFF }) };
}

function below(boss: Pick<Boss, 'address' | 'boss'>, id: string): string {
  return boss.boss === null ? id : `${boss.address}/${id}`;
}
