/** A promise that a test settles, and a machine that waits for it. */
import { assign, fromPromise, setup } from 'xstate';
import { effectOf } from '../../../src/actors/model/ref.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';

export interface Start {
  readonly effectId: string;
  readonly attempt: number;
  readonly input: unknown;
  /** Settles this start. */
  resolve(output: unknown): void;
  reject(error: Error): void;
}

/** A promise that a test settles, and the list of its starts. */
export function promised() {
  const starts: Start[] = [];
  const aborted: number[] = [];
  const logic = fromPromise(({ self, input, signal }) => {
    const { effectId, attempt } = effectOf(self);
    signal.addEventListener('abort', () => aborted.push(attempt));
    return new Promise<unknown>((resolve, reject) => void starts.push({ effectId, attempt, input, resolve, reject }));
  });
  return { starts, aborted, logic };
}

const broken = assign(() => {
  throw new Error('broken');
});

/** A machine that waits for one answer, in `asking`, and keeps it. */
export function asking(logic: ReturnType<typeof promised>['logic'], { onError }: { onError?: string | object } = {}) {
  return setup({ types: {} as { context: { got: unknown[] } }, actors: { logic } }).createMachine({
    context: { got: [] },
    initial: 'asking',
    states: {
      asking: {
        invoke: {
          src: 'logic',
          id: 'ask',
          input: { question: 'why' },
          onDone: {
            target: 'answered',
            actions: assign({ got: ({ context, event }) => [...context.got, event.output] }),
          },
          ...(onError !== undefined && { onError: onError as never }),
        },
        on: { AGAIN: { target: 'asking', reenter: true }, LEAVE: 'left', BREAK: { actions: broken as never } },
      },
      answered: {},
      left: {},
    },
  });
}

/** Does something outside the system and waits until the system has handled it. */
export async function settle(test: TestSystem, act: () => void): Promise<void> {
  act();
  await test.settle();
}
