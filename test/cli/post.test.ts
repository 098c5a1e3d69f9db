/** `bosun post`: envelopes of the seed from a file, through the gateway of a running crew and left in a stopped one. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { storyOf, Workspace } from '../support/cli/workspace.ts';

let work: Workspace;
beforeEach(() => void (work = new Workspace()));
afterEach(() => work[Symbol.asyncDispose]());

function envelope(message_type: string, content: object, message_id: string): object {
  const rest = { priority: 'high', timestamp: '2026-01-01T14:47:00Z', requires_response: true, message_id };
  return { from_agent: 'desk-7', to_agent: null, message_type, content, ...rest };
}

const PLAN = '{ version: 1, plan: p, agents: ./agents.mjs, stages: { fetch: { agent: fetch } }, items: [A] }';
const RESUME = envelope('RESUME_COMMAND', { stock_id: 'A', resume_plan: null, notify: true }, 'm-1');

it('CA-080, CA-082: bosun post has a running crew pause an item, and recognizes a repeated message', async () => {
  work.write(
    'agents.mjs',
    'export const fetch = (_, { signal }) => new Promise((_, stop) => (signal.onabort = stop));',
  );
  work.write('plan.yaml', PLAN);
  const pause = { stock_id: 'A', reason: 'looks odd', checkpoint_id: null, trigger_source: 'MANUAL' };
  work.write('pause.json', JSON.stringify(envelope('PAUSE_REQUEST', pause, 'm-0')));
  const serving = work.start(['serve', 'plan.yaml', '--port', '0']);
  await serving.serves();
  await serving.says('"event":"task.started"');
  expect(await work.bosun(['post', 'pause.json'])).toMatchObject({ code: 0, out: 'PAUSE_REQUEST m-0 is accepted\n' });
  // An accepted message is passed on: the item gets its PauseManager some turns later.
  await work.looks(['pauses', 'show', 'A'], ({ out }) =>
    /^reason {3}looks odd\ntrigger {2}MANUAL, by desk-7$/m.test(out),
  );
  expect(await work.bosun(['post', 'pause.json'])).toMatchObject({
    code: 0,
    out: 'PAUSE_REQUEST m-0 was accepted before\n',
  });
});

it('CA-082, CN-003: bosun post leaves messages in a stopped store, of which each takes effect once', async () => {
  work.write(
    'agents.mjs',
    `let runs = 0;
    export async function fetch() {
      if (runs++ === 0) throw Object.assign(new Error('gone'), { errorType: 'data_quality' });
      return 'figures';
    }`,
  );
  work.write('plan.yaml', PLAN);
  expect((await work.run('plan.yaml')).code).toBe(3);
  work.write('resume.json', JSON.stringify([RESUME, RESUME]));
  expect(await work.bosun(['post', 'resume.json'])).toMatchObject({
    code: 0,
    out: 'RESUME_COMMAND m-1 is read at the next start\n'.repeat(2),
  });
  const { code, lines } = await work.run('plan.yaml');
  expect([code, storyOf(lines).filter((line) => line === 'item.resumed A')]).toEqual([0, ['item.resumed A']]);
});

it('CA-087: bosun post refuses an invalid message with its field, and a file without messages', async () => {
  work.write('agents.mjs', 'export async function fetch() { return {}; }');
  work.write('plan.yaml', PLAN);
  await work.run('plan.yaml');
  work.write('odd.json', JSON.stringify({ ...RESUME, content: { stock_id: 'A', resume_plan: 'all', notify: true } }));
  work.write('none.json', '{');
  const odd = await work.bosun(['post', 'odd.json']);
  expect([odd.code, odd.err]).toEqual([1, expect.stringContaining('envelope.content.resume_plan: Invalid input')]);
  const none = await work.bosun(['post', 'none.json']);
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('none.json holds no envelopes: ')]);
});
