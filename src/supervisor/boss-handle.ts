/**
 * A handle on a Boss, for hosts: OTP's functions of the module `supervisor`. Orders go through the Boss's mailbox and
 * are answered when they are carried out and durable; reads show the last durable epoch.
 */
import { childAddress } from '../actors/model/address.ts';
import { BosunError } from '../errors.ts';
import { type BossContext } from './boss.ts';
import { type ChildOptions, type ChildSpec, type Shutdown, shutdownOf } from './child-spec.ts';
import { type ChildRecord } from './decision.ts';
import { restartsWithin } from './intensity.ts';

/** The services of the system for the handle. */
export interface BossHost {
  /** Gives an order. Resolves with the answer once it is carried out and durable. */
  order(boss: string, event: { readonly type: string; readonly [field: string]: unknown }): Promise<unknown>;
  /**
   * Returns context and child table of the Boss as of the last durable epoch. Throws BOSUN_ACTOR_UNKNOWN, also for an
   * actor that is not a Boss.
   */
  look(boss: string): {
    readonly context: BossContext;
    /** The records of all children. Throws BOSUN_CHILDREN_UNREAD. */
    readonly records: () => readonly ChildRecord[];
    readonly recordOf: (id: string) => ChildRecord | undefined;
  };
}

/** A child as its Boss records it. */
export interface ChildInfo {
  readonly id: string;
  readonly address: string;
  /** `ended`: only the spec is kept. `restarting`: waits for its restart. `stopping`: has been told to end. */
  readonly status: 'running' | 'restarting' | 'stopping' | 'ended';
  readonly kind: 'worker' | 'supervisor';
  /** Restarts since it was started. */
  readonly restarts: number;
  /** Kernel time at which a restarting child is started again; null for others. */
  readonly restartAtMs: number | null;
  readonly lastError: unknown;
}

/** The counts of OTP's count_children. */
export interface ChildCounts {
  /** All children, including ended ones. */
  readonly specs: number;
  /** Children that run now. */
  readonly active: number;
  readonly supervisors: number;
  readonly workers: number;
}

/** A spec with every default filled in. */
export type CompleteSpec = ChildSpec & { readonly shutdownMs: Shutdown; readonly significant: boolean };

/** The options of a new child of a dynamic Boss; the rest comes from the template. */
export interface DynamicChildOptions {
  /** The id of the child. Default: a number that no child of this Boss has had. */
  readonly id?: string;
  readonly input?: unknown;
}

/** A host's handle on a Boss: to start, end and list its children. */
export class ShardBoss {
  readonly address: string;
  readonly #host: BossHost;

  constructor(host: BossHost, address: string) {
    this.address = address;
    this.#host = host;
  }

  /**
   * Starts a new child. Resolves with its address when it has taken its first turn and that is durable. Rejects with
   * BOSUN_CHILD_RUNNING or BOSUN_CHILD_PRESENT for an id that the Boss knows, BOSUN_CHILDREN_FULL,
   * BOSUN_CHILD_SPEC_INVALID, BOSUN_AGENT_UNKNOWN, and with BOSUN_START_FAILED if its first turn fails: nothing of
   * it remains then, and nothing is counted. Under a dynamic Boss no options are needed.
   */
  startChild(child: ChildOptions | DynamicChildOptions = {}): Promise<string> {
    return this.#host.order(this.address, { type: 'child.start', spec: child, isNew: true }) as Promise<string>;
  }

  /**
   * Ends a child. Resolves when it has ended, for which its spec may allow it time; at once where it has ended already.
   * Its record is kept, except for temporary and dynamic children. Rejects with BOSUN_CHILD_UNKNOWN.
   */
  terminateChild(id: string): Promise<void> {
    return this.#do('child.terminate', id);
  }

  /**
   * Starts an ended child again. Rejects with BOSUN_CHILD_RUNNING, _RESTARTING, _UNKNOWN, _DYNAMIC, and as `startChild`
   * does.
   */
  restartChild(id: string): Promise<string> {
    return this.#host.order(this.address, { type: 'child.restart', id }) as Promise<string>;
  }

  /** Deletes the record of an ended child. Rejects with BOSUN_CHILD_RUNNING, _RESTARTING, _UNKNOWN, _DYNAMIC. */
  deleteChild(id: string): Promise<void> {
    return this.#do('child.delete', id);
  }

  /**
   * Lists all children, in the order of their first starts. Throws BOSUN_ACTOR_UNKNOWN, BOSUN_CHILDREN_UNREAD if
   * there are more than are in memory (`residentActors`).
   */
  whichChildren(): ChildInfo[] {
    const { records } = this.#host.look(this.address);
    return [...records()].sort((a, b) => a.position - b.position).map((record) => infoOf(this.address, record));
  }

  /** Counts the children. Throws as `whichChildren` does. */
  countChildren(): ChildCounts {
    const records = this.#host.look(this.address).records();
    const supervisors = records.filter(({ spec }) => 'boss' in spec).length;
    const active = records.filter(({ status }) => status === 'running' || status === 'stopping').length;
    return { specs: records.length, active, supervisors, workers: records.length - supervisors };
  }

  /** Returns the spec of a child, with every default filled in. Throws BOSUN_CHILD_UNKNOWN, BOSUN_ACTOR_UNKNOWN. */
  getChildSpec(id: string): CompleteSpec {
    const { address } = this;
    const spec = this.#host.look(address).recordOf(id)?.spec;
    if (spec === undefined)
      throw new BosunError('BOSUN_CHILD_UNKNOWN', `${address}: "${id}" is not a child of this Boss (OTP: not_found)`, {
        details: { boss: address, id },
      });
    return { ...spec, significant: spec.significant ?? false, shutdownMs: shutdownOf(spec) };
  }

  #do(type: string, id: string): Promise<void> {
    return this.#host.order(this.address, { type, id }).then(() => {});
  }
}

/**
 * The facts of supervision that a tree shows of an actor: its waiting restart, and a Boss's strategy. `context` is a
 * Boss's; undefined for others.
 */
export function standingOf({ record, context }: { record: ChildRecord | undefined; context: unknown }, nowMs: number) {
  const restartInMs =
    record?.status === 'waiting' && record.retry !== null ? Math.max(0, Math.ceil(record.retry.atMs - nowMs)) : null;
  if (context === undefined) return { restartInMs, boss: null };
  const { strategy, intensity, periodMs, window } = context as BossContext;
  return {
    restartInMs,
    boss: { strategy, intensity, periodMs, restartsInPeriod: restartsWithin(window, nowMs, periodMs) },
  };
}

function infoOf(boss: string, { spec, status, restarts, retry, lastError }: ChildRecord): ChildInfo {
  return {
    id: spec.id,
    address: childAddress(boss, spec.id),
    status: status === 'waiting' ? 'restarting' : status,
    kind: 'boss' in spec ? 'supervisor' : 'worker',
    restarts,
    restartAtMs: retry?.atMs ?? null,
    lastError,
  };
}
