/** Windows in the page: pages that are topics of their own, each beginning where the one before it ends. */
import { signal } from '@preact/signals';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gateProcedures } from '../../src/crew-gates.ts';
import { type WindowPage } from '../../src/gateway/protocol/window-page.ts';
import { inboxOf } from '../../src/inspector/desks/inbox.ts';
import { type GateRow } from '../../src/inspector/desks/desk-shapes.ts';
import { WindowPages, windowRows } from '../../src/inspector/window-pages.ts';
import { DESKS } from '../../src/machines/desks.ts';
import { gateAgents, gateChildren } from '../../src/machines/people/gates/gate-desk.ts';
import { startTestSystem } from '../../src/testing/test-system.ts';
import { LONG } from '../support/effort.ts';
import { GatewayTest } from '../support/gateway/memory-client.ts';

const LIMIT = 3;
const keyOf = (n: number) => String(n).padStart(3, '0');

interface Shared {
  readonly after: string | undefined;
  readonly live: ReturnType<typeof liveOf>;
  users: number;
}

/** A window of some keys, whose topics are loaded when they are told to be. */
class FakeWindow {
  keys: readonly string[];
  readonly topics = new Map<string, Shared>();
  shown: readonly WindowPage<string>[] = [];
  readonly pages = new WindowPages<string>({
    topicOf: (after) => `after ${after ?? ''}`,
    share: (topic) => {
      const after = topic.slice('after '.length);
      const shared = this.topics.get(topic) ?? { after: after === '' ? undefined : after, live: liveOf(), users: 0 };
      this.topics.set(topic, shared);
      shared.users += 1;
      return { live: shared.live, release: () => --shared.users === 0 && this.topics.delete(topic) };
    },
    changed: (pages) => (this.shown = pages),
  });

  constructor(keys: readonly string[]) {
    this.keys = keys;
  }

  /** Has every topic say how its page stands. */
  load(): void {
    const loaded = new Set<Shared>();
    for (let next: Shared | undefined; (next = [...this.topics.values()].find((one) => !loaded.has(one))); ) {
      loaded.add(next);
      next.live.value = { view: this.#page(next.after), error: undefined };
    }
  }

  get rows(): readonly string[] {
    return windowRows(this.shown)?.rows ?? [];
  }

  #page(after: string | undefined): WindowPage<string> {
    const behind = this.keys.filter((key) => after === undefined || key > after);
    const keys = behind.slice(0, LIMIT);
    const next = behind.length > keys.length ? keys.at(-1)! : null;
    return { rows: Object.fromEntries(keys.map((key) => [key, key])), size: this.keys.length, next, isReverse: false };
  }
}

const liveOf = () =>
  signal<{ readonly view: unknown; readonly error: Error | undefined }>({
    view: undefined,
    error: undefined,
  });

describe('the pages of a window', () => {
  it('have every row of the window once, whatever changed and however many are shown', () => {
    const changes = fc.array(fc.uniqueArray(fc.nat(30), { maxLength: 20 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(changes, fc.integer({ min: 1, max: 8 }), (steps, wanted) => {
        const window = new FakeWindow([]);
        window.pages.show(wanted);
        for (const numbers of steps) {
          window.keys = numbers.map(keyOf).sort();
          window.load();
          expect(window.rows).toEqual(window.keys.slice(0, wanted * LIMIT));
          expect(windowRows(window.shown)).toMatchObject({
            size: window.keys.length,
            left: Math.max(0, window.keys.length - wanted * LIMIT),
            hasMore: window.keys.length > wanted * LIMIT,
          });
          expect(window.topics.size).toBe(Math.min(wanted, Math.max(1, Math.ceil(window.keys.length / LIMIT))));
        }
        window.pages.stop();
        expect(window.topics.size).toBe(0);
      }),
    );
  });

  it('keep their rows while the page behind a changed one is loaded', () => {
    const window = new FakeWindow(['1', '2', '3', '4', '5', '6'].map((key) => `b${key}`));
    window.pages.show(2);
    window.load();
    window.keys = ['a', ...window.keys];
    const first = window.topics.get('after ')!;
    first.live.value = {
      view: { rows: { a: 'a', b1: 'b1', b2: 'b2' }, size: 7, next: 'b2', isReverse: false },
      error: undefined,
    };
    expect([...window.topics.keys()]).toEqual(['after ', 'after b2']);
    expect(window.rows).toEqual(['a', 'b1', 'b2', 'b4', 'b5', 'b6']);
    window.load();
    expect(window.rows).toEqual(['a', 'b1', 'b2', 'b3', 'b4', 'b5']);
  });
});

describe('the inbox of a desk with more gates than a page of its table', () => {
  it('begins with the gate that is due first, though its id is the last, and counts all (B2)', LONG, async () => {
    const system = await startTestSystem({ agents: gateAgents, tree: { children: gateChildren() } });
    const test = new GatewayTest(system, { procedures: gateProcedures });
    onTestFinished(() => test.stop());
    const question = {
      kind: 'k',
      title: 't',
      package: {},
      audience: ['*'],
      form: {},
      remindAfterMs: [],
      onTimeout: null,
    };
    const open = (id: string, deadlineMs: number | null) =>
      system.system.send(DESKS.gates, { type: 'gate.open', id, ...question, deadlineMs });
    for (let n = 0; n < 1_500; n++) await open(`gate-${String(n).padStart(4, '0')}`, null);
    await open('zz-urgent', 60 * 60_000);
    await test.settle();
    const client = await test.client();
    client.send({ t: 'sub', id: 'w', topic: 'window/gates.open' });
    await test.settle();
    const window = windowRows([client.view('w') as WindowPage<GateRow>])!;
    const { rows, left } = inboxOf({ gates: window, alerts: undefined }, system.clock.wallMs());
    expect(rows[0]).toMatchObject({ kind: 'gate', urgency: 'now', gate: { id: 'zz-urgent' } });
    expect(rows.length + left.gates).toBe(1_501);
    const { r } = (await test.call(client, 'gates.counts')) as unknown as { readonly r: object };
    expect(r).toEqual({ open: 1_501, now: 1, today: 0, later: 1_500, closed: 0 });
  });
});
