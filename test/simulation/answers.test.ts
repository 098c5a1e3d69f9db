/** The answer desk under simulation: no question is lost, doubled or changed in silence, whatever fails. */
import { describe, expect, it } from 'vitest';
import {
  always,
  campaign,
  finally_,
  type Property,
  type Simulation,
  simulation,
  sometimes,
  type View,
} from 'bosun/testing';
import { type QuestionRow } from '../../src/machines/answers/desk-state.ts';
import { keyOfUser } from '../../src/machines/answers/desk-users.ts';
import { pairsOf } from '../../src/machines/rules/table-keys.ts';
import { holdingIn, seedsOf } from '../support/campaigns.ts';
import { byEffort, EFFORT, LONG } from '../support/effort.ts';
import {
  ACTORS,
  deskIn,
  deskUnderSimulation,
  heardBy,
  questionsIn,
  repliesIn,
  saidBy,
  type Shown,
  ticketsIn,
  toldIn,
} from '../support/machines/answers-in-simulation.ts';

const TOLD = ({ id, status, version, isOver, ticket }: QuestionRow) =>
  JSON.stringify({ id, status, version, isOver, ticket });

/** Whether people have the question: it stands open with its ticket. */
const isWithPeople = ({ isOver, status }: QuestionRow) => !isOver && (status === 'waiting' || status === 'provisional');

const ends = finally_<Shown>('a question is answered, settled by people, or waits with a ticket', (view) => {
  const tickets = ticketsIn(view, 'waiting');
  const lost = questionsIn(view).find((row) =>
    row.isOver
      ? !['answered', 'confirmed', 'revoked', 'provisional', 'unanswered'].includes(row.status)
      : !isWithPeople(row) || tickets.get(row.id)?.[0] !== row.ticket,
  );
  return lost === undefined || `${TOLD(lost)} has ${JSON.stringify(tickets.get(lost.id) ?? [])}`;
});

const once = finally_<Shown>('a question has one ticket', (view) => {
  const many = [...ticketsIn(view, 'all')].find(([, tickets]) => tickets.length > 1);
  return many === undefined || JSON.stringify(many);
});

const isKept = finally_<Shown>('a question that was taken is known', (view) => {
  const known = new Set(questionsIn(view).map(({ id }) => id));
  const lost = repliesIn(view).find(({ reply }) => reply.status !== 'refused' && !known.has(reply.question_id!));
  return lost === undefined || JSON.stringify(lost);
});

const DAY_MS = 24 * 3_600_000;
const isHeld = ({ status }: QuestionRow) => status !== 'unanswered' && status !== 'revoked';

/**
 * Looks at questions that the state before, which the world keeps, does not have: an earlier one that people had
 * rejected by then may be reopened and answered later. Stands before the property that writes to the world.
 */
const isSingle = always<Shown>('an asker has one question for the same words and task, while it holds', (view) => {
  const rows = questionsIn(view).toSorted((a, b) => a.number - b.number);
  for (const [index, row] of rows.entries()) {
    if (view.world.rows.has(row.id)) continue;
    const before = rows.slice(0, index).findLast(({ joinKey }) => joinKey === row.joinKey);
    if (before === undefined || row.askedAtMs - before.askedAtMs >= DAY_MS) continue;
    if (isHeld(before) && isHeld(view.world.rows.get(before.id) ?? before)) return `${TOLD(before)} and ${TOLD(row)}`;
  }
  return true;
});

/** Compares each state that becomes durable with the one before, which the world keeps. */
const keepsAnswers = always<Shown>('an answer changes only with its version, to what a person said of it', (view) => {
  const { rows } = view.world;
  for (const row of questionsIn(view)) {
    const before = rows.get(row.id);
    rows.set(row.id, row);
    if (before === undefined || before.response === null) continue;
    if (row.version < before.version || (before.isOver && !row.isOver)) return `${TOLD(before)} went back`;
    if (row.response?.answer === before.response.answer) continue;
    // An answer of the team that rested on another one may be gone, and nothing else be in its place.
    const isSaid = row.response === null || saidBy(view, row.by ?? '', row).has(row.response.answer);
    if (row.version <= before.version || !isSaid) return `${TOLD(before)} became ${TOLD(row)}`;
  }
  return true;
});

