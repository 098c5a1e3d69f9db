/**
 * Assembles the parts of a running kernel around the recovered state. Wiring only: the parts work by themselves, and
 * the kernel decides when.
 */
import { type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { Administration } from './administration.ts';
import { type Audience } from '../world/audience.ts';
import { Bosses, type RootEnd } from '../world/bosses.ts';
import { type CrashLoopGuard, type Deed } from '../world/crash-loop-guard.ts';
import { quarantineCulprits } from '../turn/crash-loop-verdict.ts';
import { type DurableView } from './durable-view.ts';
import { Effects } from '../world/effects/effects.ts';
import { type StepEngineName } from '../model/step-engine.ts';
import { Ingress } from './inbound/ingress.ts';
import { KernelTime } from '../world/time/kernel-time.ts';
import { DurableActions } from '../turn/durable-actions.ts';
import { type Journal, type Random, type Recovered, type TurnOrder } from '../model/ports.ts';
import { type KeepPolicy } from '../model/keep-bounds.ts';
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
import { type Admits } from './admission.ts';
import { placeOf, recordPlace } from './shards/shard.ts';
import { World } from '../world/world.ts';

export interface KernelParts {
  /** The name of the store, for observers of several systems. Default: the empty text. */
  readonly name?: string;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  /** Returns the logic of an agent, or of the Boss; undefined for an unknown name. */
  readonly logicOf: (agent: string) => Logic | undefined;
  /** The input of the root Boss, for the first start of a store. */
  readonly root: unknown;
  /**
   * Whether to accept messages and answer reads but run nothing: to inspect a store, or to leave orders for its next
   * start.
   */
  readonly hold: boolean;
  /** Milliseconds for which the kernel continues while the store cannot be written. */
  readonly outageMs: number;
  /** Whether to begin at the wall clock, however far it is from the last epoch. */
  readonly trustWallClock: boolean;
  /** Whether to find the message that kills the process. */
  readonly caution: boolean;
  /** Checks the store of a system that is to run. Default: every store is taken. */
  readonly admits?: Admits | undefined;
  /** The shard of this kernel, if it is one of several. */
  readonly shard?: ShardParts | undefined;
  /** The engine that takes the steps of machines. Default `plan`. */
  readonly stepEngine?: StepEngineName;
  /** The number of actors to keep in memory; undefined for all of them. */
  readonly residentActors?: number | undefined;
  /** Agents whose turns are kept. */
  readonly keepers?: readonly string[];
  /** How long the results of an agent's ended actors are kept. Default: for ever. */
  readonly endedPolicyOf?: ((agent: string) => KeepPolicy) | undefined;
  /** Called before the kernel closes the store; ends background reads of it. */
  readonly beforeClose?: (() => Promise<void>) | undefined;
  /** How long an epoch waits for further turns while there are some to take, in milliseconds. */
  readonly epochMs?: number | undefined;
  /** The order of turns. Default: the order in which actors became ready. */
  readonly turnOrder?: TurnOrder | undefined;
  /** Receives `log` actions and reports of the kernel. */
  readonly log: (...args: unknown[]) => void;
}

/** Checks the options of the kernel. Throws BOSUN_CONFIG_INVALID. */
export function checkParts({ residentActors, keepers = [], epochMs = 0, journal }: KernelParts): void {
  if (!(epochMs >= 0))
    throw new BosunError('BOSUN_CONFIG_INVALID', `epochMs: ${epochMs} is not a time in milliseconds`);
  if (keepers.length > 0 && journal.shelf === undefined)
    throw new BosunError('BOSUN_CONFIG_INVALID', `trace of agent "${keepers[0]}": the store has no getSync`);
  if (residentActors === undefined) return;
  if (journal.shelf === undefined)
    throw new BosunError('BOSUN_CONFIG_INVALID', 'residentActors: the store has no getSync');
}

/** The parts that the kernel has before it is started. */
interface Frame {
  readonly refHost: KernelRefHost;
  readonly roster: Roster;
  readonly shown: DurableView;
  readonly audience: Audience;
  /** Schedules a slice, because there is work. */
  readonly wake: () => void;
  /** Returns the reason why hosts are refused at present. */
  readonly refusal: () => BosunError | undefined;
  readonly onRootGone: (end: RootEnd) => void;
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
  /** The link to other shards. Undefined in a system with one kernel. */
  readonly shardLink: ShardLink | undefined;
  /** The set of actors in memory. Undefined if all actors are in memory. */
  readonly residency: Residency | undefined;
  readonly population: Population;
}

/** Creates an empty population. */
function newWorld(
  { journal, clock, log, hold, shard }: KernelParts,
  recovered: Recovered,
  { refHost, audience, wake, time }: Frame & { readonly time: KernelTime },
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
    audience,
    log,
  });
}

/** Assembles the kernel as of the last durable epoch, with nothing running yet. */
export function assemble(parts: KernelParts, recovered: Recovered, frame: Frame): Machinery {
  const { journal, clock, random, log, hold, trustWallClock, residentActors, epochMs = 0, turnOrder: order } = parts;
  const { shelf } = journal;
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
  const loop = new TurnLoop({ world, turns, ingress, administration, clock, caution, isHalted, epochMs, order });
  world.tracing.attach({ store: parts.name ?? '', engine });
  const residency =
    shelf === undefined || residentActors === undefined || hold
      ? undefined
      : new Residency({ world, shelf, shown, roster, bosses, residentActors, refusal, onFailure });
  world.residency = residency;
  world.records.shelf = world.results.shelf = shelf;
  world.results.policyOf = parts.endedPolicyOf ?? world.results.policyOf;
  refHost.connect({ world, effects, turns, residency });
  const population = repopulate(world, outbox, recovered, { roster, hold });
  residency?.load(recovered);
  shown.load(recovered, world);
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
 * Starts everything that was live, except what killed earlier runs: migrates, restarts effects, runs durable actions.
 *
 * @returns Whether any actor was migrated.
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
