/**
 * The Clarity review and the Answer Team share no event (MX-043). The alphabet is read from the machines of the whole
 * crew, so that an event added later is held to the rule, too.
 */
import { describe, expect, it } from 'vitest';
import { type StateNode } from 'xstate';
import { type AnyAgent } from '../../../../src/actors/model/agent.ts';
import { crewAgents } from '../../../../src/machines/crew.ts';
import { followUpOf, verdictOf } from '../../../../src/machines/people/clarity/clarity-score.ts';
import { scoreReply } from '../../../../src/machines/people/clarity/clarity.ts';
import { ticket } from '../../../../src/machines/people/tickets/ticket.ts';

interface Handled {
  readonly agent: string;
  readonly type: string;
}

/** Every event that a machine of the crew handles or an agent declares, but for the Answer Team. */
const ALPHABET: readonly Handled[] = crewAgents.flatMap((agent: AnyAgent) =>
  [...new Set([...(agent.machine.events as readonly string[]), ...Object.keys(agent.events)])].map((type) => ({
    agent: agent.name,
    type,
  })),
);

/** Owners of an event type by the split of responsibilities: questions are the Answer Team's, replies Clarity's. */
const OWNERS = {
  answers: (type: string) => /^(?:question|answers)\./.test(type),
  clarity: (type: string) => /^reply\./.test(type) || type.includes('scoreClarity'),
};

function nodesBelow(node: StateNode<never, never>): readonly StateNode<never, never>[] {
  return [node, ...Object.values(node.states).flatMap((child) => nodesBelow(child as StateNode<never, never>))];
}

const nodes = nodesBelow(ticket.machine.root as unknown as StateNode<never, never>);
const isReview = ({ path }: { readonly path: readonly string[] }) => path[0] === 'in_review';

describe('the events of the crew', () => {
  it('MX-042, MX-043: reach tickets alone if they are replies, and no ticket if they are questions', () => {
    const replies = ALPHABET.filter(({ type }) => OWNERS.clarity(type));
    expect(new Set(replies.map(({ agent }) => agent))).toEqual(new Set([ticket.name]));
    expect(replies.map(({ type }) => type)).toEqual(expect.arrayContaining(['reply.given', 'reply.preview']));
    expect(ALPHABET.filter(({ agent, type }) => agent.startsWith('ticket') && OWNERS.answers(type))).toEqual([]);
  });
});

describe('the review', () => {
  it('MX-036, MX-043: begins with a reply and with no other event of the alphabet', () => {
    const into = nodes
      .filter((node) => !isReview(node))
      .flatMap((node) => [...node.transitions.values()].flat())
      .filter(({ target = [] }) => target.some(isReview))
      .map(({ eventType }) => eventType);
    expect(new Set(into)).toEqual(new Set(['reply.given']));
  });

  it('MX-039: ends in the ticket itself: resolved, asked again, or escalated', () => {
    const scored = nodes.find(({ path }) => path.join('.') === 'in_review.scored')!;
    expect((scored.always ?? []).map(({ target = [] }) => target.map(({ path }) => path.join('.')))).toEqual([
      ['resolved'],
      ['escalated'],
      ['open'],
    ]);
  });

  it('MX-037, MX-038: makes of a reply a score from 0 to 100 and a verdict at 85', () => {
    const verdict = (clarity: number) => verdictOf({ clarity, completeness: clarity, accuracy: clarity, points: [] });
    expect([84.9, 84.96, 85, 100].map((score) => verdict(score).isPassed)).toEqual([false, true, true, true]);
  });

  it('MX-E01: is for the reply "Use PostgreSQL because ..." to "PostgreSQL or MongoDB?"', () => {
    const reply = 'Use PostgreSQL because the reports are joins over five tables.';
    const question = { title: 'PostgreSQL or MongoDB?', description: '', options: [], evidence: [] };
    const verdict = verdictOf(scoreReply({ ...question, reply, option: null, earlier: [] }));
    expect(verdict).toMatchObject({ isPassed: true, completeness: 100 });
  });
});

describe('a verdict', () => {
  it('MX-062, MX-E08: is the mean of clarity, completeness and accuracy: 95, 90 and 80 are 88.3 and pass', () => {
    const verdict = verdictOf({ clarity: 95, completeness: 90, accuracy: 80, points: [] });
    expect(verdict).toMatchObject({ total: 88.3, isPassed: true });
  });

  it('MX-098: is followed up by one to three questions, the most important first', () => {
    const points = ['a', 'b', 'c', 'd'].map((missing) => ({ missing, question: `${missing}?` }));
    const score = (count: number) => ({ clarity: 0, completeness: 0, accuracy: 0, points: points.slice(0, count) });
    expect(followUpOf(score(4))).toEqual({
      text: 'Not fully clear. Please clarify a; b; c.',
      questions: ['a?', 'b?', 'c?'],
    });
    expect(followUpOf(score(1))).toEqual({ text: 'Not fully clear. Please clarify a.', questions: ['a?'] });
    expect(followUpOf(score(0)).text).toBe('Not fully clear. Please clarify what is to be done.');
  });
});
