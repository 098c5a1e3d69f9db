/** The folder of the row about questions, the repository of a shop with many services, and what it answers. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const COLOURS =
  'amber azure bronze coral crimson emerald indigo ivory jade lilac maroon ochre olive pearl ruby saffron teal';
const BIRDS =
  'falcon heron ibis jackdaw kestrel kingfisher lapwing lark magpie nightjar oriole osprey partridge pelican petrel ' +
  'pipit puffin raven starling swallow';

/** Files of each service. */
const FILES_EACH = 3;

const NAMES = COLOURS.split(' ').flatMap((colour) => BIRDS.split(' ').map((bird) => `${colour}-${bird}`));

/** The settings of a service. */
function settingsOf(at) {
  return { port: 8_000 + at, timeoutMs: 1_000 + 10 * at, keepDays: 7 + (at % 40), connections: 20 + (at % 90) };
}

/** The kinds of questions: the words before the options, and the setting that is asked for. */
const KINDS = [
  [(name) => `Does the service ${name} listen on port`, 'port'],
  [(name) => `Is the timeout of the service ${name} in milliseconds`, 'timeoutMs'],
  [(name) => `For how many days are backups of ${name} kept:`, 'keepDays'],
  [(name) => `Are the connections of the pool of ${name}`, 'connections'],
];

/** How far the wrong option is from the right one: beyond all that the folder says of others. */
const WRONG_BY = 20_000;

/** Writes about so many files, into a repository of its own. @returns The names of the services. */
export async function writeFolder(folder, files) {
  // Whatever is around the folder, git lists what is in it.
  execFileSync('git', ['init', '--quiet', folder]);
  const names = NAMES.slice(0, Math.ceil(files / FILES_EACH));
  for (const [at, name] of names.entries()) {
    const place = join(folder, 'services', name);
    await mkdir(place, { recursive: true });
    const { port, timeoutMs, keepDays, connections } = settingsOf(at);
    const config = { name, port, timeoutMs, pool: { connections }, log: { level: 'info' } };
    await writeFile(join(place, 'config.json'), `${JSON.stringify(config, null, 2)}\n`);
    await writeFile(
      join(place, 'README.md'),
      `# The service ${name}\n\n${proseOf(at)}\n\n## Operation\n\n` +
        `The service ${name} listens on port ${port}.\n\nThe timeout of the service ${name} is ${timeoutMs} ` +
        `milliseconds.\n\nBackups of ${name} are kept for ${keepDays} days.\n\nThe pool of ${name} has ` +
        `${connections} connections.\n\n${proseOf(at + 1)}\n`,
    );
    await writeFile(join(place, 'index.mjs'), codeOf(at));
  }
  return names;
}

function proseOf(at) {
  const [from, to] = [NAMES[(at * 7) % NAMES.length], NAMES[(at * 13) % NAMES.length]];
  const steps = Array.from(
    { length: 8 },
    (_, step) =>
      `What waits in step ${(at * 31 + step) % 97} for longer than usual is logged with its id and its caller.`,
  );
  return [`It takes orders of ${from} and hands them to ${to}.`, ...steps].join('\n');
}

function codeOf(at) {
  const to = NAMES[(at * 13) % NAMES.length];
  return (
    `import { readFileSync } from 'node:fs';\nimport { handOver } from '../${to}/index.mjs';\n\n` +
    "const config = JSON.parse(readFileSync(new URL('config.json', import.meta.url), 'utf8'));\n\n" +
    'export async function take(order, caller) {\n' +
    Array.from({ length: 12 }, (_, step) => `  await step${(at + step) % 50}(order, config);\n`).join('') +
    '  return handOver(order, caller);\n}\n'
  );
}

/** The questions about services, no two of which are the same, in an order in which neighbours are of several kinds. */
export function questionsAbout(names) {
  return names.flatMap((_, turn) =>
    KINDS.map(([words, setting], of) => {
      const at = (turn + of * 7) % names.length;
      const right = settingsOf(at)[setting];
      const possible_options = [String(right), String(right + WRONG_BY)];
      return { question: `${words(names[at])} ${possible_options.join(' or ')}?`, possible_options };
    }),
  );
}
