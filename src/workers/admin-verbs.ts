/**
 * Of what the host may call of a worker's system, the part that is administration: the methods of AdminHandle, and
 * `erase`.
 */
import { type EventObject } from 'xstate';
import { type StateReplacement } from '../actors/loop/administration.ts';
import { type AuditRecord, type OrderedBy } from '../actors/world/audit-record.ts';
import { type Inspection } from '../actors/api/actor-inspection.ts';
import { type Wait } from '../actors/api/waits.ts';
import { type KeptTurn, type TraceRecord } from '../actors/model/trace-record.ts';
import { type StoredState } from '../actors/model/version-rules.ts';
import type { System } from '../system.ts';

export interface AdminVerbs {
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

export function adminVerbsOf(system: System): AdminVerbs {
  const { admin } = system;
  return {
    suspend: (address, as) => admin.suspend(address, as),
    resumeBy: (address, as) => admin.resume(address, as),
    step: (address, as) => admin.step(address, as),
    getState: (address) => admin.getState(address),
    replaceState: (address, next, as, options) => admin.replaceState(address, next, as, options),
    kill: (address, as) => admin.kill(address, as),
    recent: (address, options) => admin.recent(address, options),
    history: (address) => admin.history(address),
    waiting: () => admin.waiting(),
    audit: (options) => admin.audit(options),
    erase: (address, as) => system.erase(address, as),
  };
}
