/**
 * The answer desk of a folder as `bosun desk` runs it, in a process of its own, except for the rates of callers. It is
 * controlled by messages from the row's process: `{ id, ask }` is answered with `{ id, ... }`.
 */
import { mkdir } from 'node:fs/promises';
import { dataDirectory } from '../dist/cli/store/data-directory.js';
import { frontDoor } from '../dist/cli/reach/front-door.js';
import { servedFolder } from '../dist/cli/serve/served-system.js';
import { profiler } from './profile.mjs';

/** Not what is measured. */
const UNBOUND = { burst: 1e9, perSecond: 1e9 };
const UNBOUND_TOOLS = { perSecond: 1e9, perMinute: 1e9, allPerMinute: 1e9 };

const { folder, data } = JSON.parse(process.argv[2]);
const directory = dataDirectory({ data, cwd: folder });
await mkdir(directory.path, { recursive: true });
const log = (...args) => console.error(...args);
const place = { directory, config: undefined, plan: undefined, cwd: folder, env: process.env, trustWallClock: false };
const { system, procedures, begun } = await servedFolder({ ...place, log }, folder);
const settings = { port: 0, rate: UNBOUND, connectRate: UNBOUND, mcpRate: UNBOUND_TOOLS };
const door = frontDoor(system, directory, { settings, procedures, log });
await system.start();
begun();
const url = await door.open();

const profile = profiler();
const ASKS = {
  cpu: () => ({ cpuMicros: process.cpuUsage().user + process.cpuUsage().system }),
  beginProfile: () => profile.begin(),
  endProfile: async () => ({ profile: await profile.end() }),
};
process.on('message', ({ id, ask }) => {
  void Promise.resolve(ASKS[ask]()).then((answer) => process.send({ id, ...answer }));
});
// The parent process is gone.
process.on('disconnect', () => process.exit(0));
process.send({ url });
