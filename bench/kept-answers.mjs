/** A desk with many answers of people, for the rows about it: the questions, and the agents of such a system. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMachine } from 'xstate';
import { answerCrew } from '../dist/crew.js';
import { answerDesk } from '../dist/machines/answers/answer-desk.js';
import { deskContext } from '../dist/machines/answers/desk-state.js';
import { noPrecedents, precedentPut } from '../dist/machines/answers/precedents.js';
import { SeededRandom } from '../dist/testing/seeded-random.js';

const DOCS = join(import.meta.dirname, '../docs');

/** Words of a question, between these numbers. */
const [WORDS_MIN, WORDS_MAX] = [6, 16];

/**
 * A source of questions in the words of the project's own documents, as often as they occur there: a few are in very
 * many questions, most in few. Every third word of a stretch is taken, so that no two questions are the same sentence.
 */
export function questionsFrom(seed) {
  const pages = readdirSync(DOCS).filter((name) => name.endsWith('.md'));
  const words = pages.flatMap((name) =>
    readFileSync(join(DOCS, name), 'utf8')
      .toLowerCase()
      .match(/\b[a-z]{3,14}\b/g),
  );
  const random = new SeededRandom(seed);
  return () => {
    const length = WORDS_MIN + random.integer(WORDS_MAX - WORDS_MIN);
    const from = random.integer(words.length);
    const taken = Array.from({ length }, (_, at) => words[(from + 3 * at) % words.length]);
    return `Which ${taken.join(' ')}?`;
  };
}

/** Answers of people to so many questions, as the tables of a desk. `putMicros` is the processor time of each. */
export function keptAnswers(count, question) {
  let kept = noPrecedents();
  const before = process.cpuUsage();
  while (kept.precedents.size < count) {
    const said = { answer: 'As the plan says.', by: 'ada', atMs: 0, reason: null, scope: null };
    kept = precedentPut(kept, {
      question: `Q-${kept.precedentCount + 1}`,
      ticket: 'TK-0001',
      text: question(),
      ...said,
    });
  }
  const { user, system } = process.cpuUsage(before);
  return { kept, putMicros: (user + system) / count };
}

/** The agents and the tree of an answer desk that begins with these answers. */
export function crewWith(kept) {
  const { agents, tree } = answerCrew({ ports: { retrieve: async () => ({ evidence: [], complete: true }) } });
  const context = { ...deskContext(), ...kept, next: kept.precedentCount + 1, outcomesUpTo: kept.precedentCount };
  const { config, implementations } = answerDesk.machine;
  const machine = createMachine({ ...config, context }, implementations);
  const filled = { ...answerDesk, machine };
  return { agents: agents.map((agent) => (agent.name === answerDesk.name ? filled : agent)), tree };
}
