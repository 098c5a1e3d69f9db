/**
 * What the coordination agents say to each other: the seed's extended message types (002, CA-079 to CA-086) as events
 * with schemas. An item is any long-running piece of work; the seed's own names
 * (`stock_id`, `stock_ticker`, PAUSE_REQUEST) exist in wire-names.ts only. Times are milliseconds of kernel time.
 */
import { z } from 'zod';
import { alertMessages } from '../../people/alerts/alert-messages.ts';
import { type MessageIn, name, names, text } from '../../work/message-schema.ts';
import { talkMessages } from '../../work/talk-messages.ts';

/** Who asked for a pause (CA-025). */
export const pauseTrigger = z.enum([
  'AUTO_TIER2',
  'MANUAL',
  'GATE_TIMEOUT',
  'GATE_REJECTION',
  'AUTO_BATCH_CORRELATION',
]);
export type PauseTrigger = z.infer<typeof pauseTrigger>;

const tasks = z.array(z.string()).readonly();

/**
 * Disjoint lists, together every task of an item, each in an order in which they may run: run again or for the first
 * time; complete, and built on nothing that runs again; running, and left alone (CA-044).
 */
export const resumePlan = z.object({ restart: tasks, skip: tasks, wait: tasks }).readonly();
export type ResumePlan = z.infer<typeof resumePlan>;

/** The events between agents by type. A message is its payload and its `type`. */
export const messages = {
  /**
   * Anyone to the Lead Coordinator, and from there to the PauseManager of the item. `checkpointId` is null until the
   * item stands at a boundary; `failedTask` is the one whose failure led to it.
   */
  'pause.request': z.object({
    item: name,
    reason: text,
    checkpointId: name.nullable(),
    trigger: pauseTrigger,
    failedTask: name.nullable().optional(),
    batchId: name.nullable().optional(),
    createdBy: name.optional(),
  }),
  /** PauseManager to Lead Coordinator and to the alerts: the item stands still. */
  'pause.complete': z.object({
    item: name,
    pausedAtMs: z.number(),
    resumeDependencies: resumePlan,
    /** Who had asked; a batch resumes gate timeouts first and manual pauses last (CA-052). */
    trigger: pauseTrigger.optional(),
    reason: text.optional(),
    checkpointId: name.optional(),
    failedTask: name.nullable().optional(),
  }),
  /**
   * Lead Coordinator or a person, by way of the Lead Coordinator, to PauseManager. A null plan is worked out from the
   * checkpoint.
   */
  'resume.command': z.object({ item: name, resumePlan: resumePlan.nullable(), notify: z.boolean() }),
  /** Lead Coordinator to BatchManager. */
  'batch.pause-request': z.object({ items: names, reason: text, batchId: name, maxConcurrency: z.int().positive() }),
  /** Lead Coordinator, or an agent itself, to FailureCorrelator: one failure that was not cured by another try. */
  'agent.failure': z.object({
    item: name,
    agentType: name,
    errorType: name,
    errorMessage: text,
    dataSource: name.nullable(),
    atMs: z.number(),
  }),
  /** FailureCorrelator to Lead Coordinator and BatchManager. */
  'correlation.detected': z.object({
    correlationId: name,
    items: names,
    rootCause: text,
    signature: name,
    batchTriggered: z.boolean(),
  }),
  /** FailureCorrelator to BatchManager: pause these together. Sent again with the items that joined later. */
  'batch.trigger': z.object({ items: names, rootCause: text, correlationId: name }),
  /** Lead Coordinator to BatchManager: the item runs again. */
  'item.resumed': z.object({ item: name }),
  /** Lead Coordinator to BatchManager: it cannot be paused or resumed, or has failed again, and why. */
  'item.failed': z.object({ item: name, error: text }),
  /** A person to the Lead Coordinator: the item is given up. */
  'item.cancel': z.object({ item: name }),
  /**
   * A person to the Lead Coordinator: the pause may last until then, once, and no longer than 30 days in all (CA-019).
   */
  'pause.extend': z.object({ item: name, untilMs: z.number(), reason: text }),
  /** A person to the Lead Coordinator: the pause ends now, and with it the item (CA-017). */
  'pause.expire': z.object({ item: name, reason: text }),
  /** Whoever knows, to the Lead Coordinator: what these items were paused for is over (CA-032). */
  'cause.cleared': z.object({ items: names, cause: text }),
  /**
   * Whoever may, to the Lead Coordinator: so many tasks of an agent type may run from now on; null: as the plan says,
   * 0: none.
   */
  'capacity.set': z.object({ agentType: name, capacity: z.int().min(0).nullable() }),
  /** A task or a person to the Lead Coordinator: people have to decide about the item before it goes on. */
  'gate.request': z.object({
    item: name,
    /** Its preset, `G3`; part of the gate's id, and what a validated gate is known by. */
    gate: z.string().regex(/^[A-Za-z0-9-]{1,40}$/, 'a gate is 1 to 40 letters, digits and -'),
    title: z.string().min(1).max(500),
    audience: z.array(name).min(1).max(100),
    remindAfterMs: z.array(z.int().positive()).max(20),
    deadlineMs: z.int().positive().nullable(),
    /** What else people need, beside what the coordinator packs. */
    materials: z.unknown().optional(),
  }),
  /**
   * A person to the Lead Coordinator: what a gate that timed out or was turned down had asked is settled; the item
   * passes it.
   */
  'gate.validate': z.object({ item: name, gate: name, by: name }),
  /**
   * BatchManager to FailureCorrelator, and its end to the alerts too: the batch that a trigger has led to, and what
   * became of it.
   */
  'batch.opened': z.object({ batchId: name, correlationId: name }),
  'batch.finished': z.object({
    batchId: name,
    correlationId: name.nullable(),
    status: z.enum(['COMPLETED', 'PARTIALLY_FAILED', 'FAILED']),
  }),
  ...alertMessages,
  ...talkMessages,
} as const;

export type MessageType = keyof typeof messages;

/** One message as an event. */
export type Message<Type extends MessageType = MessageType> = MessageIn<typeof messages, Type>;
