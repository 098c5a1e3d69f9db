/**
 * Foreign text on a terminal: printed without characters that move the cursor, colour it, turn its direction, or begin
 * a line that looks like one of Bosun (F6).
 */
import { afterAll, describe, expect, it } from 'vitest';
import { control, painted, safe } from '../../src/cli/terminal.ts';
import { source } from '../support/cli/shop-config.ts';
import { type Call, type Ended, linesOf, Workspace } from '../support/cli/workspace.ts';
import { LONG } from '../support/effort.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

/** Clears the screen, sets a title, colours by C1, turns the writing, and goes on on a line of its own. */
const HOSTILE = 'evil\u001b[2J\u001b]0;mine\u0007\u009b31m\u202e\r\nforged line';
const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

function expectHarmless({ out, err }: Pick<Ended, 'out' | 'err'>): void {
  for (const said of [out, err]) {
    expect(said).not.toMatch(RAW);
    expect(said).not.toMatch(/^forged line/m);
  }
}

describe('a terminal', () => {
  it('receives control characters of the command line, and a visible form of those in foreign text', () => {
    let sent = '';
    const { write } = safe({ write: (text) => (sent += text) });
    write(`${control('[J')}${painted('bar', 31)} ${HOSTILE}\n`);
    expect(sent.startsWith('\u001b[J\u001b[31mbar\u001b[0m evil\\u001b[2J')).toBe(true);
    expect(sent.slice(sent.indexOf('evil'))).not.toMatch(RAW);
  });
});

describe('a system of hostile texts', () => {
  const text = JSON.stringify(HOSTILE);
  const config = () =>
    work.write(
      'bosun.config.ts',
      `
import { assign, emit, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from ${source('actors/api/define-agent.ts')};
import { reply } from ${source('actors/model/talk-actions.ts')};

const hostile = defineAgent({
  name: 'hostile',
  machine: setup({ types: {} as { events: { type: 'shout' | 'crash' | 'question' } } }).createMachine({
    initial: ${text},
    states: {
      ${text}: {
        on: {
          shout: { actions: emit({ type: ${text}, text: ${text} }) },
          question: { actions: reply(${text}) },
          crash: { actions: assign(() => { throw new Error(${text}); }) },
        },
      },
    },
  }),
  events: { shout: z.object({}), crash: z.object({}), question: z.object({}) },
});

export default {
  data: './shop',
  agents: [hostile],
  tree: { intensity: 100, children: [{ id: 'h', agent: 'hostile' }] },
  gateway: { port: 0 },
};
`,
    );
  const bosun = (...args: string[]) => work.bosun([...args, '--data', 'shop']);

  async function tailed(...topic: string[]): Promise<Call> {
    const call = work.start(['tail', ...topic, '--data', 'shop']);
    await call.says('listening');
    return call;
  }

  it('is shown by every verb without a control character that acts (F6)', LONG, async () => {
    config();
    const served = work.start(['serve', '--json']);
    await served.says('"serving"');
    const tails = [await tailed('**'), await tailed('--trace', 'h')];
    for (const type of ['shout', 'crash']) await bosun('send', 'h', type);
    expectHarmless(await bosun('ask', 'h', 'question'));
    for (const tail of tails) {
      await tail.says('evil');
      expectHarmless(await tail.interrupt());
    }
    await bosun('suspend', 'h', '--by', HOSTILE, '--reason', HOSTILE);
    const live = [['tree'], ['ps'], ['deadletters', 'list'], ['audit'], ['inspect', 'h', '--format', 'mermaid']];
    const verbs = [...live, ['send', 'h', HOSTILE], ['send', HOSTILE, 'shout']];
    for (const verb of verbs) expectHarmless(await bosun(...verb));
    expect((await bosun('audit')).out).toContain('\\u001b[2J');
    expectHarmless(await served.interrupt());
    for (const verb of live) expectHarmless(await bosun(...verb));
    const json = await bosun('audit', '--json');
    expectHarmless(json);
    expect(linesOf(json.out)[0]).toMatchObject({ by: HOSTILE, reason: HOSTILE });
  });

  it('is shown without control characters by a failed run, and by the desks after it (F6)', LONG, async () => {
    const run = `printf 'begins\\n${toOctal(`${HOSTILE}\u001b[2J\u009b31m\u202e`)}' >&2; exit 3`;
    work.write('plan.yaml', JSON.stringify({ version: 1, plan: 'hostile', tasks: [{ id: 'work', run }] }));
    for (const options of [[], ['--json']]) {
      const ended = await work.bosun(['run', 'plan.yaml', '--data', 'crew', ...options]);
      expectHarmless(ended);
      expect(ended.out + ended.err).toContain('forged line');
    }
    for (const desk of ['pauses', 'alerts', 'batches', 'gates', 'debates'])
      expectHarmless(await work.bosun([desk, 'list', '--data', 'crew']));
    expect((await work.bosun(['pauses', 'list', '--data', 'crew'])).out).toContain('forged line');
    expectHarmless(await work.bosun(['tree', '--data', 'crew']));
  });
});

/** As `printf` reads it. */
function toOctal(text: string): string {
  return [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
