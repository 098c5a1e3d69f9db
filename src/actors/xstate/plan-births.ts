/**
 * The operation by which a plan spawns a child, for `spawnChild` and invokes. Does what resolveSpawn of XState 5.33
 * does, but creates no Actor. XState itself spawns children with a system id, since user code of the same step may look
 * them up in the system.
 */
import { type AnyStateMachine } from 'xstate';
import { Newborn } from './births.ts';
import { Operation } from './plan-operation.ts';
import { type Work } from './plan-work.ts';

/** The arguments of `spawnChild`. */
export interface SpawnParts {
  readonly src: unknown;
  readonly id: unknown;
  readonly systemId: unknown;
  readonly input: unknown;
  readonly syncSnapshot: unknown;
}

/** Whether a plan can spawn the child: logic by name, no system id. */
export function isPlainSpawn(machine: AnyStateMachine, { src, systemId }: SpawnParts): boolean {
  if (typeof src !== 'string' || systemId !== undefined) return false;
  const { actors } = machine.implementations as { actors: Readonly<Record<string, unknown>> };
  return Boolean(actors[src]) || src.startsWith('xstate.invoke.');
}

export class Spawn extends Operation {
  readonly #parts: SpawnParts;

  /**
   * Makes a spawn.
   *
   * @param parts The arguments of a spawn for which `isPlainSpawn` holds.
   */
  constructor(parts: SpawnParts) {
    super();
    this.#parts = parts;
  }

  perform(work: Work): void {
    const { src, id: idOf, input: inputOf, syncSnapshot } = this.#parts;
    const { scope, snapshot, event } = work;
    const given = typeof idOf === 'function' ? (idOf as (args: object) => unknown)(work.args()) : idOf;
    const input: unknown =
      typeof inputOf === 'function'
        ? (inputOf as (args: object) => unknown)({ context: snapshot.context, event, self: scope.self })
        : inputOf;
    const life = work.step.nextLife();
    const id = (given as string | undefined) ?? String(life);
    work.addChild(id, new Newborn(life, { id, src: src as string, input, syncSnapshot: syncSnapshot === true }));
  }
}