const toldOnce = finally_<Shown>('an actor hears of each answer once, and of the last one at last', (view) => {
  const { users } = deskIn(view);
  for (const actor of ACTORS) {
    const heard = heardBy(view, actor);
    const changes = heard.filter(({ type }) => type === 'answer.changed');
    const keys = changes.map(({ question, task, answer }) => JSON.stringify([question, task, answer]));
    const twice = keys.find((key, index) => keys.indexOf(key) !== index);
    if (twice !== undefined) return `${actor} heard twice: ${twice}`;
    for (const row of questionsIn(view))
      for (const user of users.values(pairsOf(row.id))) {
        if (user.asker !== actor || row.resolvedAtMs === null) continue;
        const own = heard.filter(({ question, task }) => question === row.id && task === user.task);
        const isGone = row.status === 'revoked' && row.by === null;
        const now = isGone ? null : (row.response?.answer ?? null);
        if (own.at(-1)?.answer !== now) return `${keyOfUser(user)} of ${TOLD(row)} heard ${JSON.stringify(own)} last`;
      }
  }
  return true;
});

const readOnce = finally_<Shown>('a client reads of each change once', (view) => {
  const read = repliesIn(view).flatMap(({ asker, reply }) =>
    reply.changed_answers.map(({ question_id, answer }) => JSON.stringify([asker, question_id, answer])),
  );
  const twice = read.find((key, index) => read.indexOf(key) !== index);
  return twice === undefined || `${twice} twice`;
});

/** Clients with calls that had no answer. What it would have told them is told. */
function unsureIn({ open }: View<Shown>): ReadonlySet<string | undefined> {
  return new Set(open.map(({ event }) => (event as { asker?: string }).asker));
}

const readAtLast = finally_<Shown>('a client with an answer that has changed has read of it, or will', (view) => {
  const { users, news } = deskIn(view);
  const read = new Map<string, Set<string | null>>();
  const reads = (asker: string, question: string | null, answer: string | null) => {
    const key = JSON.stringify([asker, question]);
    read.set(key, (read.get(key) ?? new Set()).add(answer));
  };
  for (const { asker, reply } of repliesIn(view)) {
    reads(asker, reply.question_id, reply.answer);
    for (const { question_id, answer } of reply.changed_answers) reads(asker, question_id, answer);
  }
  const unsure = unsureIn(view);
  for (const row of questionsIn(view).filter(({ version }) => version > 0))
    for (const { asker, ref } of users.values(pairsOf(row.id))) {
      if (ref !== null || unsure.has(asker)) continue;
      const next = [...news.values(pairsOf(asker))].findLast(({ question_id }) => question_id === row.id);
      const key = JSON.stringify([asker, row.id]);
      const known = read.get(key) ?? new Set();
      const isGone = row.response === null || (row.status === 'revoked' && row.by === null);
      const now = isGone ? null : row.response!.answer;
      if (next === undefined ? !known.has(now) : next.answer !== now)
        return `${asker} of ${TOLD(row)} knows ${JSON.stringify([...known])}, and waits for ${JSON.stringify(next)}`;
    }
  return true;
});

const isNotSentAway = finally_<Shown>('who waits for an answer that is there is given it', (view) => {
  const away = repliesIn(view).find(({ reply }) =>
    /is (?:answered|provisional|confirmed|revoked)$/.test(reply.problems.join()),
  );
  return away === undefined || JSON.stringify(away.reply.problems);
});

const restsOnTheLast = finally_<Shown>('an answer of the team rests on what people said last', (view) => {
  const { precedents } = deskIn(view);
  for (const row of questionsIn(view))
    for (const { location, excerpt } of row.by === null && row.status !== 'revoked'
      ? (row.response?.sources ?? [])
      : []) {
      const precedent = precedents.get(location);
      if (precedent !== undefined && !excerpt.endsWith(precedent.answer))
        return `${TOLD(row)} rests on "${excerpt}", and ${location} is now "${precedent.answer}"`;
    }
  return true;
});

