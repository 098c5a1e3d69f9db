/** The verbs of plans: run, schedule, plan pause, plan resume. */
import type { Reporter } from './run-report.ts';
import { hasColour } from './surroundings.ts';
import { option, portNumber, TRUST_WALL_CLOCK, type Verb, type VerbCall, type VerbGroup, wholeNumber } from './verb.ts';

export const PLAN_VERBS: readonly (Verb | VerbGroup)[] = [
  {
    usage: 'run <plan>',
    says: 'Carry out a plan, or go on with it where it was.',
    examples: ['run plan.yaml', 'run plan.yaml --data /var/lib/crew --json'],
    options: [
      option('--fresh', 'start over: remove the store in the directory'),
      option('--wait', 'stay while items are paused'),
      option('--serve', 'keep a gateway open while the plan runs, to look at it and to steer it'),
      option('--port <number>', 'where the gateway listens, with --serve (default: 4180)', portNumber),
      option('--recover-to <epoch>', 'go on from this epoch of a damaged journal', wholeNumber),
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
      });
    },
  },
  {
    usage: 'schedule <plan>',
    says: 'Show when each task would run, without running it.',
    examples: ['schedule plan.yaml', 'schedule plan.yaml --svg gantt.svg --json'],
    options: [option('--svg <file>', 'write a Gantt chart')],
    async run({ data, options: { svg } }, file: string) {
      const { scheduleCommand } = await import('./schedule-command.ts');
      const { loadAgents } = await import('./agents-module.ts');
      const { readPlanFile } = await import('./plan-file.ts');
      const { out, err, cwd, env } = data;
      const agentNames = async () => [...(await loadAgents(await readPlanFile({ file, cwd }))).keys()];
      // Colour as on `err`: there NO_COLOR and the terminal are asked for both.
      const colour = out.isTTY === true && hasColour(err, env);
      return scheduleCommand({ ...data, file, svg, width: out.columns ?? 100, colour, agentNames });
    },
  },
  {
    name: 'plan',
    says: 'Pause or resume an item of the plan in a data directory, at once where it runs.',
    examples: ['plan pause AAPL', 'plan resume AAPL'],
    verbs: [
      {
        usage: 'pause <item>',
        says: 'Pause an item at its next stage boundary.',
        examples: ['plan pause AAPL', 'plan pause AAPL --reason "figures under review" --data /var/lib/crew'],
        options: [option('--reason <text>', 'why, for whoever looks at it')],
        run: async ({ data, options: { reason } }, item: string) =>
          (await import('./plan-command.ts')).planCommand({ ...data, order: 'pause', item, reason }),
      },
      {
        usage: 'resume <item>',
        says: 'Resume a paused item.',
        examples: ['plan resume AAPL', 'plan resume AAPL --data /var/lib/crew --json'],
        run: async ({ data }, item: string) =>
          (await import('./plan-command.ts')).planCommand({ ...data, order: 'resume', item }),
      },
    ],
  },
];

async function reporterFor({ data: { json, out, err, env } }: VerbCall): Promise<Reporter> {
  const { jsonReporter, plainReporter, terminalReporter } = await import('./run-report.ts');
  if (json) return jsonReporter(out, err);
  return err.isTTY === true ? terminalReporter(out, err, hasColour(err, env)) : plainReporter(out, err);
}
