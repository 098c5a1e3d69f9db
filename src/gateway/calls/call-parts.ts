/** The surroundings of handlers: beside a kernel, and in front of one kernel or of several workers. Types only. */
import { type Clock } from '../../clock.ts';
import { type Shard } from '../../shard.ts';
import { type Caller } from '../callers/callers.ts';
import { type Health } from '../health/health.ts';
import { type ActorViews } from '../topics/actor-views.ts';
import { type Inspections } from '../topics/inspections.ts';
import { type PageTurns } from '../topics/page-turns.ts';
import { type RecordViews } from '../topics/record-views.ts';
import { type RunViews } from '../topics/run-views.ts';
import { type Call } from './call.ts';
import { type CallsUnderWay } from './calls-under-way.ts';
import { type Repeats } from './repeats.ts';

/** The surroundings of a handler beside a kernel. */
export interface CallParts {
  readonly system: Shard;
  readonly clock: Clock;
  readonly views: ActorViews;
  readonly records: RecordViews;
  readonly runs: RunViews;
  readonly repeats: Repeats;
  readonly inspections: Inspections;
  readonly health: Health;
  readonly pages: PageTurns;
}

/** Selectors by agent name, then by selector name: pure functions of the context as clients see it. */
export type Selectors = Readonly<Record<string, Readonly<Record<string, (context: never) => unknown>>>>;

/** Carries out a method with the rights and the budget of the caller. */
type Carrier<Params> = (params: Params, call: Call) => unknown;

interface OfActor {
  readonly address: string;
}

/** The surroundings of a handler in front of one kernel or of several workers. */
export interface FrontParts {
  /** The methods beside a kernel, wherever that is, of which others are made. */
  readonly backend: {
    readonly 'actor.get': Carrier<OfActor>;
    readonly 'machine.get': Carrier<{ readonly name: string }>;
    readonly 'actor.history': Carrier<OfActor & { readonly limit: number }>;
    readonly 'actor.turns': Carrier<OfActor & { readonly limit: number; readonly after: number }>;
    readonly 'actor.sendMany': Carrier<{ sends: (OfActor & { event: { type: string; [field: string]: unknown } })[] }>;
    readonly 'table.read': Carrier<
      OfActor & { table: string; from?: string | undefined; reverse: boolean; limit: number }
    >;
  };
  /** Returns the kernel time of the system. */
  readonly nowMs: () => number;
  readonly selectors: Selectors;
  readonly underWay: CallsUnderWay;
  /** Takes a call from the caller's rate. Returns 0, or the ms after which the caller may call again. */
  readonly takeCall: (caller: Caller) => number;
}
