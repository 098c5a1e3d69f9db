/** Facts that a worker reports once its system runs. */
import { parseTree } from '../supervisor/child-spec.ts';
import { spreadTree } from '../supervisor/partition.ts';
import { type SystemOptions } from '../system-options.ts';
import { type WorkerFacts } from './staff.ts';

/** Derives the facts from the options that every worker has. Throws BOSUN_CHILD_SPEC_INVALID. */
export function factsOf({ tree = {} }: Pick<SystemOptions, 'tree'>): WorkerFacts {
  return { spread: [...spreadTree(parseTree(tree)).spread] };
}
