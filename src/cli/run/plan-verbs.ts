/** The verbs of plans: run, schedule, plan pause, plan resume. */
import { whom } from '../system/administration-verbs.ts';
import type { Reporter } from './run-report.ts';
import { hasColour } from '../surroundings.ts';
import {
  option,
  portNumber,
  TRUST_WALL_CLOCK,
  type Verb,
  type VerbCall,
  type VerbGroup,
  wholeNumber,
} from '../verb.ts';

export const PLAN_VERBS: readonly (Verb | VerbGroup)[] = [
  {
    usage: 'run <plan>',
    says: 'Carry out a plan, or continue one that was interrupted.',
    isLocal: true,
    examples: ['run plan.yaml', 'run plan.yaml --data /var/lib/crew --json'],
    options: [
      option('--fresh', 'start over: remove the store in the directory'),
      option('--wait', 'keep running while items are paused'),
      option('--serve', 'open a gateway while the plan runs, to watch and control it'),
      option('--port <number>', 'port of the gateway, with --serve (default: 4180)', portNumber),
      option('--recover-to <epoch>', 'continue from this epoch of a damaged journal', wholeNumber),
      TRUST_WALL_CLOCK,
    ],
    async run(call, file: string) {
      const { fresh = false, wait = false, recoverTo, serve = false, port, trustWallClock = false } = call.options;
      const { runCommand } = await import('./run-command.ts');
      return runCommand({
        ...call.data,
        file,
        fresh,
        wait,
        recoverTo,
        trustWallClock,
        door: serve ? { port } : undefined,
        reporter: await reporterFor(call),
        interrupt: call.surroundings.interruption(),
        onUnawaited: call.surroundings.onUnawaited,
      });
    },
  },
  {
    usage: 'schedule <plan>',
    isHidden: true,
    says: 'Show when each task would run, without running it.',
    isLocal: true,
    examples: ['schedule plan.yaml', 'schedule plan.yaml --svg gantt.svg --json'],
    options: [option('--svg <file>', 'write a Gantt chart')],
    async run({ data, options: { svg } }, file: string) {
      const { scheduleCommand } = await import('./schedule-command.ts');
      const { loadAgents } = await import('../files/agents-module.ts');
      const { out, err, env } = data;
      // Colour is decided as for `err`, by NO_COLOR and the terminal.
      const colour = out.isTTY === true && hasColour(err, env);
      return scheduleCommand({ ...data, file, svg, width: out.columns ?? 100, colour, agentsOf: loadAgents });
    },
  },
  {
    name: 'plan',
    says: 'Pause or resume an item of a plan; if the plan runs, at once.',
    examples: ['plan pause AAPL', 'plan resume AAPL'],
    verbs: [
      {
        usage: 'pause <item>',
        says: 'Pause an item at its next stage boundary.',
        examples: ['plan pause AAPL', 'plan pause AAPL --reason "figures under review" --data /var/lib/crew'],
        options: [
          option('--by <name>', 'name of the person who pauses it (default: your user name)'),
          option('--reason <text>', 'reason, for people who look at the pause'),
        ],
        run: async ({ data, options }, item: string) =>
          (await import('./plan-command.ts')).planCommand({ ...data, order: 'pause', item, ...whom(options) }),
      },
      {
        usage: 'resume <item>',
        says: 'Resume a paused item.',
        examples: ['plan resume AAPL', 'plan resume AAPL --data /var/lib/crew --json'],
        run: async ({ data }, item: string) =>
          (await import('./plan-command.ts')).planCommand({ ...data, order: 'resume', item, ...whom({}) }),
      },
    ],
  },
];

async function reporterFor({ data: { json, out, err, env } }: VerbCall): Promise<Reporter> {
  const { jsonReporter, plainReporter, terminalReporter } = await import('./run-report.ts');
  if (json) return jsonReporter(out, err);
  return err.isTTY === true ? terminalReporter(out, err, hasColour(err, env)) : plainReporter(out, err);
}
