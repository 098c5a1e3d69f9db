/** `bosun agents` without a running system: on the profiles of the package, and on files of other people. */
import { mkdirSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import {
  agentProfileSchema,
  capabilitiesResultSchema,
  recommendResultSchema,
} from '../../src/machines/agents/profile.ts';
import { cardOf, markdownOf } from '../../src/machines/agents/profile-export.ts';
import { profileFromCard, profileFromMarkdown } from '../../src/machines/agents/profile-import.ts';
import { SHIPPED_PROFILES } from '../../src/machines/agents/profiles/shipped.ts';
import { fileURLToPath } from 'node:url';
import { linesOf, Workspace } from '../support/cli/workspace.ts';
import { LONG } from '../support/effort.ts';

/** Eighteen files in the styles of public collections, some of them broken. */
const FOLDER = fileURLToPath(new URL('../support/fixtures/agents', import.meta.url));

const CURE = 'begin the file with ---, lines "name: ..." and "description: ...", and --- again';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

const agents = (...args: string[]) => work.bosun(['agents', ...args]);
const rows = (out: string) => linesOf(out) as unknown as Record<string, unknown>[];

describe('bosun agents recommend', () => {
  it('AC-007, AC-024: prints one line with --json, the result as it stands', async () => {
    const { code, out, err } = await agents('recommend', 'Review this pull request', '--json');
    expect({ code, err, lines: out.split('\n').length }).toEqual({ code: 0, err: '', lines: 2 });
    const result = recommendResultSchema.strict().parse(JSON.parse(out));
    expect(Object.keys(result)).toEqual(['recommended', 'confidence', 'reason', 'alternatives']);
    expect(result).toMatchObject({ recommended: 'reviewer', confidence: 1 });
    expect(result.alternatives).toHaveLength(2);
  });

  it('AC-024, AC-030: takes the fields of a request as options', async () => {
    const { out } = await agents(
      'recommend',
      'Review this pull request',
      '--exclude',
      'reviewer',
      '--exclude',
      'security',
      '--team',
      'quality',
      '--capability',
      'load-testing',
      '--max',
      '1',
      '--mode',
      'rules',
      '--json',
    );
    expect(JSON.parse(out)).toMatchObject({ recommended: 'standard', confidence: 0.5, alternatives: [] });
    const { out: other } = await agents(
      'recommend',
      'try the release under stress',
      '--capability',
      'load-testing',
      '--json',
    );
    expect(JSON.parse(other)).toMatchObject({ recommended: 'quality' });
  });

  it('CN-012: shows every factor with its points and what it was found in', async () => {
    const { out } = await agents('recommend', 'Fix this bug', '--explain', '--max', '1');
    expect(out).toMatch(/^fullstack: 1\d{3} points$/m);
    expect(out).toMatch(/^ *400 {2}examplePart +Fix this bug that shows/m);
    expect(out).toMatch(/^ *\d{3} {2}retrieval +fix, bug$/m);
  });

  it.each([
    [['recommend', ''], 'task: '],
    [['recommend', 'x'.repeat(2_001)], 'task: '],
    [['recommend', 'x', '--max', '0'], 'maxResults: '],
    [['recommend', 'x', '--max', '11'], 'maxResults: '],
    [['capabilities', '--category', 'cooking'], 'category: '],
    [['show', 'reviewr'], 'there is no agent reviewr; did you mean "reviewer"?'],
    [['list', '--from', 'nowhere'], 'nowhere: no such file or folder'],
    [['export', '--as', 'markdown'], 'name one agent, since a Markdown file holds a single one'],
  ])('AC-006, AC-014: refuses bad input with code 2 and words: %#', async (args, words) => {
    const { code, err } = await agents(...args);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(words) as string });
  });

  it('AC-015: prints the same bytes in a language with other letters', LONG, async () => {
    const plain = await agents('recommend', 'IMPROVE INDEXING IN THE UI', '--explain', '--json');
    const env = { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' };
    const turkish = work.spawn(['agents', 'recommend', 'IMPROVE INDEXING IN THE UI', '--explain', '--json'], { env });
    expect((await turkish.ended).out).toBe(plain.out);
  });
});

