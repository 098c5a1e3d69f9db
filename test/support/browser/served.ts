/**
 * `bosun serve` or `bosun desk` as a process of its own, on a directory of its own: started, killed, started again
 * under the same address.
 */
import { fileURLToPath } from 'node:url';
import { linesOf, type Process, Workspace } from '../cli/workspace.ts';

/** The plan that users see first. */
export const EQUITY = fileURLToPath(new URL('../../../examples/equity-research/plan.yaml', import.meta.url));

export class Served {
  readonly work = new Workspace();
  readonly #args: readonly string[];
  readonly #verb: 'serve' | 'desk';
  readonly #env: Readonly<Record<string, string>>;
  #process: Process | undefined;
  url = '';

  /** @param args Arguments of the verb. */
  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}, verb: 'serve' | 'desk' = 'serve') {
    this.#args = args;
    this.#verb = verb;
    this.#env = env;
  }

  async start(): Promise<this> {
    const port = this.url === '' ? '0' : new URL(this.url).port;
    this.#process = this.work.spawn([this.#verb, ...this.#args, '--data', 'data', '--json', '--port', port], {
      env: this.#env,
    });
    await this.#process.says('"serving"');
    const [line] = linesOf(this.#process.out);
    this.url = (line as unknown as { readonly url: string }).url;
    return this;
  }

  /** Kills the process, as a power cut does. */
  async kill(): Promise<void> {
    await this.#process?.end('SIGKILL');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.work[Symbol.asyncDispose]();
  }
}
