/**
 * The command line as a function: arguments in, exit code out. Each verb lives in a file of its own, which is loaded
 * when it is called for. Owns neither streams nor process, so that a program can call it too; main.ts calls it for a
 * shell.
 */
import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { messageOf } from '../errors.ts';
import { addAdministration } from './administration-verbs.ts';
import { DEFAULT_DATA } from './default-data.ts';
import { addDesks } from './desk-verbs.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { ChartFormat } from './inspect-command.ts';
import type { Reporter } from './run-report.ts';
import { addService, portNumber, TRUST_WALL_CLOCK } from './service-verbs.ts';
import { type DataCommand, type Output, type Surroundings } from './surroundings.ts';

/**
 * Carries out one line.
 *
 * @param args What comes after the name of the program.
 * @returns The exit code, once all is said and every store is closed. Never rejects: a fault of Bosun is told on
 *   `err`, code 1.
 */
export async function commandLine(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  let code: ExitCode = EXIT.completed;
  try {
    const { out, err, env, cwd } = surroundings;
    const interruption = () => surroundings.interruption();
    await program({ out, err, env, cwd, interruption, exit: (result) => (code = result) }).parseAsync(args, {
      from: 'user',
    });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.completed : EXIT.badInput;
    const stack = error instanceof Error ? error.stack : '';
    surroundings.err.write(`bosun: ${messageOf(error)}\nThis is a fault of Bosun's; please report it with: ${stack}\n`);
    return EXIT.failed;
  }
}

/** What a verb is added with. */
interface Setting extends Surroundings {
  exit(code: ExitCode): void;
}

/** Options that every verb has. */
interface Shared {
  readonly data: string;
  readonly json?: true;
}

function program(setting: Setting): Command {
  const { out, err } = setting;
  const bosun = new Command('bosun')
    .description('Erlang/OTP for statecharts: runs plans of work by durable, supervised agents.')
    .version(versionOfPackage())
    // Every verb has options; to say so of each leaves no room to say what it does.
    .configureHelp({
      subcommandTerm: (command) => [command.name(), command.usage().replace('[options]', '').trim()].join(' ').trim(),
    })
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', examplesText(['run plan.yaml', 'serve --config bosun.config.ts']))
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: (text) => void err.write(text),
      getOutHelpWidth: () => widthOf(out),
      getErrHelpWidth: () => widthOf(err),
      getOutHasColors: () => hasColour(out, setting),
      getErrHasColors: () => hasColour(err, setting),
    })
    .exitOverride();
  const { env, interruption, exit } = setting;
  const verbs = { verb, exit, dataCommand: (options: Shared) => dataCommand(options, setting), env, interruption };
  bosun.commandsGroup('Plans:');
  addRun(bosun, setting);
  addSchedule(bosun, setting);
  addPlan(bosun, setting);
  bosun.commandsGroup('A system and its actors:');
  addService(bosun, verbs);
  addTree(bosun, setting);
  addInspect(bosun, setting);
  addConformance(bosun, setting);
  bosun.commandsGroup('Orders, which go on record:');
  addAdministration(bosun, verbs);
  bosun.commandsGroup('What waits for people:');
  addDesks(bosun, verbs);
  bosun.commandsGroup('A stopped store:');
  addCheck(bosun, setting);
  addVerify(bosun, setting);
  addCopies(bosun, setting);
  addErase(bosun, setting);
  bosun.commandsGroup('Help:').helpCommand('help [command]', 'display help for command');
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

function addRun(bosun: Command, setting: Setting): void {
  verb(bosun, 'run <plan>', 'Carry out a plan, or go on with it where it was.', [
    'run plan.yaml',
    'run plan.yaml --data /var/lib/crew --json',
  ])
    .option('--fresh', 'start over: remove the store in the directory')
    .option('--wait', 'stay while items are paused')
    .option('--serve', 'keep a gateway open while the plan runs, to look at it and to steer it')
    .option('--port <number>', 'where the gateway listens, with --serve (default: 4180)', portNumber)
    .addOption(new Option('--recover-to <epoch>', 'go on from this epoch of a damaged journal').argParser(wholeNumber))
    .option('--trust-wall-clock', TRUST_WALL_CLOCK)
    .action(
      async (
        file: string,
        options: Shared & {
          fresh?: true;
          wait?: true;
          recoverTo?: number;
          serve?: true;
          port?: number;
          trustWallClock?: true;
        },
      ) => {
        const { data, fresh = false, wait = false, recoverTo, serve = false, port, trustWallClock = false } = options;
        const { env, cwd, exit } = setting;
        const { runCommand } = await import('./run-command.ts');
        const reporter = await reporterFor(options, setting);
        exit(
          await runCommand({
            file,
            data,
            fresh,
            wait,
            recoverTo,
            trustWallClock,
            door: serve ? { port } : undefined,
            env,
            cwd,
            reporter,
            interrupt: setting.interruption(),
          }),
        );
      },
    );
}

