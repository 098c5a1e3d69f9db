/**
 * What is done in the workshop, command by command, always the same for a seed; and what must have become of it in the end,
 * worked out without a system. A client performs it with one session, so that each command may be repeated.
 */
import { type Random } from '../../src/actors/ports.ts';
import { SeededRandom } from '../../src/testing/seeded-random.ts';
import { type TestSystem } from '../../src/testing/test-system.ts';
import { type AnyAgent } from '../../src/actors/agent.ts';
import { type Books, STAFF } from './workshop.ts';

export type Command =
  | { readonly kind: 'send'; readonly to: string; readonly event: { readonly type: string; readonly n: number; readonly to?: string } }
  | { readonly kind: 'spawn'; readonly id: string }
  /** Deals with everything in quarantine: even numbers are delivered again, edited, odd ones discarded. */
  | { readonly kind: 'judge' }
  | { readonly kind: 'wait'; readonly ms: number };

export const SESSION = 'script';

/** How often what is done: out of the sum of these. */
const SHARES = { add: 30, arm: 12, ask: 12, mail: 10, note: 5, tick: 6, pass: 10, turn: 5, poison: 4, spawn: 3, wait: 8 } as const;

export function scriptOf(length: number, seed = 7): readonly Command[] {
  const random = new SeededRandom(seed);
  const commands: Command[] = [];
  const workers: string[] = [...STAFF];
  while (commands.length < length) commands.push(...someCommands(random, workers, commands.length + 1));
  return commands.slice(0, length);
}

/** @param n Of the first of them. A command's number is its place, from 1. */
function someCommands(random: Random, workers: string[], n: number): Command[] {
  const what = pickShare(random);
  const to = workers[Math.floor(random.next() * workers.length)]!;
  if (what === 'wait') return [{ kind: 'wait', ms: 1 + Math.floor(random.next() * 40) }];
  if (what === 'spawn') {
    const id = `hired-${n}`;
    workers.push(`team/${id}`);
    return [{ kind: 'spawn', id }];
  }
  // Two in a row would suspend the worker.
  if (what === 'poison') return [send(to, 'poison', n), send(to, 'add', n + 1), { kind: 'wait', ms: 10 }, { kind: 'judge' }];
  if (what === 'pass') return [{ kind: 'send', to, event: { type: 'pass', n, to: ['a', 'b', 'c'][n % 3]! } }];
  return [send(to, what, n)];
}

function send(to: string, type: string, n: number): Command {
  return { kind: 'send', to, event: { type, n } };
}

function pickShare(random: Random): keyof typeof SHARES {
  const shares = Object.entries(SHARES) as [keyof typeof SHARES, number][];
  let left = random.next() * shares.reduce((sum, [, share]) => sum + share, 0);
  return shares.find(([, share]) => (left -= share) < 0)?.[0] ?? 'add';
}

/** Resolves when the command is durable. */
export async function perform(test: TestSystem, command: Command, number: number, worker: AnyAgent): Promise<void> {
  const { system } = test;
  if (command.kind === 'send') await system.send(command.to, command.event, { session: { id: SESSION, sequence: number } });
  else if (command.kind === 'spawn') await system.spawn(worker, command.id, { under: 'team', restart: 'permanent' });
  else if (command.kind === 'wait') await test.advance(command.ms);
  else {
    await test.settle();
    for (const { number: held, event } of system.deadLetters.list({ reason: 'quarantined' })) {
      const { n } = event as unknown as { n: number };
      await (n % 2 === 0 ? system.deadLetters.edit(held, { type: 'add', n } as never) : system.deadLetters.discard(held));
    }
  }
}

/** Numbers that must be in the books in the end, over all workers. What callbacks were sent may be lost in a crash. */
export function expectedBooks(script: readonly Command[]): Omit<Books, 'ticked'> & { readonly ticks: readonly number[]; readonly notes: readonly number[] } {
  const numbers = (...types: string[]) => script.flatMap((command) => (command.kind === 'send' && types.includes(command.event.type) ? [command.event.n] : []));
  const redelivered = numbers('poison').filter((n) => n % 2 === 0 && script.slice(n).some(({ kind }) => kind === 'judge'));
  return {
    added: sorted([...numbers('add'), ...redelivered]),
    rung: numbers('arm'),
    answered: numbers('ask'),
    received: numbers('pass'),
    mailed: numbers('mail'),
    ticks: numbers('tick'),
    notes: numbers('note'),
  };
}

/** What all workers have in their books, in order of the numbers, each as often as it is there. */
export function allBooks(test: TestSystem): Books {
  const books = test.system.tree().children.flatMap((node) => (node.agent === 'boss' ? [...node.children] : [node]));
  const contexts = books.map(({ address }) => test.system.snapshot(address)?.context as Books);
  const all = (book: keyof Books) => sorted(contexts.flatMap((context) => context[book]));
  return { added: all('added'), rung: all('rung'), answered: all('answered'), ticked: all('ticked'), received: all('received'), mailed: all('mailed') };
}

function sorted(numbers: readonly number[]): number[] {
  return numbers.toSorted((a, b) => a - b);
}
