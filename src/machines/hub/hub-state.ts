/** The state of a hub and its events. */
import { type AnyActorRef } from 'xstate';
import { z } from 'zod';
import { type ReplyTo } from '../../actors/model/talk-actions.ts';
import { type Table } from '../../table.ts';
import { type PassedOrder } from '../rules/desk.ts';
import { type Asked } from '../rules/turn.ts';
import { type GateResult } from '../people/gates/gate.ts';
import { type AgentSpecs, type Decides, type RunLimits } from './agent-spec.ts';
import { type Budget } from './budget.ts';
import { type LastSession, type Move } from './next-move.ts';
import { type OutcomeCounts } from './loop-guard.ts';
import { type PlanReading } from './plan-reading.ts';
import { type Correction } from './recovery.ts';
import { type SessionReturned } from './handoff.ts';
import { type Role } from './roles.ts';
import { PATTERNS_MAX, type Scope, workspacePath } from './scope.ts';
import { type sessionOrders } from './session-orders.ts';
import { type SessionClosed } from './spoke-state.ts';
import { type StopLevel } from './stop-levels.ts';
import { type TddCycle } from './tdd-cycle.ts';

/** The input of a hub. */
export interface HubInput {
  /** Id of the run, which is also that of the hub's own session. */
  readonly id: string;
  readonly desk: AnyActorRef;
  readonly planId: string;
  readonly role: Role;
  /** The role that begins. */
  readonly start: Role;
  readonly task: string;
  readonly workspace: string;
  readonly agents: AgentSpecs;
  readonly decides: Decides;
  readonly limits: RunLimits;
  /** Names of the people who are asked. */
  readonly people: readonly string[];
  /** Cycles of a TDD hub. */
  readonly cycles: number;
}

/** A session that the hub has spawned and that is not closed. */
export interface HubSession {
  readonly session: string;
  readonly role: Role;
  readonly step: string | null;
  readonly depth: number;
  /** The session that spawned it. */
  readonly parent: string;
  readonly task: string;
  /** The key of its spawn; null without one. */
  readonly key: string | null;
  /** The callers that wait until it has closed. */
  readonly waiting: readonly ReplyTo[];
  /** Whether the hub that spawned it has closed, so that nobody hears of it. */
  readonly isOrphan: boolean;
  /** Its actor; null before it has begun. */
  readonly ref: AnyActorRef | null;
}

/** A spawn or a preparation that waits for the work plan to be read. */
export interface SpawnAsked {
  readonly kind: 'spawn' | 'prepare';
  /** The session that asks. */
  readonly by: string;
  readonly order: unknown;
  readonly replyTo: ReplyTo | null;
}

/** A spawn that is known by a key, or by the id of its session. */
export interface KeyedSpawn {
  readonly session: string;
  readonly role: Role;
  readonly returned: SessionReturned | null;
}

/** A prepared spawn. */
export interface PreparedSpawn {
  /** The id that its session will have. */
  readonly session: string;
  readonly role: Role;
  readonly parent: string;
  readonly prompt: string;
  readonly task: string;
  readonly scope: Scope | null;
  readonly step: string | null;
  readonly expiresAtMs: number;
}

/** The context of a hub. */
export interface HubContext extends HubInput {
  /** The agents that it was born with, once people have allowed one more files. */
  readonly bornAgents?: AgentSpecs;
  /** Why the last answer of people was not taken, as a sentence. */
  readonly refused?: string | null;
  readonly plan: AnyActorRef | null;
  readonly startedAtMs: number;
  readonly budget: Budget;
  readonly counts: OutcomeCounts;
  /** Sessions spawned so far. */
  readonly spawned: number;
  /** The number of the last session that was spawned or prepared. */
  readonly numbered: number;
  /** Open sessions by id: as many as may run at once. */
  readonly open: Table<HubSession>;
  readonly last: LastSession | null;
  /** The role of the last closed session of each open spawner. */
  readonly lastRoles: Readonly<Record<string, Role>>;
  readonly asked: readonly SpawnAsked[];
  readonly prepared: Table<PreparedSpawn>;
  /** Sessions by the key of their spawn, with what came back; null while they are open. */
  readonly keyed: Table<KeyedSpawn>;
  readonly read: PlanReading | null;
  readonly move: Move | null;
  readonly tdd: TddCycle | null;
  readonly told: Role | null;
  readonly guidance: string | null;
  /** The closed session with whose changes the next one begins; absent: with none. */
  readonly carried?: string | null;
  readonly stop: StopLevel | null;
  readonly gates: number;
  /** A session whose interruption has not been recovered from. */
  readonly interrupted: LastSession | null;
  readonly survey: Survey | null;
  readonly correction: Correction | null;
  /** Why the run ended or waits, in a sentence. */
  readonly because: string;
}

