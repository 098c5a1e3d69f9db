/**
 * A coding agent of the proof of tasks under kills: it pulls one task after the other by MCP, reports, and repeats each
 * call that fails because its host has died, with the same key or simply again.
 */
import { expect } from 'vitest';
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';
import { type Era, errorOf, type McpClient, overHttp, type Told, toldBy } from '../gateway/mcp-clients.ts';
import { endOf } from './tasks-plan.ts';
import { type Served, type TaskRun } from './tasks-run.ts';

/** A task as a session is given it. */
export interface Given {
  readonly coder: string;
  readonly task: string;
  readonly attempt: number;
}

interface Directive {
  readonly taskId: string;
  readonly title: string;
  readonly attempt: number;
}

/** The tasks that all coding agents have been given, and those that each has now. */
export class Assignments {
  readonly given: Given[] = [];
  readonly #holders = new Map<string, string>();

  /** Notes that a session was given a task, which nobody else has. */
  give({ taskId: task, attempt }: Directive, coder: string): void {
    expect(this.#holders.get(task) ?? coder, `${task} is given to ${coder}`).toBe(coder);
    this.#holders.set(task, coder);
    this.given.push({ coder, task, attempt });
  }

  /** Notes that a session is about to end its work on a task. */
  free(task: string): void {
    this.#holders.delete(task);
  }
}

interface Answered {
  readonly told: Told;
  /** Whether the call was made before, and may have taken effect then. */
  readonly isRepeat: boolean;
  readonly hasKey: boolean;
}

export class TaskCoder {
  readonly #name: string;
  readonly #era: Era;
  readonly #run: TaskRun;
  readonly #assignments: Assignments;
  readonly #random: SeededRandom;
  #client: { readonly host: Served; readonly mcp: McpClient } | undefined;
  #calls = 0;
  /** Calls that were made again. */
  repeats = 0;

  constructor(
    { name, era, random }: { readonly name: string; readonly era: Era; readonly random: SeededRandom },
    run: TaskRun,
    assignments: Assignments,
  ) {
    this.#name = name;
    this.#era = era;
    this.#random = random;
    this.#run = run;
    this.#assignments = assignments;
  }

  /** Works until all is over. */
  async work(): Promise<void> {
    while (!this.#run.isOver) {
      const seen = this.#run.news;
      const task = await this.#next();
      if (task !== null) await this.#do(task);
      else if (!this.#run.isOver) await this.#run.newsAfter(seen);
    }
    await this.#client?.mcp.close().catch(() => {});
  }

  async #next(): Promise<Directive | null> {
    const answered = await this.#call('getNextTask');
    if (answered === undefined) return null;
    const { task } = toldBy(answered.told) as { task: Directive | null };
    if (task !== null) this.#assignments.give(task, this.#name);
    return task;
  }

  async #do(task: Directive): Promise<void> {
    const { taskId: task_id, title, attempt } = task;
    // A session that asks again has the same task.
    if (this.#random.integer(8) === 0) expect(await this.#next()).toMatchObject({ taskId: task_id, attempt });
    for (let percent = 50; this.#random.integer(2) === 0 && percent < 100; percent += 10) {
      const reported = await this.#call('reportTaskStatus', { task_id, progress_percent: percent });
      expect(reported!.told.isError, JSON.stringify(reported)).not.toBe(true);
    }
    this.#assignments.free(task_id);
    const { told, isRepeat, hasKey } = (await this.#call('reportTaskDone', { task_id, ...endOf(title, attempt) }))!;
    if (told.isError !== true) return;
    // What the first call has ended cannot end again. A key says which call it was.
    expect({ isRepeat, hasKey }, JSON.stringify(told)).toEqual({ isRepeat: true, hasKey: false });
    expect(errorOf(told)).toMatchObject({ code: 'INVALID_STATE' });
  }

  /** Calls a tool until a host answers; undefined when all is over. */
  async #call(tool: string, args: object = {}): Promise<Answered | undefined> {
    const hasKey = this.#random.integer(2) === 0;
    const key = hasKey ? { idempotencyKey: `${this.#name}-${++this.#calls}` } : {};
    for (let isRepeat = false; ; isRepeat = true) {
      const host = await this.#run.served();
      if (host === undefined) return undefined;
      if (isRepeat) this.repeats++;
      try {
        const told = await this.#ask(host, tool, { ...args, ...key });
        this.#run.moment();
        return { told, isRepeat, hasKey };
      } catch (error) {
        if (!host.isKilled() && !this.#run.isOver) throw error;
      }
    }
  }

  async #ask(host: Served, tool: string, args: Readonly<Record<string, unknown>>): Promise<Told> {
    const died = host.closed.then(() => Promise.reject(new Error('the host has died')));
    if (this.#client?.host !== host) {
      const made = overHttp(this.#era, `${host.url}/mcp`, `a-long-random-secret-of-${this.#name}`);
      this.#client = { host, mcp: await Promise.race([made, died]) };
    }
    const asked = this.#client.mcp.call(tool, args);
    this.#run.moment();
    return Promise.race([asked, died]);
  }
}
