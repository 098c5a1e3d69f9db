/**
 * Redis as a contender: a server of its own on a socket file, every command on disk before it is answered, and the part
 * of its protocol that counting needs.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Whether there is a redis to compare with. */
export const HAS_REDIS = (process.env.PATH ?? '')
  .split(delimiter)
  .some((directory) => existsSync(join(directory, 'redis-server')));

/** Interval of asking a starting server whether it listens. */
const POLL_MS = 20;

/** @returns A contender of the row about peers. */
export async function startRedis(directory) {
  const { path, close } = await redisServer(directory);
  const socket = connect(path);
  const ask = pipeline(socket);
  return {
    increment: (counter) => ask('HINCRBY', 'counters', String(counter), '1'),
    async total() {
      const counts = await ask('HVALS', 'counters');
      return counts.reduce((sum, count) => sum + Number(count), 0);
    },
    async close() {
      socket.destroy();
      await close();
    },
  };
}

/** @returns The path of the socket of an empty server, and `close`. */
export async function redisServer(directory) {
  await mkdir(directory, { recursive: true });
  // A socket's path is limited to some hundred characters.
  const path = join(await mkdtemp(join(tmpdir(), 'redis-')), 's');
  const args = ['--port', '0', '--unixsocket', path, '--dir', directory, '--save', ''];
  const server = spawn(
    'redis-server',
    [...args, '--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'],
    { stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => server.once('exit', resolve));
  while (!existsSync(path)) {
    if (server.exitCode !== null) throw new Error(`redis-server ended with ${server.exitCode}`);
    await wait(POLL_MS);
  }
  return {
    path,
    async close() {
      server.kill();
      await ended;
    },
  };
}

/** Writes commands at once; answers come in the same order. */
function pipeline(socket) {
  const waiting = [];
  let heard = '';
  socket.setEncoding('latin1').on('data', (text) => {
    heard += text;
    let from = 0;
    for (let answer = answerAt(heard, from); answer !== undefined; answer = answerAt(heard, from)) {
      from = answer.end;
      const { resolve, reject } = waiting.shift();
      if (answer.value instanceof Error) reject(answer.value);
      else resolve(answer.value);
    }
    heard = heard.slice(from);
  });
  return (...words) =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      socket.write(`*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`);
    });
}

/** @returns The answer that begins there and its end; undefined if it is not complete. */
function answerAt(text, from) {
  const lineEnd = text.indexOf('\r\n', from);
  if (lineEnd < 0) return undefined;
  const end = lineEnd + 2;
  const line = text.slice(from + 1, lineEnd);
  if (text[from] === '-') return { value: new Error(line), end };
  if (text[from] === '$') {
    const after = end + Number(line) + 2;
    return after > text.length ? undefined : { value: text.slice(end, after - 2), end: after };
  }
  if (text[from] === '*') {
    const values = [];
    let at = end;
    for (let left = Number(line); left > 0; left--) {
      const item = answerAt(text, at);
      if (item === undefined) return undefined;
      values.push(item.value);
      at = item.end;
    }
    return { value: values, end: at };
  }
  return { value: line, end };
}
