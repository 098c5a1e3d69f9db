/**
 * A crew delivers a change to a small shop, and a person watches, answers, and kills it. Started again, it goes on.
 * `npm start` runs this file.
 */
import { optionsIn } from './options.ts';

/** Exit codes of refusals, as those of `bosun`. */
const EXIT_CODES: Readonly<Record<string, number>> = { BOSUN_CONFIG_INVALID: 2, BOSUN_STORE_LOCKED: 4 };

const options = optionsIn(process.argv.slice(2));
if (options !== undefined) {
  // The first line on the standard output is the address of the page; to load the code may take seconds.
  process.stderr.write('bosun      starts\n');
  const [{ deliver }, { isBosunError }] = await Promise.all([import('./job.ts'), import('bosun')]);
  try {
    process.exitCode = await deliver(options);
  } catch (error) {
    if (!isBosunError(error)) throw error;
    process.stderr.write(`${error.code}: ${error.message}\n`);
    process.exitCode = EXIT_CODES[error.code] ?? 1;
  }
}
