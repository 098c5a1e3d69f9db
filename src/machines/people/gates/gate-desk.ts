/**
 * The gate desk: opens gates, lists them, and takes answers to them. Each gate is an actor of its own (gate.ts). Other
 * desks ask with `gate.open`, name themselves in `askedBy`, and are sent `gate.closed`. The desk knows nothing of the
 * questions or of what an answer causes.
 */
import { settle } from '../notice.ts';
import { type AnyActorRef } from 'xstate';
import { z } from 'zod';
import { GATES_KEPT_MAX } from '../../limits.ts';
import { type Whole } from '../../../table.ts';
import {
  type ChildExited,
  Desk,
  type DeskApart,
  deskChildren,
  type DeskContext,
  deskInOneTable,
  type DeskOf,
  type DeskRecord,
  listed,
  newDesk,
  type OrderAnswered,
} from '../../rules/desk.ts';
import { recordsIn } from '../../rules/records.ts';
import {
  type Asked,
  order,
  type OrderReply,
  refused,
  ruledAgent,
  type Rules,
  TAKEN,
  type Turn,
} from '../../rules/turn.ts';
import { strangerProblem } from '../audience.ts';
import {
  cardsOfGate,
  durationMs,
  gate,
  gateAnswer,
  gateQuestion,
  type GateQuestion,
  type GateReport,
  type GateResult,
  who,
} from './gate.ts';
import { type GateAbout, PLAN_GATES } from './gate-name.ts';
import { placeOfGate } from './gate-order.ts';
import { PEOPLE_DESKS } from '../system-ids.ts';

/** The desk's record of a gate. */
export interface GateRecord extends DeskRecord, GateAbout, Pick<GateQuestion, 'kind' | 'title' | 'audience'> {
  readonly phase: 'opening' | 'open' | 'reminded' | GateResult['outcome'];
  readonly openedAtMs: number;
  readonly deadlineAtMs: number | null;
  /** The result; null while the gate is open. */
  readonly result: GateResult | null;
  /** Milliseconds until people answered; null if they did not. */
  readonly answeredAfterMs: number | null;
  readonly askedBy: AnyActorRef | null;
  /**
   * The name of the result that holds if nobody answers; null if there is none, or if a version that did not keep it
   * has opened the gate.
   */
  readonly onTimeout: string | null;
  /** The last order that withdrew or extended the gate, with its author and reason; null if there was none. */
  readonly lastOrder: {
    readonly type: string;
    readonly by: string;
    readonly reason: string | null;
    readonly atMs: number;
  } | null;
}

/** The context of the gate desk. Its open gates stand in the order of their deadlines. */
export type GateDeskContext = DeskContext<GateRecord>;

/** Events emitted to watchers once they are durable. */
export type GateDeskEmitted = Announced &
  (
    | {
        readonly type: 'gate.opened' | 'gate.reminded';
        readonly audience: readonly string[];
        readonly deadlineAtMs: number | null;
      }
    | {
        readonly type: 'gate.closed';
        readonly outcome: GateResult['outcome'];
        readonly by: string | null;
        readonly answer: unknown;
      }
  );

interface Announced extends GateAbout {
  readonly gate: string;
  readonly kind: string;
  readonly title: string;
}

type GateTurn = Turn<GateDeskContext, GateDeskEmitted>;

const GATES: DeskOf<GateRecord> = {
  noun: 'gate',
  endedMax: GATES_KEPT_MAX,
  placeOf: ({ id, deadlineAtMs }) => placeOfGate(id, deadlineAtMs),
  boss: PEOPLE_DESKS.openGates,
  ending: ({ phase }) => `closed: ${phase}`,
};

const desk = (turn: GateTurn) => new Desk(turn, GATES);

const filter = z.object({
  kind: z.string().optional(),
  audience: z.string().optional(),
  isOpen: z.boolean().optional(),
});
const aGate = z.object({
  gate: z.string(),
  /** The person, who must be in the audience: only people who may answer the gate may withdraw or extend it. */
  by: who,
  reason: z.string().max(2_000).optional(),
});

