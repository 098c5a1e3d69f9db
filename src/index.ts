/** The public API of Bosun. Everything here is documented and kept stable; nothing inside src imports this file. */
export {
  defineAgent,
  type Agent,
  type AgentEvents,
  type AgentLimits,
  type AgentOptions,
  type AnyAgent,
  type EventSchemas,
  type EventsOf,
  type Migrations,
  type ShownSchemas,
} from './actors/agent.ts';
export { type MigrationSteps, type StoredState } from './actors/versions/versions.ts';
export { type CheckedActor } from './actors/versions/check.ts';
export { type AdminHandle } from './actors/administration/admin-handle.ts';
export { type StateReplacement } from './actors/administration/administration.ts';
export { type AuditedOrder, type AuditRecord, type OrderedBy } from './actors/administration/audit.ts';
export { type InspectedTimer, type Inspection } from './actors/administration/inspection.ts';
export { type TakenTransition } from './actors/engine.ts';
export {
  type KeptTurn,
  type PublishedTurn,
  type TraceCause,
  type TracedSend,
  type TraceKind,
  type TraceLoss,
  type TraceRecord,
} from './actors/tracing/record.ts';
export { type Trace } from './actors/tracing/trace.ts';
export { type Wait, type WaitKind } from './actors/administration/waits.ts';
export { ask, type AskInput } from './actors/talk/ask.ts';
export { type AskOptions } from './actors/talk/asks.ts';
export { type DeadAction, type DeadLetter, type DeadLetterReason } from './actors/mailbox/dead-letters.ts';
export { type DeadLetterBox } from './actors/mailbox/dead-letter-box.ts';
export { type DownEvent, type DownReason } from './actors/talk/monitors.ts';
export { type Priority } from './actors/priorities.ts';
export {
  defer,
  demonitor,
  eventTimeout,
  join,
  leave,
  link,
  monitor,
  publish,
  register,
  reply,
  type ReplyTo,
  type Target,
  unlink,
  unregister,
} from './actors/talk/talk-actions.ts';
export { type ActorHandle, type ActorSnapshot, type Subscription } from './actors/actor.ts';
export { type ActionOptions, type EffectOptions, type RetryOptions } from './actors/effects/effect-policy.ts';
export { type Reception } from './actors/door/reception.ts';
export { secret } from './actors/door/secret.ts';
export { type ActionFacts, actionOf, effectOf, type EffectFacts, timeOf } from './actors/ref.ts';
export { type Backoff } from './backoff.ts';
export { type Random, type Store, type StoreEntry, type StoreSnapshot, type StoreWrite } from './actors/ports.ts';
export { type CatchUp, type ScheduledFacts, type ScheduleOptions } from './actors/time/schedules.ts';
export { type RestorePolicy } from './actors/time/timers.ts';
export { type TimerOptions } from './actors/time/timing.ts';
export { type Cancel, type Clock, systemClock } from './clock.ts';
export { BosunError, ERROR_CODES, type ErrorCode, isBosunError } from './errors.ts';
export { type Durability } from './persistence/journal.ts';
export { type Finding, type Verification } from './persistence/verify.ts';
export { levelStore } from './persistence/level-store.ts';
export { memoryStore } from './persistence/memory-store.ts';
export { type BossOptions, type ChildOptions } from './supervisor/child-spec.ts';
export {
  BossHandle,
  type ChildCounts,
  type ChildInfo,
  type CompleteSpec,
  type DynamicChildOptions,
} from './supervisor/boss-handle.ts';
export { checkStore, createSystem, type System } from './system.ts';
export { type SpreadOptions, type WorkerOptions } from './workers/options.ts';
export { type SpreadActor } from './workers/spread-actor.ts';
export { type SpreadAdmin, type SpreadAuditRecord } from './workers/spread-admin.ts';
export { type SpreadBoss } from './workers/spread-boss.ts';
export { type SpreadSystem } from './workers/spread-system.ts';
export { type SpreadDeadLetter } from './workers/merged.ts';
export {
  type SendOptions,
  type SnapshotOf,
  type SpawnOptions,
  type SystemOptions,
  type TreeNode,
} from './system-options.ts';
