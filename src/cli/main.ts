#!/usr/bin/env -S node --max-semi-space-size=64
/**
 * The command line: arguments in, exit code out. Each verb lives in a file of its own, which is loaded when it is called for,
 * and owns neither streams nor process.
 */
import { Console } from 'node:console';
import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { messageOf } from '../errors.ts';
import { DEFAULT_DATA } from './default-data.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Reporter } from './run-report.ts';

interface Shared {
  readonly data: string;
  readonly json?: true;
}

const { stdout: out, stderr: err } = process;
const version = (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;

/** Colours only on a terminal, and never where NO_COLOR asks for none (no-color.org). */
const colour = err.isTTY && (process.env['NO_COLOR'] ?? '') === '';

function program(exit: (code: ExitCode) => void): Command {
  const bosun = new Command('bosun')
    .description('Erlang/OTP for statecharts: runs plans of work by durable, supervised agents.')
    .version(version)
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', examplesText(['run plan.yaml', 'schedule plan.yaml']))
    .exitOverride();
  addRun(bosun, exit);
  addSchedule(bosun, exit);
  addPlan(bosun, exit);
  addTree(bosun, exit);
  addCheck(bosun, exit);
  addVerify(bosun, exit);
  addCopies(bosun, exit);
  addErase(bosun, exit);
  return bosun;
}

function verb(parent: Command, usage: string, description: string, examples: readonly string[]): Command {
  return parent
    .command(usage)
    .description(description)
    .addOption(new Option('--data <dir>', 'where the state is kept').default(DEFAULT_DATA))
    .option('--json', 'machine-readable output')
    .addHelpText('after', examplesText(examples))
    .exitOverride();
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Not a whole number.');
  return Number(text);
}

function examplesText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  $ bosun ${example}`).join('\n')}\n`;
}

function addRun(bosun: Command, exit: (code: ExitCode) => void): void {
  verb(bosun, 'run <plan>', 'Carry out a plan, or go on with it where it was.', [
    'run plan.yaml',
    'run plan.yaml --data /var/lib/crew --json',
  ])
    .option('--fresh', 'start over: forget what the directory holds of the plan')
    .option('--wait', 'stay while items are paused')
    .addOption(new Option('--recover-to <epoch>', 'go on from this epoch of a damaged journal').argParser(wholeNumber))
    .action(async (file: string, options: Shared & { fresh?: true; wait?: true; recoverTo?: number }) => {
      const { data, fresh = false, wait = false, recoverTo } = options;
      // What agents print is talk: stdout is for data.
      globalThis.console = new Console(err);
      const { runCommand } = await import('./run-command.ts');
      exit(await runCommand({ file, data, fresh, wait, recoverTo, reporter: await reporterFor(options), interrupt: interruption() }));
    });
}

function addSchedule(bosun: Command, exit: (code: ExitCode) => void): void {
  verb(bosun, 'schedule <plan>', 'Show when each task would run, without running it.', [
    'schedule plan.yaml',
    'schedule plan.yaml --svg gantt.svg --json',
  ])
    .option('--svg <file>', 'write a Gantt chart')
    .action(async (file: string, { json, svg }: Shared & { svg?: string }) => {
      const { scheduleCommand } = await import('./schedule-command.ts');
      const { loadAgents } = await import('./agents-module.ts');
      const { readPlanFile } = await import('./plan-file.ts');
      const agentNames = async () => [...(await loadAgents(await readPlanFile(file))).keys()];
      exit(await scheduleCommand({ file, json: json === true, svg, out, err, width: out.columns ?? 100, colour: out.isTTY && colour, agentNames }));
    });
}

function addPlan(bosun: Command, exit: (code: ExitCode) => void): void {
  const plan = bosun
    .command('plan')
    .description('Pause or resume an item of the plan in a stopped data directory.')
    .addHelpText('after', examplesText(['plan pause AAPL', 'plan resume AAPL']))
    .exitOverride();
  verb(plan, 'pause <item>', 'Pause an item at its next stage boundary, from the next start on.', [
    'plan pause AAPL',
    'plan pause AAPL --reason "figures under review" --data /var/lib/crew',
  ])
    .option('--reason <text>', 'why, for whoever looks at it')
    .action(async (item: string, { data, json, reason }: Shared & { reason?: string }) => {
      const { planCommand } = await import('./plan-command.ts');
      exit(await planCommand({ order: 'pause', item, reason, data, json: json === true, out, err }));
    });
  verb(plan, 'resume <item>', 'Resume a paused item at the next start.', [
    'plan resume AAPL',
    'plan resume AAPL --data /var/lib/crew --json',
  ]).action(async (item: string, { data, json }: Shared) => {
    const { planCommand } = await import('./plan-command.ts');
    exit(await planCommand({ order: 'resume', item, data, json: json === true, out, err }));
  });
}

