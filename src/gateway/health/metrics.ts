/**
 * `/metrics`: the numbers of a system and its gateway in the text format of Prometheus. Collected on request only, in
 * time linear in the number of actors, but in slices, as pages of actors are read; requests meanwhile get the same
 * numbers. Labels are names from the code, never chosen by clients.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { type Subscription } from 'xstate';
import { type Shard } from '../../shard.ts';
import { ROOT } from '../../actors/model/address.ts';
import { SHOWN_ACTOR_COST } from '../limits.ts';
import { type ListedActor } from '../protocol/views.ts';
import { type Counters } from './counters.ts';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

export interface MetricFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Makes metric families of a type. */
const familyOf =
  (type: MetricFamily['type']) =>
  (name: string, help: string, samples: readonly Sample[]): MetricFamily => ({ name, type, help, samples });

const gauge = familyOf('gauge');
const counter = familyOf('counter');

/** The only gauge among the counters. */
const CONNECTIONS = 'connections.open';

const NS_PER_S = 1e9;
const QUANTILES = [0.5, 0.9, 0.99, 1] as const;

type SumsUp = (actors: Iterable<ListedActor | undefined>, sums: ActorSums) => Promise<MetricFamily[]>;

/** The metrics of a system and of its thread. */
export class Metrics {
  readonly #system: Shard;
  readonly #summed: SumsUp;
  #underWay: Promise<MetricFamily[]> | undefined;
  /** Dead letters since the first call, by reason. */
  readonly #letters = new Map<string, number>();
  #watch: Subscription | undefined;
  readonly #delay = new LoopDelay();

  /**
   * Makes the metrics.
   *
   * @param summed Gives all actors to the sums, in slices between which others work.
   */
  constructor(system: Shard, summed: SumsUp) {
    this.#system = system;
    this.#summed = summed;
  }

  /** The metric families. Counters start at the first call. Rejects with BOSUN_SYSTEM_CLOSED. */
  families(): Promise<MetricFamily[]> {
    this.#underWay ??= this.#collected().finally(() => (this.#underWay = undefined));
    return this.#underWay;
  }

  async #collected(): Promise<MetricFamily[]> {
    this.#begin();
    const ofActors = await this.#summed(this.#system.listed(ROOT), new ActorSums());
    return [...this.#ofSystem(), ...ofActors, ...this.#ofLetters(), this.#delay.family()];
  }

  stop(): void {
    this.#watch?.unsubscribe();
    this.#delay.stop();
  }

  #begin(): void {
    this.#watch ??= this.#system.deadLetters.subscribe(({ reason }) =>
      this.#letters.set(reason, (this.#letters.get(reason) ?? 0) + 1),
    );
  }

  #ofSystem(): MetricFamily[] {
    const system = this.#system;
    return [
      counter('bosun_epochs_total', 'Epochs begun since the store was made.', [[{}, system.epoch]]),
      gauge('bosun_store_available', '1 while the store can be written.', [[{}, system.outage === undefined ? 1 : 0]]),
      gauge('bosun_damaged_records', 'Damage found in the store at the start and since.', [
        [{}, system.damage().length],
      ]),
      gauge('bosun_unreadable_actors', 'Actors in the store that do not run because they cannot be read.', [
        [{}, system.unreadable().length],
      ]),
    ];
  }

  #ofLetters(): MetricFamily[] {
    const kept = new Map<string, number>();
    for (const { reason } of this.#system.deadLetters.list()) kept.set(reason, (kept.get(reason) ?? 0) + 1);
    return [
      gauge('bosun_dead_letters', 'Dead letters kept.', by('reason', kept)),
      counter('bosun_dead_letters_total', 'Dead letters since the first scrape.', by('reason', this.#letters)),
    ];
  }
}

/** Delay of this thread's event loop since the last reading. */
export class LoopDelay {
  #delay: IntervalHistogram | undefined;

  family(): MetricFamily {
    const delay = (this.#delay ??= this.#begin());
    const samples =
      delay.count === 0
        ? []
        : QUANTILES.map(
            (quantile): Sample => [{ quantile: String(quantile) }, delay.percentile(quantile * 100) / NS_PER_S],
          );
    delay.reset();
    return gauge('bosun_event_loop_delay_seconds', 'How late the event loop was, since the last scrape.', samples);
  }

  stop(): void {
    this.#delay?.disable();
  }

  #begin(): IntervalHistogram {
    const delay = monitorEventLoopDelay();
    delay.enable();
    return delay;
  }
}

/** The families in the text format of Prometheus. */
export function metricsText(families: readonly MetricFamily[]): string {
  return families.map(written).join('');
}

export function gatewayFamilies(counters: Counters): MetricFamily[] {
  const counted = Object.entries(counters.all()).filter(([what]) => what !== CONNECTIONS);
  return [
    gauge('bosun_gateway_connections', 'Connections and event streams that are open.', [
      [{}, counters.get(CONNECTIONS)],
    ]),
    counter('bosun_gateway_total', 'What the gateway let in, refused and closed, by name.', by('what', counted)),
  ];
}

/** Totals over the actors of one agent. */
interface Sum {
  readonly statuses: Map<string, number>;
  mailbox: number;
  oldestMs: number;
  restarts: number;
}

/** Sums over all actors. */
class ActorSums {
  readonly isFull = false;
  readonly #sums = new Map<string, Sum>();

  take(actor: ListedActor | undefined): number {
    if (actor === undefined) return 1;
    const { agent, status, mailbox, oldestMessageMs, restarts } = actor.node();
    let sum = this.#sums.get(agent);
    if (sum === undefined) this.#sums.set(agent, (sum = { statuses: new Map(), mailbox: 0, oldestMs: 0, restarts: 0 }));
    sum.statuses.set(status, (sum.statuses.get(status) ?? 0) + 1);
    sum.mailbox += mailbox;
    sum.oldestMs = Math.max(sum.oldestMs, oldestMessageMs ?? 0);
    sum.restarts += restarts ?? 0;
    return SHOWN_ACTOR_COST;
  }

  result(): MetricFamily[] {
    const agents = [...this.#sums];
    const perAgent = (of: (sum: Sum) => number) =>
      by(
        'agent',
        agents.map(([agent, sum]) => [agent, of(sum)] as const),
      );
    return [
      gauge(
        'bosun_actors',
        'Actors.',
        agents.flatMap(([agent, { statuses }]) =>
          [...statuses].map(([status, count]): Sample => [{ agent, status }, count]),
        ),
      ),
      gauge(
        'bosun_mailbox_messages',
        'Unread messages.',
        perAgent(({ mailbox }) => mailbox),
      ),
      gauge(
        'bosun_mailbox_oldest_seconds',
        'How long the oldest unread message has waited.',
        perAgent(({ oldestMs }) => oldestMs / 1_000),
      ),
      gauge(
        'bosun_restarts',
        'Restarts of the actors that are there, by their Bosses.',
        perAgent(({ restarts }) => restarts),
      ),
    ];
  }
}

function by(label: string, values: Iterable<readonly [string, number]>): Sample[] {
  return [...values].map(([name, value]) => [{ [label]: name }, value]);
}

function written({ name, type, help, samples }: MetricFamily): string {
  const lines = samples.map(([labels, value]) => `${name}${labelled(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelled(labels: Labels): string {
  const parts = Object.entries(labels).map(([key, value]) => `${key}="${escaped(value)}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
