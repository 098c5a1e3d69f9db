/**
 * Shell commands under kill -9, through the real command line: commands end with their host, unless they leave their
 * process group, and those end at the next start; no command runs beside an earlier attempt of itself; many commands
 * restart at once.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LeftOvers } from '../../src/spokes/processes.ts';
import { randomOf } from '../support/chance.ts';
import { byEffort, LONG_PATIENCE_MS, SEED } from '../support/effort.ts';
import { commandProcesses, isAlive, leashes } from '../support/spokes/live.ts';
import { until } from '../support/until.ts';

/** Commands under way at once, each a tree of processes. */
const COMMANDS = byEffort({ quick: 10, ci: 20, soak: 500 });

/** Starts that are killed, one upon the other. */
const ROUNDS = byEffort({ quick: 2, ci: 4, soak: 200 });

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** The beginning of a command that reports its start; beside it, the command is a tree of processes. */
const BEGIN = 'echo $BOSUN_TASK $BOSUN_ATTEMPT >> began; ';
const PROCESSES = `sh -c 'sleep 1000 & wait' & sleep 1000 & wait`;
const TREE = `${BEGIN}${PROCESSES}`;
const DEAF = `trap '' TERM; ${TREE}`;
/** Has begun once what leaves its group has left it: what is killed before has not left. */
const GONE = `setsid sh -c 'sleep 1000 & ${BEGIN}wait' > /dev/null 2>&1 & ${PROCESSES}`;

/** A directory with a plan of commands, run by one process after the other. */
class Place {
  readonly #path = mkdtempSync(join(tmpdir(), 'bosun-commands-'));
  #host: ChildProcess | undefined;

