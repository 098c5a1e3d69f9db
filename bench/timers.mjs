/**
 * Timers at scale: the cost of arming, cancelling and firing one while so many are armed, and its bytes. The kernel's
 * own parts without machines, codec or disk: run with `node --expose-gc bench/timers.mjs [owners]` after a build.
 */
import { argv } from 'node:process';
import { Cell } from '../dist/actors/world/cell.js';
import { KernelTime } from '../dist/actors/world/time/kernel-time.js';
import { UNBORN } from '../dist/actors/model/state.js';
import { PLAIN_TIMING } from '../dist/actors/model/timing.js';
import { World } from '../dist/actors/world/world.js';

const COUNTS = [10_000, 100_000, 1_000_000];
const OWNERS = Number(argv[2] ?? 1_000);
/** Timers armed and cancelled, or fired, while the others stay. */
const SAMPLE = 10_000;
const ROUNDS = 5;
const SPREAD_MS = 86_400_000;

let nowMs = 0;
const clock = { wallMs: () => 1_750_000_000_000, monotonicMs: () => nowMs, setTimeout: () => () => {}, defer() {} };

/** A world with owners, without the parts that a turn would need. */
function worldOf(owners) {
  const time = new KernelTime(clock, { lastMs: 0, hold: false, trustWallClock: false });
  const world = new World({
    clock,
    time,
    counters: { life: 1, message: 1, timer: 1, quarantine: 1 },
    wake() {},
    log() {},
  });
  const definition = { timing: PLAIN_TIMING };
  const cells = Array.from({ length: owners }, (_, index) => {
    const identity = { life: index + 1, address: `a/${index}`, agent: 'bench', childId: `${index}`, systemId: null };
    const cell = new Cell({
      identity,
      definition,
      ref: null,
      parent: undefined,
      state: { ...UNBORN, status: 'active' },
    });
    world.cells.set(identity.life, cell);
    return cell;
  });
  return { world, cells };
}

/** Deterministic, so that runs compare. */
function lcg(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

const HEAD = { number: 1, kernelTimeMs: 0, counters: {}, configurations: [] };
const EVENT = Object.freeze({ type: 'BENCH' });

function measure(count) {
  nowMs = 0;
  const { world, cells } = worldOf(OWNERS);
  const random = lcg(7);
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  const ids = Array.from({ length: count }, (_, n) => `t${n}`);
  const named = process.memoryUsage().heapUsed - before;
  // Deadlines beyond the sample's, so that only the sample fires.
  for (let n = 0; n < count; n++) arm(world, cells[n % OWNERS], ids[n], 2 * SPREAD_MS + random() * SPREAD_MS);
  world.draft.freeze(HEAD);
  globalThis.gc();
  const bytes = (process.memoryUsage().heapUsed - before - named) / count;
  const samples = { arm: [], cancel: [], fire: [], worstCancelMs: [] };
  for (let round = 0; round < ROUNDS; round++) sampleOf(world, cells, random, samples);
  if (world.agenda.timers.size !== count) throw new Error(`${world.agenda.timers.size} timers are armed, not ${count}`);
  const best = (list) => Math.min(...list);
  return {
    count,
    armNs: best(samples.arm),
    cancelNs: best(samples.cancel),
    fireNs: best(samples.fire),
    worstCancelMs: best(samples.worstCancelMs),
    bytes,
  };
}

function arm(world, cell, id, delayMs) {
  world.agenda.arm(cell, { id, delayMs, delay: null, to: cell.identity.life, event: EVENT });
}

function sampleOf(world, cells, random, samples) {
  const perTimerNs = (run) => {
    const startMs = performance.now();
    run();
    return ((performance.now() - startMs) * 1e6) / SAMPLE;
  };
  const cellOf = (n) => cells[n % OWNERS];
  const armAll = () => {
    for (let n = 0; n < SAMPLE; n++) arm(world, cellOf(n), `s${n}`, 1 + random() * 3 * SPREAD_MS);
  };
  let worstMs = 0;
  samples.arm.push(perTimerNs(armAll));
  samples.cancel.push(
    perTimerNs(() => {
      for (let n = 0; n < SAMPLE; n++) {
        const startMs = performance.now();
        world.agenda.disarm(cellOf(n), cellOf(n).timers.get(`s${n}`));
        worstMs = Math.max(worstMs, performance.now() - startMs);
      }
    }),
  );
  samples.worstCancelMs.push(worstMs);
  for (let n = 0; n < SAMPLE; n++) arm(world, cellOf(n), `s${n}`, 1 + random() * 1_000);
  nowMs += 1_001;
  samples.fire.push(perTimerNs(() => world.agenda.fireDue()));
  for (const cell of cells) {
    for (let message = cell.mailbox.peek(); message !== undefined; message = cell.mailbox.peek()) {
      cell.mailbox.shift();
      world.consumeTimer(cell, message.timer, message.event);
    }
  }
  while (world.runnable.shift() !== undefined);
  world.draft.freeze(HEAD);
}

measure(COUNTS[0]);
console.log(`${OWNERS} owners; arm, cancel, fire: best of ${ROUNDS} rounds of ${SAMPLE} timers among so many others`);
console.log('| timers armed | arm, ns | cancel, ns | worst cancel, ms | fire, ns | bytes per timer |');
console.log('|---|---|---|---|---|---|');
for (const count of COUNTS) {
  const { armNs, cancelNs, worstCancelMs, fireNs, bytes } = measure(count);
  const cells = [
    count.toLocaleString('en'),
    armNs.toFixed(0),
    cancelNs.toFixed(0),
    worstCancelMs.toFixed(2),
    fireNs.toFixed(0),
    bytes.toFixed(0),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
