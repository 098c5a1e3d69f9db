/**
 * The account of a test run for people and for `.ci/run`. People get the seed of the run and, for each file that
 * failed, the line that replays it. `.ci/run` names a file in BOSUN_TEST_REPORT and gets lines of JSON, each written
 * when it happens, so that a run that is ended before its time has said where it was:
 *
 *     { "planned": 2 }                                                    files that the run has
 *     { "begun": "test/a.test.ts" }
 *     { "ended": "test/a.test.ts", "passed": 3, "failures": [{ "test": "a > is so", "message": "..." }] }
 *     { "problem": "unhandled: ..." }                                     belongs to no file
 *
 * A file whose process died has failed, with the exit code or the signal, which vitest itself does not tell.
 */
import { type ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule, TestSpecification, Vitest } from 'vitest/node';

/** A failed test, or a file or suite that failed outside its tests: then `test` ends with the name of the suite. */
interface Failure {
  readonly test: string;
  readonly message: string;
}

type Entry =
  | { readonly planned: number }
  | { readonly begun: string }
  | { readonly ended: string; readonly passed: number; readonly failures: readonly Failure[] }
  | { readonly problem: string };

/** The place of the lines of JSON, if anybody wants them. */
export interface ReportOptions {
  readonly report?: string | undefined;
}

const MESSAGE_CHARACTERS_MAX = 4_000;

/** The program of a process of tests. */
const WORKER = /vitest\/dist\/workers\//;

/** Channel on which Node tells of each child process that it starts. */
const STARTS = 'child_process';

export default class RunReporter implements Reporter {
  readonly #report: string | undefined;
  #vitest: Vitest | undefined;
  readonly #underWay = new Set<string>();
  /** The exit code or signal of the last process of tests that vitest has not ended itself. */
  #death = 'no exit code';

  constructor({ report }: ReportOptions = {}) {
    this.#report = report;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(files: readonly TestSpecification[]): void {
    const { BOSUN_SEED } = process.env;
    if (BOSUN_SEED !== undefined) this.#vitest?.logger.log(`BOSUN_SEED=${BOSUN_SEED}`);
    tell(this.#report, { planned: files.length });
    subscribe(STARTS, this.#onStart);
  }

  onTestModuleQueued(file: TestModule): void {
    this.#underWay.add(file.relativeModuleId);
    tell(this.#report, { begun: file.relativeModuleId });
  }

  onTestModuleEnd(file: TestModule): void {
    this.#underWay.delete(file.relativeModuleId);
    const tests = [...file.children.allTests()];
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    tell(this.#report, { ended: file.relativeModuleId, passed, failures: failuresOf(file) });
  }

  onTestRunEnd(files: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    unsubscribe(STARTS, this.#onStart);
    const dead = unhandled.some(isDeath) ? [...this.#underWay] : [];
    const failures = [{ test: '', message: `its process died with ${this.#death}` }];
    for (const file of dead) tell(this.#report, { ended: file, passed: 0, failures });
    for (const error of unhandled)
      if (dead.length === 0 || !isDeath(error)) tell(this.#report, { problem: `unhandled: ${messageOf(error)}` });
    const failed = files.filter((file) => failuresOf(file).length > 0).map((file) => file.relativeModuleId);
    const lines = [
      ...dead.map((file) => `${file}: ${failures[0]!.message}`),
      ...[...failed, ...dead].map((file) => this.#replaying(file)),
    ];
    if (lines.length > 0) this.#vitest?.logger.log(lines.join('\n'));
  }

  readonly #onStart = (started: unknown): void => {
    const { process: child } = started as { readonly process: ChildProcess };
    child.once('exit', (code, signal) => {
      // Vitest ends its processes by SIGTERM.
      if (child.spawnargs.some((word) => WORKER.test(word)) && signal !== 'SIGTERM')
        this.#death = signal ?? `exit code ${code}`;
    });
  };

  /** The command that tries a file again as this run has tried it. */
  #replaying(file: string): string {
    const { CI, BOSUN_SEED } = process.env;
    const root = this.#vitest?.config.root ?? '.';
    const config = relative(root, this.#vitest?.vite.config.configFile ?? '');
    return [
      'replay:',
      ...(CI === 'true' ? ['CI=true'] : []),
      ...(BOSUN_SEED === undefined ? [] : [`BOSUN_SEED=${BOSUN_SEED}`]),
      'npx vitest run',
      ...(config === '' || config === 'vitest.config.ts' ? [] : ['--config', config]),
      file,
    ].join(' ');
  }
}

/** Adds a line to the report of a run, if it has one. */
export function tell(report: string | undefined, entry: Entry): void {
  if (report !== undefined) appendFileSync(report, `${JSON.stringify(entry)}\n`);
}

/** The failures of a file: of its tests, of its hooks, and of its loading. */
function failuresOf(file: TestModule): Failure[] {
  const ofSuites = [file, ...file.children.allSuites()].flatMap((suite) =>
    suite.errors().map((error) => ({ test: 'fullName' in suite ? suite.fullName : '', message: messageOf(error) })),
  );
  const ofTests = [...file.children.allTests()].flatMap((test) => {
    const result = test.result();
    if (result.state !== 'failed') return [];
    return [{ test: test.fullName, message: result.errors.map(messageOf).join('\n') }];
  });
  return [...ofTests, ...ofSuites];
}

/** Whether an error says that a process of tests ended before its file. */
function isDeath({ cause }: SerializedError): boolean {
  return (cause as SerializedError | undefined)?.message.includes('exited unexpectedly') === true;
}

function messageOf({ message, stack }: { readonly message?: string; readonly stack?: string }): string {
  const text = stack?.includes(message ?? '') === true ? stack : `${message ?? ''}\n${stack ?? ''}`;
  return text.slice(0, MESSAGE_CHARACTERS_MAX);
}
