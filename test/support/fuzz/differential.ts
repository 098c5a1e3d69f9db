/**
 * Plays the same random machines with the same events under createActor and on the kernel, step by step, and compares
 * everything visible of each actor: snapshots after each step, and per actor and kind its actions, emitted events, logs
 * and received events.
 *
 * Intended differences are not compared: the order of lines of different actors, including two lives at one path (in
 * XState a parent, and the next child, take their turn in the middle of the turn of a child that sends to them); the
 * departures of oracle.ts; lines of a step in which the power was cut before its outputs were released (custom actions
 * run at most once, and a lost turn is taken again); and the failure of a custom action that such a cut may have taken.
 */
import { type EventObject } from 'xstate';
import { SeededRandom } from '../../../src/testing/seeded-random.ts';
import { build } from './build.ts';
import { randomMachine } from './generator.ts';
import { type Cut, Hosted, kernel, type Recovery, type Subject } from './hosted.ts';
import { EVENT_TYPES, type MachineSpec } from './machine-spec.ts';
import { Oracle } from './oracle.ts';
import { Coverage, Recorder } from './record.ts';
import { recording } from './recording.ts';
import { laden, OUTSIDE_CARGOES } from './laden.ts';
import { made, randomValue, type ValueSpec } from './value-spec.ts';
import { isSameView, textOf, type View, viewOf } from './view.ts';

/** One step of all machines of a batch: an event for each, or time. */
export type Step =
  | { readonly kind: 'send'; readonly events: ReadonlyMap<string, Told>; readonly cut?: Cut }
  | { readonly kind: 'advance'; readonly ms: number };

/** An event from outside. Each side is given a value of its own. */
export type Told = EventObject & { readonly cargo?: ValueSpec };

export interface Story {
  readonly machines: ReadonlyMap<string, MachineSpec>;
  readonly steps: readonly Step[];
}

export interface Difference {
  readonly machine: string;
  /** Index of the step; -1 for the start. */
  readonly step: number;
  readonly what: string;
  readonly expected: string;
  readonly actual: string;
  /** The names of what was compared. Default: createActor and Bosun. */
  readonly sides?: readonly [expected: string, actual: string];
}

export interface BatchSize {
  readonly machines: number;
  readonly steps: number;
}

/** A story that follows from its seed alone. In a tenth of the batches the power is cut now and then. */
export function randomStory(seed: number, size: BatchSize): Story {
  const random = new SeededRandom(seed);
  const values = new SeededRandom(~seed);
  const hasCuts = Math.floor(seed / 2) % 10 === 1;
  const machines = new Map<string, MachineSpec>();
  for (let i = 0; i < size.machines; i++) {
    const own = seed * 1_009 + i;
    machines.set(`m${i}`, laden(recording(randomMachine(new SeededRandom(own)), own), own));
  }
  const steps = Array.from({ length: size.steps }, (): Step => {
    if (random.next() < 0.2) return { kind: 'advance', ms: 1 + random.integer(60) };
    const events = new Map(
      [...machines].map(([name, { load }]) => [name, { ...randomEvent(random), ...(load && randomCargo(values)) }]),
    );
    const cut =
      hasCuts && random.next() < 0.3 ? random.pick<Cut>(['settled', 'acknowledged', 'durable', 'lost']) : undefined;
    return { kind: 'send', events, ...(cut && { cut }) };
  });
  return { machines, steps };
}

function randomEvent(random: SeededRandom): EventObject {
  return { type: random.pick(EVENT_TYPES), v: random.integer(9), ext: true } as EventObject;
}

export function randomCargo(random: SeededRandom): { readonly cargo?: ValueSpec } {
  return random.next() < OUTSIDE_CARGOES ? { cargo: randomValue(random) } : {};
}

function toldOf({ cargo, ...event }: Told): EventObject {
  return cargo === undefined ? event : ({ ...event, cargo: made(cargo) } as EventObject);
}

interface Player {
  readonly name: string;
  readonly oracle: Oracle;
  readonly recorder: Recorder;
}

export interface Played {
  readonly difference: Difference | undefined;
  /** Number of compared steps of machines. */
  readonly steps: number;
}

/** Plays the story on both sides until something differs. */
export async function play(story: Story, coverage = new Coverage(), subject: Subject = kernel): Promise<Played> {
  const players = new Map<string, Player>();
  const hosted = new Hosted(subject, story.machines);
  let steps = 0;
  try {
    for (const [name, spec] of story.machines) {
      const recorder = new Recorder({ keepsRecords: true });
      players.set(name, { name, recorder, oracle: new Oracle(build(spec, name, recorder), name, recorder, coverage) });
    }
    await hosted.start();
    let difference = await compare(players, hosted, -1, coverage, undefined);
    for (let index = 0; difference === undefined && index < story.steps.length && players.size > 0; index++) {
      const step = story.steps[index]!;
      steps += players.size;
      await takeStep(step, players, hosted, coverage);
      difference = await compare(players, hosted, index, coverage, step.kind === 'send' ? step.cut : undefined);
    }
    return { difference, steps };
  } finally {
    for (const { oracle } of players.values()) oracle.dispose();
    await hosted.stop();
  }
}

async function takeStep(
  step: Step,
  players: ReadonlyMap<string, Player>,
  hosted: Hosted,
  coverage: Coverage,
): Promise<void> {
  if (step.kind === 'advance') {
    for (const { oracle } of players.values()) oracle.advance(step.ms);
    await hosted.advance(step.ms);
    return;
  }
  const told = [...step.events].filter(([name]) => players.has(name));
  for (const [name, event] of told) players.get(name)!.oracle.send(toldOf(event));
  const events = new Map(told.map(([name, event]) => [name, toldOf(event)]));
  if (step.cut === undefined) await hosted.send(events);
  else {
    await hosted.sendAndCut(events, step.cut);
    coverage.count(`power cut: ${step.cut}`, players.size);
  }
}

