/**
 * Diarists: actors that note what they are told, with keys, and end in each of the ways in which an actor can end. Two
 * agents share the machine; of one only the latest results are kept. Beside them a counter, for the fold.
 */
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { KEYSPACE } from '../../../src/actors/model/ports.ts';
import { record } from '../../../src/actors/model/talk-actions.ts';
import { type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { counter } from '../actors/scribe.ts';

/** The results that are kept of the agent `brief`. */
export const BRIEF_KEEPS = 3;

export interface Entry {
  /** The life that wrote it, as the host names it. */
  readonly life: number;
  /** The number that it was told; `begin` at each start. */
  readonly what: number | 'begin';
}

interface Context {
  readonly life: number;
  readonly told: number;
}

export type Told = { type: 'note'; what: number } | { type: 'fail' } | { type: 'end' };

const machine = setup({
  types: {} as { context: Context; input: { life: number }; output: Context; events: Told },
}).createMachine({
  context: ({ input }) => ({ life: input.life, told: 0 }),
  initial: 'open',
  output: ({ context }) => context,
  entry: record('diary', ({ context }) => ({ life: context.life, what: 'begin' })),
  states: {
    open: {
      on: {
        note: {
          actions: [
            assign({ told: ({ context }) => context.told + 1 }),
            record('diary', ({ context, event }) => ({ life: context.life, what: event.what })),
          ],
        },
        fail: {
          actions: assign(() => {
            throw new Error('no more ink');
          }),
        },
        end: 'over',
      },
    },
    over: { type: 'final' },
  },
});

function diarist(name: 'brief' | 'long', kept: number) {
  return defineAgent({
    name,
    machine,
    events: { note: z.object({ what: z.number() }), fail: z.object({}), end: z.object({}) },
    records: { diary: { keys: { life: 'life' } } },
    trace: { keep: 20 },
    keep: { ended: { count: kept } },
  });
}

export const DIARISTS = { brief: diarist('brief', BRIEF_KEEPS), long: diarist('long', 1_000) } as const;

export type DiaristName = keyof typeof DIARISTS;

export const DIARY_OPTIONS: Omit<TestSystemOptions, 'store'> = {
  agents: [DIARISTS.brief, DIARISTS.long, counter],
  tree: { intensity: 1_000_000, children: [{ id: 'counter', agent: 'counter' }] },
  journal: { fold: { windowEpochs: 6, sliceRecords: 4 } },
};

/** Turns that fill the window of the fold several times. */
const FOLDED_BY = 40;

/** Makes the fold write everything that is pending. */
export async function foldAll(test: TestSystem): Promise<void> {
  for (let n = 0; n < FOLDED_BY; n++) {
    await test.shard.send('counter', { type: 'add' });
    await test.settle();
  }
}

const LIFE = /[0-9a-f]{14}$/;

/** The lives that own rows in the store about what is recorded, kept or left behind, by letter of the keyspace. */
export function storedLives(test: TestSystem): ReadonlyMap<string, ReadonlySet<number>> {
  const { records, recordKeys, turns, turnSpans, results, endedLives, recordPurges } = KEYSPACE;
  const [ofLife, atEnd] = [
    [records, turns, turnSpans, endedLives, recordPurges],
    [recordKeys, results],
  ];
  const lives = new Map<string, Set<number>>([...ofLife, ...atEnd].map((letter) => [letter, new Set()]));
  for (const [key] of test.store.entries()) {
    const letter = key[0]!;
    const digits = atEnd.includes(letter as never) ? LIFE.exec(key)?.[0] : key.split('!')[1];
    if (digits !== undefined) lives.get(letter)?.add(parseInt(digits, 16));
  }
  return lives;
}
