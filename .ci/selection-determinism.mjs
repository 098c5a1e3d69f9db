/**
 * The proof that a recommendation is the same everywhere (AC-015): all labelled tasks, through the built package, under
 * Node 20, 22 and 24, in three languages of the machine, over registries in other orders, and by a system on disk
 * before and after a restart. Prints a hash of the answers for each, and ends with code 1 if two differ.
 *
 *     npm run selection-determinism
 *
 * The releases of Node come by `npx`. With the argument `answers`, it prints the hashes of this process alone.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SELF = fileURLToPath(import.meta.url);
const TASKS = new URL('../test/support/machines/selection-tasks/', import.meta.url);
const NODES = ['20', '22', '24'];
const LANGUAGES = ['C', 'tr_TR.UTF-8', 'de_DE.UTF-8'];

if (process.argv[2] === 'answers') for (const line of await answers()) console.log(line);
else process.exitCode = compare();

function compare() {
  const hashes = new Set();
  for (const node of NODES)
    for (const language of LANGUAGES) {
      const env = { ...process.env, LANG: language, LC_ALL: language };
      const out = execFileSync('npx', ['-y', `node@${node}`, SELF, 'answers'], { env, encoding: 'utf8' });
      for (const line of out.trim().split('\n')) {
        console.log(`${language.padEnd(12)} ${line}`);
        hashes.add(line.split(' ').at(-1));
      }
    }
  console.log(hashes.size === 1 ? 'the same bytes everywhere' : `${hashes.size} different answers`);
  return hashes.size === 1 ? 0 : 1;
}

async function answers() {
  const { createSystem, levelStore } = await import('../dist/index.js');
  const { indexFor, recommend, SHIPPED_PROFILES } = await import('../dist/machines/index.js');
  const { agentProcedures, registryOf } = await import('../dist/crew.js');
  const { createGateway } = await import('../dist/gateway/index.js');
  const tasks = readdirSync(TASKS)
    .sort()
    .flatMap((file) => readFileSync(new URL(file, TASKS), 'utf8').trim().split('\n'))
    .map((line) => line.split(' ').slice(2).join(' '));
  const version = `node ${process.version}`;
  const lines = [];
  for (const [order, profiles] of [
    ['in order', SHIPPED_PROFILES],
    ['backwards', SHIPPED_PROFILES.toReversed()],
    ['shuffled', SHIPPED_PROFILES.map((_, at) => SHIPPED_PROFILES[(at * 7) % SHIPPED_PROFILES.length])],
  ]) {
    const index = indexFor(profiles);
    lines.push(`${version}, ${order} ${hashOf(tasks.map((task) => JSON.stringify(recommend(index, { task }))))}`);
  }
  const directory = mkdtempSync(join(tmpdir(), 'bosun-selection-'));
  for (const start of ['first start', 'restart']) {
    const system = createSystem({ ...registryOf(), store: levelStore(directory) });
    await system.start();
    const rate = { burst: 1e6, perSecond: 1e6 };
    const gateway = createGateway(system, { port: 0, procedures: agentProcedures(), rate });
    const { url } = await gateway.listen();
    const told = [];
    for (const task of tasks) {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${url}/v1/agents/recommend`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ task }),
      });
      told.push(await response.text());
    }
    await gateway.close();
    await system.stop();
    lines.push(`${version}, system on disk, ${start} ${hashOf(told)}`);
  }
  rmSync(directory, { recursive: true, force: true });
  return lines;
}

function hashOf(texts) {
  return createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16);
}
