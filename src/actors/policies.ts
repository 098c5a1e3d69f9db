/** What an agent declares of how its machine is treated, with every default filled in; agent.ts makes it, definitions carry it. */
import { type EffectPolicy } from './effects/effect-policy.ts';
import { type PoisonPolicy } from './engine.ts';
import { type Priorities } from './priorities.ts';

export interface Policies {
  /** Of effects, by src. */
  readonly effects: ReadonlyMap<string, EffectPolicy>;
  /** Of durable actions, by name. */
  readonly actions: ReadonlyMap<string, EffectPolicy>;
  readonly poison: PoisonPolicy;
  readonly keptTurns: number;
  readonly priorities: Priorities | undefined;
  /** Its schemas mark something as secret: then all that its actors hold is stored encrypted, where there is a key. */
  readonly isSecret: boolean;
}

export const NO_POLICIES: Policies = { effects: new Map(), actions: new Map(), poison: 'dead-letter', keptTurns: 0, priorities: undefined, isSecret: false };
