/**
 * The built command line for several calls in one process, which loads it once. The calls come as JSON on stdin, an
 * array of arrays of arguments; the exit code of each is a line on stdout, behind its output.
 */
import { text } from 'node:stream/consumers';
import { commandLine } from '../../../dist/cli/command-line.js';

const { stdout: out, stderr: err } = process;
const interruption = () => new AbortController().signal;

for (const args of JSON.parse(await text(process.stdin)))
  out.write(`${await commandLine(args, { out, err, env: process.env, cwd: process.cwd(), interruption })}\n`);