describe('bosun agents list, show, capabilities and guard', () => {
  it('AC-005: list the 22 of the package', async () => {
    expect(rows((await agents('list', '--json')).out)).toHaveLength(22);
    expect((await agents('list')).out).toMatch(/^reviewer +Code Reviewer +core +reviewer +package +profile only$/m);
  });

  it('show what an agent is for and not for', async () => {
    const { out } = await agents('show', 'backend');
    expect(out).toMatch(/^examples +Build an API endpoint; Optimize/m);
    expect(out).toMatch(/^not for +Review code; Write documentation/m);
  });

  it('AC-008, AC-009: list capabilities of a category', async () => {
    const { out } = await agents('capabilities', '--category', 'review', '--json');
    const result = capabilitiesResultSchema.parse(JSON.parse(out));
    expect(Object.keys(result.capabilitiesByAgent)).toEqual(['quality', 'reviewer', 'security']);
    expect((await agents('capabilities', '--category', 'review')).out).toMatch(/^code-review +reviewer$/m);
  });

  it('AC-035: pass the guard, or end with code 1 and say what is missing', async () => {
    expect((await agents('guard')).code).toBe(0);
    mkdirSync(work.file('own'));
    work.write('own/helper.md', '---\nname: helper\ndescription: Helps.\n---\n');
    const { code, out } = await agents('guard', '--from', 'own');
    expect({ code, out }).toEqual({
      code: 1,
      out: 'WARN  helper  Missing exampleTasks; Missing notForTasks; Missing agentCategory\nPASS  standard\n',
    });
  });
});

