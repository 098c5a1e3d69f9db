/**
 * The only place that logs incidents. A line is an output of the epoch of its turn, and their number per kind and
 * period is limited: the end of the period reports how many were left out. Costs nothing while nothing goes wrong.
 */
import { type Cancel } from '../../clock.ts';
import { INCIDENT_LINES_MAX, INCIDENT_PERIOD_MS } from '../../limits.ts';
import { type BosunError } from '../../errors.ts';
import {
  type Aftermath,
  type Incident,
  type IncidentKind,
  leftOutLine,
  lineOf,
  moreIdleLine,
  type Supervision,
  type Who,
} from '../model/incident-lines.ts';
import type { Cell } from './cell.ts';
import { type Surroundings } from './surroundings.ts';

type Needs = Pick<Surroundings, 'clock' | 'draft' | 'log'>;

export class Incidents {
  readonly #world: Needs;
  /** Failures about which a Boss has not decided yet, by address. */
  readonly #undecided = new Map<string, Incident>();
  /** Lines of the current period; undefined between two periods. */
  #written: Map<IncidentKind, number> | undefined;
  readonly #leftOut = new Map<IncidentKind, number>();
  #endPeriod: Cancel | undefined;

  constructor(world: Needs) {
    this.#world = world;
  }

  /** Records that an actor under a Boss has failed. The line is written when the consequence is known. */
  failed(who: Who, facts: Pick<Incident, 'error' | 'over'>, kind: 'crashed' | 'gaveUp' = 'crashed'): void {
    const { address, agent, version } = who;
    this.#undecided.set(address, { kind, who: { address, agent, version }, ...facts });
  }

  /**
   * Logs the consequence for a failed actor.
   *
   * @returns Whether an actor at this address had failed.
   */
  decided(address: string, aftermath: Aftermath, supervision?: Supervision): boolean {
    const incident = this.#undecided.size === 0 ? undefined : this.#undecided.get(address);
    if (incident === undefined) return false;
    this.#undecided.delete(address);
    this.say({ ...incident, aftermath, ...(supervision && { supervision }) });
    return true;
  }

  /** Logs all undecided failures, because this run decides nothing more. */
  allClose(): void {
    for (const address of [...this.#undecided.keys()]) this.decided(address, { is: 'closes' });
  }

  /** Writes a line once the epoch in the making is durable. */
  say(incident: Incident): void {
    if (!this.#mayWrite(incident.kind)) return;
    const line = lineOf(incident);
    this.#world.draft.output(() => this.#world.log(line));
  }

  /** Logs that an actor was suspended in this turn. */
  suspended({ identity }: Cell, error: BosunError): void {
    this.say({ kind: 'suspended', who: identity, error });
  }

  /** Logs that a stored actor does not run, which is durable already. */
  unreadable(error: BosunError): void {
    if (this.#mayWrite('unreadable')) this.#world.log(lineOf(unreadableOf(error)));
  }

  /** Logs which actors a start has left without turns, whatever the reason, and how many more there are. */
  idle(unreadable: readonly BosunError[], suspended: readonly Cell[]): void {
    const found = [...unreadable.map(unreadableOf), ...suspended.map(suspensionOf)];
    for (const incident of found.slice(0, INCIDENT_LINES_MAX)) this.#world.log(lineOf(incident));
    if (found.length > INCIDENT_LINES_MAX) this.#world.log(moreIdleLine(found.length - INCIDENT_LINES_MAX));
  }

  /** Ends logging, with the count of lines left out. */
  close(): void {
    if (this.#leftOut.size > 0) this.#world.log(leftOutLine(this.#leftOut, INCIDENT_PERIOD_MS));
    this.halt();
  }

  /** Ends logging at once. */
  halt(): void {
    this.#leftOut.clear();
    this.#endPeriod?.();
    this.#endPeriod = undefined;
  }

  #mayWrite(kind: IncidentKind): boolean {
    if (this.#written === undefined) {
      this.#written = new Map();
      this.#endPeriod = this.#world.clock.setTimeout(() => this.#periodEnds(), INCIDENT_PERIOD_MS, {
        isBackground: true,
      });
    }
    const written = this.#written.get(kind) ?? 0;
    if (written < INCIDENT_LINES_MAX) this.#written.set(kind, written + 1);
    else this.#leftOut.set(kind, (this.#leftOut.get(kind) ?? 0) + 1);
    return written < INCIDENT_LINES_MAX;
  }

  #periodEnds(): void {
    this.#written = undefined;
    this.close();
  }
}

function unreadableOf(error: BosunError): Incident {
  const { address = '?', agent = '?', stored } = error.details as Partial<Who> & { stored?: Who };
  return { kind: 'unreadable', who: { address, agent, version: stored?.version ?? null }, error };
}

function suspensionOf({ identity, suspension }: Cell): Incident {
  return { kind: 'stillSuspended', who: identity, error: suspension };
}
