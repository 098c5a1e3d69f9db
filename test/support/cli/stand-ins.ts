/** Stand-ins for coding agents: executables that take the options that the originals document, and fail on others. */
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CodingAgent } from '../../../src/machines/hub/report.ts';
import { type Workspace } from './workspace.ts';

const MAIN = join(import.meta.dirname, '../../../dist/cli/main.js');
const SAMPLES = join(import.meta.dirname, '../../spokes/samples');

/** Options by the number of their words: 0, 1 or any. */
const OPTIONS = {
  claude: {
    ...{ '-p': 0, '--output-format': 1, '--permission-mode': 1, '--model': 1, '--max-turns': 1 },
    ...{ '--add-dir': -1, '--allowedTools': -1 },
  },
  codex: {
    ...{ exec: 0, '--json': 0, '--skip-git-repo-check': 0, '-': 0 },
    ...{ '--sandbox': 1, '--add-dir': 1, '--model': 1 },
  },
} as const;

/** The stand-in of a coding agent in a session. */
export interface StandIn {
  readonly agent: CodingAgent;
  /** The sample that it prints. */
  readonly prints: string;
  /** The hand-off that it writes where its prompt says; absent: none. */
  readonly says?: object;
  /** Words behind `bosun` that it calls, for a hand-off by the gateway. */
  readonly calls?: readonly string[];
  readonly exitCode?: number;
}

/** Writes a stand-in into the folder `bin` of a workspace, and returns the PATH by which it is found first. */
export function standIn(
  work: Workspace,
  { agent, prints, says, calls, exitCode = 0 }: StandIn,
): { readonly PATH: string } {
  mkdirSync(work.file('bin'), { recursive: true });
  const sample = readFileSync(join(SAMPLES, prints), 'utf8');
  work.write(
    `bin/${agent}`,
    `#!${process.execPath}
    const fs = require('node:fs');
    const options = ${JSON.stringify(OPTIONS[agent])};
    const args = process.argv.slice(2);
    const seen = { args, keys: Object.keys(process.env).filter((name) => /_KEY$|^BOSUN_TOKEN$/.test(name)) };
    while (args.length > 0) {
      const option = args.shift();
      if (!Object.hasOwn(options, option)) {
        console.error('error: unknown option ' + option);
        process.exit(1);
      }
      const words = options[option];
      if (words === 1) args.shift();
      while (words === -1 && args.length > 0 && !args[0].startsWith('-')) args.shift();
    }
    const prompt = fs.readFileSync(0, 'utf8');
    seen.args = process.argv.slice(2);
    fs.writeFileSync(${JSON.stringify(work.file(`seen-${agent}`))}, JSON.stringify({ ...seen, prompt }));
    const [, file] = /^BOSUN_HANDOFF is (.+)$/m.exec(prompt);
    const says = ${JSON.stringify(says ?? null)};
    if (says !== null) fs.writeFileSync(file, JSON.stringify(says));
    const calls = ${JSON.stringify(calls === undefined ? null : [MAIN, ...calls])};
    if (calls !== null) require('node:child_process').execFileSync(process.execPath, calls);
    process.stdout.write(${JSON.stringify(sample)});
    process.exitCode = ${exitCode};
`,
  );
  chmodSync(work.file(`bin/${agent}`), 0o755);
  return { PATH: `${work.file('bin')}:${process.env['PATH']}` };
}

/** The words, the keys and the prompt that a stand-in has got. */
export function seenBy(work: Workspace, agent: CodingAgent) {
  return JSON.parse(work.read(`seen-${agent}`)) as {
    readonly args: readonly string[];
    readonly keys: readonly string[];
    readonly prompt: string;
  };
}
