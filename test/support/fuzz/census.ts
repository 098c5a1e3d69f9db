/** The number of distinct machines that a campaign has played. */
import { checksum } from '../../../src/checksum.ts';
import { type MachineSpec } from './machine-spec.ts';

/** Bound on the average steps per machine: 5,000,000 steps come from at least 200,000 machines. */
export const STEPS_PER_MACHINE = 25;

export class Census {
  /** Checksums of 32 bits: two different machines may collide, which makes the count slightly too small. */
  readonly #checksums = new Set<number>();

  get size(): number {
    return this.#checksums.size;
  }

  count(machine: MachineSpec): void {
    this.#checksums.add(checksum(Buffer.from(JSON.stringify(machine))));
  }
}
