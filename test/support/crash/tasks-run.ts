/**
 * Hosts of a delivery organisation, one after the other on one store, each killed at a moment that is counted out; and
 * what clients see of them: the one that serves now, and its news.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { systemClock } from '../../../src/clock.ts';
import { type HandoffEntry } from '../../../src/machines/delivery/organisation/handoff-messages.ts';
import { type WorkStatus } from '../../../src/machines/work/work-item.ts';

const HOST = new URL('../fixtures/crash/task-host.mjs', import.meta.url).pathname;
const BEGIN_MS = Date.UTC(2026, 0, 1);

/** The round that audits. */
export const END = 'end';

export interface AuditedTask {
  readonly id: string;
  readonly title: string;
  readonly dependencies: readonly string[];
  readonly status: WorkStatus;
  readonly attempts: number;
  readonly coder: string | null;
}

export interface TaskAudit {
  readonly tasks: readonly AuditedTask[];
  /** Numbers of what should all be gone: places, queued tasks, open tickets. */
  readonly left: Readonly<Record<string, number>>;
  readonly counts: Readonly<Partial<Record<WorkStatus, number>>>;
  readonly handoffs: readonly HandoffEntry[];
  /** Hand-offs by row, as the dashboard has counted them. */
  readonly dashboard: Readonly<Record<string, number>>;
}

interface Line {
  /** The time of the machine at which the clock of a host begins. */
  readonly begunMs?: number;
  /** The findings of a host that begins: tasks, and those of them that a session or the check has. */
  readonly begins?: number;
  readonly underWay?: number;
  readonly listens?: string;
  readonly task?: string;
  readonly idles?: true;
  readonly audit?: TaskAudit;
}

/** A host that serves. */
export interface Served {
  readonly url: string;
  /** Whether it has died, or is about to. */
  readonly isKilled: () => boolean;
  readonly closed: Promise<unknown>;
}

export class TaskRun {
  readonly #directory: string;
  readonly #speed: number;
  readonly #tasks: number;
  readonly #folder: string | undefined;
  /** The numbers of tasks under way that hosts found which began, by round. */
  readonly #found = new Map<number, number>();
  #rounds = 0;
  #fromMs = BEGIN_MS;
  #child: ChildProcess | undefined;
  #served: Served | undefined;
  #isOver = false;
  #momentsLeft = Infinity;
  #news = 0;
  #waiting: (() => void)[] = [];

  /** `folder`: the repository whose tests check the tasks; without one, a stand-in does. */
  constructor(
    directory: string,
    { speed, tasks, folder }: { readonly speed: number; readonly tasks: number; readonly folder?: string },
  ) {
    this.#directory = directory;
    this.#folder = folder;
    this.#speed = speed;
    this.#tasks = tasks;
  }

  /** The number of things that have happened so far which a client may want to know of. */
  get news(): number {
    return this.#news;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Waits until there is more news than that. */
  async newsAfter(seen: number): Promise<void> {
    while (this.#news <= seen) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** The host that serves, or the next one to do so; undefined when all is over. */
  async served(): Promise<Served | undefined> {
    while (!this.#isOver && (this.#served === undefined || this.#served.isKilled())) await this.newsAfter(this.#news);
    return this.#isOver ? undefined : this.#served;
  }

  /** Counts a moment at which the host may die. */
  moment(): void {
    this.#momentsLeft--;
    if (this.#momentsLeft <= 0) this.#child?.kill('SIGKILL');
  }

  /** Runs a host until it ends, or dies after so many moments. Resolves to its audit. */
  async host(name: string, momentsMax = Infinity): Promise<TaskAudit | undefined> {
    const given = [HOST, this.#directory, this.#tasks, this.#speed, this.#fromMs, name];
    const args = [...given, ...(this.#folder === undefined ? [] : [this.#folder])].map(String);
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const closed = once(child, 'close');
    this.#child = child;
    this.#rounds++;
    this.#momentsLeft = momentsMax;
    let begunMs: number | undefined;
    let audit: TaskAudit | undefined;
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as Line;
      begunMs ??= line.begunMs;
      audit ??= line.audit;
      this.#hear(line, { child, closed, isLast: name === END });
      this.moment();
    });
    const [code] = (await closed) as [number | null];
    if (code !== (name === END ? 0 : null)) throw new Error(`the host of round ${name} ended with ${code}`);
    if (begunMs !== undefined) this.#fromMs += Math.ceil((systemClock.wallMs() - begunMs + 1) * this.#speed);
    this.#tell();
    return audit;
  }

  /** The number of kills after which the next host found tasks that a session or the check had. */
  killsUnderWay(): number {
    const kills = Array.from({ length: this.#rounds - 1 }, (_, round) => round + 1);
    const foundAfter = (kill: number) => [...this.#found].find(([round]) => round > kill)![1];
    return kills.filter((kill) => foundAfter(kill) > 0).length;
  }

  /** Ends the host that runs, if there is one. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#tell();
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }

  #hear(
    { listens, underWay, task, idles }: Line,
    { child, closed, isLast }: { readonly child: ChildProcess; readonly closed: Promise<unknown>; isLast: boolean },
  ): void {
    if (underWay !== undefined) this.#found.set(this.#rounds, underWay);
    if (listens !== undefined) this.#served = { url: listens, isKilled: () => child.killed, closed };
    if (idles && isLast) this.#isOver = true;
    if (idles && !isLast) child.kill('SIGKILL');
    if (listens !== undefined || task !== undefined || idles) this.#tell();
  }

  #tell(): void {
    this.#news++;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
