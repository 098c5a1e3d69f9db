/** The public API of Bosun. Everything here is documented and kept stable; nothing inside src imports this file. */
export { defineAgent, type Agent, type AgentEvents, type AgentLimits, type AgentOptions, type AnyAgent, type EventSchemas, type EventsOf, type Migrations } from './actors/agent.ts';
export { type MigrationSteps, type StoredState } from './actors/versions.ts';
export { type CheckedActor } from './actors/check.ts';
export { type Quarantined } from './actors/quarantine.ts';
export { type ActorHandle, type ActorSnapshot, type Subscription } from './actors/actor.ts';
export { type ActionOptions, type EffectOptions, type RetryOptions } from './actors/effect-policy.ts';
export { type ActionFacts, actionOf, effectOf, type EffectFacts } from './actors/ref.ts';
export { type Backoff } from './backoff.ts';
export { type Random, type Store, type StoreEntry, type StoreSnapshot, type StoreWrite } from './actors/ports.ts';
export { type Cancel, type Clock, systemClock } from './clock.ts';
export { BosunError, ERROR_CODES, type ErrorCode, isBosunError } from './errors.ts';
export { type Durability } from './persistence/journal.ts';
export { type Finding, type Verification } from './persistence/verify.ts';
export { levelStore } from './persistence/level-store.ts';
export { memoryStore } from './persistence/memory-store.ts';
export { type BossOptions, type ChildOptions } from './supervisor/child-spec.ts';
export { checkStore, createSystem, type System } from './system.ts';
export { type SendOptions, type SnapshotOf, type SpawnOptions, type SystemOptions, type TreeNode } from './system-options.ts';
