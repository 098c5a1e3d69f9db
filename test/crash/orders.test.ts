/**
 * An order service under crashes: whoever posts an order again and again gets one answer, and the order is shipped
 * once. Under kill -9 of its process at random moments, and in one process with power cuts between any two steps.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { faultyStore } from '../../src/testing/faulty-store.ts';
import { TestSystem } from '../../src/testing/test-system.ts';
import { randomOf } from '../support/chance.ts';
import { byEffort, LONG_PATIENCE_MS } from '../support/effort.ts';
import { type OrderAnswer, orderAgent, ORDERS_TREE, post } from '../support/fixtures/crash/order-desk.mjs';

const HOST = new URL('../support/fixtures/crash/order-host.mjs', import.meta.url).pathname;
const KILLS = byEffort({ quick: 3, ci: 8, soak: 200 });
const CUTS = byEffort({ quick: 40, ci: 100, soak: 1_000 });

/** New orders of each round, and those of earlier ones that are posted again. */
const FRESH = 4;
const AGAIN = 3;
/** A host says about six lines for each post. */
const LINES_MAX = 60;
const END = 'end';

interface Line {
  readonly answer?: OrderAnswer;
  readonly idles?: true;
  readonly runs?: readonly { readonly address: string; readonly life: number }[];
}

/** Everything that is known of orders: their answers and shipments, with the number of distinct ones. */
class Orders {
  readonly answers = new Map<string, Set<string>>();
  readonly shipments = new Map<string, Set<string>>();
  answered = 0;
  shipped = 0;

  answer(answer: OrderAnswer): void {
    this.answered += 1;
    add(this.answers, answer.id, JSON.stringify(answer));
  }

  ship(id: string, effectId: string): void {
    this.shipped += 1;
    add(this.shipments, id, effectId);
  }

  /** The violations of what is promised. */
  violations(ids: readonly string[]): string[] {
    const found: string[] = [];
    for (const id of ids) {
      const [answers, shipments] = [[...(this.answers.get(id) ?? [])], [...(this.shipments.get(id) ?? [])]];
      if (answers.length !== 1) found.push(`${id} has the answers ${answers.join(' and ') || 'none'}`);
      if (shipments.length !== 1) found.push(`${id} was shipped as ${shipments.join(' and ') || 'nothing'}`);
      for (const answer of answers) {
        const { status, output } = JSON.parse(answer) as OrderAnswer;
        if (status !== 'done' || output.id !== id || output.receipt !== shipments[0]) found.push(`${id}: ${answer}`);
      }
    }
    const strangers = [...this.shipments.keys()].filter((id) => !ids.includes(id));
    return [...found, ...strangers.map((id) => `${id} was shipped, and never posted`)];
  }
}

function add(sets: Map<string, Set<string>>, key: string, item: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(item));
}

interface Place {
  readonly directory: string;
  readonly shipped: string;
}

/** Runs a host until it ends, or is killed after so many lines; returns its lines. */
async function host(place: Place, round: string, ids: readonly string[], linesMax = Infinity): Promise<Line[]> {
  const args = [HOST, place.directory, place.shipped, round, JSON.stringify(ids)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const lines: Line[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line) as Line);
    if (lines.length >= linesMax || lines.at(-1)!.idles === true) child.kill('SIGKILL');
  });
  const [code] = (await closed) as [number | null];
  expect(code).toBe(round === END ? 0 : null);
  return lines;
}

