/**
 * Lists the promises of user code that run now, for tests: the world outside of a system, which virtual time does not
 * move.
 */
import { type Cell } from '../cell.ts';
import { type World } from '../world.ts';

/** A promise that a machine has invoked or spawned, and that has not settled. */
export interface RunningPromise {
  readonly life: number;
  readonly address: string;
  /** The agent whose machine, or a machine below it, started the promise. */
  readonly agent: string;
  /** The name in `setup({ actors })` of that machine; below a machine of the agent the names of both, `line > work`. */
  readonly src: string;
  /** The number of the start, from 1. */
  readonly attempt: number;
}

/** Lists promises among running effects. Those that ask an actor are left out: they wait for a turn of this system. */
export function runningPromises(world: World, running: Iterable<Cell>): readonly RunningPromise[] {
  const asking = new Set(world.asks.pending().map(({ asker }) => asker));
  return [...running]
    .filter(({ definition, status, life }) => definition.kind === 'promise' && status === 'active' && !asking.has(life))
    .map((cell) => ({ life: cell.life, address: cell.address, ...nameOf(cell), attempt: cell.attempt }));
}

function nameOf({ identity, parent }: Cell): Pick<RunningPromise, 'agent' | 'src'> {
  let src = identity.agent;
  let owner = parent;
  for (; owner?.bond === 'invoked'; owner = owner.parent) src = `${owner.identity.agent} > ${src}`;
  return { agent: owner?.identity.agent ?? '', src };
}