const RULES = {
  /** An agent whose question is not asked is told as of a gate that has failed, so that it does not wait for ever. */
  'gate.open': order(gateQuestion, open, notAsked),
  'gate.answer': order(gateAnswer, (turn: GateTurn, event) => desk(turn).pass(event.gate, event)),
  'gate.withdraw': order(aGate, passOrder),
  /** From the agent that opened the gate: withdraws its question. */
  'gate.recall': (turn: GateTurn, { gate: id }: { readonly gate: string }) => {
    const record = desk(turn).records.get(id);
    if (record !== undefined && !record.isOver) desk(turn).tell(record, { type: 'gate.recall' });
  },
  /** Moves the deadline by `byMs`. A gate without a deadline refuses. */
  'gate.extend': order(aGate.extend({ byMs: durationMs }), passOrder),
  'gate.list': order(filter, (turn: GateTurn, event) =>
    gatesIn(turn.context, event).map(({ askedBy: _, ...record }) => listed(record)),
  ),
  'gate.opened': (turn: GateTurn, { id, gate: ref, openedAtMs, deadlineAtMs }: Report<'gate.opened'>) => {
    announce(turn, desk(turn).begin(id, ref, { phase: 'open', openedAtMs, deadlineAtMs }));
  },
  'gate.reminded': (turn: GateTurn, { id }: Report<'gate.reminded'>) =>
    announce(turn, desk(turn).change(id, { phase: 'reminded' })),
  'gate.extended': (turn: GateTurn, { id, deadlineAtMs }: Report<'gate.extended'>) =>
    void desk(turn).change(id, { deadlineAtMs }),
  'gate.closed': (turn: GateTurn, { result }: Report<'gate.closed'>) => void close(turn, result),
  'order.answered': (turn: GateTurn, event: OrderAnswered) => desk(turn).answer(event),
  'child.exited': giveUp,
} satisfies Rules<GateDeskContext, GateDeskEmitted>;

type Report<Type extends GateReport['type']> = Extract<GateReport, { readonly type: Type }>;

export const gateDesk = ruledAgent({
  name: 'gate-desk',
  rules: RULES,
  context: (): GateDeskContext => newDesk<GateRecord>(),
  version: 3,
  // Version 1 did not know what holds if nobody answers, and version 2 had a table for open gates and one for others.
  migrate: { 2: withTimeouts, 3: (old: ApartContext): GateDeskContext => deskInOneTable(old, GATES) },
});

type ApartContext = DeskApart<GateDeskContext>;

function withTimeouts({ open, ended, ...others }: ApartContext): ApartContext {
  const over = ended.map((row): GateRecord => ({ ...row, onTimeout: row.result?.onTimeout?.name ?? null }));
  return { ...others, open: open.map((row): GateRecord => ({ ...row, onTimeout: null })), ended: over };
}

/** The agents for createSystem, together with {@link gateChildren}. */
export const gateAgents = [gate, gateDesk] as const;

/** The children of a root Boss for gates. */
export function gateChildren() {
  return deskChildren({
    desk: PEOPLE_DESKS.gates,
    boss: PEOPLE_DESKS.openGates,
    agent: gateDesk.name,
    item: gate.name,
  });
}

/** Records of gates, the oldest first. Without a filter: every open gate and the last 1,000 closed ones. */
export function gatesIn(
  context: Pick<Whole<GateDeskContext>, 'rows'>,
  { kind, audience, isOpen }: z.output<typeof filter> = {},
): readonly GateRecord[] {
  return recordsIn(context).filter(
    (record) =>
      (kind === undefined || record.kind === kind) &&
      (audience === undefined || record.audience.includes(audience)) &&
      (isOpen === undefined || record.isOver !== isOpen),
  );
}

