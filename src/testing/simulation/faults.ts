/**
 * The faults that a simulation makes: their kinds, how often each profile has them, and how one is drawn. What a fault
 * does is the affair of host.ts.
 */
import { type SeededRandom } from '../seeded-random.ts';

export type FaultKind =
  | 'powerCut'
  | 'processKill'
  | 'tornTail'
  | 'restart'
  | 'writeFails'
  | 'diskFull'
  | 'wallJump'
  | 'sleep'
  | 'workerDeath'
  | 'wireDelay';

export const FAULT_KINDS: readonly FaultKind[] = [
  'powerCut',
  'processKill',
  'tornTail',
  'restart',
  'writeFails',
  'diskFull',
  'wallJump',
  'sleep',
  'workerDeath',
  'wireDelay',
];

/** How many of a hundred steps are a fault of each kind. */
export type FaultRates = { readonly [Kind in FaultKind]?: number };

/** How often each kind of fault occurs: a named profile, or rates of your own. */
export type FaultProfile = 'calm' | 'default' | 'hostile' | 'swarm' | FaultRates;

/** One fault, with every value that was drawn for it. */
export type Fault =
  /**
   * The process dies: now, or at its next write, before the write is on the medium or before it is acknowledged (`at`).
   * The first `keep` of the unsynced batches survive. The next process starts `downMs` later.
   */
  | {
      readonly kind: 'powerCut' | 'processKill' | 'tornTail';
      readonly at: 'now' | 'before' | 'durable';
      readonly keep: number;
      readonly downMs: number;
    }
  /** The process stops in good order and starts again. */
  | { readonly kind: 'restart'; readonly downMs: number }
  /** The next writes fail. With `applied` they reach the medium all the same. */
  | { readonly kind: 'writeFails'; readonly writes: number; readonly applied: boolean }
  /** Every write fails for a while. */
  | { readonly kind: 'diskFull'; readonly forMs: number }
  | { readonly kind: 'wallJump'; readonly byMs: number }
  | { readonly kind: 'sleep'; readonly forMs: number }
  /** One of several workers dies, and starts again `downMs` later. */
  | { readonly kind: 'workerDeath'; readonly worker: number; readonly keep: number; readonly downMs: number }
  /** Frames between two workers, or between a worker and the host, do not arrive for a while. */
  | { readonly kind: 'wireDelay'; readonly line: string; readonly forMs: number };

const DEFAULT: Required<FaultRates> = {
  powerCut: 3,
  processKill: 1,
  tornTail: 0.5,
  restart: 0.5,
  writeFails: 1,
  diskFull: 0.5,
  wallJump: 0.5,
  sleep: 0.5,
  workerDeath: 2,
  wireDelay: 1,
};

/** The factor by which the profile `hostile` raises all rates. */
const HOSTILE_FACTOR = 4;

/** The probability that a seed of a swarm leaves out a kind of fault. Rare faults are then met without the others. */
const LEFT_OUT = 0.4;

/**
 * The fault rates for one seed.
 *
 * @param chance Chooses, for a swarm, the kinds that this seed leaves out and the rates of the others.
 */
export function ratesOf(profile: FaultProfile, workers: number, chance: SeededRandom): FaultRates {
  const rates = { ...ratesBy(profile, chance) };
  if (workers > 1) return rates;
  delete rates.workerDeath;
  delete rates.wireDelay;
  return rates;
}

function ratesBy(profile: FaultProfile, chance: SeededRandom): { [Kind in FaultKind]?: number } {
  if (typeof profile === 'object') return profile;
  if (profile === 'calm') return {};
  const factor = profile === 'hostile' ? HOSTILE_FACTOR : 1;
  const rates = FAULT_KINDS.map((kind): [FaultKind, number] => [kind, DEFAULT[kind] * factor]);
  if (profile !== 'swarm') return Object.fromEntries(rates);
  return Object.fromEntries(
    rates.filter(() => chance.next() >= LEFT_OUT).map(([kind, rate]) => [kind, rate * chance.pick([0.5, 1, 2, 4])]),
  );
}

const DOWN_MS = [0, 0, 10, 1_000, 60_000];
const JUMPS_MS = [-3_600_000, -60_000, -1_000, 1_000, 60_000, 3_600_000];

export function drawFault(kind: FaultKind, workers: number, chance: SeededRandom): Fault {
  switch (kind) {
    case 'powerCut':
    case 'processKill':
    case 'tornTail': {
      const keep = kind === 'powerCut' ? 0 : kind === 'processKill' ? Number.MAX_SAFE_INTEGER : chance.integer(4);
      return { kind, at: chance.pick(['now', 'before', 'durable']), keep, downMs: chance.pick(DOWN_MS) };
    }
    case 'restart':
      return { kind, downMs: chance.pick(DOWN_MS) };
    case 'writeFails':
      return { kind, writes: 1 + chance.integer(3), applied: chance.next() < 0.3 };
    case 'diskFull':
      return { kind, forMs: chance.pick([50, 1_000, 30_000]) };
    case 'wallJump':
      return { kind, byMs: chance.pick(JUMPS_MS) };
    case 'sleep':
      return { kind, forMs: chance.pick([1_000, 60_000, 3_600_000]) };
    case 'workerDeath':
      return {
        kind,
        worker: chance.integer(workers),
        keep: chance.integer(2) * Number.MAX_SAFE_INTEGER,
        downMs: chance.pick(DOWN_MS),
      };
    case 'wireDelay':
      return { kind, line: drawLine(workers, chance), forMs: chance.pick([1, 100, 5_000]) };
  }
}

/** Draws a line between two workers, or between a worker and the host. */
function drawLine(workers: number, chance: SeededRandom): string {
  const ends = ['host', ...Array.from({ length: workers }, (_, worker) => String(worker))];
  const from = chance.integer(ends.length);
  const to = (from + 1 + chance.integer(ends.length - 1)) % ends.length;
  return `${ends[from]!} to ${ends[to]!}`;
}

/** Describes a fault as one sentence of a story. */
export function toldFault(fault: Fault): string {
  switch (fault.kind) {
    case 'powerCut':
    case 'processKill':
    case 'tornTail': {
      const what = { powerCut: 'POWER CUT', processKill: 'PROCESS KILLED', tornTail: 'POWER CUT, TORN TAIL' }[
        fault.kind
      ];
      const when = { now: '', before: ' before its next write', durable: ' when its next write is durable' }[fault.at];
      return `${what}${when}${fault.downMs > 0 ? `, down for ${fault.downMs} ms` : ''}`;
    }
    case 'restart':
      return `RESTART${fault.downMs > 0 ? ` after ${fault.downMs} ms` : ''}`;
    case 'writeFails':
      return `${fault.writes} WRITE(S) FAIL${fault.applied ? ' and are there all the same' : ''}`;
    case 'diskFull':
      return `DISK FULL for ${fault.forMs} ms`;
    case 'wallJump':
      return `WALL CLOCK JUMPS by ${fault.byMs} ms`;
    case 'sleep':
      return `MACHINE SLEEPS for ${fault.forMs} ms`;
    case 'workerDeath':
      return `WORKER ${fault.worker} DIES${fault.downMs > 0 ? `, down for ${fault.downMs} ms` : ''}`;
    case 'wireDelay':
      return `NOTHING ARRIVES from ${fault.line} for ${fault.forMs} ms`;
  }
}
