/**
 * The equity plan under kill -9, through the real command line: after every kill the same command continues the plan,
 * no stage is repeated whose completion was printed, and the reports are byte for byte the same.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomOf } from '../support/chance.ts';
import { byEffort, LONG_PATIENCE_MS, PATIENCE_MS, SEED } from '../support/effort.ts';
import { loopRounds, until } from '../support/until.ts';

const ROUNDS = byEffort({ quick: 1, ci: 3, soak: 20 });

/** Short, so that rounds are; long enough that stages are under way when the kill comes. */
const PACE_MS = '15';

/** Files of a data directory at its first line. */
const FILES = 8;

/** Rounds of the event loop before a kill: at most about as long as two stages. */
const ROUNDS_BEFORE_KILL = 2_000;

/** Lines that an undisturbed run prints before its last one: a start and a completion of each task. */
const TASKS = 30;

const random = randomOf('kills of the equity plan');
const project = fileURLToPath(new URL('../../', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'bosun-equity-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Line {
  readonly type: string;
  readonly task?: string;
}

/** A line of the execution log, as the example's agents write it. */
interface Execution {
  readonly task: string;
  readonly phase: 'start' | 'finish';
  readonly effectId: string;
}

/** The output of one process, its end, and the number of lines in the execution log at that time. */
interface Life {
  readonly lines: readonly Line[];
  readonly code: number | null;
  readonly executions: number;
}

/**
 * The moment of a kill: some rounds of this process's event loop after a number of lines, or, before the first line,
 * after a number of files in the data directory.
 */
interface Kill {
  readonly lines: number;
  readonly files: number;
  readonly rounds: number;
}

/** A plan in a directory of its own, run by one process after the other. */
class Round {
  readonly #directory: string;

  constructor(name: string) {
    this.#directory = join(root, name);
    mkdirSync(this.#directory);
  }

  async run(kill: Kill | null): Promise<Life> {
    const data = join(this.#directory, 'data');
    const child = spawn(
      process.execPath,
      ['dist/cli/main.js', 'run', 'examples/equity-research/plan.yaml', '--data', data, '--json'],
      {
        cwd: project,
        stdio: ['ignore', 'pipe', 'ignore'],
        // A process that lives longer is stuck.
        timeout: PATIENCE_MS,
        killSignal: 'SIGKILL',
        env: {
          ...process.env,
          BOSUN_EXECUTION_LOG: this.#log,
          BOSUN_REPORTS_DIR: join(this.#directory, 'reports'),
          BOSUN_PACE_MS: PACE_MS,
        },
      },
    );
    const closed = once(child, 'close');
    const lines: Line[] = [];
    createInterface({ input: child.stdout }).on('line', (text) => {
      lines.push(JSON.parse(text) as Line);
      if (lines.length === kill?.lines) void loopRounds(kill.rounds).then(() => child.kill('SIGKILL'));
    });
    if (kill?.lines === 0) {
      await until(
        () => filesIn(data) >= kill.files || lines.length > 0 || child.exitCode !== null,
        () => `${kill.files} files in the data directory`,
      );
      await loopRounds(kill.rounds);
      child.kill('SIGKILL');
    }
    const [code] = (await closed) as [number | null];
    return { lines, code, executions: this.executions().length };
  }

  executions(): Execution[] {
    if (!existsSync(this.#log)) return [];
    // A kill may come between the making of the file and its first line; a line is one write, which no kill tears.
    const lines = readFileSync(this.#log, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Execution);
  }

  /** The reports by name. */
  reports(): Record<string, string> {
    const directory = join(this.#directory, 'reports');
    return Object.fromEntries(
      readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]),
    );
  }

  get #log(): string {
    return join(this.#directory, 'executions.jsonl');
  }
}

/** The number of files in a directory and its folders; 0 if there is none. */
function filesIn(directory: string): number {
  return existsSync(directory) ? readdirSync(directory, { recursive: true }).length : 0;
}

/** One or two kills; every fourth comes while the process is still starting. */
function someKills(): Kill[] {
  const some = (): Kill =>
    random.integer(4) === 0
      ? { lines: 0, files: random.integer(FILES), rounds: random.integer(ROUNDS_BEFORE_KILL) }
      : { lines: 1 + random.integer(2 * TASKS - 5), files: 0, rounds: random.integer(ROUNDS_BEFORE_KILL) };
  return Array.from({ length: random.integer(3) === 0 ? 2 : 1 }, some);
}

describe(`the equity plan, killed in ${ROUNDS} rounds`, () => {
  const undisturbed = new Round('undisturbed');
  const rounds: { readonly round: Round; readonly lives: Life[] }[] = [];

  beforeAll(async () => {
    expect(await undisturbed.run(null)).toMatchObject({ code: 0 });
    for (let number = 0; number < ROUNDS; number++) {
      const round = new Round(`round-${number}`);
      const lives: Life[] = [];
      for (const kill of someKills()) lives.push(await round.run(kill));
      lives.push(await round.run(null));
      rounds.push({ round, lives });
    }
    const lives = rounds.flatMap((round) => round.lives);
    const starts = rounds.flatMap(({ round }) => round.executions()).filter(({ phase }) => phase === 'start').length;
    const kills = lives.filter(({ code }) => code === null).length;
    console.log(
      `equity plan: seed ${SEED}, ${ROUNDS} rounds, ${kills} kills, ${starts - ROUNDS * TASKS} stages started again`,
    );
  }, LONG_PATIENCE_MS);

  it('is completed when the same command is repeated', () => {
    const ends = rounds.map(({ lives }) => ({ code: lives.at(-1)?.code, type: lives.at(-1)?.lines.at(-1)?.type }));
    expect(ends).toEqual(rounds.map(() => ({ code: 0, type: 'plan.completed' })));
  });

  it('has one effect id for each stage over all its starts', () => {
    for (const { round } of rounds) {
      const ids = new Map<string, Set<string>>();
      for (const { task, effectId } of round.executions()) ids.set(task, (ids.get(task) ?? new Set()).add(effectId));
      expect(ids.size).toBe(TASKS);
      expect([...ids].filter(([, { size }]) => size > 1)).toEqual([]);
    }
  });

  it('never repeats a stage whose completion was printed', () => {
    for (const { round, lives } of rounds) {
      const executions = round.executions();
      for (const [index, { lines, executions: before }] of lives.entries()) {
        const completed = new Set(lines.filter(({ type }) => type === 'task.completed').map(({ task }) => task));
        const later = executions.slice(before).filter(({ phase, task }) => phase === 'start' && completed.has(task));
        expect(later, `after process ${index}`).toEqual([]);
      }
    }
  });

  it('starts a stage at most once in each process, and prints each completion at most once', () => {
    for (const { round, lives } of rounds) {
      const executions = round.executions();
      const begins = [0, ...lives.map((life) => life.executions)];
      for (const [index, life] of lives.entries()) {
        const starts = executions
          .slice(begins[index], life.executions)
          .filter(({ phase }) => phase === 'start')
          .map(({ task }) => task);
        expect(starts).toEqual([...new Set(starts)]);
      }
      const completions = lives.flatMap(({ lines }) =>
        lines.filter(({ type }) => type === 'task.completed').map(({ task }) => task),
      );
      expect(completions).toEqual([...new Set(completions)]);
    }
  });

  it('writes byte for byte the same reports as an undisturbed run', () => {
    const expected = undisturbed.reports();
    expect(Object.keys(expected)).toHaveLength(10);
    for (const { round } of rounds) expect(round.reports()).toEqual(expected);
  });
});
