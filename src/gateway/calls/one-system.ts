/** The backend with one system in this thread; a worker gateway uses it too. */
import { type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { type Shard } from '../../shard.ts';
import { type Call } from './call.ts';
import { type CallParts } from './call-parts.ts';
import { type BackendHandlers, kernelMethods } from './methods.ts';
import { type Caller } from '../callers/callers.ts';
import { EventLog } from '../topics/event-log.ts';
import { Health } from '../health/health.ts';
import { Inspections } from '../topics/inspections.ts';
import { UNCOUNTED } from '../callers/looks.ts';
import { paged } from '../topics/actor-pages.ts';
import { PageTurns } from '../topics/page-turns.ts';
import { RecordViews } from '../topics/record-views.ts';
import { RunViews } from '../topics/run-views.ts';
import { type Backend } from './backend.ts';
import { type MetricFamily, Metrics } from '../health/metrics.ts';
import { Repeats } from './repeats.ts';
import { type SequencedLine, type SequencedSends, SystemSends } from './sequenced-sends.ts';
import { type TurnViews } from '../topics/turn-views.ts';
import { type Counters } from '../health/counters.ts';
import { type ChangeListener } from '../topics/listing.ts';
import { Topics } from '../topics/topics.ts';
import { ActorViews } from '../topics/actor-views.ts';

interface OneSystemParts {
  readonly clock: Clock;
  /** The id of this run of the gateway. */
  readonly instance: string;
  readonly counters: Counters;
}

/** Takes turns with the callers whose pages are read. No caller has its id. */
const SCRAPER: Caller = { id: '', scopes: new Set(), addresses: [], expiresAtMs: undefined };
const SCRAPE = { caller: SCRAPER, looks: UNCOUNTED, isOver: false };

export class OneSystem implements Backend {
  readonly handlers: BackendHandlers;
  readonly topics: Topics;
  readonly health: Health;
  readonly turns: TurnViews;
  readonly #system: Shard;
  readonly #clock: Clock;
  readonly #repeats: Repeats;
  readonly #metrics: Metrics;
  readonly #stop: () => void;

  constructor(system: Shard, { clock, instance, counters }: OneSystemParts) {
    this.#system = system;
    this.#clock = clock;
    const views = new ActorViews(system);
    const records = new RecordViews(system, views);
    const runs = new RunViews(system, views);
    const inspections = new Inspections(system, clock);
    const health = (this.health = new Health({ system, counters, clock }));
    const repeats = (this.#repeats = new Repeats(system));
    const events = new EventLog({ clock, instance, shown: (address, event) => views.emitted(address, event) });
    const emitted = system.onEmitted((address, event) => events.record(address, event));
    const pages = new PageTurns(clock);
    const metrics = (this.#metrics = new Metrics(system, (actors, sums) =>
      paged({ turns: pages, call: SCRAPE }, actors, sums),
    ));
    this.topics = new Topics(system, { views, records, inspections, events, pages, instance });
    this.handlers = handlersOf({ system, clock, views, records, runs, repeats, inspections, health, pages });
    this.turns = { system, views, epochs: this.topics.epochs };
    this.#stop = () => {
      emitted.unsubscribe();
      metrics.stop();
      health.stop();
      void inspections.close();
    };
  }

  lastSequence(caller: Caller, session: string): number {
    return this.#repeats.lastSequence(caller, session);
  }

  sequenced(line: SequencedLine): SequencedSends {
    return new SystemSends({ system: this.#system, repeats: this.#repeats }, line);
  }

  watchActor(address: string, { changed, failed }: ChangeListener): () => void {
    let isOver = false;
    // The kernel notifies amid its own work.
    const later = (tell: () => void) => this.#clock.defer(() => !isOver && tell());
    const lost = (error: unknown) => later(() => failed(error));
    let stop = () => {};
    try {
      const ended = () => lost(new BosunError('BOSUN_ACTOR_UNKNOWN', `the actor ${address} was removed`));
      const { unsubscribe } = this.#system.clientApi.watch(address, { changed: () => later(changed), ended });
      stop = unsubscribe;
    } catch (error) {
      lost(error);
    }
    return () => {
      isOver = true;
      stop();
    };
  }

  isReady(): boolean {
    return this.#system.clientApi.isRunning && this.#system.outage === undefined;
  }

  get nowMs(): number {
    return this.#system.clientApi.nowMs ?? 0;
  }

  families(): Promise<MetricFamily[]> {
    return this.#metrics.families();
  }

  stop(): void {
    this.#stop();
  }
}

/** The handlers of the methods beside this kernel. */
function handlersOf(parts: CallParts): BackendHandlers {
  // The rows' own types pair each method with its parameters.
  return Object.fromEntries(
    kernelMethods().map(([name, { way }]) => [name, (params: never, call: Call) => way.run(params, call, parts)]),
  ) as never;
}
