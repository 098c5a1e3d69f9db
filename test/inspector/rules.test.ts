/** The rules of the page that need no browser: visible rows, buttons, events to send, wording. */
import { describe, expect, it } from 'vitest';
import { sendableBy } from '../../src/inspector/actor/edges.ts';
import { ordersFor } from '../../src/inspector/actor/actor-orders.ts';
import { eventOf, fieldsOf } from '../../src/inspector/actor/schema-form.ts';
import { bytes, duration, errorText, stateText, timerText } from '../../src/inspector/format.ts';
import { actorHref, hrefOf, routeOf } from '../../src/inspector/route.ts';
import { isKept, badgeOf } from '../../src/inspector/tree/status-badge.ts';
import { CHILDREN_SHOWN, hitsOf, rowsOf, type TreeQuery } from '../../src/inspector/tree/tree-rows.ts';
import { letterTwin, orderTwin, sendTwin } from '../../src/inspector/twins.ts';
import { type TreeView } from '../../src/gateway/protocol/views.ts';
import { type JsonSchema } from '../../src/inspector/json-schema.ts';

const node = (address: string, changes: Partial<TreeView> = {}): TreeView => ({
  address,
  agent: 'counter',
  status: 'active',
  state: 'open',
  mailbox: 0,
  oldestMessageMs: null,
  restarts: 0,
  lastError: null,
  restartInMs: null,
  boss: null,
  children: [],
  ...changes,
});
const query = (changes: Partial<TreeQuery> = {}): TreeQuery => ({
  text: '',
  filter: undefined,
  folded: new Set(),
  unfolded: new Set(),
  more: new Map(),
  ...changes,
});
const addresses = (root: TreeView, changes: Partial<TreeQuery> = {}) =>
  rowsOf(root, query(changes)).map((row) => ('left' in row ? `+${row.left}` : row.node.address));

describe('rows of the tree', () => {
  const root = node('root', {
    children: [
      node('stages', {
        children: [node('stages/AAPL'), node('stages/MSFT', { agent: 'sleeper', status: 'suspended' })],
      }),
      node('ledger', { mailbox: 2 }),
    ],
  });

  it('list every actor, with its address relative to its parent', () => {
    expect(rowsOf(root, query()).map((row) => ('left' in row ? '' : `${row.depth} ${row.name} ${row.fold}`))).toEqual([
      '0 root open',
      '1 stages open',
      '2 AAPL none',
      '2 MSFT none',
      '1 ledger none',
    ]);
  });

  it('leave out actors below a folded one', () => {
    expect(addresses(root, { folded: new Set(['stages']) })).toEqual(['root', 'stages', 'ledger']);
  });

  it('show actors that match in address, agent or state, with their ancestors', () => {
    expect(addresses(root, { text: 'aapl' })).toEqual(['root', 'stages', 'stages/AAPL']);
    expect(addresses(root, { text: 'sleep' })).toEqual(['root', 'stages', 'stages/MSFT']);
    expect(addresses(root, { text: 'nobody' })).toEqual(['root']);
    expect(hitsOf(root, 'AAPL')).toEqual(['stages/AAPL']);
  });

  it('show actors that pass a filter, with their ancestors', () => {
    expect(addresses(root, { filter: 'suspended' })).toEqual(['root', 'stages', 'stages/MSFT']);
    expect(addresses(root, { filter: 'waiting' })).toEqual(['root', 'ledger']);
  });

  it(`begin folded above ${CHILDREN_SHOWN} children, and unfold ${CHILDREN_SHOWN} at a time`, () => {
    const large = (count: number) =>
      node('root', {
        children: [node('many', { children: Array.from({ length: count }, (_, n) => node(`many/${n}`)) })],
      });
    expect(addresses(large(CHILDREN_SHOWN))).toHaveLength(CHILDREN_SHOWN + 2);
    expect(addresses(large(CHILDREN_SHOWN + 1))).toEqual(['root', 'many']);
    const unfolded = new Set(['many']);
    expect(addresses(large(CHILDREN_SHOWN + 5), { unfolded }).slice(-2)).toEqual([`many/${CHILDREN_SHOWN - 1}`, '+5']);
    expect(
      addresses(large(CHILDREN_SHOWN + 5), { unfolded, more: new Map([['many', 2 * CHILDREN_SHOWN]]) }),
    ).toHaveLength(CHILDREN_SHOWN + 7);
  });

  it('leave out hidden actors, but show the actors below them', () => {
    const hidden = { address: 'root', hidden: true, children: [node('visits')] } as unknown as TreeView;
    expect(addresses(hidden)).toEqual(['root', 'visits']);
    expect(hitsOf(hidden, 'root')).toEqual([]);
  });
});

