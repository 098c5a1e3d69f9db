/**
 * The inspection of one actor by an administrator. State, status and children are as of the last durable epoch; mailbox
 * and timers as of now.
 */
import { recordsOf } from '../world/records.ts';
import { orderAgainst } from '../world/suspension.ts';
import { BosunError } from '../../errors.ts';
import { INSPECTED_MESSAGES_MAX } from '../../limits.ts';
import { type ActorSnapshot, beginningsOf, viewOf } from '../world/actor-view.ts';
import { type Cell } from '../world/cell.ts';
import { type StoredRecords } from '../model/records.ts';
import { type LogicKind } from '../model/step-engine.ts';
import { type Kernel } from '../loop/kernel.ts';
import { FROM_CLIENT, type Message, type MessageKind } from '../world/mailbox/message.ts';

/** Everything known about one actor, for people who inspect a system. */
export interface Inspection extends ActorSnapshot {
  readonly life: number;
  readonly kind: LogicKind;
  /** The version of its machine's definition. */
  readonly version: number;
  /** Number of restarts of the actor within its life. */
  readonly incarnation: number;
  /** Effects: the number of this start; 0 for other actors. */
  readonly attempt: number;
  /** Address of the Boss or machine that it belongs to; null for the root. */
  readonly parent: string | null;
  /**
   * The reason why it takes no turns; null if it does. `by`, `reason` and `atMs` belong to an order to suspend it
   * and are null otherwise.
   */
  readonly suspended: {
    readonly code: string;
    readonly message: string;
    readonly by: string | null;
    readonly reason: string | null;
    readonly atMs: number | null;
  } | null;
  /** Number of unread messages, and for how long the oldest has waited: see TreeNode. */
  readonly mailbox: number;
  readonly oldestMessageMs: number | null;
  /** The first 20 unread messages: deferred ones, then level by level. */
  readonly unread: readonly InspectedMessage[];
  readonly timers: readonly InspectedTimer[];
  /** Addresses, in order of birth. */
  readonly children: readonly string[];
  /** The records that its agent declares, by name, and the range of stored numbers. */
  readonly records: readonly StoredRecords[];
}

export interface InspectedMessage {
  readonly kind: MessageKind;
  /** The type of the event. */
  readonly event: string;
  /** Address of the sender; `client` or `host` for those; null for an actor that is gone. */
  readonly from: string | null;
  /** Kernel time since when it waits; null if it has not waited through an epoch. */
  readonly sinceMs: number | null;
  /** How often its turn has thrown. */
  readonly deliveries: number;
}

/** An armed timer. */
export interface InspectedTimer {
  readonly id: string;
  /** Kernel time. */
  readonly deadlineMs: number;
  /** Milliseconds until the deadline; 0 for a timer that is due and has not been read. */
  readonly dueInMs: number;
  /** The type of its event; null for a schedule. */
  readonly event: string | null;
}

/** Inspects an actor. Throws BOSUN_ACTOR_UNKNOWN, also if its birth is not durable yet, and BOSUN_STORE_DAMAGED. */
export function inspect(kernel: Kernel, address: string): Inspection {
  const cell = kernel.directory.observed(address);
  const view = viewOf(kernel.engine, cell);
  if (view === undefined)
    throw new BosunError('BOSUN_ACTOR_UNKNOWN', `${address} has started, but its start is not durable yet`, {
      details: { address },
    });
  const { definition, mailbox, life, parent } = cell;
  const nowMs = kernel.machinery.world.time.nowMs();
  return {
    ...view,
    life,
    kind: definition.kind,
    ...beginningsOf(cell),
    parent: parent?.address ?? null,
    suspended: suspensionOf(cell),
    mailbox: mailbox.size,
    oldestMessageMs: ageOf(cell, nowMs),
    unread: mailbox
      .unread()
      .slice(0, INSPECTED_MESSAGES_MAX)
      .map((message) => messageSeen(kernel, message)),
    timers: [...cell.timers.values()].map(({ id, deadlineMs, event, schedule }) => ({
      id,
      deadlineMs,
      dueInMs: Math.max(0, Math.ceil(deadlineMs - nowMs)),
      event: schedule === null ? event.type : null,
    })),
    children: kernel.shown.childrenOf(cell).map((child) => child.address),
    records: [...(definition.records?.keys() ?? [])].map((name) => {
      const { first, next } = kernel.machinery.world.records.spanOf(recordsOf(cell), name)!;
      return { name, first, last: next - 1 };
    }),
  };
}

/** How long the oldest unread message has waited, in milliseconds; null if none has waited through an epoch. */
export function ageOf({ mailbox }: Cell, nowMs: number): number | null {
  const { oldestAtMs } = mailbox;
  return oldestAtMs === null ? null : Math.max(0, Math.floor(nowMs - oldestAtMs));
}

function messageSeen(kernel: Kernel, { kind, event, from, storedAtMs, deliveries }: Message): InspectedMessage {
  const sender =
    from > 0 ? (kernel.machinery.world.cells.get(from)?.address ?? null) : from === FROM_CLIENT ? 'client' : 'host';
  return { kind, event: event.type, from: sender, sinceMs: storedAtMs, deliveries };
}

function suspensionOf(cell: Cell): Inspection['suspended'] {
  const error = cell.durable?.suspension;
  if (error === undefined) return null;
  const { by = null, reason = null, atMs = null } = orderAgainst(cell) ?? {};
  return { code: error.code, message: error.message, by, reason, atMs };
}
