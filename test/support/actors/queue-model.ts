/**
 * A model of one actor's mailbox, as plain as possible: gen_statem's queue, with priority levels. Tests compare the
 * runtime with it on random tables of a machine's reactions to events.
 */
import { assign, type AnyStateMachine, createMachine, raise } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { type Priority } from '../../../src/actors/model/priorities.ts';
import { defer } from '../../../src/actors/model/talk-actions.ts';
import { PRIORITY_RUN_MAX } from '../../../src/limits.ts';

export const STATES = ['x', 'y', 'z'] as const;
export const TYPES = ['a', 'b', 'c', 'd'] as const;
export type State = (typeof STATES)[number];
export type Type = (typeof TYPES)[number];

/** The reaction of a state to an event. */
export interface Deed {
  readonly defers: boolean;
  readonly target: State | null;
  /** Raises an event that is recorded at once, before anything else. */
  readonly raises: boolean;
}

export interface Table {
  readonly deeds: Readonly<Record<State, Readonly<Record<Type, Deed>>>>;
  readonly priorities: Readonly<Record<Type, Priority>>;
}

export interface Sent {
  readonly type: Type;
  readonly n: number;
}

export interface Standing {
  readonly state: State;
  readonly notes: readonly string[];
  /** Deferred messages in order; all others have been read. */
  readonly deferred: readonly number[];
}

/** An agent that follows the table and records every turn. */
export function agentOf({ deeds, priorities }: Table) {
  const note = assign({
    notes: ({ context, event }: { context: { notes: string[] }; event: Sent }) => [
      ...context.notes,
      `${event.type}${event.n}`,
    ],
  });
  const transition = ({ defers, target, raises }: Deed) => ({
    ...(target !== null && { target }),
    actions: [
      note,
      ...(raises ? [raise({ type: 'raised', n: 0 } as { type: string })] : []),
      ...(defers ? [defer()] : []),
    ],
  });
  const states = Object.fromEntries(
    STATES.map((state) => [
      state,
      { on: Object.fromEntries(TYPES.map((type) => [type, transition(deeds[state][type])])) },
    ]),
  );
  const machine = createMachine({
    context: { notes: [] },
    initial: 'x',
    states,
    on: { raised: { actions: note } },
  } as never) as AnyStateMachine;
  const schema = z.object({ n: z.number() });
  return defineAgent({
    name: 'q',
    machine,
    events: { a: schema, b: schema, c: schema, d: schema },
    priorities,
    limits: { mailboxMessages: 1_000 },
  });
}

/** The queue with which the runtime is compared. */
export class QueueModel {
  readonly #table: Table;
  #state: State = 'x';
  #notes: string[] = [];
  /** Messages in order of arrival, formerly deferred ones first. */
  #queue: Sent[] = [];
  #deferred: Sent[] = [];
  #passed = { high: 0, normal: 0, low: 0 };
  /** Turns taken: a machine may defer a message for ever by going round in circles. */
  turns = 0;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Takes messages that arrive together, and everything that follows. @returns False if it never ends. */
  take(messages: readonly Sent[], turnsMax: number): boolean {
    this.#queue.push(...messages);
    while (this.#queue.length > 0) {
      this.turns += 1;
      if (this.turns > turnsMax) return false;
      this.#turn(this.#next());
    }
    return true;
  }

  /** Applies a crash of the host: only the counting starts anew. */
  restore(): void {
    this.#passed = { high: 0, normal: 0, low: 0 };
  }

  get standing(): Standing {
    return { state: this.#state, notes: this.#notes, deferred: this.#deferred.map(({ n }) => n) };
  }

  #turn(message: Sent): void {
    const { defers, target, raises } = this.#table.deeds[this.#state][message.type];
    this.#notes = [...this.#notes, `${message.type}${message.n}`, ...(raises ? ['raised0'] : [])];
    if (defers) this.#deferred.push(message);
    if (target === null || target === this.#state) return;
    this.#state = target;
    this.#queue = [...this.#deferred, ...this.#queue];
    this.#deferred = [];
  }

  #next(): Sent {
    const { priorities } = this.#table;
    const first = (level: Priority) => this.#queue.find(({ type }) => priorities[type] === level);
    const starving = (['low', 'normal'] as const).find(
      (level) => this.#passed[level] >= PRIORITY_RUN_MAX && first(level) !== undefined,
    );
    const level = starving ?? (['high', 'normal', 'low'] as const).find((level) => first(level) !== undefined)!;
    const message = first(level)!;
    this.#queue = this.#queue.filter((other) => other !== message);
    const below = { high: ['normal', 'low'], normal: ['low'], low: [] } as const;
    this.#passed[level] = 0;
    for (const other of below[level]) this.#passed[other] = first(other) === undefined ? 0 : this.#passed[other] + 1;
    return message;
  }
}
