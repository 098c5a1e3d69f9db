/**
 * Presets of coding agents: the scripts that start them without a terminal, by their documented options, and the
 * variables of their keys. The prompt comes by stdin, since an argument could not hold a long one. Pure.
 */
import { type CodingAgent } from './report.ts';

/** The options of a preset. */
export interface PresetOptions {
  readonly model?: string | undefined;
  /** Arguments behind those of the preset. */
  readonly args: readonly string[];
  /** Whether it may change files. */
  readonly writes: boolean;
}

interface Preset {
  /** Variables of its keys, which it gets if they are set: it may be logged in instead. */
  readonly keys: readonly string[];
  readonly install: string;
  script(options: PresetOptions): string;
}

/** Coding agents write files with tools of their own, which know no variables of a shell. */
const PROMPT = `{ cat "$BOSUN_PROMPT_FILE"; printf '\\n\\nBOSUN_HANDOFF is %s\\n' "$BOSUN_HANDOFF"; }`;
const FOLDER = '--add-dir "$(dirname "$BOSUN_HANDOFF")"';

/** The presets. The name of each is that of its program. */
export const PRESETS: Readonly<Record<CodingAgent, Preset>> = {
  claude: {
    keys: ['ANTHROPIC_API_KEY'],
    install: 'npm install --global @anthropic-ai/claude-code',
    script: ({ model, args, writes }) =>
      [
        `${PROMPT} | claude -p --output-format json ${FOLDER}`,
        // A path that begins with two slashes is absolute.
        '--allowedTools "Edit(/$BOSUN_HANDOFF)" "Bash(bosun handoff:*)" "Bash(npx bosun handoff:*)"',
        ...(writes ? ['--permission-mode acceptEdits'] : []),
        ...given(model, args),
      ].join(' '),
  },
  codex: {
    keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    install: 'npm install --global @openai/codex',
    // Its sandbox reaches no network, so that it hands off by the file and not by the gateway.
    script: ({ model, args }) =>
      [
        `unset BOSUN_TOKEN\n${PROMPT} | codex exec --json --sandbox workspace-write ${FOLDER}`,
        ...given(model, args),
        '-',
      ].join(' '),
  },
};

/** The work of an agent by a preset. */
export function presetWork(preset: CodingAgent, options: PresetOptions) {
  return { kind: 'command', run: PRESETS[preset].script(options), handoff: 'file', usage: preset } as const;
}

function given(model: string | undefined, args: readonly string[]): string[] {
  return [...(model === undefined ? [] : ['--model', model]), ...args].map(quoted);
}

/** A word of a shell, bare if it can be. */
function quoted(word: string): string {
  return /^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