function open(
  turn: GateTurn,
  { askedBy = null }: Asked & { readonly askedBy?: AnyActorRef | null },
  question: GateQuestion,
): OrderReply {
  const { id, kind, title, item, stage, proposal, audience, deadlineMs } = question;
  const onTimeout = question.onTimeout?.name ?? null;
  if (askedBy === null && id.startsWith(PLAN_GATES))
    return refused(`id: ids that begin with "${PLAN_GATES}" are the coordinator's; any other id is free`);
  if (desk(turn).records.get(id) !== undefined) return refused(`a gate "${id}" is there already`);
  const deadlineAtMs = deadlineMs === null ? null : turn.nowMs + deadlineMs;
  const facts = { id, kind, title, item, stage, proposal, audience, openedAtMs: turn.nowMs, deadlineAtMs, askedBy };
  const blank = { phase: 'opening', result: null, answeredAfterMs: null, lastOrder: null } as const;
  const opened = desk(turn).open({ ...facts, ...blank, onTimeout }, { question, askedBy });
  return opened === undefined ? refused('there is no Boss to start gates') : TAKEN;
}

/** Tells an agent that its question is not asked. Its own open gate under the id goes on. */
function notAsked(turn: GateTurn, { askedBy, id }: NotAsked, { problems }: Pick<OrderReply, 'problems'>): void {
  if (askedBy === undefined || askedBy === null || typeof id !== 'string') return;
  const known = desk(turn).records.get(id);
  if (known !== undefined && !known.isOver && known.askedBy?.sessionId === askedBy.sessionId) return;
  turn.send(askedBy, { type: 'gate.closed', result: { ...failure(turn, id, turn.nowMs), problems } });
}

interface NotAsked extends Asked {
  readonly askedBy?: AnyActorRef | null;
  readonly id?: unknown;
}

/** The result of a gate that nobody can answer. */
function failure({ nowMs }: GateTurn, gate: string, openedAtMs: number): GateResult {
  const unanswered = { answer: null, by: null, onTimeout: null, reminders: 0 };
  return { gate, outcome: 'failed', openedAtMs, closedAtMs: nowMs, ...unanswered };
}

function passOrder(turn: GateTurn, event: z.output<typeof aGate> & Asked): OrderReply | undefined {
  const { type, gate: id, by, reason = null } = event;
  const record = desk(turn).records.get(id);
  const stranger = record === undefined || record.isOver ? undefined : strangerProblem(record.audience, by);
  if (stranger !== undefined) return refused(stranger);
  return desk(turn).pass(id, event, { lastOrder: { type, by, reason, atMs: turn.nowMs } });
}

function close(turn: GateTurn, result: GateResult): GateRecord | undefined {
  const answeredAfterMs = result.outcome === 'answered' ? result.closedAtMs - result.openedAtMs : null;
  const closed = desk(turn).close(result.gate, { phase: result.outcome, result, answeredAfterMs });
  announce(turn, closed);
  return closed;
}

/**
 * Closes the record of a gate whose actor ended without a report, so that the agent that asked does not wait for ever.
 */
function giveUp(turn: GateTurn, { id }: ChildExited): void {
  const result = failure(turn, id, desk(turn).records.get(id)?.openedAtMs ?? turn.nowMs);
  const closed = close(turn, result);
  if (closed === undefined) return;
  settle(turn, { ...cardsOfGate(id), because: 'the gate has failed' });
  if (closed.askedBy !== null) turn.send(closed.askedBy, { type: 'gate.closed', result });
}

function announce(turn: GateTurn, record: GateRecord | undefined): void {
  if (record === undefined) return;
  const { id: gate, kind, title, item, stage, proposal, audience, deadlineAtMs, phase, result } = record;
  const said = { gate, kind, title, item, stage, proposal };
  if (result !== null) {
    const { outcome, by, answer } = result;
    turn.emit({ type: 'gate.closed', ...said, outcome, by, answer });
  } else turn.emit({ type: phase === 'reminded' ? 'gate.reminded' : 'gate.opened', ...said, audience, deadlineAtMs });
}
