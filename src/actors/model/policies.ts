/**
 * What an agent declares of how its machine is treated, with every default filled in; agent.ts makes it, definitions
 * carry it.
 */
import { type EffectPolicy } from './effect-policy.ts';
import { type Overflow, type PoisonPolicy } from './step-engine.ts';
import { MAILBOX_MESSAGES_MAX } from '../../limits.ts';
import { type Priorities } from './priorities.ts';

export interface Policies {
  /** Of effects, by src. */
  readonly effects: ReadonlyMap<string, EffectPolicy>;
  /** Of durable actions, by name. */
  readonly actions: ReadonlyMap<string, EffectPolicy>;
  readonly poison: PoisonPolicy;
  readonly overflow: Overflow;
  readonly keptTurns: number;
  readonly priorities: Priorities | undefined;
  /** Its schemas mark something as secret: then all that its actors hold is stored encrypted, where there is a key. */
  readonly isSecret: boolean;
}

/** Actors wait at the bound of the runtime: a lower one would have them wait for each other. */
export const WAITING: Overflow = { policy: 'wait', messages: MAILBOX_MESSAGES_MAX };

export const NO_POLICIES: Policies = {
  effects: new Map(),
  actions: new Map(),
  poison: 'dead-letter',
  overflow: WAITING,
  keptTurns: 0,
  priorities: undefined,
  isSecret: false,
};
