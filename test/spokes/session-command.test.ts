/** Commands of sessions: an earlier start of one that hands off while the next start begins. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Commands } from '../../src/spokes/command.ts';
import { Outputs } from '../../src/spokes/outputs.ts';
import { LeftOvers } from '../../src/spokes/processes.ts';
import { type CommandEnd } from '../../src/machines/hub/report.ts';
import { runSession, type SessionCommand } from '../../src/spokes/session-command.ts';

const SAID = { outcome: 'done', recommended: 'Reviewer', reason: 'it was quick' };

/** Commands of a store whose earlier command, which does not listen to SIGTERM, hands off just before it is killed. */
class LateCommands extends Commands {
  readonly #handsOff: () => void;

  constructor(store: string, handsOff: () => void) {
    super({ store, cwd: store, env: () => process.env });
    this.#handsOff = handsOff;
  }

  override clear(): ReturnType<Commands['clear']> {
    this.#handsOff();
    return super.clear();
  }
}

it.each([
  ['its file', { handoff: 'file', suffix: '', written: JSON.stringify(SAID), result: { said: SAID } }],
  ['its exit code', { handoff: 'exit', suffix: '.exit', written: '0\n', result: { exitCode: 0 } }],
] as const)(
  'a command of a killed host that hands off by %s before the next start has ended it does not run again',
  async (_, { handoff, suffix, written, result }) => {
    const store = mkdtempSync(join(tmpdir(), 'bosun-session-'));
    try {
      const outputs = new Outputs(join(store, 'output'));
      const files = { handoff: join(store, 'handoffs/R-1-1-1.json'), prompt: join(store, 'handoffs/R-1-1-1.md') };
      mkdirSync(join(store, 'handoffs'));
      const earlier = await outputs.begin({ session: 'R-1-1', round: 1 });
      earlier.stdout.write('what it printed');
      await earlier.close();
      const commands = new LateCommands(store, () => writeFileSync(files.handoff + suffix, written));
      const found = await runSession(
        {
          ...{ session: 'R-1-1', round: 1, run: 'touch again', byExit: handoff === 'exit', report: null },
          ...{ prompt: 'mend it', input: null },
        },
        { commands, outputs, workspace: store, files, env: {} },
        {
          effect: { effectId: '1/1/1', attempt: 2, checkpointed: undefined, checkpoint: () => Promise.resolve() },
          signal: new AbortController().signal,
        },
      );
      expect(found).toEqual(result);
      expect(existsSync(join(store, 'again'))).toBe(false);
      // What it printed is what its session has on record.
      expect(await outputs.stdoutOf({ session: 'R-1-1', round: 1 })).toBe('what it printed');
    } finally {
      await new LeftOvers(store).end();
      rmSync(store, { recursive: true });
    }
  },
);

it.each(['', '0'])(
  'a command runs again whose shell was killed when %j of its exit code was written',
  async (written) => {
    const found = await begunAgain({ run: 'touch again; exit 3', report: null }, { code: written });
    expect(found).toEqual({ end: { exitCode: 3 }, isAgain: true });
  },
);

it.each(['', 'TAP version 13\nok 1 - adds\n', 'TAP version 13\nok 1 - adds\n1..1\n'])(
  'a command runs again whose exit code is there, as its report may be lost with the host that read it: %j',
  async (printed) => {
    const run = `touch again; printf '1..2\\nok 1\\nnot ok 2 - halves\\n'; exit 1`;
    const found = await begunAgain({ run, report: { reader: 'tap', file: null } }, { code: '0\n', printed });
    const report = { findings: [{ message: 'halves' }] };
    expect(found).toMatchObject({ end: { exitCode: 1, report }, isAgain: true });
  },
);

it('an exit code of an earlier start does not count when its command is ended before it says another one', async () => {
  const run = 'touch again; kill -9 $PPID';
  const begun = begunAgain({ run, report: { reader: 'tap', file: null } }, { code: '0\n' });
  await expect(begun).rejects.toThrow('exit code 137');
});

/** Starts a command of which an earlier start has left its exit code, and what it printed. */
async function begunAgain(
  { run, report }: Pick<SessionCommand, 'run' | 'report'>,
  { code, printed = '' }: { readonly code: string; readonly printed?: string },
): Promise<{ readonly end: CommandEnd; readonly isAgain: boolean }> {
  const store = mkdtempSync(join(tmpdir(), 'bosun-session-'));
  try {
    const files = { handoff: join(store, 'handoffs/R-1-1-1.json'), prompt: join(store, 'output/R-1-1.1/prompt.md') };
    const outputs = new Outputs(join(store, 'output'));
    const earlier = await outputs.begin({ session: 'R-1-1', round: 1 });
    earlier.stdout.write(printed);
    await earlier.close();
    mkdirSync(join(store, 'handoffs'));
    writeFileSync(`${files.handoff}.exit`, code);
    const commands = new Commands({ store, cwd: store, env: () => process.env });
    const end = await runSession(
      { ...{ session: 'R-1-1', round: 1, run, byExit: true, report }, ...{ prompt: 'mend it', input: null } },
      { commands, outputs, workspace: store, files, env: {} },
      {
        effect: { effectId: '1/1/1', attempt: 2, checkpointed: undefined, checkpoint: () => Promise.resolve() },
        signal: new AbortController().signal,
      },
    );
    return { end, isAgain: existsSync(join(store, 'again')) };
  } finally {
    await new LeftOvers(store).end();
    rmSync(store, { recursive: true });
  }
}
