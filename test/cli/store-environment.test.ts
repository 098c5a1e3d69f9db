/**
 * Settings of a start that are in no file: the keys of the store from the environment, and the option that trusts the
 * wall clock.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { Shard } from '../../src/shard.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { drawnBytes } from '../support/chance.ts';
import { type Call, linesOf, Workspace } from '../support/cli/workspace.ts';
import { LONG } from '../support/effort.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

const KEYS = { BOSUN_SECRET_KEY: drawnBytes(32, 'the key of a store').toString('base64') };
const source = (path: string) => JSON.stringify(fileURLToPath(new URL(`../../src/${path}`, import.meta.url)));

async function serve(config: string, env: Readonly<Record<string, string>> = {}, ...flags: string[]): Promise<Call> {
  return work.start(['serve', '--config', config, '--json', ...flags], env).serves();
}

describe('BOSUN_SECRET_KEY', () => {
  it('encrypts and decrypts secrets for `serve` and for verbs on a stopped store', LONG, async () => {
    work.write(
      'vault.ts',
      `
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from ${source('actors/api/define-agent.ts')};
import { secret } from ${source('actors/model/secret.ts')};
const burst = assign(() => { throw new Error('poison'); });
const machine = setup({}).createMachine({ on: { keep: { actions: () => {} }, burst: { actions: burst } } });
const event = z.object({ pin: secret(z.string()) });
export const vault = defineAgent({ name: 'vault', machine, events: { keep: event, burst: event } });
export default {
  data: './vault',
  agents: [vault],
  tree: { intensity: 100, children: [{ id: 'v', agent: 'vault' }] },
  gateway: { port: 0 },
};
`,
    );
    const call = await serve('vault.ts', KEYS);
    const on = ['--data', 'vault'];
    expect(await work.bosun(['send', 'v', 'burst', '{"pin": "swordfish"}', ...on])).toMatchObject({ code: 0 });
    await work.looks(['deadletters', 'list', '--json', ...on], ({ out }) => out !== '');
    await call.interrupt();
    const files = readdirSync(work.file('vault/store')).map((name) =>
      readFileSync(join(work.file('vault/store'), name), 'latin1'),
    );
    expect(files.some((text) => text.includes('swordfish'))).toBe(false);
    // The number of the letter is that of the first one.
    expect(await work.bosun(['deadletters', 'redeliver', '1', ...on])).toMatchObject({
      code: 1,
      err: expect.stringContaining('BOSUN_SECRET_KEY') as string,
    });
    expect((await work.bosun(['deadletters', 'list', '--json', ...on], KEYS)).out).toContain('swordfish');
    const locked = await serve('vault.ts');
    expect(locked.err).toContain('bosun serves vault.ts');
    expect((await work.bosun(['ps', ...on])).out).toMatch(/\nv +vault +suspended /);
    await locked.interrupt();
    const open = await serve('vault.ts', KEYS);
    expect((await work.bosun(['ps', ...on])).out).toMatch(/\nv +vault +active /);
    await open.interrupt();
  });

  it('is not passed on to the commands of a plan', async () => {
    work.write('plan.yaml', '{ version: 1, plan: p, tasks: [{ id: a, run: "env > seen.txt" }] }');
    expect(
      await work.bosun(['run', 'plan.yaml', '--data', 'plan'], {
        ...KEYS,
        BOSUN_SECRET_KEY_PREVIOUS: drawnBytes(32, 'the key before').toString('hex'),
        OTHER: 'handed on',
      }),
    ).toMatchObject({ code: 0 });
    expect(work.read('seen.txt')).toContain('OTHER=handed on');
    expect(work.read('seen.txt')).not.toContain('BOSUN_SECRET');
  });

  it('is refused if it is not valid, without being quoted', async () => {
    const call = await serve('vault.ts', { BOSUN_SECRET_KEY: 'swordfish' });
    expect(await call.ended).toMatchObject({ code: 2, err: expect.not.stringContaining('swordfish') as string });
  });
});

describe('--trust-wall-clock', () => {
  it('starts a store whose last epoch is years old, as the refusal recommends', async () => {
    const clock = new VirtualClock();
    clock.setWall(Date.UTC(2020, 0, 1));
    const old = await new Shard({
      agents: [],
      store: levelStore(work.file('old/store')),
      clock,
      scrub: false,
    }).start();
    await old.stop();
    work.write('old.yaml', 'data: ./old\ngateway: { port: 0 }\n');
    const refused = await (await serve('old.yaml')).ended;
    const [{ message, code }] = linesOf(refused.err) as unknown as [{ message: string; code: string }];
    expect({
      exit: refused.code,
      code,
      isHinted: message.includes('--trust-wall-clock of bosun run and serve'),
    }).toEqual({
      exit: 1,
      code: 'BOSUN_CLOCK_SUSPECT',
      isHinted: true,
    });
    const trusted = await serve('old.yaml', {}, '--trust-wall-clock');
    expect(trusted.out).toContain('"serving"');
    await trusted.interrupt();
    // From then on the clock is near the last epoch.
    const again = await serve('old.yaml');
    expect(again.out).toContain('"serving"');
    await again.interrupt();
  });
});
