/** Files of a folder that are read, and files that never are. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FILE_BYTES_MAX } from '../../src/knowledge/limits.ts';
import { listFiles, readFile, withLeftOut, type LeftOut } from '../../src/knowledge/reader.ts';
import { hasSecretName, hasSecretShape, withoutSecretLines } from '../../src/knowledge/secrets.ts';
import { folderWith, gitIn } from '../support/knowledge/folders.ts';

const reasonOf = (folder: string, file: string) => {
  const reading = readFile(folder, file);
  return 'leftOut' in reading ? reading.leftOut : 'read';
};

describe('the files of a folder', () => {
  const files = { 'a.md': 'a', 'src/b.ts': 'b', 'out/c.js': 'c', 'src/gen/d.ts': 'd', '.gitignore': 'out\n' };

  it('are those that git lists, including untracked and without ignored ones', () => {
    const folder = folderWith({ ...files, 'src/.gitignore': 'gen/\n' });
    gitIn(folder, 'init', '-q');
    expect(listFiles(folder)).toEqual({ by: 'git', files: ['.gitignore', 'a.md', 'src/.gitignore', 'src/b.ts'] });
  });

  it('are found by walking the folder if it is no repository, with the same ignore files', () => {
    const folder = folderWith({ ...files, 'src/.gitignore': 'gen/\n', 'node_modules/x/index.js': 'x' });
    expect(listFiles(folder)).toEqual({ by: 'walk', files: ['.gitignore', 'a.md', 'src/.gitignore', 'src/b.ts'] });
  });

  it('are listed without running commands from the configuration of the repository', () => {
    const folder = folderWith({ 'a.md': 'a', 'hook.sh': `#!/bin/sh\ntouch "$(dirname "$0")/ran"\n` });
    gitIn(folder, 'init', '-q');
    gitIn(folder, 'config', 'core.fsmonitor', `sh ${join(folder, 'hook.sh')}`);
    expect(listFiles(folder).files).toEqual(['a.md', 'hook.sh']);
  });
});

describe('a file', () => {
  it('is read as text up to the size limit, and left out above it', () => {
    const folder = folderWith({ 'most.txt': 'x'.repeat(FILE_BYTES_MAX), 'over.txt': 'x'.repeat(FILE_BYTES_MAX + 1) });
    expect(reasonOf(folder, 'most.txt')).toBe('read');
    expect(reasonOf(folder, 'over.txt')).toBe('large');
  });

  it('is left out if it is binary, generated or not a regular file', () => {
    const folder = folderWith({ 'data.txt': 'a\0b', 'x.png': 'x', 'yarn.lock': 'x', 'app.min.js': 'x' });
    mkdirSync(join(folder, 'sub'));
    expect(['data.txt', 'x.png', 'sub'].map((file) => reasonOf(folder, file))).toEqual(['binary', 'binary', 'binary']);
    expect(['yarn.lock', 'app.min.js'].map((file) => reasonOf(folder, file))).toEqual(['generated', 'generated']);
  });

  it('is left out if a link leads out of the folder, whatever the name of the link', () => {
    const outside = folderWith({ 'theirs.md': 'not yours' });
    const folder = folderWith({ 'inside.md': 'mine', '.env': 'A=b' });
    symlinkSync(join(outside, 'theirs.md'), join(folder, 'notes.md'));
    symlinkSync(outside, join(folder, 'linked'));
    symlinkSync(join(folder, 'inside.md'), join(folder, 'also.md'));
    symlinkSync(join(folder, '.env'), join(folder, 'settings.md'));
    expect(reasonOf(folder, 'notes.md')).toBe('outside');
    expect(reasonOf(folder, 'linked/theirs.md')).toBe('outside');
    expect(reasonOf(folder, 'also.md')).toBe('read');
    expect(reasonOf(folder, 'settings.md')).toBe('secret');
  });

  it('is left out without an exception if it cannot be read', () => {
    const folder = folderWith();
    symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling.md'));
    expect(readFile(folder, 'dangling.md')).toMatchObject({
      leftOut: 'unreadable',
      why: expect.stringContaining('ENOENT'),
    });
    expect(reasonOf(folder, 'gone.md')).toBe('unreadable');
  });

  it('is counted if it is left out, and named if it is among the first', () => {
    let leftOut: LeftOut = {};
    for (let index = 0; index < 30; index += 1) leftOut = withLeftOut(leftOut, 'secret', `${index}.pem`);
    expect(leftOut.secret).toMatchObject({ count: 30 });
    expect(leftOut.secret!.files).toHaveLength(20);
  });
});

describe('a secret', () => {
  it.each([
    '.env',
    '.env.local',
    'deploy/prod.env',
    'id_rsa',
    'a/server.pem',
    'tls.key',
    '.npmrc',
    '.netrc',
    'secrets.yaml',
  ])('is recognised by the name of its file: %s', (file) => expect(hasSecretName(file)).toBe(true));

  it.each(['environment.md', 'src/env.ts', 'keys.md', 'src/secrets.ts', 'package.json', 'docs/credentials-guide.md'])(
    'is not assumed for the file name %s',
    (file) => expect(hasSecretName(file)).toBe(false),
  );

  it('is recognised by its form, and its whole file is left out', () => {
    const shapes = [
      `-----BEGIN ${'RSA '}PRIVATE KEY-----`,
      `key AKIA${'ABCDEFGHIJKLMNOP'}`,
      `ghp_${'a1'.repeat(18)}`,
      `xoxb-${'123456789012'}`,
      `eyJ${'hbGciOiJI'.repeat(2)}.eyJ${'zdWIiOiIx'.repeat(2)}.${'SflKxwRJSM'.repeat(2)}`,
    ];
    for (const shape of shapes) expect(hasSecretShape(`text ${shape} text`), shape).toBe(true);
    expect(hasSecretShape('a private key begins with BEGIN PRIVATE KEY')).toBe(false);
    const folder = folderWith({ 'notes.md': shapes[2]! });
    expect(reasonOf(folder, 'notes.md')).toBe('secret');
  });

  it('is blanked with its line, and the other lines keep their numbers', () => {
    const text = 'host: db\npassword: "hunter-22"\ntoken = abc123def456\nurl: postgres://me:pw@host/db\nport: 1';
    expect(withoutSecretLines(text)).toEqual({ text: 'host: db\n\n\n\nport: 1', blanked: 3 });
  });

  it('is not assumed in a setting about passwords, a type or a reference to the environment', () => {
    const text = 'PASSWORD_MIN_LENGTH = 12\npassword: string\ntoken: process.env.TOKEN1\nsecret: ${SECRET_KEY1}';
    expect(withoutSecretLines(text)).toEqual({ text, blanked: 0 });
  });

  it('is never in the index of a folder that contains it', () => {
    const folder = folderWith();
    writeFileSync(join(folder, '.env.production'), 'PAYMENT=adyen');
    expect(reasonOf(folder, '.env.production')).toBe('secret');
  });
});
