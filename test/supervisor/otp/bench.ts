/** What the cases of OTP's supervisor_SUITE are told with: a Boss `sup` under the root, scripted children, three ways to run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assign, emit, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/agent.ts';
import { levelStore } from '../../../src/persistence/level-store.ts';
import { type BossOptions } from '../../../src/supervisor/child-spec.ts';
import { type BossHandle } from '../../../src/supervisor/boss-handle.ts';
import { TestSystem } from '../../../src/testing/test-system.ts';

/** `crash`: the host dies after every step of the case, on the store in memory. */
export type Way = 'memory' | 'leveldb' | 'crash';

export interface Case {
  readonly number: number;
  /** Its name in supervisor_SUITE.erl, or E (Elixir), P (Pekko), R (ractor), N (new). */
  readonly source: string;
  /** Where Bosun differs on purpose, or why the case means nothing here or cannot be told yet. */
  readonly differs?: string;
  readonly without?: string;
  readonly notYet?: string;
  readonly run?: (bench: Bench) => Promise<void>;
  /** Steps that no crash may come between: what the case counts is lost with the process. */
  readonly isCrashless?: true;
}

const text = z.object({ text: z.string() });

/** Names whose starts fail, always or once, and how many were tried. */
export const failing = { names: new Set<string>(), once: new Set<string>(), tries: 0 };

function born(name: string): { name: string; notes: string[] } {
  if (failing.names.has(name) || failing.once.delete(name)) {
    failing.tries += 1;
    throw new Error(`${name} cannot start`);
  }
  return { name, notes: [] };
}

/** Ends as told; `slow` handles `bosun.shutdown` and takes its time, `plain` does not. */
function scripted(name: 'plain' | 'slow') {
  const machine = setup({
    types: {} as {
      context: { name: string; notes: readonly string[] };
      input: { name?: string; ms?: number } | undefined;
      events: { type: 'note' | 'explode' | 'choke'; text: string } | { type: 'finish' } | { type: 'bosun.shutdown' };
      emitted: { type: 'up' | 'down' };
    },
    delays: { closing: ({ context }) => Number(context.name.split(':')[1] ?? 0) },
    actions: { fail: () => { throw new Error('told to'); } },
  }).createMachine({
    id: name,
    context: ({ input }) => born(`${input?.name ?? 'nobody'}${input?.ms === undefined ? '' : `:${input.ms}`}`),
    initial: 'working',
    entry: emit({ type: 'up' }),
    states: {
      working: {
        on: {
          note: { actions: assign({ notes: ({ context, event }) => [...context.notes, event.text] }) },
          explode: { actions: 'fail' },
          choke: { actions: assign(() => { throw new Error('choked'); }) },
          finish: 'finished',
          ...(name === 'slow' && { 'bosun.shutdown': { target: 'closing', actions: emit({ type: 'down' }) } }),
        },
      },
      closing: { after: { closing: 'finished' }, on: { explode: { actions: 'fail' } } },
      finished: { type: 'final' },
    },
  });
  return defineAgent({ name, machine, events: { note: text, explode: text, choke: text, finish: z.object({}) } });
}

export const plain = scripted('plain');
export const slow = scripted('slow');

/** Over as soon as it has begun: the nearest thing to a start that returns `ignore`. */
const over = defineAgent({ name: 'over', machine: setup({}).createMachine({ id: 'over', initial: 'end', states: { end: { type: 'final' } } }), events: {} });

const agents = [plain, slow, over];

export const w = (id: string, options: object = {}) => ({ id, agent: 'plain', ...options }) as never;
export const s = (id: string, ms: number, options: object = {}) => ({ id, agent: 'slow', input: { name: id, ms }, ...options }) as never;

export class Bench {
  test!: TestSystem;
  readonly #way: Way;
  #cleanUp = (): void => {};
  #changes: { tree?: BossOptions } = {};
  /** `sup/a up`, `sup/a down` in order. */
  heard: string[] = [];

  constructor(way: Way) {
    this.#way = way;
  }

  /** @param own Options of the child spec of `sup`. */
  async start(boss: BossOptions, own: object = {}): Promise<void> {
    failing.names.clear();
    failing.tries = 0;
    const options = { agents, tree: this.tree(boss, own) };
    if (this.#way === 'leveldb') {
      const directory = mkdtempSync(join(tmpdir(), 'bosun-otp-'));
      this.#cleanUp = () => rmSync(directory, { recursive: true });
      this.test = new TestSystem({ ...options, durability: 'process', store: levelStore(directory) as never });
    } else this.test = new TestSystem(options);
    await this.test.system.start();
    this.#listen();
    await this.test.settle();
  }

  tree(boss: BossOptions, own: object = {}): BossOptions {
    return { intensity: 1_000, children: [{ id: 'sup', restart: 'temporary', boss: { intensity: 2, periodMs: 3_600_000, ...boss }, ...own } as never] };
  }

  /** How many of something a case has that is about scale: without CI=true a tenth, but for the store in memory. */
  many(count: number): number {
    return this.#way === 'memory' || process.env['CI'] === 'true' ? count : count / 10;
  }

  get sup(): BossHandle {
    return this.test.system.boss('sup');
  }

  get root(): BossHandle {
    return this.test.system.boss();
  }

  /** Whether the Boss under test lives. */
  get lives(): boolean {
    return this.test.system.snapshot('sup') !== undefined;
  }

  /** `a running`, ... in the order of their starts. */
  get children(): string[] {
    return this.sup.whichChildren().map(({ id, status }) => `${id} ${status}`);
  }

  /** What children know: notes, or null for those that are not there. */
  notes(...ids: string[]): (string | null)[] {
    return ids.map((id) => {
      const snapshot = this.test.system.snapshot(`sup/${id}`);
      return snapshot === undefined ? null : (snapshot.context as { notes: string[] }).notes.join();
    });
  }

  restarts(...ids: string[]): (number | undefined)[] {
    return ids.map((id) => this.sup.whichChildren().find((child) => child.id === id)?.restarts);
  }

  async tell(id: string, type: string): Promise<void> {
    await this.test.system.send(`sup/${id}`, (type === 'finish' ? { type } : { type, text: type }) as never);
    await this.settle();
  }

  async tellAll(ids: readonly string[], type: string): Promise<void> {
    for (const id of ids) await this.tell(id, type);
  }

  /** One step is done: in the way `crash` the host dies and starts again. */
  async settle(): Promise<void> {
    await this.test.settle();
    if (this.#way !== 'crash') return;
    await this.test.crash();
    await this.test.restart(this.#changes);
    this.#listen();
    await this.test.settle();
  }

  /** The next version of the code: another tree on the same store. */
  async upgrade(boss: BossOptions): Promise<void> {
    await this.test.system.stop();
    this.#changes = { tree: this.tree(boss) };
    await this.test.restart(this.#changes);
    this.#listen();
    await this.settle();
  }

  async advance(ms: number): Promise<void> {
    await this.test.advance(ms);
    await this.settle();
  }

  /** Gives an order that takes time, and lets it begin. */
  async begin(order: () => Promise<unknown>): Promise<void> {
    order().catch(() => {});
    await this.settle();
  }

  async end(): Promise<void> {
    await this.test?.system.stop();
    this.#cleanUp();
  }

  #listen(): void {
    this.test.system.onEmitted((address, { type }) => {
      if (type === 'up' || type === 'down') this.heard.push(`${address.replace('sup/', '')} ${type}`);
    });
  }
}

/** The code that a promise is rejected with; `done` where it is not. */
export function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(() => 'done', (error: { code?: string }) => error.code ?? 'no code');
}
