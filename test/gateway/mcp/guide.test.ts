/** Resources, prompts, the guide, `/llms.txt` and the skill: what a coding agent reads about a system. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client } from '@modelcontextprotocol/client';
import { MethodTable } from '../../../src/gateway/calls/method-table.ts';
import { envelopeOf } from '../../../src/gateway/mcp/envelope.ts';
import { GUIDE, INSTRUCTIONS } from '../../../src/gateway/mcp/guide.ts';
import { createGateway, type Gateway } from '../../../src/gateway/network/server.ts';
import { answerProcedures } from '../../../src/crew-answers.ts';
import { crewProcedures } from '../../../src/crew-procedures.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { ERAS, overHttp } from '../../support/gateway/mcp-clients.ts';
import { shop } from '../../support/gateway/shop.ts';

const SKILL = readFileSync(join(import.meta.dirname, '../../../docs/skills/bosun/SKILL.md'), 'utf8');

let test: TestSystem;
let gateway: Gateway;
let url = '';

beforeAll(async () => {
  test = await startTestSystem(shop());
  gateway = createGateway(test.system, { port: 0, mcpRate: { perSecond: 1_000, perMinute: 1_000 } });
  ({ url } = await gateway.listen());
});
afterAll(async () => {
  await gateway.close();
  await test.system.stop();
});

describe.each(ERAS)('a client %s', (era) => {
  it('reads the guide, actors and charts as resources', async () => {
    const { client, close } = await overHttp(era, `${url}/mcp`);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['bosun://guide']);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'bosun://actor/{+address}',
      'bosun://chart/{+name}',
    ]);
    const read = async (uri: string) => {
      const { contents } = await (client as Client).readResource({ uri });
      return (contents[0] as { readonly text: string }).text;
    };
    expect(await read('bosun://guide')).toBe(GUIDE);
    expect(JSON.parse(await read('bosun://actor/back/visits'))).toMatchObject({
      address: 'back/visits',
      value: 'open',
    });
    expect(await read('bosun://actor/back%2Fvisits')).toContain('back/visits');
    expect(await read('bosun://chart/counter')).toMatch(/^stateDiagram-v2\n/);
    await expect(read('bosun://actor/nobody')).rejects.toThrow('BOSUN_ACTOR_UNKNOWN: no actor at nobody');
    await expect(read('bosun://moon')).rejects.toThrow('there is no resource "bosun://moon"');
    await expect(read('bosun://actor/%')).rejects.toThrow('percent-encoding');
    await close();
  });

  it('gets prompts, and is told the missing argument of a prompt', async () => {
    const { client, close } = await overHttp(era, `${url}/mcp`);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['explain-actor', 'bring-actor']);
    const prompt = (name: string, given: Record<string, string>) =>
      (client as Client).getPrompt({ name, arguments: given });
    const { messages } = await prompt('bring-actor', { address: 'visits', goal: 'closed' });
    expect(messages[0]!.content).toMatchObject({ text: expect.stringContaining('visits to this: closed') as string });
    await expect(prompt('bring-actor', { address: 'visits' })).rejects.toThrow('needs the argument goal');
    await expect(prompt('pirate', {})).rejects.toThrow('there is no prompt "pirate"');
    await close();
  });
});

describe('/llms.txt', () => {
  it('contains the guide and the addresses of the gateway, without a token', async () => {
    const response = await fetch(`${url}/llms.txt`);
    const text = await response.text();
    expect(response.headers.get('content-type')).toContain('text/markdown');
    expect(text.startsWith(GUIDE)).toBe(true);
    for (const [, path] of text.matchAll(/\]\((\/[^)]*)\)/g)) {
      const { status, body } = await fetch(url + path!);
      await body?.cancel();
      expect(status, path).not.toBe(404);
    }
  });
});

describe('the guide and the skill', () => {
  it('name only tools that exist, with fields that exist, and every tool of the runtime', () => {
    const tools = new Set(new MethodTable(crewProcedures).tools.map(({ tool }) => tool));
    const asking = new MethodTable(answerProcedures).tools.find(({ tool }) => tool === 'askQuestion')!.input;
    const { error } = envelopeOf({ code: 'BOSUN_INTERNAL', message: 'm', retryable: false }, { agent: 'mcp:a' });
    const known = [...tools, ...Object.keys(asking['properties'] as object), ...Object.keys(error)];
    for (const text of [GUIDE, INSTRUCTIONS, SKILL])
      for (const [name] of text.matchAll(/\b[a-z]+(_[a-z]+)+\b/g)) expect(known, name).toContain(name);
    const told = (name: string) => GUIDE.includes(`\`${name}\``);
    expect([...tools].filter((name) => !told(name)).sort()).toEqual(['answer_gate', 'replyToTicket', 'show_plan']);
  });

  it('begins with the fields that hosts read: a name, and a description of at most 1,024 characters', () => {
    const [, head] = /^---\n(.*?)\n---\n/s.exec(SKILL)!;
    expect(head).toMatch(/^name: bosun$/m);
    expect(/^description: (.*)$/m.exec(head!)![1]!.length).toBeLessThanOrEqual(1_024);
  });
});
