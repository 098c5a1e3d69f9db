/**
 * Workers whose presence can be counted: each runs an effect, and while that runs it is here. And one who watches
 * others.
 */
import { assign, fromCallback, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { monitor } from '../../../src/actors/model/talk-actions.ts';

/** Who runs in this process, by address, and the most of one address that ever ran at a time. */
export class Presence {
  #here = new Map<string, number>();
  #process = 0;
  /** Addresses at which two ran at the same time. */
  readonly doubled = new Set<string>();

  /** @returns How to leave. */
  enter(address: string): () => void {
    const process = this.#process;
    const count = (this.#here.get(address) ?? 0) + 1;
    this.#here.set(address, count);
    if (count > 1) this.doubled.add(address);
    return () => {
      // What a process ran that has died is gone already.
      if (process === this.#process) this.#here.set(address, this.#here.get(address)! - 1);
    };
  }

  /** The process has died. */
  die(): void {
    this.#process += 1;
    this.#here.clear();
  }

  here(): string[] {
    return [...this.#here]
      .filter(([, count]) => count > 0)
      .map(([address]) => address)
      .sort();
  }
}

const text = z.object({ text: z.string() });

function refuse(message: string): never {
  throw new Error(message);
}

/** As the worker of worker.ts, with an effect that is running as long as it works. */
export function presentWorker(presence: Presence) {
  const being = fromCallback<{ type: string }, { address: string }>(({ input }) => presence.enter(input.address));
  return defineAgent({
    name: 'worker',
    machine: setup({
      types: {} as {
        context: { notes: readonly string[] };
        events: { type: 'note' | 'explode' | 'choke'; text: string } | { type: 'finish' };
      },
      actors: { being },
    }).createMachine({
      id: 'worker',
      context: { notes: [] },
      initial: 'working',
      states: {
        working: {
          invoke: {
            src: 'being',
            input: ({ self }) => ({ address: (self as unknown as { address: string }).address }),
          },
          on: {
            note: { actions: assign({ notes: ({ context, event }) => [...context.notes, event.text] }) },
            explode: { actions: ({ event }) => refuse(event.text) },
            choke: { actions: assign({ notes: ({ event }) => refuse(event.text) }) },
            finish: 'finished',
          },
        },
        finished: { type: 'final' },
      },
    }),
    events: { note: text, explode: text, choke: text, finish: z.object({}) },
  });
}

/** Watches whom it is told to. What it hears means nothing to it. */
export const watcher = defineAgent({
  name: 'watcher',
  machine: setup({ types: {} as { events: { type: 'watch'; text: string } } }).createMachine({
    on: { watch: { actions: monitor(({ event }) => event.text) } },
  }),
  events: { watch: text },
});