const met = [
  ['is answered at once', ({ status, by }: QuestionRow) => status === 'answered' && by === null],
  ['is answered by a person', ({ status, by }: QuestionRow) => status === 'answered' && by !== null],
  ['is confirmed', ({ status }: QuestionRow) => status === 'confirmed'],
  ['is revoked', ({ status, by }: QuestionRow) => status === 'revoked' && by !== null],
  ['is revoked with what it rested on', ({ status, by }: QuestionRow) => status === 'revoked' && by === null],
  ['waits', isWithPeople],
  ['is rejected', ({ status, isOver }: QuestionRow) => status === 'unanswered' && isOver],
  ['has several users', ({ users }: QuestionRow) => users > 2],
] as const;

const PROPERTIES: readonly Property<Shown>[] = [
  ends,
  once,
  isKept,
  isSingle,
  keepsAnswers,
  toldOnce,
  readOnce,
  readAtLast,
  isNotSentAway,
  restsOnTheLast,
];

const MET = [
  ...met.map(([name, holds]) => sometimes<Shown>(`a question ${name}`, (view) => questionsIn(view).some(holds))),
  sometimes<Shown>('a correction tells several users', (view) => toldIn(view).some((users) => users > 1)),
  sometimes<Shown>('an actor hears of a change', (view) =>
    ACTORS.some((actor) => heardBy(view, actor).some(({ type }) => type === 'answer.changed')),
  ),
  sometimes<Shown>('a client that left no call unanswered reads of a change', (view) => {
    const unsure = unsureIn(view);
    return repliesIn(view).some(({ asker, reply }) => reply.changed_answers.length > 0 && !unsure.has(asker));
  }),
];

/** Without restarts in good order: each start but the first follows a kill. */
const KILLS = { processKill: 4, powerCut: 3, tornTail: 1, writeFails: 1, sleep: 0.5 };

/** The share of questions that people were given: of those without an answer, and of provisional ones. */
function withPeople(rows: readonly QuestionRow[]): number {
  return rows.filter(({ ticket }) => ticket !== null).length / rows.length;
}

async function holds(desk: Simulation<Shown>, name: string, seeds: number): Promise<void> {
  // All that may become of a question takes more seeds than anybody waits for.
  if (EFFORT === 'quick') {
    const { failure, text } = await campaign(desk, { seeds: seedsOf(name, seeds) });
    return expect(failure, text).toBe(undefined);
  }
  const { failure, neverMet, text } = await holdingIn(desk, name, { seeds });
  expect(failure, text).toBe(undefined);
  expect(neverMet).toEqual([]);
}

describe('the answer desk under simulation', () => {
  it('loses, doubles and changes no question, and tells of each change once, under any faults', async () => {
    const desk = simulation<Shown>({
      ...deskUnderSimulation({ services: 8, oneIn: 3, formulateMs: 8_000 }),
      faults: 'swarm',
      steps: 60,
      properties: [...PROPERTIES, ...MET],
    });
    await holds(desk, 'the answer desk', byEffort({ quick: 2, ci: 30, soak: 600 }));
  });

  it('does so over a thousand questions, a third of them with people, and fifty kills', LONG, async () => {
    const [steps, questions, kills] = byEffort({ quick: [60, 20, 2], ci: [250, 50, 5], soak: [2_100, 1_000, 50] });
    const name = `${questions} questions of one run, 25 to 45 % of them with people, survive ${kills} kills`;
    const whole = sometimes<Shown>(name, (view) => {
      const rows = questionsIn(view);
      const [share, killed] = [withPeople(rows), view.world.starts - 1];
      return rows.length >= questions && killed >= kills && share >= 0.25 && share <= 0.45;
    });
    const desk = simulation<Shown>({
      ...deskUnderSimulation({ services: questions / 2, oneIn: 30, formulateMs: 500 }),
      faults: KILLS,
      steps,
      properties: [...PROPERTIES, whole],
    });
    const seeds = byEffort({ quick: 3, ci: 6, soak: 12 });
    await holds(desk, 'many questions', seeds);
  });
});
