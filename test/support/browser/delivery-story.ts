/** The example that `npm start` runs, as a process of its own in a directory of its own, with nobody who stands in. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Process, Workspace } from '../cli/workspace.ts';

const [JITI, MAIN] = ['node_modules/jiti/lib/jiti-cli.mjs', 'examples/delivery/main.ts'].map((file) =>
  fileURLToPath(new URL(`../../../${file}`, import.meta.url)),
) as [string, string];

/** Seconds for which a person is waited for: longer than any test. */
const PATIENCE_S = 3_600;

export class DeliveryStory {
  /** The address of the page. */
  readonly url: string;
  readonly process: Process;
  readonly #work: Workspace;

  /** Starts it. @param paceMs Milliseconds that each step of a session takes at least. */
  static async begin(paceMs: number): Promise<DeliveryStory> {
    const work = new Workspace();
    const args = ['--data', 'data', '--port', '0', '--pace', String(paceMs), '--patience', String(PATIENCE_S)];
    const child = spawn(process.execPath, [JITI, MAIN, ...args], {
      cwd: work.path,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A model that the user of this machine has would write other code.
      env: { ...process.env, BOSUN_MODEL_URL: undefined },
    });
    const story = new Process(child);
    try {
      await story.says('open it in a browser');
    } catch (error) {
      await story.end('SIGKILL');
      await work[Symbol.asyncDispose]();
      throw error;
    }
    return new DeliveryStory(work, story);
  }

  private constructor(work: Workspace, story: Process) {
    this.#work = work;
    this.process = story;
    this.url = /^http\S+/.exec(story.out)![0];
  }

  /** The report on the release. */
  report(): string {
    return this.#work.read('data/report.md');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process.end('SIGKILL');
    await this.#work[Symbol.asyncDispose]();
  }
}
