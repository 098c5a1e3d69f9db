/**
 * Gives random machines actions that record, with a chance of its own, so that a seed stays the machine that it was:
 * the named seeds of the fuzz are faults of the past. Only the machine of an agent records, not its children.
 */
import { SeededRandom } from '../../../src/testing/seeded-random.ts';
import { type MachineSpec, RECORD_NAMES } from './machine-spec.ts';
import { rewritten, standsAlone, withAction } from './rewrite.ts';

/** The share of machines that record, and of their places for actions that have one. */
const MACHINES = 0.6;
const PLACES = 0.3;

export function recording(spec: MachineSpec, seed: number): MachineSpec {
  const random = new SeededRandom(seed);
  if (random.next() >= MACHINES) return spec;
  return {
    ...spec,
    root: rewritten(spec.root, {
      actions(actions) {
        if (random.next() >= PLACES || standsAlone(actions)) return actions;
        const place = random.integer(actions.length + 1);
        return withAction(actions, place, { do: 'record', name: random.pick(RECORD_NAMES) });
      },
    }),
  };
}
