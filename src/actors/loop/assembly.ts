/**
 * Puts the parts of a running kernel together, round what the journal recovered. Wiring only: what the parts do is
 * theirs, and when they do it is the kernel's.
 */
import { type EventObject } from 'xstate';
import { type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { Administration } from './administration.ts';
import { Bosses } from '../world/bosses.ts';
import { type CrashLoopGuard, type Deed } from '../world/crash-loop-guard.ts';
import { quarantineCulprits } from '../turn/crash-loop-verdict.ts';
import { type DurableView } from './durable-view.ts';
import { Effects } from '../world/effects/effects.ts';
import { type StepEngineName } from '../model/step-engine.ts';
import { Ingress } from './inbound/ingress.ts';
import { KernelTime } from '../world/time/kernel-time.ts';
import { DurableActions } from '../turn/durable-actions.ts';
import { type Journal, type Random, type Recovered } from '../model/ports.ts';
import { Quarantine } from '../turn/quarantine.ts';
import { goOn, type Population, repopulate } from './recovery.ts';
import { Residency } from './residency/residency.ts';
import { type Logic, type Roster } from './versions/roster.ts';
import { Sessions } from './inbound/sessions.ts';
import { type KernelRefHost } from './ref-host.ts';
import { Turns } from '../turn/turn.ts';
import { TurnLoop } from './turn-loop.ts';
import { ShardLink, type ShardParts } from './shards/shard-link.ts';
import { firstLife } from '../model/placement.ts';
import { placeOf, recordPlace } from './shards/shard.ts';
import { World } from '../world/world.ts';

export interface KernelParts {
  /** Of the store, for those who hear of several systems. Default: the empty text. */
  readonly name?: string;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  /** The logic of an agent, the Boss among them; undefined for an unknown name. */
  readonly logicOf: (agent: string) => Logic | undefined;
  /** Input of the root Boss, for the first start of a store. */
  readonly root: unknown;
  /** Take messages and answer reads, but run nothing: for looking at a store, and for orders to its next start. */
  readonly hold: boolean;
  /** How long to go on without a store that can be written. */
  readonly outageMs: number;
  /** Begin at the wall clock, however far it is from the last epoch. */
  readonly trustWallClock: boolean;
  /** Find out what kills the process. */
  readonly caution: boolean;
  /** What makes the kernel one shard of several. */
  readonly shard?: ShardParts | undefined;
  /** Who takes the steps of machines. Default `plan`. */
  readonly stepEngine?: StepEngineName;
  /** How many actors should be in memory at most; undefined where all of them are. */
  readonly residentActors?: number | undefined;
  /** For how long an epoch waits for further turns while there are some to take. */
  readonly epochMs?: number | undefined;
  /** Where `log` actions and reports of the kernel go. */
  readonly log: (...args: unknown[]) => void;
}

/** Throws BOSUN_CONFIG_INVALID. */
export function checkParts({ residentActors, epochMs = 0, journal }: KernelParts): void {
  if (!(epochMs >= 0)) throw new BosunError('BOSUN_CONFIG_INVALID', `epochMs: ${epochMs} is no time`);
  if (residentActors === undefined) return;
  if (!(residentActors >= 1))
    throw new BosunError('BOSUN_CONFIG_INVALID', `residentActors: ${residentActors} is no number of actors`);
  if (journal.shelf === undefined)
    throw new BosunError('BOSUN_CONFIG_INVALID', 'residentActors: the store has no getSync');
}

/** What the kernel has before it is started. */
interface Frame {
  readonly refHost: KernelRefHost;
  readonly roster: Roster;
  readonly shown: DurableView;
  readonly watchers: Set<(address: string, event: EventObject) => void>;
  /** There is something to do. */
  readonly wake: () => void;
  /** Why hosts are refused at present. */
  readonly refusal: () => BosunError | undefined;
  readonly onRootGone: (error: unknown) => void;
  readonly onFailure: (error: unknown) => void;
  readonly isHalted: () => boolean;
  readonly caution: CrashLoopGuard;
}

export interface Machinery {
  readonly world: World;
  readonly effects: Effects;
  readonly outbox: DurableActions;
  readonly bosses: Bosses;
  readonly turns: Turns;
  readonly loop: TurnLoop;
  readonly ingress: Ingress;
  readonly quarantine: Quarantine;
  readonly administration: Administration;
  /** Undefined where there is one kernel. */
  readonly shardLink: ShardLink | undefined;
  /** Undefined where everybody is in memory. */
  readonly residency: Residency | undefined;
  readonly population: Population;
}

/** The population before anybody is in it. */
function newWorld(
  { journal, clock, log, hold, shard }: KernelParts,
  recovered: Recovered,
  { refHost, watchers, wake, time }: Frame & { readonly time: KernelTime },
): World {
  const place = placeOf(shard, recovered, hold);
  return new World({
    engine: refHost.engine,
    codec: journal.codec,
    clock,
    time,
    counters:
      place !== undefined && recovered.epoch === 0
        ? { ...recovered.counters, life: firstLife(place) }
        : recovered.counters,
    lifeStride: place?.count ?? 1,
    refOf: (life, address) => refHost.ref(life, address),
    own: refHost.own,
    wake,
    watchers,
    log,
  });
}

/** Everything as it was at the last durable epoch, and nothing running yet. */
export function assemble(parts: KernelParts, recovered: Recovered, frame: Frame): Machinery {
  const { journal, clock, random, log, hold, trustWallClock, residentActors, epochMs = 0 } = parts;
  const { shelf } = journal;
  // Not `recovered` itself: what closes over it keeps all that was read.
  const { epoch: startEpoch } = recovered;
  const { refHost, roster, shown, wake, refusal, onRootGone, onFailure, isHalted, caution } = frame;
  const { engine } = refHost;
  const time = new KernelTime(clock, { lastMs: recovered.kernelTimeMs, hold, trustWallClock });
  if (time.report !== undefined) log(time.report);
  const world = newWorld(parts, recovered, { ...frame, time });
  const shardLink = parts.shard === undefined || hold ? undefined : new ShardLink(world, parts.shard, recovered);
  world.shards = shardLink;
  const definitionOf = (agent: string) => roster.today(agent);
  const effects = new Effects({ world, engine, refHost, random, caution });
  const outbox = new DurableActions({ world, refHost, random, definitionOf });
  const bosses = new Bosses({ world, effects, random, definitionOf, onRootGone });
  const turns = new Turns({ world, effects, bosses, outbox });
  for (const [hash, lists] of recovered.configurations) roster.definitions.table(hash).load(lists);
  const sessions = new Sessions(world.draft, recovered, () => time.nowMs());
  const ingress = new Ingress({ world, sessions, hold, refusal, wake });
  const quarantine = new Quarantine(world, outbox);
  const administration = new Administration({ world, turns, bosses, effects, quarantine, hold });
  const loop = new TurnLoop({ world, turns, ingress, administration, clock, caution, isHalted, epochMs });
  world.tracing.attach({ store: parts.name ?? '', engine, durableEpoch: () => Math.max(shown.epoch, startEpoch) });
  const residency =
    shelf === undefined || residentActors === undefined || hold
      ? undefined
      : new Residency({ world, shelf, shown, roster, bosses, residentActors, refusal, onFailure });
  world.residency = residency;
  refHost.connect({ world, effects, turns, residency });
  const population = repopulate(world, outbox, recovered, { roster, hold });
  residency?.load(recovered);
  shown.load(recovered, world.cells.values());
  refHost.recovered();
  return {
    world,
    effects,
    outbox,
    bosses,
    turns,
    loop,
    ingress,
    quarantine,
    administration,
    shardLink,
    residency,
    population,
  };
}

/**
 * Lets what was live go on, but for what killed earlier runs: migrates, starts effects again, runs durable actions.
 * @returns Whether something was migrated.
 */
export function setGoing(
  { world, population, outbox, bosses, effects, turns }: Machinery,
  roster: Roster,
  { guilty, shard }: { guilty: ReadonlySet<Deed>; shard: ShardParts | undefined },
): boolean {
  if (shard !== undefined) recordPlace(world, shard);
  quarantineCulprits(world, turns, guilty);
  const hasMigrated = goOn(world, population, roster, { bosses, effects });
  outbox.resume();
  return hasMigrated;
}
