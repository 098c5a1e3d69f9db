/**
 * The requests of an agent function, as asks of the Lead Coordinator and of the Debate Facilitator. A malformed request
 * is refused here, by the schema of the message that it would become.
 */
import { z } from 'zod';
import { type EffectFacts } from './actors/model/ref.ts';
import { BosunError, isBosunError } from './errors.ts';
import { CREW_ANSWER_MS } from './limits.ts';
import { messages } from './machines/coordination/messages/messages.ts';
import { response } from './machines/coordination/debates/challenge.ts';
import { type ListedDebate } from './machines/coordination/debates/debate-records.ts';
import { type AwaitTicket, type EndedTicket, ticketQuestion } from './machines/people/tickets/ticket-messages.ts';
import { type Said, talkMessageOf } from './machines/work/agent-function.ts';
import {
  type CrewAnswer,
  type CrewRequests,
  type OpenDebate,
  type PersonAnswer,
  type PersonQuestion,
} from './machines/work/crew-requests.ts';
import { type StageContext } from './machines/work/stage.ts';
import { DESKS } from './machines/desks.ts';
import { itemOf } from './machines/work/task.ts';

interface Request {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** How long one order to wait for a ticket stands before it is repeated: as long as a request may take. */
const WAIT_MS = 24 * 60 * 60 * 1000;

/** The requests to the crew that the work of one task can make. */
export interface CrewVoice {
  readonly say: (said: Said) => Promise<CrewAnswer>;
  readonly crew: CrewRequests;
}

const NAMELESS = 'name: a question needs one, of 1 to 60 letters, digits or -_.';
const questionName = z.string().regex(/^[\w.-]{1,60}$/);

const word = z.object({ debate: z.string(), by: z.string() });

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  ...messages,
  'tickets.open': ticketQuestion,
  'debate.acknowledge': word,
  'debate.accept': word,
  'debate.respond': response.extend({ debate: z.string() }),
};

/**
 * Makes the requests of one attempt of a task.
 *
 * @param hold Runs work whose time does not count for the attempt.
 */
export function crewVoice(
  facts: EffectFacts,
  task: StageContext['task'],
  hold: <T>(work: () => Promise<T>) => Promise<T> = (work) => work(),
): CrewVoice {
  const [agent, item] = [task.agent, itemOf(task)];

  const reply = (to: object | undefined, desk: string, request: Request): Promise<unknown> =>
    to === undefined
      ? Promise.resolve(refused(`there is no "${desk}" here`))
      : facts.ask({ to, event: request, timeoutMs: CREW_ANSWER_MS });

  const order = async <Answer extends CrewAnswer>(desk: string, request: Request): Promise<Answer> => {
    const { error } = SCHEMAS[request.type]!.safeParse(request); // every request created here has its schema
    if (error !== undefined) return refused(z.prettifyError(error)) as Answer;
    const to = desk === DESKS.coordinator ? coordinatorOf(facts) : deskOf(facts, desk);
    return (await reply(to, desk, request)) as Answer;
  };

  const toCoordinator = <Answer extends CrewAnswer>(request: Request) => order<Answer>(DESKS.coordinator, request);
  const inDebate = (type: string, debate: string, fields: object = {}) =>
    order(DESKS.debates, { ...fields, type, debate, by: agent });
  const openTicket = async ({ name, ...question }: PersonQuestion, isBlocking: boolean): Promise<Opened> => {
    if (!questionName.safeParse(name).success) return refused(NAMELESS);
    return order<Opened>(DESKS.tickets, {
      ...{ ...question, type: 'tickets.open', kind: 'ai_to_human', creator: agent, task: task.id, about: item },
      ...{ key: `${task.id} ${name}`, isBlocking, askedBy: coordinatorOf(facts) ?? null },
    });
  };
  const askPerson = async (question: PersonQuestion): Promise<PersonAnswer> => {
    const { ticket = null, problems } = await openTicket(question, true);
    if (ticket === null) throw new BosunError('BOSUN_ORDER_REFUSED', problems.join('; '), { details: { problems } });
    const event: AwaitTicket = { type: 'tickets.await', ticket, waiter: `${task.id} ${question.name}` };
    return hold(async () => answerIn(await endOf(facts, event)));
  };
  const say = (said: Said) => toCoordinator({ ...talkMessageOf(said, { from: agent, item }) });

  return {
    say,
    crew: {
      pause: (reason) =>
        toCoordinator({ type: 'pause.request', item, reason, checkpointId: null, trigger: 'MANUAL', createdBy: agent }),
      gate: ({ audience = ['*'], remindAfterMs = [], deadlineMs = null, ...request }) =>
        toCoordinator({ type: 'gate.request', item, audience, remindAfterMs, deadlineMs, ...request }),
      openTicket: async (question) => ({ ticket: null, ...(await openTicket(question, false)) }),
      askPerson,
      capacity: (capacity, agentType = agent) => toCoordinator({ type: 'capacity.set', agentType, capacity }),
      challenge: (content) => say({ kind: 'challenge', content }),
      debates: async () => {
        const desk = deskOf(facts, DESKS.debates);
        if (desk === undefined) return [];
        const records = await reply(desk, DESKS.debates, { type: 'debate.list', isOpen: true, agent, item });
        return (records as readonly ListedDebate[]).map((record) => seenBy(agent, record));
      },
      acknowledge: (debate) => inDebate('debate.acknowledge', debate),
      respond: (debate, given) => inDebate('debate.respond', debate, given),
      accept: (debate) => inDebate('debate.accept', debate),
    },
  };
}

