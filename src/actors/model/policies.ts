/**
 * The policies that an agent declares for its machine, with every default filled in. agent.ts creates them; definitions
 * carry them.
 */
import { type EffectPolicy } from './effect-policy.ts';
import { type Overflow, type PoisonPolicy } from './step-engine.ts';
import { MAILBOX_MESSAGES_MAX } from '../../limits.ts';
import { type Priorities } from './priorities.ts';
import { type RecordPolicies } from './records.ts';
import { type KeepPolicy } from './keep-bounds.ts';
import { KEPT_BY_DEFAULT } from './results.ts';

export interface Policies {
  /** Policies of effects, by `src`. */
  readonly effects: ReadonlyMap<string, EffectPolicy>;
  /** Policies of durable actions, by name. */
  readonly actions: ReadonlyMap<string, EffectPolicy>;
  readonly poison: PoisonPolicy;
  readonly overflow: Overflow;
  readonly keptTurns: number;
  readonly records: RecordPolicies | undefined;
  readonly ended: KeepPolicy;
  readonly priorities: Priorities | undefined;
  /**
   * Whether its schemas mark something as secret: then everything that its actors hold is encrypted in the store, if
   * there is a key.
   */
  readonly isSecret: boolean;
}

/**
 * The default overflow policy. It uses the bound of the runtime, because actors with a lower bound would wait for each
 * other.
 */
export const WAITING: Overflow = { policy: 'wait', messages: MAILBOX_MESSAGES_MAX };

export const NO_POLICIES: Policies = {
  effects: new Map(),
  actions: new Map(),
  poison: 'dead-letter',
  overflow: WAITING,
  keptTurns: 0,
  records: undefined,
  ended: KEPT_BY_DEFAULT,
  priorities: undefined,
  isSecret: false,
};
