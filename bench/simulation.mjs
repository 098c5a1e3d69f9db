/**
 * Figures of the simulator, by processor time: `node bench/simulation.mjs [SECONDS]`, after a build. A start, a crash
 * with its restart, the turns and faults of a second; then, with SECONDS, one process a core that runs dense faults for
 * so long, and the sums. Needs no machine of its own: other work costs wall time only.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { campaign } from 'bosun/testing';
import { bank } from '../test/support/fixtures/simulation/bank.mjs';

const SECOND_MS = 1_000;

/** Seeds of a process on a core: ranges that never meet. */
const SEEDS = 1_000_000;

/** Accounts and sends of the campaign of dense faults. */
const DENSE = { accounts: 20, sends: 5, faults: 'hostile' };

/** A figure is the middle one of so many rounds. */
const ROUNDS = 5;

if (process.send !== undefined) {
  const [from, budgetMs] = process.argv.slice(2).map(Number);
  process.send(await report(bank(DENSE), { seeds: [from, from + SEEDS - 1], budgetMs }));
  process.disconnect();
} else {
  await figures();
  const seconds = Number(process.argv[2] ?? 0);
  if (seconds > 0) await large(seconds);
}

async function figures() {
  const runs = 100;
  // The first runs compile what all others use.
  await starts(1, runs);
  const [none, one] = await starts(1, runs);
  const [, twenty] = await starts(20, runs);
  say(
    `a run without steps, 1 actor: start, heal and stop ${none.toFixed(2)} ms; crash and restart ${one.toFixed(2)} ms`,
  );
  say(`crash and restart of 20 actors: ${twenty.toFixed(2)} ms`);
  await campaign(bank(), { seeds: 20 });
  rates('100 actors, default faults', await report(bank(), { seeds: [21, 80] }));
  await campaign(bank(DENSE), { seeds: 50 });
  rates('20 actors, hostile faults', await report(bank(DENSE), { seeds: [51, 250] }));
}

/** Milliseconds of a run without steps, and of a crash with its restart. */
async function starts(accounts, runs) {
  const restarts = 20;
  const calm = { accounts, clients: () => [], steps: restarts, times: [0], healMs: 60_000 };
  const none = bank({ ...calm, faults: 'calm', steps: 1 });
  const cuts = bank({ ...calm, faults: { powerCut: 100 } });
  const each = async (simulation) => {
    const { cpuMs, seeds, starts } = await report(simulation, { seeds: runs, twiceOneIn: 0 });
    return { ms: cpuMs / seeds, restarts: starts / seeds - 1 };
  };
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [base, cut] = [await each(none), await each(cuts)];
    rounds.push([base.ms, (cut.ms - base.ms) / cut.restarts]);
  }
  return [0, 1].map((figure) => rounds.map((round) => round[figure]).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]);
}

async function large(seconds) {
  const children = Array.from({ length: availableParallelism() }, (_, core) =>
    fork(fileURLToPath(import.meta.url), [core * SEEDS + 1, seconds * SECOND_MS], {
      execArgv: ['--max-semi-space-size=64'],
    }),
  );
  const reports = await Promise.all(children.map(async (child) => (await once(child, 'message'))[0]));
  for (const [core, figures] of reports.entries()) rates(`core ${core}, ${seconds} s`, figures);
  const sum = (of) => reports.reduce((total, figures) => total + of(figures), 0);
  say(`in all: ${sum(({ turns }) => turns)} turns, ${sum(({ faults }) => faults)} faults`);
}

async function report(simulation, options) {
  const before = process.cpuUsage();
  const { seeds, turns, starts, faults, failure, text } = await campaign(simulation, options);
  const { user, system } = process.cpuUsage(before);
  if (failure !== undefined) say(text);
  const kinds = Object.keys(faults).length;
  const sum = Object.values(faults).reduce((total, count) => total + count, 0);
  return { seeds, turns, starts, kinds, faults: sum, cpuMs: (user + system) / 1_000 };
}

function rates(what, { seeds, turns, starts, faults, kinds, cpuMs }) {
  const rate = (count) => Math.round((count * SECOND_MS) / cpuMs);
  say(
    `${what}: ${seeds} seeds, ${starts} starts, ${kinds} kinds of faults; ` +
      `${turns} turns (${rate(turns)} a second of processor time), ${faults} faults (${rate(faults)} a second)`,
  );
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
