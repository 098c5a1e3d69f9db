/** The verbs of a stopped store: check, verify, backup, restore, erase. */
import { option, type Verb, type VerbGroup } from '../verb.ts';

const VERBS: readonly Verb[] = [
  {
    usage: 'check [plan]',
    says: 'Check, before a deploy, which actors of a stopped data directory the new code could not read.',
    isLocal: true,
    examples: ['check plan.yaml', 'check --agents ./agents.ts --data /var/lib/shop --json'],
    options: [option('--agents <module>', 'module that exports the agents, if there is no plan')],
    run: async ({ data, options: { agents } }, plan: string | undefined) =>
      (await import('./check-command.ts')).checkCommand({ ...data, plan, agents }),
  },
  {
    usage: 'verify',
    says: 'Check every record of a stopped store or a backup.',
    isLocal: true,
    examples: ['verify', 'verify --data /backups/crew --json'],
    run: async ({ data }) => (await import('./verify-command.ts')).verifyCommand(data),
  },
  {
    usage: 'backup <to>',
    says: 'Copy a stopped store to a new data directory.',
    isLocal: true,
    examples: ['backup /backups/monday', 'backup /backups/monday --data /var/lib/crew --json'],
    run: async ({ data }, to: string) => (await import('./backup-command.ts')).backupCommand({ ...data, to }),
  },
  {
    usage: 'restore <from>',
    says: 'Make a data directory from a backup.',
    isLocal: true,
    examples: ['restore /backups/monday', 'restore /backups/monday --data /var/lib/crew --force'],
    options: [option('--force', 'replace the store in the directory')],
    run: async ({ data, options: { force = false } }, from: string) =>
      (await import('./backup-command.ts')).restoreCommand({ ...data, from, force }),
  },
  {
    usage: 'erase <address>',
    says: 'Erase an actor and all below it from a stopped store.',
    isLocal: true,
    examples: ['erase stages/AAPL', 'erase stages/AAPL --data /var/lib/crew --json'],
    run: async ({ data }, address: string) => (await import('./erase-command.ts')).eraseCommand({ ...data, address }),
  },
];

export const STORE_VERBS: readonly VerbGroup[] = [
  {
    name: 'store',
    says: 'Check, verify, back up, restore or erase; bosun verify is bosun store verify.',
    examples: ['store verify', 'verify --data /backups/crew'],
    isOptional: true,
    verbs: VERBS,
  },
];
