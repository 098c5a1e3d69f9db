/** Workers whose presence can be counted: each is present while its effect runs. Also an agent that watches others. */
import { assign, fromCallback, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { monitor } from '../../../src/actors/model/talk-actions.ts';

/** Effects that run in this process, by address, and addresses that ever ran twice at a time. */
export class Presence {
  #here = new Map<string, number>();
  #process = 0;
  /** Addresses at which two ran at the same time. */
  readonly doubled = new Set<string>();

  /** @returns A function that ends the presence. */
  enter(address: string): () => void {
    const process = this.#process;
    const count = (this.#here.get(address) ?? 0) + 1;
    this.#here.set(address, count);
    if (count > 1) this.doubled.add(address);
    return () => {
      // Effects of a dead process are gone already.
      if (process === this.#process) this.#here.set(address, this.#here.get(address)! - 1);
    };
  }

  /** Records the death of the process. */
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

/** The worker of worker.ts, with an effect that runs as long as it works. */
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
    keep: { ended: { count: 0 } },
  });
}

/** Watches the actors that it is told to watch, and ignores what it hears. */
export const watcher = defineAgent({
  name: 'watcher',
  machine: setup({ types: {} as { events: { type: 'watch'; text: string } } }).createMachine({
    on: { watch: { actions: monitor(({ event }) => event.text) } },
  }),
  events: { watch: text },
  keep: { ended: { count: 0 } },
});
