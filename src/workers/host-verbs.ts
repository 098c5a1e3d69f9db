/**
 * What the host may call of a worker's system: methods of System, BossHandle and AdminHandle, which mean the same here.
 * Shapes only.
 */
import { type EventObject } from 'xstate';
import { type ActorSnapshot } from '../actors/world/actor-view.ts';
import { type Inspection } from '../actors/api/actor-inspection.ts';
import { type Wait } from '../actors/api/waits.ts';
import { type StateReplacement } from '../actors/loop/administration.ts';
import { type KeptTurn, type TraceRecord } from '../actors/model/trace-record.ts';
import { type StoredState } from '../actors/model/version-rules.ts';
import { type AuditRecord, type OrderedBy } from '../actors/world/audit-record.ts';
import { type DeadLetter, type DeadLetterReason } from '../actors/world/mailbox/dead-letter.ts';
import { type AskOptions } from '../actors/world/talk/ask-record.ts';
import { type ChildInfo, type CompleteSpec } from '../supervisor/boss-handle.ts';
import { type SendOptions, type SpawnOptions, type TreeNode } from '../system-options.ts';

type AskedEvent = EventObject & { readonly [field: string]: unknown };

/** What the host may call. */
export interface HostVerbs {
  send(address: string, event: EventObject, options: SendOptions): Promise<void>;
  ask(address: string, event: AskedEvent, options: AskOptions): Promise<unknown>;
  spawn(agent: string, id: string, options: SpawnOptions): Promise<void>;
  startChild(boss: string, child: object): Promise<string>;
  terminateChild(boss: string, id: string): Promise<void>;
  restartChild(boss: string, id: string): Promise<string>;
  deleteChild(boss: string, id: string): Promise<void>;
  whichChildren(boss: string): ChildInfo[];
  getChildSpec(boss: string, id: string): CompleteSpec;
  snapshot(address: string): ActorSnapshot | undefined;
  tree(address: string): TreeNode;
  lookup(name: string): { readonly address: string; readonly value: unknown } | undefined;
  members(group: string): readonly string[];
  lastSequence(session: string): number;
  deadLetters(only: { readonly reason?: DeadLetterReason }): readonly DeadLetter[];
  redeliver(number: number, as: OrderedBy | undefined): Promise<void>;
  discard(number: number, as: OrderedBy | undefined): Promise<void>;
  resume(address: string): Promise<void>;
  idle(): Promise<void>;
  /** Resolves when everything that was on its way to other workers has been taken there. */
  settled(): Promise<void>;
  stop(): Promise<void>;
  suspend(address: string, as: OrderedBy): Promise<void>;
  resumeBy(address: string, as: OrderedBy): Promise<void>;
  step(address: string, as: OrderedBy): Promise<EventObject | null>;
  getState(address: string): Inspection;
  replaceState(
    address: string,
    next: StateReplacement,
    as: OrderedBy,
    options: { readonly ifSequence?: number | undefined },
  ): Promise<StoredState<unknown>>;
  kill(address: string, as: OrderedBy): Promise<void>;
  recent(address: string, options: { readonly limit?: number; readonly after?: number }): readonly TraceRecord[];
  history(address: string): readonly KeptTurn[];
  waiting(): readonly Wait[];
  audit(options: { readonly address?: string; readonly limit?: number }): readonly AuditRecord[];
  erase(address: string, as: OrderedBy | undefined): Promise<void>;
}

/** Calls that go on: each word is told until the host ends it. `undefined` after the last one. */
export interface Watches {
  /** Snapshots: the present one, then one for every durable epoch that changed the actor. */
  snapshots(address: string): ActorSnapshot;
  emitted(address: string, type: string): EventObject;
  /** Of the actor and all below it. */
  turns(address: string): TraceRecord;
}

export type Verb = keyof HostVerbs;
export type HostWatch = keyof Watches;
