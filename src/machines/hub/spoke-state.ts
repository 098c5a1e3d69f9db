/** The state of a spoke, its events, and the contract of the work that it invokes. */
import { type AnyActorRef } from 'xstate';
import { z } from 'zod';
import { type Asked } from '../rules/turn.ts';
import { type FailedAttempts, type Failure } from '../work/failure-tiers.ts';
import { type AmountLimits, type Usage } from './budget.ts';
import { type AgentSpec } from './agent-spec.ts';
import { buildResult, type HandoffSaid, type SessionOutcome, type Verified } from './handoff.ts';
import { type SessionReturned } from './handoff.ts';
import { type Role } from './roles.ts';
import { type sessionOrders } from './session-orders.ts';
import { type SessionOutput } from './session-records.ts';
import { type StopLevel } from './stop-levels.ts';
import { type OpenSession } from './work-plan.ts';
import { type WorkPlace } from './work-place.ts';

/** The input of a spoke. */
export interface SpokeInput {
  readonly session: OpenSession;
  readonly spec: AgentSpec;
  readonly prompt: string;
  /** The task in the words of the hub, without its context. */
  readonly task: string;
  readonly workspace: string;
  readonly hub: AnyActorRef;
  readonly plan: AnyActorRef;
  readonly planId: string;
  /** The closed session with whose changes its tree begins; absent: with none. */
  readonly from?: string;
  /** The amounts that are reserved for it; absent in a session of an earlier build, which nothing limits. */
  readonly granted?: AmountLimits;
}

/** The input of the work of a session. */
export interface SessionWork extends WorkPlace {
  /** The run and the work plan; absent in work that an earlier build has begun. */
  readonly runId?: string;
  readonly planId?: string;
  readonly role: Role;
  /** The role of the hub that gets control back. */
  readonly hub: Role;
  readonly spec: AgentSpec;
  /** The task alone, without the context that the prompt adds. */
  readonly task: string;
  readonly prompt: string;
  /** Problems of an earlier try, which this one has to mend. */
  readonly problems: readonly string[];
  /** Number of the try, from 1: one that crashed with its host is the same try. */
  readonly round: number;
  /** The closed session with whose changes its tree begins. */
  readonly from?: string;
}

const changedFile = z.object({ path: z.string(), isNew: z.boolean(), lines: z.number().nullable() });

/** The findings of a host in the place of a session. */
export const looked = z.object({
  /** Files that really changed; null if nobody could look. */
  changed: z.array(changedFile).max(100_000).nullable().default(null),
  /** Whether the changes wait to be applied to the workspace. */
  isHeld: z.boolean().default(false),
  /** Whether others may have changed files there as well: then changes are signs, and no escalation. */
  isShared: z.boolean().default(false),
});

/** The result of a session's work. */
export const workOutcome = looked.extend({
  /** The hand-off as said; null if there was none. */
  handoff: z.unknown().default(null),
  /** Whether the work plan is to be archived: for a role that may. */
  archives: z.boolean().default(false),
  build: buildResult.nullable().default(null),
  usage: z.object({ ms: z.number(), steps: z.number(), tokens: z.number(), costUsd: z.number() }).partial().default({}),
  summary: z.string().max(2_000).default(''),
  /** Why what was handed off could not even be read. */
  flaws: z.array(z.string().max(2_000)).max(50).default([]),
  artifacts: z.array(z.string().max(2_000)).max(100).default([]),
});
export type WorkOutcome = z.output<typeof workOutcome>;

/** The outcome of applying held changes. */
export const applied = z.object({
  /** Why they could not be applied; null if they were. */
  conflict: z.string().nullable(),
});

/** The end of a session's tree. */
export const released = z.object({
  /** Where its changes are kept; null if there are none. */
  patch: z.string().max(2_000).nullable(),
});

/** Events of a spoke. */
export type SpokeEvent =
  /** From the work, while it runs. */
  | { readonly type: 'session.beat' }
  | { readonly type: 'session.step' }
  | { readonly type: 'session.failed'; readonly failure: Failure }
  | ({ readonly type: 'session.usage' } & Pick<Usage, 'tokens' | 'costUsd'> & Partial<Usage>)
  | { readonly type: 'session.output'; readonly output: SessionOutput }
  /** From whoever works in it. */
  | ({ readonly type: keyof typeof sessionOrders } & Pick<Asked, 'replyTo'>)
  /** From its hub. */
  | { readonly type: 'session.stop'; readonly level: StopLevel }
  /** From its work plan. */
  | { readonly type: 'handoff.recorded'; readonly seq: number }
  | { readonly type: 'handoff.refused' | 'complete.refused' | 'archive.refused'; readonly problems: readonly string[] }
  | { readonly type: 'session.completed'; readonly session: string }
  | { readonly type: 'plan.archived' }
  /** Raised. */
  | { readonly type: 'session.silent' }
  | { readonly type: 'work.overdue' };

/** The context of a spoke. */
export interface SpokeContext extends SpokeInput {
  readonly usage: Usage;
  /** Start of the try under way, in kernel time. */
  readonly startedAtMs: number;
  readonly round: number;
  readonly failed: FailedAttempts | null;
  /** The failure of the try under way, as its work reports it. */
  readonly reported: Failure | null;
  /** The outcome of its work; null while it works. */
  readonly work: WorkOutcome | null;
  /** The hand-off that is under way. */
  readonly said: HandoffSaid | null;
  /** The hand-off by an order of a session in a tree of its own, which waits for a look at its files. */
  readonly held?: HandoffSaid | null;
  readonly verified: Verified;
  /** Problems that the next try has to mend. */
  readonly problems: readonly string[];
  readonly corrections: number;
  readonly outcome: SessionOutcome;
  readonly isStale: boolean;
  readonly stop: StopLevel | null;
  readonly handoff: number | null;
  readonly summary: string;
  /** The output of its command in the last try; absent before that, and for other work. */
  readonly output?: SessionOutput;
  /** Where its changes are kept, once its tree is given up. */
  readonly patch?: string;
}

/** The report of a closed session to its hub. */
export interface SessionClosed {
  readonly type: 'session.closed';
  readonly session: string;
  readonly outcome: SessionOutcome;
  readonly said: string | null;
  /** Its hand-off as its spawner sees it; null without one. */
  readonly handoff: SessionReturned['handoff'];
  readonly testsPass: boolean | null;
  readonly usage: Usage;
  readonly isStale: boolean;
  readonly summary: string;
}
