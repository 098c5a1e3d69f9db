/** The verbs as help lists them, and as shells complete them. */
import { spawnSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { offeredVerbs } from '../support/cli/verbs.ts';
import { Workspace } from '../support/cli/workspace.ts';

/** More cannot be seen at a glance. */
const LISTED_MAX = 25;

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

const said = async (...args: string[]) => (await work.bosun(args)).out;

/** The verbs that the help text of some verbs lists, without `help`. */
async function listed(...verbs: string[]): Promise<string[]> {
  const [, ...sections] = (await said(...verbs, '--help')).split(/^\S.*:\n(?= {2}[a-z])/m);
  const names = sections.flatMap((section) => [...section.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name!));
  return names.filter((name) => name !== 'help');
}

/** The verbs that help lists, each after its group. */
async function allVerbs(): Promise<string[][]> {
  const names = await listed();
  const below = await Promise.all(
    names.map(async (name) =>
      (await said(name, '--help')).includes(' [command]\n') ? (await listed(name)).map((verb) => [name, verb]) : [],
    ),
  );
  return [...names.map((name) => [name]), ...below.flat()];
}

/** Runs bash in its own language: that of this machine need not be installed, which bash would say. */
function bash(args: readonly string[], input = '') {
  return spawnSync('bash', args, { input, encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
}

/** The words that bash completes after some others, the last of which is begun. */
function completed(script: string, ...words: string[]): string[] {
  work.write('completion.bash', script);
  const asked = `
source "$0"
[[ $(complete -p bosun) == *' -F _bosun bosun' ]] || exit 1
COMP_WORDS=(bosun "$@")
COMP_CWORD=$#
_bosun
[[ \${#COMPREPLY[@]} == 0 ]] || printf '%s\\n' "\${COMPREPLY[@]}"
`;
  const { stdout, stderr, status } = bash(['--norc', '-c', asked, work.file('completion.bash'), ...words]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter((word) => word !== '');
}

describe('bosun --help', () => {
  it(`lists at most ${LISTED_MAX} verbs, in groups`, async () => {
    const out = await said('--help');
    const lines = out.slice(out.indexOf('\nPlans:')).match(/^ {2}[a-z].*$/gm)!;
    expect(lines.length).toBeLessThanOrEqual(LISTED_MAX);
    expect(await listed()).toHaveLength(lines.length - 1);
    expect(out.match(/^[A-Z].*:$/gm)).toEqual([
      'Options:',
      'Plans:',
      'A system and its actors:',
      'Orders, which go on record:',
      'Questions and messages for people:',
      'A stopped store:',
      'Help:',
      'Examples:',
    ]);
  });

  it.each([
    ['actor', ['suspend', 'resume', 'kill', 'stop', 'restart']],
    ['store', ['check', 'verify', 'backup', 'restore', 'erase']],
  ])('lists the verbs of %s only under it, and they can be called without it', async (group, verbs) => {
    expect(await listed(group)).toEqual(verbs);
    for (const verb of verbs) {
      expect(await listed()).not.toContain(verb);
      const bare = await said(verb, '--help');
      expect(await said(group, verb, '--help')).toBe(
        bare.replace(`Usage: bosun ${verb}`, `Usage: bosun ${group} ${verb}`),
      );
      expect(await said('help', verb)).toBe(bare);
    }
  });
});

describe('an example in a help text', () => {
  it('can be called as it stands: it begins with the words of its verb', () => {
    const wrong = offeredVerbs().flatMap(({ names, examples }) =>
      examples.filter((example) => !names.some((name) => `${example} `.startsWith(`${name} `))),
    );
    expect(wrong).toEqual([]);
  });
});

describe('bosun completion', () => {
  it('says how its script is installed, in each shell', async () => {
    const out = await said('completion', '--help');
    for (const shell of ['bash', 'zsh', 'fish'])
      expect(out).toMatch(new RegExp(`^ {2}\\$ bosun completion ${shell} > `, 'm'));
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('exits with 2 for another shell', async () => {
    const { code, out, err } = await work.bosun(['completion', 'csh']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Allowed choices are bash, zsh, fish.');
  });

  it.each(['bash', 'zsh', 'fish'])('includes all verbs for %s, even those that help does not list', async (shell) => {
    const script = await said('completion', shell);
    for (const verbs of [...(await allVerbs()), ['verify'], ['suspend']])
      expect(script).toMatch(new RegExp(`['"]${verbs.join(' ')}['"]`));
    for (const flag of ['url', 'token', 'recover-to', 'as-recommended']) expect(script).toContain(flag);
  });
});

describe('the script for bash', () => {
  it('is valid', async () => {
    const { status, stderr } = bash(['-n'], await said('completion', 'bash'));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('completes verbs at every level, options, and values from a fixed choice', async () => {
    const script = await said('completion', 'bash');
    for (const [words, expected] of [
      [['dead'], ['deadletters']],
      [
        ['deadletters', ''],
        ['list', 'redeliver', 'discard'],
      ],
      [['deadletters', 'list', '--u'], ['--url']],
      [
        ['actor', 're'],
        ['resume', 'restart'],
      ],
      [['veri'], ['verify']],
      [['help', 'sched'], ['schedule']],
      [
        ['completion', ''],
        ['bash', 'zsh', 'fish'],
      ],
      [['inspect', 'visits', '--format', 'm'], ['mermaid']],
      [['--v'], ['--version']],
    ] as const)
      expect(completed(script, ...words), words.join(' ')).toEqual(expected);
  });

  it('leaves files, addresses and other texts to bash', async () => {
    const script = await said('completion', 'bash');
    // `plan` and `list` are an address and a directory here, no verbs.
    for (const words of [
      ['run', ''],
      ['send', 'plan', ''],
      ['ps', '--data', 'list'],
    ])
      expect(completed(script, ...words), words.join(' ')).toEqual([]);
  });
});
