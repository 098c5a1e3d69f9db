/** The public API of Bosun. Everything here is documented and stable; no file inside src imports this one. */
import './runtime-check.ts';
export {
  type Agent,
  type AgentEvents,
  type AgentLimits,
  type AgentOptions,
  type AnyAgent,
  type EventSchemas,
  type EventsOf,
  type Migrations,
  type ShownSchemas,
} from './actors/model/agent.ts';
export { defineAgent } from './actors/api/define-agent.ts';
export { type MigrationSteps, type StoredState } from './actors/model/version-rules.ts';
export { type CheckedActor } from './actors/loop/versions/check.ts';
export { type RowPlace, type StateReplacement } from './actors/loop/administration.ts';
export { type AuditedOrder, type AuditRecord, type OrderedBy } from './actors/world/audit-record.ts';
export { type InspectedTimer, type Inspection } from './actors/api/actor-inspection.ts';
export { type TakenTransition } from './actors/model/step-engine.ts';
export {
  type KeptTurn,
  type PublishedTurn,
  type TraceCause,
  type TracedSend,
  type TraceKind,
  type TraceLoss,
  type TraceRecord,
} from './actors/model/trace-record.ts';
export { type Trace } from './actors/world/tracing/trace.ts';
export { type Wait, type WaitKind } from './actors/api/waits.ts';
export { ask, type AskInput } from './actors/model/ask.ts';
export { type AskOptions } from './actors/world/talk/ask-record.ts';
export { type DeadAction, type DeadLetter, type DeadLetterReason } from './actors/world/mailbox/dead-letter.ts';
export {
  type AwaitedState,
  type DurableReader,
  type McpMark,
  procedure,
  type Procedure,
  type ProcedureCaller,
  type ProcedureRow,
  type Procedures,
  type PromptMark,
  type ResourceMark,
  type RetryMark,
  type ResourceOnlyMark,
  type ShownActor,
  type ToolHints,
  type ToolMark,
  type ToolProfile,
  type Watched,
} from './actors/api/procedure.ts';
export { window, type WindowProcedure, type WindowRow, type WindowTable } from './actors/api/window.ts';
export { type WindowPage } from './actors/api/window-page.ts';
export {
  type FindRecordsOptions,
  type FoundRecord,
  type FoundRecords,
  type RecordKey,
  type RecordPage,
  type RecordsOptions,
  type RecordView,
  type TailOptions,
} from './actors/api/record-pages.ts';
export { type RecordOptions } from './actors/model/records.ts';
export { type ResultOptions } from './actors/api/result-box.ts';
export { type Run, type RunPage, type RunsOptions } from './actors/api/run-pages.ts';
export { type ActorResult, type Ending, type KeepOptions } from './actors/model/results.ts';
export { type DownEvent, type DownReason } from './actors/world/talk/down-event.ts';
export { type Priority } from './actors/model/priorities.ts';
export {
  defer,
  demonitor,
  eventTimeout,
  join,
  leave,
  link,
  monitor,
  publish,
  record,
  register,
  reply,
  type ReplyTo,
  type Target,
  unlink,
  unregister,
} from './actors/model/talk-actions.ts';
export { type ActorHandle, type SnapshotObserver } from './actors/api/actor-handle.ts';
export { type HeardSnapshot, type SnapshotQueries } from './actors/api/heard-snapshot.ts';
export { type ActorSnapshot, type Subscription } from './actors/world/actor-view.ts';
export { type ActionOptions, type EffectOptions, type RetryOptions } from './actors/model/effect-policy.ts';
export { author, speaker } from './actors/model/person.ts';
export { secret } from './actors/model/secret.ts';
export { tableSchema } from './actors/model/table-schema.ts';
export { type ActionFacts, actionOf, effectOf, type EffectFacts, timeOf } from './actors/model/ref.ts';
export { type Backoff } from './backoff.ts';
export {
  type Random,
  type Store,
  type StoreEntry,
  type StoreRange,
  type StoreSnapshot,
  type StoreWrite,
} from './actors/model/ports.ts';
export { type CatchUp, type ScheduledFacts, type ScheduleOptions } from './actors/model/schedules.ts';
export { type RestorePolicy } from './actors/model/timers.ts';
export { type TimerOptions } from './actors/model/timing.ts';
export { type Cancel, type Clock, systemClock } from './clock.ts';
export { ERROR_CODES, type ErrorCode } from './error-codes.ts';
export { BosunError, isBosunError } from './errors.ts';
export { LogLine } from './log.ts';
export { type Durability } from './persistence/journal/journal.ts';
export { type Finding, type Verification } from './persistence/upkeep/verify.ts';
export { levelStore } from './persistence/store/level-store.ts';
export { memoryStore } from './persistence/store/memory-store.ts';
export { type BossOptions, type ChildOptions } from './supervisor/child-spec.ts';
export {
  type ChildCounts,
  type ChildInfo,
  type CompleteSpec,
  type DynamicChildOptions,
} from './supervisor/boss-handle.ts';
export { checkStore } from './system-check.ts';
export { createSystem, type System } from './system.ts';
export { type AdminHandle, type BossHandle, type DeadLetterBox, type RecordBox } from './system-handles.ts';
export {
  isWhole,
  type KeyRange,
  table,
  Table,
  type TableView,
  type Whole,
  type WholeTable,
  type WholeView,
} from './table.ts';
export { type SpreadOptions, type WorkerOptions } from './workers/options.ts';
export {
  type SendOptions,
  type SendRequest,
  type SnapshotOf,
  type SpawnOptions,
  type SystemHealth,
  type SystemOptions,
  type TreeNode,
} from './system-options.ts';
