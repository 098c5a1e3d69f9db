/** Tickets for whose answer agents wait, under kill -9 of the host at random moments: no loss, and nothing doubled. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { randomOf } from '../support/chance.ts';
import { byEffort, LONG_PATIENCE_MS } from '../support/effort.ts';

const HOST = new URL('../support/fixtures/crash/ticket-host.mjs', import.meta.url).pathname;
const TICKETS = 64;
const KILLS = byEffort({ quick: 3, ci: 3, soak: 20 });

interface Line {
  readonly sends?: string;
  readonly replied?: string;
  readonly text?: string;
  readonly audit?: Audit;
}

interface Audit {
  readonly tickets: readonly {
    readonly id: string;
    readonly about: string;
    readonly reviews: number;
    readonly followUps: number;
    readonly reminders: number;
    readonly isOverdue: boolean;
    readonly asked: number;
    readonly replies: readonly string[];
    readonly resolution: { readonly text: string; readonly by: string };
    readonly result: { readonly ticket: string; readonly text: string; readonly by: string };
  }[];
  readonly sums: { readonly opened: number; readonly resolved: number; readonly byHand: number };
  readonly counts: Readonly<Record<string, number>>;
  readonly waiters: number;
}

/** Runs a host until it ends, or is killed after so many lines; returns its lines. */
async function host(directory: string, round: string, linesMax = Infinity): Promise<Line[]> {
  const child = spawn(process.execPath, [HOST, directory, String(TICKETS), round], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const lines: Line[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line) as Line);
    if (lines.length >= linesMax || line.includes('idles')) child.kill('SIGKILL');
  });
  const [code] = (await closed) as [number | null];
  expect(code).toBe(round === 'end' ? 0 : null);
  return lines;
}

it(`${TICKETS} tickets are kept waiting over ${KILLS} kills of the host`, { timeout: LONG_PATIENCE_MS }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'bosun-tickets-'));
  const random = randomOf('tickets under kills');
  const said: Line[] = [];
  try {
    for (let round = 1; round <= KILLS; round++)
      said.push(...(await host(directory, String(round), 1 + random.integer(24))));
    const { audit } = (await host(directory, 'end')).at(-1)!;
    const { tickets, sums, counts, waiters } = audit!;
    expect(tickets).toHaveLength(TICKETS);
    expect(new Set(tickets.map(({ about }) => about)).size).toBe(TICKETS);
    expect(sums).toMatchObject({ opened: TICKETS, resolved: TICKETS });
    expect(counts).toMatchObject({ open: 0, in_review: 0, escalated: 0, resolved: TICKETS });
    expect(waiters).toBe(0);
    const sent = new Set(said.flatMap(({ sends, text }) => (sends === undefined ? [] : [`${sends} ${text!}`])));
    const acknowledged = said.flatMap(({ replied, text }) => (replied === undefined ? [] : [`${replied} ${text!}`]));
    const kept = tickets.flatMap(({ id, replies }) => replies.map((text) => `${id} ${text}`));
    // Every reply that was acknowledged is kept, each once, and none that nobody sent.
    expect(new Set(kept).size).toBe(kept.length);
    expect(kept).toEqual(expect.arrayContaining(acknowledged));
    expect(kept.filter((reply) => !sent.has(reply))).toEqual([]);
    for (const { id, reviews, replies, asked, reminders, resolution, result } of tickets) {
      // Each reply is reviewed at most once, and each review that did not pass is followed up once.
      expect(reviews, id).toBeLessThanOrEqual(replies.length);
      expect(asked, id).toBeLessThanOrEqual(reviews);
      expect(reminders, id).toBeLessThanOrEqual(1);
      expect(result, id).toEqual({ ticket: id, text: resolution.text, option: null, by: 'ada' });
    }
    expect(tickets.filter(({ reminders, isOverdue }) => reminders === 1 && isOverdue).length).toBeGreaterThan(0);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
