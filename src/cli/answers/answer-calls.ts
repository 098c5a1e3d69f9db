/** Calls of the answer desk of a running system. They go to its procedures, so they work over any gateway. */
import { BosunError } from '../../errors.ts';
import { type AnswerUser, type QuestionRow } from '../../machines/answers/desk-state.ts';
import { type Precedent } from '../../machines/answers/precedents.ts';
import { type OrderReply } from '../../machines/rules/turn.ts';
import { withData } from '../reach/data-work.ts';
import { refusedOrder } from '../desks/desk-view.ts';
import { type ExitCode } from '../exit-codes.ts';
import { type LiveGateway } from '../reach/live-gateway.ts';
import { type DataCommand } from '../surroundings.ts';

/** The command that starts a system with an answer desk. */
const STARTER = 'bosun desk';

export type Question = Pick<
  QuestionRow,
  | 'id'
  | 'text'
  | 'asker'
  | 'task'
  | 'scope'
  | 'status'
  | 'priority'
  | 'response'
  | 'factors'
  | 'by'
  | 'ticket'
  | 'askedAtMs'
>;

/** A question with its users and its history. */
export interface Shown {
  readonly question: Question | null;
  readonly users: readonly Pick<AnswerUser, 'asker' | 'task' | 'atMs'>[];
  /** For whom the answer is kept; null if it is not. */
  readonly kept: Pick<Precedent, 'scope' | 'planVersion'> | null;
  readonly earlier: Precedent['earlier'];
}

/** Does work on the running system of a command. */
export function withDesk(
  command: DataCommand,
  live: (gateway: LiveGateway) => Promise<ExitCode | void>,
): Promise<ExitCode> {
  return withData(command, { starter: STARTER, live });
}

/** The offers of gateways, asked for once each. */
const offered = new WeakMap<LiveGateway, ReturnType<LiveGateway['offers']>>();

/** Calls a procedure of a desk. Rejects with BOSUN_CALL_INVALID if the system does not offer it. */
export async function called<Answer>(
  gateway: LiveGateway,
  name: string,
  params: Readonly<Record<string, unknown>>,
  within: { readonly deadlineMs?: number } = {},
): Promise<Answer> {
  const offers = offered.get(gateway) ?? gateway.offers();
  offered.set(gateway, offers);
  const offer = (await offers).find((one) => one.name === name);
  if (offer === undefined)
    throw new BosunError('BOSUN_CALL_INVALID', `the system does not offer ${name}: ${STARTER} starts one that does`);
  // The row of the procedure has checked the answer.
  return (await gateway.callOffered(offer, params, within)) as Answer;
}

/** Gives the desk an order by a procedure. Rejects with BOSUN_EVENT_REFUSED if the desk refuses it. */
export async function ordered<Reply extends OrderReply>(
  gateway: LiveGateway,
  name: string,
  params: Readonly<Record<string, unknown>>,
): Promise<Reply> {
  const reply = await called<Reply>(gateway, name, params);
  if (!reply.taken) throw refusedOrder(reply.problems.join('; '));
  return reply;
}

/** A question by its id. Rejects with BOSUN_ACTOR_UNKNOWN if there is none. */
export async function questionOf(gateway: LiveGateway, id: string): Promise<Shown & { readonly question: Question }> {
  const shown = await called<Shown>(gateway, 'answers.show', { question_id: id });
  const { question } = shown;
  if (question === null) throw new BosunError('BOSUN_ACTOR_UNKNOWN', `no question "${id}"; bosun questions list --all`);
  return { ...shown, question };
}
