/** QU2 and QU3: answers that people have given before, at a desk that keeps very many of them. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSystem, levelStore, memoryStore } from '../../dist/index.js';
import { startDesk } from '../gateway.mjs';
import { crewWith, keptAnswers, questionsFrom } from '../kept-answers.mjs';
import { inTurn } from '../rounds.mjs';
import { latency } from '../statistics.mjs';
import { writeFolder } from '../question-folder.mjs';

const ASKED_AT_ONCE = 64;

export const precedents = {
  name: 'QU2',
  title: 'Search of what people said',
  about: ({ few, many, searches }) =>
    `A desk that keeps ${few.toLocaleString('en')} answers of people (**few**) or ${many.toLocaleString('en')} ` +
    `(**many**), in memory. ${searches.toLocaleString('en')} searches by \`answers.search\`, one after the other, ` +
    'for questions that nobody has asked, whose words are as frequent as in the documents of this project. ' +
    '**putMicros**: the processor time of one more answer. **bytesEach**: the memory of an answer with its place in ' +
    'the index.',
  sizes: {
    full: { few: 10_000, many: 100_000, searches: 1_000 },
    quick: { few: 100, many: 400, searches: 20 },
  },
  ratios: [
    { name: 'a search among 10,000, p99', of: ({ few }) => few.p99Ms, atMost: 5, unit: ' ms' },
    { name: 'a search among 100,000, p99', of: ({ many }) => many.p99Ms, atMost: 40, unit: ' ms' },
    { name: 'a search among 100,000, p50', of: ({ many }) => many.p50Ms, unit: ' ms' },
    { name: 'one more answer beside 100,000, processor time', of: ({ many }) => many.putMicros, unit: ' µs' },
    { name: 'memory of an answer among 100,000', of: ({ many }) => many.bytesEach / 1_000, unit: ' KB' },
  ],

  async open({ few, many, searches }) {
    const desks = { few: await deskWith(few, 1), many: await deskWith(many, 2) };
    const search = (name) => () => searched(desks[name], searches);
    return {
      subject: search('many'),
      round: inTurn({ few: search('few'), many: search('many') }),
      close: () => Promise.all(Object.values(desks).map(({ system }) => system.stop())),
    };
  },
};

async function deskWith(count, seed) {
  const question = questionsFrom(seed);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const { kept, putMicros } = keptAnswers(count, question);
  globalThis.gc?.();
  const bytesEach = (process.memoryUsage().heapUsed - before) / count;
  const system = createSystem({ ...crewWith(kept), store: memoryStore(), durability: 'memory' });
  await system.start();
  return { system, question, facts: { putMicros, bytesEach } };
}

async function searched({ system, question, facts }, searches) {
  const times = [];
  for (let count = 0; count < searches; count += 1) {
    const event = { type: 'answers.search', text: question(), limit: 10 };
    const startMs = performance.now();
    await system.ask('answers', event);
    times.push(performance.now() - startMs);
  }
  return { ...latency(times), ...facts };
}

export const waitServed = {
  name: 'QU3',
  title: 'A waiting asker after kill -9',
  about: ({ kept, waiting }) =>
    `The desk of a folder with ${waiting.toLocaleString('en')} questions that wait for people, each with its ` +
    `ticket, and ${kept.toLocaleString('en')} answers of people. It is killed with SIGKILL and started again. ` +
    '**wait**: from the start of the process, with Node and all modules, to the reply of `POST /v1/answers/wait` for ' +
    'one of the questions.',
  sizes: {
    full: { kept: 100_000, waiting: 10_000 },
    quick: { kept: 100, waiting: 20 },
  },
  ratios: [
    { name: 'kill -9 to waitForAnswer served again', of: ({ wait }) => wait.ms, atMost: 2_000, unit: ' ms' },
    { name: 'the same, processor time', of: ({ wait }) => wait.cpuMs, unit: ' ms' },
  ],

  async open({ kept, waiting }, directory) {
    const [folder, data] = [join(directory, 'shop'), join(directory, 'data')];
    await rm(directory, { recursive: true, force: true });
    await writeFolder(folder, 3);
    await fill(join(data, 'store'), kept, waiting);
    let desk = await startDesk({ folder, data });
    const again = async () => {
      desk.end();
      await desk.ended;
      const startMs = performance.now();
      desk = await startDesk({ folder, data });
      await waitReply(desk.facts.url, `Q-${kept + waiting}`);
      const ms = performance.now() - startMs;
      return { ms, cpuMs: (await desk.ask('cpu')).cpuMicros / 1_000 };
    };
    return {
      subject: again,
      profiler: desk.profiler,
      round: inTurn({ wait: again }),
      close: async () => desk.end(),
    };
  },
};

/** Writes the store of a desk with answers that are kept and questions that wait. */
async function fill(store, kept, waiting) {
  const question = questionsFrom(3);
  const system = createSystem({
    ...crewWith(keptAnswers(kept, question).kept),
    store: levelStore(store),
    durability: 'process',
  });
  await system.start();
  for (let from = 0; from < waiting; from += ASKED_AT_ONCE) {
    const count = Math.min(ASKED_AT_ONCE, waiting - from);
    await Promise.all(Array.from({ length: count }, (_, at) => asked(system, from + at)));
  }
  await system.stop();
}

/** Asks what nobody knows. Resolves once a person has it. */
async function asked(system, number) {
  const bundle = { question: `Which berth${number} has quay${number} to leave?`, confidence_level: 10 };
  const event = { type: 'answers.ask', asker: `agent-${number % 50}`, trigger: 'custom', bundle };
  const { status } = await system.ask('answers', event, { timeoutMs: 60_000 });
  if (status !== 'waiting') throw new Error(`quay ${number} is ${status}`);
}

async function waitReply(url, question_id) {
  const body = JSON.stringify({ question_id, max_wait_seconds: 0 });
  const headers = { 'content-type': 'application/json' };
  const reply = await (await fetch(new URL('/v1/answers/wait', url), { method: 'POST', headers, body })).json();
  if (reply.status !== 'waiting') throw new Error(`${question_id} does not wait: ${JSON.stringify(reply)}`);
}
