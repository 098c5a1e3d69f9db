/** The repository in which the agents work: a document, two modules that nobody has finished, and tests that fail. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILES = {
  'package.json': '{\n  "name": "shop",\n  "private": true,\n  "type": "module"\n}\n',
  'docs/limits.md': '# Limits\n\nThe minimum length of a password is 12 characters.\n',
  'src/limits.js': 'export const passwordLengthMin = undefined;\n',
  'src/currencies.js': 'export const currencies = [];\n',
  'test/shop.test.js': `import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import { currencies } from '../src/currencies.js';
import { passwordLengthMin } from '../src/limits.js';

test('a password has a minimum length', () => ok(Number.isInteger(passwordLengthMin)));
test('customers can pay', () => ok(currencies.length > 0));
`,
};

export class Shop {
  readonly folder: string;

  /** Writes the repository into a folder. */
  constructor(folder: string) {
    this.folder = folder;
    for (const [file, text] of Object.entries(FILES)) this.write(file, text);
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), text);
  }

  /** Runs the tests of the repository: how many of them pass. */
  test(): string {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const args = ['--test', '--test-reporter=tap', 'test/shop.test.js'];
    const [, passed] = /^# pass (\d+)$/m.exec(outputOf(args, { cwd: this.folder, env }))!;
    return `${passed} of 2 tests pass`;
  }
}

/** Output of a process, whether or not it succeeds. */
function outputOf(args: readonly string[], options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }): string {
  try {
    return execFileSync(process.execPath, args, { ...options, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
