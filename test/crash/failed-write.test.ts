/**
 * One write of a story fails, each in turn, and the outcome is the same as without a failure. The same with outages of
 * ten minutes, in which new sends are refused; with two workers, only sends to the worker whose store fails, while the
 * other worker goes on.
 */
import { describe, expect, it } from 'vitest';
import { byEffort, LONG_PATIENCE_MS } from '../support/effort.ts';
import { type Ending, type Failure, type Plot, tell } from '../support/crash/failing-story.ts';
import { expectedBooks, scriptOf, TALKATIVE } from '../support/crash/script.ts';
import { type Books, type Outside, SPREAD_STAFF, STAFF } from '../support/crash/workshop.ts';

const COMMANDS = byEffort({ quick: 60, ci: 60, soak: 240 });

const ONE: Plot = { parts: 1, staff: STAFF, script: scriptOf(COMMANDS, { name: 'failed writes' }) };
const TWO: Plot = {
  parts: 2,
  staff: SPREAD_STAFF,
  script: scriptOf(COMMANDS, { name: 'failed writes', staff: SPREAD_STAFF, shares: TALKATIVE }),
};

/** The distance between the writes of a store that fail. */
const STAGES = [
  { stage: 'one kernel', plot: ONE, stride: byEffort({ quick: 4, ci: 2, soak: 1 }) },
  { stage: 'two workers', plot: TWO, stride: byEffort({ quick: 6, ci: 4, soak: 1 }) },
];

/** Each write behind the start, by the number that it has in the undisturbed run. */
function failuresOf({ begun, writes }: Ending, length: Failure['length'], stride: number): Failure[] {
  return begun.flatMap((first, part) => {
    const numbers = Array.from(
      { length: Math.ceil((writes[part]! - first) / stride) },
      (_, index) => first + 1 + index * stride,
    );
    return numbers.flatMap((write) =>
      [false, true].map((applied) => ({ part, write, applied, length, medium: 'honest' as const })),
    );
  });
}

function withAcross(books: Books, { received, counselled }: Ending['across']): Books {
  return { ...books, received: [...books.received, ...received], counselled: [...books.counselled, ...counselled] };
}

describe.each(STAGES)('a failed write at any point of a story ($stage)', ({ stage, plot, stride }) => {
  it.each(['blip', 'outage'] as const)(
    'starts nothing twice, delivers nothing twice and loses nothing (%s)',
    async (length) => {
      const sound = await tell(plot, null);
      const { ticks, notes, ...expected } = expectedBooks(plot.script);
      expect(sound.books).toEqual({ ...expected, ticked: ticks });
      expect(notes.length).toBeGreaterThan(0);
      const failures = failuresOf(sound, length, stride);
      let refused = 0;
      for (const failure of failures) {
        const { books, outside, recovered, across, problems, refused: these } = await tell(plot, failure);
        const place = JSON.stringify(failure);
        expect(problems, place).toEqual([]);
        expect(books, place).toEqual(withAcross(sound.books, across));
        expect(recovered, place).toEqual(books);
        expect(outcomeOf(outside), place).toEqual(outcomeOf(sound.outside));
        refused += these;
      }
      console.log(
        `failed write: ${stage}, ${failures.length} ${length}s at ${sound.writes.join(' and ')} writes, ` +
          `${refused} sends refused, 0 violations`,
      );
    },
    LONG_PATIENCE_MS,
  );

  it('shows a difference if the medium forgets the retried write', async () => {
    const { begun, writes } = await tell(plot, null);
    for (const [part, all] of writes.entries()) {
      const found: number[] = [];
      // Not each of the last ones is missed: a fold writes from memory what the journal lacks.
      for (let write = all - 1; write > begun[part]! && found.length === 0; write--) {
        const { books, recovered, problems } = await tell(plot, {
          part,
          write,
          applied: false,
          length: 'blip',
          medium: 'forgetful',
        });
        if (problems.length > 0 || JSON.stringify(recovered) !== JSON.stringify(books)) found.push(write);
      }
      expect(found, `part ${part}`).not.toEqual([]);
    }
  });
});

/** Effects of different actors run side by side; an outage may change their order. */
function outcomeOf({ started, mailed, noted, fed, feeds }: Outside): object {
  const text = (items: readonly object[]) => items.map((item) => JSON.stringify(item)).toSorted();
  const inOrder = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);
  const starts = started.map(({ n, attempt }) => ({ n, attempt }));
  return {
    started: text(starts),
    mailed: inOrder(mailed.map(({ n }) => n)),
    noted: inOrder(noted),
    fed: inOrder(fed),
    feeds,
  };
}
