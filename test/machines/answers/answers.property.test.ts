/**
 * Questions at random, with people who answer at random or not at all, and a host that is killed at random: no question
 * is lost, none is doubled, and no answer changes without a correction.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnswerPorts } from '../../../src/machines/answers/answer-ports.ts';
import { counted, NO_FIGURES } from '../../../src/machines/answers/metrics.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { byEffort, LONG } from '../../support/effort.ts';
import { AnswerRoom, evidenceFor, SECOND_MS } from '../../support/machines/answer-room.ts';
import { endedIn, openIn, recordsIn } from '../../../src/machines/rules/records.ts';

const SUBJECTS = ['mail', 'print', 'fax', 'phone', 'radio', 'post'];

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      subject: fc.nat(5),
      asker: fc.nat(2),
      priority: fc.integer({ min: 1, max: 3 }),
      confidence: fc.integer({ min: 0, max: 94 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('reply' as const),
      ticket: fc.nat(5),
      text: fc.constantFrom('north', 'South, since May.'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reject' as const), ticket: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('correct' as const), question: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, 5_000, 15_000, 61_000) }),
  },
);

/** Answers of every confidence, malformed ones, late ones and none, by the subject of the question. */
const ports: Partial<AnswerPorts> = {
  retrieve: ({ question }) =>
    question.includes('post')
      ? new Promise(() => {})
      : Promise.resolve({
          evidence: [evidenceFor('north'), evidenceFor('north', { kind: 'decided' })],
          complete: true,
        }),
  formulate: ({ bundle: { question }, evidence }) => {
    const confidence = { mail: 90, print: 55, fax: 20 }[SUBJECTS.find((one) => question.includes(one))!];
    if (question.includes('phone')) return Promise.reject(new Error('busy'));
    if (confidence === undefined) return new Promise(() => {});
    const answer = `Take \`north\`: ${question} The service has to listen on north, as the settings say.`;
    return Promise.resolve({ answer, confidence, citations: [...evidence].slice(0, 1) });
  },
};

describe('any questions and people', () => {
  it(
    'leave every question answered, provisional, confirmed, revoked or unanswered, or waiting with an open ticket',
    LONG,
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
          const room = await AnswerRoom.start({ ports });
          try {
            const answers = new Map<string, { answer: string | null; version: number; by: string | null }>();
            for (const one of steps) {
              await take(room, one);
              await room.test.settle();
              unchanged(room, answers);
            }
            await room.test.advance(120 * SECOND_MS);
            await room.powerCut();
            await settledAll(room);
          } finally {
            await room.test.system.stop();
          }
        }),
        { numRuns: byEffort({ quick: 15, ci: 100, soak: 1_000 }) },
      );
    },
  );
});

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

async function take(room: AnswerRoom, one: Step): Promise<void> {
  const order = (event: { type: string; [field: string]: unknown }, to: string) =>
    void room.begin(event, to).catch(() => {});
  switch (one.do) {
    case 'ask':
      void room
        .ask(`Which port has the ${SUBJECTS[one.subject]!} service to listen on?`, {
          bundle: { priority_level: one.priority, confidence_level: one.confidence },
          asker: `asker ${one.asker}`,
        })
        .catch(() => {});
      return;
    case 'reply':
      return order(
        { type: 'tickets.resolve', ticket: ticket(one.ticket), by: 'ada', text: one.text, reason: 'decided' },
        DESKS.tickets,
      );
    case 'reject':
      return order(
        { type: 'tickets.reject', ticket: ticket(one.ticket), by: 'ada', reason: 'not ours' },
        DESKS.tickets,
      );
    case 'correct':
      return order(
        { type: 'answers.correct', question: `Q-${one.question + 1}`, text: 'East.', by: 'bob' },
        DESKS.answers,
      );
    case 'crash':
      return room.powerCut();
    case 'pass':
      return room.test.advance(one.ms);
  }
}

function ticket(number: number): string {
  return `TK-${String(number + 1).padStart(4, '0')}`;
}

/** An answer that is known stays, unless its version or the person who said it changes. */
function unchanged(
  room: AnswerRoom,
  answers: Map<string, { answer: string | null; version: number; by: string | null }>,
): void {
  for (const { id, response, version, by } of recordsIn(room.desk)) {
    const before = answers.get(id);
    const answer = response?.answer ?? null;
    if (before !== undefined && before.answer !== null && before.version === version && before.by === by)
      expect({ id, answer }).toEqual({ id, answer: before.answer });
    answers.set(id, { answer, version, by });
  }
}

async function settledAll(room: AnswerRoom): Promise<void> {
  const { rows, next, queue, placesTaken } = room.desk;
  expect([...queue.keys()]).toEqual([]);
  expect(placesTaken).toBe(0);
  expect(rows.size).toBe(next - 1);
  for (const row of endedIn(room.desk)) {
    expect(['answered', 'provisional', 'confirmed', 'revoked', 'unanswered']).toContain(row.status);
    expect(room.state(row.id)).toBe(undefined);
  }
  const tickets = new Set<string>();
  for (const row of openIn(room.desk)) {
    expect(['waiting', 'provisional']).toContain(row.status);
    expect(room.test.shard.snapshot(`open-tickets/${row.ticket!}`)?.status).toBe('active');
    expect(tickets.has(row.ticket!)).toBe(false);
    tickets.add(row.ticket!);
  }
  expect(room.desk.figures).toEqual((await room.log()).reduce(counted, NO_FIGURES));
}
