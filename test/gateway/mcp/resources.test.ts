/** Resources and prompts of a host's procedures: what is read by which URI, by whom, and where they are listed. */
import { type Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type McpMark, procedure } from '../../../src/actors/api/procedure.ts';
import { MethodTable } from '../../../src/gateway/calls/method-table.ts';
import { deskByMcp } from '../../support/gateway/desk-by-mcp.ts';
import { ERAS, type McpClient, toldBy } from '../../support/gateway/mcp-clients.ts';

const CURRENCY = 'Which currency do customers pay in?';

async function read({ client }: McpClient, uri: string): Promise<Record<string, unknown>> {
  const { contents } = await (client as Client).readResource({ uri });
  const [content] = contents as { readonly uri: string; readonly mimeType: string; readonly text: string }[];
  expect(content).toMatchObject({ uri, mimeType: 'application/json' });
  return JSON.parse(content!.text) as Record<string, unknown>;
}

async function listed({ client }: McpClient) {
  const { resourceTemplates } = await client.listResourceTemplates();
  const { prompts } = await client.listPrompts();
  return {
    resources: resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    prompts: prompts.map(({ name }) => name),
  };
}

describe.each(ERAS)('a client %s', (era) => {
  it('reads a question with its answer, and a ticket, by their ids', async () => {
    const { client, answered } = await deskByMcp();
    const agent = await client(era);
    await answered(agent.call('askQuestion', { question: CURRENCY, task_id: 'TASK-7' }));
    const { answer } = await answered(read(agent, 'answer://Q-1'));
    expect(answer).toMatchObject({
      question: { id: 'Q-1', text: CURRENCY, asker: 'mcp:coder' },
      users: [{ task: 'TASK-7' }],
      earlier: [],
    });
    const ticket = await read(agent, 'ticket://TK-0001');
    expect(ticket).toEqual(toldBy(await agent.call('getTicket', { ticket: 'TK-0001' })));
    expect(ticket).toMatchObject({ ticket: { id: 'TK-0001', status: 'open' }, question: { task: 'TASK-7' } });
  });

  it('is told that there is no such question, ticket or address', async () => {
    const { client, answered } = await deskByMcp();
    const agent = await client(era);
    const told = async (uri: string) => {
      const { answer } = await answered(
        read(agent, uri).then(
          () => 'read',
          (error: Error) => error.message,
        ),
      );
      return answer;
    };
    expect(await told('answer://Q-9')).toContain('there is no answer Q-9');
    expect(await told('ticket://TK-0009')).toContain('there is no ticket TK-0009');
    expect(await told('ticket://')).toContain('there is no resource "ticket://"');
    expect(await told('answer://nonsense')).toContain('BOSUN_EVENT_INVALID');
  });
});

describe('resources and prompts', () => {
  it('are listed where the system has their procedures, for callers with the scope', async () => {
    const { client } = await deskByMcp();
    const own = ['bosun://actor/{+address}', 'bosun://chart/{+name}'];
    expect(await listed(await client('of 2026'))).toEqual({
      resources: [...own, 'ticket://{ticket}', 'answer://{question_id}'],
      prompts: ['explain-actor', 'bring-actor', 'answer-a-ticket', 'when-to-ask'],
    });
    expect(await listed(await client('of 2026', 'reader'))).toEqual({
      resources: [...own, 'ticket://{ticket}'],
      prompts: ['explain-actor', 'answer-a-ticket'],
    });
  });

  it('have a prompt by which a person answers a ticket: the agent drafts, the person replies', async () => {
    const { client } = await deskByMcp();
    const ada = (await client('of 2026', 'phone')).client as Client;
    const { messages } = await ada.getPrompt({ name: 'answer-a-ticket', arguments: { ticket: 'TK-0001' } });
    const { text } = messages[0]!.content as { readonly text: string };
    for (const part of ['ticket://TK-0001', 'draft a reply', 'Do not send it', 'bosun tickets reply TK-0001'])
      expect(text).toContain(part);
    await expect(ada.getPrompt({ name: 'answer-a-ticket' })).rejects.toThrow('needs the argument ticket');
  });

  it.each<[string, McpMark, object, string]>([
    ['no parameter', markOf('x://all'), {}, 'write a URI that ends in its parameter'],
    ['a parameter in the middle', markOf('x://{id}/all'), {}, 'write a URI that ends in its parameter'],
    ['a parameter of others', markOf('x://{name}'), {}, 'and has no parameter name'],
    ['the URI of another one', markOf('bosun://actor/{id}'), {}, 'and so does another one'],
    ['a URI within that of another one', markOf('bosun://actor/my/{id}'), {}, 'and so does another one'],
    ['a change', markOf('x://{id}'), { does: 'changes' }, 'and changes something'],
    ['a bad name of a prompt', { ...markOf('x://{id}'), prompts: [promptOf('Two words')] }, {}, 'lower-case letters'],
    [
      'the prompt of another one',
      { ...markOf('x://{id}'), prompts: [promptOf('bring-actor')] },
      {},
      'and so has another',
    ],
    [
      'an unused argument',
      { ...markOf('x://{id}'), prompts: [{ ...promptOf('p'), arguments: [{ name: 'id', description: 'The id.' }] }] },
      {},
      'whose text has no {id}',
    ],
  ])('are refused with %s when the gateway is made', (_, mcp, more, problem) => {
    const row = procedure({
      means: 'Reads.',
      params: z.object({ id: z.string() }),
      result: z.object({}),
      example: { p: { id: 'a' }, r: {} },
      does: 'nothing',
      ...more,
      mcp,
      port: () => ({}),
    });
    expect(() => new MethodTable({ 'a.b': row })).toThrow(problem);
  });
});

function markOf(uri: string): McpMark {
  return { resource: { uri, name: 'x', description: 'An x.' } };
}

function promptOf(name: string) {
  return { name, description: 'A prompt.', text: 'Do it.' };
}
