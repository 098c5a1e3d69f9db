/**
 * What the host may call of a worker's system: methods of System, BossHandle and AdminHandle, which mean the same here.
 * Shapes only.
 */
import { type EventObject } from 'xstate';
import { type AdminHandle } from '../actors/api/admin-handle.ts';
import { type DeadLetterBox } from '../actors/api/dead-letter-box.ts';
import { type TraceRecord } from '../actors/model/trace-record.ts';
import { type ActorSnapshot } from '../actors/world/actor-view.ts';
import { type OrderedBy } from '../actors/world/audit-record.ts';
import { type AskOptions } from '../actors/world/talk/ask-record.ts';
import { type BossHandle } from '../supervisor/boss-handle.ts';
import { type SendOptions, type SpawnOptions, type TreeNode } from '../system-options.ts';

type AskedEvent = EventObject & { readonly [field: string]: unknown };

type BossVerb = Exclude<keyof BossHandle, 'address' | 'countChildren'>;

/** Methods of a Boss's handle, given its address before all else. */
type BossVerbs = {
  [Name in BossVerb]: (boss: string, ...args: Parameters<BossHandle[Name]>) => ReturnType<BossHandle[Name]>;
};

/** What the host may call. */
export interface HostVerbs
  extends BossVerbs,
    Omit<AdminHandle, 'trace' | 'onTurn'>,
    Pick<DeadLetterBox, 'redeliver' | 'discard'> {
  send(address: string, event: EventObject, options: SendOptions): Promise<void>;
  ask(address: string, event: AskedEvent, options: AskOptions): Promise<unknown>;
  spawn(agent: string, id: string, options: SpawnOptions): Promise<void>;
  snapshot(address: string): ActorSnapshot | undefined;
  tree(address: string): TreeNode;
  lookup(name: string): { readonly address: string; readonly value: unknown } | undefined;
  members(group: string): readonly string[];
  lastSequence(session: string): number;
  deadLetters: DeadLetterBox['list'];
  idle(): Promise<void>;
  /** Resolves when everything that was on its way to other workers has been taken there. */
  settled(): Promise<void>;
  stop(): Promise<void>;
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
