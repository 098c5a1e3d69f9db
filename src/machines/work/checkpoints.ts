/**
 * Checkpoints of agents at the boundaries of their subtasks (CA-033 to CA-037): their content, the hash that seals
 * them, and reading them back, older versions included. Pure. A stage makes one at each boundary; the coordinator keeps
 * the last one of each task.
 */
import { isVersion } from '../../actors/model/agent.ts';
import { contentHashOf } from './content-hash.ts';
import { type Failure } from './failure-tiers.ts';

export interface AgentCheckpoint {
  readonly item: string;
  readonly agentType: string;
  /** The id of the task: one analysis by one agent. Checkpoints of different tasks are independent. */
  readonly analysisId: string;
  readonly checkpointTimeMs: number;
  /** Progress in percent, 0 to 100. */
  readonly progressPct: number;
  /** The next subtask; null if none is pending or the work has no subtasks. */
  readonly currentSubtask: string | null;
  readonly completedSubtasks: readonly string[];
  readonly pendingSubtasks: readonly string[];
  /** Data that the work has stored for itself. */
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

/** Migrations by the version that they produce; each converts a checkpoint of the version before. Pure. */
export type CheckpointMigrations = Readonly<Record<number, (checkpoint: AgentCheckpoint) => AgentCheckpoint>>;

/** How long the checkpoint of a failed task is kept (CA-036). The checkpoint of a completed task is dropped at once. */
export const FAILED_CHECKPOINT_MS = 30 * 24 * 60 * 60 * 1000;

export function seal(checkpoint: AgentCheckpoint): SealedCheckpoint {
  return { checkpoint, sha256: contentHashOf(checkpoint) };
}

/** Why work cannot continue from a checkpoint. */
export interface Flaw {
  readonly flaw: string;
}

/**
 * Returns a checkpoint converted to this version, if its hash matches, its fields are consistent, and every migration
 * from its version to this one exists. Any flaw is a tier 3 failure (CA-037).
 */
export function unseal(
  { checkpoint, sha256 }: SealedCheckpoint,
  version: number,
  migrations: CheckpointMigrations = {},
): AgentCheckpoint | Flaw {
  if (contentHashOf(checkpoint) !== sha256) return { flaw: 'its hash does not match its content' };
  const contradiction = contradictionIn(checkpoint);
  if (contradiction !== undefined) return { flaw: contradiction };
  if (checkpoint.agentVersion > version)
    return { flaw: `its version ${checkpoint.agentVersion} is newer than version ${version} of the agent` };
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
 * The checkpoint after a subtask. A subtask that the agent type does not list is accepted; one completed before changes
 * nothing.
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

/** The checkpoint after a failed attempt: completed work stays, the failure is added. */
export function afterFailure(checkpoint: AgentCheckpoint, failure: Failure, atMs: number): AgentCheckpoint {
  return {
    ...checkpoint,
    checkpointTimeMs: atMs,
    failureReason: failure.message,
    errorDetails: failure,
    retryCount: checkpoint.retryCount + 1,
  };
}

/** Progress in percent of the expected minutes; 0 for an agent type without subtasks. */
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
