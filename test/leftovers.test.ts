/** The check that a test file leaves nothing to the next one in its process (leftovers.ts). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { channel } from 'node:diagnostics_channel';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { levelStore } from '../src/persistence/store/level-store.ts';
import { changesSince, restored, surroundings } from './support/leftovers.ts';

type Undo = () => unknown;

const listener = () => {};

/** Leavings by the name under which they are told; each is undone by what it returns. */
const LEAVINGS: readonly (readonly [name: string, leave: () => Undo | Promise<Undo>])[] = [
  [
    'the environment variable BOSUN_LEFT',
    () => {
      process.env['BOSUN_LEFT'] = '1';
      return () => delete process.env['BOSUN_LEFT'];
    },
  ],
  [
    'the working directory',
    () => {
      const cwd = process.cwd();
      process.chdir('/');
      return () => process.chdir(cwd);
    },
  ],
  [
    'Error.stackTraceLimit',
    () => {
      const { stackTraceLimit } = Error;
      Error.stackTraceLimit = 3;
      return () => (Error.stackTraceLimit = stackTraceLimit);
    },
  ],
  [
    'setTimeout',
    () => {
      vi.useFakeTimers({ toFake: ['setTimeout'] });
      return () => vi.useRealTimers();
    },
  ],
  [
    'console.warn',
    () => {
      const spy = vi.spyOn(console, 'warn');
      return () => spy.mockRestore();
    },
  ],
  [
    'listener 0 of process for SIGUSR2',
    () => {
      process.on('SIGUSR2', listener);
      return () => process.off('SIGUSR2', listener);
    },
  ],
  [
    'listeners on the channel bosun:turn',
    () => {
      channel('bosun:turn').subscribe(listener);
      return () => channel('bosun:turn').unsubscribe(listener);
    },
  ],
  [
    'running: TCPServerWrap',
    async () => {
      const server = createServer();
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return () => once(server.close(), 'close');
    },
  ],
  [
    'running: Worker',
    async () => {
      const thread = new Worker('require("node:worker_threads").parentPort.on("message", () => {})', { eval: true });
      await once(thread, 'online');
      return () => thread.terminate();
    },
  ],
  [
    'running: ProcessWrap',
    () => {
      const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1_000)']);
      return () => (child.kill(), once(child, 'close'));
    },
  ],
];

// What a failed test of another file has left in this process may end meanwhile: other names may be there too.
describe('the check behind each test file', () => {
  it.each(LEAVINGS)('names %s as left', async (name, leave) => {
    const before = surroundings();
    const undo = await leave();
    try {
      expect(changesSince(before)).toContain(name);
    } finally {
      await undo();
    }
    await restored(before);
  });

  it('names a folder and a store as left', async () => {
    const before = surroundings();
    const folder = mkdtempSync(join(tmpdir(), 'bosun-left-'));
    const store = levelStore(join(folder, 'store'));
    await store.open();
    try {
      expect(changesSince(before)).toEqual(
        expect.arrayContaining([`the open store ${join(folder, 'store')}`, `the temporary folder ${basename(folder)}`]),
      );
    } finally {
      await store.close();
      rmSync(folder, { recursive: true });
    }
    await restored(before);
  });
});
