/** The replies to askers (MX-111), in the form in which every door passes them on. Pure. */
import { type OrderReply } from '../rules/turn.ts';
import { type AnswerResponse } from './bundle.ts';
import { type AskReply, type AskStatus, type QuestionContext, type Settlement } from './question-state.ts';

/** The reply to an asker, which is also the reply to its order. */
export type AskedReply = OrderReply & AskReply;

const BLANK: AskReply = {
  status: 'refused',
  question_id: null,
  ticket_id: null,
  answer: null,
  source: null,
  sources: [],
  decided_by: null,
  confidence: 0,
  follow_up_needed: false,
  escalated_to_user: false,
  suggested_next_actions: null,
  problems: [],
  next: null,
  changed_answers: [],
};

/** A question with its ticket, and the person who decided it, if there is one. */
type Place = Pick<QuestionContext, 'id' | 'ticket'> & { readonly by?: string | null };

/** The reply with an answer. */
export function givenReply(
  { id, ticket, by = null }: Place,
  { sources, ...response }: AnswerResponse,
  status: Exclude<AskStatus, 'refused' | 'waiting'>,
): AskedReply {
  const [first] = sources;
  const next =
    status === 'answered'
      ? null
      : `Go on with this answer; a person is asked whether it holds, and you are told if it does not (${id}).`;
  return {
    ...BLANK,
    taken: true,
    ...response,
    status,
    question_id: id,
    ticket_id: ticket,
    source: first?.location ?? null,
    sources: [...sources],
    decided_by: by,
    suggested_next_actions: response.suggested_next_actions && [...response.suggested_next_actions],
    next,
  };
}

/** The reply while there is no answer yet. */
export function waitingReply({ id, ticket }: Place): AskedReply {
  return {
    ...BLANK,
    taken: true,
    status: 'waiting',
    question_id: id,
    ticket_id: ticket,
    escalated_to_user: ticket !== null,
    follow_up_needed: true,
    next: `Do other work and call waitForAnswer with question_id ${id}.`,
  };
}

/** The reply to an asker that will get no answer. */
export function refusedReply(problems: readonly string[], question: string | null = null): AskedReply {
  return { ...BLANK, taken: false, question_id: question, problems: [...problems] };
}

/** The confidence, in percent, in a person's answer to the question itself. */
export const PERSON_PERCENT = 95;

/** The answer that a person gave. `location`: the ticket, or the question if there was no ticket. */
export function personResponse(text: string, location: string): AnswerResponse {
  return {
    answer: text,
    confidence: PERSON_PERCENT,
    sources: [{ type: 'plan', location, excerpt: text }],
    escalated_to_user: true,
    follow_up_needed: false,
    suggested_next_actions: null,
  };
}

/** The reply after a person has settled a question. */
export function settledReply(place: Place, { resolution, because }: Settlement): AskedReply {
  if (resolution === null) return refusedReply([because ?? 'it will not be answered'], place.id);
  const { by, text } = resolution;
  return givenReply({ ...place, by }, personResponse(text, place.ticket ?? place.id), 'answered');
}
