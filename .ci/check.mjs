/**
 * `npm run check`: format, types, lint and tests at once, which on two cores takes half as long as one after the
 * other. The tests speak as they go; the others are heard at the end, where they have something to say. Exit code 1
 * where one of them failed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const CHECKS = [
  ['format', ['node_modules/@biomejs/biome/bin/biome', 'format', '.']],
  [
    'types',
    [
      'node_modules/typescript/bin/tsc',
      '-p',
      'tsconfig.json',
      '--incremental',
      '--tsBuildInfoFile',
      'node_modules/.cache/check.tsbuildinfo',
    ],
  ],
  [
    'types of the page',
    [
      'node_modules/typescript/bin/tsc',
      '-p',
      'src/inspector/tsconfig.json',
      '--incremental',
      '--tsBuildInfoFile',
      'node_modules/.cache/check-page.tsbuildinfo',
    ],
  ],
  ['lint', ['node_modules/eslint/bin/eslint.js', '--cache', '--cache-location', 'node_modules/.cache/eslint/', '.']],
  ['tests', ['node_modules/vitest/vitest.mjs', 'run']],
];

/** Runs a check, and says when it is over. */
async function outcomeOf([name, args]) {
  const from = performance.now();
  const child = spawn(process.execPath, args, { stdio: name === 'tests' ? 'inherit' : ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (said += text));
  const [code] = await once(child, 'close');
  const line = `--- ${name}: ${code === 0 ? 'passed' : 'FAILED'}, ${((performance.now() - from) / 1000).toFixed(1)} s`;
  console.log(line);
  return { code, report: `${said}${line}` };
}

const outcomes = await Promise.all(CHECKS.map(outcomeOf));
console.log(outcomes.map(({ report }) => report).join('\n'));
process.exitCode = outcomes.every(({ code }) => code === 0) ? 0 : 1;
