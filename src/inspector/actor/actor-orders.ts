/** Which orders can be given about an actor, by what it is and by what the caller may. Pure. */
import type { ActorView, TreeView } from '../../gateway/protocol/views.ts';
import type { Welcome } from '../../gateway/protocol/frames.ts';

/** By method of the protocol, without `actor.`. */
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
    means: 'Its Boss ends it. It stays ended until somebody has it started again.',
    isDangerous: true,
  },
  kill: {
    verb: 'Kill',
    means: 'It fails as by a crash, and whoever it belongs to deals with that.',
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
  /** Why there are no more, in a sentence; undefined where nothing is withheld. */
  readonly withheld: string | undefined;
}

export function ordersFor(
  view: Pick<ActorView, 'address' | 'status'>,
  node: Pick<TreeView, 'restarts'> | undefined,
  principal: Welcome['principal'] | undefined,
): Orders {
  if (principal === undefined || view.address === 'root') return { open: [], withheld: undefined };
  if (!principal.scopes.includes('actor:admin'))
    return { open: [], withheld: 'You may look, and give no orders: your token lacks the scope actor:admin.' };
  const held: ActorOrder['name'][] =
    view.status === 'suspended' ? ['resume', 'step'] : view.status === 'active' ? ['suspend'] : [];
  // Who has a count of restarts is the child of a Boss.
  const ending: ActorOrder['name'][] = [
    ...(node !== undefined && node.restarts !== null ? (['restart', 'stop'] as const) : []),
    'kill',
  ];
  const open = [...held, ...(principal.mayDestroy ? ending : [])].map((name) => ({ name, ...ORDERS[name] }));
  return {
    open,
    withheld: principal.mayDestroy
      ? undefined
      : 'Restart, stop and kill are off: this gateway was made without what destroys.',
  };
}
