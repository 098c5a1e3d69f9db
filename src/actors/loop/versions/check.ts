/** Checks what a start with the code of today would do to every stored actor, without doing it. */
import { type BosunError } from '../../../errors.ts';
import { type Cell } from '../../world/cell.ts';
import { type Population } from '../recovery.ts';
import { below, tryMigration } from './revival.ts';
import { type Roster } from './roster.ts';
import { type World } from '../../world/world.ts';

/** The result of checking one actor of a stopped store. */
export interface CheckedActor {
  readonly address: string;
  /** Agent name, or `agent>src` for the children of a machine. */
  readonly agent: string;
  readonly version: number;
  /**
   * The outcome of a start. `fine`: read as it is. `migrates`: by a chain of steps, which have been tried. `kept`: goes
   * on with the old definition. `stops`: a child that its parent's migration ends. `refused`: suspended, with its
   * record untouched.
   */
  readonly verdict: 'fine' | 'migrates' | 'kept' | 'stops' | 'refused';
  /** The reason, for a refused actor. */
  readonly reason: BosunError | null;
}

/** Checks all actors. Runs the user's migrations and discards their results. */
export function checkPopulation(world: World, { verdicts }: Population, roster: Roster): CheckedActor[] {
  const refused = new Map<Cell, BosunError>();
  const stopping = new Set<Cell>();
  return [...verdicts].map(([cell, verdict]) => {
    const { parent, identity } = cell;
    const facts = { address: identity.address, agent: nameOf(cell), version: identity.version };
    const no = (reason: BosunError) => {
      refused.set(cell, reason);
      return { ...facts, verdict: 'refused' as const, reason };
    };
    if (parent !== undefined && stopping.has(parent)) stopping.add(cell);
    if (stopping.has(cell)) return { ...facts, verdict: 'stops', reason: null };
    if (verdict.kind === 'refused') return no(verdict.error);
    const above = parent && refused.get(parent);
    if (parent !== undefined && above !== undefined) return no(below(identity, parent, above).error);
    if (verdict.kind === 'kept') return { ...facts, verdict: 'kept', reason: null };
    if (verdict.kind !== 'migrates') return { ...facts, verdict: 'fine', reason: null };
    try {
      for (const child of tryMigration(world, cell, verdict, roster).leaving) stopping.add(child);
      return { ...facts, verdict: 'migrates', reason: null };
    } catch (error) {
      return no(error as BosunError);
    }
  });
}

function nameOf({ identity, parent }: Cell): string {
  return identity.bond === 'supervised' || parent === undefined
    ? identity.agent
    : `${nameOf(parent)}>${identity.agent}`;
}
