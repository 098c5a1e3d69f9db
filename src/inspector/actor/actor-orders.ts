/** The orders that can be given about an actor, depending on its status and the caller's rights. Pure. */
import type { ActorView, TreeView } from '../../gateway/protocol/views.ts';
import type { Welcome } from '../../gateway/protocol/frames.ts';

/** Orders by method of the protocol, without `actor.`. */
const ORDERS = {
  suspend: { verb: 'Suspend', means: 'It takes no turns until it is resumed; what is sent to it waits.' },
  resume: { verb: 'Resume', means: 'It goes on with what has waited for it.' },
  step: { verb: 'Step', means: 'It takes one message and stays suspended.' },
  restart: {
    verb: 'Restart',
    means: 'Its Boss ends it and starts it again from its initial state.',
    isDangerous: true,
  },
  stop: {
    verb: 'Stop',
    means: 'Its Boss ends it. It stays ended until somebody starts it again.',
    isDangerous: true,
  },
  kill: {
    verb: 'Kill',
    means: 'It fails as in a crash, and its Boss or its machine handles that.',
    isDangerous: true,
  },
} as const;

export interface ActorOrder {
  readonly name: keyof typeof ORDERS;
  readonly verb: string;
  readonly means: string;
  readonly isDangerous?: boolean;
}

export interface Orders {
  readonly open: readonly ActorOrder[];
  /** Why further orders are unavailable, as a sentence; undefined if none are. */
  readonly withheld: string | undefined;
}

export function ordersFor(
  view: Pick<ActorView, 'address' | 'status'>,
  node: Pick<TreeView, 'restarts'> | undefined,
  principal: Welcome['principal'] | undefined,
): Orders {
  if (principal === undefined || view.address === 'root') return { open: [], withheld: undefined };
  if (!principal.scopes.includes('actor:admin'))
    return { open: [], withheld: 'You cannot give orders: your token lacks the scope actor:admin.' };
  const held: ActorOrder['name'][] =
    view.status === 'suspended' ? ['resume', 'step'] : view.status === 'active' ? ['suspend'] : [];
  // Only children of a Boss have a count of restarts.
  const ending: ActorOrder['name'][] = [
    ...(node !== undefined && node.restarts !== null ? (['restart', 'stop'] as const) : []),
    'kill',
  ];
  const open = [...held, ...(principal.mayDestroy ? ending : [])].map((name) => ({ name, ...ORDERS[name] }));
  return {
    open,
    withheld: principal.mayDestroy
      ? undefined
      : 'Restart, stop and kill are disabled: this gateway allows no destructive calls.',
  };
}