type Opened = CrewAnswer & { readonly ticket?: string | null };

/** Waits for the end of a ticket, as often as an order to wait ends without it. */
async function endOf(facts: EffectFacts, event: AwaitTicket): Promise<EndedTicket> {
  for (;;) {
    try {
      const request = { to: deskOf(facts, DESKS.tickets)!, event: { ...event }, timeoutMs: WAIT_MS };
      return (await facts.ask(request)) as EndedTicket;
    } catch (error) {
      if (!isBosunError(error, 'BOSUN_TIMEOUT')) throw error;
    }
  }
}

/** The answer in a ticket that has ended. Throws for one that people rejected: the item then pauses. */
function answerIn({ ticket, taken, problems, resolution, rejection }: EndedTicket): PersonAnswer {
  if (resolution !== null && resolution !== undefined) {
    const { text, option, by } = resolution;
    return { ticket: ticket!, text, option, by };
  }
  const { by = 'system', reason = problems.join('; ') } = rejection ?? {};
  const why = `${ticket ?? 'the ticket'} ${taken ? `was rejected by ${by}` : 'cannot be read'}: ${reason}`;
  const refusal = new BosunError('BOSUN_TICKET_REJECTED', why, { details: { ticket, by, reason } });
  throw Object.assign(refusal, { errorType: 'dependency_failure' });
}

function seenBy(
  agent: string,
  { id, topic, item, level, challenger, challenged, openedAtMs, ...record }: ListedDebate,
): OpenDebate {
  const side = agent === challenger ? 'challenger' : 'challenged';
  const other = side === 'challenger' ? challenged : challenger;
  return { debate: id, topic, item, side, other, level, ...record.disputed, openedAtMs };
}

function coordinatorOf({ parent }: EffectFacts): object | undefined {
  return (parent?.getSnapshot() as { readonly context?: StageContext } | undefined)?.context?.coordinator;
}

function deskOf({ parent }: EffectFacts, systemId: string): object | undefined {
  return (parent?.system as { get(systemId: string): object | undefined } | undefined)?.get(systemId);
}

function refused(problem: string): CrewAnswer {
  return { taken: false, problems: [problem] };
}
