/**
 * Erlang/OTP as a contender: its own supervisor, and plain processes, in an operating system process of their own
 * (erlang/, compiled when needed), in memory, with logging off. It idles while others are measured.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

const SOURCES = ['restarts', 'brittle', 'ring'].map((name) => join(import.meta.dirname, 'erlang', `${name}.erl`));

/** Whether there is an Erlang to compare with. */
export const HAS_OTP = (process.env.PATH ?? '')
  .split(delimiter)
  .some((directory) => existsSync(join(directory, 'erl')));

/** Text for a row's `about`. */
export const OTP_WORDS = HAS_OTP
  ? "**otp**: Erlang/OTP's own supervisor of gen_servers, in memory, nothing delivered again, logging off, from " +
    'the first crash ' +
    'until init has returned in all and the supervisor answers a call behind all exits.'
  : "No `erl` here (Debian: erlang-base), so without Erlang/OTP's supervisor beside it.";

/** Text for the `about` of a row of messages. */
export const ERLANG_WORDS = HAS_OTP
  ? '**erlang**: plain processes, a message to the next one for each hop, in memory.'
  : 'No `erl` here (Debian: erlang-base), so without Erlang beside it.';

/**
 * @returns `ask(command, ...numbers)`, which resolves with the answer of restarts.erl, and `close`; undefined without
 *   Erlang.
 */
export async function startOtp(directory) {
  if (!HAS_OTP) return undefined;
  const out = join(directory, 'beams');
  await mkdir(out, { recursive: true });
  const compile =
    `[{ok, _} = compile:file(F, [{outdir, "${out}"}]) || F <- [${SOURCES.map((file) => `"${file}"`).join(', ')}]], ` +
    'halt().';
  const { status, stdout } = spawnSync('erl', ['-noshell', '-eval', compile], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the Erlang contender does not compile: ${stdout}`);
  const erl = spawn('erl', ['-noshell', '-pa', out, '-s', 'restarts', 'main'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: erl.stdout })[Symbol.asyncIterator]();
  return {
    async ask(command, ...numbers) {
      erl.stdin.write(`${[command, ...numbers].join(' ')}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`Erlang ended at ${command}`);
      return JSON.parse(value);
    },
    close: () => void erl.stdin.end(),
  };
}
