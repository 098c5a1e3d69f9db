/**
 * The right to spawn (HS-007 to HS-011, CN-025): decided by the role of the session that asks, which its actor has from
 * birth, and never by a field of the request. Pure. Refusals are data, so that they can be recorded and told.
 */
import { isHub, policyOf, type Role } from './roles.ts';

/** Why a spawn is refused. */
export type SpawnProblem =
  /** A spoke never spawns: it hands off and recommends. */
  | 'spoke'
  /** A nested hub spawns spokes only. */
  | 'hub-in-hub'
  /** The role may not spawn this role. */
  | 'not-spawnable'
  /** A session that may spawn at a pivot has not said why the plan pivots. */
  | 'pivot-reason-missing'
  /** Another session works in the writing lane of the work plan. */
  | 'lane'
  /** No budget is left. */
  | 'budget'
  /** A limit of the run is reached: spawns in all, or sessions at once. */
  | 'limits'
  /** The run is being stopped. */
  | 'stopped'
  /** No agent is given for the role. */
  | 'no-agent'
  /** No such spawn is prepared, or not any more. */
  | 'not-prepared'
  /** Another work plan or workspace is named than the session's own. */
  | 'not-here'
  /** The files that are to be changed are not given to the role in this run. */
  | 'scope'
  /** A preparation with fields about execution. */
  | 'execution-field'
  /** A strict preparation with fields that it does not know. */
  | 'unknown-field';

/** The session that asks, as its own actor knows it. */
export interface Spawner {
  readonly role: Role;
  /** 0 for the root hub, 1 for its sessions, 2 for those of a nested hub. */
  readonly depth: number;
}

/** A refusal to spawn. */
export interface SpawnRefusal {
  readonly because: SpawnProblem;
  /** A sentence with the way out. */
  readonly text: string;
}

/** The deepest session: root hub, nested hub, spoke. */
export const DEPTH_MAX = 2;

/** Decides by role alone. Undefined: the spawner may spawn the target. */
export function roleRefusal(
  { role, depth }: Spawner,
  target: Role,
  pivotReason: string | null,
): SpawnRefusal | undefined {
  const { kind, spawns, needsPivot } = policyOf(role);
  if (kind === 'spoke' && !needsPivot)
    return refusal('spoke', `${role} is a spoke: hand off and recommend ${target}, and the hub decides`);
  if (target === role || (spawns !== 'any' && !spawns.includes(target)))
    return refusal('not-spawnable', `${role} may not spawn ${target}`);
  if (isHub(target) && (depth > 0 || kind === 'spoke'))
    return refusal('hub-in-hub', `${role} at depth ${depth} spawns spokes only, and ${target} is a hub`);
  if (depth >= DEPTH_MAX) return refusal('hub-in-hub', `a session at depth ${depth} spawns nothing`);
  if (needsPivot && (pivotReason ?? '').trim() === '')
    return refusal('pivot-reason-missing', `${role} spawns only at a pivot: say why the plan changes`);
  return undefined;
}

/** The state of a run as far as it may stand in the way of a spawn. */
export interface RunRoom {
  readonly isStopping: boolean;
  readonly hasAgent: boolean;
  readonly spawns: number;
  readonly spawnsMax: number;
  readonly open: number;
  readonly concurrent: number;
  /** Why the lane is taken; null if it is free for this session. */
  readonly laneProblem: string | null;
  /** Why the budget has no room; null if it has. */
  readonly budgetProblem: string | null;
}

/** Decides by the state of the run. Undefined: there is room. */
export function roomRefusal(target: Role, room: RunRoom): SpawnRefusal | undefined {
  if (room.isStopping) return refusal('stopped', 'the run is being stopped');
  if (!room.hasAgent) return noAgent(target);
  if (room.spawns >= room.spawnsMax)
    return refusal('limits', `the run has spawned ${room.spawnsMax} sessions, its most`);
  if (room.open >= room.concurrent)
    return refusal('limits', `${room.concurrent} sessions are open, the most at once: wait for one to close`);
  if (room.laneProblem !== null) return refusal('lane', room.laneProblem);
  return room.budgetProblem === null ? undefined : refusal('budget', room.budgetProblem);
}

export function noAgent(target: Role): SpawnRefusal {
  return refusal('no-agent', `no agent is given for ${target}`);
}

function refusal(because: SpawnProblem, text: string): SpawnRefusal {
  return { because, text };
}
