/**
 * The answer desk under simulation: agents and actors that ask at random, sources that know some of it well, some badly
 * and some not at all, and people who answer, correct, reject and reopen at random or not at all.
 */
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';
import { type SimulationOptions, type View } from 'bosun/testing';
import { answerCrew } from 'bosun/crew';
import { type Formulate, type GivenDraft } from '../../../src/machines/answers/answer-ports.ts';
import { type AnswerDeskContext, type QuestionRow } from '../../../src/machines/answers/desk-state.ts';
import { type Retrieval, type Retrieve } from '../../../src/machines/answers/evidence.ts';
import { type AskReply } from '../../../src/machines/answers/question-state.ts';
import { type TicketDeskContext } from '../../../src/machines/people/tickets/ticket-desk.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { asker, evidenceFor, type Heard, SECOND_MS } from './answer-room.ts';
import { recordsIn } from '../../../src/machines/rules/records.ts';

/** The actors that ask; other askers are clients from outside. */
export const ACTORS = ['first', 'second'] as const;
const CLIENTS = ['coder', 'reviewer', 'builder'];
const PEOPLE = ['ada', 'bob'];

/** Milliseconds for which an asker waits: less than those of its call. */
const WAITS_MS = [0, SECOND_MS, 4 * SECOND_MS];

export interface Asking {
  /** Services that are asked about. */
  readonly services: number;
  /** Services of which the sources know one not at all, one badly, and the others well. */
  readonly oneIn: number;
  /** Milliseconds that an answer takes at most. With three places, long ones make questions late. */
  readonly formulateMs: number;
}

function knownOf(question: string, { oneIn }: Asking): 'well' | 'badly' | 'not' {
  const number = Number(/\d+/.exec(question)?.[0] ?? 0);
  return (['not', 'badly'] as const)[number % oneIn] ?? 'well';
}

function retrieved({ question }: Retrieve, asking: Asking): Retrieval {
  if (knownOf(question, asking) === 'not') return { evidence: [], complete: true };
  // Each run finds the same.
  const source = { type: 'code', scope: 'shop', file: 'settings.json', line: 1 } as const;
  const found = [
    evidenceFor('north', { source }),
    evidenceFor('north', { kind: 'used', source: { ...source, line: 2 } }),
  ];
  return { evidence: found, complete: true };
}

/** Says what the sources say, and cites precedents beside them. */
function formulated({ bundle, evidence }: Formulate, asking: Asking): GivenDraft | null {
  if (evidence.length === 0) return null;
  const answer = `Take \`north\`: that is the answer to which port is meant by: ${bundle.question}`;
  return { answer, confidence: knownOf(bundle.question, asking) === 'well' ? 95 : 50, citations: evidence.slice(0, 5) };
}

/** A simulation of about one question a step. */
export function deskUnderSimulation(asking: Asking): Omit<SimulationOptions<Shown>, 'properties'> {
  return {
    world: () => ({ rows: new Map(), starts: 0 }),
    system: (world) => {
      world.starts += 1;
      const { agents, tree } = answerCrew();
      const children = [...(tree.children ?? []), ...ACTORS.map((id) => ({ id, agent: asker.name }))];
      return { agents: [...agents, asker], tree: { ...tree, children } };
    },
    effects: {
      'question.retrieve': {
        latencyMs: [0, 2_000],
        fails: 0.05,
        hangs: 0.03,
        run: (input) => retrieved(input as Retrieve, asking),
      },
      'question.formulate': {
        latencyMs: [0, asking.formulateMs],
        fails: 0.05,
        hangs: 0.03,
        run: (input) => formulated(input as Formulate, asking),
      },
    },
    clients: ({ chance }) => Array.from({ length: 1 + chance.integer(3) }, () => deedOf(chance, asking)),
    times: [1, 100, SECOND_MS, 10 * SECOND_MS, 60 * SECOND_MS, 3_600 * SECOND_MS],
    healMs: 3_600 * SECOND_MS,
    // An order that is passed on to a question or ticket while that ends is answered by its desk.
    tolerates: ['no dead letter goes unmentioned'],
  };
}