describe('agent files of other people', () => {
  it('are read, or refused in one line with file, line and advice', async () => {
    const { code, out, err } = await agents('import', FOLDER);
    expect(code).toBe(1);
    expect(rows(out).map(({ agentId }) => agentId)).toEqual([
      'data-wrangler-2000',
      'code-archaeologist',
      'payments-expert',
      'poem-review',
      'gardener',
      'terraform-pro',
      'weather-agent',
      'windows-helper',
      'with-bom',
    ]);
    for (const one of rows(out)) expect(agentProfileSchema.safeParse(one).error).toBeUndefined();
    const lines = err
      .trim()
      .split('\n')
      .map((line) => line.replaceAll(`${FOLDER}/`, ''));
    expect(lines).toEqual([
      `empty.md:1: the file is empty: ${CURE}`,
      'latin-1.md:1: is no text in UTF-8: save it as UTF-8',
      'no-description.md:2: the agent has no description: add a line "description: ..." that says when to use it',
      'no-end.md:1: the fields do not end: add a line of --- behind them',
      `no-frontmatter.md:1: there are no fields at the top: ${CURE}`,
      'no-name.md:2: the agent has no name: add a line "name: api-tester"',
      expect.stringMatching(
        /^team\.yaml:7:5: agents\[1\]: unknown key "selectonMetadata"; did you mean "selectionMetadata"\?$/,
      ),
      'twin.md:1: the agent terraform-pro is in terraform-pro.md too: rename one of them'
        .replace('terraform-pro.md', `${FOLDER}/terraform-pro.md`)
        .replaceAll(`${FOLDER}/`, ''),
    ]);
  });

  it('keep their contents: colons, blocks, examples of conversations, skills of cards', async () => {
    const byId = new Map(rows((await agents('import', FOLDER)).out).map((one) => [one['agentId'], one]));
    expect(byId.get('code-archaeologist')).toMatchObject({
      description: expect.stringMatching(/^Use this agent when .* codebase: it maps .* large change\.$/) as string,
      systemPrompt: expect.stringContaining('## Approach') as string,
    });
    expect(byId.get('payments-expert')).toMatchObject({
      selectionMetadata: {
        exampleTasks: [
          'Refund order 4711 without charging the fee twice',
          'Our webhook for disputes is called three times',
        ],
      },
    });
    expect(byId.get('terraform-pro')).toMatchObject({
      description:
        'Expert in Terraform modules and state.\n' +
        'Use when infrastructure is planned, imported or moved between accounts.',
    });
    expect(byId.get('data-wrangler-2000')).toMatchObject({
      displayName: 'Data Wrangler 2000',
      description: 'Cleans tables and joins them,\nwhatever they look like.',
    });
    expect(byId.get('weather-agent')).toMatchObject({
      version: '2.1.0',
      capabilities: ['forecast'],
      selectionMetadata: { exampleTasks: ['Will it rain in Oslo tomorrow?'], keywords: ['weather', 'forecast'] },
    });
  });

  it.each([
    ['our disputes webhook is called twice', 'payments-expert'],
    ['move the state of a module to another account', 'terraform-pro'],
    ['understand this old codebase', 'code-archaeologist'],
    ['will it rain?', 'weather-agent'],
    ['which PowerShell command lists files', 'windows-helper'],
    ['zzzz', 'standard'],
  ])('are recommended from their folder: "%s" goes to %s', async (task, agent) => {
    const { out } = await agents('recommend', task, '--from', FOLDER, '--json');
    expect(JSON.parse(out)).toMatchObject({ recommended: agent });
  });

  it('are exported as Markdown and as cards, and imported again with the same selection metadata', async () => {
    for (const one of SHIPPED_PROFILES) {
      const { selectionMetadata: meta } = one;
      const chosenBy = { exampleTasks: meta!.exampleTasks, notForTasks: meta!.notForTasks };
      const read = [profileFromMarkdown({ file: 'x.md', text: markdownOf(one) }), profileFromCard(cardOf(one))];
      expect(read).toMatchObject([
        { profile: { agentId: one.agentId, systemPrompt: one.systemPrompt, selectionMetadata: chosenBy } },
        { profile: { selectionMetadata: chosenBy } },
      ]);
    }
    await agents('export', 'reviewer', '--as', 'markdown', '--out', 'reviewer.md');
    expect(readFileSync(work.file('reviewer.md'), 'utf8')).toBe(
      markdownOf(SHIPPED_PROFILES.find(({ agentId }) => agentId === 'reviewer')!),
    );
    expect(JSON.parse((await agents('export', '--as', 'card')).out)).toMatchObject({ skills: { length: 22 } });
    expect(JSON.parse((await agents('export', '--as', 'catalog')).out)).toMatchObject({ entries: { length: 22 } });
    expect(JSON.parse((await agents('export', 'ceo')).out)).toMatchObject({ agentId: 'ceo' });
  });
});

describe('a service with a roster in its config', () => {
  it('CN-017: has a registry with the sources that it names, and answers bosun agents', async () => {
    mkdirSync(work.file('team'));
    work.write(
      'team/lamp.md',
      '---\nname: lamp-keeper\ndescription: Keeps the lamps of the harbour alight.\n---\nLamps.\n',
    );
    work.write('bosun.config.yaml', 'roster: [package, team]\ngateway: { port: 0 }\n');
    const serving = await work.start(['serve', '--data', 'served']).serves();
    const { out } = await agents('list', '--data', 'served');
    expect(out).toMatch(/^lamp-keeper +lamp keeper +team\/lamp.md +file: team\/lamp.md$/m);
    expect(out).toMatch(/^reviewer .* package +profile only$/m);
    const asked = await agents('recommend', 'are the harbour lamps alight?', '--data', 'served', '--json');
    expect(JSON.parse(asked.out)).toMatchObject({ recommended: 'lamp-keeper' });
    expect((await serving.interrupt()).code).toBe(0);
  });

  it('refuses to start with only some of its agents', async () => {
    work.write('team/broken.md', 'no head');
    const { code, err } = await work.bosun(['serve', '--data', 'other']);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining('team/broken.md:1: there are no fields') as string,
    });
  });
});
