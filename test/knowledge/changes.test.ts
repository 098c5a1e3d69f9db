/** The last change of a folder, by its real files. */
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { knowledgePorts } from '../../src/crew-delivery-checks.ts';
import { Finder } from '../../src/knowledge/finder.ts';
import { Folder } from '../../src/knowledge/folder.ts';
import { folderWith, gitIn, knowing } from '../support/knowledge/folders.ts';
import { until } from '../support/until.ts';

/** A repository with two files, and an ignored folder. */
function shop() {
  const path = folderWith({ '.gitignore': 'dist\n*.log\n', 'src/a.ts': 'a\n', 'src/b.ts': 'b\n', 'dist/a.js': 'a\n' });
  gitIn(path, 'init');
  gitIn(path, 'add', '-A');
  const folder = new Folder('shop', path, new Finder());
  return { path, at: (file: string) => join(path, file), last: () => folder.changedAtMs() };
}

/** Lets the clock of the file system go on, whose steps are milliseconds long. */
async function later(path: string): Promise<void> {
  const probe = join(path, '.git/probe');
  const timeNow = () => {
    writeFileSync(probe, '');
    return lstatSync(probe).ctimeMs;
  };
  const before = timeNow();
  await until(
    () => timeNow() > before,
    () => 'a later time of the file system',
  );
}

const timeOf = (path: string) => lstatSync(path).ctimeMs;

describe('the last change of a folder', () => {
  it('is when a file was written', async () => {
    const { path, at, last } = shop();
    const before = last()!;
    await later(path);
    writeFileSync(at('src/a.ts'), 'more\n');
    expect(last()).toBe(timeOf(at('src/a.ts')));
    expect(timeOf(at('src/a.ts'))).toBeGreaterThan(before);
  });

  it('is when a file was made, also one that git does not know', async () => {
    const { path, at, last } = shop();
    last();
    await later(path);
    mkdirSync(at('docs'));
    writeFileSync(at('docs/new.md'), 'new\n');
    expect(last()).toBe(timeOf(at('docs/new.md')));
  });

  it('is when a file was removed, also before anybody asked', async () => {
    const { path, at, last } = shop();
    await later(path);
    rmSync(at('src/b.ts'));
    expect(last()).toBe(timeOf(at('src')));
    await later(path);
    rmSync(at('src'), { recursive: true });
    expect(last()).toBe(timeOf(path));
  });

  it('is not when an ignored file came, changed or went', async () => {
    const { path, at, last } = shop();
    const before = last();
    await later(path);
    writeFileSync(at('dist/b.js'), 'b\n');
    writeFileSync(at('src/debug.log'), 'line\n');
    writeFileSync(at('build.log'), 'line\n');
    expect(last()).toBe(before);
    rmSync(at('src/debug.log'));
    expect(last()).toBe(before);
  });

  it('is not when git or the desk has written for itself', async () => {
    const { path, at, last } = shop();
    mkdirSync(at('.bosun'));
    const before = last();
    await later(path);
    writeFileSync(at('.bosun/store'), 'x\n');
    execFileSync('git', ['-C', path, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'a']);
    expect(last()).toBe(before);
  });

  it('is when the system says so, whatever age a file is given', async () => {
    const { path, at, last } = shop();
    last();
    await later(path);
    writeFileSync(at('src/a.ts'), 'more\n');
    utimesSync(at('src/a.ts'), 0, 0);
    expect(last()).toBe(timeOf(at('src/a.ts')));
  });

  it('is what the port answers, from the thread', async () => {
    const { path, at, last } = shop();
    const { changedAt } = knowledgePorts(knowing([{ scope: 'shop', path }]));
    const ask = () => changedAt({ files: ['src/a.ts'] }, { signal: new AbortController().signal });
    expect(await ask()).toBe(last());
    await later(path);
    rmSync(at('src/b.ts'));
    expect(await ask()).toBe(timeOf(at('src')));
  });

  it('is not known when the folder has gone', () => {
    const { path, last } = shop();
    expect(last()).not.toBe(null);
    rmSync(path, { recursive: true });
    expect(last()).toBe(null);
  });
});
