/** The verbs of a stopped store: check, verify, backup, restore, erase. */
import { option, type Verb } from './verb.ts';

export const STORE_VERBS: readonly Verb[] = [
  {
    usage: 'check [plan]',
    says: 'Say which actors in a stopped data directory the code could not read, before it is deployed.',
    examples: ['check plan.yaml', 'check --agents ./agents.ts --data /var/lib/shop --json'],
    options: [option('--agents <module>', 'a module that exports agents, where there is no plan')],
    run: async ({ data, options: { agents } }, plan: string | undefined) =>
      (await import('./check-command.ts')).checkCommand({ ...data, plan, agents }),
  },
  {
    usage: 'verify',
    says: 'Check every record of a stopped store or a backup.',
    examples: ['verify', 'verify --data /backups/crew --json'],
    run: async ({ data }) => (await import('./verify-command.ts')).verifyCommand(data),
  },
  {
    usage: 'backup <to>',
    says: 'Copy a stopped store to a new data directory.',
    examples: ['backup /backups/monday', 'backup /backups/monday --data /var/lib/crew --json'],
    run: async ({ data }, to: string) => (await import('./backup-command.ts')).backupCommand({ ...data, to }),
  },
  {
    usage: 'restore <from>',
    says: 'Make a data directory of a backup.',
    examples: ['restore /backups/monday', 'restore /backups/monday --data /var/lib/crew --force'],
    options: [option('--force', 'replace the store that the directory has')],
    run: async ({ data, options: { force = false } }, from: string) =>
      (await import('./backup-command.ts')).restoreCommand({ ...data, from, force }),
  },
  {
    usage: 'erase <address>',
    says: 'Erase an actor and all below it from a stopped store.',
    examples: ['erase stages/AAPL', 'erase stages/AAPL --data /var/lib/crew --json'],
    run: async ({ data }, address: string) => (await import('./erase-command.ts')).eraseCommand({ ...data, address }),
  },
];
