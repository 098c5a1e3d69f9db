/** The procedures that read tickets, through a gateway. */
import { afterEach, describe, expect, it } from 'vitest';
import { ticketProcedures } from '../../../../src/crew-tickets.ts';
import { createGateway } from '../../../../src/gateway/network/server.ts';
import { DAY_MS, ticketRoom, type TicketRoom } from '../../../support/machines/ticket-room.ts';

let room: TicketRoom | undefined;
let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  await room?.test.system.stop();
});

interface Page {
  readonly tickets: readonly { readonly id: string }[];
  readonly next: string | null;
}

async function start(): Promise<(path: string) => Promise<unknown>> {
  room = await ticketRoom({ isAlone: true });
  const gateway = createGateway(room.test.system, { port: 0, procedures: ticketProcedures });
  const { url } = await gateway.listen();
  close = () => gateway.close();
  return async (path) => (await fetch(`${url}/v1/tickets${path}`)).json();
}

describe('tickets.page', () => {
  it('reads tickets of one status, page after page, in the order of arrival', async () => {
    const get = await start();
    for (let n = 0; n < 5; n++) await room!.open();
    await room!.order('resolve', 'TK-0002', { text: 'Zod', reason: 'decided' });
    const pages: string[][] = [];
    for (let next: string | null = ''; next !== null; ) {
      const page: Page = (await get(`?limit=2${next === '' ? '' : `&after=${encodeURIComponent(next)}`}`)) as Page;
      pages.push(page.tickets.map(({ id }) => id));
      ({ next } = page);
    }
    expect(pages.flat()).toEqual(['TK-0001', 'TK-0003', 'TK-0004', 'TK-0005']);
    expect(((await get('?status=resolved')) as Page).tickets.map(({ id }) => id)).toEqual(['TK-0002']);
    expect(await get('?status=archived')).toEqual({ tickets: [], next: null });
  });

  it('leaves out tickets that the person may not answer', async () => {
    const get = await start();
    for (const audience of [['ada'], ['bob'], ['ada'], ['*']]) await room!.open({ audience });
    const first = (await get('?audience=ada&limit=2')) as Page;
    expect(first.tickets.map(({ id }) => id)).toEqual(['TK-0001', 'TK-0003']);
    const after = encodeURIComponent(first.next!);
    expect(await get(`?audience=ada&limit=2&after=${after}`)).toMatchObject({
      tickets: [{ id: 'TK-0004' }],
      next: null,
    });
  });
});

describe('tickets.get', () => {
  it('reads a ticket with its thread, an archived one by its row, an unknown one as null', async () => {
    const get = await start();
    await room!.open({ options: ['Zod', 'Joi'] });
    await room!.reply('TK-0001', 'Zod, for all of it');
    expect(await get('/TK-0001')).toMatchObject({
      ticket: { id: 'TK-0001', status: 'in_review' },
      question: { options: ['Zod', 'Joi'] },
      thread: [{ by: 'ada', text: 'Zod, for all of it' }],
    });
    await room!.test.advance(31 * DAY_MS);
    expect(await get('/TK-0001')).toMatchObject({ ticket: { status: 'archived' }, question: null, thread: [] });
    expect(await get('/TK-0009')).toEqual({ ticket: null, question: null, thread: [] });
  });
});
