/**
 * Checkpoints of agents at the boundaries of their subtasks (CA-033 to CA-037): what is kept, sealed by a hash, and how
 * it is read back, older versions included. Pure. A stage makes one at each boundary, the coordinator keeps the last
 * one of each task.
 */
import { createHash } from 'node:crypto';
import { isVersion } from '../../actors/model/agent.ts';
import { type Failure } from './failure-tiers.ts';

export interface AgentCheckpoint {
  readonly item: string;
  readonly agentType: string;
  /** The task: one analysis of one agent, and so what checkpoints are independent by. */
  readonly analysisId: string;
  readonly checkpointTimeMs: number;
  /** 0 to 100. */
  readonly progressPct: number;
  /** The one to go on with; null where none is pending, or the work has no subtasks. */
  readonly currentSubtask: string | null;
  readonly completedSubtasks: readonly string[];
  readonly pendingSubtasks: readonly string[];
  /** What the work put by itself: any data. */
  readonly workingMemory: unknown;
  /** Results by subtask. */
  readonly interimResults: Readonly<Record<string, unknown>>;
  /** The task's input from the plan. */
  readonly agentConfig: unknown;
  readonly failureReason: string | null;
  readonly errorDetails: Failure | null;
  readonly retryCount: number;
  readonly agentVersion: number;
}

export interface SealedCheckpoint {
  readonly checkpoint: AgentCheckpoint;
  /** SHA-256 of the checkpoint, hexadecimal. */
  readonly sha256: string;
}

/** One subtask of an agent type, with the share of time it is expected to take. */
export interface Subtask {
  readonly name: string;
  readonly minutes: number;
}

/** By the version that each leads to: makes a checkpoint of the version before one of this version. Pure. */
export type CheckpointMigrations = Readonly<Record<number, (checkpoint: AgentCheckpoint) => AgentCheckpoint>>;

/** How long the checkpoint of a task that has failed is kept (CA-036). That of one that is done goes at once. */
export const FAILED_CHECKPOINT_MS = 30 * 24 * 60 * 60 * 1000;

export function seal(checkpoint: AgentCheckpoint): SealedCheckpoint {
  return { checkpoint, sha256: hashOf(checkpoint) };
}

/** Why a checkpoint cannot be gone on from. */
export interface Flaw {
  readonly flaw: string;
}

/**
 * The checkpoint as an agent of this version goes on from it: its hash holds, nothing in it contradicts itself, and
 * every step from its version to this one is there. What is wrong otherwise is of tier 3 (CA-037).
 */
export function unseal(
  { checkpoint, sha256 }: SealedCheckpoint,
  version: number,
  migrations: CheckpointMigrations = {},
): AgentCheckpoint | Flaw {
  if (hashOf(checkpoint) !== sha256) return { flaw: 'its hash is not that of what it holds' };
  const contradiction = contradictionIn(checkpoint);
  if (contradiction !== undefined) return { flaw: contradiction };
  if (checkpoint.agentVersion > version)
    return { flaw: `it is of version ${checkpoint.agentVersion}, and the agent of version ${version}` };
  let migrated = checkpoint;
  for (let to = checkpoint.agentVersion + 1; to <= version; to += 1) {
    const step = migrations[to];
    if (step === undefined) return { flaw: `no migration leads to version ${to}` };
    migrated = { ...step(migrated), agentVersion: to };
  }
  return migrated;
}

/** The state of a task whose agent has not reached a boundary yet. */
export function firstCheckpoint(
  facts: Pick<
    AgentCheckpoint,
    'item' | 'agentType' | 'analysisId' | 'agentConfig' | 'agentVersion' | 'checkpointTimeMs'
  >,
  subtasks: readonly Subtask[],
): AgentCheckpoint {
  const pendingSubtasks = subtasks.map(({ name }) => name);
  const empty = {
    progressPct: 0,
    completedSubtasks: [],
    workingMemory: null,
    interimResults: {},
    failureReason: null,
    errorDetails: null,
    retryCount: 0,
  };
  return { ...facts, ...empty, currentSubtask: pendingSubtasks[0] ?? null, pendingSubtasks };
}

/**
 * The boundary behind a subtask. One that the agent type does not list is taken as it comes; one completed before
 * changes nothing.
 */
export function afterSubtask(
  checkpoint: AgentCheckpoint,
  { subtask, result, atMs }: { readonly subtask: string; readonly result: unknown; readonly atMs: number },
  subtasks: readonly Subtask[],
): AgentCheckpoint {
  if (checkpoint.completedSubtasks.includes(subtask)) return checkpoint;
  const completedSubtasks = [...checkpoint.completedSubtasks, subtask];
  const pendingSubtasks = checkpoint.pendingSubtasks.filter((name) => name !== subtask);
  return {
    ...checkpoint,
    checkpointTimeMs: atMs,
    progressPct: progressOf(completedSubtasks, subtasks),
    currentSubtask: pendingSubtasks[0] ?? null,
    completedSubtasks,
    pendingSubtasks,
    interimResults: { ...checkpoint.interimResults, [subtask]: result },
  };
}

/** The failure that ended an attempt, beside the work that stands. */
export function afterFailure(checkpoint: AgentCheckpoint, failure: Failure, atMs: number): AgentCheckpoint {
  return {
    ...checkpoint,
    checkpointTimeMs: atMs,
    failureReason: failure.message,
    errorDetails: failure,
    retryCount: checkpoint.retryCount + 1,
  };
}

/** By expected minutes; 0 for an agent type without subtasks. */
function progressOf(completed: readonly string[], subtasks: readonly Subtask[]): number {
  const total = subtasks.reduce((sum, { minutes }) => sum + minutes, 0);
  const done = subtasks.filter(({ name }) => completed.includes(name)).reduce((sum, { minutes }) => sum + minutes, 0);
  return total === 0 ? 0 : Math.round((done / total) * 100);
}

function contradictionIn({
  completedSubtasks,
  pendingSubtasks,
  currentSubtask,
  progressPct,
  agentVersion,
}: AgentCheckpoint): string | undefined {
  if (!isVersion(agentVersion)) return `${agentVersion} is no version`;
  const both = completedSubtasks.find((name) => pendingSubtasks.includes(name));
  if (both !== undefined) return `${both} is completed and pending`;
  if (currentSubtask !== null && !pendingSubtasks.includes(currentSubtask))
    return `${currentSubtask} is current and not pending`;
  return progressPct < 0 || progressPct > 100 ? `${progressPct} is no percentage` : undefined;
}

function hashOf(checkpoint: AgentCheckpoint): string {
  return createHash('sha256').update(spelled(checkpoint)).digest('hex');
}

/**
 * The same text for data that is the same, whatever the order of keys, and another for data that differs, whatever of
 * all that can be stored it is.
 */
function spelled(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return `${typeof value}:${typeof value === 'string' ? JSON.stringify(value) : String(value)}`;
  if (Array.isArray(value)) return `[${value.map(spelled).join(',')}]`;
  if (value instanceof Date) return `Date:${value.getTime()}`;
  if (value instanceof Uint8Array) return `Bytes:${Buffer.from(value).toString('base64')}`;
  if (value instanceof Map) return `Map:${spelled([...value])}`;
  if (value instanceof Set) return `Set:${spelled([...value])}`;
  if (value instanceof Error) return `Error:${spelled([value.name, value.message])}`;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${spelled(inner)}`)
    .join(',')}}`;
}
