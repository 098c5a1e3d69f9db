/**
 * The gate desk: opens gates, lists them, and takes answers to them. Each gate is an actor of its own (gate.ts). Other
 * desks ask by `gate.open` with themselves as `askedBy` and are sent `gate.closed`. Neutral: what is asked, and what an
 * answer does, is theirs.
 */
import { type AnyActorRef } from 'xstate';
import { z } from 'zod';
import { type AnyAgent } from '../../../actors/model/agent.ts';
import { GATES_KEPT_MAX } from '../../../limits.ts';
import { type Shown } from '../../../table.ts';
import {
  type ChildExited,
  Desk,
  deskChildren,
  type DeskContext,
  type DeskOf,
  type DeskRecord,
  listed,
  newDesk,
  type OrderAnswered,
} from '../desk.ts';
import { recordsIn } from '../records.ts';
import { type Asked, order, type OrderReply, refused, ruledAgent, type Rules, TAKEN, type Turn } from '../turn.ts';
import {
  durationMs,
  gate,
  gateAnswer,
  gateQuestion,
  type GateQuestion,
  type GateReport,
  type GateResult,
} from './gate.ts';
import { DESKS } from '../../work/system-ids.ts';

/** What the desk knows of a gate. */
export interface GateRecord extends DeskRecord, Pick<GateQuestion, 'kind' | 'title' | 'audience'> {
  readonly phase: 'opening' | 'open' | 'reminded' | GateResult['outcome'];
  readonly openedAtMs: number;
  readonly deadlineAtMs: number | null;
  /** Once it is closed. */
  readonly result: GateResult | null;
  /** How long people took to answer; null where they have not. */
  readonly answeredAfterMs: number | null;
  readonly askedBy: AnyActorRef | null;
  /** Who last withdrew or extended it, and why; null while nobody has. */
  readonly lastOrder: {
    readonly type: string;
    readonly by: string | null;
    readonly reason: string | null;
    readonly atMs: number;
  } | null;
}

export type GateDeskContext = DeskContext<GateRecord>;

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

type GateTurn = Turn<GateDeskContext, GateDeskEmitted>;

const GATES: DeskOf<GateRecord> = {
  noun: 'gate',
  endedMax: GATES_KEPT_MAX,
  boss: DESKS.openGates,
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
  by: z.string().max(200).optional(),
  reason: z.string().max(2_000).optional(),
});

const RULES = {
  'gate.open': order(gateQuestion, open),
  'gate.answer': order(gateAnswer, (turn: GateTurn, event) => desk(turn).pass(event.gate, event)),
  'gate.withdraw': order(aGate, passOrder),
  /** More time, counted from the deadline as it stands. Refused by a gate without one. */
  'gate.extend': order(aGate.extend({ byMs: durationMs }), passOrder),
  'gate.list': order(filter, (turn: GateTurn, event) =>
    gatesIn(turn.context, event).map(({ askedBy: _, ...record }) => listed(record)),
  ),
  'gate.opened': (turn: GateTurn, { id, gate: ref, openedAtMs, deadlineAtMs }: Report<'gate.opened'>) => {
    desk(turn).begin(id, ref);
    announce(turn, desk(turn).change(id, { phase: 'open', openedAtMs, deadlineAtMs }));
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
  context: (): GateDeskContext => newDesk(),
});

/** For createSystem, together with {@link gateChildren}. */
export const gateAgents: readonly AnyAgent[] = [gate, gateDesk];

export function gateChildren() {
  return deskChildren({ desk: DESKS.gates, boss: DESKS.openGates, agent: gateDesk.name, item: gate.name });
}

/**
 * Records of gates, the oldest first. Without a filter all that are kept: every one that is open, and the last 1,000
 * others.
 */
export function gatesIn(
  context: Shown<GateDeskContext>,
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
  const { id, kind, title, audience, deadlineMs } = question;
  if (desk(turn).records.get(id) !== undefined) return refused(`a gate "${id}" is there already`);
  const deadlineAtMs = deadlineMs === null ? null : turn.nowMs + deadlineMs;
  const facts = { id, kind, title, audience, openedAtMs: turn.nowMs, deadlineAtMs, askedBy };
  const blank = { phase: 'opening', result: null, answeredAfterMs: null, lastOrder: null } as const;
  const opened = desk(turn).open({ ...facts, ...blank }, { question, askedBy });
  return opened === undefined ? refused('no Boss that gates could be started by') : TAKEN;
}

function passOrder(turn: GateTurn, event: z.output<typeof aGate> & Asked): OrderReply | undefined {
  const { type, gate: id, by = null, reason = null } = event;
  return desk(turn).pass(id, event, { lastOrder: { type, by, reason, atMs: turn.nowMs } });
}

function close(turn: GateTurn, result: GateResult): GateRecord | undefined {
  const answeredAfterMs = result.outcome === 'answered' ? result.closedAtMs - result.openedAtMs : null;
  const closed = desk(turn).close(result.gate, { phase: result.outcome, result, answeredAfterMs });
  announce(turn, closed);
  return closed;
}

/** A gate that ended without a word of its own: whoever asked must not wait for ever. */
function giveUp(turn: GateTurn, { id }: ChildExited): void {
  const openedAtMs = desk(turn).records.get(id)?.openedAtMs ?? turn.nowMs;
  const unanswered = { answer: null, by: null, onTimeout: null, reminders: 0 };
  const result: GateResult = { gate: id, outcome: 'failed', openedAtMs, closedAtMs: turn.nowMs, ...unanswered };
  const closed = close(turn, result);
  if (closed !== undefined && closed.askedBy !== null) turn.send(closed.askedBy, { type: 'gate.closed', result });
}

function announce(turn: GateTurn, record: GateRecord | undefined): void {
  if (record === undefined) return;
  const { id, kind, title, audience, deadlineAtMs, phase, result } = record;
  if (result !== null)
    turn.emit({ type: 'gate.closed', gate: id, kind, outcome: result.outcome, by: result.by, answer: result.answer });
  else
    turn.emit({
      type: phase === 'reminded' ? 'gate.reminded' : 'gate.opened',
      gate: id,
      kind,
      title,
      audience,
      deadlineAtMs,
    });
}
