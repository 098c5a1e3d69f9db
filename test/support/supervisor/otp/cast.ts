/**
 * The cast of the cases of OTP's supervisor_SUITE: agents that end as they are told, and the outside world that they
 * read.
 */
import { assign, emit, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';

/**
 * The world that agents find when they start and fail. It survives the host, so it has to revert the effects of turns
 * that were not written before the host died.
 */
class World {
  /** Names whose starts always fail, and names whose start fails once. */
  readonly names = new Set<string>();
  readonly once = new Set<string>();
  /** Starts that failed. */
  tries = 0;
  /** Writes of the store begun so far. The effects of a present turn belong to the next one. */
  writes = 0;
  #starts: { readonly name: string; readonly wasOnce: boolean; readonly writes: number }[] = [];
  #explosions: { readonly token: string; readonly writes: number }[] = [];
  readonly #lost = new Set<string>();

  reset(): void {
    this.names.clear();
    this.once.clear();
    this.#lost.clear();
    this.tries = 0;
    this.writes = 0;
    this.#starts = [];
    this.#explosions = [];
  }

  /** Throws if the start of this agent has to fail. */
  start(name: string): void {
    const wasOnce = this.once.delete(name);
    if (!wasOnce && !this.names.has(name)) return;
    this.tries += 1;
    this.#starts.push({ name, wasOnce, writes: this.writes });
    throw new Error(`${name} cannot start`);
  }

  /** Throws. */
  explode(token: string): never {
    this.#explosions.push({ token, writes: this.writes });
    throw new Error('told to');
  }

  /** Reverts everything from this write on, because the host has died. */
  lose(write: number): void {
    const isLost = ({ writes }: { readonly writes: number }) => writes >= write - 1;
    for (const { name, wasOnce } of this.#starts.filter(isLost)) {
      this.tries -= 1;
      if (wasOnce) this.once.add(name);
    }
    for (const { token } of this.#explosions.filter(isLost)) this.#lost.add(token);
    this.writes = write - 1;
  }

  /**
   * Whether an action has thrown and its failure is not on disk: custom actions run at most once (P3). Reports it once.
   */
  hasForgotten(token: string): boolean {
    return this.#lost.delete(token);
  }
}

export const failing = new World();

const text = z.object({ text: z.string() });

/** An agent that ends as told; `slow` handles `bosun.shutdown` and takes its time, `plain` does not. */
function scripted(name: 'plain' | 'slow') {
  const machine = setup({
    types: {} as {
      context: { name: string; notes: readonly string[] };
      input: { name?: string; ms?: number } | undefined;
      events: { type: 'note' | 'explode' | 'choke'; text: string } | { type: 'finish' } | { type: 'bosun.shutdown' };
      emitted: { type: 'up' | 'down' };
    },
    delays: { closing: ({ context }) => Number(context.name.split(':')[1] ?? 0) },
    actions: { fail: ({ event }) => failing.explode((event as { text: string }).text) },
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
          choke: {
            actions: assign(() => {
              throw new Error('choked');
            }),
          },
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

function born(name: string): { name: string; notes: string[] } {
  failing.start(name);
  return { name, notes: [] };
}

export const plain = scripted('plain');
export const slow = scripted('slow');

/** An agent that ends as soon as it has started: the nearest equivalent of a start that returns `ignore`. */
const over = defineAgent({
  name: 'over',
  machine: setup({}).createMachine({ id: 'over', initial: 'end', states: { end: { type: 'final' } } }),
  events: {},
});

export const agents = [plain, slow, over];

/** Child specifications: one child that ends at once, and one that takes its time. */
export const w = (id: string, options: object = {}) => ({ id, agent: 'plain', ...options }) as never;
export const s = (id: string, ms: number, options: object = {}) =>
  ({ id, agent: 'slow', input: { name: id, ms }, ...options }) as never;

/** Options of a Boss with one template. */
export const dynamic = (template: object, more: object = {}) =>
  ({ strategy: 'dynamic', template: { agent: 'plain', ...template }, ...more }) as const;
