/** The verbs of administration: suspend, resume, kill, stop, restart, audit, deadletters. */
import { userInfo } from 'node:os';
import { Argument } from 'commander';
import { option, type Options, type Verb, type VerbGroup, wholeNumber } from './verb.ts';

/** Those that make sense for a stopped store are left there for its next start. */
const ORDERS = {
  suspend: 'Have an actor take no turns until it is resumed.',
  resume: 'Have a suspended actor go on.',
  kill: 'Fail an actor, for its Boss to deal with.',
  stop: 'Have its Boss end an actor of a running system.',
  restart: 'Have its Boss end an actor of a running system and start it again.',
} as const;

const LETTER_ORDERS = {
  redeliver: 'Put a dead letter at the end of its mailbox, to be read after all.',
  discard: 'Remove a dead letter for good.',
} as const;

const BY_WHOM = [
  option('--by <name>', 'who gives the order (default: your user name)'),
  option('--reason <text>', 'why, for the audit'),
];

export const ADMINISTRATION_VERBS: readonly (Verb | VerbGroup)[] = [
  ...(['suspend', 'resume', 'kill', 'stop', 'restart'] as const).map(
    (order): Verb => ({
      usage: `${order} <address>`,
      says: ORDERS[order],
      examples: [`${order} stages/AAPL`, `${order} stages/AAPL --by ada --reason "figures under review"`],
      options: BY_WHOM,
      run: async ({ data, options }, address: string) =>
        (await import('./administer-command.ts')).administerCommand({ ...data, order, address, ...whom(options) }),
    }),
  ),
  {
    usage: 'audit',
    says: 'Show who ordered what in a running system or a stopped store, newest first.',
    examples: ['audit', 'audit --address stages/AAPL --limit 20 --json'],
    options: [
      option('--address <address>', 'only orders about this actor'),
      option('--limit <count>', 'at most so many', wholeNumber),
    ],
    run: async ({ data, options: { address, limit } }) =>
      (await import('./audit-command.ts')).auditCommand({ ...data, address, limit }),
  },
  {
    name: 'deadletters',
    says: 'Show and handle the dead letters of a running system or a stopped store.',
    verbs: [
      {
        usage: 'list',
        says: 'Show what reached nobody or was put aside.',
        examples: ['deadletters list', 'deadletters list --json'],
        run: async ({ data }) => (await import('./dead-letters-command.ts')).listDeadLetters(data),
      },
      ...(['redeliver', 'discard'] as const).map(
        (order): Verb => ({
          usage: order,
          says: LETTER_ORDERS[order],
          examples: [`deadletters ${order} 3`, `deadletters ${order} 3 --by ada --reason mended`],
          argument: new Argument('<number>', 'as the list has it').argParser(wholeNumber),
          options: BY_WHOM,
          run: async ({ data, options }, number: number) =>
            (await import('./dead-letters-command.ts')).deadLetterCommand({ ...data, order, number, ...whom(options) }),
        }),
      ),
    ],
  },
];

/** Who gives an order, and why: without a name, whoever has called. */
export function whom({ by, reason }: Pick<Options, 'by' | 'reason'>): { by: string; reason: string | undefined } {
  return { by: by ?? userName(), reason };
}

/** Of a user without a name in the system's list, the number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
