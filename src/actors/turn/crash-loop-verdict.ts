/** The handling of messages, timers, births and effects during which the process died too often (design P6b). */
import { type EventObject } from 'xstate';
import { BosunError } from '../../errors.ts';
import { DEATHS_MAX } from '../../limits.ts';
import { admitError } from '../model/thrown.ts';
import { type Deed } from '../world/crash-loop-guard.ts';
import { type Cell } from '../world/cell.ts';
import { EFFECT_FAILED } from '../world/effects/effects.ts';
import { messageOfTimer, messageRow } from '../world/mailbox/message.ts';
import { quarantine } from './quarantine.ts';
import { type Turns } from './turn.ts';
import { type World } from '../world/world.ts';

/**
 * Quarantines a message or a timer's event, fails a birth, fails an effect with its next turn. Before anything runs.
 */
export function quarantineCulprits(world: World, turns: Turns, guilty: ReadonlySet<Deed>): void {
  for (const deed of guilty) {
    const [kind, number] = deed.split(' ') as [string, string];
    if (kind === 'message') convictMessage(world, Number(number), deed);
    else if (kind === 'timer') convictTimer(world, Number(number), deed);
    else convictActor(world, turns, world.cells.get(Number(number)), deed);
  }
}

function convictMessage(world: World, id: number, deed: Deed): void {
  for (const cell of world.cells.values()) {
    const message = cell.role.isQuarantined ? cell.mailbox.unread().find((unread) => unread.id === id) : undefined;
    if (message === undefined) continue;
    cell.mailbox.removeWhere((unread) => unread === message);
    world.draft.read(message);
    quarantine(world, { address: cell.address, error: verdictOn(cell, deed), message: messageRow(message) });
    return;
  }
}

function convictTimer(world: World, number: number, deed: Deed): void {
  for (const cell of world.cells.values()) {
    for (const timer of cell.role.isQuarantined ? cell.timers.values() : []) {
      if (timer.number !== number) continue;
      world.timers.disarm(cell, timer);
      quarantine(world, {
        address: cell.address,
        error: verdictOn(cell, deed),
        message: messageRow(messageOfTimer(timer, timer.event)),
      });
      // The schedule goes on with its next time.
      world.timers.plan(cell);
      return;
    }
  }
}

function convictActor(world: World, turns: Turns, cell: Cell | undefined, deed: Deed): void {
  if (cell?.role.isQuarantined !== true) return;
  const error = verdictOn(cell, deed);
  if (cell.status === 'starting') turns.fail(cell, error);
  else if (cell.definition.isEffect && cell.status === 'active') {
    world.enqueue(
      cell,
      Object.freeze({ type: EFFECT_FAILED, error }) as EventObject,
      'completion',
      cell.life,
      cell.attempt,
    );
  }
}

function verdictOn({ address }: Cell, deed: Deed): unknown {
  return admitError(
    new BosunError('BOSUN_HOST_KILLED', `the process died ${DEATHS_MAX} times in the middle of ${deed} of ${address}`, {
      details: { address, deed },
    }),
  );
}
