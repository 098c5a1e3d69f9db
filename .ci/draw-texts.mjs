/**
 * Texts for a reader who does not know the code: `node .ci/draw-texts.mjs [SEED]` prints 100 docstrings, 50 titles of
 * tests and 30 texts of errors, drawn by a seed (default 1). A text that has to be read twice is to be mended.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

let state = Number(process.argv[2] ?? 1) >>> 0;

/** A number from 0 up to a limit: mulberry32, so that a seed draws the same texts everywhere. */
function below(limit) {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
}

function drawn(texts, count) {
  const left = [...texts];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(below(left.length), 1)[0]);
}

/** Matches of a pattern in the files of a folder, with their places. */
function found(folder, pattern) {
  const files = execFileSync('git', ['ls-files', folder], { encoding: 'utf8' }).split('\n');
  return files
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      return [...text.matchAll(pattern)].map((match) => {
        const line = text.slice(0, match.index).split('\n').length;
        const [, said, code = ''] = match;
        return `${file}:${line}\n  ${said.replaceAll(/\s*\n\s*\*? ?/g, ' ').trim()}${code && `\n  | ${code.trim()}`}`;
      });
    });
}

const docstrings = found(
  'src',
  /\/\*\*((?:[^*]|\*(?!\/))+)\*\/\s*\n\s*((?:export|readonly|static|async|function|[#\w]+[(?:]).*)/g,
);
const titles = found('test', /\b(?:it|describe)(?:\.each\([^)]*\))?\(\s*'((?:[^'\\]|\\.)+)'/g);
const errors = found('src', /new BosunError\(\s*'BOSUN_\w+',\s*[`']((?:[^`'\\]|\\.)+)[`']/g);

for (const [heading, texts, count] of [
  ['Docstrings', docstrings, 100],
  ['Titles of tests', titles, 50],
  ['Texts of errors', errors, 30],
]) {
  process.stdout.write(`\n# ${heading} (${count} of ${texts.length})\n\n${drawn(texts, count).join('\n')}\n`);
}
