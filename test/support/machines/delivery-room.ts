/**
 * The delivery organisation in a test system on virtual time, with the real desks of answers, tickets, gates and
 * alerts. Only the work is a stand-in: coding sessions are the test, or a port.
 */
import { answerCrew } from '../../../src/crew-plan.ts';
import { type AnswerPorts } from '../../../src/machines/answers/answer-ports.ts';
import { type DeliveryOptions } from '../../../src/machines/delivery/crew.ts';
import { type HandoffEntry } from '../../../src/machines/delivery/organisation/handoff-messages.ts';
import { type OrganisationContext } from '../../../src/machines/delivery/organisation/organisation.ts';
import { type DashboardContext } from '../../../src/machines/delivery/organisation/dashboard.ts';
import { type PlanReply } from '../../../src/machines/delivery/teams/planning-work.ts';
import { type WrittenTask } from '../../../src/machines/delivery/plans/plan-document.ts';
import { type OrchestratorContext, type TaskRow } from '../../../src/machines/delivery/tasks/orchestrator-state.ts';
import { type NextReply, type TaskReply } from '../../../src/machines/delivery/tasks/task-messages.ts';
import { type TicketDeskContext } from '../../../src/machines/people/tickets/ticket-desk.ts';
import { type TicketRow } from '../../../src/machines/people/tickets/ticket-state.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { type BossOptions } from '../../../src/supervisor/child-spec.ts';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { showsBy } from '../shown-by.ts';
import { recordIn } from '../../../src/machines/rules/records.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;

export interface DeliveryRoomOptions {
  readonly delivery?: DeliveryOptions;
  readonly answers?: Partial<AnswerPorts>;
  readonly system?: Partial<TestSystemOptions>;
  /** Agents and children of the test beside the crew. */
  readonly agents?: readonly AnyAgent[];
  readonly children?: NonNullable<BossOptions['children']>;
}

interface Order {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A task of a plan that a coding agent can do at once. */
export function task(title: string, more: Partial<WrittenTask> = {}): WrittenTask {
  return { title, minutes: 30, concerns: ['backend'], acceptance: [`${title} works`], ...more };
}

export class DeliveryRoom {
  readonly test: TestSystem;
  /** Events that agents have emitted. */
  readonly emitted: Order[];

  constructor(test: TestSystem, emitted: Order[]) {
    this.test = test;
    this.emitted = emitted;
  }

  static async start(options: DeliveryRoomOptions = {}): Promise<DeliveryRoom> {
    const { delivery = {}, answers, system = {}, agents = [], children = [] } = options;
    const crew = answerCrew({ delivery, ...(answers !== undefined && { ports: answers }) });
    const emitted: Order[] = [];
    showsBy('crew');
    const test = await startTestSystem({
      agents: [...crew.agents, ...agents],
      tree: { children: [...crew.tree.children!, ...children] },
      onCreate: (made) => void made.onEmitted((_, event) => void emitted.push(event as Order)),
      ...system,
    });
    return new DeliveryRoom(test, emitted);
  }

  /** The reply to an order, without advancing the clock. */
  async order<Reply = TaskReply>(to: string, event: Order): Promise<Reply> {
    const asked = this.test.system.ask<Reply>(to, event, { timeoutMs: 60_000 });
    asked.catch(() => {});
    await this.test.settle();
    return asked;
  }

  /** Hands in a plan. */
  submit(tasks: readonly WrittenTask[], plan: object = {}): Promise<PlanReply> {
    const order = { type: 'plan.submit', by: 'ada', plan: { name: 'shop', owner: 'ada', tasks, ...plan } };
    return this.order<PlanReply>('delivery/planning', order);
  }

  next(coder: string, more: object = {}): Promise<NextReply> {
    return this.order<NextReply>('delivery/orchestrator', { type: 'tasks.next', coder, ...more });
  }

  report(coder: string, id: string, more: object = {}): Promise<TaskReply> {
    return this.order('delivery/orchestrator', { type: 'tasks.report', coder, task: id, ...more });
  }

  done(coder: string, id: string, more: object = {}): Promise<TaskReply> {
    return this.order('delivery/orchestrator', { type: 'tasks.done', coder, task: id, files: ['src/a.ts'], ...more });
  }

  /** The owner of a task answers a ticket by hand. */
  answer(ticket: string, text: string): Promise<{ taken: boolean; problems: string[] }> {
    const order = { type: 'tickets.resolve', ticket, by: 'ada', text, reason: 'decided' };
    return this.order(DESKS.tickets, order);
  }

  task(id: string): TaskRow {
    return recordIn(this.orchestrator, id)!;
  }

  status(id: string): string {
    return this.task(id).status;
  }

  tickets(): readonly TicketRow[] {
    return [...this.context<TicketDeskContext>(DESKS.tickets).waiting.values()];
  }

  get orchestrator(): OrchestratorContext {
    return this.context('delivery/orchestrator');
  }

  get organisation(): OrganisationContext {
    return this.context('delivery/organisation');
  }

  get dashboard(): DashboardContext {
    return this.context('delivery/dashboard');
  }

  context<Context>(address: string): Context {
    return this.test.shard.snapshot(address)!.context as Context;
  }

  /** The log of hand-offs, the first ones first. */
  async handoffs(): Promise<HandoffEntry[]> {
    const { records } = await this.test.system.records.list('delivery/organisation', 'handoffs', { limit: 1_000 });
    return records.map(({ value }) => value as HandoffEntry);
  }

  /** The accepted hand-offs as `row: task`. */
  async accepted(): Promise<string[]> {
    return (await this.handoffs()).flatMap(({ isAccepted, row, item }) => (isAccepted ? [`${row}: ${item}`] : []));
  }

  async powerCut(): Promise<void> {
    await this.test.crash();
    await this.test.restart();
  }
}
