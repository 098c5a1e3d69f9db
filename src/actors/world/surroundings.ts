/**
 * The parts of the world as its other parts may use them. Each part names the few that it needs by `Pick`, so that none
 * of them depends on the world itself.
 */
import { type EventObject } from 'xstate';
import { type Clock } from '../../clock.ts';
import { type Codec, type Counters } from '../model/ports.ts';
import { type Ref } from '../model/ref.ts';
import { type StepEngine } from '../model/step-engine.ts';
import { type Timer } from '../model/timers.ts';
import { type ResolveHandle } from '../model/value-check.ts';
import { type Audience } from './audience.ts';
import { type Cell } from './cell.ts';
import { type EpochDraft } from './epoch-draft.ts';
import { type NewDeadLetter } from './mailbox/dead-letter.ts';
import { type InboundRequest } from './mailbox/inbound.ts';
import { type MessageKind } from './mailbox/message.ts';
import { type CellIndex } from './residency/cell-index.ts';
import { type Residents } from './residency/residents.ts';
import { type OtherShards } from './shards/other-shards.ts';
import type { Records } from './records.ts';
import { type KernelTime } from './time/kernel-time.ts';

/** The address of an actor and its life. */
export interface Whereabouts {
  readonly life: number;
  readonly address: string;
}

export interface Surroundings {
  /** Actors in memory by life, by address and by system id; finding one on disk wakes it. */
  readonly cells: CellIndex<number>;
  readonly addresses: CellIndex<string>;
  readonly names: CellIndex<string>;
  /** The epoch in the making. */
  readonly draft: EpochDraft;
  readonly engine: StepEngine;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly time: KernelTime;
  readonly residency: Residents | undefined;
  readonly shards: OtherShards | undefined;

  /** Takes the next number of a counter. */
  next(counter: keyof Counters): number;
  /** The number that `next` would return. */
  nextNumber(counter: keyof Counters): number;
  /** Makes `next` return nothing below `to`. */
  skip(counter: keyof Counters, to: number): void;
  /** The one reference to a life. */
  readonly refOf: (life: number, address: string) => Ref;
  /** Resolves an object to a reference of this system. */
  readonly own: ResolveHandle;
  /** Whether the values of an actor are stored encrypted. */
  isSecret(life: number): boolean;

  /** Tells the loop that there is work. */
  readonly wake: () => void;
  readonly log: (...args: unknown[]) => void;
  readonly audience: Audience;
  /** Puts an actor that may take a turn into the run queue. */
  schedule(cell: Cell): void;
  /** Puts a message of any kind into a mailbox. */
  enqueue(to: Cell, event: EventObject, kind: MessageKind, from: number): void;
  /** Puts an event of an actor or a host into a mailbox, by the rules for full mailboxes. */
  post(to: Cell, event: EventObject, from: number, order?: InboundRequest | null): void;

  readonly letters: {
    add(letter: NewDeadLetter): void;
    undeliverable(to: Whereabouts, event: EventObject, from: number): void;
  };
  readonly asks: {
    /** Handles the request that crashed its receiver until it was quarantined, if it was one. */
    crashed(to: { readonly address: string }, event: EventObject, cause: unknown): void;
  };
  readonly records: Pick<Records, 'drop' | 'mayDrop' | 'purge' | 'put' | 'replace' | 'rowAt' | 'shelf'>;
  readonly backpressure: {
    /** Records that a mailbox has become shorter. */
    eased(cell: Cell): void;
  };
  readonly timers: {
    /** Ends a timer whose event has been read. */
    consume(owner: Cell, timer: Timer, event: EventObject): void;
  };
  readonly tracing: {
    /** Number of the epoch in the making. */
    readonly epoch: number;
    /** Records that a timer to another actor is about to become a message. */
    fired(timer: Timer): void;
  };
}
