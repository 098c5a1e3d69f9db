/** Questions that programs ask, under kill -9 of the host at random moments: none is lost, and none is doubled. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { type QuestionRow } from '../../src/machines/answers/desk-state.ts';
import { counted, type Figures, NO_FIGURES } from '../../src/machines/answers/metrics.ts';
import { type LogEntry } from '../../src/machines/answers/resolution-log.ts';
import { type StatusCounts, type TicketSums } from '../../src/machines/people/tickets/ticket-metrics.ts';
import { type TicketRow } from '../../src/machines/people/tickets/ticket-state.ts';
import { type SeededRandom } from '../../src/testing/seeded-random.ts';
import { randomOf } from '../support/chance.ts';
import { byEffort, LONG_PATIENCE_MS } from '../support/effort.ts';

const HOST = new URL('../support/fixtures/crash/question-host.mjs', import.meta.url).pathname;
const QUESTIONS = 100;
const KILLS = byEffort({ quick: 3, ci: 3, soak: 50 });

/**
 * How much faster than the machine's the clock of hosts runs, so that most kills fall while questions are worked on.
 * It stands still between two hosts, whose start takes long on a busy machine.
 */
const SPEED = Math.min(5, 40 / KILLS);
const BEGIN_MS = Date.UTC(2026, 0, 1);
/** A host says about a hundred lines a second, most of them its beats. */
const LINES_MAX = 160;
/** The round that audits. */
const END = 'end';
/** Questions of each round that are asked again though their ids are known. */
const ASKED_AGAIN = 5;

type Question = Pick<QuestionRow, 'id' | 'text' | 'options' | 'status' | 'by' | 'ticket' | 'version' | 'isOver'> & {
  readonly answer: string | null;
};

interface Audit {
  readonly questions: readonly Question[];
  readonly tickets: readonly TicketRow[];
  readonly queued: number;
  readonly places: number;
  readonly figures: Figures;
  readonly log: readonly LogEntry[];
  readonly counts: StatusCounts;
  readonly sums: TicketSums;
  /** Ids of the actors of questions. */
  readonly children: readonly string[];
}

interface Line {
  /** The time of a host's clock. */
  readonly beats?: number;
  /** The findings of a host that begins: questions, and those of them that wait for a place or have one. */
  readonly begins?: number;
  readonly underWay?: number;
  /** A reply to an asker, which it has from now on. */
  readonly asked?: number;
  readonly status?: string;
  readonly id?: string;
  readonly answer?: string | null;
  /** A correction that is about to be ordered. */
  readonly corrects?: string;
  readonly text?: string;
  readonly audit?: Audit;
}

interface Round {
  readonly name: string;
  /** Numbers of the questions that the host asks. */
  readonly asks: readonly number[];
  /** The time at which its clock begins. */
  readonly fromMs: number;
  /** The number of its lines after which it is killed. */
  readonly linesMax?: number;
}

/** Runs a host until it ends, or is killed after so many lines; returns its lines. */
async function host(directory: string, { name, asks, fromMs, linesMax = Infinity }: Round): Promise<Line[]> {
  const args = [HOST, directory, QUESTIONS, SPEED, fromMs, name, JSON.stringify(asks)].map(String);
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const lines: Line[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line) as Line);
    if (lines.length >= linesMax || (name !== END && line.includes('idles'))) child.kill('SIGKILL');
  });
  const [code] = (await closed) as [number | null];
  expect(code).toBe(name === END ? 0 : null);
  return lines;
}

/** The replies that askers have had, by the number of the question. */
function repliesIn(lines: readonly Line[]): ReadonlyMap<number, readonly Line[]> {
  const replies = new Map<number, Line[]>();
  for (const line of lines)
    if (line.asked !== undefined) replies.set(line.asked, [...(replies.get(line.asked) ?? []), line]);
  return replies;
}

const NUMBERS = Array.from({ length: QUESTIONS }, (_, number) => number);

