/** The verbs of hubs and their spokes: hub run, check, list, show, session, lineage, stop. */
import { Option } from 'commander';
import { STOP_LEVELS } from '../../machines/hub/stop-levels.ts';
import { whom } from '../system/administration-verbs.ts';
import { carriedOut } from '../exit-codes.ts';
import { option, portNumber, TRUST_WALL_CLOCK, type Verb, type VerbGroup } from '../verb.ts';

const BY = option('--by <name>', 'name of the person who does this (default: your user name)');

const RUN: Verb = {
  usage: 'run <file>',
  says: 'Carry out the run of a file, or go on with it: the same file in the same directory is the same run.',
  isLocal: true,
  examples: ['hub run hub.yaml', 'hub run hub.yaml --data /var/lib/hub --serve --json'],
  options: [
    option('--fresh', 'begin anew: remove the store in the directory, and the files of sessions'),
    option('--wait', 'keep running while people are asked'),
    option('--serve', 'open a gateway while it runs, to watch and stop it'),
    option('--port <number>', 'port of the gateway, which it opens (default: 4180)', portNumber),
    BY,
    TRUST_WALL_CLOCK,
  ],
  async run({ data, options, surroundings }, file: string) {
    const { hubRunCommand } = await import('./hub-command.ts');
    const { fresh = false, wait = false, serve = false, port, trustWallClock = false } = options;
    return hubRunCommand({
      ...{ ...data, file, fresh, wait, trustWallClock, by: whom(options).by },
      door: serve || port !== undefined ? { port } : undefined,
      interrupt: surroundings.interruption(),
      onUnawaited: surroundings.onUnawaited,
    });
  },
};

/** A verb that is refused inside the session of a spoke, which has tools of its own for what it may know. */
function notForSpokes(verb: Verb): Verb {
  return {
    ...verb,
    run: async (call, ...args: never[]) => {
      const { refuseInSpoke } = await import('../reach/spoke-refusal.ts');
      return carriedOut(call.data, () => {
        refuseInSpoke(call.data.env);
        return verb.run(call, ...args);
      });
    },
  };
}

const VERBS: readonly Verb[] = [
  RUN,
  {
    usage: 'check <file>',
    says: 'Say what the file of a run holds, or what is wrong with it, and where.',
    hasData: false,
    examples: ['hub check hub.yaml', 'hub check hub.yaml --json'],
    run: async ({ data }, file: string) => (await import('./hub-check-command.ts')).hubCheckCommand({ ...data, file }),
  },
  {
    usage: 'list',
    says: 'List runs, the first ones first.',
    examples: ['hub list', 'hub list --data /var/lib/hub --json'],
    run: async ({ data }) => (await import('./hub-desk-command.ts')).listHubs(data),
  },
  {
    usage: 'show <run-plan-or-file>',
    says: 'Show how a run stands and why: its sessions, its steps and its questions to people.',
    examples: ['hub show R-1', 'hub show hub.yaml --json'],
    run: async ({ data }, run: string) => (await import('./hub-desk-command.ts')).showHub(data, run),
  },
  {
    usage: 'session <id>',
    says: 'Show a session: what it was told, how it ended, and the end of its output.',
    examples: ['hub session R-1-2', 'hub session R-1-2 --json'],
    run: async ({ data }, id: string) => (await import('./hub-desk-command.ts')).showSession(data, id),
  },
  {
    usage: 'lineage <run-plan-or-file>',
    says: 'Show the hand-offs of a work plan or of one run, the first ones first.',
    examples: ['hub lineage R-1', 'hub lineage fix-and-verify --json', 'hub lineage hub.yaml'],
    run: async ({ data }, id: string) => (await import('./hub-desk-command.ts')).hubLineage(data, id),
  },
  {
    usage: 'stop <run-plan-or-file>',
    says: 'Stop a run of a running system.',
    examples: ['hub stop R-1', 'hub stop R-1 --level terminated --by ada'],
    notes: [
      'graceful    sessions finish and hand off, nothing new begins',
      'immediate   sessions are told to end, and killed two seconds later',
      'terminated  sessions are killed at once',
    ],
    options: [new Option('--level <level>', 'how soon it ends').choices([...STOP_LEVELS]).default('graceful'), BY],
    async run({ data, options }, named: string) {
      const order = { named, level: options.level!, by: whom(options).by };
      return (await import('./hub-desk-command.ts')).stopHub(data, order);
    },
  },
];

/** The verbs under `bosun hub`. */
export const HUB_VERBS: VerbGroup = {
  name: 'hub',
  says: 'Have a hub spawn agents until a goal is met; see who handed off to whom.',
  examples: ['hub check hub.yaml', 'hub run hub.yaml', 'hub lineage R-1'],
  verbs: VERBS.map(notForSpokes),
};
