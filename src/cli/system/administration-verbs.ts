/** The verbs of administration: suspend, resume, kill, stop, restart, audit, deadletters. */
import { userInfo } from 'node:os';
import { Argument } from 'commander';
import type { Whom } from './administer-command.ts';
import { option, type Options, type Verb, type VerbGroup, wholeNumber } from '../verb.ts';

/** Help texts of the orders. An order that makes sense for a stopped store is stored there for its next start. */
const ORDERS = {
  suspend: 'Suspend an actor: it takes no turns until it is resumed.',
  resume: 'Resume a suspended actor.',
  kill: 'Fail an actor. Its Boss handles that as it handles a crash.',
  stop: 'End an actor of a running system, through its Boss.',
  restart: 'End an actor of a running system and start it again, through its Boss.',
} as const;

const LETTER_ORDERS = {
  redeliver: 'Deliver a dead letter again: put it at the end of the mailbox of its receiver.',
  discard: 'Remove a dead letter for good.',
} as const;

const BY_WHOM = [
  option('--by <name>', 'name of the person who gives the order (default: your user name)'),
  option('--reason <text>', 'reason, for the audit'),
];

export const ADMINISTRATION_VERBS: readonly (Verb | VerbGroup)[] = [
  {
    name: 'actor',
    says: 'Suspend, resume, kill, stop or restart an actor; bosun stop is bosun actor stop.',
    examples: ['actor suspend stages/AAPL', 'suspend stages/AAPL'],
    isOptional: true,
    verbs: (['suspend', 'resume', 'kill', 'stop', 'restart'] as const).map(
      (order): Verb => ({
        usage: `${order} <address>`,
        says: ORDERS[order],
        examples: [`${order} stages/AAPL`, `${order} stages/AAPL --by ada --reason "figures under review"`],
        options: BY_WHOM,
        run: async ({ data, options }, address: string) =>
          (await import('./administer-command.ts')).administerCommand({ ...data, order, address, ...whom(options) }),
      }),
    ),
  },
  {
    usage: 'audit',
    isHidden: true,
    says: 'Show the orders given in a running system or a stopped store, with their authors, newest first.',
    examples: ['audit', 'audit --address stages/AAPL --limit 20 --json'],
    options: [
      option('--address <address>', 'only orders about this actor'),
      option('--limit <count>', 'largest number of orders to show', wholeNumber),
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
        says: 'List events that were undeliverable or set aside.',
        examples: ['deadletters list', 'deadletters list --json'],
        run: async ({ data }) => (await import('./dead-letters-command.ts')).listDeadLetters(data),
      },
      ...(['redeliver', 'discard'] as const).map(
        (order): Verb => ({
          usage: order,
          says: LETTER_ORDERS[order],
          examples: [`deadletters ${order} 3`, `deadletters ${order} 3 --by ada --reason mended`],
          argument: new Argument('<number>', 'number of the dead letter, as listed').argParser(wholeNumber),
          options: BY_WHOM,
          run: async ({ data, options }, number: number) =>
            (await import('./dead-letters-command.ts')).deadLetterCommand({ ...data, order, number, ...whom(options) }),
        }),
      ),
    ],
  },
];

/** The author and reason of an order. Without a name, the author is the user. */
export function whom({ by, reason }: Pick<Options, 'by' | 'reason'>): Whom {
  return { by: by ?? userName(), givenBy: by, reason };
}

/** The user's name, or the user's number if there is no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
