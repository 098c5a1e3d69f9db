/** Alerts over a signed webhook: what is posted, when, and that a library of the standard verifies it. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crewOf, webhook, type WebhookOptions } from '../src/crew.ts';
import { startTestSystem, type TestSystem } from '../src/testing/test-system.ts';
import { until } from './support/until.ts';

const MINUTE_MS = 60_000;
const SECRET = `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`;

interface Posted {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly message: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}

let server: Server;
let url: string;
let posted: Posted[];
let status: number;
let test: TestSystem;

beforeEach(async () => {
  posted = [];
  status = 204;
  server = createServer((request, response) => {
    void text(request).then((body) => {
      if (status < 300) posted.push({ headers: request.headers, body, message: JSON.parse(body) as never });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
afterEach(async () => {
  await test?.system.stop();
  server.closeAllConnections();
  server.close();
});

async function start(options: Partial<WebhookOptions> = {}): Promise<void> {
  const plan = { version: 1 as const, plan: 'none', tasks: [{ id: 'idle', agent: 'idle' }] };
  const deliver = webhook({ url, secret: SECRET, ...options });
  const times = { remindAfterMs: { 1: [5 * MINUTE_MS], 2: [], 3: [] } };
  test = await startTestSystem(
    crewOf(plan, { idle: () => Promise.resolve() }, { ports: { deliver }, tickets: { times } }),
  );
}

async function order(verb: string, more: object): Promise<void> {
  await test.system.ask('tickets', { type: `tickets.${verb}`, ticket: 'TK-0001', by: 'ada', ...more });
  await test.settle();
}

const open = () => order('open', { kind: 'ai_to_human', title: 'Zod or Joi?', creator: 'coder', priority: 1 });
const kinds = () => posted.map(({ message }) => message.type);
/** Waits until the webhook has been called so often, which takes real time. */
const calls = async (count: number) => {
  await until(
    () => posted.length >= count,
    () => `${count} messages, not ${kinds().join(', ')}`,
  );
  await test.settle();
};

describe('a webhook', () => {
  it('is told when a ticket opens, reminds, escalates and is resolved', async () => {
    await start();
    await open();
    await calls(1);
    await test.advance(5 * MINUTE_MS);
    await calls(2);
    await order('escalate', { reason: 'nobody here knows' });
    await calls(3);
    await order('resolve', { text: 'Zod', reason: 'decided' });
    await calls(4);
    expect(kinds()).toEqual(['ticket.waiting', 'ticket.waiting', 'ticket.escalated', 'ticket.resolved']);
    expect(new Set(posted.map(({ headers }) => headers['webhook-id'])).size).toBe(4);
  });

  it('signs its messages so that a library of the standard verifies them, and no changed one', async () => {
    await start();
    await open();
    await calls(1);
    const [{ body, headers }] = posted as [Posted];
    // The library compares the time of the message with that of this machine.
    const verify = (text: string) => new Webhook(SECRET).verify(text, headers as Record<string, string>);
    expect(verify(body)).toMatchObject({ type: 'ticket.waiting' });
    expect(() => verify(body.replace('Zod', 'Joi'))).toThrow('No matching signature found');
  });

  it('tells the title and a link alone, and the text only where it is asked to', async () => {
    await start({ page: 'https://bosun.example/' });
    await open();
    await calls(1);
    expect(posted[0]!.message.data).toMatchObject({
      ...{ subject: 'ticket TK-0001', ticket: 'TK-0001', title: 'TK-0001: Zod or Joi?', priority: 'HIGH' },
      link: 'https://bosun.example/#/tickets/TK-0001',
    });
    expect(posted[0]!.message.data).not.toHaveProperty('text');
    await test.system.stop();
    posted = [];
    await start({ hasText: true });
    await open();
    await calls(1);
    expect(posted[0]!.message.data).toMatchObject({ detail: 'Waiting for an answer.' });
  });

  it('posts only the kinds that are asked for', async () => {
    await start({ kinds: ['ticket.resolved', 'gate.'] });
    await open();
    await order('resolve', { text: 'Zod', reason: 'decided' });
    await calls(1);
    expect(kinds()).toEqual(['ticket.resolved']);
  });

  it('is called again after half an hour if it does not take the message', async () => {
    await start();
    status = 503;
    await open();
    const alert = async () => {
      const { alerts } = await test.system.ask<{ alerts: { problem: string | null }[] }>('alerts', {
        type: 'alert.list',
      });
      return alerts[0]!.problem;
    };
    await until(
      async () => (await alert()) !== null,
      () => 'the problem of the delivery',
    );
    expect(await alert()).toBe(`not delivered: ${new URL(url).host} answered 503`);
    status = 200;
    await test.advance(30 * MINUTE_MS);
    await calls(1);
    expect(kinds()).toContain('ticket.waiting');
  });

  it.each<[Partial<WebhookOptions>, string]>([
    [{ url: 'ftp://example.com' }, 'must be a URL of http or https'],
    [{ secret: 'short' }, 'must have at least 24 characters'],
    [{ kinds: [] }, 'kinds'],
    [{ path: '/x' } as never, 'path'],
  ])('is refused with %j', (options, problem) => {
    expect(() => webhook({ url, secret: SECRET, ...options })).toThrow(problem);
  });
});
