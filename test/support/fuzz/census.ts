/** How many machines a campaign has played, the same one counted once however often a seed makes it. */
import { checksum } from '../../../src/checksum.ts';
import { type MachineSpec } from './machine-spec.ts';

/**
 * On average no more steps than these are taken by one machine: 5,000,000 steps are steps of 200,000 machines at least.
 */
export const STEPS_PER_MACHINE = 25;

export class Census {
  /** Of 32 bits: two different machines may be taken for one, which makes the count too small by a few. */
  readonly #checksums = new Set<number>();

  get size(): number {
    return this.#checksums.size;
  }

  count(machine: MachineSpec): void {
    this.#checksums.add(checksum(Buffer.from(JSON.stringify(machine))));
  }
}
