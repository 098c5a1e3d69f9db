/** The parts of the example by themselves. The whole job, killed, is in test/crash/delivery-story.test.ts. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createSystem, memoryStore } from 'bosun';
import { answerCrew } from 'bosun/crew';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { Process } from '../../test/support/cli/workspace.ts';
import { LONG } from '../../test/support/effort.ts';
import { code, questionAbout } from './coder.ts';
import { optionsIn } from './options.ts';
import { Outside } from './outside.ts';
import { teamFor } from './profiles.ts';
import { Repository } from './repository.ts';
import { objectionTo } from './reviewer.ts';
import { tellOpen } from './story.ts';
import { bosunLine } from './workplace.ts';

const SHOP = join(import.meta.dirname, 'shop');
const JITI = resolve(import.meta.dirname, '../../node_modules/jiti/lib/jiti-cli.mjs');

const root = mkdtempSync(join(tmpdir(), 'bosun-delivery-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const task = { told: '4.90 euro', files: [], decided: null, folder: SHOP };
const written = (title: string, answer: string, decided: string | null = null) =>
  code({ ...task, title, answer, decided }, AbortSignal.timeout(1_000));

describe('the world outside', () => {
  it('does what it is asked under one key once, and counts how often it was asked, over starts', () => {
    const file = join(root, 'outside.jsonl');
    expect(new Outside(file).once('e1', 'published')).toBe(true);
    expect(new Outside(file).once('e1', 'published')).toBe(false);
    for (const _ of [1, 2]) new Outside(file).again('tests');
    expect(new Outside(file).counted()).toEqual([
      { key: 'e1', what: 'published', asked: 2, done: 1 },
      { key: null, what: 'tests', asked: 2, done: 2 },
    ]);
  });
});

describe('the crew', () => {
  it('is chosen by the words of the task', () => {
    expect(teamFor('VAT on orders, in cents').coder.agent).toBe('nora');
    expect(teamFor('The page of the basket has a form').coder.agent).toBe('piet');
    expect(teamFor('The login checks passwords').reviewer.agent).toBe('omar');
  });

  it('writes no value that it was not told', async () => {
    expect((await written('VAT on orders', '19 percent'))['src/vat.js']).toContain('RATE = 19');
    expect((await written('Shipping costs', 'From 30 euro on.'))['src/shipping.js']).toContain('FREE_FROM = 3000');
    await expect(async () => written('Shipping costs', 'the usual one')).rejects.toThrow('nobody can build on');
    expect(questionAbout('Vouchers at the checkout')).toBeNull();
  });

  it('disputes sums that are rounded line by line, and none that are rounded once', async () => {
    const folder = join(root, 'reviewed');
    mkdirSync(join(folder, 'src'), { recursive: true });
    const reviewed = async (decided: string | null) => {
      const files = await written('VAT on orders', '7 percent', decided);
      writeFileSync(join(folder, 'src/goods.js'), readFileSync(join(SHOP, 'src/goods.js')));
      writeFileSync(join(folder, 'src/vat.js'), files['src/vat.js']!);
      return objectionTo(folder, Object.keys(files));
    };
    expect(await reviewed(null)).toMatchObject({
      evidence: 'three lines of 7 cents: 0 cents line by line, 1 on the order',
    });
    expect(await reviewed('once')).toBeNull();
  });
});

describe('the repository', () => {
  it('merges a session once, and goes on after a merge that was cut off', LONG, async () => {
    const repository = new Repository(join(root, 'work'));
    for (const _ of [1, 2]) await repository.make(SHOP);
    const folder = await repository.worktree('s1');
    expect(await repository.worktree('s1')).toBe(folder);
    mkdirSync(join(folder, 'src'), { recursive: true });
    writeFileSync(join(folder, 'src/vat.js'), 'export const RATE = 7;\n');
    for (const _ of [1, 2]) await repository.commit('s1', ['src/vat.js'], 'VAT');
    // As a merge leaves it that was killed before it has committed.
    await repository.git('merge', '--quiet', '--no-ff', '--no-commit', 's1');
    writeFileSync(join(repository.folder, '.git/index.lock'), '');
    for (const _ of [1, 2]) await repository.merge('s1', 'VAT');
    for (const _ of [1, 2]) await repository.release('1.1.0', '- VAT.');
    const said = execFileSync('git', ['log', '--format=%s', 'main'], { cwd: repository.folder, encoding: 'utf8' });
    expect(said.trim().split('\n').sort()).toEqual(['1.0.0', '1.1.0', 'VAT', 'VAT']);
    expect(readFileSync(join(repository.folder, 'package.json'), 'utf8')).toContain('"version": "1.1.0"');
  });
});

describe('its command line', () => {
  it('knows what it was told, and where its state is', () => {
    const options = optionsIn(['--data', root, '--port', '0', '--patience', '3', '--fresh']);
    expect(options).toMatchObject({ data: root, port: 0, patienceMs: 3_000, paceMs: 1_000, isFresh: true });
  });

  it('names lines that find its data', () => {
    expect(bosunLine(resolve('data'), 'tickets list')).toBe('npx bosun tickets list');
    expect(bosunLine(root, 'tickets list')).toBe(`npx bosun tickets list --data ${root}`);
  });

  it('prints again what waits for a person, and not what waits for the crew', async () => {
    const retrieve = () => Promise.resolve({ complete: true, evidence: [] });
    await using system = createSystem({
      ...answerCrew({ ports: { retrieve } }),
      ...{ store: memoryStore(), durability: 'memory' },
    });
    await system.start();
    const open = { type: 'tickets.open', kind: 'ai_to_human', priority: 1, creator: 'nora' };
    await system.ask('tickets', { ...open, title: 'From which value on?', task: 'TASK-002', isBlocking: true });
    await system.ask('tickets', { ...open, title: 'It has failed', isBlocking: false });
    const gate = { type: 'gate.open', id: 'g', kind: 'release', title: 'Release?', audience: ['*'] };
    await system.ask('gates', { ...gate, form: {}, package: null, deadlineMs: null });
    await system.idle();
    const printed: unknown[] = [];
    const log = vi.spyOn(console, 'log').mockImplementation((line) => void printed.push(line));
    await tellOpen(system, resolve('data')).finally(() => log.mockRestore());
    expect(printed).toEqual([
      'ticket     From which value on? On the page, or npx bosun tickets reply TK-0001 "..."',
      'gate       Release? On the page, or npx bosun gates answer g decision=release',
    ]);
  });

  it('refuses the data of another system, and leaves them alone', LONG, async () => {
    const data = join(root, 'other');
    mkdirSync(join(data, 'store'), { recursive: true });
    const args = [JITI, join(import.meta.dirname, 'main.ts'), '--data', data, '--port', '0', '--fresh'];
    const { code: exit, err } = await new Process(spawn(process.execPath, args)).ended;
    expect({ exit, err }).toEqual({
      exit: 2,
      err: expect.stringContaining(`${data} holds another system: name another directory with --data`) as string,
    });
  });
});
