/**
 * Commands as work of effects: the records made before a command begins, and the processes that must have ended before.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { COMMAND_GRACE_MS } from '../../src/limits.ts';
import { type Command, COMMAND_LINGER_MS, type CommandEffect, Commands } from '../../src/spokes/command.ts';
import { LeftOvers } from '../../src/spokes/processes.ts';
import { LONG } from '../support/effort.ts';
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

/** Makes waits of a length endless. */
function neverOver(waitMs: number): void {
  const waits = systemClock.setTimeout;
  vi.spyOn(systemClock, 'setTimeout').mockImplementation((callback, delayMs, options) =>
    delayMs === waitMs ? () => {} : waits.call(systemClock, callback, delayMs, options),
  );
}

/** Commands whose grace has no end, neither for the host nor for the leash, which sleeps as long. */
function withEndlessGrace(): Commands {
  neverOver(COMMAND_GRACE_MS);
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
    await commands().run(command('test -e durable && echo $PPID > group'), { effect: effect.next(), signal: never });
    expect(effect.checkpointed).toMatchObject({ processGroup: Number(read('group')) });
  });

  it('never begins the command if the checkpoint is refused', async () => {
    const effect = new Effect(() => Promise.reject(new Error('this start is over')));
    await expect(commands().run(command('touch begun'), { effect: effect.next(), signal: never })).rejects.toThrow(
      'this start is over',
    );
    expect(existsSync(join(cwd, 'begun'))).toBe(false);
  });
});

describe('the start of a command', () => {
  it('waits for the end of all processes of the last attempt, even outside its group (K1)', async () => {
    const [host, effect] = [commands(), new Effect()];
    await expect(host.run(command(LEAVING), { effect: effect.next(), signal: never })).rejects.toThrow('exit code 1');
    await host.run(command(JUDGE), { effect: effect.next(), signal: never });
    expect(read('verdict')).toBe('ended\n');
  });

  it('waits for the end of all processes that commands of earlier hosts left (K1)', async () => {
    const effect = new Effect();
    const before = commands();
    await expect(before.run(command(LEAVING, 'other'), { effect: effect.next(), signal: never })).rejects.toThrow(
      'exit code 1',
    );
    const pid = await pidIn('pid');
    expect(isAlive(pid)).toBe(true);
    const next = commands();
    await next.run(command('true'), { effect: new Effect().next(), signal: never });
    await until(
      () => !isAlive(pid),
      () => 'the end of what another command left',
    );
  });

  it('waits for the end of the previous attempt, which has time to end by itself', async () => {
    // A shell may lose a signal between the start of a process and the program in it, so that program tells its number.
    const [host, effect, timeout] = [withEndlessGrace(), new Effect(), new AbortController()];
    const ending = "trap 'until test -e go; do sleep 0.01; done; echo polite > end; exit 1' TERM";
    const first = host.run(command(`${ending}; sh -c 'echo $$ > pid; exec sleep 1000' & wait`), {
      effect: effect.next(),
      signal: timeout.signal,
    });
    await pidIn('pid');
    timeout.abort();
    const second = host.run(command('cat end > seen'), { effect: effect.next(), signal: never });
    writeFileSync(join(cwd, 'go'), '');
    await Promise.all([expect(first).rejects.toThrow('exit code 1'), second]);
    expect(read('seen')).toBe('polite\n');
  });

  it('does not happen if the signal is aborted while the command waits', async () => {
    const host = commands();
    const stopped = new AbortController();
    const run = host.run(command('touch begun'), { effect: new Effect().next(), signal: stopped.signal });
    stopped.abort();
    await expect(run).rejects.toThrow('aborted');
    await host.ended();
    expect(existsSync(join(cwd, 'begun'))).toBe(false);
  });
});

describe('a command that leaves something in the background', () => {
  const once = () => ({ effect: new Effect().next(), signal: never });

  /** Writes more than any stream has room for, when told. */
  const WRITING = 'until test -e go; do sleep 0.01; done; head -c 1000000 /dev/zero && touch wrote; exec sleep 1000';

  async function isOver(pid: number): Promise<void> {
    await until(
      () => !isAlive(pid),
      () => `the end of ${pid}`,
    );
  }

  it.each([
    ['that holds its streams', 'sleep 1000 &'],
    ['that has left its streams', 'sleep 1000 > /dev/null 2>&1 &'],
  ])('%s is done when it has exited, and what it has left is ended', async (_, background) => {
    const host = withEndlessGrace();
    const { stdout } = await host.run(command(`${background} echo $! > pid; echo ready`), once());
    expect(stdout).toBe('ready\n');
    await host.ended();
    await isOver(await pidIn('pid'));
  });

  it('kills what it has left and does not end by itself before it starts again', LONG, async () => {
    const [host, effect] = [commands(), new Effect()];
    await host.run(command("trap '' TERM; sleep 1000 & echo $! > pid"), { effect: effect.next(), signal: never });
    await host.run(command(JUDGE), { effect: effect.next(), signal: never });
    expect(read('verdict')).toBe('ended\n');
  });

  it('succeeds with all output that was there when it exited, and what follows soon after', async () => {
    const all = await commands().run(command("sleep 1000 & head -c 60000 /dev/zero | tr '\\0' x"), once());
    expect(all.stdout).toBe('x'.repeat(60_000));
    neverOver(COMMAND_LINGER_MS);
    const late = await commands().run(command('(sleep 0.05; echo late) & echo ready', 'b'), once());
    expect(late.stdout).toBe('ready\nlate\n');
  });

  it('says that it has succeeded before it takes the rest of its output', async () => {
    const said: string[] = [];
    const run = commands().run(command('sleep 1000 & echo ready'), { ...once(), succeeded: () => said.push('exit') });
    await run.then(() => said.push('result'));
    expect(said).toEqual(['exit', 'result']);
  });

  it('does not stop a process that has left its group and writes on', async () => {
    const writer = `setsid sh -c 'echo $$ > pid; ${WRITING}' &`;
    await commands().run(command(`${writer} until test -s pid; do sleep 0.01; done`), once());
    writeFileSync(join(cwd, 'go'), '');
    await until(
      () => existsSync(join(cwd, 'wrote')),
      () => 'the end of its output',
    );
    expect(isAlive(await pidIn('pid'))).toBe(true);
  });

  it('keeps it if told so, until the host ends', async () => {
    const host = commands();
    const server = `(${WRITING}) & echo $! > pid`;
    await host.run({ ...command(server), keepsBackground: true }, once());
    await host.run(command('touch go', 'b'), once());
    await until(
      () => existsSync(join(cwd, 'wrote')),
      () => 'the end of its output',
    );
    const pid = await pidIn('pid');
    expect(isAlive(pid)).toBe(true);
    await host.ended();
    await isOver(pid);
  });

  it('keeps it until the command starts again', async () => {
    const [host, effect] = [commands(), new Effect()];
    const server = { ...command('sleep 1000 & echo $! > pid'), keepsBackground: true };
    await host.run(server, { effect: effect.next(), signal: never });
    await host.run(command(JUDGE), { effect: effect.next(), signal: never });
    expect(read('verdict')).toBe('ended\n');
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
    const runs = Array.from({ length: 20 }, (_, index) =>
      host.run(command('true', `task-${index}`), { effect: effect(), signal: never }),
    );
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
