/** The verb for the shell in which `bosun` is called: completion. */
import { Argument } from 'commander';
import type { Shell } from './completion-command.ts';
import { type Verb } from './verb.ts';

export const SHELL_VERBS: readonly Verb[] = [
  {
    usage: 'completion',
    // Help lists at most 25 verbs; this one is called once, and the line below the list names it.
    isHidden: true,
    says: 'Print a script that completes bosun in a shell.',
    examples: [
      'completion bash > ~/.local/share/bash-completion/completions/bosun',
      'completion zsh > ~/.zfunc/_bosun  # a directory of $fpath',
      'completion fish > ~/.config/fish/completions/bosun.fish',
    ],
    argument: new Argument('<shell>', 'shell that reads the script').choices(['bash', 'zsh', 'fish']),
    hasData: false,
    isText: true,
    run: async ({ command, surroundings: { out } }, shell: Shell) =>
      (await import('./completion-command.ts')).completionCommand(shell, { program: command.parent!, out }),
  },
];
