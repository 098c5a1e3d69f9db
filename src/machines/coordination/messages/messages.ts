/**
 * Messages between the coordination agents: the seed's extended message types (002, CA-079 to CA-086) as events with
 * schemas. An item is any long-running piece of work; the seed's own names (`stock_id`, `stock_ticker`, PAUSE_REQUEST)
 * exist in wire-names.ts only. Times are milliseconds of kernel time.
 */
import { z } from 'zod';
import { alertMessages } from '../../people/alerts/alert-messages.ts';
import { type MessageIn, name, names, person, programOrPerson, text } from '../../work/message-schema.ts';
import { talkMessages } from '../../work/talk-messages.ts';

/** The possible triggers of a pause (CA-025). */
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
 * A resume plan: disjoint lists that together hold every task of an item, each in an order of execution (CA-044).
 * `restart` tasks run again or for the first time, `skip` tasks are complete and depend on no restarted task, `wait`
 * tasks are running and left alone.
 */
export const resumePlan = z.object({ restart: tasks, skip: tasks, wait: tasks }).readonly();
export type ResumePlan = z.infer<typeof resumePlan>;

/** Schemas of the events between agents, by type. A message is its payload and its `type`. */
export const messages = {
  /**
   * From any agent to the Lead Coordinator, and from there to the PauseManager of the item. `checkpointId` is null
   * until the item is at a boundary; `failedTask` is the task whose failure caused the request.
   */
  'pause.request': z.object({
    item: name,
    reason: text,
    checkpointId: name.nullable(),
    trigger: pauseTrigger,
    failedTask: name.nullable().optional(),
    batchId: name.nullable().optional(),
    createdBy: programOrPerson.optional(),
  }),
  /** From the PauseManager to the Lead Coordinator and the alert desk: the item is paused. */
  'pause.complete': z.object({
    item: name,
    pausedAtMs: z.number(),
    resumeDependencies: resumePlan,
    /** The trigger of the pause. A batch resumes gate timeouts first and manual pauses last (CA-052). */
    trigger: pauseTrigger.optional(),
    reason: text.optional(),
    checkpointId: name.optional(),
    failedTask: name.nullable().optional(),
  }),
  /**
   * From the Lead Coordinator, or a person through it, to the PauseManager. A null plan is derived from the checkpoint.
   */
  'resume.command': z.object({ item: name, resumePlan: resumePlan.nullable(), notify: z.boolean() }),
  /** From the Lead Coordinator to the BatchManager. */
  'batch.pause-request': z.object({ items: names, reason: text, batchId: name, maxConcurrency: z.int().positive() }),
  /** From the Lead Coordinator, or an agent itself, to the FailureCorrelator: a failure that retrying did not cure. */
  'agent.failure': z.object({
    item: name,
    agentType: name,
    errorType: name,
    errorMessage: text,
    dataSource: name.nullable(),
    atMs: z.number(),
  }),
  /** From the FailureCorrelator to the Lead Coordinator and the BatchManager. */
  'correlation.detected': z.object({
    correlationId: name,
    items: names,
    rootCause: text,
    signature: name,
    batchTriggered: z.boolean(),
  }),
  /**
   * From the FailureCorrelator to the BatchManager: pause these items together. Sent again with items that join later.
   */
  'batch.trigger': z.object({ items: names, rootCause: text, correlationId: name }),
  /** From the Lead Coordinator to the BatchManager: the item runs again. */
  'item.resumed': z.object({ item: name }),
  /**
   * From the Lead Coordinator to the BatchManager: the item cannot be paused or resumed, or has failed again, and why.
   */
  'item.failed': z.object({ item: name, error: text }),
  /** From a person to the Lead Coordinator: the item is abandoned. */
  'item.cancel': z.object({ item: name }),
  /**
   * From a person to the Lead Coordinator: the pause may last until `untilMs`. Allowed once, and up to 30 days in total
   * (CA-019).
   */
  'pause.extend': z.object({ item: name, untilMs: z.number(), reason: text }),
  /** From a person to the Lead Coordinator: the pause ends now, and the item with it (CA-017). */
  'pause.expire': z.object({ item: name, reason: text }),
  /** From any agent to the Lead Coordinator: the cause of these items' pauses is over (CA-032). */
  'cause.cleared': z.object({ items: names, cause: text }),
  /**
   * From an authorised sender to the Lead Coordinator: how many tasks of an agent type may run from now on; null: the
   * plan's number, 0: none.
   */
  'capacity.set': z.object({ agentType: name, capacity: z.int().min(0).nullable() }),
  /** From a task or a person to the Lead Coordinator: people have to decide about the item before it continues. */
  'gate.request': z.object({
    item: name,
    /** The name of the preset (`G3`) or another name; part of the gate's id, and the key of a validated gate. */
    gate: z.string().regex(/^[A-Za-z0-9-]{1,40}$/, 'a gate is 1 to 40 letters, digits and -'),
    title: z.string().min(1).max(500),
    stage: name.nullable().optional(),
    /** The proposal in one line. Default: taken from `materials`. */
    proposal: text.optional(),
    audience: z.array(name).min(1).max(100),
    remindAfterMs: z.array(z.int().positive()).max(20),
    deadlineMs: z.int().positive().nullable(),
    /** Material for people, in addition to the coordinator's package. */
    materials: z.unknown().optional(),
  }),
  /**
   * From a person to the Lead Coordinator: the question of a timed-out or rejected gate is settled, and the item passes
   * the gate.
   */
  'gate.validate': z.object({ item: name, gate: name, by: person }),
  /**
   * From the BatchManager to the FailureCorrelator: the batch that a trigger has opened, and its end. The alert desk
   * also receives the end.
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
