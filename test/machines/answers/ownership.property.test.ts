/**
 * The Answer Team and the Clarity review beside each other in the whole crew (MX-036 to MX-043): no event of any
 * machine is handled by both, and whatever people and agents do, an event moves one of the two at most.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyStateNode } from 'xstate';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { answerDesk } from '../../../src/machines/answers/answer-desk.ts';
import { questionAgent } from '../../../src/machines/answers/question.ts';
import { crewAgents } from '../../../src/machines/crew.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { ticket } from '../../../src/machines/people/tickets/ticket.ts';
import { byEffort, LONG } from '../../support/effort.ts';
import { answering, AnswerRoom, PORT_QUESTION, SECOND_MS } from '../../support/machines/answer-room.ts';
import { recordsIn } from '../../../src/machines/rules/records.ts';

const question = questionAgent();
const CREW: readonly AnyAgent[] = [...crewAgents, answerDesk, question];

/** Every event that a machine of the crew handles or an agent declares. */
const ALPHABET = new Set(
  CREW.flatMap(({ machine, events }) => [...(machine.events as readonly string[]), ...Object.keys(events)]),
);

function nodesOf(node: AnyStateNode): readonly AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(nodesOf)];
}

const handledBy = (
  { machine }: AnyAgent,
  isCounted: (node: AnyStateNode, target: AnyStateNode | undefined) => boolean,
) =>
  new Set(
    nodesOf(machine.root as AnyStateNode).flatMap((node) =>
      [...node.transitions.values()]
        .flat()
        .filter(({ target = [undefined] }) => target.some((to) => isCounted(node, to as AnyStateNode | undefined)))
        .map(({ eventType }) => eventType),
    ),
  );

const isReview = (node: AnyStateNode | undefined) => node?.path[0] === 'in_review';
const isOfReview = (node: AnyStateNode, target: AnyStateNode | undefined) => isReview(node) || isReview(target);

const ANSWER_TEAM = new Set([answerDesk, question].flatMap((agent) => [...handledBy(agent, () => true)]));
const CLARITY = handledBy(ticket, isOfReview);

describe('every event of the crew', () => {
  it('MX-043: is handled by the Answer Team, by the review of replies, or by neither', () => {
    expect(ALPHABET.size).toBeGreaterThan(150);
    for (const team of [ANSWER_TEAM, CLARITY]) {
      expect(team.size).toBeGreaterThan(3);
      for (const type of team) expect(ALPHABET).toContain(type);
    }
    expect([...ALPHABET].filter((type) => ANSWER_TEAM.has(type) && CLARITY.has(type))).toEqual([]);
  });
});

const step = fc.oneof(
  fc.record({ by: fc.constant('agent' as const), text: fc.nat(3), urgency: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ by: fc.constant('person' as const), ticket: fc.nat(3), text: fc.constantFrom('It depends.', 'North.') }),
  fc.record({ by: fc.constant('reader' as const), ticket: fc.nat(3) }),
  fc.record({ by: fc.constant('time' as const), ms: fc.constantFrom(1, 5_000, 60_000) }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const ticketId = (number: number) => `TK-${String(number + 1).padStart(4, '0')}`;

/** The questions, and the reviews of all tickets, as they are now. */
function seen(room: AnswerRoom) {
  const { next } = room.desk;
  const questions = recordsIn(room.desk).map(({ id, status, response, version }) => {
    const { value } = room.test.shard.snapshot(`${DESKS.openQuestions}/${id}`) ?? { value: null };
    return { id, status, response, version, value };
  });
  const reviews = [0, 1, 2, 3].map((number) => {
    const context = room.test.shard.snapshot(`${DESKS.openTickets}/${ticketId(number)}`)?.context;
    const { status, reviews: count } = (context ?? {}) as { readonly status?: string; readonly reviews?: number };
    return { isReviewed: status === 'in_review', count: count ?? 0 };
  });
  return { questions: JSON.stringify([questions, next]), reviews: JSON.stringify(reviews) };
}

async function take(room: AnswerRoom, one: Step): Promise<void> {
  const { test } = room;
  switch (one.by) {
    case 'agent':
      void room.ask(`Which port has the service ${one.text} to listen on?`, {
        bundle: { priority_level: one.urgency, confidence_level: 10 },
        maxWaitMs: 0,
      });
      return test.settle();
    case 'person':
    case 'reader': {
      const reply = one.by === 'person' ? { text: one.text, option: null } : { text: 'Why do you ask?', option: null };
      const type = one.by === 'person' ? 'tickets.reply' : 'tickets.preview';
      const event = { type, ticket: ticketId(one.ticket), by: 'ada', ...reply };
      await room.begin(event, DESKS.tickets).catch(() => {});
      return test.settle();
    }
    case 'time':
      return test.advance(one.ms);
  }
}

describe('agents that ask and people who reply, in any order', () => {
  it(
    'MX-036, MX-040, MX-042, MX-043: a question moves no review, and a reply no question before its review is over',
    LONG,
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
          const room = await AnswerRoom.start();
          try {
            for (const one of steps) {
              const before = seen(room);
              await take(room, one);
              const after = seen(room);
              if (one.by === 'agent') expect(after.reviews).toBe(before.reviews);
              if (one.by === 'person' || one.by === 'reader') expect(after.questions).toBe(before.questions);
            }
          } finally {
            await room.test.system.stop();
          }
        }),
        { numRuns: byEffort({ quick: 10, ci: 60, soak: 500 }) },
      );
    },
  );
});

it('MX-037, MX-038, MX-039: the team gives an answer or a ticket, the review a score and a follow-up', async () => {
  const room = await AnswerRoom.start({ ports: answering(20) });
  try {
    expect(await room.askNow(PORT_QUESTION)).toMatchObject({ status: 'waiting', ticket_id: 'TK-0001' });
    await room.order({ type: 'tickets.reply', ticket: 'TK-0001', by: 'ada', text: 'It depends.' }, DESKS.tickets);
    await room.test.advance(5 * SECOND_MS);
    const { thread } = room.context<{ thread: ReadonlyMap<string, object> }>(`${DESKS.openTickets}/TK-0001`);
    expect([...thread.values()]).toMatchObject([{ review: { isPassed: false } }, { kind: 'follow-up' }]);
    expect(room.row('Q-1')).toMatchObject({ status: 'waiting', response: null });
    expect(room.desk.next).toBe(2);
  } finally {
    await room.test.system.stop();
  }
});
