/**
 * Mutation testing, room by room: `npm run mutate`, or `npm run mutate -- turn commit` for some of them. What follows
 * `--` within that goes to Stryker: `npm run mutate -- turn -- --concurrency 1`. Reports: coverage/mutation/<room>.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync } from 'node:fs';

const { rooms } = JSON.parse(readFileSync(new URL('mutation-rooms.json', import.meta.url), 'utf8'));

/** Arguments behind the rooms and `--`, which are Stryker's. */
const given = process.argv.slice(2);
const split = given.includes('--') ? given.indexOf('--') : given.length;
const names = split === 0 ? Object.keys(rooms) : given.slice(0, split);
const options = given.slice(split + 1);

/** As Stryker counts: of what a test reaches, and without what never can be noticed. */
function scoreOf(room) {
  const report = JSON.parse(readFileSync(`coverage/mutation/${room}/report.json`, 'utf8'));
  const statuses = Object.values(report.files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  const count = (...wanted) => statuses.filter((status) => wanted.includes(status)).length;
  const found = count('Killed', 'Timeout');
  const covered = found + count('Survived');
  return { room, mutants: statuses.length, covered, found, score: (100 * found) / covered };
}

const scores = names.map((room) => {
  if (rooms[room] === undefined) throw new Error(`a room is one of ${Object.keys(rooms).join(', ')}, not ${room}`);
  const { mutate } = rooms[room];
  mkdirSync(`coverage/mutation/${room}`, { recursive: true });
  const args = ['stryker', 'run', 'stryker.config.json', '--mutate', mutate.join(','), ...options];
  const env = { ...process.env, BOSUN_MUTATED_ROOM: room };
  const files = ['--incrementalFile', `coverage/mutation/${room}/incremental.json`];
  const { status } = spawnSync('npx', ['--no-install', ...args, ...files], { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
  for (const report of ['report.json', 'report.html'])
    renameSync(`coverage/mutation/${report}`, `coverage/mutation/${room}/${report}`);
  return scoreOf(room);
});

for (const { room, mutants, covered, found, score } of scores)
  console.log(`${room}: ${mutants} mutants, ${covered} covered, ${found} found, ${score.toFixed(1)} % of the covered`);
const covered = scores.reduce((sum, one) => sum + one.covered, 0);
const found = scores.reduce((sum, one) => sum + one.found, 0);
console.log(`all: ${((100 * found) / covered).toFixed(1)} % of the covered`);