/** The findings of a recovery. */
export const survey = z.object({
  /** Changed files of the interrupted session; null if nobody could look. */
  files: z.array(z.string()).nullable(),
  /** Errors of the workspace, a line each; null if nobody could look. */
  errors: z.array(z.string()).nullable().default(null),
});
export type Survey = z.output<typeof survey>;

/** Events of a hub. */
export type HubEvent =
  /** From its desk. */
  | { readonly type: 'plan.ready'; readonly plan: AnyActorRef }
  | ({ readonly type: 'hub.stop'; readonly level: StopLevel; readonly by: string } & PassedOrder)
  | ({ readonly type: 'hub.resume'; readonly by: string } & PassedOrder)
  /** From its work plan. */
  | { readonly type: 'plan.stands'; readonly read: PlanReading }
  | { readonly type: 'session.completed'; readonly session: string }
  /** From its sessions. */
  | { readonly type: 'session.opened'; readonly session: string; readonly spoke: AnyActorRef }
  | SessionClosed
  | ({ readonly type: 'session.asks' } & Omit<SpawnAsked, 'replyTo'> & Pick<Asked, 'replyTo'>)
  /** From whoever decides in it, unless rules do. */
  | ({ readonly type: keyof typeof sessionOrders } & Pick<Asked, 'replyTo'>)
  /** From the Boss of the spokes. */
  | { readonly type: 'child.exited'; readonly id: string }
  /** From the gate desk. */
  | { readonly type: 'gate.closed'; readonly result: GateResult }
  /** Raised. */
  | { readonly type: 'run.overdue' }
  | { readonly type: 'wait.over'; readonly session: string };

/** How a run stands, as its desk shows it. */
export const RUN_STATUSES = [
  'starting',
  'running',
  'recovering',
  'asking',
  'paused',
  'stopping',
  'completed',
  'failed',
  'stopped',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Reports of a hub to its desk. */
export type HubReport =
  | { readonly type: 'hub.opened'; readonly id: string; readonly hub: AnyActorRef }
  | { readonly type: 'hub.stands'; readonly id: string; readonly status: RunStatus; readonly because: string }
  | {
      readonly type: 'hub.closed';
      readonly id: string;
      readonly status: 'completed' | 'failed' | 'stopped';
      readonly because: string;
      readonly spentUsd: number;
      /** Absent in a report of an earlier build. */
      readonly spentTokens?: number;
      readonly sessions: number;
    };

/** Events emitted to watchers once they are durable. */
export type HubEmitted =
  | { readonly type: 'spoke.spawned'; readonly run: string; readonly session: string; readonly role: Role }
  | { readonly type: 'spoke.refused'; readonly run: string; readonly role: Role; readonly because: string }
  | {
      readonly type: 'spoke.closed';
      readonly run: string;
      readonly session: string;
      readonly outcome: string;
      /** The summary of the session, or why it failed. */
      readonly summary: string;
    };

/** The answer of people to a hub's question. */
export const hubAnswer = z.union([
  z.object({
    choice: z.literal('spawn'),
    role: z.string(),
    guidance: z.string().optional(),
    /** Files that agents of the role may change from now on, beside its scope. */
    allow: z.array(workspacePath).min(1).max(PATTERNS_MAX).optional(),
    /** More room: money, tokens and sessions beside the limits of the run. */
    extraUsd: z.number().positive().optional(),
    extraTokens: z.int().positive().optional(),
    extraSpawns: z.number().int().positive().optional(),
  }),
  z.object({ choice: z.literal('stop') }),
]);
export type HubAnswer = z.output<typeof hubAnswer>;
