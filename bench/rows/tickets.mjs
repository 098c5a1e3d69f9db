/** T7: tickets, opened at a desk, resolved, and there after a start. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { answerCrew } from '../../dist/crew.js';
import { createSystem } from '../../dist/index.js';
import { inTurn } from '../rounds.mjs';
import { watchedStore } from '../stores.mjs';

const OUTSTANDING = 64;
const REPLIES = 200;

/** Tickets at the desk beside which the first piece is measured, and the tickets of a piece. */
const FEW = 100;
const PIECE = 400;

async function opened(directory) {
  const { store } = watchedStore(directory);
  const system = createSystem({ ...answerCrew(), store, durability: 'process' });
  await system.start();
  return { system };
}

/** Calls `act` for each number, some at a time; returns the milliseconds that all of it takes. */
async function each(count, outstanding, act) {
  let next = 0;
  const startMs = performance.now();
  const worker = async () => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: outstanding }, worker));
  return performance.now() - startMs;
}

/** An order, whose refusal is a failure of the row. */
async function order(system, address, event) {
  const reply = await system.ask(address, event);
  if (!reply.taken) throw new Error(`${event.type}: ${reply.problems.join('; ')}`);
  return reply;
}

const ticketOf = (n) => ({
  type: 'tickets.open',
  kind: 'ai_to_human',
  priority: 2,
  title: `Which port has service ${n} to listen on?`,
  creator: 'coder',
});

/** Processor time of opening a piece of tickets, and of replying to them until each is resolved, per ticket. */
async function piece(system, from) {
  const cpu = async (act) => {
    const before = process.cpuUsage();
    await each(PIECE, OUTSTANDING, act);
    await system.idle();
    const { user, system: kernel } = process.cpuUsage(before);
    return (user + kernel) / PIECE;
  };
  // At priority 1 a reply is reviewed at once.
  const openMicros = await cpu((n) => order(system, 'tickets', { ...ticketOf(from + n), priority: 1 }));
  const reply = { type: 'tickets.reply', by: 'ada', text: 'Port 8080.' };
  const replyMicros = await cpu((n) => order(system, 'tickets', { ...reply, ticket: idOf(from + n + 1) }));
  return { openMicros, replyMicros };
}

const idOf = (n) => `TK-${String(n).padStart(4, '0')}`;

async function ticketDesk(directory, count) {
  await rm(directory, { recursive: true, force: true });
  const { system } = await opened(directory);
  await each(FEW, OUTSTANDING, (n) => order(system, 'tickets', ticketOf(n)));
  // The code is warm when the first piece that counts is measured.
  await piece(system, FEW);
  const few = await piece(system, FEW + PIECE);
  const rest = count - FEW;
  const openMs = await each(rest, OUTSTANDING, (n) => order(system, 'tickets', ticketOf(n)));
  await system.idle();
  const many = await piece(system, count + 2 * PIECE);
  const resolution = { type: 'tickets.resolve', by: 'ada', text: 'Port 8080.', reason: 'decided' };
  const replyMs = await each(REPLIES, OUTSTANDING, (n) =>
    order(system, 'tickets', { ...resolution, ticket: idOf(FEW + 2 * PIECE + n * 7 + 1) }),
  );
  await system.idle();
  const { size } = (await system.snapshot('tickets')).context.waiting;
  if (size !== count - REPLIES) throw new Error(`${size} of ${count - REPLIES} tickets wait`);
  await system.stop();
  const startMs = performance.now();
  const again = await opened(directory);
  const restartMs = performance.now() - startMs;
  await again.system.stop();
  return {
    openBesideFewMicros: few.openMicros,
    openBesideAllMicros: many.openMicros,
    replyBesideFewMicros: few.replyMicros,
    replyBesideAllMicros: many.replyMicros,
    perSecond: (rest * 1_000) / openMs,
    repliesPerSecond: (REPLIES * 1_000) / replyMs,
    startMs: restartMs,
  };
}

export const tickets = {
  name: 'T7',
  title: 'Tickets at a desk',
  about: ({ tickets: count }) =>
    `${count.toLocaleString('en')} tickets with timers for reminders and times to answer, opened by ${OUTSTANDING} ` +
    `askers (LevelDB, durability \`process\`); then ${REPLIES} resolved; then a start with those that wait. ` +
    `Processor time: ${PIECE} tickets opened, and replied to until they are resolved, beside ${FEW} and beside all.`,
  sizes: { full: { tickets: 10_000 }, quick: { tickets: 1_500 } },
  ratios: [
    {
      name: 'processor time of opening a ticket beside all of them, against beside 100',
      of: ({ desk }) => desk.openBesideAllMicros / desk.openBesideFewMicros,
      atMost: 1.5,
    },
    {
      name: 'processor time of a reply and its review beside all of them, against beside 100',
      of: ({ desk }) => desk.replyBesideAllMicros / desk.replyBesideFewMicros,
      atMost: 1.5,
    },
    { name: 'tickets opened a second', of: ({ desk }) => desk.perSecond, atLeast: 1_500, unit: '/s' },
    { name: 'tickets resolved a second', of: ({ desk }) => desk.repliesPerSecond, atLeast: 1_500, unit: '/s' },
    { name: 'a start with the tickets that wait', of: ({ desk }) => desk.startMs, atMost: 1_500, unit: ' ms' },
  ],
  async open({ tickets: count }, directory) {
    const subject = () => ticketDesk(join(directory, 'tickets'), count);
    return { subject, round: inTurn({ desk: subject }), close: () => Promise.resolve() };
  },
};
