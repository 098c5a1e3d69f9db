/**
 * HUB5: commands of the sessions of `bosun hub run` under kill -9: how soon their processes are gone, and how soon all
 * of them are under way again, beside the first start.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BEGAN, CommandPlace, gone, KILLED_RATIOS, LOOP_RATIOS, until, WITHIN_MS } from '../command-place.mjs';

/** Each is a tree of four processes: the shell of the command, another one with a child, and a child. */
const TREE = `echo $BOSUN_SESSION $BOSUN_ATTEMPT >> ${BEGAN}; sh -c 'sleep 1000 & wait' & sleep 1000 & wait`;
const TREE_PROCESSES = 4;

/** The roles of the sessions: those of one do not listen to SIGTERM. */
const [LISTENING, DEAF] = ['Researcher', 'Brainstorm'];
const DEAF_ONE_IN = 10;

/** The module of the function that leads. */
const lead = (commands) => `export const lead = async (_, { run }) => {
  const roleOf = (at) => (at % ${DEAF_ONE_IN} === 3 ? '${DEAF}' : '${LISTENING}');
  const keys = Array.from({ length: ${commands} }, (_, at) => 's' + at);
  await Promise.all(keys.map((key, at) => run({ key, role: roleOf(at), task: key })));
};`;

/** The file of the hub. */
const hubFile = (commands) => ({
  ...{ version: 1, hub: 'commands', goal: 'run them', module: './lead.mjs', decides: { function: 'lead' } },
  limits: { spawns: commands, concurrent: commands },
  agents: { [LISTENING]: { run: TREE, handoff: 'file' }, [DEAF]: { run: `trap '' TERM; ${TREE}`, handoff: 'file' } },
});

export const killedHub = {
  name: 'HUB5',
  title: 'Commands of a killed hub',
  about: ({ commands }) =>
    `${commands} sessions of a hub, all at once, each a shell command with a tree of processes; a tenth ignore ` +
    'SIGTERM. **first**: from the start of the process of `bosun hub run` until all have begun, and how late a timer ' +
    'of a millisecond fires meanwhile, that millisecond included; **opened** is since the first line, without the ' +
    'loading of modules. **killed**: from kill -9 until all that listen to SIGTERM are gone, and until all are, with ' +
    'their leashes. **restart**: then the next start, as the first. The row fails if a process lives longer than its ' +
    'goal allows.',
  sizes: { full: { commands: 500 }, quick: { commands: 10 } },
  ratios: [
    ...KILLED_RATIOS,
    {
      name: 'restart, until all commands are under way again',
      of: ({ restart }) => restart.ms,
      atMost: 4_000,
      unit: ' ms',
    },
    { name: 'restart / first start, until all commands have begun', of: ({ first, restart }) => restart.ms / first.ms },
    ...LOOP_RATIOS,
  ],

  check() {
    if (!existsSync('/proc/self/environ')) throw new Error('HUB5 needs a machine with /proc');
  },

  async open({ commands }, directory) {
    const round = () => killedOnce(commands, new CommandPlace(join(directory, 'hub'), ['hub', 'run', 'hub.json']));
    return { subject: round, round, async close() {} };
  },
};

async function killedOnce(commands, place) {
  try {
    await place.write('lead.mjs', lead(commands));
    await place.write('hub.json', JSON.stringify(hubFile(commands)));
    await place.start();
    const first = await place.beginning(1, commands);
    const wanted = TREE_PROCESSES * commands;
    let found = 0;
    const isWhole = () => (found = place.processes().filter(({ isLeash }) => !isLeash).length) === wanted;
    await until(isWhole, () => `${wanted} processes of commands: ${found} live`);
    const killed = await kill(place);
    await place.start();
    return { first, killed, restart: await place.beginning(2, commands) };
  } finally {
    await place.clear();
  }
}

async function kill(place) {
  const sinceMs = performance.now();
  await place.kill();
  const listening = () => place.processes().filter((one) => !one.isLeash && !isDeaf(one));
  const { listening: withinMs, groups } = WITHIN_MS;
  const listeningGoneMs = await gone(listening, 'processes that listen to SIGTERM', { withinMs, sinceMs });
  const all = () => place.processes();
  return { listeningGoneMs, groupsGoneMs: await gone(all, 'processes', { withinMs: groups, sinceMs }) };
}

function isDeaf({ environment }) {
  return environment.includes(`BOSUN_ROLE=${DEAF}`);
}
