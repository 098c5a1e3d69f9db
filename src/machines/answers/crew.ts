/**
 * The answer desk for a system: agents for createSystem, and children of a root Boss. Questions go to people through
 * the ticket desk, which is part of it; alerts are optional.
 */
import { type AnyAgent } from '../../actors/model/agent.ts';
import { deskChildren } from '../rules/desk.ts';
import { ANSWER_DESKS } from './system-ids.ts';
import { answerDesk } from './answer-desk.ts';
import { type AnswerPorts } from './answer-ports.ts';
import { type AnswerDeskInput } from './desk-state.ts';
import { questionAgent } from './question.ts';

/**
 * The agents of the answer desk for createSystem, used with {@link answerChildren}. `ports` are the host's own, if any.
 */
export function answerAgents(ports: Partial<AnswerPorts> = {}): readonly AnyAgent[] {
  return [questionAgent(ports), answerDesk];
}

/** Child specs of the answer desk and of the Boss of its questions. The ticket desk must be a child too. */
export function answerChildren(input: AnswerDeskInput = {}) {
  return deskChildren({
    desk: ANSWER_DESKS.answers,
    boss: ANSWER_DESKS.openQuestions,
    agent: answerDesk.name,
    item: 'question',
    input,
  });
}
