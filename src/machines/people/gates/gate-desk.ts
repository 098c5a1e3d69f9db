/**
 * The gate desk: opens gates, lists them, and takes answers to them. Each gate is an actor of its own (gate.ts),
 * started by a Boss; the desk keeps one short record of each. Other desks ask by `gate.open` with themselves as
 * `askedBy` and are sent `gate.closed`. Neutral: what is asked, and what an answer does, is theirs.
 */
import { type AnyActorRef, enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { type AnyAgent } from '../../../actors/model/agent.ts';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import { reply, type ReplyTo } from '../../../actors/model/talk-actions.ts';
import { GATE_ANSWERS_HELD_MAX, GATES_KEPT_MAX } from '../../../limits.ts';
import { type DeskRecord, nextNumber, placed, type Places, recordOf, recordsIn } from '../desk-records.ts';
import {
  durationMs,
  gate,
  gateAnswer,
  type GateInput,
  gateQuestion,
  type GateQuestion,
  type GateReply,
  type GateReport,
  type GateResult,
} from './gate.ts';
import { DESKS } from '../../work/system-ids.ts';

type Answer = {
  readonly type: 'gate.answer';
  readonly gate: string;
  readonly by: string;
  readonly answer?: unknown;
  readonly replyTo?: ReplyTo;
};

/** What the desk knows of a gate. */
export interface GateRecord extends DeskRecord, Pick<GateQuestion, 'kind' | 'title' | 'audience'> {
  readonly phase: 'opening' | 'open' | 'reminded' | GateResult['outcome'];
  readonly openedAtMs: number;
  readonly deadlineAtMs: number | null;
  /** Once it is closed. */
  readonly result: GateResult | null;
  /** How long people took to answer; null where they have not. */
  readonly answeredAfterMs: number | null;
  readonly gate: AnyActorRef | null;
  readonly askedBy: AnyActorRef | null;
  /** What came before the gate had begun. */
  readonly held: readonly (Answer | Order)[];
  /** Who last withdrew or extended it, and why; not there while nobody has. */
  readonly lastOrder?: {
    readonly type: Order['type'];
    readonly by: string | null;
    readonly reason: string | null;
    readonly atMs: number;
  };
}

export type GateDeskContext = Places<GateRecord>;

interface GateFilter {
  readonly kind?: string | undefined;
  readonly audience?: string | undefined;
  readonly isOpen?: boolean | undefined;
}

interface Ordered {
  readonly gate: string;
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
}

type Order =
  | ({ readonly type: 'gate.withdraw' } & Ordered)
  | ({ readonly type: 'gate.extend'; readonly byMs: number } & Ordered);

type Event =
  | (GateQuestion & { readonly type: 'gate.open'; readonly askedBy?: AnyActorRef; readonly replyTo?: ReplyTo })
  | Answer
  | Order
  | ({ readonly type: 'gate.list' } & GateFilter)
  | { readonly type: 'child.exited'; readonly id: string }
  | GateReport;

/** What is said to whoever watches, once it is durable. */
export type GateDeskEmitted =
  | {
      readonly type: 'gate.opened' | 'gate.reminded';
      readonly gate: string;
      readonly kind: string;
      readonly title: string;
      readonly audience: readonly string[];
      readonly deadlineAtMs: number | null;
    }
  | {
      readonly type: 'gate.closed';
      readonly gate: string;
      readonly kind: string;
      readonly outcome: GateResult['outcome'];
      readonly by: string | null;
      readonly answer: unknown;
    };

const gateDeskMachine = setup({
  types: {} as { context: GateDeskContext; events: Event; emitted: GateDeskEmitted },
  actions: {
    open: enqueueActions(({ context, event, enqueue, self, system }) => {
      if (event.type !== 'gate.open') return;
      const { askedBy = null } = event;
      const refuse = (...problems: string[]) => enqueue(reply((): GateReply => ({ taken: false, problems })));
      const { data: question, error } = gateQuestion.safeParse(event);
      if (error !== undefined) return refuse(z.prettifyError(error));
      const { id, kind, title, audience, deadlineMs } = question;
      if (recordOf(context, id) !== undefined) return refuse(`a gate "${id}" is there already`);
      const boss = system.get(DESKS.openGates) as AnyActorRef | undefined;
      if (boss === undefined) return refuse('no Boss that gates could be started by');
      const openedAtMs = timeOf(self);
      const deadlineAtMs = deadlineMs === null ? null : openedAtMs + deadlineMs;
      const blank = {
        phase: 'opening',
        isOver: false,
        result: null,
        answeredAfterMs: null,
        gate: null,
        held: [],
      } as const;
      const record: GateRecord = {
        id,
        kind,
        title,
        audience,
        number: nextNumber(context),
        openedAtMs,
        deadlineAtMs,
        askedBy,
        ...blank,
      };
      enqueue.assign(placed(context, record, GATES_KEPT_MAX));
      const input: GateInput = { question, askedBy, desk: self };
      enqueue.sendTo(boss, { type: 'child.start', id, spec: { id, input, reportTo: self } } as never);
      enqueue(reply((): GateReply => ({ taken: true })));
    }),
    /** To the gate; to one that is only beginning as soon as it has begun, so that nothing is lost on the way. */
    pass: enqueueActions(({ context, event, enqueue, self }) => {
      if (event.type !== 'gate.answer' && event.type !== 'gate.withdraw' && event.type !== 'gate.extend') return;
      const refuse = (problem: string) => enqueue(reply((): GateReply => ({ taken: false, problems: [problem] })));
      const known = recordOf(context, event.gate);
      if (known === undefined) return refuse(`no gate "${event.gate}"`);
      if (known.isOver) return refuse(`gate "${event.gate}" is closed: ${known.phase}`);
      const record = event.type === 'gate.answer' ? known : { ...known, lastOrder: orderIn(event, timeOf(self)) };
      if (record !== known) enqueue.assign(placed(context, record, GATES_KEPT_MAX));
      if (record.gate !== null) return enqueue.sendTo(record.gate, event as never);
      if (record.held.length >= GATE_ANSWERS_HELD_MAX) return refuse(`gate "${event.gate}" is not open yet`);
      enqueue.assign(placed(context, { ...record, held: [...record.held, event] }, GATES_KEPT_MAX));
    }),
    note: enqueueActions(({ context, event, enqueue }) => {
      const record = recordOf(context, idOf(event));
      if (record === undefined || record.isOver) return;
      const next = noted(record, event);
      enqueue.assign(placed(context, next, GATES_KEPT_MAX));
      if (event.type !== 'gate.extended') enqueue.emit(newsOf(next));
      if (event.type === 'gate.opened') for (const held of record.held) enqueue.sendTo(event.gate, held as never);
    }),
    /** A gate that ended without a word of its own: whoever asked must not wait for ever. */
    giveUp: enqueueActions(({ context, event, enqueue, self }) => {
      const record = recordOf(context, idOf(event));
      if (record === undefined || record.isOver) return;
      const { id, openedAtMs, askedBy } = record;
      const unanswered = { answer: null, by: null, onTimeout: null, reminders: 0 };
      const result: GateResult = { gate: id, outcome: 'failed', openedAtMs, closedAtMs: timeOf(self), ...unanswered };
      const closed: GateReport = { type: 'gate.closed', result };
      enqueue.assign(placed(context, noted(record, closed), GATES_KEPT_MAX));
      enqueue.emit(newsOf(noted(record, closed)));
      if (askedBy !== null) enqueue.sendTo(askedBy, closed as never);
    }),
  },
}).createMachine({
  id: 'gate-desk',
  context: {},
  on: {
    'gate.open': { actions: 'open' },
    'gate.answer': { actions: 'pass' },
    'gate.withdraw': { actions: 'pass' },
    'gate.extend': { actions: 'pass' },
    'gate.list': { actions: reply(({ context, event }) => gatesIn(context, event).map(shown)) },
    'gate.opened': { actions: 'note' },
    'gate.reminded': { actions: 'note' },
    'gate.extended': { actions: 'note' },
    'gate.closed': { actions: 'note' },
    'child.exited': { actions: 'giveUp' },
  },
});

const ordered = { by: z.string().max(200).optional(), reason: z.string().max(2_000).optional() };

export const gateDesk = defineAgent({
  name: 'gate-desk',
  machine: gateDeskMachine,
  events: {
    'gate.open': gateQuestion,
    'gate.answer': gateAnswer,
    'gate.withdraw': z.object({ gate: z.string(), ...ordered }),
    /** More time, counted from the deadline as it stands. Nothing to a gate without one. */
    'gate.extend': z.object({ gate: z.string(), byMs: durationMs, ...ordered }),
    'gate.list': z.object({
      kind: z.string().optional(),
      audience: z.string().optional(),
      isOpen: z.boolean().optional(),
    }),
  },
});

/** For createSystem, together with {@link gateChildren}. */
export const gateAgents: readonly AnyAgent[] = [gate, gateDesk];

/** One gate that crashes must not end the others: only a flood of crashes ends their Boss. */
const INTENSITY = 100;

/**
 * The desk and the Boss of its gates, as children of a Boss. The Boss first: the desk talks to it from its first turn
 * on.
 */
export function gateChildren() {
  const template = { agent: gate.name, restart: 'transient' as const };
  return [
    {
      id: DESKS.openGates,
      systemId: DESKS.openGates,
      boss: { strategy: 'dynamic' as const, template, intensity: INTENSITY },
    },
    { id: DESKS.gates, systemId: DESKS.gates, agent: gateDesk.name },
  ];
}

/**
 * Records of gates, the oldest first. Without a filter all that are kept: every one that is open, and the last 1,000
 * others.
 */
export function gatesIn(context: GateDeskContext, { kind, audience, isOpen }: GateFilter = {}): readonly GateRecord[] {
  return recordsIn(context).filter(
    (record) =>
      (kind === undefined || record.kind === kind) &&
      (audience === undefined || record.audience.includes(audience)) &&
      (isOpen === undefined || record.isOver !== isOpen),
  );
}

function shown({ gate: _, askedBy: __, held: ___, number: ____, ...rest }: GateRecord) {
  return rest;
}

function newsOf({ id: gate, kind, title, audience, deadlineAtMs, phase, result }: GateRecord): GateDeskEmitted {
  if (result !== null)
    return { type: 'gate.closed', gate, kind, outcome: result.outcome, by: result.by, answer: result.answer };
  return { type: phase === 'reminded' ? 'gate.reminded' : 'gate.opened', gate, kind, title, audience, deadlineAtMs };
}

function orderIn({ type, by, reason }: Order, atMs: number): NonNullable<GateRecord['lastOrder']> {
  return { type, by: by ?? null, reason: reason ?? null, atMs };
}

function idOf(event: Event): string {
  if (event.type === 'gate.closed') return event.result.gate;
  return 'id' in event ? event.id : '';
}

function noted(record: GateRecord, event: Event): GateRecord {
  switch (event.type) {
    case 'gate.opened':
      return {
        ...record,
        phase: 'open',
        gate: event.gate,
        openedAtMs: event.openedAtMs,
        deadlineAtMs: event.deadlineAtMs,
        held: [],
      };
    case 'gate.reminded':
      return { ...record, phase: 'reminded' };
    case 'gate.extended':
      return { ...record, deadlineAtMs: event.deadlineAtMs };
    case 'gate.closed': {
      const { result } = event;
      const answeredAfterMs = result.outcome === 'answered' ? result.closedAtMs - result.openedAtMs : null;
      return { ...record, phase: result.outcome, isOver: true, result, answeredAfterMs, gate: null, held: [] };
    }
    default:
      return record;
  }
}
