/**
 * Commands as work of effects: the records made before a command begins, and the processes that must have ended before.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { COMMAND_GRACE_MS } from '../../src/limits.ts';
import { type Command, type CommandEffect, Commands } from '../../src/spokes/command.ts';
import { LeftOvers } from '../../src/spokes/processes.ts';
import { isAlive, JUDGE, liveWith } from '../support/spokes/live.ts';
import { until } from '../support/until.ts';

const never = new AbortController().signal;

let cwd: string;
let store: string;

beforeEach(() => void (store = cwd = mkdtempSync(join(tmpdir(), 'bosun-commands-'))));
afterEach(async () => {
  await new LeftOvers(store).end();
  rmSync(cwd, { recursive: true });
});

function commands(): Commands {
  return new Commands({ store, cwd, env: () => process.env });
}

/** Commands whose grace has no end, neither for the host nor for the leash, which sleeps as long. */
function withEndlessGrace(): Commands {
  const waits = systemClock.setTimeout;
  vi.spyOn(systemClock, 'setTimeout').mockImplementation((callback, delayMs, options) =>
    delayMs === COMMAND_GRACE_MS ? () => {} : waits.call(systemClock, callback, delayMs, options),
  );
  const script = `#!/bin/sh\n[ "$1" = ${COMMAND_GRACE_MS / 1_000} ] && set -- 1000\nexec /bin/sleep "$@"\n`;
  writeFileSync(join(cwd, 'sleep'), script, { mode: 0o755 });
  return new Commands({ store, cwd, env: () => ({ ...process.env, PATH: `${cwd}:${process.env['PATH']}` }) });
}

function command(run: string, name = 'a'): Command {
  return { name, run, input: null };
}

/** One effect over its attempts: it keeps what was checkpointed. */
class Effect {
  checkpointed: unknown;
  attempt = 0;
  #durable: () => Promise<void>;

  /** @param durable Resolves when a checkpoint is on disk. */
  constructor(durable: () => Promise<void> = () => Promise.resolve()) {
    this.#durable = durable;
  }

  /** The effect as the next start of it sees it. */
  next(): CommandEffect {
    this.attempt += 1;
    const checkpoint = (value: unknown) => {
      this.checkpointed = value;
      return this.#durable();
    };
    return { effectId: '1/1/1', attempt: this.attempt, checkpointed: this.checkpointed, checkpoint };
  }
}

function read(file: string): string {
  return readFileSync(join(cwd, file), 'utf8');
}

async function pidIn(file: string): Promise<number> {
  await until(
    () => existsSync(join(cwd, file)) && read(file).endsWith('\n'),
    () => `the process number in ${file}`,
  );
  return Number(read(file));
}

/** Left by an attempt that fails: in its group, and out of it. */
const LEAVING =
  "setsid sh -c 'echo $$ > pid; exec sleep 1000' > /dev/null 2>&1 & until test -s pid; do sleep 0.01; done; exit 1";

describe('the process group of a command', () => {
  it("is in the checkpoint of the command's effect, durable before the command begins (K1)", async () => {
    const effect = new Effect(async () => {
      await until(
        () => liveWith(`BOSUN_STORE=${store}`).length > 0,
        () => 'the process that waits for its gate',
      );
      writeFileSync(join(cwd, 'durable'), '');
    });
    await commands().run(command('test -e durable && echo $PPID > group'), effect.next(), never);
    expect(effect.checkpointed).toMatchObject({ processGroup: Number(read('group')) });
  });

  it('never begins the command if the checkpoint is refused', async () => {
    const effect = new Effect(() => Promise.reject(new Error('this start is over')));
    await expect(commands().run(command('touch begun'), effect.next(), never)).rejects.toThrow('this start is over');
    expect(existsSync(join(cwd, 'begun'))).toBe(false);
  });
});

describe('the start of a command', () => {
  it('waits for the end of all processes of the last attempt, even outside its group (K1)', async () => {
    const [host, effect] = [commands(), new Effect()];
    await expect(host.run(command(LEAVING), effect.next(), never)).rejects.toThrow('exit code 1');
    await host.run(command(JUDGE), effect.next(), never);
    expect(read('verdict')).toBe('ended\n');
  });

  it('waits for the end of all processes that commands of earlier hosts left (K1)', async () => {
    const effect = new Effect();
    const before = commands();
    await expect(before.run(command(LEAVING, 'other'), effect.next(), never)).rejects.toThrow('exit code 1');
    const pid = await pidIn('pid');
    expect(isAlive(pid)).toBe(true);
    const next = commands();
    await next.run(command('true'), new Effect().next(), never);
    await until(
      () => !isAlive(pid),
      () => 'the end of what another command left',
    );
  });

  it('waits for the end of the previous attempt, which has time to end by itself', async () => {
    const [host, effect, timeout] = [withEndlessGrace(), new Effect(), new AbortController()];
    const ending = "trap 'until test -e go; do sleep 0.01; done; echo polite > end; exit 1' TERM";
    const first = host.run(command(`${ending}; echo $$ > pid; sleep 1000 & wait`), effect.next(), timeout.signal);
    await pidIn('pid');
    timeout.abort();
    const second = host.run(command('cat end > seen'), effect.next(), never);
    writeFileSync(join(cwd, 'go'), '');
    await Promise.all([expect(first).rejects.toThrow('exit code 1'), second]);
    expect(read('seen')).toBe('polite\n');
  });

  it('does not happen if the signal is aborted while the command waits', async () => {
    const host = commands();
    const stopped = new AbortController();
    const run = host.run(command('touch begun'), new Effect().next(), stopped.signal);
    stopped.abort();
    await expect(run).rejects.toThrow('aborted');
    await host.ended();
    expect(existsSync(join(cwd, 'begun'))).toBe(false);
  });
});

describe('a host that starts many commands', () => {
  it('starts one in each round of its event loop, so that other work gets a turn (K3)', async () => {
    const host = commands();
    let begun = 0;
    const effect = (): CommandEffect => ({
      ...new Effect().next(),
      checkpoint: async () => void (begun += 1),
    });
    let most = 0;
    const runs = Array.from({ length: 20 }, (_, index) => host.run(command('true', `task-${index}`), effect(), never));
    let isOver = false;
    const all = Promise.all(runs).then(() => (isOver = true));
    for (let last = 0; !isOver; last = begun) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      most = Math.max(most, begun - last);
    }
    await all;
    expect({ begun, most }).toEqual({ begun: 20, most: 1 });
  });
});