function deedOf(chance: SeededRandom, { services }: Asking): { address: string; event: never; ask?: boolean } {
  const service = chance.integer(services);
  const ticket = `TK-${String(1 + chance.integer(services)).padStart(4, '0')}`;
  const question = `Q-${1 + chance.integer(services)}`;
  const by = chance.pick(PEOPLE);
  const text = `Port ${1_000 + chance.integer(1_000_000_000)} as decided.`;
  const [client, actor] = [chance.pick(CLIENTS), chance.pick(ACTORS)];
  const bundle = {
    question: chance.pick([
      `Which port has service ${service} to listen on?`,
      `Which port has the backup of service ${service} to listen on?`,
    ]),
    current_task_id: chance.pick([null, 'TASK-1', 'TASK-2']),
    priority_level: chance.pick([1, 2, 3]),
    confidence_level: chance.integer(90),
  };
  // A key is the same for both questions about a service.
  const key = chance.pick([null, null, `service ${service}`]);
  const ask = { bundle, asker: client, key, maxWaitMs: chance.pick(WAITS_MS) };
  const ordered = (address: string, event: object) => ({ address, event: event as never, ask: true });
  const reason = 'so it is';
  const [asks, others] = [
    [
      ordered(DESKS.answers, { type: 'answers.ask', ...ask }),
      { address: actor, event: { type: 'ask', order: { ...ask, asker: actor } } as never },
    ],
    [
      ordered(DESKS.answers, { type: 'answers.wait', question, asker: client, maxWaitMs: ask.maxWaitMs }),
      ordered(DESKS.answers, { type: 'answers.correct', question, text, by }),
      ordered(DESKS.answers, { type: 'answers.judge', question, wasRight: chance.integer(2) === 1 }),
      ordered(DESKS.tickets, { type: 'tickets.reply', ticket, by, text, author: 'person' }),
      ordered(DESKS.tickets, { type: 'tickets.reply', ticket, by, text: 'the usual one', author: 'person' }),
      ordered(DESKS.tickets, { type: 'tickets.resolve', ticket, by, text: chance.pick([text, 'north']), reason }),
      ordered(DESKS.tickets, { type: 'tickets.reject', ticket, by, reason }),
      ordered(DESKS.tickets, { type: 'tickets.reopen', ticket, by, reason }),
    ],
  ];
  return chance.integer(2) === 0 ? chance.pick(asks) : chance.pick(others);
}

export interface Shown {
  /** Questions as a reader saw them last. */
  readonly rows: Map<string, QuestionRow>;
  /** Starts of the host's process. */
  starts: number;
}

type Any = View<Shown>;

function contextOf<Context>({ snapshot }: Any, address: string): Context {
  return snapshot(address)!.context as Context;
}

export const deskIn = (view: Any): AnswerDeskContext => contextOf(view, DESKS.answers);

export function questionsIn(view: Any): readonly QuestionRow[] {
  return recordsIn(deskIn(view));
}

/** Tickets by the question that they are about: those that people can answer, or all. */
export function ticketsIn(view: Any, which: 'waiting' | 'all'): ReadonlyMap<string, readonly string[]> {
  const byQuestion = new Map<string, string[]>();
  const { waiting, settled, archived } = contextOf<TicketDeskContext>(view, DESKS.tickets);
  for (const { id, about } of (which === 'waiting' ? [waiting] : [waiting, settled, archived]).flatMap((shelf) => [
    ...shelf.values(),
  ]))
    if (about !== null) byQuestion.set(about, [...(byQuestion.get(about) ?? []), id]);
  return byQuestion;
}

/** Texts that a person has said, or may have said, about a question or in the thread of its ticket. */
export function saidBy({ acked, open }: Any, person: string, { id, ticket }: QuestionRow): ReadonlySet<string> {
  const said = [...acked, ...open].map(
    ({ event }) => event as { by?: string; text?: string; [field: string]: unknown },
  );
  return new Set(
    said.flatMap(({ by, text, question, ticket: thread }) =>
      by === person && (question === id || thread === ticket) ? (text ?? []) : [],
    ),
  );
}

/** Numbers of users that the corrections by people told, as the desk replied. */
export function toldIn({ acked }: Any): readonly number[] {
  return acked.flatMap(({ event, reply }) =>
    event.type === 'answers.correct' ? ((reply as { told?: number } | undefined)?.told ?? []) : [],
  );
}

export function heardBy(view: Any, actor: string): readonly Heard[] {
  return contextOf<{ heard: Heard[] }>(view, actor).heard;
}

/** The replies that clients had, with the askers. */
export function repliesIn(view: Any): readonly Replied[] {
  return view.acked.flatMap(({ event, reply }) => {
    const { type, asker: by } = event as { type: string; asker?: string };
    return (type === 'answers.ask' || type === 'answers.wait') && by !== undefined
      ? [{ asker: by, reply: reply as AskReply }]
      : [];
  });
}

interface Replied {
  readonly asker: string;
  readonly reply: AskReply;
}
