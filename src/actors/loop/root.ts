/**
 * The kernel's side of the root Boss: a start spawns it or tells it the tree, and when it gives up the system closes.
 */
import { BosunError, messageOf } from '../../errors.ts';
import { admit } from '../model/value-check.ts';
import { ROOT } from '../model/address.ts';
import { identityOf } from '../model/state.ts';
import { BOSS_AGENT } from '../model/supervision.ts';
import { stands } from '../world/actor-view.ts';
import { type RootEnd } from '../world/bosses.ts';
import { type Machinery } from './assembly.ts';
import { type Roster } from './versions/roster.ts';
import { type World } from '../world/world.ts';

/** Sends the root Boss the tree declared in the code, and spawns it in a new store. `tree`: its input. */
export function startRoot({
  machinery: { world, bosses },
  roster,
  tree,
}: {
  machinery: Machinery;
  roster: Roster;
  tree: unknown;
}): void {
  const root = world.addresses.get(ROOT);
  // Nothing runs without the root, and a new one would find the addresses of its children taken.
  if (root === undefined && world.unreadable.size > 0)
    throw world.unreadable.at(ROOT) ?? world.unreadable.problems(world.cells.values())[0];
  if (root !== undefined) {
    // It gave up in an earlier run: this start begins with an empty window (design P5).
    if (root.status === 'error') bosses.resume(root);
    world.enqueue(root, admit({ type: 'bosun.declare', input: tree }, 'tree'), 'command', 0);
    return;
  }
  const definition = roster.today(BOSS_AGENT)!;
  const { hash, version } = definition;
  const identity = { life: world.next('life'), address: ROOT, agent: BOSS_AGENT, definition: hash, version };
  const place = { parent: 0, bond: 'supervised' as const, childId: ROOT, systemId: null, syncSnapshot: false };
  const input = admit(tree, 'tree');
  world.spawn(identityOf({ ...identity, ...place, effectId: null, input }), definition, undefined);
}

/** Whether the root and all Bosses have begun, as readers see them. */
export function rootStands({ addresses }: World): boolean {
  return stands(addresses.get(ROOT));
}

/** Says how the next start can go on without the actor for which this run had to end. */
function wayOut(address: string): string {
  return (
    'The next start tries it again. To start without it, suspend it in the stopped store: ' +
    `bosun suspend ${address} --data DIR, or admin.suspend('${address}', ...) of a system with hold: true`
  );
}

/**
 * The error of a root that has given up.
 *
 * @returns The error for which the system closes, once the events that led there are committed.
 */
export function rootFailure(world: World, { error, over }: RootEnd): BosunError {
  const failure =
    over === undefined
      ? new BosunError('BOSUN_INTENSITY_EXCEEDED', `the root Boss gave up: ${messageOf(error)}`, { cause: error })
      : new BosunError(
          'BOSUN_INTENSITY_EXCEEDED',
          `the root Boss gave up: ${over}: ${messageOf(error)}. ${wayOut(over)}`,
          {
            cause: error,
            details: { address: over },
          },
        );
  world.change(world.addresses.get(ROOT)!, { status: 'error', error: { value: admit(failure, 'error') } });
  return failure;
}