  write(file: string, text: string): void {
    writeFileSync(join(this.#path, file), text);
  }

  plan(tasks: readonly { readonly id: string; readonly run: string }[]): void {
    this.write('plan.json', JSON.stringify({ version: 1, plan: 'commands', tasks }));
  }

  lines(file: string): string[] {
    const path = join(this.#path, file);
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  }

  /** Begins a run. Resolves when the run has printed its first line: it opens its store next. */
  async start(...options: string[]): Promise<void> {
    this.#host = spawn(process.execPath, [MAIN, 'run', 'plan.json', '--json', ...options], {
      cwd: this.#path,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await once(this.#host.stderr!, 'data');
    this.#host.stderr!.resume();
  }

  /** Waits until all commands have begun. */
  async begun(attempt: number): Promise<void> {
    const isOfAttempt = (line: string) => line.endsWith(` ${attempt}`);
    const count = () => this.lines('began').filter(isOfAttempt).length;
    await until(
      () => count() === COMMANDS,
      () => `attempt ${attempt} of ${COMMANDS} commands: ${count()} have begun`,
    );
  }

  async kill(): Promise<void> {
    const host = this.#host!;
    const ended = once(host, 'exit');
    host.kill('SIGKILL');
    if (host.exitCode === null && host.signalCode === null) await ended;
  }

  /** Waits for the end of a run that ends by itself. */
  async ended(): Promise<number | null> {
    const host = this.#host!;
    if (host.exitCode === null && host.signalCode === null) await once(host, 'exit');
    return host.exitCode;
  }

  /** Whether a run has made its store. */
  get hasStore(): boolean {
    return existsSync(join(this.#path, 'data'));
  }

  /** The environment entry that its processes carry. */
  get store(): string {
    const { dev, ino } = statSync(join(this.#path, 'data'), { bigint: true });
    return `${dev}:${ino}`;
  }

  /** Numbers of the living processes of commands, by kind of command. */
  live(): Record<string, number[]> {
    const live: Record<string, number[]> = { tree: [], deaf: [], gone: [] };
    for (const { pid, task } of commandProcesses(this.store)) live[task.split('-')[0]!]!.push(pid);
    return live;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#host !== undefined) await this.kill();
    if (this.hasStore) await new LeftOvers(this.store).end();
    rmSync(this.#path, { recursive: true, force: true });
  }
}

/** A tenth of them do not listen to SIGTERM, a tenth leave their group. */
function tasks(): { id: string; run: string }[] {
  return Array.from({ length: COMMANDS }, (_, index) => {
    const [kind, run] = index % 10 === 3 ? ['deaf', DEAF] : index % 10 === 7 ? ['gone', GONE] : ['tree', TREE];
    return { id: `${kind}-${index}`, run: run! };
  });
}

describe(`${COMMANDS} commands whose host is killed`, () => {
  const place = new Place();
  afterAll(() => place[Symbol.asyncDispose]());

  /** The processes that have left their group. */
  let left: number[];

  beforeAll(async () => {
    place.plan(tasks());
    await place.start();
    await place.begun(1);
    left = place.live()['gone']!;
  }, LONG_PATIENCE_MS);

  it('end together with their leashes, even if they ignore signals (K2)', async () => {
    await place.kill();
    await areGone('commands and leashes', () => [
      ...place.live()['tree']!,
      ...place.live()['deaf']!,
      ...leashes(place.store),
    ]);
    left = place.live()['gone']!;
    expect(left).toHaveLength(2 * tasks().filter(({ id }) => id.startsWith('gone')).length);
  });

  it('are gone after the next start, even if they left their process group (K2)', async () => {
    await place.start();
    await areGone('processes of the first host', () => left.filter(isAlive));
    await place.begun(2);
  });

  it('start again, all of them (K3)', async () => {
    await place.kill();
    await place.start();
    await place.begun(3);
  });

  it('are gone after a start with --fresh (K2)', async () => {
    const left = Object.values(place.live()).flat();
    await place.kill();
    place.plan([{ id: 'tree-anew', run: 'true' }]);
    await place.start('--fresh');
    await areGone('processes of the host before', () => left.filter(isAlive));
    expect(await place.ended()).toBe(0);
  });
});

/** Waits until none of the processes is left. */
async function areGone(what: string, left: () => readonly number[]): Promise<void> {
  await until(
    () => left().length === 0,
    () => `the end of ${what}: ${left().join(' ')} live`,
  );
}

/**
 * Looks for processes of earlier attempts, by their numbers and by their marks, and writes those that it finds into
 * `together`. Then starts processes inside and outside of its group, and writes down their numbers.
 */
const ALONE = `
for line in $(cat "pids-$BOSUN_TASK" 2>/dev/null); do
  now=$(cut -d ' ' -f 3,22 "/proc/\${line%:*}/stat" 2>/dev/null)
  case $now in '' | [ZX]*) ;; *" \${line#*:}") echo "$BOSUN_TASK $BOSUN_ATTEMPT beside $line" >> together ;; esac
done
grep -lzxF "BOSUN_STORE=$BOSUN_STORE" /proc/[0-9]*/environ 2>/dev/null |
  xargs -r grep -lzxF "BOSUN_TASK=$BOSUN_TASK" 2>/dev/null |
  xargs -r grep -LzxF "BOSUN_ATTEMPT=$BOSUN_ATTEMPT" 2>/dev/null >> together
sleep 1000 & one=$!
setsid sleep 1000 > /dev/null 2>&1 & two=$!
for pid in $$ $one $two; do echo "$pid:$(cut -d ' ' -f 22 /proc/$pid/stat)"; done > "pids-$BOSUN_TASK"
echo "$BOSUN_TASK $BOSUN_ATTEMPT" >> began
wait`;

describe(`a host that is killed ${ROUNDS} times`, () => {
  it(
    'never starts a command while a process of an earlier attempt lives (K1)',
    async () => {
      await using place = new Place();
      const random = randomOf('a host that is killed');
      const deaf = `trap '' TERM; ${ALONE}`;
      place.plan(
        [ALONE, deaf, ALONE, ALONE].map((run, index) => ({ id: `${run === deaf ? 'deaf' : 'tree'}-${index}`, run })),
      );
      for (let round = 0; round < ROUNDS; round += 1) {
        const begun = place.lines('began').length;
        await place.start();
        const moment = random.integer(6);
        if (moment === 0)
          await until(
            () => place.hasStore,
            () => 'a store',
          );
        if (moment === 1)
          await until(
            () => place.hasStore && leashes(place.store).length > 0,
            () => 'a leash',
          );
        if (moment > 2) {
          const wanted = begun + 1 + random.integer(4);
          await until(
            () => place.lines('began').length >= wanted,
            () => `${wanted} commands`,
          );
        }
        await place.kill();
        // Sometimes the next start comes when the leashes have taken to SIGKILL. What has left its group lives on.
        if (random.integer(10) === 0 && place.hasStore) await areGone('leashes', () => leashes(place.store));
      }
      const together = place.lines('together');
      console.log(`seed ${SEED}: ${place.lines('began').length} commands begun in ${ROUNDS} rounds`);
      expect(together).toEqual([]);
    },
    LONG_PATIENCE_MS,
  );
});
