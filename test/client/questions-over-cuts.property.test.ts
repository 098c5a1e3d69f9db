/**
 * Questions over lines that are cut at any frame: a request or its reply is lost, the client repeats it by its key, and
 * who opens another client asks again by the key of the question. None is lost, none doubled, each has its own reply.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { answerCrew, type AnswerPorts } from 'bosun/crew';
import { type Client } from '../../src/client/client.ts';
import { type SocketClass } from '../../src/client/platform.ts';
import { type AnswerDeskContext, type QuestionRow } from '../../src/machines/answers/desk-state.ts';
import { type AskReply } from '../../src/machines/answers/question-state.ts';
import { DESKS } from '../../src/machines/desks.ts';
import { type TicketDeskContext } from '../../src/machines/people/tickets/ticket-desk.ts';
import { startTestSystem } from '../../src/testing/test-system.ts';
import { ClientTest } from '../support/client/client-kit.ts';
import { byEffort, EFFORT } from '../support/effort.ts';
import { GatewayTest } from '../support/gateway/memory-client.ts';
import { evidenceFor, SECOND_MS } from '../support/machines/answer-room.ts';
import { recordsIn } from '../../src/machines/rules/records.ts';

const RUNS = byEffort({ quick: 3, ci: 40, soak: 400 });
const ASKERS = ['coder', 'reviewer', 'ada'];
/** Questions of each asker; people are asked every third one. */
const QUESTIONS = 9;
const CALL_MS = 60_000;

const portOf = (number: number) => String(8_000 + number);
const numberIn = (text: string) => Number(/gate(\d+)/.exec(text)![1]);
const isKnown = (number: number) => number % 3 !== 0;

const answerTo = (number: number) =>
  `Take \`${portOf(number)}\`: that is the port on which gate${number} has to listen, as its settings say.`;

const ports: Partial<AnswerPorts> = {
  retrieve: ({ question }) => {
    const number = numberIn(question);
    const found = [evidenceFor(portOf(number)), evidenceFor(portOf(number), { kind: 'decided' })];
    return Promise.resolve({ evidence: isKnown(number) ? found : [], complete: true });
  },
  formulate: ({ bundle: { question }, evidence }) => {
    const number = numberIn(question);
    const draft = { answer: answerTo(number), confidence: 95, citations: evidence.slice(0, 2) };
    return Promise.resolve(isKnown(number) ? draft : null);
  },
};

/** A frame that is cut: so many frames after the cut before, and lost or the last that arrives. */
interface Cut {
  readonly after: number;
  readonly isLost: boolean;
}

/** A socket of which frames in both directions are counted, and which breaks at the frames that were drawn. */
function cutting(WebSocket: SocketClass, cuts: Cut[]): SocketClass {
  let frames = 0;
  const passed = (socket: Cuttable, pass: () => void) => {
    const [next] = cuts;
    if (next === undefined || frames++ < next.after) return pass();
    cuts.shift();
    frames = 0;
    if (!next.isLost) pass();
    socket.cut();
  };
  class Cuttable extends WebSocket {
    declare cut: () => void;
    constructor(url: string, protocols: string[]) {
      super(url, protocols);
      let hear: ((event: never) => void) | null = null;
      Object.defineProperty(this, 'onmessage', {
        get: () => (event: never) => passed(this, () => hear?.(event)),
        set: (heard: typeof hear) => (hear = heard),
      });
    }
    override send(data: string): void {
      passed(this, () => super.send(data));
    }
  }
  return Cuttable;
}

interface Order {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** An asker, with all replies that it had by the numbers of its questions. */
class Asker {
  readonly name: string;
  readonly replies: { readonly number: number; readonly reply: AskReply }[] = [];
  readonly asked = new Set<number>();
  /** Whether a reply may be lost with its client, or with the patience for it. */
  hasMissed = false;
  readonly #open: () => Client;
  #client: Client;
  #calls = 0;

  constructor(name: string, open: () => Client) {
    this.name = name;
    this.#open = open;
    this.#client = open();
  }

  /** Asks by the key of the question, in other words each time. */
  async ask(number: number): Promise<void> {
    this.asked.add(number);
    const words = this.#calls % 2 === 0 ? 'Which port does' : 'On which of the ports does';
    const bundle = { question: `${words} gate${number} listen?`, confidence_level: 60, priority_level: 1 };
    const shared = { asker: this.name, key: `gate ${number}`, maxWaitMs: 2 * SECOND_MS };
    const reply = await this.order<AskReply>(DESKS.answers, { type: 'answers.ask', bundle, ...shared });
    if (reply !== undefined) this.replies.push({ number, reply });
  }

