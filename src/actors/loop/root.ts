/**
 * The kernel's side of the root Boss: a start spawns it or tells it the tree, and its giving up closes the system.
 */
import { BosunError, messageOf } from '../../errors.ts';
import { admit } from '../model/value-check.ts';
import { ROOT } from '../model/address.ts';
import { BOSS_AGENT } from '../model/agent.ts';
import { type Machinery } from './assembly.ts';
import { type Roster } from './versions/roster.ts';
import { type World } from '../world/world.ts';

/**
 * Tells the root Boss the tree that the code declares, and spawns it where the store is new. `tree`: its input.
 */
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
  // Nothing runs without it, and another one would find the addresses of its children taken.
  if (root === undefined && world.unreadable.size > 0)
    throw world.unreadable.at(ROOT) ?? world.unreadable.problems(world.cells.values())[0];
  if (root !== undefined) {
    // It gave up in an earlier run: this start begins with a fresh window (design P5).
    if (root.status === 'error') bosses.resume(root);
    world.enqueue(root, admit({ type: 'bosun.declare', input: tree }, 'tree'), 'command', 0);
    return;
  }
  const definition = roster.today(BOSS_AGENT)!;
  const { hash, version } = definition;
  const identity = { life: world.next('life'), address: ROOT, agent: BOSS_AGENT, definition: hash, version };
  const place = { parent: 0, bond: 'supervised' as const, childId: ROOT, systemId: null, syncSnapshot: false };
  world.spawn({ ...identity, ...place, effectId: '1', input: admit(tree, 'tree') }, definition, undefined);
}

/** The root has given up. @returns What the system closes with, once what led there is committed. */
export function rootFailure(world: World, cause: unknown): BosunError {
  const failure = new BosunError('BOSUN_INTENSITY_EXCEEDED', `the root Boss gave up: ${messageOf(cause)}`, { cause });
  world.change(world.addresses.get(ROOT)!, { status: 'error', error: { value: admit(failure, 'error') } });
  return failure;
}