function addSchedule(bosun: Command, setting: Setting): void {
  verb(bosun, 'schedule <plan>', 'Show when each task would run, without running it.', [
    'schedule plan.yaml',
    'schedule plan.yaml --svg gantt.svg --json',
  ])
    .option('--svg <file>', 'write a Gantt chart')
    .action(async (file: string, { json, svg }: Shared & { svg?: string }) => {
      const { scheduleCommand } = await import('./schedule-command.ts');
      const { loadAgents } = await import('./agents-module.ts');
      const { readPlanFile } = await import('./plan-file.ts');
      const { out, err, cwd, exit } = setting;
      const agentNames = async () => [...(await loadAgents(await readPlanFile({ file, cwd }))).keys()];
      // Colour as on `err`: there NO_COLOR and the terminal are asked for both.
      const colour = out.isTTY === true && hasColour(err, setting);
      exit(
        await scheduleCommand({
          file,
          cwd,
          json: json === true,
          svg,
          out,
          err,
          width: out.columns ?? 100,
          colour,
          agentNames,
        }),
      );
    });
}

function addPlan(bosun: Command, setting: Setting): void {
  const plan = bosun
    .command('plan')
    .description('Pause or resume an item of the plan in a data directory, at once where it runs.')
    .addHelpText('after', examplesText(['plan pause AAPL', 'plan resume AAPL']))
    .exitOverride();
  verb(plan, 'pause <item>', 'Pause an item at its next stage boundary.', [
    'plan pause AAPL',
    'plan pause AAPL --reason "figures under review" --data /var/lib/crew',
  ])
    .option('--reason <text>', 'why, for whoever looks at it')
    .action(async (item: string, options: Shared & { reason?: string }) => {
      const { planCommand } = await import('./plan-command.ts');
      setting.exit(
        await planCommand({ ...dataCommand(options, setting), order: 'pause', item, reason: options.reason }),
      );
    });
  verb(plan, 'resume <item>', 'Resume a paused item.', [
    'plan resume AAPL',
    'plan resume AAPL --data /var/lib/crew --json',
  ]).action(async (item: string, options: Shared) => {
    const { planCommand } = await import('./plan-command.ts');
    setting.exit(await planCommand({ ...dataCommand(options, setting), order: 'resume', item }));
  });
}

function addTree(bosun: Command, setting: Setting): void {
  verb(bosun, 'tree', 'Show the supervision tree of a running system or a stopped data directory.', [
    'tree',
    'tree --data /var/lib/crew --json',
  ]).action(async (options: Shared) => {
    const { treeCommand } = await import('./tree-command.ts');
    setting.exit(await treeCommand(dataCommand(options, setting)));
  });
}

function addInspect(bosun: Command, setting: Setting): void {
  verb(
    bosun,
    'inspect <actor>',
    'Draw the statechart of an actor of a running system or a stopped data directory, or of an agent.',
    [
      'inspect coordinator > coordinator.svg',
      'inspect order --agents ./agents.ts --format mermaid',
      'inspect stages/AAPL-valuation/agent --plan plan.yaml --out stage.svg',
    ],
  )
    .addOption(new Option('--format <format>', 'of what is written').choices(['svg', 'mermaid', 'json']).default('svg'))
    .option('--out <file>', 'write to a file')
    .option('--plan <file>', 'a plan whose agents are looked at')
    .option('--agents <module>', 'a module that exports agents, where there is no plan')
    .action(
      async (
        actor: string,
        options: Shared & { format: ChartFormat; out?: string; plan?: string; agents?: string },
      ) => {
        const { json, format, out: file, plan, agents } = options;
        const { inspectCommand } = await import('./inspect-command.ts');
        setting.exit(
          await inspectCommand({
            ...dataCommand(options, setting),
            actor,
            format: json === true ? 'json' : format,
            file,
            plan,
            agents,
          }),
        );
      },
    );
}

