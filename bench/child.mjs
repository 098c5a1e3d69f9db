/** One row in one process, so that no row inherits the heap or the compiled code of another. Started by run.mjs. */
import { measure } from './rounds.mjs';
import { profileRow } from './profile.mjs';
import { ROWS } from './rows/index.mjs';

const { task, name, ...settings } = JSON.parse(process.argv[2]);
const row = ROWS.find((candidate) => candidate.name === name);
const result = await (task === 'profile' ? profileRow : measure)(row, settings);
// Not stdout: output of a contender must not get into the result.
process.send(result, () => process.disconnect());