  /** The reply to an order that is given once, whatever breaks. */
  async order<Reply>(address: string, order: Order): Promise<Reply | undefined> {
    const key = `${this.name} ${++this.#calls}`;
    try {
      return await this.#client.actor(address).ask<Reply>(order, { key, timeoutMs: CALL_MS });
    } catch {
      this.hasMissed = true;
      return undefined;
    }
  }

  reload(): void {
    this.#client.close();
    this.#client = this.#open();
  }
}

const who = fc.nat({ max: ASKERS.length - 1 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('ask' as const), who, at: fc.nat({ max: QUESTIONS - 1 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('resolve' as const), who, at: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('correct' as const), who, at: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(10, 1_500, 20_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reload' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), keepUnsynced: fc.nat({ max: 2 }) }) },
);
const cut = fc.record({ after: fc.nat({ max: 6 }), isLost: fc.boolean() });

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A desk behind a gateway, its askers, and what people were told to say. */
class Room {
  readonly test: ClientTest;
  readonly askers: readonly Asker[];
  readonly cuts: Cut[];
  /** Texts that people say in the place of nothing, and of an answer, by question; and the replies to those orders. */
  readonly resolved = new Map<string, string>();
  readonly corrected = new Map<string, string>();
  readonly replies: unknown[] = [];
  /** Orders of which nobody knows whether they were taken. */
  readonly #unsure: (() => Promise<unknown>)[] = [];

  constructor(test: ClientTest, cuts: Cut[]) {
    this.test = test;
    this.cuts = cuts;
    const WebSocket = cutting(test.socket.WebSocket, cuts);
    this.askers = ASKERS.map((name) => new Asker(name, () => test.client({ WebSocket }) as unknown as Client));
  }

  static async start(cuts: Cut[]): Promise<Room> {
    const host = new GatewayTest(await startTestSystem(answerCrew({ ports })), {
      rate: { burst: 1e9, perSecond: 1e9 },
    });
    return new Room(new ClientTest(host), cuts);
  }

  context<Context>(address: string): Context {
    return this.test.host.test.shard.snapshot(address)!.context as Context;
  }

  get rows(): readonly QuestionRow[] {
    return recordsIn(this.context<AnswerDeskContext>(DESKS.answers));
  }

  get tickets(): readonly (readonly [question: string | null, ticket: string])[] {
    const { waiting, settled, archived } = this.context<TicketDeskContext>(DESKS.tickets);
    return [waiting, settled, archived].flatMap((shelf) =>
      [...shelf.values()].map(({ about, id }) => [about, id] as const),
    );
  }

  async take(one: Step): Promise<void> {
    switch (one.do) {
      case 'ask':
        return void this.askers[one.who]!.ask(100 * one.who + one.at);
      case 'resolve':
        return this.#resolve(this.askers[one.who]!, one.at);
      case 'correct':
        return this.#correct(this.askers[one.who]!, one.at);
      case 'settle':
        return this.test.settle();
      case 'pass':
        return this.test.advance(one.ms);
      case 'reload':
        return this.askers[one.who]!.reload();
      case 'crash':
        await this.test.crash({ keepUnsynced: one.keepUnsynced });
        return this.test.restart();
    }
  }

  /** End of the cuts: each question is asked once more, and each order given again that had no reply. */
  async heal(): Promise<void> {
    this.cuts.splice(0);
    await this.test.advance(2 * CALL_MS);
    for (const again of this.#unsure) void again();
    await this.test.settle();
    for (const asker of this.askers) for (const number of asker.asked) void asker.ask(number);
    await this.test.advance(CALL_MS);
  }

  /** Answers a ticket that nobody was told to answer. */
  #resolve(by: Asker, at: number): void {
    const waiting = this.rows.filter(({ id, isOver, ticket }) => !isOver && ticket !== null && !this.resolved.has(id));
    const row = waiting[at % waiting.length];
    if (row === undefined) return;
    const text = `Port ${numberIn(row.text)} for gate${numberIn(row.text)}.`;
    this.resolved.set(row.id, text);
    const { ticket } = row;
    this.#give(by, DESKS.tickets, { type: 'tickets.resolve', ticket, by: 'ada', text, reason: 'decided' });
  }

  #correct(by: Asker, at: number): void {
    const answered = this.rows.filter(({ id, isOver }) => isOver && !this.corrected.has(id));
    const row = answered[at % answered.length];
    if (row === undefined) return;
    const text = `Now port ${9_000 + numberIn(row.text)} for gate${numberIn(row.text)}.`;
    this.corrected.set(row.id, text);
    this.#give(by, DESKS.answers, { type: 'answers.correct', question: row.id, text, by: 'bob' });
  }

  #give(by: Asker, address: string, order: Order): void {
    void by.order(address, order).then((reply) => {
      if (reply !== undefined) this.replies.push(reply);
      else this.#unsure.push(() => by.order(address, order));
    });
  }
}

/** The texts that may be given as the answer of a question. */
function answersOf({ resolved, corrected }: Room, { id, text }: QuestionRow): readonly (string | null)[] {
  return [null, answerTo(numberIn(text)), resolved.get(id) ?? null, corrected.get(id) ?? null];
}

/** Checks that each asker's numbers have one question each, with its ticket, and that each order was taken once. */
function checkDesk(room: Room): void {
  const numbers = room.rows.map(({ text }) => numberIn(text));
  const asked = room.askers.flatMap((asker) => [...asker.asked]);
  expect(numbers.toSorted()).toEqual(asked.toSorted());
  const tickets = room.rows.flatMap(({ id, ticket }) => (ticket === null ? [] : [[id, ticket]]));
  expect(room.tickets.toSorted()).toEqual(tickets.toSorted());
  for (const row of room.rows) {
    expect(row.version, row.id).toBe(room.corrected.has(row.id) ? 1 : 0);
    if (room.corrected.has(row.id)) expect(row.response?.answer).toBe(room.corrected.get(row.id));
    else if (room.resolved.has(row.id)) expect(row.response?.answer).toBe(room.resolved.get(row.id));
    else if (row.isOver) expect(row.response?.answer).toBe(answerTo(numberIn(row.text)));
  }
  for (const reply of room.replies) expect(reply).toMatchObject({ taken: true, problems: [] });
}

/** Checks that each reply is that of its question, the last one its present answer, and that changes are read once. */
function checkReplies(room: Room): void {
  const rows = new Map(room.rows.map((row) => [numberIn(row.text), row]));
  for (const asker of room.askers) {
    for (const { number, reply } of asker.replies) {
      const row = rows.get(number)!;
      expect(reply.question_id).toBe(row.id);
      expect(answersOf(room, row)).toContain(reply.answer);
    }
    for (const number of asker.asked) {
      const row = rows.get(number)!;
      const last = asker.replies.findLast((one) => one.number === number)!.reply;
      expect(last.answer).toBe(row.response?.answer ?? null);
      if (!row.isOver) expect(last).toMatchObject({ status: 'waiting', ticket_id: row.ticket });
    }
    const read = asker.replies.flatMap(({ reply }) => reply.changed_answers);
    for (const row of rows.values()) {
      const own = read.filter(({ question_id }) => question_id === row.id);
      const isTold = room.corrected.has(row.id) && row.asker === asker.name;
      if (isTold && !asker.hasMissed) expect(own.map(({ answer }) => answer)).toEqual([room.corrected.get(row.id)]);
      else expect(own.length).toBeLessThanOrEqual(isTold ? 1 : 0);
    }
  }
}

it('answers each question once and rightly, and tells of each correction once, whatever frames are cut', async () => {
  const steps = fc.array(step, { minLength: 10, maxLength: 50 });
  const met = { cuts: 0, resolved: 0, told: 0 };
  await fc.assert(
    fc.asyncProperty(steps, fc.array(cut, { minLength: 5, maxLength: 40 }), async (taken, cuts) => {
      const room = await Room.start([...cuts]);
      for (const one of taken) await room.take(one);
      met.cuts += cuts.length - room.cuts.length;
      await room.heal();
      checkDesk(room);
      checkReplies(room);
      met.resolved += room.resolved.size;
      for (const { replies } of room.askers) for (const { reply } of replies) met.told += reply.changed_answers.length;
      await room.test.stop();
    }),
    { numRuns: RUNS },
  );
  // The proof is worth something only if there was something to lose.
  if (EFFORT !== 'quick')
    for (const [what, count] of Object.entries(met)) expect(count, what).toBeGreaterThan(RUNS / 4);
});
