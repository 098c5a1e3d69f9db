/**
 * The answer desk in the whole crew of a plan that is done, with fixture ports and actors that ask. Without tickets, it
 * is beside the alert desk alone.
 */
import { type AnyActorRef, assign, enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { answerAgents, answerChildren } from '../../../src/machines/answers/crew.ts';
import { type AnswerPorts, type GivenDraft } from '../../../src/machines/answers/answer-ports.ts';
import {
  type AnswerDeskContext,
  type AnswerDeskInput,
  type QuestionRow,
} from '../../../src/machines/answers/desk-state.ts';
import { type Evidence } from '../../../src/machines/answers/evidence.ts';
import { type AskReply } from '../../../src/machines/answers/question-state.ts';
import { type LogEntry } from '../../../src/machines/answers/resolution-log.ts';
import { crewAgents, crewTree } from '../../../src/machines/crew.ts';
import { alertCard } from '../../../src/machines/people/alerts/alert-card.ts';
import {
  alertChildren,
  alertDesk,
  type AlertDeskContext,
  alertsIn,
} from '../../../src/machines/people/alerts/alert-desk.ts';
import { type TicketDeskContext } from '../../../src/machines/people/tickets/ticket-desk.ts';
import { type TicketRow } from '../../../src/machines/people/tickets/ticket-state.ts';
import { stageAgent } from '../../../src/machines/work/stage.ts';
import { workOf } from '../../../src/crew-work.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { planOf } from '../fixtures/plans/plans.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { startMachines } from './machines-under-test.ts';
import { recordIn } from '../../../src/machines/rules/records.ts';

export const SECOND_MS = 1_000;

/** Answers that an asking actor hears. */
export interface Heard {
  readonly type: string;
  readonly question: string;
  readonly task: string | null;
  readonly status?: string;
  readonly answer: string | null;
}

/** An actor that asks, and keeps what it hears. */
export const asker = defineAgent({
  name: 'asker',
  machine: setup({
    types: {} as {
      context: { heard: Heard[] };
      events: { type: 'ask'; order: object } | (Heard & { type: 'answer.given' | 'answer.changed' });
    },
    actions: {
      hear: assign({ heard: ({ context, event }) => [...context.heard, event as Heard] }),
    },
  }).createMachine({
    context: { heard: [] },
    on: {
      ask: {
        actions: enqueueActions(({ event, enqueue, self, system }) =>
          enqueue.sendTo(
            system.get(DESKS.answers) as AnyActorRef,
            { ...event.order, type: 'answers.ask', askedBy: self } as never,
          ),
        ),
      },
      'answer.given': { actions: 'hear' },
      'answer.changed': { actions: 'hear' },
    },
  }),
  events: { ask: z.object({ order: z.looseObject({}) }) },
  internal: ['answer.given', 'answer.changed'],
});

/** A plan of one task, beside which questions are asked. */
const PLAN = planOf({ stages: { note: { agent: 'note' } }, items: ['A'] });

export interface AnswerRoomOptions {
  readonly ports?: Partial<AnswerPorts>;
  readonly desk?: AnswerDeskInput;
  readonly withTickets?: boolean;
  readonly system?: Partial<TestSystemOptions>;
}

/** An event with a type and any fields. */
export interface Order {
  readonly type: string;
  readonly [field: string]: unknown;
}

export class AnswerRoom {
  readonly test: TestSystem;
  /** Events that the answer desk has emitted. */
  readonly emitted: Order[];

  constructor(test: TestSystem, emitted: Order[]) {
    this.test = test;
    this.emitted = emitted;
  }

  static async start({ ports, desk, withTickets = true, system = {} }: AnswerRoomOptions = {}): Promise<AnswerRoom> {
    const clock = new VirtualClock();
    const crew = withTickets ? crewTree(PLAN).children : alertChildren();
    const children = [
      ...crew,
      ...answerChildren(desk),
      { id: 'asker', agent: 'asker' },
      { id: 'reviewer', agent: 'asker' },
    ];
    const emitted: Order[] = [];
    const note = stageAgent(
      'note',
      workOf(() => Promise.resolve('noted'), { clock }),
    );
    const others = withTickets ? [...crewAgents, note] : [alertCard, alertDesk];
    const agents = [...answerAgents(ports), ...others, asker];
    const onCreate: TestSystemOptions['onCreate'] = (made) => {
      made.onEmitted((_, event) => void emitted.push(event as Order));
    };
    return new AnswerRoom(await startMachines({ agents, tree: { children }, onCreate, clock, ...system }), emitted);
  }

  /** The reply to an order, without advancing the clock. */
  async order<Reply = { taken: boolean; problems: string[] }>(
    event: Order,
    to: string = DESKS.answers,
  ): Promise<Reply> {
    const asked = this.begin<Reply>(event, to);
    await this.test.settle();
    return asked;
  }

  /** Asks without waiting for the reply. */
  begin<Reply = AskReply>(event: Order, to: string = DESKS.answers): Promise<Reply> {
    const asked = this.test.system.ask<Reply>(to, event, { timeoutMs: 120_000 });
    asked.catch(() => {});
    return asked;
  }

  ask(
    question: string,
    { bundle = {}, ...more }: { bundle?: object; [field: string]: unknown } = {},
  ): Promise<AskReply> {
    return this.begin(question_(question, bundle, more));
  }

  /** Asks, and has the reply without advancing the clock. */
  async askNow(question: string, more: { bundle?: object; [field: string]: unknown } = {}): Promise<AskReply> {
    const asked = this.ask(question, more);
    await this.test.settle();
    return asked;
  }

  /** Has an actor ask. */
  async askBy(actor: 'asker' | 'reviewer', question: string, bundle: object = {}): Promise<void> {
    const { type: _, ...order } = question_(question, bundle, { asker: actor });
    await this.test.system.send(actor, { type: 'ask', order });
    await this.test.settle();
  }

  heard(actor: 'asker' | 'reviewer'): Heard[] {
    return (this.test.shard.snapshot(actor)!.context as { heard: Heard[] }).heard;
  }

  get alerts(): string[] {
    return alertsIn(this.context<AlertDeskContext>(DESKS.alerts)).map(({ title }) => title);
  }

  get desk(): AnswerDeskContext {
    return this.context(DESKS.answers);
  }

  /** The context of an actor that lives. */
  context<Context = unknown>(address: string): Context {
    return this.test.shard.snapshot(address)!.context as Context;
  }

  row(id: string): QuestionRow {
    return recordIn(this.desk, id)!;
  }

  /** The row of a ticket in its list; undefined for an unknown one. */
  ticket(id: string): TicketRow | undefined {
    const { waiting, settled, archived } = this.context<TicketDeskContext>(DESKS.tickets);
    return [...waiting.values(), ...settled.values(), ...archived.values()].find((row) => row.id === id);
  }

  /** The state of a question's actor; undefined once it has ended. */
  state(id: string): unknown {
    return this.test.shard.snapshot(`${DESKS.openQuestions}/${id}`)?.value;
  }

  /** A person resolves a ticket by hand. */
  resolve(ticket: string, text: string, reason = 'decided'): Promise<{ taken: boolean; problems: string[] }> {
    return this.order({ type: 'tickets.resolve', ticket, by: 'ada', text, reason }, DESKS.tickets);
  }

  async log(): Promise<LogEntry[]> {
    const { records } = await this.test.system.records.list(DESKS.answers, 'resolutions', { limit: 1_000 });
    return records.map(({ value }) => value as LogEntry);
  }

  async powerCut(): Promise<void> {
    await this.test.crash();
    await this.test.restart();
  }
}

/** The methods of a room, to be used without it. */
export function bound(one: AnswerRoom) {
  return {
    test: one.test,
    ask: one.ask.bind(one),
    askNow: one.askNow.bind(one),
    askBy: one.askBy.bind(one),
    begin: one.begin.bind(one),
    order: one.order.bind(one),
    resolve: one.resolve.bind(one),
    row: one.row.bind(one),
    heard: one.heard.bind(one),
  };
}

function question_(question: string, bundle: object, more: object): Order {
  return { type: 'answers.ask', asker: 'coder', bundle: { question, confidence_level: 60, ...bundle }, ...more };
}

let line = 0;

/** A piece of evidence that speaks for a value. */
export function evidenceFor(speaksFor: string | null, more: Partial<Evidence> = {}): Evidence {
  line += 1;
  return {
    kind: 'declared',
    source: { type: 'code', scope: 'shop', file: 'settings.json', line },
    excerpt: `the setting is ${speaksFor ?? 'not said'}`,
    speaksFor,
    valueKind: 'option',
    isDeclarative: true,
    coverage: 1,
    weight: 1,
    ...more,
  };
}

/** Ports that find this evidence for every question and answer with this confidence, cited. */
export function answering(confidence: number, more: Partial<GivenDraft> = {}): Partial<AnswerPorts> {
  // As long as a good answer and with its words and code, so that the draft loses nothing by its form.
  const answer =
    'Take `north` for this one: which port the delivery service has to listen on is set to north in the settings.';
  const pieces = [evidenceFor('north'), evidenceFor('north', { kind: 'decided' })];
  return {
    retrieve: () => Promise.resolve({ evidence: pieces, complete: true }),
    formulate: ({ evidence }) => Promise.resolve({ answer, confidence, citations: [...evidence].slice(0, 1), ...more }),
  };
}

/** A question that {@link answering} answers. */
export const PORT_QUESTION = 'Which port has the delivery service to listen on, north or south?';