function addCheck(bosun: Command, setting: Setting): void {
  verb(
    bosun,
    'check [plan]',
    'Say which actors in a stopped data directory the code could not read, before it is deployed.',
    ['check plan.yaml', 'check --agents ./agents.ts --data /var/lib/shop --json'],
  )
    .option('--agents <module>', 'a module that exports agents, where there is no plan')
    .action(async (plan: string | undefined, options: Shared & { agents?: string }) => {
      const { checkCommand } = await import('./check-command.ts');
      setting.exit(await checkCommand({ ...dataCommand(options, setting), plan, agents: options.agents }));
    });
}

function addVerify(bosun: Command, setting: Setting): void {
  verb(bosun, 'verify', 'Check every record of a stopped store or a backup.', [
    'verify',
    'verify --data /backups/crew --json',
  ]).action(async (options: Shared) => {
    const { verifyCommand } = await import('./verify-command.ts');
    setting.exit(await verifyCommand(dataCommand(options, setting)));
  });
}

function addCopies(bosun: Command, setting: Setting): void {
  verb(bosun, 'backup <to>', 'Copy a stopped store to a new data directory.', [
    'backup /backups/monday',
    'backup /backups/monday --data /var/lib/crew --json',
  ]).action(async (to: string, options: Shared) => {
    const { backupCommand } = await import('./backup-command.ts');
    setting.exit(await backupCommand({ ...dataCommand(options, setting), to }));
  });
  verb(bosun, 'restore <from>', 'Make a data directory of a backup.', [
    'restore /backups/monday',
    'restore /backups/monday --data /var/lib/crew --force',
  ])
    .option('--force', 'replace the store that the directory has')
    .action(async (from: string, options: Shared & { force?: boolean }) => {
      const { restoreCommand } = await import('./backup-command.ts');
      setting.exit(await restoreCommand({ ...dataCommand(options, setting), from, force: options.force === true }));
    });
}

function addErase(bosun: Command, setting: Setting): void {
  verb(bosun, 'erase <address>', 'Erase an actor and all below it from a stopped store.', [
    'erase stages/AAPL',
    'erase stages/AAPL --data /var/lib/crew --json',
  ]).action(async (address: string, options: Shared) => {
    const { eraseCommand } = await import('./erase-command.ts');
    setting.exit(await eraseCommand({ ...dataCommand(options, setting), address }));
  });
}

function addConformance(bosun: Command, setting: Setting): void {
  bosun
    .command('conformance <url>')
    .description('Check rule by rule whether a running server speaks the protocol of the gateway.')
    .option('--token <token>', 'to be let in with (default: BOSUN_TOKEN of the environment)')
    .option('--json', 'machine-readable output')
    .addHelpText(
      'after',
      examplesText(['conformance http://127.0.0.1:4180', 'conformance https://bosun.example --json']),
    )
    .exitOverride()
    .action(async (url: string, { token, json }: { token?: string; json?: true }) => {
      const { out, err, env, exit } = setting;
      const { conformanceCommand } = await import('./conformance-command.ts');
      exit(await conformanceCommand({ url, token: token ?? env['BOSUN_TOKEN'], json: json === true, out, err }));
    });
}

async function reporterFor({ json }: Shared, setting: Setting): Promise<Reporter> {
  const { jsonReporter, plainReporter, terminalReporter } = await import('./run-report.ts');
  const { out, err } = setting;
  if (json) return jsonReporter(out, err);
  return err.isTTY === true ? terminalReporter(out, err, hasColour(err, setting)) : plainReporter(out, err);
}

/** What the verbs on a data directory share. */
function dataCommand({ data, json }: Shared, { cwd, out, err, env }: Setting): DataCommand {
  return { data, json: json === true, cwd, out, err, env };
}

/** Colours only on a terminal, and never where NO_COLOR asks for none (no-color.org). */
function hasColour({ isTTY }: Output, { env }: Setting): boolean {
  return isTTY === true && (env['NO_COLOR'] ?? '') === '';
}

/** Columns of help; a terminal that does not know its width says 0. */
function widthOf({ isTTY, columns }: Output): number {
  return (isTTY === true && columns) || 80;
}

function versionOfPackage(): string {
  return (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string })
    .version;
}
