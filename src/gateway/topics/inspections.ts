/**
 * The inspection of one actor: what it is, what it waits for, who waits for it, its last step, and the chart of its
 * machine. Contexts and contents of messages are shown by actor-views.ts.
 */
import { type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { type Shard } from '../../shard.ts';
import { type Caller, mayReach } from '../callers/callers.ts';
import { type Looks } from '../callers/looks.ts';
import { activeStates } from '../charts/active.ts';
import { type Drawing, drawingOf } from '../charts/drawing.ts';
import { ChartLayouts } from '../charts/layout.ts';
import { type Chart, chartOf } from '../charts/model.ts';
import { type InspectionView } from '../protocol/views.ts';
import { LastSteps } from './last-steps.ts';

export interface ChartView {
  /** Hash of the machine's structure: equal hashes have equal drawings. */
  readonly hash: string;
  readonly machine: string;
  /** Ids of the active states. */
  readonly active: readonly string[];
  /** The drawing; null if the caller has it already. */
  readonly drawing: Drawing | null;
}

export class Inspections {
  readonly #system: Shard;
  readonly #layouts: ChartLayouts;
  readonly #steps: LastSteps;
  /** Charts by the root of their machine. */
  readonly #charts = new WeakMap<object, Chart>();

  constructor(system: Shard, clock: Clock) {
    this.#system = system;
    this.#layouts = new ChartLayouts(clock);
    this.#steps = new LastSteps(system);
  }

  /** The inspection of an actor. Throws BOSUN_ACTOR_UNKNOWN, BOSUN_STORE_DAMAGED. */
  view(caller: Caller, at: string, looks: Pick<Looks, 'charge'>): InspectionView {
    const state = this.#system.admin.getState(at);
    looks.charge(state.children.length);
    const seen = (other: string | null) =>
      other === null || other === 'client' || other === 'host' || mayReach(caller, other) ? other : null;
    return {
      address: state.address,
      agent: state.agent,
      life: state.life,
      kind: state.kind,
      version: state.version,
      incarnation: state.incarnation,
      attempt: state.attempt,
      parent: seen(state.parent),
      suspended: state.suspended,
      mailbox: state.mailbox,
      unread: state.unread.map((message) => ({ ...message, from: seen(message.from) })),
      timers: state.timers
        .map(({ id, deadlineMs, event }) => ({ id, deadlineMs, event }))
        .sort((a, b) => a.deadlineMs - b.deadlineMs),
      records: state.records,
      last: this.#steps.of(state.address, state.life),
      children: state.children.filter((child) => mayReach(caller, child)),
    };
  }

  /**
   * Follows the steps of an actor. Throws BOSUN_ACTOR_UNKNOWN.
   *
   * @returns A function that stops it.
   */
  follow(address: string, changed: () => void): () => void {
    return this.#steps.follow(address, changed);
  }

  /**
   * The chart of an actor's machine, or of that of its agent if it has ended. Rejects with BOSUN_ACTOR_UNKNOWN,
   * BOSUN_CHART_UNKNOWN if its logic is not a machine, BOSUN_CHART_TOO_LARGE.
   */
  async chart(address: string, known: string | undefined): Promise<ChartView> {
    const machine = this.#system.clientApi.machineAt(address);
    if (machine === undefined)
      throw new BosunError('BOSUN_CHART_UNKNOWN', `${address} has no chart: the code has no machine for it`, {
        details: { address },
      });
    let chart = this.#charts.get(machine.root);
    if (chart === undefined) this.#charts.set(machine.root, (chart = chartOf(machine)));
    const snapshot = this.#system.snapshot(address);
    const active = snapshot === undefined ? [] : [...activeStates(chart, snapshot.value)];
    const drawing = known === chart.hash ? null : drawingOf(chart, await this.#layouts.geometry(chart));
    return { hash: chart.hash, machine: chart.id, active, drawing };
  }

  async close(): Promise<void> {
    this.#steps.close();
    await this.#layouts.close();
  }
}
