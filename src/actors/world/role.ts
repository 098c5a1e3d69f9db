/**
 * The two roles of actors: Bosses, which supervise, and all others. Every rule that differs between them is a row here,
 * so that the rest of the kernel asks for the rule and not for the Boss.
 */
import { BosunError } from '../../errors.ts';
import { BOSS_AGENT } from '../model/supervision.ts';

export interface Role {
  /** Whether it decides over children: it has a table of them, takes orders and exits, and gives commands. */
  readonly supervises: boolean;
  /** Whether it waits while a mailbox to which it sent is full. A Boss that waits could end nobody. */
  readonly waitsForRoom: boolean;
  /** Whether a message, timer or birth that crashes it again and again is set aside. A Boss escalates instead. */
  readonly isQuarantined: boolean;
  /** Whether it may leave memory while it is idle. */
  readonly mayRest: boolean;
  /** Whether its result is kept when it has ended. */
  readonly keepsResult: boolean;
  /** Whether it may send events and name timers as only the runtime may: a Boss's timers are its children's. */
  readonly isOfRuntime: boolean;
  /** Whether its children end with it unheard, the youngest first, as in OTP, also when it fails. */
  readonly takesChildrenAlong: boolean;
}

const WORKER: Role = Object.freeze({
  supervises: false,
  waitsForRoom: true,
  isQuarantined: true,
  mayRest: true,
  keepsResult: true,
  isOfRuntime: false,
  takesChildrenAlong: false,
});

const BOSS: Role = Object.freeze({
  supervises: true,
  waitsForRoom: false,
  isQuarantined: false,
  mayRest: false,
  keepsResult: false,
  isOfRuntime: true,
  takesChildrenAlong: true,
});

export function roleOf(agent: string): Role {
  return agent === BOSS_AGENT ? BOSS : WORKER;
}

/** Checks that an actor takes orders about children. Throws BOSUN_ACTOR_UNKNOWN otherwise. */
export function checkBoss({ role, address }: { readonly role: Role; readonly address: string }): void {
  if (!role.supervises) throw new BosunError('BOSUN_ACTOR_UNKNOWN', `${address} is not a Boss`);
}