function shuffled<T>(items: readonly T[], random: SeededRandom): T[] {
  const keyed = items.map((item) => ({ item, at: random.next() }));
  return keyed.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

/** Kills host after host, each of which asks what has had no reply, and some of the rest again; then lets one audit. */
async function saidUnderKills(directory: string): Promise<readonly (readonly Line[])[]> {
  const random = randomOf('questions under kills');
  const rounds: Line[][] = [];
  const fromMs = () => rounds.flat().findLast(({ beats }) => beats !== undefined)?.beats ?? BEGIN_MS;
  while (rounds.length < KILLS) {
    const replied = repliesIn(rounds.flat());
    const again = Array.from({ length: ASKED_AGAIN }, () => random.integer(QUESTIONS));
    const asks = new Set([...shuffled(NUMBERS, random).filter((number) => !replied.has(number)), ...again]);
    const [name, linesMax] = [String(rounds.length + 1), 1 + random.integer(LINES_MAX)];
    rounds.push(await host(directory, { name, asks: [...asks], fromMs: fromMs(), linesMax }));
  }
  return [...rounds, await host(directory, { name: END, asks: shuffled(NUMBERS, random), fromMs: fromMs() })];
}

/** The number of kills after which the next host found questions that were not asked yet or had no result. */
function killsUnderWay(rounds: readonly (readonly Line[])[]): number {
  const isUnderWay = ({ begins, underWay }: Line) => begins! < QUESTIONS || underWay! > 0;
  return rounds.slice(0, -1).filter((_, round) => {
    const found = rounds.slice(round + 1).flatMap((lines) => lines.filter(({ begins }) => begins !== undefined));
    return isUnderWay(found[0]!);
  }).length;
}

/** Checks that there is one question for each number, with the words that were asked; returns them by number. */
function questionsOf({ questions }: Audit): ReadonlyMap<number, Question> {
  const byNumber = new Map(questions.map((one) => [Number(/^Does gate(\d+) listen on /.exec(one.text)![1]), one]));
  expect([...byNumber.keys()].sort((a, b) => a - b)).toEqual(NUMBERS);
  expect(questions).toHaveLength(QUESTIONS);
  expect(new Set(questions.map(({ id }) => id)).size).toBe(QUESTIONS);
  for (const [number, { options }] of byNumber) expect(options).toEqual([`${8_000 + number}`, `${9_000 + number}`]);
  return byNumber;
}

/** Checks that every reply named the one question, and that an answer given is the last one unless it was corrected. */
function checkReplies(said: readonly Line[], questions: ReadonlyMap<number, Question>): void {
  const corrections = new Map(
    said.flatMap(({ corrects, text }) => (corrects === undefined ? [] : [[corrects, text!]])),
  );
  const replies = repliesIn(said);
  for (const [number, question] of questions) {
    const [id, had] = [question.id, replies.get(number)!];
    expect(new Set(had.map((reply) => reply.id)), id).toEqual(new Set([id]));
    expect(
      had.filter(({ status }) => status === 'refused'),
      id,
    ).toEqual([]);
    const answers = new Set(had.flatMap(({ status, answer }) => (status === 'answered' ? [answer!] : [])));
    if (question.version > 0 && corrections.has(id)) {
      expect(question, id).toMatchObject({ status: 'revoked', by: 'ada', answer: corrections.get(id) });
      expect(answers.size, id).toBeLessThanOrEqual(2);
    } else if (answers.size > 0) expect([...answers], id).toEqual([question.answer]);
  }
}

/** Checks that each question has the one ticket that its status calls for, and each ticket its question. */
function checkTickets({ questions, tickets }: Audit): void {
  const byQuestion = new Map(tickets.map((ticket) => [ticket.about, ticket]));
  expect(byQuestion.size).toBe(tickets.length);
  expect(new Set(tickets.map(({ id }) => id)).size).toBe(tickets.length);
  for (const { id, status, by, ticket, version, answer } of questions) {
    // What a person puts in the place of an answer counts once.
    expect(version, id).toBe(status === 'revoked' ? 1 : 0);
    const its = byQuestion.get(id);
    byQuestion.delete(id);
    expect(its?.id ?? null, id).toBe(ticket);
    const isTheirs = status === 'waiting' || status === 'provisional';
    expect(['answered', 'provisional', 'confirmed', 'revoked', 'waiting'], id).toContain(status);
    expect(answer === null, id).toBe(status === 'waiting');
    // Whose replies contradict the sources again and again has an escalated ticket.
    if (isTheirs) expect([['open', 'escalated'].includes(its!.status), its!.resolution], id).toEqual([true, null]);
    else if (its !== undefined) expect([its.status, its.resolution!.by, by], id).toEqual(['resolved', 'ada', 'ada']);
    else expect(by, id).toBe(status === 'answered' ? null : 'ada');
  }
  expect([...byQuestion.keys()]).toEqual([]);
}

/** Outcomes of work on a question. All others are of askers to whom its answer is given again. */
const FIRST_OUTCOMES: ReadonlySet<string> = new Set(['direct', 'provisional', 'escalated', 'unanswered']);

/** Checks that all counters are what a recount gives, and that nothing is under way or left over. */
function checkCounts({ questions, tickets, queued, places, figures, log, counts, sums, children }: Audit): void {
  expect({ queued, places }).toEqual({ queued: 0, places: 0 });
  expect(figures).toEqual(log.reduce(counted, NO_FIGURES));
  const isFirst = (entry: LogEntry) => entry.kind === 'resolved' && FIRST_OUTCOMES.has(entry.outcome);
  const first = log.filter(isFirst);
  expect(first.map(({ question }) => question).sort()).toEqual(questions.map(({ id }) => id).sort());
  const settled = log.filter(({ kind }) => kind === 'settled').map(({ question }) => question);
  expect(settled.sort()).toEqual(tickets.flatMap(({ about, resolution }) => (resolution ? [about!] : [])).sort());
  const open = questions.filter(({ isOver }) => !isOver);
  expect([...children].sort()).toEqual(open.map(({ id }) => id).sort());
  for (const [status, count] of Object.entries(counts))
    expect(
      tickets.filter((ticket) => ticket.status === status),
      status,
    ).toHaveLength(count);
  expect(sums).toMatchObject({ opened: tickets.length, resolved: counts.resolved });
}

const TITLE = `${QUESTIONS} questions are kept over ${KILLS} kills of the host`;
it(TITLE, { timeout: LONG_PATIENCE_MS }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'bosun-questions-'));
  try {
    const rounds = await saidUnderKills(directory);
    const audit = rounds.at(-1)!.find((line) => line.audit !== undefined)!.audit!;
    const questions = questionsOf(audit);
    checkReplies(rounds.flat(), questions);
    checkTickets(audit);
    checkCounts(audit);
    // The proof is worth something only if there was something to lose, and every kind of end was met.
    expect(killsUnderWay(rounds)).toBeGreaterThan(KILLS / 2);
    const ends = new Set(audit.questions.map(({ status, by }) => `${status} by ${by ?? 'nobody'}`));
    const met = ['answered by nobody', 'answered by ada', 'provisional by nobody', 'waiting by nobody'];
    expect([...ends]).toEqual(expect.arrayContaining(met));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