describe('the status of an actor', () => {
  it('has a different word and sign for each status', () => {
    const all = (['active', 'done', 'error', 'stopped', 'suspended'] as const).map((status) =>
      badgeOf({ status, restartInMs: null }),
    );
    const restarting = badgeOf({ status: 'error', restartInMs: 10 });
    for (const part of ['word', 'sign'] as const)
      expect(new Set([...all, restarting].map((one) => one[part])).size).toBe(6);
  });

  it('counts as failed after an error, unless the actor is suspended', () => {
    const lastError = { message: 'cannot' };
    expect([
      isKept(node('a', { lastError }), 'failed'),
      isKept(node('a', { lastError, status: 'suspended' }), 'failed'),
      isKept(node('a'), 'failed'),
    ]).toEqual([true, false, false]);
  });
});

describe('a form', () => {
  const schema: JsonSchema = {
    properties: {
      type: { const: 'pay' },
      amount: { type: 'integer', minimum: 1, maximum: 9, description: 'In euros.' },
      by: { enum: ['card', 'cash'] },
      note: { type: 'string', maxLength: 40 },
      gift: { type: 'boolean', default: false },
      lines: { type: 'array' },
    },
    required: ['amount', 'by'],
  };
  const fields = fieldsOf(schema);

  it('has a field for each property but the type', () => {
    expect(fields.map(({ name, kind, isRequired, initial, hint }) => [name, kind, isRequired, initial, hint])).toEqual([
      ['amount', 'integer', true, '', '1 to 9'],
      ['by', 'choice', true, '', ''],
      ['note', 'text', false, '', 'at most 40 characters'],
      ['gift', 'boolean', false, 'false', ''],
      ['lines', 'json', false, '', ''],
    ]);
    expect(fieldsOf({})).toEqual([]);
  });

  it('makes an event of the input, without the empty fields', () => {
    expect(eventOf('pay', fields, { amount: '3', by: 'cash', note: '', gift: 'true', lines: '[{"sku": 1}]' })).toEqual({
      event: { type: 'pay', amount: 3, by: 'cash', gift: true, lines: [{ sku: 1 }] },
      problems: {},
    });
  });

  it('names missing fields and invalid input', () => {
    expect(eventOf('pay', fields, { amount: '3.5', by: '', lines: '[' }).problems).toEqual({
      amount: 'is not a whole number',
      by: 'is needed',
      lines: 'is not JSON',
    });
    expect(eventOf('pay', fields, { amount: ' ', by: 'card' }).problems).toEqual({ amount: 'is not a whole number' });
  });

  it('takes all fields as JSON if no schema is known', () => {
    const any = fieldsOf(undefined);
    expect([eventOf('add', any, {}), eventOf('add', any, { fields: '{"by": 1, "type": "other"}' })]).toEqual([
      { event: { type: 'add' }, problems: {} },
      { event: { type: 'add', by: 1 }, problems: {} },
    ]);
    expect(['[1]', 'null', '{'].map((fields) => eventOf('add', any, { fields }).problems)).toEqual([
      { fields: 'is not a JSON object' },
      { fields: 'is not a JSON object' },
      { fields: 'is not JSON' },
    ]);
  });

  it('sends empty text for a required text, since it may be intended', () => {
    expect(eventOf('say', fieldsOf({ properties: { text: { type: 'string' } }, required: ['text'] }), {})).toEqual({
      event: { type: 'say', text: '' },
      problems: {},
    });
  });
});

describe('an edge', () => {
  const now = { active: new Set(['m', 'm.idle']), sendable: ['media.play', 'stop'] };
  const edge = (source: string, event: string) => ({ kind: 'event', source, event }) as const;

  it('can be pressed if its state is active and its event is accepted', () => {
    expect([
      sendableBy(edge('m.idle', 'stop'), now),
      sendableBy(edge('m.busy', 'stop'), now),
      sendableBy(edge('m.idle', 'go'), now),
    ]).toEqual(['stop', undefined, undefined]);
    expect(sendableBy({ kind: 'after', source: 'm.idle', event: 'stop' }, now)).toBe(undefined);
  });

  it('sends the first matching event if it has a pattern', () => {
    expect(['media.*', '*', 'med.*', 'stop.*'].map((event) => sendableBy(edge('m', event), now))).toEqual([
      'media.play',
      'media.play',
      undefined,
      'stop',
    ]);
  });
});

describe('orders', () => {
  const ada = { id: 'ada', addresses: ['**'], scopes: ['actor:read', 'actor:admin'], mayDestroy: true };
  const names = (view: Parameters<typeof ordersFor>[0], principal = ada, restarts: number | null = 0) =>
    ordersFor(view, { restarts }, principal).open.map(({ name }) => name);
  const at = (status: 'active' | 'suspended' | 'done') => ({ address: 'visits', status });

  it('depend on the status and kind of the actor', () => {
    expect([names(at('active')), names(at('suspended')), names(at('done')), names(at('active'), ada, null)]).toEqual([
      ['suspend', 'restart', 'stop', 'kill'],
      ['resume', 'step', 'restart', 'stop', 'kill'],
      ['restart', 'stop', 'kill'],
      ['suspend', 'kill'],
    ]);
    expect(names({ address: 'root', status: 'active' })).toEqual([]);
  });

  it('leave out destructive orders for callers without the right, with the reason', () => {
    expect(ordersFor(at('active'), { restarts: 0 }, { ...ada, mayDestroy: false })).toMatchObject({
      open: [{ name: 'suspend' }],
      withheld: expect.stringContaining('disabled') as string,
    });
    expect(
      ordersFor(at('active'), { restarts: 0 }, { ...ada, addresses: ['**'], scopes: ['actor:read'] }),
    ).toMatchObject({
      open: [],
      withheld: expect.stringContaining('actor:admin') as string,
    });
    expect(ordersFor(at('active'), { restarts: 0 }, undefined)).toEqual({ open: [], withheld: undefined });
  });
});

