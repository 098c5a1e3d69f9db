/**
 * C1: shell commands of `bosun run` under kill -9: how soon their processes are gone, and how soon all of them have
 * begun again, beside the first start.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  BEGIN,
  CommandPlace,
  gone,
  KILLED_RATIOS,
  LOOP_RATIOS,
  until,
  WITHIN_MS as KILLED_WITHIN_MS,
} from '../command-place.mjs';
import { isAlive } from '../command-processes.mjs';

/** Milliseconds within which processes must be gone, from kill -9 or from the first line of the next host. */
const WITHIN_MS = { ...KILLED_WITHIN_MS, strays: 1_000, fresh: 1_000 };

/** Each is a tree of four processes: the shell of the command, another one with a child, and a child. */
const TREE = `${BEGIN} sh -c 'sleep 1000 & wait' & sleep 1000 & wait`;
const DEAF = `trap '' TERM; ${TREE}`;
const TREE_PROCESSES = 4;

/** The same, and a tree of two processes in a session of its own. The entry in their environment tells them apart. */
const STRAY = 'BENCH_STRAY=1';
const STRAYING = `${STRAY} setsid sh -c 'sleep 1000 & wait' > /dev/null 2>&1 & ${TREE}`;
const STRAY_PROCESSES = 2;

export const commands = {
  name: 'C1',
  title: 'Commands of a killed host',
  about: ({ commands: count }) =>
    `${count} shell commands, each a tree of processes; a tenth ignore SIGTERM, a tenth also start processes that ` +
    'leave their group by `setsid`. **first**: from the start of the process of `bosun run` until all have begun, ' +
    'and how late a timer of a millisecond fires meanwhile, that millisecond included; **opened** is since the first ' +
    'line, without the loading of modules. **killed**: from kill -9 until all that listen to SIGTERM are gone, and ' +
    'until all groups are, with their leashes. **restart**: then the next start, as the first, and from its first ' +
    'line until what had left its group is gone. **fresh**: after another kill -9 a start with `--fresh`, from its ' +
    'first line until all are gone. The row fails if a process lives longer than its goal allows.',
  sizes: { full: { commands: 500 }, quick: { commands: 10 } },
  ratios: [
    {
      name: 'restart / first start, until all commands have begun',
      of: ({ first, restart }) => restart.ms / first.ms,
      atMost: 1.5,
    },
    ...LOOP_RATIOS,
    ...KILLED_RATIOS,
    {
      name: 'next start to the end of what had left its group',
      of: ({ restart }) => restart.straysGoneMs,
      atMost: WITHIN_MS.strays,
      unit: ' ms',
    },
    {
      name: 'start with --fresh to the end of everything',
      of: ({ fresh }) => fresh.leftGoneMs,
      atMost: WITHIN_MS.fresh,
      unit: ' ms',
    },
  ],

  check() {
    if (!existsSync('/proc/self/environ')) throw new Error('C1 needs a machine with /proc');
  },

  async open(size, directory) {
    const round = () => killedTwice(size.commands, new CommandPlace(join(directory, 'commands')));
    return { subject: round, round, async close() {} };
  },
};

async function killedTwice(count, place) {
  try {
    await place.plan(tasks(count));
    await place.start();
    const first = await place.beginning(1, count);
    const { killed, strays } = await firstKill(place, count);
    await place.start();
    const [restart, straysGoneMs] = await Promise.all([
      place.beginning(2, count),
      gone(() => strays.filter(isAlive), 'processes outside of groups', { withinMs: WITHIN_MS.strays }),
    ]);
    const fresh = await secondKill(place, count);
    return { first, killed, restart: { ...restart, straysGoneMs }, fresh };
  } finally {
    await place.clear();
  }
}

function tasks(count) {
  const kinds = { 3: ['deaf', DEAF], 7: ['straying', STRAYING] };
  return Array.from({ length: count }, (_, index) => {
    const [kind, run] = kinds[index % 10] ?? ['tree', TREE];
    return { id: `${kind}-${index}`, run };
  });
}

/** Kills the first host. Strays must outlive its groups, because the next start is to find them. */
async function firstKill(place, count) {
  await whole(place, count);
  const killedMs = performance.now();
  await place.kill();
  const groups = () => place.processes().filter((found) => !isStray(found));
  const listening = () => groups().filter((found) => !found.isLeash && !isDeaf(found));
  const listeningGoneMs = await gone(listening, 'processes that listen to SIGTERM', {
    withinMs: WITHIN_MS.listening,
    sinceMs: killedMs,
  });
  const groupsGoneMs = await gone(groups, 'processes of groups', { withinMs: WITHIN_MS.groups, sinceMs: killedMs });
  const strays = place.processes();
  if (strays.length !== strayProcesses(count))
    throw new Error(`${strays.length} of ${strayProcesses(count)} processes outside of groups have outlived these`);
  return { killed: { listeningGoneMs, groupsGoneMs }, strays };
}

/** Kills the second host, and starts another one anew with a single task. */
async function secondKill(place, count) {
  await whole(place, count);
  await place.kill();
  await place.plan([{ id: 'anew', run: 'true' }]);
  await place.start('--fresh');
  const left = () => place.processes().filter(({ environment }) => !environment.includes('BOSUN_TASK=anew'));
  return { leftGoneMs: await gone(left, 'processes of before --fresh', { withinMs: WITHIN_MS.fresh }) };
}

/** Waits until every command has all of its processes: it says that it begins before it starts them. */
async function whole(place, count) {
  const wanted = TREE_PROCESSES * count + strayProcesses(count);
  let found = 0;
  const isSo = () => {
    found = place.processes().filter(({ isLeash }) => !isLeash).length;
    return found === wanted;
  };
  await until(isSo, () => `${wanted} processes of commands: ${found} live`);
}

function strayProcesses(count) {
  return STRAY_PROCESSES * tasks(count).filter(({ run }) => run === STRAYING).length;
}

function isDeaf({ environment }) {
  return environment.some((entry) => entry.startsWith('BOSUN_TASK=deaf-'));
}

function isStray({ environment }) {
  return environment.includes(STRAY);
}
