/**
 * The commands of the workshop, drawn from the run's seed, and their expected result, computed without a system. A
 * client performs the script with one session for each part of the system, so that each command may be repeated.
 */
import { type Random } from '../../../src/actors/model/ports.ts';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { randomOf } from '../chance.ts';
import { type Stage } from './stage.ts';
import { type Books, STAFF, systemIdOf } from './workshop.ts';

export type Command =
  | {
      readonly kind: 'send';
      readonly to: string;
      readonly event: { readonly type: string; readonly n: number; readonly to?: string };
    }
  | { readonly kind: 'spawn'; readonly id: string }
  /** Handles everything in quarantine: even numbers are edited and delivered again, odd ones discarded. */
  | { readonly kind: 'judge' }
  | { readonly kind: 'wait'; readonly ms: number };

/** Relative frequency of each command. */
const SHARES = {
  add: 30,
  arm: 12,
  ask: 12,
  mail: 10,
  note: 5,
  tick: 6,
  pass: 10,
  turn: 5,
  poison: 4,
  spawn: 3,
  wait: 8,
  consult: 0,
};

/** Frequencies with many messages between workers. */
export const TALKATIVE: Shares = { ...SHARES, add: 10, pass: 30, consult: 16 };

type Shares = Readonly<typeof SHARES>;

interface Casting {
  /** Tells the scripts of a run from each other. */
  readonly name?: string;
  readonly staff?: readonly string[];
  readonly shares?: Shares;
}

export function scriptOf(
  length: number,
  { name = 'script', staff = STAFF, shares = SHARES }: Casting = {},
): readonly Command[] {
  const random = randomOf(name);
  const commands: Command[] = [];
  const workers: string[] = [...staff];
  // One of each kind comes in any case: a proof of what a script does not have would prove nothing.
  const owed = Object.entries(shares).flatMap(([what, share]) => (share > 0 ? [what as keyof Shares] : []));
  while (commands.length < length) {
    const what = owed.splice(random.integer(owed.length), 1)[0] ?? pickShare(random, shares);
    commands.push(...someCommands(what, { random, staff, workers, n: commands.length + 1 }));
  }
  return commands.slice(0, length);
}

interface Moment {
  readonly random: Random;
  readonly staff: readonly string[];
  /** The staff and the hired workers. */
  readonly workers: string[];
  /** Place of the next command in the script, from 1. */
  readonly n: number;
}

function someCommands(what: keyof Shares, { random, staff, workers, n }: Moment): Command[] {
  const to = workers[Math.floor(random.next() * workers.length)]!;
  if (what === 'wait') return [{ kind: 'wait', ms: 1 + Math.floor(random.next() * 40) }];
  if (what === 'spawn') {
    const id = `hired-${n}`;
    workers.push(`team/${id}`);
    return [{ kind: 'spawn', id }];
  }
  // Two poisoned messages in a row would suspend the worker.
  if (what === 'poison')
    return [send(to, 'poison', n), send(to, 'add', n + 1), { kind: 'wait', ms: 10 }, { kind: 'judge' }];
  const colleague = staff[n % staff.length]!;
  if (what === 'pass') return [{ kind: 'send', to, event: { type: 'pass', n, to: systemIdOf(colleague) } }];
  if (what === 'consult') return [{ kind: 'send', to, event: { type: 'consult', n, to: colleague } }];
  return [send(to, what, n)];
}

function send(to: string, type: string, n: number): Command {
  return { kind: 'send', to, event: { type, n } };
}

function pickShare(random: Random, shares: Shares): keyof Shares {
  const all = Object.entries(shares) as [keyof Shares, number][];
  let left = random.next() * all.reduce((sum, [, share]) => sum + share, 0);
  return all.find(([, share]) => (left -= share) < 0)?.[0] ?? 'add';
}

/** Resolves when the command is durable. */
export async function perform(stage: Stage, command: Command, number: number, worker: AnyAgent): Promise<void> {
  if (command.kind === 'send')
    await stage.send(command.to, command.event, {
      session: { id: sessionOf(stage.partOf(command.to)), sequence: number },
    });
  else if (command.kind === 'spawn') await stage.spawn(worker, command.id, { under: 'team', restart: 'permanent' });
  else if (command.kind === 'wait') await stage.advance(command.ms);
  else {
    await stage.settle();
    for (const { deadLetters } of stage.parts()) {
      for (const { number: held, event } of deadLetters.list({ reason: 'quarantined' })) {
        const { n } = event as unknown as { n: number };
        await (n % 2 === 0 ? deadLetters.edit(held, { type: 'add', n } as never) : deadLetters.discard(held));
      }
    }
  }
}

/** The session of commands to a part: within one session a later event must not overtake an earlier one. */
export function sessionOf(part: number): string {
  return `script-${part}`;
}

/** The numbers that must be in the books at the end, over all workers. Events to callbacks may be lost in a crash. */
export function expectedBooks(
  script: readonly Command[],
): Omit<Books, 'ticked'> & { readonly ticks: readonly number[]; readonly notes: readonly number[] } {
  const numbers = (...types: string[]) =>
    script.flatMap((command) =>
      command.kind === 'send' && types.includes(command.event.type) ? [command.event.n] : [],
    );
  const redelivered = numbers('poison').filter(
    (n) => n % 2 === 0 && script.slice(n).some(({ kind }) => kind === 'judge'),
  );
  return {
    added: sorted([...numbers('add'), ...redelivered]),
    rung: numbers('arm'),
    answered: numbers('ask'),
    received: numbers('pass'),
    mailed: numbers('mail'),
    counselled: numbers('consult'),
    ticks: numbers('tick'),
    notes: numbers('note'),
  };
}

/** The books of all workers, sorted by number, duplicates included. */
export function allBooks({ parts }: Stage): Books {
  const contexts = parts().flatMap((part) => {
    const workers = part.tree().children.flatMap((node) => (node.agent === 'boss' ? [...node.children] : [node]));
    return workers.map(({ address }) => part.snapshot(address)?.context as Books);
  });
  const all = (book: keyof Books) => sorted(contexts.flatMap((context) => context[book]));
  return {
    added: all('added'),
    rung: all('rung'),
    answered: all('answered'),
    ticked: all('ticked'),
    received: all('received'),
    mailed: all('mailed'),
    counselled: all('counselled'),
  };
}

function sorted(numbers: readonly number[]): number[] {
  return numbers.toSorted((a, b) => a - b);
}
