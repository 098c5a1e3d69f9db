/**
 * The last step of actors, for those that are watched: taken from their turns while somebody watches. Earlier steps are
 * unknown. Bosses are not followed, since everything below one would have to be.
 */
import { BOSS_AGENT } from '../../actors/model/supervision.ts';
import { type Subscription } from 'xstate';
import type { TraceRecord } from '../../actors/model/trace-record.ts';
import { type Shard } from '../../shard.ts';
import { type LastStep } from '../protocol/views.ts';

interface Followed {
  subscription: Subscription | undefined;
  readonly followers: Set<() => void>;
  last: { readonly life: number; readonly step: LastStep } | undefined;
}

export class LastSteps {
  readonly #system: Shard;
  readonly #followed = new Map<string, Followed>();

  constructor(system: Shard) {
    this.#system = system;
  }

  of(address: string, life: number): LastStep | null {
    const last = this.#followed.get(address)?.last;
    // Another actor may live there by now.
    return last?.life === life ? last.step : null;
  }

  /**
   * Follows an actor. Throws BOSUN_ACTOR_UNKNOWN.
   *
   * @returns A function that stops it.
   */
  follow(address: string, changed: () => void): () => void {
    const followed = this.#followed.get(address) ?? this.#begin(address);
    followed.followers.add(changed);
    return () => {
      followed.followers.delete(changed);
      if (followed.followers.size > 0 || this.#followed.get(address) !== followed) return;
      this.#followed.delete(address);
      followed.subscription?.unsubscribe();
    };
  }

  close(): void {
    for (const { subscription } of this.#followed.values()) subscription?.unsubscribe();
    this.#followed.clear();
  }

  #begin(address: string): Followed {
    const { agent } = this.#system.admin.getState(address);
    const followed: Followed = { subscription: undefined, followers: new Set(), last: undefined };
    this.#followed.set(address, followed);
    if (agent !== BOSS_AGENT)
      followed.subscription = this.#system.admin.onTurn(address, (record) => this.#hear(record, followed, address));
    return followed;
  }

  #hear(record: TraceRecord, followed: Followed, address: string): void {
    const step = record.address === address ? stepOf(record) : undefined;
    if (step === undefined) return;
    followed.last = { life: record.life, step };
    for (const changed of [...followed.followers]) changed();
  }
}

/** The step in a record; undefined for a record that is not a step of a machine: a failure, an end. */
function stepOf({ kind, sequence, atMs, event, microsteps }: TraceRecord): LastStep | undefined {
  if (kind === 'failed' || kind === 'stopped') return undefined;
  return { sequence, atMs, event: event?.type ?? null, edges: microsteps.flat().map(({ edge }) => edge) };
}
