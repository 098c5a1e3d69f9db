/** The orders about kept answers: which are kept, for whom they hold, and pages of all of them. */
import { type OrderReply, refused, TAKEN } from '../rules/turn.ts';
import { numberKey } from '../rules/table-keys.ts';
import { recordOf } from './desk-asking.ts';
import { type AnswerTurn } from './desk-log.ts';
import { type AnswerOrder } from './desk-state.ts';
import { type Precedent, precedentFor, precedentPut } from './precedents.ts';

/** A precedent as clients see it. */
export type KeptAnswer = Omit<Precedent, 'number'>;

export function keptAnswer({ number: _, ...precedent }: Precedent): KeptAnswer {
  return precedent;
}

/** Keeps the answer of a settled question for later ones. */
export function pin(
  turn: AnswerTurn,
  { question: id, by }: Pick<AnswerOrder<'answers.pin'>, 'question' | 'by'>,
): OrderReply {
  const row = recordOf(turn, id);
  if (row === undefined) return refused(`no question "${id}"`);
  if (row.response === null || !row.isOver) return refused(`${id} has no settled answer that could be kept`);
  if (row.status === 'revoked' && row.by === null) return refused(`the answer of ${id} holds no longer`);
  const { text, ticket, response, scope = null } = row;
  const saying = { answer: response.answer, by, reason: null, atMs: turn.nowMs };
  turn.assign(precedentPut(turn.context, { question: id, text, ticket, scope, ...saying }));
  return TAKEN;
}

/** Says for whom a kept answer holds. */
export function limit(turn: AnswerTurn, { question, scope, planOnly }: AnswerOrder<'answers.scope'>): OrderReply {
  const { precedents, planVersion } = turn.context;
  if (!precedents.has(question)) return refused(`no answer to "${question}" is kept`);
  const holds = { scope, planVersion: planOnly ? planVersion : null };
  turn.assign({ precedents: precedentFor(precedents, question, holds) });
  return TAKEN;
}

/** A page of the kept answers, in the order in which they were given first. */
export function exported({ context }: AnswerTurn, { after, limit: max }: AnswerOrder<'answers.export'>) {
  const numbers = context.precedentOrder.entries({ from: numberKey(after + 1) });
  const page: Precedent[] = [];
  for (const [, { question }] of numbers) {
    if (page.length > max) break;
    page.push(context.precedents.get(question)!); // both tables have it
  }
  const isLast = page.length <= max;
  const kept = page.slice(0, max);
  return { kept: kept.map(keptAnswer), next: isLast ? null : kept.at(-1)!.number };
}
