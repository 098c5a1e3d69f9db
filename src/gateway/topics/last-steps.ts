/**
 * The step that an actor took last, for those that somebody looks at: heard from the turns of the actor as long as they
 * do. Nothing is known of steps before, and none of Bosses is followed: what is below one is the whole crew.
 */
import { BOSS_AGENT } from '../../actors/model/agent.ts';
import { type Subscription } from '../../actors/world/actor-view.ts';
import { type TraceRecord } from '../../actors/model/trace-record.ts';
import { type System } from '../../system.ts';
import { type LastStep } from '../protocol/views.ts';

interface Followed {
  subscription: Subscription | undefined;
  readonly followers: Set<() => void>;
  last: { readonly life: number; readonly step: LastStep } | undefined;
}

export class LastSteps {
  readonly #system: System;
  readonly #followed = new Map<string, Followed>();

  constructor(system: System) {
    this.#system = system;
  }

  of(address: string, life: number): LastStep | null {
    const last = this.#followed.get(address)?.last;
    // Somebody else may live there by now.
    return last?.life === life ? last.step : null;
  }

  /** @returns What ends it. Throws BOSUN_ACTOR_UNKNOWN. */
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

/** undefined for what is no step of a machine: a failure, an end. */
function stepOf({ kind, sequence, atMs, event, microsteps }: TraceRecord): LastStep | undefined {
  if (kind === 'failed' || kind === 'stopped') return undefined;
  return { sequence, atMs, event: event?.type ?? null, edges: microsteps.flat().map(({ edge }) => edge) };
}
