/** The example as a reader runs it: with the stand-in, with a model of the environment, and with none. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LONG } from '../../test/support/effort.ts';
import { ProviderStandIn } from './provider-stand-in.ts';

const JITI = join(import.meta.dirname, '../../node_modules/jiti/lib/jiti-cli.mjs');
const MAIN = join(import.meta.dirname, 'main.ts');

const STORY = `asked    How long are backups kept, and why?
quoted   30 days: "Backups are kept for 30 days." (docs/backups.md:7). [docs/backups.md:7, docs/adr/0004.md:12, 95 %]
asked    Which currency do customers pay in?
quoted   TK-0001 asks a person: No source says anything about it.
model    a stand-in, which repeats the first source that it is sent
asked    How long are backups kept, and why?
drafted  Backups are kept for 30 days. [docs/backups.md:7, 76 %]
asked    Which currency do customers pay in?
drafted  TK-0001 asks a person: No source says anything about it.
`;

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], settings: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const none = { BOSUN_MODEL_URL: '', BOSUN_MODEL_KEY: '', BOSUN_MODEL: '' };
  const options = { env: { ...process.env, ...none, ...settings } };
  return new Promise((resolve) => {
    execFile(process.execPath, [JITI, MAIN, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

describe('the example with a model', LONG, () => {
  it('tells its story with a stand-in, and shows the request that was sent', async () => {
    const { code, stdout } = await run(['--stand-in']);
    expect(stdout.slice(0, STORY.length)).toBe(STORY);
    expect(stdout).toContain('sent     as user:\n{"question":"How long are backups kept, and why?"');
    expect(code).toBe(0);
  });

  it('is shown in its README as it is', () => {
    const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
    expect(readme).toContain(STORY.replaceAll(/^(?=.)/gm, '    '));
  });

  it('asks the model that the environment names', async () => {
    const draft = { answer: 'For 30 days.', confidence: 90, citations: [2], suggested_next_actions: null };
    const complete = () => ({ content: JSON.stringify(draft) });
    const provider = await ProviderStandIn.start({ key: 'key-of-ada', model: 'small', complete });
    const named = { BOSUN_MODEL_URL: provider.url, BOSUN_MODEL_KEY: 'key-of-ada', BOSUN_MODEL: 'small' };
    const tries = [run([], named), run([], { ...named, BOSUN_MODEL_KEY: 'key-of-eve' })];
    const [right, wrong] = (await Promise.all(tries).finally(() => provider.stop())) as [Ended, Ended];
    expect(right.stdout).toContain(`model    small at ${provider.url}\n`);
    expect(right.stdout).toMatch(/^drafted {2}For 30 days\. \[docs\/adr\/0004\.md:12, \d+ %\]$/m);
    expect(wrong.stdout).toContain('answers 401: the key is refused');
    expect(wrong.stdout + wrong.stderr).not.toContain('key-of-eve');
    expect(provider.requests).toHaveLength(1);
  });

  it('names the settings that are missing', async () => {
    const { code, stdout, stderr } = await run([], { BOSUN_MODEL_URL: 'http://127.0.0.1:9/v1', BOSUN_MODEL: 'small' });
    expect(stderr).toContain('Not set: BOSUN_MODEL_KEY.');
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });
});
