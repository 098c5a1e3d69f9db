/** Stored actors that cannot be read. They are left unchanged, and keep their addresses. */
import { type BosunError } from '../../errors.ts';
import type { Cell } from './cell.ts';
import { type Surroundings } from './surroundings.ts';

type Needs = Pick<Surroundings, 'residency'>;

export class UnreadableActors {
  readonly #world: Needs;
  /** Reasons by life. */
  readonly #problems = new Map<number, BosunError>();
  readonly #addresses = new Map<string, BosunError>();

  constructor(world: Needs) {
    this.#world = world;
  }

  get size(): number {
    return this.#problems.size;
  }

  /**
   * Adds an actor.
   *
   * @param address Undefined if it cannot be read either.
   */
  add({ life, address }: { life: number; address: string | undefined }, problem: BosunError): void {
    this.#problems.set(life, problem);
    if (address !== undefined) this.#addresses.set(address, problem);
  }

  of(life: number): BosunError | undefined {
    return this.#problems.get(life);
  }

  /** The reason why the actor at an address cannot be read; undefined if it can. */
  at(address: string): BosunError | undefined {
    const { residency } = this.#world;
    return (
      this.#addresses.get(address) ?? (residency && this.size > 0 ? this.of(residency.lifeAt(address)) : undefined)
    );
  }

  /**
   * The reasons why stored actors do not run, in order of birth, including actors that the present code cannot read.
   */
  problems(cells: Iterable<Cell>): readonly BosunError[] {
    const problems = [...this.#problems];
    for (const cell of cells) if (cell.isUnreadable) problems.push([cell.life, cell.suspension!]);
    return problems.sort(([a], [b]) => a - b).map(([, problem]) => problem);
  }
}
