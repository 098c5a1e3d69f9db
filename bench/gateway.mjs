/** The processes of the gateway's rows, the servers in one and many clients in another, and the questions to both. */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Starts a process that answers. Resolves with `{ facts, ask(name, fields), ended, end() }` after a first message. */
function started(file, args = []) {
  const child = fork(
    join(import.meta.dirname, file),
    args.map((arg) => JSON.stringify(arg)),
    { execArgv: process.execArgv.filter((flag) => flag.startsWith('--max')) },
  );
  const waiting = new Map();
  let asked = 0;
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
    child.once('message', (facts) => {
      child.on('message', ({ id, ...answer }) => {
        waiting.get(id)(answer);
        waiting.delete(id);
      });
      resolve({ facts, ask, ended: once(child, 'exit'), end: () => child.kill('SIGKILL') });
    });
  });
  function ask(name, fields = {}) {
    const id = ++asked;
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      child.send({ id, ask: name, ...fields });
    });
  }
}

/** Starts the servers. `profiler` belongs to their process. */
export const startServers = () => withProfiler(started('gateway-server.mjs'));

/** Starts the answer desk of a folder. `profiler` belongs to its process. */
export const startDesk = (options) => withProfiler(started('question-server.mjs', [options]));

async function withProfiler(starting) {
  const servers = await starting;
  const profiler = {
    begin: () => servers.ask('beginProfile'),
    end: async () => (await servers.ask('endProfile')).profile,
  };
  return { ...servers, profiler };
}

/** The processes of the row about greedy callers: its `server`, and a `client` that takes all that it is allowed. */
export const startGreedy = (part, options) => started(`greedy-${part}.mjs`, [options]);

/** Starts the desk whose window is watched. `profiler` belongs to its process. */
export const startWatched = (options) => withProfiler(started('watched-server.mjs', [options]));

export const startClients = (options) => started('gateway-crowd.mjs', [options]);

/** Throws if a process may not open so many files: each client is one. Node itself goes up to the hard limit. */
export function checkFiles(count) {
  const allowed = execFileSync('/bin/sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim();
  if (allowed !== 'unlimited' && Number(allowed) < count)
    throw new Error(
      `this row needs ${count} open files in a process, and ${allowed} are allowed: ulimit -n ${count}, or --quick`,
    );
}
