/**
 * The requests of an agent function, as asks of the Lead Coordinator and of the Debate Facilitator. A malformed request
 * is refused here, by the schema of the message that it would become.
 */
import { z } from 'zod';
import { type EffectFacts } from './actors/model/ref.ts';
import { CREW_ANSWER_MS } from './limits.ts';
import { messages } from './machines/coordination/messages/messages.ts';
import { response } from './machines/coordination/debates/challenge.ts';
import { type ListedDebate } from './machines/coordination/debates/debate-records.ts';
import { type Said, talkMessageOf } from './machines/work/agent-function.ts';
import { type CrewAnswer, type CrewRequests, type OpenDebate } from './machines/work/crew-requests.ts';
import { type StageContext } from './machines/work/stage.ts';
import { DESKS } from './machines/desks.ts';
import { itemOf } from './machines/work/task.ts';

interface Request {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The requests to the crew that the work of one task can make. */
export interface CrewVoice {
  readonly say: (said: Said) => Promise<CrewAnswer>;
  readonly crew: CrewRequests;
}

const word = z.object({ debate: z.string(), by: z.string() });

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  ...messages,
  'debate.acknowledge': word,
  'debate.accept': word,
  'debate.respond': response.extend({ debate: z.string() }),
};

export function crewVoice(facts: EffectFacts, task: StageContext['task']): CrewVoice {
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
  const say = (said: Said) => toCoordinator({ ...talkMessageOf(said, { from: agent, item }) });

  return {
    say,
    crew: {
      pause: (reason) =>
        toCoordinator({ type: 'pause.request', item, reason, checkpointId: null, trigger: 'MANUAL', createdBy: agent }),
      gate: ({ audience = ['*'], remindAfterMs = [], deadlineMs = null, ...request }) =>
        toCoordinator({ type: 'gate.request', item, audience, remindAfterMs, deadlineMs, ...request }),
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
