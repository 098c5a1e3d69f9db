/** Commands of sessions: an earlier start of one that hands off while the next start begins. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Commands } from '../../src/spokes/command.ts';
import { Outputs } from '../../src/spokes/outputs.ts';
import { LeftOvers } from '../../src/spokes/processes.ts';
import { runSession } from '../../src/spokes/session-command.ts';

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
    const store = mkdtempSync(join(tmpdir(), 'bosun-session-'));
    try {
      const files = { handoff: join(store, 'handoffs/R-1-1-1.json'), prompt: join(store, 'output/R-1-1.1/prompt.md') };
      mkdirSync(join(store, 'handoffs'));
      writeFileSync(`${files.handoff}.exit`, written);
      const found = await runSession(
        {
          ...{ session: 'R-1-1', round: 1, run: 'touch again; exit 3', byExit: true, report: null },
          ...{ prompt: 'mend it', input: null },
        },
        {
          ...{
            commands: new Commands({ store, cwd: store, env: () => process.env }),
            workspace: store,
            files,
            env: {},
          },
          outputs: new Outputs(join(store, 'output')),
        },
        {
          effect: { effectId: '1/1/1', attempt: 2, checkpointed: undefined, checkpoint: () => Promise.resolve() },
          signal: new AbortController().signal,
        },
      );
      expect(found).toEqual({ exitCode: 3 });
      expect(existsSync(join(store, 'again'))).toBe(true);
    } finally {
      await new LeftOvers(store).end();
      rmSync(store, { recursive: true });
    }
  },
);
