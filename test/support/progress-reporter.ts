/**
 * Writes which test files have begun and ended into the file that BOSUN_TEST_PROGRESS names, a line each, so that a run
 * that is ended before its time can say where it was (.ci/within.mjs).
 */
import { appendFileSync } from 'node:fs';
import type { Reporter, TestModule, TestSpecification } from 'vitest/node';

export default class ProgressReporter implements Reporter {
  readonly #path = process.env['BOSUN_TEST_PROGRESS'];

  onTestRunStart(files: readonly TestSpecification[]): void {
    this.#tell('planned', String(files.length));
  }

  onTestModuleQueued(file: TestModule): void {
    this.#tell('begun', file.relativeModuleId);
  }

  onTestModuleEnd(file: TestModule): void {
    this.#tell('ended', file.relativeModuleId);
  }

  #tell(what: string, value: string): void {
    if (this.#path !== undefined) appendFileSync(this.#path, `${what}\t${value}\n`);
  }
}