/** Compares all machines still in play, and removes those that have ended. */
async function compare(
  players: Map<string, Player>,
  hosted: Hosted,
  step: number,
  coverage: Coverage,
  cut: Cut | undefined,
): Promise<Difference | undefined> {
  const byRoot = new Map<string, Map<string, View>>();
  for (const [path, view] of hosted.views()) {
    const root = path.split('/', 1)[0]!;
    byRoot.set(root, (byRoot.get(root) ?? new Map<string, View>()).set(path, view));
  }
  for (const player of [...players.values()]) {
    const { name, oracle, recorder } = player;
    const [expectedLines, actualLines] = [recorder.take(), hosted.recorders.get(name)!.take()];
    const expected = oracle.views();
    const reborn = oracle.takeReborn();
    const isLost = cut !== undefined && cut !== 'settled' && oracle.hasFailedLate;
    if (isLost) coverage.count('departures: failure in a power cut');
    else if (oracle.departure === undefined) {
      const views = byRoot.get(name) ?? new Map<string, View>();
      const found =
        differenceOf(expected, views, step === -1 || cut !== undefined) ??
        (cut === undefined || cut === 'settled' ? lineDifference(expectedLines, actualLines, reborn) : undefined) ??
        (cut === 'settled' ? recoveryDifference(name, hosted.recovery, coverage) : undefined) ??
        (await leftDifference(player, hosted, { isStart: step === -1, coverage }));
      if (found !== undefined) return { machine: name, step, ...found };
      if (!oracle.isOver) continue;
    } else coverage.count(`departures: ${oracle.departure}`);
    oracle.dispose();
    players.delete(name);
  }
  return undefined;
}

type Found = Omit<Difference, 'machine' | 'step'>;

/** Compares the actors under a root before a power cut and after it, with everything that an engine does not show. */
function recoveryDifference(name: string, { before, after }: Recovery, coverage: Coverage): Found | undefined {
  for (const [path, expected] of before) {
    if (path !== name && !path.startsWith(`${name}/`)) continue;
    const actual = after.get(path) ?? 'nobody lives there';
    if (expected !== actual) return { what: `recovery of ${path}`, expected, actual, sides: ['before', 'after'] };
    coverage.count('recoveries compared');
  }
  return undefined;
}

function differenceOf(
  expected: ReadonlyMap<string, View>,
  actual: ReadonlyMap<string, View>,
  mayBeMissed: boolean,
): Found | undefined {
  for (const [path, view] of expected) {
    const other = actual.get(path);
    // A root that ended unobserved is gone, and nothing more can be seen of it.
    if (
      mayBeMissed &&
      view.status !== 'active' &&
      !path.includes('/') &&
      (other ?? { status: 'active' }).status === 'active'
    )
      continue;
    if (other === undefined)
      return { what: `snapshot of ${path}`, expected: textOf(view), actual: 'nobody lives there' };
    const isSame =
      view.status === 'error' ? other.status === 'error' && view.error === other.error : isSameView(view, other);
    if (!isSame) return { what: `snapshot of ${path}`, expected: textOf(view), actual: textOf(other) };
  }
  const stranger = [...actual.keys()].find((path) => !expected.has(path));
  return stranger === undefined
    ? undefined
    : { what: `snapshot of ${stranger}`, expected: 'nobody lives there', actual: textOf(actual.get(stranger)!) };
}

/** Compares the records of a root, which no cut takes, and where it has ended its result. */
async function leftDifference(
  { name, oracle, recorder }: Player,
  hosted: Hosted,
  { isStart, coverage }: { readonly isStart: boolean; readonly coverage: Coverage },
): Promise<Found | undefined> {
  // What fails in its first turn leaves nothing.
  if (isStart && oracle.actor.getSnapshot().status === 'error') return undefined;
  if (recorder.records.size > 0 || oracle.isOver) {
    for (const [kind, records] of await hosted.records(name)) {
      const [expected, actual] = [recorder.records.get(`${name} ${kind}`) ?? [], records].map((all) => all.join('; '));
      if (expected !== actual) return { what: `records of ${name} ${kind}`, expected: expected!, actual: actual! };
      coverage.count(`records compared: ${kind}`, records.length);
    }
  }
  if (!oracle.isOver) return undefined;
  const { status, output, error } = viewOf(oracle.actor.getSnapshot());
  const result = await hosted.resultOf(name);
  const [expected, actual] = [textOf({ status, output, error }), result ? textOf(result) : 'none is kept'];
  coverage.count(`results compared: ${status}`);
  return expected === actual ? undefined : { what: `result of ${name}`, expected, actual };
}

type Lines = ReadonlyMap<string, readonly string[]>;

function lineDifference(expected: Lines, actual: Lines, reborn: ReadonlySet<string>): Found | undefined {
  for (const key of new Set([...expected.keys(), ...actual.keys()])) {
    const inOrder = (lines: readonly string[]) =>
      reborn.has(key.slice(0, key.lastIndexOf(' '))) ? lines.toSorted() : lines;
    const [a, b] = [expected.get(key) ?? [], actual.get(key) ?? []].map((lines) => inOrder(lines).join('; ')) as [
      string,
      string,
    ];
    if (a !== b) return { what: `lines of ${key}`, expected: a, actual: b };
  }
  return undefined;
}