function addTree(bosun: Command, exit: (code: ExitCode) => void): void {
  verb(bosun, 'tree', 'Show the supervision tree in a stopped data directory.', ['tree', 'tree --data /var/lib/crew --json']).action(
    async ({ data, json }: Shared) => {
      const { treeCommand } = await import('./tree-command.ts');
      exit(await treeCommand({ data, json: json === true, out, err }));
    },
  );
}

function addCheck(bosun: Command, exit: (code: ExitCode) => void): void {
  verb(bosun, 'check [plan]', 'Say which actors in a stopped data directory the code could not read, before it is deployed.', [
    'check plan.yaml',
    'check --agents ./agents.ts --data /var/lib/shop --json',
  ])
    .option('--agents <module>', 'a module that exports agents, where there is no plan')
    .action(async (plan: string | undefined, { data, json, agents }: Shared & { agents?: string }) => {
      // What the module prints is talk: stdout is for data.
      globalThis.console = new Console(err);
      const { checkCommand } = await import('./check-command.ts');
      exit(await checkCommand({ plan, agents, data, json: json === true, out, err }));
    });
}

function addVerify(bosun: Command, exit: (code: ExitCode) => void): void {
  verb(bosun, 'verify', 'Check every record of a stopped store or a backup.', ['verify', 'verify --data /backups/crew --json']).action(
    async ({ data, json }: Shared) => {
      const { verifyCommand } = await import('./verify-command.ts');
      exit(await verifyCommand({ data, json: json === true, out, err }));
    },
  );
}

function addCopies(bosun: Command, exit: (code: ExitCode) => void): void {
  verb(bosun, 'backup <to>', 'Copy a stopped store to a new data directory.', [
    'backup /backups/monday',
    'backup /backups/monday --data /var/lib/crew --json',
  ]).action(async (to: string, { data, json }: Shared) => {
    const { backupCommand } = await import('./backup-command.ts');
    exit(await backupCommand({ to, data, json: json === true, out, err }));
  });
  verb(bosun, 'restore <from>', 'Make a data directory of a backup.', [
    'restore /backups/monday',
    'restore /backups/monday --data /var/lib/crew --force',
  ])
    .option('--force', 'replace the store that the directory has')
    .action(async (from: string, { data, json, force = false }: Shared & { force?: boolean }) => {
      const { restoreCommand } = await import('./backup-command.ts');
      exit(await restoreCommand({ from, data, force, json: json === true, out, err }));
    });
}

function addErase(bosun: Command, exit: (code: ExitCode) => void): void {
  verb(bosun, 'erase <address>', 'Erase an actor and all below it from a stopped store.', [
    'erase stages/AAPL',
    'erase stages/AAPL --data /var/lib/crew --json',
  ]).action(async (address: string, { data, json }: Shared) => {
    const { eraseCommand } = await import('./erase-command.ts');
    exit(await eraseCommand({ address, data, json: json === true, out, err }));
  });
}

async function reporterFor({ json }: Shared): Promise<Reporter> {
  const { jsonReporter, plainReporter, terminalReporter } = await import('./run-report.ts');
  if (json) return jsonReporter(out, err);
  return err.isTTY ? terminalReporter(out, err, colour) : plainReporter(out, err);
}

/** The first Ctrl-C drains; a second one ends the process as if there were no handler. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

/** Waits until a pipe has taken everything: an exit would cut it off. */
async function leave(code: ExitCode): Promise<void> {
  process.exitCode = code;
  await Promise.all([out, err].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))));
  process.exit(code);
}

// A reader that has gone (`bosun run plan.yaml | head`) is no fault of ours.
for (const stream of [out, err]) stream.on('error', () => {});

let code: ExitCode = EXIT.completed;
try {
  await program((result) => (code = result)).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) code = error.exitCode === 0 ? EXIT.completed : EXIT.badInput;
  else {
    err.write(`bosun: ${messageOf(error)}\nThis is a fault of Bosun's; please report it with: ${error instanceof Error ? error.stack : ''}\n`);
    code = EXIT.failed;
  }
}
await leave(code);