describe('an order that is posted again and again', () => {
  it(
    `is shipped once and has one answer, over ${KILLS} kills of the service`,
    async () => {
      const root = mkdtempSync(join(tmpdir(), 'bosun-orders-'));
      const place = { directory: join(root, 'store'), shipped: join(root, 'shipped') };
      const random = randomOf('orders under kills');
      const orders = new Orders();
      const ids: string[] = [];
      let killed = 0;
      try {
        for (let round = 1; round <= KILLS; round++) {
          const again = Array.from({ length: Math.min(AGAIN, ids.length) }, () => random.pick(ids));
          const open = ids.filter((id) => !orders.answers.has(id)).slice(0, AGAIN);
          const fresh = Array.from({ length: FRESH }, (_, n) => `order-${ids.length + n}`);
          ids.push(...fresh);
          const posted = new Set([...fresh, ...open, ...again]);
          const lines = await host(place, String(round), [...posted], 1 + random.integer(LINES_MAX));
          for (const { answer } of lines) if (answer !== undefined) orders.answer(answer);
          killed += lines.some(({ idles }) => idles === true) ? 0 : 1;
        }
        const end = await host(place, END, ids);
        for (const { answer } of end) if (answer !== undefined) orders.answer(answer);
        for (const line of readFileSync(place.shipped, 'utf8').split('\n').slice(0, -1)) {
          const [, id, effectId] = line.split(' ');
          orders.ship(id!, effectId!);
        }
        const { answered, shipped } = orders;
        const runs = end.find((line) => line.runs !== undefined)!.runs!;
        console.log(`orders: ${KILLS} kills, ${ids.length} orders, ${answered} answers, ${shipped} shipments`);
        expect(orders.violations(ids)).toEqual([]);
        expect(runs.map(({ address }) => address).sort()).toEqual(ids.map((id) => `orders/${id}`).sort());
        expect(killed).toBeGreaterThan(KILLS / 4);
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    },
    LONG_PATIENCE_MS,
  );

  it(
    `is shipped once and has one answer, over ${CUTS} power cuts between any two steps`,
    async () => {
      const orders = new Orders();
      const ids = await postedUnderCuts(orders);
      const { answered, shipped } = orders;
      console.log(`orders: ${CUTS} cuts, ${ids.length} orders, ${answered} answers, ${shipped} shipments`);
      expect(orders.violations(ids)).toEqual([]);
      // Some shipments were begun again, or nothing was at stake.
      expect(shipped).toBeGreaterThan(ids.length);
    },
    LONG_PATIENCE_MS,
  );
});

/** Posts orders in one process, with a cut at a random write or step; then posts all of them once more. */
async function postedUnderCuts(orders: Orders): Promise<readonly string[]> {
  const random = randomOf('orders under power cuts');
  const store = faultyStore();
  const agent = orderAgent((id, effectId) => orders.ship(id, effectId));
  const test = new TestSystem({ agents: [agent], tree: ORDERS_TREE, store });
  const write = store.write.bind(store);
  let [left, cutOff] = [0, (): void => {}];
  store.write = (writes, options) => {
    if (--left === 0) void store.hold(random.pick(['before', 'durable'])).reached.then(() => cutOff());
    return write(writes, options);
  };
  await test.begin();
  const ids: string[] = [];
  for (let cut = 1; cut <= CUTS; cut++) {
    ids.push(`order-${cut}`);
    const posted = [`order-${cut}`, random.pick(ids), ...ids.filter((id) => !orders.answers.has(id)).slice(-2)];
    const reached = new Promise<void>((resolve) => (cutOff = resolve));
    // Either a write is cut, or the power fails behind a step of one of the posts.
    const isAtWrite = random.next() < 0.6;
    let steps = 1 + random.integer(3 * posted.length);
    left = isAtWrite ? 1 + random.integer(8) : 0;
    const { system } = test;
    const isOver = { value: false };
    const step = async () => {
      if (!isAtWrite && --steps === 0) cutOff();
      if (isOver.value || steps <= 0) await new Promise<never>(() => {});
    };
    const all = posted.map(async (id) => {
      const answer = await post(system, agent, id, step);
      if (!isOver.value) orders.answer(answer);
    });
    await Promise.race([reached, Promise.all(all)]);
    isOver.value = true;
    left = 0;
    await test.crash();
    await test.restart();
  }
  for (const id of ids) orders.answer(await post(test.system, agent, id));
  await test.shard.stop();
  return ids;
}
