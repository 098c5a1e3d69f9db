/**
 * The verbs of administration, as the command line knows them: suspend, resume, kill, stop, restart, audit,
 * deadletters. Each is carried out by a file that is loaded when it is called for.
 */
import { userInfo } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { type ExitCode } from './exit-codes.ts';
import type { DataCommand } from './surroundings.ts';

/** What the program gives its verbs. */
export interface Verbs {
  /** A new verb with `--data` and `--json`. */
  readonly verb: (parent: Command, usage: string, description: string, examples: readonly string[]) => Command;
  readonly exit: (code: ExitCode) => void;
  /** What every verb on a data directory is given. */
  readonly dataCommand: (options: Shared) => DataCommand;
}

interface Shared {
  readonly data: string;
  readonly json?: true;
}

interface Options extends Shared {
  readonly by?: string;
  readonly reason?: string;
  readonly address?: string;
  readonly limit?: number;
}

/** Those that make sense for a stopped store are left there for its next start. */
const ORDERS = {
  suspend: 'Have an actor take no turns until it is resumed.',
  resume: 'Have a suspended actor go on.',
  kill: 'Fail an actor, for its Boss to deal with.',
  stop: 'Have its Boss end an actor of a running system.',
  restart: 'Have its Boss end an actor of a running system and start it again.',
} as const;

export function addAdministration(bosun: Command, verbs: Verbs): void {
  for (const order of ['suspend', 'resume', 'kill', 'stop', 'restart'] as const) addOrder(bosun, order, verbs);
  addAudit(bosun, verbs);
  addDeadLetters(bosun, verbs);
}

function addOrder(bosun: Command, order: keyof typeof ORDERS, { verb, exit, dataCommand }: Verbs): void {
  const examples = [`${order} stages/AAPL`, `${order} stages/AAPL --by ada --reason "figures under review"`];
  byWhom(verb(bosun, `${order} <address>`, ORDERS[order], examples)).action(
    async (address: string, options: Options) => {
      const { administerCommand } = await import('./administer-command.ts');
      exit(await administerCommand({ ...dataCommand(options), order, address, ...whom(options) }));
    },
  );
}

function addAudit(bosun: Command, { verb, exit, dataCommand }: Verbs): void {
  verb(bosun, 'audit', 'Show who ordered what in a running system or a stopped store, newest first.', [
    'audit',
    'audit --address stages/AAPL --limit 20 --json',
  ])
    .option('--address <address>', 'only orders about this actor')
    .option('--limit <count>', 'at most so many', wholeNumber)
    .action(async (options: Options) => {
      const { auditCommand } = await import('./audit-command.ts');
      exit(await auditCommand({ ...dataCommand(options), address: options.address, limit: options.limit }));
    });
}

function addDeadLetters(bosun: Command, { verb, exit, dataCommand }: Verbs): void {
  const letters = bosun
    .command('deadletters')
    .description('Show and handle the dead letters of a running system or a stopped store.')
    .exitOverride();
  verb(letters, 'list', 'Show what reached nobody or was put aside.', [
    'deadletters list',
    'deadletters list --json',
  ]).action(async (options: Options) => {
    const { listDeadLetters } = await import('./dead-letters-command.ts');
    exit(await listDeadLetters(dataCommand(options)));
  });
  const said = {
    redeliver: 'Put a dead letter at the end of its mailbox, to be read after all.',
    discard: 'Remove a dead letter for good.',
  };
  for (const order of ['redeliver', 'discard'] as const) {
    const command = verb(letters, order, said[order], [
      `deadletters ${order} 3`,
      `deadletters ${order} 3 --by ada --reason mended`,
    ]);
    byWhom(command.argument('<number>', 'as the list has it', wholeNumber)).action(
      async (number: number, options: Options) => {
        const { deadLetterCommand } = await import('./dead-letters-command.ts');
        exit(await deadLetterCommand({ ...dataCommand(options), order, number, ...whom(options) }));
      },
    );
  }
}

function byWhom(command: Command): Command {
  return command
    .option('--by <name>', 'who gives the order (default: your user name)')
    .option('--reason <text>', 'why, for the audit');
}

/** Who gives an order, and why: without a name, whoever has called. */
export function whom({ by, reason }: Pick<Options, 'by' | 'reason'>): { by: string; reason: string | undefined } {
  return { by: by ?? userName(), reason };
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Not a whole number.');
  return Number(text);
}

/** Of a user without a name in the system's list, the number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
