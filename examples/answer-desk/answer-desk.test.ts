import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LONG } from '../../test/support/effort.ts';

const JITI = resolve(import.meta.dirname, '../../node_modules/jiti/lib/jiti-cli.mjs');
const MAIN = resolve(import.meta.dirname, './main.ts');
const SHOP = resolve(import.meta.dirname, './shop');

/** Most milliseconds in which a second agent is given what a person said to the first. */
const KNOWN_MS_MAX = 1_000;

/** The story as the README tells it: its longest indented block. */
function storyOfReadme(): string {
  const readme = readFileSync(resolve(import.meta.dirname, './README.md'), 'utf8');
  const blocks = readme.match(/(?:^ {4}.*\n)+/gm)!;
  return blocks.sort((a, b) => b.length - a.length)[0]!.replace(/^ {4}/gm, '');
}

function withoutTimes(story: string): string {
  return story.replace(/\b\d+ ms\b/g, 'N ms');
}

function told(...args: readonly string[]): string {
  return execFileSync(process.execPath, [JITI, MAIN, ...args], { encoding: 'utf8' });
}

/** A copy of the shop whose files are changed: the text in each that is replaced, and what replaces it. */
function changedShop(changes: readonly (readonly [file: string, from: string, to: string])[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-changed-shop-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(SHOP, folder, { recursive: true });
  for (const [file, from, to] of changes) {
    const text = readFileSync(join(folder, file), 'utf8');
    expect(text, file).toContain(from);
    writeFileSync(join(folder, file), text.replace(from, to));
  }
  return folder;
}

/** The lines of a story after a question, up to the next one that has a speaker. */
function afterQuestion(story: string, question: string): string {
  const [, after = ''] = story.split(`coder    ${question}\n`);
  return /^(?: .*\n)*/.exec(after)![0];
}

const LIBRARY = 'Zod or Ajv for POST /auth/register?';
const STATUS = '400 or 422 for a validation error?';
const LENGTH = 'Is the minimum password length 8 or 12?';
const CURRENCY = 'Which currency do customers pay in?';

describe('the agents of the shop', () => {
  it('finish it as its README says, over kill -9', LONG, () => {
    const story = told();
    expect(withoutTimes(story)).toBe(withoutTimes(storyOfReadme()));
    const [, ms] = /answered by ada in (\d+) ms/.exec(story)!;
    expect(Number(ms)).toBeLessThan(KNOWN_MS_MAX);
  });

  it('answer, cite, write and ask otherwise where documents say otherwise', LONG, () => {
    const story = told(
      changedShop([
        ['package.json', '"zod": "^4.2.0"', '"ajv": "^6.12.0"'],
        ['docs/adr/0003-validation.md', '## Decision\n\n', '## Decision\n\nOn Monday:\n\n'],
        ['docs/adr/0003-validation.md', 'with Zod', 'with Ajv'],
        ['docs/adr/0005-validation-errors.md', 'A validation error is answered with status 422.\n', ''],
        ['src/limits.js', '= 8', '= 12'],
        ['README.md', '# Shop\n', '# Shop\n\nThe currency in which customers pay is EUR.\n'],
      ]),
    );
    // Another value has another answer, other lines and other code.
    expect(afterQuestion(story, LIBRARY)).toMatch(
      /answered, .*: Ajv .* \[docs\/adr\/0003-validation\.md:13, package\.json:9\]\n.* import Ajv from 'ajv';/,
    );
    expect(afterQuestion(story, LENGTH)).toMatch(/answered, \d+ %: 12 .*\[src\/limits\.js:1, plan\.json:5\]/);
    // What no document says any more is asked of people, and what one says now is not.
    expect(afterQuestion(story, STATUS)).toMatch(/waiting \[TK-0001 asks a person\]/);
    expect(story).toMatch(/answered by ada, .*400, since the partners expect it .*\n.*VALIDATION_ERROR_STATUS = 400;/);
    expect(afterQuestion(story, CURRENCY)).toMatch(/answered, .*\[README\.md:3\]\n.*CURRENCIES = \["EUR"\];/);
    expect(story).toContain('(4 of 4 tests pass)');
  });
});