describe('a shell command for a click', () => {
  const door = { url: 'http://127.0.0.1:4180', isGuarded: false };

  it('is quoted for a shell, whatever characters it contains', () => {
    expect(sendTwin(door, 'a b', { type: 'say', text: "it's $HOME" })).toEqual({
      bosun: `bosun send 'a b' say '{"text":"it'\\''s $HOME"}'`,
      curl:
        `curl -X POST http://127.0.0.1:4180/v1/actors/a%20b/send -H 'Content-Type: application/json' -d ` +
        `'{"event":{"type":"say","text":"it'\\''s $HOME"}}'`,
    });
  });

  it('names the URL of a gateway elsewhere or under a path', () => {
    for (const url of ['https://127.0.0.1:8443/team/agents', 'https://agents.example'])
      for (const { bosun } of [
        sendTwin({ ...door, url }, 'visits', { type: 'add' }),
        orderTwin({ ...door, url }, 'visits', 'kill', ''),
        letterTwin({ ...door, url }, { order: 'discard', number: 3, event: undefined, reason: '' }),
      ])
        expect(bosun).toMatch(new RegExp(` --url ${url}$`));
  });

  it('names the variable that holds the token, never the token', () => {
    expect(orderTwin({ ...door, isGuarded: true }, 'visits', 'kill', '').curl).toContain(
      '-H "Authorization: Bearer $BOSUN_TOKEN"',
    );
  });

  it('is only a curl command if the command line has no such verb', () => {
    expect(orderTwin(door, 'visits', 'step', 'a look')).toEqual({
      bosun: undefined,
      curl:
        `curl -X POST http://127.0.0.1:4180/v1/actors/visits/step -H 'Content-Type: application/json' -d ` +
        `'{"reason":"a look"}'`,
    });
    expect(letterTwin(door, { order: 'redeliver', number: 3, event: { type: 'add' }, reason: '' }).bosun).toBe(
      undefined,
    );
    expect(letterTwin(door, { order: 'discard', number: 3, event: undefined, reason: 'spam' }).bosun).toBe(
      'bosun deadletters discard 3 --reason spam',
    );
  });
});

describe('the fragment of a URL', () => {
  it('is read as a view, and written for a view', () => {
    expect(routeOf('')).toEqual({ view: 'tree', rest: '', query: {} });
    for (const address of ['visits', 'stages/AAPL/valuation', 'stage:x@1+2', 'a b/c?d#e', 'ü%'])
      expect(routeOf(actorHref(address))).toMatchObject({ view: 'actor', rest: address });
    expect(routeOf(hrefOf('tree', '', { q: 'a&b', only: '' }))).toEqual({
      view: 'tree',
      rest: '',
      query: { q: 'a&b' },
    });
    expect(routeOf('#/actor/%zz').rest).toBe('%zz');
  });
});

describe('wording', () => {
  it('shows durations, sizes, states, timers and errors as text', () => {
    expect([0, 999, 1_000, 59_400, 60_000, 200_000, 3_600_000, 90_000_000, -5].map(duration)).toEqual([
      '0 ms',
      '999 ms',
      '1 s',
      '59 s',
      '1 min',
      '3 min 20 s',
      '1 h',
      '1 d 1 h',
      '0 ms',
    ]);
    expect([0, 999, 1_500, 48_213, 3_100_000, 2.5e9].map(bytes)).toEqual([
      '0 B',
      '999 B',
      '1.5 kB',
      '48 kB',
      '3.1 MB',
      '2.5 GB',
    ]);
    expect([
      stateText('open'),
      stateText({ desk: { busy: 'lit' }, lamp: 'on' }),
      stateText({}),
      stateText(null),
    ]).toEqual(['open', 'desk.busy.lit \u00b7 lamp.on', '', '']);
    expect(['xstate.after.500.m.idle', 'xstate.after.PATIENCE.order.open', 'remind'].map(timerText)).toEqual([
      'after 500 ms in m.idle',
      'after PATIENCE in order.open',
      'remind',
    ]);
    expect([errorText({ message: 'cannot' }), errorText('no'), errorText({ a: 1 })]).toEqual([
      'cannot',
      'no',
      '{"a":1}',
    ]);
  });
});
